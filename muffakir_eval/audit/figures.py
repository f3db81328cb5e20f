"""The figures of an audit: outcomes with their shares, ranks, what a larger k would buy, and where recall is lost."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from muffakir_eval.audit.questions import SEVEREST_FIRST, QuestionFate
from muffakir_eval.audit.records import Outcome
from muffakir_eval.tally.groups import GroupBy, Groups, group_value
from muffakir_eval.tally.intervals import share_interval

__all__ = ["gain_along_k", "lost_recall", "outcome_block", "rank_block", "scored", "slice_block"]

ORDER: tuple[Outcome, ...] = (
    "found",
    "below_k",
    "not_retrieved",
    "in_index",
    "split",
    "not_in_index",
    "unknown_id",
    "pipeline_error",
    "not_compared",
    "no_gold",
)
"""As they are listed."""

_RANK_ENDS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
_SLICES_SHOWN = 100


def outcome_block(fates: Sequence[QuestionFate], by: GroupBy) -> dict[str, Any]:
    """Questions and golds by outcome, each with its share of those that have a gold and the interval of it.

    Questions without gold are listed, and are part of no share.
    """
    questions = Counter(fate.outcome for fate in fates)
    golds = Counter(gold.outcome for fate in fates for gold in fate.golds)
    return {"questions": _shares(questions, by), "golds": _shares(golds, by)}


def _shares(counts: Counter[Outcome], by: GroupBy) -> dict[str, Any]:
    n = sum(counts.values()) - counts["no_gold"]
    rows = []
    for outcome in ORDER:
        count = counts[outcome]
        if not count:
            continue
        counted = outcome != "no_gold"
        rows.append(
            {
                "outcome": outcome,
                "n": count,
                "share": count / n if counted else None,
                "interval": share_interval(count, n, by) if counted else None,
            }
        )
    return {"n": n, "n_without_gold": counts["no_gold"], "rows": rows}


def scored(fates: Iterable[QuestionFate]) -> list[QuestionFate]:
    """The questions on which the retriever can be measured: those that its metrics cover, too."""
    return [fate for fate in fates if fate.golds and fate.retrieved is not None and fate.retrieved.state == "compared"]


def rank_block(fates: Sequence[QuestionFate], *, top_n: int) -> dict[str, Any]:
    """How many questions have their first gold, and how many golds stand, at which ranks.

    ``to`` is the last rank of a row; the last row, without ranks, counts what is not among the first ``top_n``.
    """
    measured = scored(fates)
    first = [fate.first_rank for fate in measured]
    every = [gold.rank for fate in measured for gold in fate.golds]
    return {"first": _by_rank(first, top_n), "golds": _by_rank(every, top_n)}


def _by_rank(ranks: Sequence[int | None], top_n: int) -> dict[str, Any]:
    ends = [end for end in _RANK_ENDS if end < top_n]
    ends.append(top_n)
    counts = Counter(next(end for end in ends if rank <= end) for rank in ranks if rank is not None)
    starts = [1, *(end + 1 for end in ends[:-1])]
    n = len(ranks)
    rows: list[dict[str, Any]] = [
        {"from": start, "to": end, "n": counts[end], "share": counts[end] / n if n else None}
        for start, end in zip(starts, ends, strict=True)
    ]
    missed = sum(rank is None for rank in ranks)
    rows.append({"from": None, "to": None, "n": missed, "share": missed / n if n else None})
    return {"n": n, "rows": rows}


def gain_along_k(fates: Sequence[QuestionFate], cutoffs: Sequence[int], *, top_n: int) -> dict[str, Any] | None:
    """What raising k buys: recall at every rank, and per cutoff what each further chunk added.

    The curve ends where nothing new comes, but not before the last of the cutoffs.
    ``last_rank`` is the last rank that brings any question a new gold: a larger k buys nothing.
    ``None`` where nothing was measured.
    """
    measured = scored(fates)
    if not measured:
        return None
    found = [sorted(gold.rank for gold in fate.golds if gold.rank is not None) for fate in measured]
    counts = [len(fate.golds) for fate in measured]

    def recall(k: int) -> float:
        shares = (bisect_right(ranks, k) / count for ranks, count in zip(found, counts, strict=True))
        return math.fsum(shares) / len(measured)

    last_rank = max((ranks[-1] for ranks in found if ranks), default=None)
    curve = [recall(k) for k in range(1, min(top_n, max(last_rank or 0, *cutoffs)) + 1)]
    rows = []
    before, last = 0, 0.0
    for k in cutoffs:
        value = curve[min(k, len(curve)) - 1]
        rows.append({"k": k, "recall": value, "gain": value - last, "gain_per_chunk": (value - last) / (k - before)})
        before, last = k, value
    return {
        "n": len(measured),
        "rows": rows,
        "last_rank": last_rank,
        "curve": curve,
    }


def lost_recall(fates: Sequence[QuestionFate], *, asked: bool) -> dict[str, Any] | None:
    """How the recall of 1 that there is to reach splits: what was found within k, and what each fault takes.

    Every question counts 1, and each of its golds the same part of it, so that ``found`` is recall at k and all
    parts add up to 1. Over the questions that the retriever can be measured on; where none was asked, over all
    whose gold was looked for in the index.

    Args:
        fates: The questions.
        asked: There is a retriever, or recorded rankings.
    """
    measured = scored(fates) if asked else [fate for fate in fates if fate.golds and not fate.count("not_compared")]
    if not measured:
        return None
    parts = {
        outcome: math.fsum(fate.count(outcome) / len(fate.golds) for fate in measured) / len(measured)
        for outcome in ORDER
        if any(fate.count(outcome) for fate in measured)
    }
    return {"n": len(measured), "parts": parts}


def slice_block(fates: Sequence[QuestionFate], columns: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Per column of the dataset its values with the questions by outcome, those with the most trouble first.

    A value ``None`` stands for the questions that have nothing in the column.
    """
    block: dict[str, list[dict[str, Any]]] = {}
    with_gold = [fate for fate in fates if fate.golds]
    for column in columns:
        groups = Groups()
        for fate in with_gold:
            groups.add(group_value(fate.sample, column))
        rows = [_slice_row(value, [with_gold[place] for place in places]) for value, places in groups.members()]
        rows.sort(key=lambda row: (-row["n_in_trouble"], -row["n"]))
        block[column] = rows[:_SLICES_SHOWN]
        if len(rows) > _SLICES_SHOWN:
            block[column].append({"n_other_values": len(rows) - _SLICES_SHOWN})
    return block


def _slice_row(value: str | None, fates: Sequence[QuestionFate]) -> dict[str, Any]:
    counts = Counter(fate.outcome for fate in fates)
    fine = counts["found"] + counts["in_index"]
    return {
        "value": value,
        "n": len(fates),
        "n_in_trouble": len(fates) - fine,
        "outcomes": {outcome: counts[outcome] for outcome in SEVEREST_FIRST if counts[outcome]},
    }
