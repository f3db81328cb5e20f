"""By what a run is sliced and clustered, checked against the dataset before the first question."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.errors import ConfigError
from muffakir_eval.records import Sample
from muffakir_eval.tally import GroupBy, group_value

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
    fields = {str(column): field for field, column in mapping.items() if isinstance(column, str)}

    def known(name: str, key: str) -> str:
        for candidate in (name, fields.get(name, name)):
            if any(group_value(sample, candidate) is not None for sample in samples):
                return candidate
        names = sorted({column for sample in samples for column in sample.metadata} | {"source_file", "answerable"})
        near = difflib.get_close_matches(name, names, n=1)
        raise ConfigError(
            f"no question has anything in the column {name!r}",
            where=f"config, key {key!r}",
            expected=f"a column of the dataset: {', '.join(names[:20])}",
            remedy=f"did you mean {near[0]!r}?" if near else "check the name, or leave the key out",
        )

    cluster = config.cluster_column
    return GroupBy(
        slice_by=tuple(dict.fromkeys(known(name, "slice_by") for name in config.slice_by or ())),
        cluster_column=None if cluster is None else known(cluster, "cluster_column"),
        confidence=config.confidence_level,
        seed=config.seed,
    )
