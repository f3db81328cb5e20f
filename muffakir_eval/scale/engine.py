"""Tasks on a Dask cluster: the only module that knows Dask."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from muffakir_eval.errors import MissingExtraError

__all__ = ["cluster", "is_dask_frame", "mapped", "partitions"]


@contextlib.contextmanager
def cluster(client: Any) -> Iterator[Any]:
    """``client``, or one of our own with a process for each core, closed in the end.

    Raises:
        MissingExtraError: Dask is not installed.
    """
    if client is not None:
        yield client
        return
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise MissingExtraError(
            "a distributed run needs Dask, which is not installed",
            where="evaluate_distributed",
            remedy='pip install "muffakir-eval[dask]"',
        ) from None
    with (
        LocalCluster(processes=True, threads_per_worker=1, dashboard_address=":0") as ours,
        Client(ours) as own,
    ):
        yield own


def is_dask_frame(value: Any) -> bool:
    """A Dask data frame."""
    return type(value).__module__.partition(".")[0] in {"dask", "dask_expr"} and hasattr(value, "to_delayed")


def partitions(frame: Any) -> list[Any]:
    """The partitions of a Dask data frame, each not computed yet."""
    return list(frame.to_delayed())


def _submitted(client: Any, function: Callable[..., Any], items: Sequence[Any], further: Sequence[Any]) -> list[Any]:
    """A future for each item; a partition that is not computed yet is made on the worker that scores it."""
    if not any(hasattr(item, "__dask_graph__") for item in items):
        return [client.submit(function, item, number, *further, pure=False) for number, item in enumerate(items)]
    from dask import delayed

    task = delayed(function, pure=False)
    return list(client.compute([task(item, number, *further) for number, item in enumerate(items)]))


def mapped(client: Any, function: Callable[..., Any], items: Sequence[Any], *further: Any) -> Iterator[tuple[int, Any]]:
    """``function(item, number, *further)`` of every item, with the item's number, as they finish.

    The tasks are pure: what a lost worker had is done again by another one. Where one raises, the others are
    cancelled.
    """
    from distributed import as_completed

    waiting = {
        future.key: (number, future) for number, future in enumerate(_submitted(client, function, items, further))
    }
    try:
        for done in as_completed([future for _, future in waiting.values()]):
            number, future = waiting.pop(done.key)
            yield number, future.result()
            future.release()  # the workers can forget it
    finally:
        client.cancel([future for _, future in waiting.values()])
