"""Several scanners over one reading of an index, in this process or in several."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, Self

from muffakir_eval.audit.records import CorpusChunk
from muffakir_eval.errors import ConfigError, MuffakirEvalError

__all__ = ["Part", "Pool", "Progress", "Scanner", "Waiting", "scan_corpus"]

_WAITING = 2
"""So many batches wait for each process, beyond the one that it is at."""

Progress = Callable[[int], object]
"""Called with the number of chunks that are done, from time to time and at the end."""

_Packed = list[tuple[int, str, str | None, str | None, str]]


class Part(Protocol):
    """What a scanner has seen of a stretch of the index."""

    def add(self, other: Self, /) -> None:
        """Take in what was seen of a later stretch."""


class Scanner(Protocol):
    """Looks at chunks. It and its parts can be pickled, and it does not look at the metadata of a chunk."""

    def scan(self, batch: Sequence[CorpusChunk], /) -> Any:
        """What it sees of a stretch of the index, a :class:`Part`; of none, a part that adds nothing."""


class Waiting(Protocol):
    """What comes later."""

    def result(self) -> Any:
        """Wait for it."""


class Pool(Protocol):
    """Processes that somebody else has started, on other machines perhaps.

    Attributes:
        size: How many batches they can be at.
    """

    size: int

    def submit(self, function: Callable[[Sequence[Scanner], Any], list[Any]], scanners: Any, packed: Any, /) -> Waiting:
        """Have one of them call ``function`` with what follows; the scanners are the same every time."""


def scan_corpus(
    scanners: Sequence[Scanner],
    batches: Iterable[Sequence[CorpusChunk]],
    *,
    workers: int = 1,
    progress: Progress | None = None,
    pool: Pool | None = None,
) -> list[Any]:
    """Let every scanner see every chunk, and put together what each has seen.

    The batches are read in this process, one after the other, and the parts are added in that order: the result
    is the same for any number of workers. In memory are the batches that the workers have, two more for each, and
    the parts. The metadata of chunks stays in this process.

    Args:
        scanners: They are sent to each worker once.
        batches: The chunks in the order of the index.
        workers: How many processes scan; with 1 this one does. Several are *spawned*: a script that asks for them
            must keep its own work under ``if __name__ == "__main__":``.
        progress: Called after each batch.
        pool: What scans instead of processes of our own.

    Returns:
        For each scanner what it has seen.

    Raises:
        ConfigError: ``workers`` is below 1.
        MuffakirEvalError: A worker process has died.

    >>> class Counter(list):
    ...     def scan(self, batch):
    ...         return Counter([len(batch)])
    ...     def add(self, other):
    ...         self[0] += other[0]
    >>> chunks = [CorpusChunk(ordinal=place, text="نص") for place in range(5)]
    >>> scan_corpus([Counter()], [chunks[:2], chunks[2:]])
    [[5]]
    """
    if workers < 1:
        raise ConfigError(f"workers is {workers}", where="workers", expected="a whole number from 1 on")
    totals = [scanner.scan(()) for scanner in scanners]
    done = 0
    if pool is not None:
        scanned = _in_pool(scanners, batches, pool)
    else:
        scanned = _in_this_process(scanners, batches) if workers == 1 else _in_processes(scanners, batches, workers)
    for size, parts in scanned:
        for total, part in zip(totals, parts, strict=True):
            total.add(part)
        done += size
        if progress is not None:
            progress(done)
    return totals


def _in_this_process(
    scanners: Sequence[Scanner], batches: Iterable[Sequence[CorpusChunk]]
) -> Iterator[tuple[int, list[Any]]]:
    for batch in batches:
        yield len(batch), [scanner.scan(batch) for scanner in scanners]


def _in_processes(
    scanners: Sequence[Scanner], batches: Iterable[Sequence[CorpusChunk]], workers: int
) -> Iterator[tuple[int, list[Any]]]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    pool = ProcessPoolExecutor(
        workers, mp_context=multiprocessing.get_context("spawn"), initializer=_begin, initargs=(tuple(scanners),)
    )
    try:
        yield from _in_order(lambda packed: pool.submit(_scan, packed), batches, (1 + _WAITING) * workers)
    except BrokenProcessPool as error:
        raise MuffakirEvalError(
            "a process that scans the index has died",
            where=f"workers={workers}",
            remedy="if memory was short, use fewer workers or smaller batches; if this is a script, put what it does "
            'under `if __name__ == "__main__":`; workers=1 needs neither',
        ) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _in_pool(
    scanners: Sequence[Scanner], batches: Iterable[Sequence[CorpusChunk]], pool: Pool
) -> Iterator[tuple[int, list[Any]]]:
    kept = tuple(scanners)
    return _in_order(lambda packed: pool.submit(_scan_with, kept, packed), batches, (1 + _WAITING) * pool.size)


def _in_order(
    submit: Callable[[_Packed], Waiting], batches: Iterable[Sequence[CorpusChunk]], most: int
) -> Iterator[tuple[int, list[Any]]]:
    """The parts in the order of the batches, of which so many are under way at once."""
    waiting: deque[tuple[int, Waiting]] = deque()
    for batch in batches:
        waiting.append((len(batch), submit(_packed(batch))))
        if len(waiting) >= most:
            size, future = waiting.popleft()
            yield size, future.result()
    for size, future in waiting:
        yield size, future.result()


def _packed(batch: Sequence[CorpusChunk]) -> _Packed:
    return [(chunk.ordinal, chunk.text, chunk.chunk_id, chunk.source, chunk.place) for chunk in batch]


_SCANNERS: tuple[Scanner, ...] = ()
"""Those of a worker process; in any other one there are none."""


def _begin(scanners: tuple[Scanner, ...]) -> None:
    global _SCANNERS  # noqa: PLW0603 - what an initializer of a process leaves to its tasks
    _SCANNERS = scanners
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process is interrupted too, and ends the others


def _scan(packed: _Packed) -> list[Any]:
    return _scan_with(_SCANNERS, packed)


def _scan_with(scanners: Sequence[Scanner], packed: _Packed) -> list[Any]:
    batch = [
        CorpusChunk(ordinal=ordinal, text=text, chunk_id=chunk_id, source=source, place=place)
        for ordinal, text, chunk_id, source, place in packed
    ]
    return [scanner.scan(batch) for scanner in scanners]
