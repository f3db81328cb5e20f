"""The names of metrics here and in the reference, whose blocks keep the reference's."""

from __future__ import annotations

import re
from collections.abc import Mapping

from muffakir_eval.metrics.names import JUDGED_METRICS

__all__ = ["block_name", "own_name"]

_PREFIX = "deepeval_"
_BLOCKS: Mapping[str, str] = {
    "contextual_precision": "deepeval_contextual_precision",
    "contextual_recall": "deepeval_contextual_recall",
}


def own_name(name: str) -> str:
    """The name of a built-in metric here, whatever the spelling; that of a user's own metric stays as it is.

    >>> own_name("deepeval_contextual_recall"), own_name("Contextual Precision"), own_name("myMetric")
    ('contextual_recall', 'contextual_precision', 'myMetric')
    """
    plain = re.sub(r"[\s-]+", "_", name.strip().lower()).removeprefix(_PREFIX)
    return plain if plain in JUDGED_METRICS else name.strip()


def block_name(metric: str) -> str:
    """The name of a metric's block in the result.

    >>> block_name("contextual_recall"), block_name("faithfulness")
    ('deepeval_contextual_recall', 'faithfulness')
    """
    return _BLOCKS.get(metric, metric)
