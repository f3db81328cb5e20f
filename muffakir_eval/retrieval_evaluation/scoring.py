"""From rankings to a report."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from muffakir_eval.metrics.earnings import Earnings, earning_ranks
from muffakir_eval.retrieval_evaluation.judgements import Judged, JudgedSet, Target
from muffakir_eval.retrieval_evaluation.measures import LOWER_IS_BETTER, Measure
from muffakir_eval.retrieval_evaluation.report import RetrievalEvalReport

__all__ = ["Scoring"]

_Compute = Callable[[Earnings, int, int], float]
_Plan = Sequence[tuple[int, Sequence[tuple[str, _Compute]]]]
"""Per cutoff, the keys and functions of its measures."""
_EXAMPLES = 3


class Scoring:
    """Scores one ranking after the other, and puts the report together.

    Args:
        judged: The judgements.
        measures: What is measured.
    """

    def __init__(self, judged: JudgedSet, measures: Sequence[Measure]) -> None:
        self.judged = judged
        self.measures = measures
        self._relevant, self._hard, self._distractors = (
            _by_cutoff([measure for measure in measures if measure.target == target])
            for target in ("relevant", "hard", "distractors")
        )
        self._deepest = max(measure.k for measure in measures)
        self._zeros = {measure.key: 0.0 for measure in measures if measure.target == "relevant"}
        self._values: dict[str, dict[str, float]] = {}
        self._failed: dict[str, str] = {}
        self._longest = 0
        self._found_any = False
        self._examples: list[str] = []

    def add(self, judged: Judged, ranked: Sequence[str]) -> None:
        """Score the ranking of one query: documents in rank order, of which repeats collapse to the best rank."""
        earned = _earned(ranked, judged.relevant)
        values = self._zeros.copy()
        _fill(values, self._relevant, earned)
        for plan, target in ((self._hard, judged.hard), (self._distractors, judged.distractors)):
            if plan and target is not None:
                values.update({key: 0.0 for _, computes in plan for key, _ in computes})
                _fill(values, plan, _earned(ranked, target))
        self._values[judged.query] = values
        if self._longest < self._deepest:
            self._longest = max(self._longest, len(set(ranked)))
        if earned.ranks:
            self._found_any = True
        elif not self._found_any and len(self._examples) < _EXAMPLES:
            self._examples += ranked[:1]

    def fail(self, judged: Judged, message: str) -> None:
        """Note that a query has no ranking, for it failed."""
        self._failed[judged.query] = message

    def report(self, warnings: Iterable[str] = ()) -> RetrievalEvalReport:
        """The report over what was added so far, in the order of the judgements."""
        queries = [judged.query for judged in self.judged.scorable]
        per_query = {query: self._values[query] for query in queries if query in self._values}
        columns = {measure.key: self._column(measure, per_query) for measure in self.measures}
        return RetrievalEvalReport(
            metrics={key: math.fsum(column) / len(column) for key, column in columns.items() if column},
            per_query=per_query,
            n_queries=len(per_query),
            k_values=tuple(dict.fromkeys(measure.k for measure in self.measures)),
            n_judged=len(self.judged.scorable) + len(self.judged.skipped),
            coverage={key: len(column) for key, column in columns.items()},
            skipped=dict(self.judged.skipped),
            failed={query: self._failed[query] for query in queries if query in self._failed},
            failures_as_zero=self._failures_as_zero(columns),
            warnings=(*warnings, *self._findings()),
        )

    def _column(self, measure: Measure, per_query: Mapping[str, Mapping[str, float]]) -> list[float]:
        if measure.target == "relevant":
            return [values[measure.key] for values in per_query.values()]
        return [values[measure.key] for values in per_query.values() if measure.key in values]

    def _failures_as_zero(self, columns: Mapping[str, Sequence[float]]) -> dict[str, float]:
        """The means with 0 for what failed; a share of distractors of 0 would be praise."""
        if not self._failed:
            return {}
        failed = [judged for judged in self.judged.scorable if judged.query in self._failed]
        means = {}
        for measure in self.measures:
            if measure.name not in LOWER_IS_BETTER:
                count = sum(_applies(measure, judged) for judged in failed) + len(columns[measure.key])
                if count:
                    means[measure.key] = math.fsum(columns[measure.key]) / count
        return means

    def _findings(self) -> list[str]:
        """What the figures do not tell about how they came about."""
        return [
            *self._about_skipped(),
            *self._about_depth(),
            *self._about_identifiers(),
            *self._about_missing(),
        ]

    def _about_skipped(self) -> Iterable[str]:
        wordings = {"no_gold": "no document judged relevant", "no_query_text": "no text in queries"}
        for reason, count in Counter(self.judged.skipped.values()).items():
            names = [query for query, why in self.judged.skipped.items() if why == reason]
            yield f"skipped {count} judged queries with {wordings[reason]}: {_shown(names)}"

    def _about_depth(self) -> Iterable[str]:
        deepest = self._deepest
        if 0 < self._longest < deepest:
            most = f"{self._longest} documents" if self._longest > 1 else "one document"
            yield (
                f"no query got more than {most}: what is reported at k={deepest} rests on no more, and precision still "
                f"divides by {deepest}"
            )

    def _about_identifiers(self) -> Iterable[str]:
        if self._values and not self._longest:
            yield "no query got any document: check that the retriever has an index, and that it is filled"
        if self._longest and not self._found_any:
            grades = self.judged.scorable[0].relevant.grades
            judged = [document for document, grade in grades.items() if grade > 0]
            yield (
                "no query got a document that is judged relevant: check that retriever and judgements use the same "
                f"identifiers (doc_id=… finds others); retrieved: {_shown(self._examples)}; judged: {_shown(judged)}"
            )

    def _about_missing(self) -> Iterable[str]:
        for name, target in dict.fromkeys((measure.name, measure.target) for measure in self.measures):
            if not any(getattr(judged, target) for judged in self.judged.scorable):
                what = "hard positives" if target == "hard" else target
                yield f"{name} has no value: no query that can be scored has any {what}"


def _by_cutoff(measures: Sequence[Measure]) -> _Plan:
    cutoffs = dict.fromkeys(measure.k for measure in measures)
    return [(k, [(measure.key, measure.compute) for measure in measures if measure.k == k]) for k in cutoffs]


def _earned(ranked: Sequence[str], target: Target) -> Earnings:
    """What ``ranked`` earns once its repeats have collapsed; those below the last rank that earns move nothing."""
    grades, ideal = target
    ranks = earning_ranks(ranked, grades)
    if not ranks:
        return Earnings((), (), ideal)
    last = ranks[-1]
    if len(set(ranked[:last])) < last:
        ranked = list(dict.fromkeys(ranked))
        ranks = earning_ranks(ranked, grades)
    return Earnings(ranks, [grades[ranked[rank - 1]] for rank in ranks], ideal)


def _fill(values: dict[str, float], plan: _Plan, earned: Earnings) -> None:
    """Put the values in their places; where nothing was found there is 0 already."""
    for k, computes in plan:
        found = earned.down_to(k)
        if found:
            for key, compute in computes:
                values[key] = compute(earned, found, k)


def _applies(measure: Measure, judged: Judged) -> bool:
    target: Target | None = getattr(judged, measure.target)
    return target is not None


def _shown(names: Sequence[Any]) -> str:
    shown = ", ".join(repr(name) for name in itertools.islice(names, _EXAMPLES))
    return f"{shown}, …" if len(names) > _EXAMPLES else shown
