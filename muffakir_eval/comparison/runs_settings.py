"""What a comparison of runs may be asked to do, checked before a run is read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from muffakir_eval.comparison.runs_comparable import Scale
from muffakir_eval.errors import ConfigError

__all__ = ["Settings", "in_unit_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How runs are compared; see :func:`~muffakir_eval.comparison.runs.compare_runs`."""

    metrics: tuple[str, ...] | None
    detect: float | Mapping[str, float]
    margin: float | Mapping[str, float] | None
    lower_is_better: tuple[str, ...]
    min_coverage: float
    confidence: float
    common_only: bool
    n_moved: int
    n_resamples: int
    seed: int

    def __post_init__(self) -> None:
        for name, share in (("confidence", self.confidence), ("min_coverage", self.min_coverage)):
            inside = _is_number(share) and (0.0 < share < 1.0 if name == "confidence" else 0.0 <= share <= 1.0)
            if not inside:
                raise ConfigError(f"{name} is {share!r}", expected="a share between 0 and 1, such as 0.95")
        for name, sizes in (("detect", self.detect), ("margin", self.margin)):
            given = sizes.values() if isinstance(sizes, Mapping) else () if sizes is None else (sizes,)
            for size in given:
                if not (_is_number(size) and size > 0 and math.isfinite(size)):
                    raise ConfigError(f"{name} is {size!r}", expected="a difference above 0, such as 0.02")
        for name, count, least in (
            ("n_resamples", self.n_resamples, 1),
            ("n_moved", self.n_moved, 0),
            ("seed", self.seed, 0),
        ):
            if not (_is_number(count) and count == int(count) >= least):
                raise ConfigError(f"{name} is {count!r}", expected=f"a whole number, at least {least}")

    @property
    def alpha(self) -> float:
        """How often chance alone may be taken for a difference."""
        return 1.0 - self.confidence


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def in_unit_of(metric: str, size: float | Mapping[str, float] | None, scale: Scale | None) -> float | None:
    """A size of a difference in the unit of a metric: one number is a share of its range, a mapping names metrics.

    >>> in_unit_of("llm_judge_rating", 0.02, Scale(low=1.0, high=5.0)), in_unit_of("my_cost", {"my_cost": 3.0}, None)
    (0.08, 3.0)
    >>> in_unit_of("pipeline_latency_ms", 0.02, None) is None
    True
    """
    if isinstance(size, Mapping):
        return size.get(metric)
    return None if size is None or scale is None else size * (scale.high - scale.low)
