"""Answers with ratings that were planned, for tests of judge comparison."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from muffakir_eval.comparison.judges.inputs import Answer, Answers, Judged, People, Rating
from muffakir_eval.comparison.judges.scale import Scale

__all__ = ["BINARY", "RATING", "UNIT", "answers", "chance", "judged"]

BINARY, RATING, UNIT = Scale(low=0, high=1, whole=True), Scale(low=1, high=5, whole=True), Scale(low=0, high=1)


def chance(number: int, salt: str) -> random.Random:
    """A source of chance for one answer, whatever the order."""
    return random.Random(f"{number}-{salt}")


def judged(label: str, values: Sequence[float | None], *, metric: str = "m", **facts: Any) -> Judged:
    """A judge with these values; what is missing was a timeout."""
    ratings = [
        Rating(
            value=value, reason=None if value is not None else "timeout", failed=value is None, calls=1, latency_ms=5.0
        )
        for value in values
    ]
    return Judged(label=label, ratings={metric: ratings}, **facts)


def answers(
    judges: Sequence[Judged],
    human: Sequence[float | None] | None = None,
    *,
    scale: Scale = RATING,
    words: Callable[[int], int] = lambda number: 10,
    groups: Callable[[int], Mapping[str, str | None]] = lambda number: {},
    cluster: Callable[[int], str] | None = None,
    same_scale: bool = True,
) -> Answers:
    """The answers of these judges, with what people say."""
    n = len(next(iter(judges[0].ratings.values())))
    return Answers(
        answers=[
            Answer(
                sample_id=f"s{number}",
                row=number + 2,
                question=f"السؤال {number}؟",
                answer=" ".join(["كلمة"] * words(number)),
                groups=groups(number),
                cluster=None if cluster is None else cluster(number),
            )
            for number in range(n)
        ],
        judges=judges,
        scales={"m": scale},
        people={} if human is None else {"m": People(column="human", values=human, same_scale=same_scale)},
        source="answers.csv",
        clustered=None if cluster is None else "document",
    )
