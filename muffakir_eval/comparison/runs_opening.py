"""The runs that are compared: reports, or folders."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple

from muffakir_eval.comparison.metric_names import metric_named
from muffakir_eval.comparison.runs_folder import SUMMARY, read_summary, run_folder
from muffakir_eval.comparison.runs_reading import RunScores, scores_of_folder, scores_of_report
from muffakir_eval.comparison.runs_result import RunFacts
from muffakir_eval.errors import ConfigError, MetricError, StorageError
from muffakir_eval.report import EvaluationReport

__all__ = ["Opened", "asked", "facts_of", "known_metrics", "opened", "refuse_unknown_column"]


class Opened(NamedTuple):
    """A run that has been found, and not read yet.

    Attributes:
        name: What it is called.
        config: Its settings, as far as they are known.
        run_id: As its summary has it, ``None`` without one.
        n_finished: Questions that the summary counts as finished; ``None`` where more may come.
        run: The report, or the folder.
    """

    name: str
    config: Mapping[str, Any]
    run_id: str | None
    n_finished: int | None
    run: EvaluationReport | Path

    def scores(self, groups: Sequence[str]) -> RunScores:
        """What it measured, and what each question has in the columns ``groups``.

        Raises:
            StorageError: The records are missing, damaged, or those of another run.
        """
        if isinstance(self.run, EvaluationReport):
            return scores_of_report(self.run, groups)
        scores = scores_of_folder(self.run, groups)
        if self.run_id not in (None, scores.header["run_id"]):
            raise StorageError(
                f"{SUMMARY} belongs to the run {self.run_id}, and the records to {scores.header['run_id']}",
                where=str(self.run),
                remedy="restore the two files from one copy, or run again",
            )
        if self.n_finished not in (None, len(scores)):
            raise StorageError(
                f"{SUMMARY} counts {self.n_finished} finished questions, and the records hold {len(scores)}",
                where=str(self.run),
                remedy="restore the two files from one copy, or run again",
            )
        return scores


def opened(run: Any) -> Opened:
    """Find a run.

    Raises:
        StorageError: The folder holds none, or its summary is damaged.
        ConfigError: It is no run, or one that was only rehearsed.
    """
    if isinstance(run, EvaluationReport):
        if run.dry_run:
            raise ConfigError("a dry run has no results to compare", remedy="run again with dry_run off")
        name = run.folder.name if run.folder is not None else run.run_id
        return Opened(name, run.to_dict().get("config") or {}, run.run_id, None, run)
    if not isinstance(run, (str, Path)):
        raise ConfigError(
            f"a run is of type {type(run).__name__}",
            expected="a report of MuffakirEvaluation, or the folder of a run",
        )
    folder = run_folder(run)
    summary = read_summary(folder) if (folder / SUMMARY).is_file() else {}
    finished = None if summary.get("partial", True) else summary["n_samples"]
    return Opened(folder.resolve().name, summary.get("config") or {}, summary.get("run_id"), finished, folder)


def asked(runs: Sequence[Opened], key: str) -> list[str]:
    """What the runs themselves were sliced or clustered by."""
    found: dict[str, None] = {}
    for run in runs:
        value = run.config.get(key)
        named = [value] if isinstance(value, str) else value if isinstance(value, list) else ()
        found.update(dict.fromkeys(str(one) for one in named))
    return list(found)


def facts_of(runs: Sequence[Opened], scores: Sequence[RunScores], names: Sequence[str] | None) -> list[RunFacts]:
    """What there is to say about the runs themselves; names that occur twice are told apart by the run's id.

    Raises:
        ConfigError: There are not as many names as runs.
    """
    if names is not None and len(names) != len(runs):
        raise ConfigError(f"{len(names)} names and {len(runs)} runs", expected="one name for each run")
    called = list(names) if names is not None else [run.name for run in runs]
    facts = []
    for place, (name, found, run) in enumerate(zip(called, scores, runs, strict=True)):
        identity = found.header.get("identity") or {}
        planned = (identity.get("dataset") or {}).get("n_samples") or len(found)
        pipeline = (identity.get("pipeline") or {}).get("pipeline_id")
        label = ascii_uppercase[place] if place < len(ascii_uppercase) else f"R{place + 1}"
        facts.append(
            RunFacts(
                label=label,
                name=str(name),
                run_id=str(found.header["run_id"]),
                pipeline_id=None if pipeline is None else str(pipeline),
                n_questions=len(found),
                n_planned=int(planned),
                partial=len(found) < int(planned),
                language=None if run.config.get("language") is None else str(run.config["language"]),
            )
        )
    times = Counter(one.name for one in facts)
    return [one if times[one.name] == 1 else replace(one, name=f"{one.name} ({one.run_id})") for one in facts]


def known_metrics(wanted: Sequence[str], scores: Sequence[RunScores]) -> tuple[str, ...]:
    """What the runs call the metrics that are meant.

    Raises:
        MetricError: No run has one; with the name that may have been meant.
    """
    known = list(dict.fromkeys(name for run in scores for name in (*run.columns.names, *run.columns.derived())))
    cutoffs = {(run.header.get("identity") or {}).get("k") for run in scores}
    k = cutoffs.pop() if len(cutoffs) == 1 else None
    found = []
    for name in wanted:
        key = metric_named(name, known, k)
        if key is None:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            raise MetricError(
                f"none of the runs measured {name!r}",
                expected=f"one of {', '.join(known)}",
                remedy=f"did you mean {near[0]!r}?" if near else "check the spelling",
            )
        found.append(key)
    return tuple(found)


def refuse_unknown_column(column: str, scores: Sequence[RunScores]) -> None:
    """Refuse a column in which no question has anything.

    Raises:
        ConfigError: Nobody could be told apart by it.
    """
    if not any(value is not None for run in scores for value in run.groups[column]):
        known = sorted(set().union(*(run.column_names for run in scores)))
        near = difflib.get_close_matches(column, known, n=1)
        raise ConfigError(
            f"no question has anything in the column {column!r}",
            expected=f"a column of the dataset: {', '.join(known[:20])}" if known else None,
            remedy=f"did you mean {near[0]!r}?" if near else "check the name, or leave it out",
        )
