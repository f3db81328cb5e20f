"""What the thresholds are chosen for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from muffakir_eval.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]

__all__ = ["Target"]

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The highest F, or the highest recall at a precision that is asked for.

    F is the weighted harmonic mean of precision and recall (van Rijsbergen, "Information Retrieval", 1979)::

        F = (1 + beta^2) tp / ((1 + beta^2) tp + beta^2 fn + fp)

    Attributes:
        beta: How many times as much recall counts as precision; 1 for the plain F1.
        min_precision: The precision that is asked for, in (0, 1]; ``None`` where F counts.
    """

    beta: float = 1.0
    min_precision: float | None = None

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing."""
        if not 0.0 < self.beta <= 100.0:
            raise ConfigError(f"beta is {self.beta!r}", expected="a number above 0, and at most 100")
        if self.min_precision is not None and not 0.0 < self.min_precision <= 1.0:
            raise ConfigError(
                f"min_precision is {self.min_precision!r}", expected="a share above 0, and at most 1, such as 0.95"
            )

    @property
    def f_name(self) -> str:
        """What F is called.

        >>> Target().f_name, Target(beta=0.5).f_name
        ('F1', 'F0.5')
        """
        return f"F{self.beta:g}"

    def f(self, tp: Numbers, fp: Numbers, fn: Numbers) -> Numbers:
        """F of counts of right hits, wrong hits and misses; there is at least one hit or miss.

        >>> import numpy as np
        >>> Target().f(np.array([8.0]), np.array([2.0]), np.array([2.0]))
        array([0.8])
        """
        weight = self.beta * self.beta
        return (1 + weight) * tp / ((1 + weight) * tp + weight * fn + fp)

    def score(self, tp: Numbers, fp: Numbers, fn: Numbers) -> Numbers:
        """What is made as high as possible; a precision that is too low counts less than any that is not.

        Recall is weighed so that of equal recall the higher precision wins.
        """
        import numpy as np

        if self.min_precision is None:
            return self.f(tp, fp, fn)
        precision = np.divide(tp, tp + fp, out=np.zeros_like(tp), where=tp + fp > 0)
        # One hit more outweighs any difference of precision, which is at most 1.
        return np.where(self._enough(precision) & (tp > 0), 1.0 + 2.0 * tp + precision, precision)

    def reaches(self, precision: float | None) -> bool:
        """A precision is as high as is asked for; one that is not defined is not.

        >>> Target(min_precision=0.95).reaches(0.95), Target(min_precision=0.95).reaches(None), Target().reaches(0.1)
        (True, False, True)
        """
        return self.min_precision is None or (precision is not None and bool(self._enough(precision)))

    def _enough(self, precision: Any) -> Any:
        return precision >= (self.min_precision or 0.0) - _ROUNDING
