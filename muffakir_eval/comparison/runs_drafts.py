"""Two runs side by side: what is compared, by metric and by slice, and what the user should know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from muffakir_eval.comparison.runs_columns import ABSTENTION, LATENCY
from muffakir_eval.comparison.runs_comparable import NotCompared, comparable
from muffakir_eval.comparison.runs_figures import Figures, TwoRuns, figures, part_of
from muffakir_eval.comparison.runs_findings import MetricComparison, SliceComparison
from muffakir_eval.comparison.runs_pairing import Pairs, common_questions
from muffakir_eval.comparison.runs_reading import RunScores
from muffakir_eval.comparison.runs_result import RunFacts
from muffakir_eval.comparison.runs_settings import Settings
from muffakir_eval.comparison.runs_verdicts import adjusted, settled

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Draft", "draft_of", "notes_of", "slices_of"]

_SLICES_SHOWN = 50
"""Values of a column that are compared apart, the most frequent ones."""
_SLICE_RESAMPLES = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """Two runs, compared, and not yet adjusted for the other metrics and pairs.

    Attributes:
        two: The runs.
        figures: By metric.
        left_out: Metrics that mean something else in each.
        same_questions: Both have the same dataset.
    """

    two: TwoRuns
    figures: tuple[Figures, ...]
    left_out: tuple[NotCompared, ...]
    same_questions: bool


def draft_of(
    a: RunScores, b: RunScores, facts: tuple[RunFacts, RunFacts], settings: Settings, cluster: str | None
) -> Draft:
    """Pair the questions of two runs and compute every figure."""
    pairs = common_questions(a, b)
    names, left_out = comparable(a, b)
    if settings.metrics is not None:
        names = [name for name in names if name in settings.metrics]
        left_out = [one for one in left_out if one.metric in settings.metrics]
    two = TwoRuns(
        a=a,
        b=b,
        pairs=pairs,
        clusters=_clusters(a, b, pairs, cluster) if cluster is not None else None,
        any_unanswerable=any(ABSTENTION in run.columns.derived() for run in (a, b)),
    )
    return Draft(
        two=two,
        figures=tuple(figures(two, name, settings) for name in names),
        left_out=tuple(left_out),
        same_questions=_same_questions(pairs, facts),
    )


def _same_questions(pairs: Pairs, facts: tuple[RunFacts, RunFacts]) -> bool:
    """Whatever only one run has is explained by what the other did not finish."""
    missing = [one.n_planned - one.n_questions for one in facts]
    alone = pairs.only_in_a, pairs.only_in_b
    return not any(one.other_gold for one in alone) and alone[0].n <= missing[1] and alone[1].n <= missing[0]


def _groups(a: RunScores, b: RunScores, pairs: Pairs, column: str) -> list[str | None]:
    """What each common question has in a column: as A's dataset has it, else B's."""
    here, there = a.groups[column], b.groups[column]
    return [
        there[place_b] if here[place_a] is None else here[place_a]
        for place_a, place_b in zip(pairs.a.tolist(), pairs.b.tolist(), strict=True)
    ]


def _clusters(a: RunScores, b: RunScores, pairs: Pairs, column: str) -> list[Hashable]:
    """The cluster of each common question; one that has nothing in the column is a cluster of its own."""
    values = _groups(a, b, pairs, column)
    return [place if value is None else value for place, value in enumerate(values)]


def slices_of(draft: Draft, column: str, settings: Settings) -> tuple[SliceComparison, ...]:
    """Every metric for each value of a column, the most frequent values first, by the rules of the whole."""
    import numpy as np

    def having(value: str | None, values: Sequence[str | None]) -> npt.NDArray[np.bool_]:
        return np.fromiter((one == value for one in values), dtype=np.bool_, count=len(values))

    two = draft.two
    fewer = replace(settings, n_resamples=min(settings.n_resamples, _SLICE_RESAMPLES), n_moved=0, margin=None)
    common = _groups(two.a, two.b, two.pairs, column)
    alone_a = [two.a.groups[column][place] for place in two.pairs.alone_a.tolist()]
    alone_b = [two.b.groups[column][place] for place in two.pairs.alone_b.tolist()]
    ranked = sorted(Counter(common).items(), key=lambda pair: (-pair[1], pair[0] is None, pair[0] or ""))
    found = []
    for value, _ in ranked[:_SLICES_SHOWN]:
        part = part_of(two, having(value, common), having(value, alone_a), having(value, alone_b))
        names = [figure.metric for figure in draft.figures if figure.metric != LATENCY]
        found += [(value, figures(part, name, fewer)) for name in names]
    found = [(value, one) for value, one in found if one.paired is not None]
    after = adjusted([one for _, one in found])
    return tuple(
        _slice(column, value, settled(one, chance, fewer, same_questions=draft.same_questions))
        for (value, one), chance in zip(found, after, strict=True)
    )


def _slice(column: str, value: str | None, found: MetricComparison) -> SliceComparison:
    shared = {field.name for field in fields(SliceComparison)} - {"column", "value"}
    return SliceComparison(column=column, value=value, **{name: getattr(found, name) for name in shared})


def notes_of(draft: Draft, facts: Sequence[RunFacts], settings: Settings) -> Iterator[str]:
    """What the figures do not say by themselves, in words."""
    pairs = draft.two.pairs
    for one in facts:
        if one.partial:
            yield f"{one.label} stopped early: {one.n_questions} of {one.n_planned} questions are done"
    for label, only in ((facts[0].label, pairs.only_in_a), (facts[1].label, pairs.only_in_b)):
        if only.n:
            parts = [
                f"{only.other_gold} stand in the other run with other gold" if only.other_gold else "",
                f"{only.unfinished} were not finished in the other run" if only.unfinished else "",
            ]
            why = "; ".join(part for part in parts if part)
            yield f"{only.n} questions are only in {label}" + (f" ({why})" if why else "")
    if not draft.same_questions:
        held = "verdicts hold for the common questions only" if settings.common_only else "no verdict is given"
        yield f"the datasets differ, so {held}"
    if facts[0].run_id == facts[1].run_id:
        yield f"{facts[0].label} and {facts[1].label} are the same run"
