"""The runs of a comparison: each judge looks at the same answers in a run of its own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from muffakir_eval.atomic import replace_file
from muffakir_eval.comparison.judges.inputs import Judged
from muffakir_eval.comparison.runs_folder import load_report
from muffakir_eval.config import EvaluationConfig
from muffakir_eval.config.panels import JudgeSpec
from muffakir_eval.datasets import EvaluationDataset
from muffakir_eval.errors import JudgeError, JudgeKeyError, RunMismatchError, StorageError
from muffakir_eval.evaluation.judge_answers import answer_keys, ratings_of, silent_members
from muffakir_eval.evaluation.judge_making import judge_settings
from muffakir_eval.evaluation.judge_sources import Source
from muffakir_eval.evaluation.session import run_settled
from muffakir_eval.evaluation.settled import Settled
from muffakir_eval.evaluation.suite import prepare
from muffakir_eval.report import EvaluationReport
from muffakir_eval.storage import RECORDS, RunFolder
from muffakir_eval.storage.identity import refuse_other_settings
from muffakir_eval.storage.lines import parse_line
from muffakir_eval.writers.progress import note

__all__ = ["Finished", "Pending", "Task", "judged_by", "rehearsed", "run_tasks", "settle_tasks"]

_KEPT = "an earlier run of this judge over the same answers was taken as it is"
_MAY_PASS = frozenset({"over_budget", "interrupted", "timeout", "rate_limited", "judge_unavailable"})
"""Reasons for which a judge gave no score that are none of its own: it may give one when asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A judge that has looked at the answers already.

    Attributes:
        label: What it is called.
        report: Of its run.
        given: The user named the run; otherwise it stood in the folder of this comparison.
    """

    label: str
    report: EvaluationReport
    given: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A judge that is to look at the answers.

    Attributes:
        label: What it is called.
        settled: Its run.
        settle: The same run once more, with another budget.
        report: Of the run in its folder that came to its end with ratings missing; only these are asked for again.
        n_again: How many these are.
    """

    label: str
    settled: Settled
    settle: Callable[[float], Settled]
    report: EvaluationReport | None = None
    n_again: int = 0


Task = Finished | Pending


def settle_tasks(
    found: Sequence[Source],
    samples: EvaluationDataset,
    keys: Sequence[str],
    config: EvaluationConfig,
    folders: Mapping[str, Path] | None,
) -> list[Task]:
    """Settle every run before the first judge is asked.

    Args:
        found: The judges.
        samples: The recorded answers.
        keys: Of the answers.
        config: The common settings.
        folders: Label to the folder of the run; ``None`` keeps nothing.

    Raises:
        ConfigError: A judge cannot be made: an unknown provider, no key, no price for a budget.
        RunMismatchError: A folder holds an unfinished run of other settings.
    """
    tasks: list[Task] = []
    for source in found:
        label = source.spec.label
        if source.report is not None:
            tasks.append(Finished(label=label, report=source.report, given=True))
            continue
        settle = functools.partial(_settled, source.spec, samples, config, None if folders is None else folders[label])
        settled = settle(config.budget_usd)
        report = _finished(settled, keys) if settled.keep else None
        n_again = 0 if report is None else _n_again(report)
        if report is not None and not n_again:
            tasks.append(Finished(label=label, report=report, given=False))
            continue
        if report is not None and not _same(report, settled):
            report, n_again = None, 0
        if settled.keep:
            RunFolder.look(settled.folder, settled.header(), on_existing=settled.on_existing)
        tasks.append(Pending(label=label, settled=settled, settle=settle, report=report, n_again=n_again))
    return tasks


def _settled(
    spec: JudgeSpec, samples: EvaluationDataset, config: EvaluationConfig, folder: Path | None, budget: float | None
) -> Settled:
    """The run of one judge; of two budgets the smaller one holds."""
    budgets = [amount for amount in (spec.settings.get("budget_usd"), budget) if amount is not None]
    settings = {**spec.settings, "budget_usd": min(budgets, default=None), "progress": False}
    own = judge_settings(config, settings, where=f"judges, {spec.label!r}")
    settled = prepare(own, None, samples, save=folder is not None, output_dir=folder, llm_provider=spec.model)
    return replace(settled, config=settled.config.model_copy(update={"progress": config.progress}))


def _finished(settled: Settled, keys: Sequence[str]) -> EvaluationReport | None:
    """The run in the folder where it is finished and of the same answers and settings: nobody needs to be asked again.

    What else stands in the dataset, such as labels that people have given since, is nothing to a judge.
    """
    if settled.on_existing not in ("resume", "extend") or not (settled.folder / RECORDS).is_file():
        return None
    try:
        report = load_report(settled.folder)
    except StorageError:
        return None  # unfinished or damaged: the run itself says what is wrong with it
    if report.partial or not _same(report, settled, extend=True):
        return None
    judged = answer_keys((result.sample, result.output) for result in report.samples)
    return report if sorted(judged) == sorted(keys) else None


def _same(report: EvaluationReport, settled: Settled, *, extend: bool = False) -> bool:
    """The run was made with these settings; with ``extend`` of whatever dataset."""
    try:
        refuse_other_settings(report.samples.records.header, settled.header(), settled.folder, 0, extend=extend)
    except RunMismatchError:
        return False
    return True


def _n_again(report: EvaluationReport) -> int:
    """Ratings that are missing for a reason that may have passed."""
    return sum(score.reason in _MAY_PASS for result in report.samples for score in result.scores.values())


