"""Real passages, chunked five ways, with faults at places that are known."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from muffakir_eval.audit.records import Outcome
from muffakir_eval.datasets import load_evaluation_dataset
from muffakir_eval.pipelines import rechunk
from muffakir_eval.records import RetrievedChunk, Sample
from tests.audit.spoils import FEWEST, Chunks, Passage, plant_all

__all__ = ["CHUNKINGS", "Index", "PlantedRetriever", "Question", "faulty", "index_of"]

K, DEEP, RETURNED = 5, 12, 20
_GOLD = 30
_PIECES = 3


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
        chunking: How they were cut, of :data:`CHUNKINGS`.
        passages: The texts that the chunks are cut from, by the name of the document.
        planted: Finding to the places of the chunks, or of the questions, that have the fault.
        spoilt: The documents of the chunks whose text or identifier has one.
    """

    chunks: Chunks
    questions: list[Question]
    chunking: str = ""
    passages: dict[str, str] = field(default_factory=dict)
    planted: dict[str, set[int]] = field(default_factory=dict)
    spoilt: set[str] = field(default_factory=set)

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
    return Index(chunks, questions, chunking, {f"{names[text]}.txt": text for text in texts})


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
        if len(chosen) >= FEWEST and gold in chunk.text:
            return chunk, gold
    return None


def faulty(clean: Index, seed: int) -> Index:
    """The index after whole passages were lost, cut to pieces, or renamed, and others were spoilt."""
    draw = random.Random(seed)
    passages = sorted({question.passage for question in clean.questions})
    draw.shuffle(passages)
    lost, cut, renamed, padded = (set(passages[start : start + 12]) for start in (0, 12, 24, 36))
    spoilt, codes = plant_all(_passages(clean, passages[48:]))
    taken, questions = frozenset(spoilt), _left(clean.questions, spoilt, cut)
    golds = {question.passage: question for question in questions}

    def become(chunk: RetrievedChunk) -> Chunks:
        passage = str(chunk.source).removesuffix(".txt")
        if passage in cut:
            return _pieces(golds[passage]) if chunk is golds[passage].chunk else []
        if passage in renamed:
            return [replace(chunk, chunk_id=f"new-{chunk.chunk_id}")]
        if passage in padded:
            return [replace(chunk, chunk_id=str(chunk.chunk_id).replace("p", "p00", 1))]
        if passage in taken:
            return spoilt.pop(passage, [])
        return [] if passage in lost else [chunk]

    chunks = [one for chunk in clean.chunks for one in become(chunk)]
    planted = {
        code: {number for number, question in enumerate(questions) if question.passage in chosen}
        for code, chosen in (
            ("gold_not_in_index", lost),
            ("gold_split", cut),
            ("unknown_gold_id", renamed),
            ("padded_gold_id", padded),
        )
    }
    for ordinal, chunk in enumerate(chunks):
        if id(chunk) in codes:
            planted.setdefault(codes[id(chunk)], set()).add(ordinal)
    _settle(questions, {"not_in_index": lost, "split": cut, "unknown_id": renamed | padded})
    sources = {f"{name}.txt" for name in taken} | {"twice.txt"}
    return Index(chunks, questions, clean.chunking, clean.passages, planted, sources)


def _left(questions: Sequence[Question], spoilt: Iterable[str], cut: set[str]) -> list[Question]:
    """The questions about passages that are not spoilt; of those that are cut, which are cut through it, the first."""
    left, seen = [], set(spoilt)
    for question in questions:
        if question.passage not in seen:
            left.append(replace(question))
        if question.passage in cut:
            seen.add(question.passage)
    return left


def _settle(questions: Sequence[Question], outcomes: Mapping[Outcome, set[str]]) -> None:
    """What the questions come to by their passages, and which of them have an identifier as their gold."""
    by_passage = {passage: outcome for outcome, passages in outcomes.items() for passage in passages}
    for number, question in enumerate(questions):
        question.outcome = by_passage.get(question.passage, "in_index")
        question.by_id = question.outcome == "unknown_id" or (question.outcome == "in_index" and number % 4 == 0)


def _passages(clean: Index, names: Sequence[str]) -> Iterator[tuple[str, Passage]]:
    """The passages of some names, each with those of its chunks that are long enough."""
    of_passage: dict[str | None, Chunks] = {}
    for chunk in clean.chunks:
        of_passage.setdefault(chunk.source, []).append(chunk)
    for name in names:
        chunks, text = of_passage[f"{name}.txt"], clean.passages[f"{name}.txt"]
        shared = sum(len(chunk.text) for chunk in chunks) > len(text)
        yield name, Passage(text, [chunk for chunk in chunks if len(chunk.text.split()) >= FEWEST], shared)


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
        others = [
            chunk for chunk in index.chunks if len(chunk.text.split()) > FEWEST and chunk.source not in index.spoilt
        ]
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
