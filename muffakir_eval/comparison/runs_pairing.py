"""Which questions two runs have in common, and what became of the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from muffakir_eval.comparison.runs_reading import Question, RunScores

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["OnlyIn", "Pairs", "common_questions"]

_LIKENESSES: tuple[Callable[[Question], tuple[str, ...]], ...] = (
    lambda question: (question.metadata, question.sample_id),
    lambda question: (question.metadata,),
    lambda question: (question.sample_id,),
    lambda _: (),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlyIn:
    """Questions of one run that have no partner in the other.

    Attributes:
        n: How many.
        unfinished: Of these, the other run asked them and did not finish them.
        other_gold: Of these, the other run asked the same words with other gold, or as another kind of question.
    """

    n: int
    unfinished: int
    other_gold: int


class Pairs(NamedTuple):
    """The questions of two runs, A and B.

    Attributes:
        a: Places in A of the common questions, in an order that depends on their content only.
        b: Their places in B.
        alone_a: Places in A of the others.
        alone_b: Places in B of the others.
        only_in_a: What became of A's others.
        only_in_b: What became of B's.
    """

    a: npt.NDArray[np.int64]
    b: npt.NDArray[np.int64]
    alone_a: npt.NDArray[np.int64]
    alone_b: npt.NDArray[np.int64]
    only_in_a: OnlyIn
    only_in_b: OnlyIn


def common_questions(a: RunScores, b: RunScores) -> Pairs:
    """Pair the questions of two runs by content: the question and its gold, wherever it stands in the dataset.

    What the pipeline said and columns that no built-in metric looks at do not matter. Questions of the
    same content are told apart by those columns and by their names in the dataset, and where these are
    the same too, by which comes first.
    """
    import numpy as np

    there = _by_content(b)
    pairs: list[tuple[int, int]] = []
    for content, places in sorted(_by_content(a).items()):
        others = there.get(content, [])
        if len(places) == len(others) == 1:
            pairs.append((places[0], others[0]))
        elif others:
            pairs += _told_apart(a, places, b, others)
    paired = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    alone_a = np.setdiff1d(np.arange(len(a), dtype=np.int64), paired[:, 0])
    alone_b = np.setdiff1d(np.arange(len(b), dtype=np.int64), paired[:, 1])
    words_a, words_b = _words(a, alone_a), _words(b, alone_b)
    return Pairs(
        a=paired[:, 0],
        b=paired[:, 1],
        alone_a=alone_a,
        alone_b=alone_b,
        only_in_a=_only(a, alone_a, words_a, b, set(words_b)),
        only_in_b=_only(b, alone_b, words_b, a, set(words_a)),
    )


def _by_content(scores: RunScores) -> dict[bytes, list[int]]:
    """Content to its places, in the order of the dataset."""
    found: dict[bytes, list[int]] = defaultdict(list)
    for place in sorted(range(len(scores)), key=scores.positions.__getitem__):
        found[scores.content[place]].append(place)
    return found


def _told_apart(a: RunScores, places: Sequence[int], b: RunScores, others: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs among questions of the same content, the most alike first."""
    here = {place: a.question(place) for place in places}
    there = {place: b.question(place) for place in others}
    pairs: list[tuple[int, int]] = []
    for likeness in _LIKENESSES:
        waiting: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for place, question in there.items():
            waiting[likeness(question)].append(place)
        for place, question in list(here.items()):
            partners = waiting.get(likeness(question))
            if partners:
                pairs.append((place, partners[0]))
                del here[place], there[partners.pop(0)]
    # Where they stand in the dataset must not decide what is drawn.
    return sorted(pairs, key=lambda pair: (a.sample_ids[pair[0]], a.positions[pair[0]]))


def _words(scores: RunScores, places: npt.NDArray[np.int64]) -> list[str]:
    return [" ".join(scores.question(int(place)).question.split()) for place in places]


def _only(
    scores: RunScores, places: npt.NDArray[np.int64], words: Sequence[str], other: RunScores, other_words: set[str]
) -> OnlyIn:
    unfinished = [scores.content[int(place)] in other.unfinished for place in places]
    other_gold = sum(text in other_words and not waits for text, waits in zip(words, unfinished, strict=True))
    return OnlyIn(n=len(places), unfinished=sum(unfinished), other_gold=other_gold)
