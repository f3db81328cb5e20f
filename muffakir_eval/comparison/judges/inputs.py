"""The same answers, what each judge thought of them, and what people said: what a comparison is made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from muffakir_eval.comparison.judges.scale import Scale
from muffakir_eval.records import Score

__all__ = ["Answer", "Answers", "JudgeStatus", "Judged", "People", "Rating", "Settings", "no_opinion"]

JudgeStatus = Literal["complete", "partial", "not_run"]
"""Whether a judge has looked at every answer, stopped early, or never began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One recorded answer.

    Attributes:
        sample_id: Its name in the dataset.
        row: As a spreadsheet or editor shows it.
        question: The question.
        answer: What the system said, ``None`` where it said nothing.
        groups: Column of the dataset to what stands in it, for slices.
        cluster: Answers with the same one are not independent; ``None`` is one of its own.
    """

    sample_id: str
    row: int
    question: str
    answer: str | None
    groups: Mapping[str, str | None] = field(default_factory=dict)
    cluster: str | None = None

    @property
    def n_words(self) -> int:
        """Length of the answer in words."""
        return len((self.answer or "").split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """What one judge thought of one answer.

    Attributes:
        value: ``None`` where there is none.
        reason: Why not.
        failed: There should be a value.
        decided: The value follows from the case (a refusal, say), and no judge was asked.
        explanation: The judge's reason, in its own words.
        repeats: The single values, where it was asked several times.
        calls: Requests that it took.
        cached: Replies that came from the cache.
        latency_ms: Milliseconds of the calls together.
    """

    value: float | None
    reason: str | None = None
    failed: bool = False
    decided: bool = False
    explanation: str | None = None
    repeats: tuple[float, ...] = ()
    calls: int = 0
    cached: int = 0
    latency_ms: float | None = None

    @classmethod
    def of(cls, score: Score) -> Rating:
        """From the score of a run.

        >>> Rating.of(Score.measured("m", 1.0, {"explanation": "ok"})).explanation
        'ok'
        """
        details = score.details
        taken, repeats = details.get("usage") or {}, details.get("repeats") or {}
        said = details.get("explanation")
        return cls(
            value=score.value,
            reason=score.reason,
            failed=score.state == "failed",
            decided="decided_by" in details,
            explanation=said if isinstance(said, str) else None,
            repeats=tuple(float(value) for value in repeats.get("values", ()) if value is not None),
            calls=int(taken.get("calls", 0)),
            cached=int(taken.get("cached", 0)),
            latency_ms=taken.get("latency_ms"),
        )

    @property
    def opinion(self) -> float | None:
        """The value where the judge was asked for it: what the case decides says nothing about a judge."""
        return None if self.decided else self.value


def no_opinion(rating: Rating | None) -> str:
    """Why a rating says nothing about the judge; empty where it does."""
    if rating is None:
        return "not_reached"
    if rating.decided:
        return "decided_by_the_case"
    return "" if rating.value is not None else str(rating.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One judge and its ratings.

    Attributes:
        label: What it is called here.
        ratings: Metric to one rating per answer, in their order; ``None`` where it never came to that.
        status: Whether it finished.
        message: Why it stopped, in words.
        source: It judged now, or an earlier run was read.
        run_id: Of the run.
        folder: Where the run lies, ``None`` where it was not kept.
        identity: Provider, model and parameters.
        usage: The block ``usage`` of the run, ``None`` where it has none.
        notes: What else the user should know about it.
    """

    label: str
    ratings: Mapping[str, Sequence[Rating | None]]
    status: JudgeStatus = "complete"
    message: str | None = None
    source: Literal["run", "folder"] = "run"
    run_id: str | None = None
    folder: str | None = None
    identity: Mapping[str, Any] = field(default_factory=dict)
    usage: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """What people said, for one metric.

    Attributes:
        column: Of the dataset.
        values: One per answer, ``None`` where nobody said anything.
        same_scale: The values lie on the metric's scale.
        rescaled: They were moved onto it from a scale with these ends.
    """

    column: str
    values: Sequence[float | None]
    same_scale: bool = True
    rescaled: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a comparison is made.

    Attributes:
        confidence: Of the intervals.
        n_resamples: Draws of a bootstrap.
        seed: Of the draws.
        thresholds: Metric to the value from which an answer counts as good.
        slice_by: Columns of the dataset.
        n_disagreements: Disagreements kept for each pair and metric.
    """

    confidence: float = 0.95
    n_resamples: int = 2_000
    seed: int = 0
    thresholds: Mapping[str, float] = field(default_factory=dict)
    slice_by: tuple[str, ...] = ()
    n_disagreements: int = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """Everything that is compared.

    Attributes:
        answers: The recorded answers.
        judges: Who judged them.
        scales: Metric to its scale, in the order of the report.
        people: Metric to what people said, where they said something.
        source: Where the answers come from.
        fingerprint: Of the dataset.
        clustered: The answers belong together by this column.
        notes: What the user should know.
    """

    answers: Sequence[Answer]
    judges: Sequence[Judged]
    scales: Mapping[str, Scale]
    people: Mapping[str, People] = field(default_factory=dict)
    source: str = ""
    fingerprint: str | None = None
    clustered: str | None = None
    notes: tuple[str, ...] = ()

    def clusters(self, places: Sequence[int]) -> list[str] | None:
        """What the answers at ``places`` belong to, ``None`` where each stands for itself."""
        if self.clustered is None:
            return None
        told = [self.answers[place].cluster for place in places]
        return [f"\0{place}" if name is None else name for place, name in zip(places, told, strict=True)]