def _reopen(folder: Path) -> None:
    """Make a run that came to its end one that goes on: what failed is asked for again, and nothing else."""
    path = folder / RECORDS
    *lines, last = path.read_bytes().splitlines(keepends=True)
    if (parse_line(last) or {}).get("kind") == "finished":
        replace_file(path, lines)


async def run_tasks(tasks: Sequence[Task], keys: Sequence[str], config: EvaluationConfig) -> list[Judged]:
    """Have one judge after the other look at the answers; the latencies are those of one judge alone.

    A judge that cannot go on (a rejected key) stops by itself and leaves the others. The budget is that
    of all of them: what one has spent the next one has not.

    Args:
        tasks: The judges, settled.
        keys: Of the answers.
        config: The common settings.
    """
    found, spent = [], 0.0
    for number, task in enumerate(tasks, start=1):
        note(f"Judge {number} of {len(tasks)}: {task.label}", enabled=config.progress and isinstance(task, Pending))
        if isinstance(task, Finished):
            judged = judged_by(task.label, task.report, keys, given=task.given)
        else:
            judged = await _run(task, keys, config.budget_usd, spent)
        if isinstance(task, Pending) or not task.given:
            spent += _spent(judged)
        if judged.message:
            note(f"{task.label}: {judged.message}", enabled=config.progress)
        found.append(judged)
    return found


async def _run(task: Pending, keys: Sequence[str], budget: float | None, spent: float) -> Judged:
    settled = task.settled
    if budget is not None and spent:
        if spent >= budget:
            told = f"the budget of {budget:g} USD was spent by the judges before it"
            if task.report is not None:
                return replace(judged_by(task.label, task.report, keys), status="partial", message=told)
            return _not_run(task, told)
        settled = task.settle(budget - spent)
    if task.n_again:
        _reopen(settled.folder)
    try:
        report = await run_settled(settled)
    except JudgeError as error:
        told = error.found if isinstance(error, JudgeKeyError) else str(error)
        kept = error.report
        if not isinstance(kept, EvaluationReport) or not len(kept.samples):
            return _not_run(task, told)
        return replace(judged_by(task.label, kept, keys, keep=settled.keep), status="partial", message=told)
    judged = judged_by(task.label, report, keys, keep=settled.keep)
    everything = [rating for column in judged.ratings.values() for rating in column]
    beyond = sum(rating is not None and rating.reason == "over_budget" for rating in everything)
    if beyond:
        return replace(judged, status="partial", message=f"the budget is spent, and {_ratings(beyond)} missing")
    return judged


def _ratings(number: int) -> str:
    return "1 rating is" if number == 1 else f"{number} ratings are"


def _spent(judged: Judged) -> float:
    usage = judged.usage or {}
    cost = usage.get("cost_estimate_usd")
    return float(cost if cost is not None else usage.get("cost_usd") or 0.0)


def _not_run(task: Pending, message: str) -> Judged:
    judging = task.settled.judging
    identity = {} if judging is None else judging.identity()
    return Judged(label=task.label, ratings={}, status="not_run", message=message, identity=identity)


def judged_by(
    label: str, report: EvaluationReport, keys: Sequence[str], *, given: bool | None = None, keep: bool = True
) -> Judged:
    """One judge from the report of its run.

    Args:
        label: What it is called.
        report: Of its run.
        keys: Of the answers that are compared.
        given: The user named the run; ``None`` where it was made now.
        keep: Its folder stays.
    """
    summary = report.to_dict()
    ratings, strange = ratings_of(report, keys)
    judge = dict(summary.get("judge") or {})
    told = [_KEPT] if given is False else []
    told += [str(each) for each in judge.get("notes") or ()]
    reached = max((sum(rating is not None for rating in column) for column in ratings.values()), default=0)
    if strange:
        told.append(f"{strange} answers of its run are others than those compared here, and are left out")
    if given and reached < len(keys):
        told.append(f"its run holds {reached} of the {len(keys)} answers")
    told += silent_members(report)
    missing = [rating.reason for column in ratings.values() for rating in column if rating is not None]
    n_again = sum(reason in _MAY_PASS for reason in missing)
    if n_again and keep and not given and not report.partial:
        told.append(f"{_ratings(n_again)} missing for reasons that may pass: start again to ask for these only")
    return Judged(
        label=label,
        ratings=ratings,
        status="partial" if report.partial else "complete",
        source="folder" if given else "run",
        run_id=report.run_id,
        folder=report.folder.as_posix() if keep and report.folder is not None else None,
        identity={name: value for name, value in judge.items() if name not in ("prompts", "notes")},
        usage=summary.get("usage"),
        notes=tuple(told),
    )


async def rehearsed(tasks: Sequence[Task]) -> list[dict[str, Any]]:
    """What each judge would take; nobody is asked."""
    plans: list[dict[str, Any]] = []
    for task in tasks:
        if isinstance(task, Finished):
            plans.append({"judge": task.label, "plan": None, "notes": []})
            continue
        if task.n_again:
            told = f"{_ratings(task.n_again)} missing, and only these would be asked for again"
            plans.append({"judge": task.label, "plan": None, "notes": [told]})
            continue
        quiet = task.settled.config.model_copy(update={"progress": False})
        summary = (await run_settled(replace(task.settled, config=quiet))).to_dict()
        notes = [warning for warning in summary["warnings"] if warning.startswith("a run would stop here")]
        plans.append({"judge": task.label, "plan": summary["dry_run"]["judge"], "notes": notes})
    return plans
