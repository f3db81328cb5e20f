"""One finished sample as the page keeps it: a short row for the table, and details for whoever opens it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from muffakir_eval.matching import distinct_golds
from muffakir_eval.records import ChunkMatch, RetrievedChunk, Sample, SampleResult, Score
from muffakir_eval.records.codec import json_value
from muffakir_eval.refusals import refusal_cell
from muffakir_eval.writers.page.marks import Marker
from muffakir_eval.writers.page.plain_text import utf16_offsets

__all__ = ["FLAGS", "KEPT", "Details", "first_rank", "flags_of", "index_row"]

KEPT = 600
"""Characters of a question or an answer that stand in the table, and are searched."""

FLAGS = ("failed", "refused", "hallucinated", "missed", "incorrect")
"""What the table can be narrowed to; a flag is a bit by its place."""

_FAITHFUL, _CORRECT, _GOOD_RATING = 0.5, 0.5, 3.0


def first_rank(result: SampleResult) -> int | None:
    """Rank of the first chunk that holds evidence, 0 where none does, ``None`` where nobody knows."""
    if not distinct_golds(result.sample) or result.output.chunks is None:
        return None
    if any(score.reason == "not_comparable" for score in result.scores.values()):
        return None
    return next((match.rank for match in result.matches if match.relevant), 0)


def flags_of(result: SampleResult, k: int) -> int:
    """What is remarkable about a sample, as bits in the order of :data:`FLAGS`."""
    rank = first_rank(result)
    found = {
        "failed": result.error is not None or any(score.state == "failed" for score in result.scores.values()),
        "refused": result.refused,
        "hallucinated": _below(result, "faithfulness", _FAITHFUL),
        "missed": rank is not None and (rank == 0 or rank > k),
        "incorrect": _below(result, "answer_correctness", _CORRECT) or _below(result, "llm_judge_rating", _GOOD_RATING),
    }
    return sum(1 << place for place, flag in enumerate(FLAGS) if found[flag])


def _below(result: SampleResult, name: str, limit: float) -> bool:
    score = result.scores.get(name)
    return score is not None and score.value is not None and score.value < limit


def index_row(result: SampleResult, names: Sequence[str], k: int) -> list[Any]:
    """The row of the table.

    Identifier, row, question, answer, right answer (the last three cut at :data:`KEPT`), state of the answer, first
    rank, flags, and the value of each of ``names`` or ``None``.
    """
    sample, output = result.sample, result.output
    scores = [result.scores.get(name) for name in names]
    return [
        sample.sample_id,
        sample.row,
        sample.question[:KEPT],
        (output.answer if output.answer is not None else output.error or "")[:KEPT],
        (sample.answer or "")[:KEPT],
        refusal_cell(result)[1],
        first_rank(result),
        flags_of(result, k),
        [None if score is None or score.value is None else _rounded(score.value) for score in scores],
    ]


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")


class Details:
    """Details of samples as JSON values.

    Args:
        marker: Finds the words that agree with the evidence.
        text_id: Number of a text that many samples may share; the texts themselves are kept elsewhere.
    """

    def __init__(self, marker: Marker, text_id: Callable[[str], int]) -> None:
        self._marker = marker
        self._text_id = text_id

    def of(self, result: SampleResult) -> dict[str, Any]:
        """Everything that the page shows of one sample; what there is nothing of is left out."""
        sample, output = result.sample, result.output
        query = output.transformed_query
        found = {
            "question": sample.question if len(sample.question) > KEPT else None,
            "answer": output.answer,
            "answers": list(sample.answers),
            "golds": self._golds(result),
            "chunks": None if output.chunks is None else self._chunks(result, output.chunks),
            "scores": [_score(name, score) for name, score in result.scores.items()],
            "refusal": _refusal(result),
            "query": list(query) if isinstance(query, tuple) else query,
            "error": output.error,
            "ms": [_ms(result.latency_ms), _ms(result.pipeline_latency_ms), _ms(result.evaluation_overhead_ms)],
            "metadata": json_value(sample.metadata),
            "source": sample.source_file,
        }
        return {key: value for key, value in found.items() if value is not None and (value != [] or key == "chunks")}

    def _golds(self, result: SampleResult) -> list[dict[str, Any]]:
        sample = result.sample
        held = {gold for match in result.matches if match.relevant for gold in match.gold_indices}
        known = first_rank(result) is not None
        return [
            {
                "n": gold.index + 1,
                "found": gold.index in held if known else None,
                "any": [self._gold(sample, position) for position in gold.alternatives],
            }
            for gold in distinct_golds(sample)
        ]

    def _gold(self, sample: Sample, position: int) -> dict[str, Any]:
        return _without_nothing(
            {
                "id": sample.chunk_ids[position] if position < len(sample.chunk_ids) else None,
                "text": self._text_id(sample.contexts[position]) if position < len(sample.contexts) else None,
                "source": sample.source_of(position),
            }
        )

    def _chunks(self, result: SampleResult, chunks: Sequence[RetrievedChunk]) -> list[dict[str, Any]]:
        matches: Sequence[ChunkMatch | None] = [*result.matches, *[None] * (len(chunks) - len(result.matches))]
        return [self._chunk(result.sample, chunk, match) for chunk, match in zip(chunks, matches, strict=False)]

    def _chunk(self, sample: Sample, chunk: RetrievedChunk, match: ChunkMatch | None) -> dict[str, Any]:
        told: dict[str, Any] = {
            "text": self._text_id(chunk.text) if chunk.text else None,
            "id": chunk.chunk_id,
            "source": chunk.source,
            "own": None if chunk.score is None else _rounded(chunk.score),
        }
        if match is not None:
            told |= {
                "hit": match.relevant or None,
                "repeat": match.repeat or None,
                "stage": match.stage,
                "score": None if match.score is None else round(match.score, 3),
                "golds": [index + 1 for index in match.gold_indices] or None,
                "marks": self._marks(sample, chunk.text, match) or None,
            }
        return _without_nothing(told)

    def _marks(self, sample: Sample, text: str, match: ChunkMatch) -> list[list[int]]:
        """In a chunk that holds evidence, what agrees with it; in one that nearly does, with any of it."""
        if not text or not (match.relevant or match.score is not None):
            return []
        golds = [gold for gold in distinct_golds(sample) if not match.relevant or gold.index in match.gold_indices]
        places = [place for gold in golds for place in gold.alternatives if place < len(sample.contexts)]
        return utf16_offsets(text, self._marker.marks(text, [sample.contexts[place] for place in places]))


def _without_nothing(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if value is not None}


def _ms(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


def _refusal(result: SampleResult) -> dict[str, Any] | None:
    refusal = result.refusal
    if refusal is None:
        return None
    marks = utf16_offsets(result.output.answer or "", [refusal.span])[0]
    return {
        "reason": refusal.reason,
        "phrase": refusal.phrase,
        "span": marks,
        "partial": refusal.partial,
    }


def _score(name: str, score: Score) -> dict[str, Any]:
    """Value or reason, and what the judge said about it."""
    details = score.details
    return _without_nothing(
        {
            "name": name,
            "value": None if score.value is None else _rounded(score.value),
            "reason": score.reason,
            "failed": score.state == "failed" or None,
            "message": _text(details.get("message")),
            "says": _text(details.get("explanation")),
            "unsupported": _texts(details.get("unsupported")),
            "verdicts": _verdicts(details.get("verdicts")),
            "members": _members(details.get("members")),
        }
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: object) -> list[str] | None:
    return [str(item) for item in value] or None if isinstance(value, (list, tuple)) else None


def _verdicts(value: object) -> list[dict[str, Any]] | None:
    """Statements or chunks, one by one, as the judge sees them."""
    if not isinstance(value, (list, tuple)):
        return None
    found = []
    for item in value:
        if isinstance(item, Mapping):
            chunks = item.get("chunks") or ([item["chunk"]] if item.get("chunk") else None)
            told = {
                "number": item.get("number"),
                "statement": _text(item.get("statement")),
                "verdict": _text(item.get("verdict")),
                "says": _text(item.get("reason")),
                "chunks": json_value(chunks),
            }
            found.append(_without_nothing(told))
    return found or None


def _members(value: object) -> list[dict[str, Any]] | None:
    """What each judge of a jury said."""
    if not isinstance(value, (list, tuple)):
        return None
    return [
        _without_nothing(
            {
                "judge": str(member.get("judge")),
                "value": json_value(member.get("value")),
                "reason": _text(member.get("reason")),
                "says": _text(member.get("explanation")),
                "message": _text(member.get("message")),
            }
        )
        for member in value
        if isinstance(member, Mapping)
    ] or None
