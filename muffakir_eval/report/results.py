"""The finished samples of a run, on disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from muffakir_eval.records import SampleResult
from muffakir_eval.runner import Item
from muffakir_eval.storage import RunRecords

__all__ = ["Results"]


class Results(Sequence[SampleResult]):
    """The finished samples in the order of the dataset, read from disk when asked for.

    Args:
        records: Of the run.
        items: The samples that have finished.
    """

    def __init__(self, records: RunRecords, items: Sequence[Item]) -> None:
        self.records = records
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> SampleResult: ...
    @overload
    def __getitem__(self, index: slice) -> list[SampleResult]: ...
    def __getitem__(self, index: int | slice) -> SampleResult | list[SampleResult]:
        if isinstance(index, slice):
            return [self._read(item) for item in self._items[index]]
        return self._read(self._items[index])

    def __iter__(self) -> Iterator[SampleResult]:
        return (self._read(item) for item in self._items)

    def keys(self) -> list[str]:
        """The samples' keys in the records."""
        return [item.key for item in self._items]

    def _read(self, item: Item) -> SampleResult:
        return self.records.result(item.key, item.sample)
