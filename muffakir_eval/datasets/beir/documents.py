"""The corpus that a question set is about: its passages, and an identifier for each gold."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from muffakir_eval.datasets.beir.containing import containing_passages
from muffakir_eval.datasets.beir.writing import json_line
from muffakir_eval.datasets.cells.text import shown
from muffakir_eval.datasets.judgements import checked_texts
from muffakir_eval.errors import DatasetError
from muffakir_eval.records import RetrievedChunk, Sample
from muffakir_eval.records.codec import json_value

__all__ = ["Documents", "text_id"]


def text_id(text: str) -> str:
    """An identifier that is made of a text: the same text has the same one.

    >>> text_id("عاصمة مصر هي القاهرة")
    'text-66ad1b20d19afc93'
    """
    return f"text-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


class Documents:
    """The documents of a corpus to be written.

    Args:
        corpus: Passages, or texts by identifier; ``None`` where only the golds are known.
        samples: The question set.

    Attributes:
        texts: Text by the identifier of the document.

    Raises:
        DatasetError: An identifier stands for two passages.
    """

    def __init__(self, corpus: Iterable[RetrievedChunk] | Mapping[str, str] | None, samples: Sequence[Sample]) -> None:
        self.texts: dict[str, str] = {}
        self._metadata: dict[str, Mapping[str, Any]] = {}
        self._names: dict[tuple[str, str], str] = {}
        self._by_text: dict[str, str] = {}
        self._found: dict[str, dict[str, None]] = {what: {} for what in _NOTES}
        self._given = corpus is not None
        passages = _passages(corpus)
        self._shared = _shared_ids(passages, samples)
        for passage in passages:
            self._take(passage)
        self._complete = frozenset(self.texts)
        self._holders = containing_passages(self._strangers(samples), self.texts) if passages else {}

    def _strangers(self, samples: Sequence[Sample]) -> Iterator[str]:
        """Gold passages that the corpus knows neither by their identifier nor as a passage."""
        for sample in samples:
            for position, text in enumerate(sample.contexts):
                chunk_id = sample.chunk_ids[position] if sample.chunk_ids else ""
                known = chunk_id and self._name(chunk_id, sample.source_of(position)) in self.texts
                if text and not known and text not in self._by_text:
                    yield text

    def of(self, sample: Sample) -> list[str]:
        """The document that stands for each gold of ``sample``, empty for one that names nothing.

        A gold passage that is no document yet becomes one.
        """
        count = max(len(sample.contexts), len(sample.chunk_ids))
        return [self._gold(sample, position) for position in range(count)]

    def _gold(self, sample: Sample, position: int) -> str:
        text = sample.contexts[position] if sample.contexts else ""
        chunk_id = sample.chunk_ids[position] if sample.chunk_ids else ""
        source = sample.source_of(position)
        if not chunk_id:
            return self._of_text(text, source) if text else ""
        name = self._name(chunk_id, source)
        known = self.texts.get(name)
        if known is None and text:
            return self._passage_of(text, name) or self._new(name, text, source)
        if known is None:
            self._found["absent"][name] = None
        elif text and text != known and name not in self._complete:
            self._found["unequal"][name] = None
            if len(text) > len(known):
                self.texts[name] = text
        return name

    def _of_text(self, text: str, source: str | None) -> str:
        """The document that is, or holds, a gold passage without identifier."""
        name = self._by_text.get(text)
        if name is not None:
            return name
        holders = self._holders.get(text)
        if holders is None:
            return self._new(text_id(text), text, source)
        self._found["within" if len(holders) == 1 else "several"][text] = None
        return holders[0]

    def _passage_of(self, text: str, name: str) -> str | None:
        """The passage of the corpus that is, or holds, a gold passage whose identifier it does not know."""
        found = self._by_text.get(text)
        if found not in self._complete:
            found = next(iter(self._holders.get(text, ())), None)
        if found is not None:
            self._found["foreign"][name] = None
        return found

    def _new(self, name: str, text: str, source: str | None) -> str:
        """A gold passage that is no document yet."""
        self._found["absent"].pop(name, None)
        if self._given:
            self._found["added"][name] = None
        self._put(name, text, {} if source is None else {"source": source})
        return name

    def _take(self, passage: RetrievedChunk) -> None:
        name = self._name(passage.chunk_id, passage.source) if passage.chunk_id else text_id(passage.text)
        if self.texts.get(name, passage.text) != passage.text:
            raise DatasetError(
                f"the identifier {shown(name)} stands for two passages",
                where="corpus",
                expected="an identifier of its own for each",
                remedy="name the right column of identifiers, or give each passage its source",
            )
        source = {} if passage.source is None else {"source": passage.source}
        self._put(name, passage.text, {**passage.metadata, **source})

    def _put(self, name: str, text: str, metadata: Mapping[str, Any]) -> None:
        self.texts[name] = text
        self._by_text.setdefault(text, name)
        if metadata:
            self._metadata[name] = metadata

    def _name(self, chunk_id: str, source: str | None) -> str:
        """The identifier of a document, with its source before it where that is needed to tell it apart."""
        if chunk_id not in self._shared or not source:
            return chunk_id
        key = (chunk_id, _base(source))
        name = self._names.get(key)
        if name is None:
            name = f"{source}#{chunk_id}"
            while name in self.texts or name in self._names.values():
                name += "'"
            self._names[key] = name
            self._found["renamed"][chunk_id] = None
        return name

    def lines(self) -> Iterator[str]:
        """The lines of ``corpus.jsonl``."""
        for name, text in self.texts.items():
            metadata = json_value(self._metadata.get(name, {}))
            yield json_line({"_id": name, "title": "", "text": text, "metadata": metadata})

    def notes(self) -> Iterator[str]:
        """What should be known about them."""
        for what, names in self._found.items():
            if names:
                yield f"{len(names)} {_NOTES[what]} (first: {shown(next(iter(names)))})"


_NOTES = {
    "within": "gold passages without identifier stand within a passage of the corpus, which was judged relevant",
    "several": "gold passages without identifier stand within several passages of the corpus, of which the first was "
    "judged relevant",
    "foreign": "identifiers of gold passages are not in the corpus, and the passages that hold their texts word for "
    "word were judged relevant instead",
    "added": "gold passages stand in no passage of the corpus word for word, and were added to it",
    "unequal": "documents have several texts in the question set, of which the corpus holds the longest",
    "absent": "judged documents have no text, and are not in the corpus",
    "renamed": "identifiers are used in several documents, whose names were put before them",
}


def _passages(corpus: Iterable[RetrievedChunk] | Mapping[str, str] | None) -> list[RetrievedChunk]:
    if corpus is None:
        return []
    if isinstance(corpus, Mapping):
        checked_texts(corpus, "corpus")
        return [RetrievedChunk(chunk_id=identifier, text=text) for identifier, text in corpus.items()]
    passages: list[Any] = list(corpus)
    other = next((item for item in passages if not isinstance(item, RetrievedChunk)), None)
    if other is not None:
        raise DatasetError(
            f"the corpus holds {shown(other)}",
            where="corpus",
            expected="passages, or {id: text}",
            remedy='read it with load_corpus("passages.jsonl")',
        )
    return passages


def _shared_ids(passages: Iterable[RetrievedChunk], samples: Iterable[Sample]) -> frozenset[str]:
    """The identifiers that stand in several documents."""
    sources: dict[str, set[str]] = {}
    for passage in passages:
        if passage.chunk_id and passage.source:
            sources.setdefault(passage.chunk_id, set()).add(_base(passage.source))
    for sample in samples:
        for position, chunk_id in enumerate(sample.chunk_ids):
            source = sample.source_of(position)
            if chunk_id and source:
                sources.setdefault(chunk_id, set()).add(_base(source))
    return frozenset(chunk_id for chunk_id, names in sources.items() if len(names) > 1)


def _base(source: str) -> str:
    """What a file is called wherever it lies."""
    return unicodedata.normalize("NFC", source.replace("\\", "/").rstrip("/").rpartition("/")[2]).casefold()
