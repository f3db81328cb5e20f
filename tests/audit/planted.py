"""Real passages, chunked five ways, with faults at places that are known."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from muffakir_eval.audit.records import Outcome
from muffakir_eval.datasets import load_evaluation_dataset
from muffakir_eval.pipelines import rechunk
from muffakir_eval.records import RetrievedChunk, Sample
from tests.audit.made import article

__all__ = ["CHUNKINGS", "Index", "PlantedRetriever", "Question", "faulty", "index_of"]

K, DEEP, RETURNED = 5, 12, 20
_GOLD = 30
_FEWEST = 27
_PIECES = 3

Chunks = list[RetrievedChunk]


def _by_characters(passages: Sequence[RetrievedChunk], size: int = 300) -> Chunks:
    return [
        replace(passage, text=passage.text[start : start + size], chunk_id=f"{passage.chunk_id}#{start}")
        for passage in passages
        for start in range(0, len(passage.text), size)
        if passage.text[start : start + size].strip()
    ]


CHUNKINGS: dict[str, Callable[[Sequence[RetrievedChunk]], Chunks]] = {
    "60 words": lambda passages: rechunk(passages, words=60, overlap=0),
    "120 words": lambda passages: rechunk(passages, words=120, overlap=0),
    "whole": list,
    "300 characters": _by_characters,
    "60 words, 20 shared": lambda passages: rechunk(passages, words=60, overlap=20),
}


@dataclass(slots=True)
class Question:
    """A question, the chunk that holds its gold, and what it should come to."""

    text: str
    gold: str
    chunk: RetrievedChunk
    passage: str
    by_id: bool = False
    outcome: Outcome = "in_index"
    rank: int | None = None

    def sample(self, number: int) -> Sample:
        """As a sample whose gold is a text or an identifier."""
        gold: dict[str, tuple[str, ...]] = (
            {"chunk_ids": (str(self.chunk.chunk_id),)} if self.by_id else {"contexts": (self.gold,)}
        )
        return Sample(sample_id=str(number), row=number + 2, question=self.text, **gold)  # type: ignore[arg-type]


@dataclass(slots=True)
class Index:
    """Chunks with the questions that they answer.

    Attributes:
        chunks: In the order of the corpus.
        questions: In the order of the dataset.
        planted: Finding to the identifiers of the chunks, or the places of the questions, that have the fault.
    """

    chunks: Chunks
    questions: list[Question]
    planted: dict[str, set[str]] = field(default_factory=dict)

    def samples(self) -> list[Sample]:
        """The dataset."""
        return [question.sample(number) for number, question in enumerate(self.questions)]


def index_of(data_dir: Path, chunking: str) -> Index:
    """The clean index: every gold is a stretch of words around the answer, inside one chunk."""
    samples = list(load_evaluation_dataset(data_dir / "arcd" / "arcd-train.json"))
    texts = list(dict.fromkeys(sample.contexts[0] for sample in samples))
    names = {text: f"p{number}" for number, text in enumerate(texts)}
    passages = [RetrievedChunk(text=text, chunk_id=names[text], source=f"{names[text]}.txt") for text in texts]
    chunks = CHUNKINGS[chunking](passages)
    of_passage: dict[str | None, Chunks] = {}
    for chunk in chunks:
        of_passage.setdefault(chunk.source, []).append(chunk)
    runs = {text: _runs(text) for text in texts}
    elsewhere = Counter(run for found in runs.values() for run in found)
    questions = []
    for sample in samples:
        passage = names[sample.contexts[0]]
        found = _gold(sample, of_passage[f"{passage}.txt"])
        # Some passages are versions of one another: there the truth would not be known.
        if found is not None and all(elsewhere[run] <= 1 for run in _runs(found[1])):
            chunk, gold = found
            questions.append(Question(sample.question, gold, chunk, passage))
    return Index(chunks, questions)


def _runs(text: str, length: int = 4) -> set[tuple[str, ...]]:
    words = text.split()
    return {tuple(words[start : start + length]) for start in range(len(words) - length + 1)}


def _gold(sample: Sample, chunks: Chunks) -> tuple[RetrievedChunk, str] | None:
    for chunk in chunks:
        start = chunk.text.find(str(sample.answer))
        if start < 0:
            continue
        at = len(chunk.text[:start].split())
        words = chunk.text.split()
        first = max(0, min(at - _GOLD // 2, len(words) - _GOLD))
        chosen = words[first : first + _GOLD]
        gold = " ".join(chosen)
        if len(chosen) >= _FEWEST and gold in chunk.text:
            return chunk, gold
    return None


def faulty(clean: Index, seed: int) -> Index:
    """The index after whole passages were lost, cut to pieces, or renamed, and single chunks were spoilt."""
    draw = random.Random(seed)
    passages = sorted({question.passage for question in clean.questions})
    draw.shuffle(passages)
    lost, cut, renamed, padded = (set(passages[start : start + 12]) for start in (0, 12, 24, 36))
    spoilt = passages[48 : 48 + len(_SPOILS)]
    questions, seen = [], set(spoilt)
    for question in clean.questions:
        if question.passage not in seen:
            questions.append(replace(question))
        if question.passage in cut:
            seen.add(question.passage)  # what is cut is cut through its first gold
    golds = {question.passage: question for question in questions}
    chunks: Chunks = []
    for chunk in clean.chunks:
        passage = str(chunk.source).removesuffix(".txt")
        if passage in cut:
            chunks += _pieces(golds[passage]) if chunk is golds[passage].chunk else []
        elif passage in renamed:
            chunks.append(replace(chunk, chunk_id=f"new-{chunk.chunk_id}"))
        elif passage in padded:
            chunks.append(replace(chunk, chunk_id=str(chunk.chunk_id).replace("p", "p00", 1)))
        elif passage not in lost:
            chunks.append(chunk)
    planted: dict[str, set[str]] = {
        "gold_not_in_index": {str(n) for n, question in enumerate(questions) if question.passage in lost},
        "gold_split": {str(n) for n, question in enumerate(questions) if question.passage in cut},
        "unknown_gold_id": {str(n) for n, question in enumerate(questions) if question.passage in renamed},
        "padded_gold_id": {str(n) for n, question in enumerate(questions) if question.passage in padded},
    }
    for number, question in enumerate(questions):
        question.by_id = question.passage in renamed | padded or (
            question.passage not in lost | cut and number % 4 == 0
        )
        question.outcome = (
            "not_in_index"
            if question.passage in lost
            else "split"
            if question.passage in cut
            else "unknown_id"
            if question.passage in renamed | padded
            else "in_index"
        )
    return Index(_spoilt(chunks, spoilt, planted), questions, planted)


def _pieces(question: Question) -> Chunks:
    """The chunk of a question, cut twice within its gold."""
    words = question.gold.split()
    step = len(words) // _PIECES
    before, after = question.chunk.text.split(question.gold)
    inside = [" ".join(words[:step]), " ".join(words[step : 2 * step]), " ".join(words[2 * step :])]
    texts = [f"{before}{inside[0]}", inside[1], f"{inside[2]}{after}"]
    return [
        replace(question.chunk, chunk_id=f"{question.chunk.chunk_id}/{number}", text=text)
        for number, text in enumerate(texts)
    ]


def _shaped(text: str) -> str:
    """In presentation forms, as some programs extract text from PDF."""
    from arabic_reshaper import reshape  # type: ignore[import-untyped]

    return str(reshape(text))


def _spoilt(chunks: Chunks, passages: Sequence[str], planted: dict[str, set[str]]) -> Chunks:
    """Faults of the text and of identifiers, each in the chunks of a passage that no question asks about.

    Of a few words nobody could tell what is wrong with them: such chunks are dropped.
    """
    changes = dict(zip((f"{passage}.txt" for passage in passages), _SPOILS, strict=True))
    kept: Chunks = []
    for chunk in chunks:
        if chunk.source not in changes:
            kept.append(chunk)
        elif len(chunk.text.split()) >= _FEWEST:
            code, change = changes[str(chunk.source)]
            kept.append(change(chunk))
            planted.setdefault(code, set()).add(str(kept[-1].chunk_id))
    return kept


_SPOILS: tuple[tuple[str, Callable[[RetrievedChunk], RetrievedChunk]], ...] = (
    ("mojibake", lambda chunk: replace(chunk, text=chunk.text.encode().decode("cp1252", "replace"))),
    ("empty_chunk", lambda chunk: replace(chunk, text=" ")),
    ("reversed_text", lambda chunk: replace(chunk, text=chunk.text[::-1])),
    ("tiny_chunk", lambda chunk: replace(chunk, text="خاتمة")),
    ("replacement_character", lambda chunk: replace(chunk, text=chunk.text.replace("ا", "\ufffd"))),
    ("duplicate_id", lambda chunk: replace(chunk, chunk_id="twice", source="twice.txt")),
    ("duplicate_id", lambda chunk: replace(chunk, chunk_id="twice", source="twice.txt")),
    ("id_in_several_sources", lambda chunk: replace(chunk, chunk_id="shared")),
    ("id_in_several_sources", lambda chunk: replace(chunk, chunk_id="shared")),
    ("presentation_forms", lambda chunk: replace(chunk, text=_shaped(chunk.text))),
    ("bidi_controls", lambda chunk: replace(chunk, text=f"\u202e{chunk.text}")),
    ("mixed_code_points", lambda chunk: replace(chunk, text=chunk.text.replace("ي", "ی").replace("ك", "ک"))),
    ("exact_duplicate", lambda chunk: replace(chunk, text=article(1, 60))),
    ("exact_duplicate", lambda chunk: replace(chunk, text=article(1, 60))),
    ("near_duplicate", lambda chunk: replace(chunk, text=f"{article(2, 60)} {chunk.chunk_id}")),
    ("near_duplicate", lambda chunk: replace(chunk, text=f"{article(2, 60)} {chunk.chunk_id}")),
)


class PlantedRetriever:
    """Puts the gold of each question at a rank that is known; drops every tenth, and never returns more than 20.

    Args:
        index: The index; the outcomes of its questions are set to what this retriever makes of them.
        seed: Of the chunks beside the gold.
    """

    def __init__(self, index: Index, seed: int = 1) -> None:
        draw = random.Random(seed)
        self._ranked: dict[str, Chunks | None] = {}
        by_place = {(chunk.chunk_id, chunk.text): chunk for chunk in index.chunks}
        others = [chunk for chunk in index.chunks if len(chunk.text.split()) > _FEWEST and chunk.chunk_id != "twice"]
        for number, question in enumerate(index.questions):
            question.text = f"{question.text} ({number})"  # some are asked twice
            beside = [
                chunk for chunk in draw.sample(others, RETURNED + 20) if chunk.source != f"{question.passage}.txt"
            ][:RETURNED]
            gold = by_place.get((question.chunk.chunk_id, question.chunk.text))
            if question.outcome == "in_index" and gold is not None:
                self._plan(number, question)
                if question.rank is not None:
                    beside.insert(question.rank - 1, gold)
            self._ranked[question.text] = None if question.outcome == "pipeline_error" else beside[:RETURNED]

    def _plan(self, number: int, question: Question) -> None:
        if number % 10 == 0:
            question.outcome, question.rank = "not_retrieved", None
        elif number % 7 == 3:
            question.outcome, question.rank = "below_k", DEEP
        elif number % 11 == 5:
            question.outcome, question.rank = "pipeline_error", None
        else:
            question.outcome, question.rank = "found", number % K + 1

    def __call__(self, question: str, k: int) -> Chunks:
        """The planned ranking."""
        ranked = self._ranked[question]
        if ranked is None:
            raise ConnectionError("the store is down")
        return ranked[:k]
