"""What :func:`evaluate_rag` found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["RagEvalReport"]


@dataclass(frozen=True, slots=True)
class RagEvalReport:
    """Means of the lexical metrics over a set of RAG samples.

    Attributes:
        metrics: Mean of each metric over the samples that it applied to, in [0, 1]; ``None`` where it
            applied to none.
        coverage: How many samples that was.
        n_samples: All samples.
        per_sample: The values of each sample in order, ``None`` where a metric did not apply.
        skipped: Of each metric that did not apply to all samples, how many it left out by reason:
            ``no_gold_answer``, ``no_answer``, ``no_chunks``.

    >>> report = RagEvalReport(
    ...     metrics={'exact_match': 0.5}, coverage={'exact_match': 4}, n_samples=4)
    >>> report.metrics['exact_match']
    0.5
    >>> print(report)
    4 samples
    exact_match  0.5000  4/4
    """

    metrics: Mapping[str, float | None]
    coverage: Mapping[str, int]
    n_samples: int
    per_sample: tuple[Mapping[str, float | None], ...] = field(default=(), repr=False)
    skipped: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def __str__(self) -> str:
        width = max(map(len, self.metrics), default=0)
        lines = ["1 sample" if self.n_samples == 1 else f"{self.n_samples} samples"]
        for name, mean in self.metrics.items():
            value = "  none" if mean is None else f"{mean:.4f}"
            reasons = ", ".join(f"{reason} {count}" for reason, count in self.skipped.get(name, {}).items())
            line = f"{name:<{width}}  {value}  {self.coverage.get(name, 0)}/{self.n_samples}"
            lines.append(f"{line}  ({reasons})" if reasons else line)
        return "\n".join(lines)
