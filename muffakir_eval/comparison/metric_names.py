"""Metrics of a run by the names that people give them."""

from __future__ import annotations

from collections.abc import Iterable

from muffakir_eval.metrics.resolve import parse_request

__all__ = ["listed", "metric_named"]


def metric_named(wanted: str, names: Iterable[str], k: int | None) -> str | None:
    """What a run calls the metric that is meant: by its key, in any case, or as it is asked for.

    Args:
        wanted: Such as ``recall``, ``Recall@5`` or ``recall_at_k``.
        names: The metrics of the run.
        k: Its main cutoff.

    >>> [metric_named(name, ["recall_at_k", "mrr", "recall@10"], 5) for name in ("Recall@5", "recall", "R@10", "map")]
    ['recall_at_k', 'recall_at_k', 'recall@10', None]
    """
    known, plain = list(names), wanted.strip()
    for name in known:
        if name == plain:
            return name
    for name in known:
        if name.lower() == plain.lower():
            return name
    short, cutoff = parse_request(plain)
    for name in known:
        other, own = parse_request(name)
        if short and other == short and (own == cutoff or (own is None and cutoff == k)):
            return name
    return None


def listed(names: str | Iterable[str]) -> tuple[str, ...]:
    """Several names, or one that was given without a list around it.

    >>> listed("recall"), listed(["recall", "mrr"])
    (('recall',), ('recall', 'mrr'))
    """
    return (names,) if isinstance(names, str) else tuple(names)
