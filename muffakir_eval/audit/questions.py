"""How every question fares: what its golds come to, and which of them decides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from muffakir_eval.audit.asking import Retrieval, Retrieved
from muffakir_eval.audit.records import GoldReach, Outcome
from muffakir_eval.matching.golds import distinct_golds
from muffakir_eval.records import Sample

__all__ = ["ABSENT", "SEVEREST_FIRST", "GoldFate", "QuestionFate", "classify"]

SEVEREST_FIRST: tuple[Outcome, ...] = (
    "unknown_id",
    "not_in_index",
    "split",
    "pipeline_error",
    "not_compared",
    "not_retrieved",
    "below_k",
    "in_index",
    "found",
    "no_gold",
)
"""Of the outcomes of its golds, the first in this order is that of the question: what no retriever can mend comes
before what this one failed to do."""

ABSENT: frozenset[Outcome] = frozenset({"unknown_id", "not_in_index", "split"})
"""What no retriever can bring in one chunk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldFate:
    """What one gold of a question comes to.

    Attributes:
        gold: Its index in the question.
        outcome: As :data:`~muffakir_eval.audit.records.Outcome`.
        rank: The first rank that holds it, ``None`` where none does.
        reach: Where it is in the index; ``None`` where that was not looked for.
    """

    gold: int
    outcome: Outcome
    rank: int | None = None
    reach: GoldReach | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionFate:
    """What a question comes to.

    Attributes:
        position: Its place in the dataset, from 0.
        sample: The question.
        outcome: ``found`` where every gold stands within k, else the severest of its golds.
        golds: One per distinct gold.
        retrieved: What came back; ``None`` where nothing was asked.
    """

    position: int
    sample: Sample
    outcome: Outcome
    golds: tuple[GoldFate, ...] = ()
    retrieved: Retrieved | None = None

    @property
    def first_rank(self) -> int | None:
        """The first rank that holds any gold."""
        return min((gold.rank for gold in self.golds if gold.rank is not None), default=None)

    @property
    def deciding(self) -> GoldFate | None:
        """The gold whose outcome is that of the question."""
        return next((gold for gold in self.golds if gold.outcome == self.outcome), None)

    def count(self, *outcomes: Outcome) -> int:
        """How many of its golds come to one of these."""
        return sum(gold.outcome in outcomes for gold in self.golds)


def classify(
    samples: Sequence[Sample], reaches: Iterable[GoldReach], retrieval: Retrieval | None, *, k: int
) -> list[QuestionFate]:
    """What every question comes to, in the order of the dataset.

    Args:
        samples: The questions.
        reaches: Where their golds are in the index.
        retrieval: What the retriever brought; ``None`` where none was asked.
        k: Main cutoff.

    >>> sample = Sample(sample_id="1", question="؟", chunk_ids=("7", "8"))
    >>> there, gone = (GoldReach(sample=0, gold=0, presence="whole"),
    ...                GoldReach(sample=0, gold=1, presence="nowhere", unknown_ids=("8",)))
    >>> [fate] = classify([sample], [there, gone], None, k=5)
    >>> fate.outcome, [gold.outcome for gold in fate.golds]
    ('unknown_id', ['in_index', 'unknown_id'])
    """
    known = {(reach.sample, reach.gold): reach for reach in reaches}
    return [_fate(position, sample, known, retrieval, k) for position, sample in enumerate(samples)]


def _fate(
    position: int,
    sample: Sample,
    reaches: Mapping[tuple[int, int], GoldReach],
    retrieval: Retrieval | None,
    k: int,
) -> QuestionFate:
    found = None if retrieval is None else retrieval.questions.get(position)
    golds = tuple(_gold(gold.index, reaches.get((position, gold.index)), found, k) for gold in distinct_golds(sample))
    outcomes = {gold.outcome for gold in golds}
    outcome: Outcome = next((outcome for outcome in SEVEREST_FIRST if outcome in outcomes), "no_gold")
    return QuestionFate(position=position, sample=sample, outcome=outcome, golds=golds, retrieved=found)


def _gold(index: int, reach: GoldReach | None, found: Retrieved | None, k: int) -> GoldFate:
    rank = None if found is None else found.ranks.get(index)
    if rank is not None:
        outcome: Outcome = "found" if rank <= k else "below_k"
    else:
        outcome = _in_index(reach) or _missed(found)
    return GoldFate(gold=index, outcome=outcome, rank=rank, reach=reach)


def _in_index(reach: GoldReach | None) -> Outcome | None:
    """What is wrong before any retriever is asked; ``None`` where one chunk holds the gold."""
    if reach is None or reach.presence == "not_compared":
        return "not_compared"
    if reach.presence == "whole":
        return None
    if reach.presence == "split":
        return "split"
    by_id_alone = reach.unknown_ids and reach.covered is None
    return "unknown_id" if by_id_alone else "not_in_index"


def _missed(found: Retrieved | None) -> Outcome:
    """A gold that one chunk holds, and no rank."""
    if found is None:
        return "in_index"
    if found.state == "failed":
        return "pipeline_error"
    return "not_retrieved" if found.state == "compared" else "not_compared"
