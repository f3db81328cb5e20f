"""What is settled before the first question is asked, and what of it goes into the files."""

from __future__ import annotations

import platform
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from muffakir_eval.config import EvaluationConfig, metric_name
from muffakir_eval.evaluation.judging import Judging
from muffakir_eval.evaluation.planning import fingerprint, identity
from muffakir_eval.records import Pipeline
from muffakir_eval.records.codec import json_value
from muffakir_eval.redaction import mask_settings
from muffakir_eval.runner import Item, RunPlan
from muffakir_eval.tally import GroupBy

__all__ = ["Settled"]

PACKAGE = "muffakir-eval"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Everything that a run is made of.

    Attributes:
        config: The settings.
        plan: What to do with every question.
        items: The questions.
        dataset: What was read, for the summary: source and mapping.
        warnings: What the user should know, for the summary.
        folder: Where the run goes.
        keep: Whether it stays there; otherwise it is removed once the run has succeeded.
        judging: The judge, where a metric is judged.
        group_by: Slices, clusters and intervals of the figures.
    """

    config: EvaluationConfig
    plan: RunPlan
    items: Sequence[Item]
    dataset: Mapping[str, Any]
    folder: Path
    keep: bool
    judging: Judging | None = None
    group_by: GroupBy = field(default_factory=GroupBy)
    warnings: Sequence[str] = field(default=())

    @property
    def on_existing(self) -> str:
        """What to do with a run that is in the folder already."""
        return self.config.on_existing if self.keep else "overwrite"

    def header(self) -> dict[str, Any]:
        """The first line of the records, for a run that begins now."""
        started = datetime.now(UTC)
        return {
            "run_id": f"{started:%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}",
            "started_at": started.isoformat(timespec="seconds"),
            "identity": {
                "version": _version(),
                **identity(self.config, self.plan.pipeline, self.plan.metrics, self.items),
                "judge": None if self.judging is None else json_value(self.judging.identity()),
            },
            "dataset": dict(self.dataset),
        }

    def facts(self, header: Mapping[str, Any], *, partial: bool) -> dict[str, Any]:
        """Everything in ``summary.json`` that is no figure, for the run of this ``header``."""
        return {
            "run_id": str(header["run_id"]),
            "k": self.config.k,
            "metrics_enabled": self._requested(),
            "partial": partial,
            "n_planned": len(self.items),
            "language": self.config.language,
            "started_at": header.get("started_at"),
            "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "dataset": {**self.dataset, "fingerprint": fingerprint(self.items), "n_samples": len(self.items)},
            "pipeline": _pipeline_facts(self.plan.pipeline),
            "matching": self.config.match_settings.model_dump(),
            "judge": None if self.judging is None else json_value(self.judging.facts()),
            "usage": None if self.judging is None else self.judging.usage(),
            "config": self.config.public_dict(),
            "config_given": sorted(self.config.model_fields_set),
            "versions": {PACKAGE: _version(), "python": platform.python_version()},
            "warnings": list(self.warnings),
        }

    def _requested(self) -> list[str]:
        if self.config.metrics is None:
            return list(dict.fromkeys(metric.requested_as for metric in self.plan.metrics))
        asked = self.config.metrics
        return list(dict.fromkeys(name.lower() if isinstance(name, str) else metric_name(name) for name in asked))


def _pipeline_facts(pipeline: Pipeline) -> dict[str, Any]:
    return {"pipeline_id": pipeline.pipeline_id, "settings": mask_settings(pipeline.settings)}


def _version() -> str:
    """The installed version; ``unknown`` where the package lies on the path without being installed."""
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return "unknown"
