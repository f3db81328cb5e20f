"""Which metrics of two runs mean the same, and what else sets the runs apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from muffakir_eval.comparison.runs_columns import ABSTENTION, LATENCY, REFUSALS, REFUSALS_ANSWERABLE
from muffakir_eval.comparison.runs_reading import RunScores
from muffakir_eval.metrics.names import JUDGED_METRICS
from muffakir_eval.metrics.resolve import parse_request
from muffakir_eval.metrics.trials import TRIAL_METRICS
from muffakir_eval.storage.identity import differences

__all__ = ["Direction", "NotCompared", "Scale", "comparable", "direction_of", "scale_of", "settings_that_differ"]

Direction = Literal["higher", "lower", "neutral"]
"""Which values are better; ``neutral`` where that depends on the question."""

_LOWER = frozenset({"distractor_share", REFUSALS_ANSWERABLE, LATENCY})
_NOTED = ("version", "language", "k", "matching", "judge")


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCompared:
    """A metric that is no pair.

    Attributes:
        metric: Its name.
        reason: ``only_in_a``, ``only_in_b``, ``other_definition``, ``other_matching`` or ``other_judge``.
        detail: What differs, in words.
    """

    metric: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Lowest and highest value of a metric."""

    low: float
    high: float


def comparable(a: RunScores, b: RunScores) -> tuple[list[str], list[NotCompared]]:
    """The metrics that two runs measured in the same way, and why the others are left out."""
    names, left_out = [], []
    defined_a, defined_b = (_identity(run).get("metrics") or {} for run in (a, b))
    for name in dict.fromkeys([*a.columns.names, *b.columns.names]):
        if name not in defined_b or name not in defined_a:
            missing, reason = ("B", "only_in_a") if name in defined_a else ("A", "only_in_b")
            left_out.append(NotCompared(metric=name, reason=reason, detail=f"{missing} did not measure it"))
            continue
        reasons = list(_otherwise(name, a, b))
        if reasons:
            left_out.append(
                NotCompared(metric=name, reason=reasons[0][0], detail="; ".join(text for _, text in reasons))
            )
        else:
            names.append(name)
    derived_b = b.columns.derived()
    return [*names, *(name for name in a.columns.derived() if name in derived_b)], left_out


def _otherwise(name: str, a: RunScores, b: RunScores) -> Iterator[tuple[str, str]]:
    """How the measurement of a metric differs: a reason, and it in words."""
    here, there = _identity(a), _identity(b)
    definitions = here["metrics"][name], there["metrics"][name]
    if definitions[0] != definitions[1]:
        yield "other_definition", f"A: {definitions[0]} | B: {definitions[1]}"
    judged = _is_judged(name, a, b)
    if not judged and _is_matched(name):
        changed = list(differences({"matching": here.get("matching")}, {"matching": there.get("matching")}))
        if changed:
            yield "other_matching", ", ".join(changed)
    if judged:
        changed = list(differences({"judge": _judge(here)}, {"judge": _judge(there)}))
        if changed:
            yield "other_judge", ", ".join(changed)


def _is_judged(name: str, a: RunScores, b: RunScores) -> bool:
    return name in JUDGED_METRICS or name in a.columns.judged or name in b.columns.judged


def _is_matched(name: str) -> bool:
    """Whether a metric looks at what was matched; of a user's own function that is not known, and so it may."""
    from muffakir_eval.metrics.lexical.scoring import LEXICAL_METRICS

    short = parse_request(name)[0]
    return short in TRIAL_METRICS or short not in LEXICAL_METRICS


def _judge(identity: Mapping[str, Any]) -> dict[str, Any] | None:
    """Who judged; how often changes how sure a score is, and not what it means."""
    judge = identity.get("judge")
    return {name: value for name, value in judge.items() if name != "repeats"} if isinstance(judge, dict) else None


def _identity(run: RunScores) -> Mapping[str, Any]:
    identity: Mapping[str, Any] = run.header.get("identity") or {}
    return identity


def settings_that_differ(a: RunScores, b: RunScores) -> list[str]:
    """Every setting that differs and may matter, as ``name: A -> B``; the pipelines themselves are not among them."""
    here, there = ({name: _identity(run).get(name) for name in _NOTED} for run in (a, b))
    return list(differences(here, there))


def direction_of(name: str, lower_is_better: Sequence[str], *, any_unanswerable: bool) -> Direction:
    """Which values of a metric are better.

    >>> [direction_of(name, (), any_unanswerable=True) for name in ("mrr", "distractor_share", "answer_refusal_rate")]
    ['higher', 'lower', 'neutral']
    """
    if name == REFUSALS:
        return "neutral" if any_unanswerable else "lower"
    short = name if name in (LATENCY, REFUSALS_ANSWERABLE) else parse_request(name)[0]
    return "lower" if short in _LOWER or name in lower_is_better else "higher"


def scale_of(name: str, lowest: float, highest: float) -> Scale | None:
    """The range of a metric; of a user's own it is 0 to 1 where all its values are, else not known.

    >>> scale_of("llm_judge_rating", 2.0, 5.0), scale_of("my_cost", 0.0, 12.0)
    (Scale(low=1.0, high=5.0), None)
    """
    if name == "llm_judge_rating":
        return Scale(low=1.0, high=5.0)
    if name == LATENCY:
        return None
    known = name in (REFUSALS, REFUSALS_ANSWERABLE, ABSTENTION)
    return Scale(low=0.0, high=1.0) if known or (lowest >= 0.0 and highest <= 1.0) else None
