"""A part of the samples: the first ones, or some drawn by a seed."""

from __future__ import annotations

import random
from collections.abc import Sequence

from muffakir_eval.records import Sample

__all__ = ["some_of"]


def some_of(samples: Sequence[Sample], most: int | None, seed: int | None) -> list[Sample]:
    """No more than ``most`` samples, in their order.

    Args:
        samples: All of them.
        most: ``None`` takes all.
        seed: Draws them at random; without it, the first ones are taken.

    >>> every = [Sample(question=text, sample_id=text) for text in "abcde"]
    >>> [sample.question for sample in some_of(every, 2, None)]
    ['a', 'b']
    >>> [sample.question for sample in some_of(every, 2, 0)]
    ['d', 'e']
    """
    if most is None or most >= len(samples):
        return list(samples)
    if seed is None:
        return list(samples[:most])
    places = random.Random(seed).sample(range(len(samples)), most)  # noqa: S311 - not for secrets
    return [samples[place] for place in sorted(places)]
