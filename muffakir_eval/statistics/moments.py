"""Count, mean, variance and skewness, kept so that the parts of a run can be added up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Moments"]


@dataclass(frozen=True, slots=True)
class Moments:
    """The first three central moments of a set of values.

    Attributes:
        n: How many values.
        mean: Their mean, 0 of none.
        second: Sum of the squared differences from the mean.
        third: Sum of the cubed differences from the mean.
    """

    n: int = 0
    mean: float = 0.0
    second: float = 0.0
    third: float = 0.0

    @classmethod
    def of(cls, values: Sequence[float] | npt.NDArray[np.float64]) -> Moments:
        """The moments of ``values``, which may be none.

        >>> Moments.of([1.0, 2.0, 6.0])
        Moments(n=3, mean=3.0, second=14.0, third=18.0)
        """
        sample = np.asarray(values, dtype=np.float64)
        if not len(sample):
            return cls()
        mean = float(sample.mean())
        away = sample - mean
        return cls(len(sample), mean, float((away**2).sum()), float((away**3).sum()))

    def __add__(self, other: Moments) -> Moments:
        """The moments of both sets together.

        Pébay, "Formulas for Robust, One-Pass Parallel Computation of Covariances and Arbitrary-Order
        Statistical Moments" (2008).

        >>> Moments.of([1.0, 2.0]) + Moments.of([6.0])
        Moments(n=3, mean=3.0, second=14.0, third=18.0)
        """
        n = self.n + other.n
        if not n:
            return self
        apart = other.mean - self.mean
        here, there = self.n / n, other.n / n
        second = self.second + other.second + apart**2 * here * other.n
        third = (
            self.third
            + other.third
            + apart**3 * here * other.n * (here - there)
            + 3 * apart * (here * other.second - there * self.second)
        )
        return Moments(n, self.mean + apart * there, second, third)

    @property
    def variance(self) -> float:
        """Unbiased variance; 0 of fewer than two values."""
        return self.second / (self.n - 1) if self.n > 1 else 0.0

    @property
    def skewness(self) -> float:
        """Third standardised moment; 0 where the values do not differ."""
        if self.n < 1 or self.second <= 0:
            return 0.0
        return math.sqrt(self.n) * self.third / math.pow(self.second, 1.5)
