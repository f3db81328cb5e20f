"""What is looked for: the golds of a dataset, each evidence once, however many questions name it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from muffakir_eval.matching.golds import distinct_golds, evidence_at
from muffakir_eval.records import Gold, Sample
from muffakir_eval.text.identifiers import clean_id

__all__ = ["Alternative", "Targets", "loose_id"]

_PADDING = re.compile(r"(?<![\d.])0+(?=\d)")
_FRACTION = re.compile(r"\.0+$")


class Alternative(NamedTuple):
    """One of the ways in which a gold may be found.

    Attributes:
        chunk_id: An identifier, ``None`` where it names none.
        source: The document of the identifier, as :func:`~muffakir_eval.matching.golds.source_name` calls it.
        text: Which of the texts of :class:`Targets`, ``None`` where it names none.
    """

    chunk_id: str | None
    source: str | None
    text: int | None


class Targets:
    """The golds of a dataset, laid out for a search through the index.

    Attributes:
        targets: Different evidence: the alternatives, any one of which will do.
        golds: Place of the question, index of the gold, and which of the targets it is; in dataset order.
        texts: The different gold texts.
        by_text: For each of the texts, the targets and their alternatives that it stands for.
        by_id: For each identifier, the same.
        by_loose_id: The same for what is left of an identifier by :func:`loose_id`.

    >>> samples = [Sample(sample_id="1", question="؟", contexts=("نص",)), Sample(sample_id="2", question="؟؟",
    ...            contexts=(" نص", "نص آخر"))]
    >>> targets = Targets(samples)
    >>> targets.golds, targets.texts
    ([(0, 0, 0), (1, 0, 0), (1, 1, 1)], ['نص', 'نص آخر'])
    """

    def __init__(self, samples: Sequence[Sample]) -> None:
        self.targets: list[tuple[Alternative, ...]] = []
        self.golds: list[tuple[int, int, int]] = []
        self.texts: list[str] = []
        self.by_text: list[list[tuple[int, int]]] = []
        self.by_id: dict[str, list[tuple[int, int]]] = {}
        self.by_loose_id: dict[str, list[tuple[int, int]]] = {}
        self._known_texts: dict[str, int] = {}
        known: dict[tuple[Alternative, ...], int] = {}
        for place, sample in enumerate(samples):
            for gold in distinct_golds(sample):
                target = tuple(dict.fromkeys(self._alternatives(sample, gold)))
                if target not in known:
                    known[target] = len(self.targets)
                    self._add(target)
                self.golds.append((place, gold.index, known[target]))

    def _alternatives(self, sample: Sample, gold: Gold) -> Iterator[Alternative]:
        for position in gold.alternatives:
            raw_id, source, text = evidence_at(sample, position)
            chunk_id = clean_id(raw_id)
            if chunk_id or text:
                yield Alternative(chunk_id, source if chunk_id else None, self._text(text) if text else None)

    def _text(self, text: str) -> int:
        text = text.strip()
        if text not in self._known_texts:
            self._known_texts[text] = len(self.texts)
            self.texts.append(text)
            self.by_text.append([])
        return self._known_texts[text]

    def _add(self, target: tuple[Alternative, ...]) -> None:
        number = len(self.targets)
        self.targets.append(target)
        for place, (chunk_id, _, text) in enumerate(target):
            if text is not None:
                self.by_text[text].append((number, place))
            if chunk_id:
                self.by_id.setdefault(chunk_id, []).append((number, place))
                self.by_loose_id.setdefault(loose_id(chunk_id), []).append((number, place))


def loose_id(chunk_id: str) -> str:
    """What is left of an identifier without padding zeros, letter case, spaces, and the fraction of a float.

    Two identifiers that are the same in this form match nothing; that they are tells why.

    >>> loose_id(" DOC-007 "), loose_id("doc-7"), loose_id("٠٠٧"), loose_id("7.00"), loose_id("1.05")
    ('doc-7', 'doc-7', '7', '7', '1.05')
    """
    plain = "".join(unicodedata.normalize("NFKC", chunk_id).casefold().split())
    digits = "".join([str(value) if (value := unicodedata.decimal(char, -1)) >= 0 else char for char in plain])
    return _PADDING.sub("", _FRACTION.sub("", digits) or digits)
