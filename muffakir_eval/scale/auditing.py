"""``audit_distributed``: the index audit, its scanning done by a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from muffakir_eval.audit.index import aaudit_index
from muffakir_eval.audit.result import IndexAudit
from muffakir_eval.audit.scanning import Scanner, Waiting
from muffakir_eval.audit.settings import AuditConfig
from muffakir_eval.door import run_sync
from muffakir_eval.scale.engine import cluster

__all__ = ["audit_distributed"]


def audit_distributed(
    corpus: Any,
    dataset: Any = None,
    retriever: Any = None,
    *,
    client: Any = None,
    save: bool = False,
    config: Mapping[str, Any] | AuditConfig | None = None,
    **settings: Any,
) -> IndexAudit:
    """:func:`~muffakir_eval.audit_index`, with the chunks of the index looked at by a Dask cluster.

    The index is read here, once and as a stream, and handed out in batches of 1,000 chunks. What the workers
    see of it is put together in the order of the index, neighbours across batches included: the result is
    that of one process. The retriever is asked from here.

    Args:
        corpus: As there.
        dataset: As there.
        retriever: As there.
        client: A ``distributed.Client`` of any cluster; ``None`` starts one process per core here.
        save: As there.
        config: As there.
        **settings: As there; ``workers`` has no meaning.

    Raises:
        MissingExtraError: Dask is not installed.
    """
    with cluster(client) as workers:
        pool = _Workers(workers)
        return run_sync(
            lambda: aaudit_index(corpus, dataset, retriever, save=save, config=config, pool=pool, **settings)
        )


class _Workers:
    """The workers of a cluster, as what scans an index.

    Attributes:
        size: How many threads they have.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._held: Any = None
        self.size = max(1, sum(client.nthreads().values()))

    def submit(
        self, function: Callable[[Sequence[Scanner], Any], list[Any]], scanners: Sequence[Scanner], packed: Any
    ) -> Waiting:
        """Have a worker look at a batch; the scanners are sent once, and again to whoever replaces a lost one."""
        if self._held is None:
            self._held = self._client.submit(_same, scanners, pure=False)
        found: Waiting = self._client.submit(function, self._held, packed, pure=False)
        return found


def _same(scanners: Sequence[Scanner]) -> Sequence[Scanner]:
    return scanners
