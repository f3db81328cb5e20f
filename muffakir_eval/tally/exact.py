"""Sums without rounding, so that they do not depend on how a run was cut into parts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from muffakir_eval.statistics.moments import Moments

__all__ = ["PowerSums", "grow"]

_UNIT = 1074
"""Every finite float is a whole number of 2^-1074."""


class PowerSums:
    """How many values, and the exact sums of their first three powers, as whole numbers of tiny units.

    >>> sums = PowerSums([1.0, 2.0, 6.0])
    >>> sums.mean(), sums.moments()
    (3.0, Moments(n=3, mean=3.0, second=14.0, third=18.0))
    """

    __slots__ = ("_first", "_second", "_third", "n")

    def __init__(self, values: Iterable[float] = ()) -> None:
        self.n = self._first = self._second = self._third = 0
        for value in values:
            self.add(value)

    def add(self, value: float, times: int = 1) -> None:
        """Count a finite value so many times."""
        top, bottom = value.as_integer_ratio()
        shift = _UNIT - (bottom.bit_length() - 1)
        self.n += times
        self._first += times * top << shift
        self._second += times * top * top << 2 * shift
        self._third += times * top * top * top << 3 * shift

    def merge(self, other: PowerSums) -> None:
        """Count everything that ``other`` has counted."""
        self.n += other.n
        self._first += other._first
        self._second += other._second
        self._third += other._third

    def mean(self, count: int | None = None) -> float | None:
        """The sum over ``count``, by default over the number of values; ``None`` over nothing."""
        count = self.n if count is None else count
        if not count:
            return None
        try:
            return self._first / (1 << _UNIT) / count
        except OverflowError:  # the sum is out of range, the mean is not
            return self._first / (count << _UNIT)

    def moments(self) -> Moments:
        """The central moments, each rounded once.

        Raises:
            OverflowError: The values are so large that their cubes are no numbers.
        """
        from muffakir_eval.statistics.moments import Moments

        n, first, second, third = self.n, self._first, self._second, self._third
        if not n:
            return Moments()
        return Moments(
            n,
            first / (n << _UNIT),
            (n * second - first**2) / (n << 2 * _UNIT),
            (n * n * third - 3 * n * first * second + 2 * first**3) / (n * n << 3 * _UNIT),
        )


def grow(parts: tuple[float, ...], value: float) -> tuple[float, ...]:
    """A sum that is kept as several floats, with ``value`` added; ``math.fsum`` of them rounds it once.

    Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates" (1997).

    >>> import math
    >>> grow(grow((), 1e16), 1.0), math.fsum(grow(grow(grow((), 1e16), 1.0), -1e16))
    ((1.0, 1e+16), 1.0)
    """
    kept = []
    for part in parts:
        large, small = (value, part) if abs(value) >= abs(part) else (part, value)
        value = large + small
        rest = small - (value - large)
        if rest:
            kept.append(rest)
    return (*kept, value)
