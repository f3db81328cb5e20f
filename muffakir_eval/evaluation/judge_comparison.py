"""``compare_judges``: the same recorded answers, judged by several judges and by people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from muffakir_eval.comparison.judges.comparison import judge_comparison
from muffakir_eval.comparison.judges.inputs import Answers, Judged
from muffakir_eval.comparison.judges.result import JudgeComparison
from muffakir_eval.config import EvaluationConfig
from muffakir_eval.door import run_sync
from muffakir_eval.evaluation.judge_request import Options, checked_request
from muffakir_eval.evaluation.judge_runs import rehearsed, run_tasks

__all__ = ["acompare_judges", "compare_judges"]


def compare_judges(  # noqa: PLR0913 - one parameter per option
    dataset: Any = None,
    judges: Any = (),
    *,
    metrics: Sequence[Any] | str | None = None,
    human_column: str | Mapping[str, str] | None = None,
    human_labels: Mapping[Any, float | None] | None = None,
    human_scale: tuple[float, float] | None = None,
    threshold: float | Mapping[str, float] | None = None,
    slice_by: Sequence[str] | str | None = None,
    cluster_column: str | None = None,
    config: Mapping[str, Any] | str | Path | EvaluationConfig | None = None,
    output_dir: str | Path | None = None,
    n_resamples: int = 2_000,
    n_disagreements: int = 20,
) -> JudgeComparison:
    """May I believe this judge, and is a cheaper one as good? Every judge looks at the same recorded answers.

    The system under test is never called. Each judge is a normal run in a folder of its own below
    ``output_dir``, with the reply cache, limits, retries and budget of any run: kill the comparison and start
    it again, and nothing is asked twice. A judge whose key is rejected stops alone and is named; the
    others go on. Judges are asked one after the other, so that their latencies can be compared.

    Figures between two judges, and between a judge and people, rest on the answers that both have an
    opinion on; values that follow from the case (correctness 0 of a refused answer) are no opinion.

    Args:
        dataset: Questions with recorded outputs, or the folder or report of an earlier run. May be left out
            where every judge is a finished run: then the answers are those of the first.
        judges: A list, or a dict of labels to: ``"openai:gpt-4o"``, a dict of settings (``llm_provider``,
            ``llm_model``, ``api_key``, ``base_url``, ``prices``, …), an object that answers such as a
            ``ScriptedModel``, a panel (:func:`~muffakir_eval.config.panels.jury`), or a finished run of the same
            answers.
        metrics: Judged metrics by name, or what ``judge_metric`` made; by default faithfulness, correctness
            and rating as far as the dataset allows, of finished runs those that were judged.
        human_column: Column with the labels of people, or metric to column. Numbers, true/false, yes/no,
            نعم/لا, صحيح/خطأ, ``4/5``; an empty cell is no label.
        human_labels: What further words mean, ``{"partly": 0.5, "skipped": None}``; it wins, as where ``yes`` is
            the bad one.
        human_scale: Ends of the people's scale, to be moved in a straight line onto that of the metric.
        threshold: From this value on an answer counts as good: a number for all metrics without labels, or by
            metric. Without it, such metrics have no kappa, but the figures that need no labels.
        slice_by: Columns by whose values agreement is looked at, too.
        cluster_column: Answers with the same value in it are not independent.
        config: Settings that all judges share.
        output_dir: Keeps the runs, ``judges.json`` and the tables; without it nothing is kept.
        n_resamples: Draws of a bootstrap.
        n_disagreements: Kept for every two raters and metric.

    Returns:
        The comparison; printing it gives tables and sentences.

    Raises:
        ConfigError: A setting does not fit; every judge is checked before the first one is asked.
        DatasetError: The dataset cannot be read, or a human label is not known.
        StorageError: A folder cannot be read or written.

    >>> from muffakir_eval import ScriptedModel
    >>> rows = [{"question": f"؟ {n}", "answer": "مسقط", "predicted_answer": "مسقط", "human": n} for n in (4, 5)]
    >>> judges = [ScriptedModel({"llm_judge_rating": {"reason": "", "score": score}}, name=name)
    ...           for name, score in (("kind", 5), ("stern", 3))]
    >>> found = compare_judges(rows, judges, metrics="llm_judge_rating", human_column="human",
    ...                        config={"progress": False, "cache_dir": None})
    >>> found.pair("llm_judge_rating", "kind", "stern").agreement.bias.value
    2.0
    >>> found.against_people("llm_judge_rating", "stern").agreement.bias.value
    -1.5
    """
    options = Options(
        metrics=metrics,
        human_column=human_column,
        human_labels=human_labels,
        human_scale=human_scale,
        threshold=threshold,
        slice_by=slice_by,
        cluster_column=cluster_column,
        config=config,
        output_dir=output_dir,
        n_resamples=n_resamples,
        n_disagreements=n_disagreements,
    )
    return run_sync(lambda: acompare_judges(dataset, judges, **options))


async def acompare_judges(dataset: Any = None, judges: Any = (), **options: Unpack[Options]) -> JudgeComparison:
    """:func:`compare_judges`, with the same options, for use inside a coroutine."""
    request = checked_request(dataset, judges, options)
    given, how = request.answers, request.settings
    if request.config.dry_run:
        plans = tuple(await rehearsed(request.tasks))
        return replace(judge_comparison(replace(given, scales={}), how), dry_run=plans)
    judged = await run_tasks(request.tasks, request.keys, request.config)
    return _saved(judge_comparison(_with(given, judged), how), request.folder)


def _with(given: Answers, judged: Sequence[Judged]) -> Answers:
    """The answers with what the judges think; whoever lacks a metric has no part in it."""
    notes = list(given.notes)
    if not judged or all(not judge.ratings for judge in judged):
        notes.append("no judge has rated anything")
    for judge in judged:
        lacking = [name for name in given.scales if name not in judge.ratings]
        if judge.ratings and lacking:
            notes.append(f"{judge.label} did not measure {', '.join(lacking)}")
    return replace(given, judges=judged, notes=tuple(notes))


def _saved(found: JudgeComparison, folder: Path | None) -> JudgeComparison:
    if folder is None:
        return found
    found.save(folder)
    return replace(found, folder=folder)
