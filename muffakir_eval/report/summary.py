"""The content of ``summary.json`` and ``error_rates.json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muffakir_eval.tally import Tally

__all__ = ["build_summary", "error_rates"]


def build_summary(tally: Tally, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The content of ``summary.json``.

    Args:
        tally: The figures.
        facts: ``run_id``, ``k``, ``metrics_enabled`` and everything else that describes the run.
    """
    retrieval, generation, custom = (tally.means(family) for family in ("retrieval", "generation", "custom"))
    described = dict(facts)
    described["warnings"] = [*described.get("warnings", ()), *tally.findings()]
    return {
        "n_samples": tally.n_samples,
        "k": described.pop("k"),
        "metrics_enabled": described.pop("metrics_enabled"),
        "retrieval": retrieval,
        "generation": generation,
        "summary": {**retrieval, **generation, **custom},
        "run_id": described.pop("run_id"),
        "partial": described.pop("partial"),
        "confidence_level": tally.by.confidence,
        "metrics": tally.metric_block(),
        "slices": tally.slice_block(),
        "n_without_gold": tally.n_without_gold,
        "refusals": tally.refusals(),
        "errors": tally.errors(),
        "error_examples": tally.error_examples(),
        "latency_ms": tally.latencies(),
        **described,
    }


def error_rates(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The content of ``error_rates.json``: attempts, samples with errors by reason, refusals."""
    attempts, errors = summary["n_samples"], summary["errors"]
    refusals = summary["refusals"]
    return {
        "run_id": summary["run_id"],
        "attempts": attempts,
        "errors": errors,
        "error_rates": {reason: count / attempts for reason, count in errors.items()} if attempts else {},
        "answer_refusal_rate": refusals["rate"],
        "n_refused": refusals["n_refused"],
        "n_answers": refusals["n_answers"],
    }
