"""What is measured: from requested names and cutoffs to functions with keys."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from muffakir_eval.errors import ConfigError, MetricError
from muffakir_eval.metrics.earnings import EARNED, Earnings, earned_precision, earned_recall
from muffakir_eval.metrics.resolve import parse_request

__all__ = [
    "DISTRACTOR_SHARE",
    "HARD_RECALL",
    "LOWER_IS_BETTER",
    "Measure",
    "definition_of",
    "plan_measures",
    "whole_number",
]

DISTRACTOR_SHARE = "distractor_share"
HARD_RECALL = "hard_recall"
LOWER_IS_BETTER = frozenset({DISTRACTOR_SHARE})

_DEFINITIONS = {
    "ndcg": "linear gain, discount log2(rank+1), ideal over all judged documents",
    "recall": "relevant documents in the first k ranks / all relevant documents",
    "precision": "relevant documents in the first k ranks / k, also where fewer than k were retrieved",
    "mrr": "1 / rank of the first relevant document, 0 below rank k",
    "map": "precision at the rank of each relevant document down to k / all relevant documents, not min(relevant, k)",
    "hit_rate": "1 if any of the first k ranks holds a relevant document, else 0",
    DISTRACTOR_SHARE: "known distractors in the first k ranks / k; lower is better",
    HARD_RECALL: "hard positives in the first k ranks / all hard positives",
}

Target = Literal["relevant", "hard", "distractors"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric at one cutoff.

    Attributes:
        key: Its key in the report, ``ndcg@10``.
        name: Its short name.
        k: Its cutoff.
        target: The documents that earn.
        compute: The value from what a ranking earns, how many ranks down to the cutoff do, and the cutoff.
    """

    key: str
    name: str
    k: int
    target: Target
    compute: Callable[[Earnings, int, int], float]


def definition_of(key: str) -> str:
    """The formula behind a key of the report, in words; empty for a key that is not ours.

    >>> definition_of("recall@5")
    'k=5: relevant documents in the first k ranks / all relevant documents'
    """
    name, _, k = key.rpartition("@")
    return f"k={k}: {_DEFINITIONS[name]}" if name in _DEFINITIONS else ""


def plan_measures(metrics: Sequence[str], k_values: Sequence[int], further: Iterable[str] = ()) -> tuple[Measure, ...]:
    """The measures that are asked for, each once.

    A name is known in any case and under its usual aliases (``MRR``, ``hits``, ``recall_at_k``). A plain
    name is measured at each of ``k_values``; one with a cutoff of its own (``nDCG@20``) at that alone.

    Args:
        metrics: Names; a text is one name, or several with commas between.
        k_values: Cutoffs, whole numbers of at least 1.
        further: Short names of what the given distractors and hard positives allow to measure, added
            where ``metrics`` does not name them.

    Raises:
        MetricError: A name is unknown or needs what was not given, a cutoff is no whole number or below 1,
            or nothing is asked for.

    >>> [measure.key for measure in plan_measures(["nDCG", "recall@20"], (1, 10))]
    ['ndcg@1', 'ndcg@10', 'recall@20']
    """
    cutoffs = _cutoffs(k_values)
    further = tuple(further)
    wanted = [_parsed(request, further) for request in _listed(metrics)]
    if not wanted:
        raise MetricError("no metric is asked for", where="metrics", expected=f"some of {', '.join(EARNED)}")
    wanted += [(name, None) for name in further if name not in {named for named, _ in wanted}]
    measures: dict[str, Measure] = {}
    for name, own in wanted:
        for k in cutoffs if own is None else (own,):
            measures.setdefault(f"{name}@{k}", _measure(name, k))
    return tuple(measures.values())


def _listed(metrics: Any) -> list[Any]:
    if isinstance(metrics, str):
        return [part for part in map(str.strip, metrics.split(",")) if part]
    if not isinstance(metrics, Iterable):
        raise MetricError(f"it is {metrics!r}", where="metrics", expected="a list of names")
    return list(metrics)


def _measure(name: str, k: int) -> Measure:
    key = f"{name}@{k}"
    if name == DISTRACTOR_SHARE:
        return Measure(key, name, k, "distractors", earned_precision)
    if name == HARD_RECALL:
        return Measure(key, name, k, "hard", earned_recall)
    return Measure(key, name, k, "relevant", EARNED[name])


def _parsed(request: str, further: tuple[str, ...]) -> tuple[str, int | None]:
    if not isinstance(request, str):
        raise MetricError(
            f"a metric is {request!r} of type {type(request).__name__}", where="metrics", expected="the name of one"
        )
    name, cutoff = parse_request(request)
    if name in (DISTRACTOR_SHARE, HARD_RECALL) and name not in further:
        argument = "distractors" if name == DISTRACTOR_SHARE else "hard_positives"
        raise MetricError(f"{name!r} needs to know them", where="metrics", remedy=f"pass {argument}=…, or leave it out")
    if name not in EARNED and name not in further:
        known = (*EARNED, DISTRACTOR_SHARE, HARD_RECALL)
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
        raise MetricError(
            f"unknown metric {request[:80]!r}",
            where="metrics",
            expected=f"one of {', '.join(known)}, each with a cutoff of its own (ndcg@20) or without",
            remedy=f"did you mean {near[0]!r}?" if near else "check the spelling",
        )
    return name, None if cutoff is None else whole_number(cutoff, f"metrics, {request!r}", kind=MetricError)


def _cutoffs(k_values: Sequence[int]) -> tuple[int, ...]:
    try:
        given = list(k_values)
    except TypeError:
        given = None
    if not given or isinstance(k_values, (str, bytes)):
        raise MetricError(
            f"k_values is {k_values!r}", where="k_values", expected="whole numbers of at least 1, such as (1, 5, 10)"
        )
    return tuple(dict.fromkeys(whole_number(k, "k_values", kind=MetricError) for k in given))


def whole_number(value: Any, where: str, *, least: int = 1, kind: type[ConfigError] = ConfigError) -> int:
    """``value`` of any type of whole numbers as an ``int``.

    Args:
        value: What was given.
        where: The argument that it was given for.
        least: The smallest that makes sense.
        kind: The error that is raised.

    Raises:
        ConfigError: It is no whole number, or too small.
    """
    try:
        whole = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        whole = None
    if whole is None or whole < least:
        raise kind(f"it is {value!r}", where=where, expected=f"a whole number, at least {least}")
    return whole
