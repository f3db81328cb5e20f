"""Where a run puts what it finds out."""

from __future__ import annotations

from typing import Protocol

from muffakir_eval.records import PipelineOutput, Sample, SampleResult

__all__ = ["MemoryStore", "Store"]


class Recorded(Protocol):
    """What an earlier part of the run has left."""

    def output(self, key: str) -> PipelineOutput | None:
        """What the pipeline said about this question, where it need not be asked again."""
        ...


class Store(Protocol):
    """What the runner needs of a run folder."""

    @property
    def recorded(self) -> Recorded:
        """What an earlier part of the run has left."""
        ...

    def append_output(self, key: str, position: int, sample: Sample, output: PipelineOutput) -> None:
        """Keep what the pipeline said, before anything is scored."""
        ...

    def append_result(self, result: SampleResult) -> None:
        """Keep the scores of one sample."""
        ...


class MemoryStore:
    """A store for a run whose results are handed over and not written down.

    Attributes:
        results: By key, in the order in which they were finished.
    """

    def __init__(self) -> None:
        self.results: dict[str, SampleResult] = {}

    @property
    def recorded(self) -> MemoryStore:
        """Itself: there is no earlier part."""
        return self

    def output(self, key: str) -> PipelineOutput | None:
        """That of a finished question."""
        result = self.results.get(key)
        return None if result is None else result.output

    def append_output(self, key: str, position: int, sample: Sample, output: PipelineOutput) -> None:
        """Nothing: the output comes again with the result."""

    def append_result(self, result: SampleResult) -> None:
        """Keep ``result``."""
        self.results[result.key] = result
