"""By what a run is sliced and clustered, checked against the dataset before the first question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.records import Sample
from muffakir_eval.tally import GroupBy
from muffakir_eval.tally.groups import group_column

__all__ = ["grouping"]


def grouping(config: EvaluationConfig, samples: Sequence[Sample], mapping: Mapping[str, Any]) -> GroupBy:
    """The groups that ``config`` asks for.

    Args:
        config: ``slice_by``, ``cluster_column``, ``confidence_level`` and ``seed`` are looked at.
        samples: The questions.
        mapping: Field to the column of the dataset that it was read from.

    Raises:
        ConfigError: No question has anything in a column that is named.
    """

    def known(name: str, key: str) -> str:
        return group_column(name, samples, mapping, where=f"config, key {key!r}")

    cluster = config.cluster_column
    return GroupBy(
        slice_by=tuple(dict.fromkeys(known(name, "slice_by") for name in config.slice_by or ())),
        cluster_column=None if cluster is None else known(cluster, "cluster_column"),
        confidence=config.confidence_level,
        seed=config.seed,
    )
