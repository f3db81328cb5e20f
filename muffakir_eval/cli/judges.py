"""``muffakir-eval judges``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from muffakir_eval.cli.options import (
    Budget,
    ColumnMapping,
    Encoding,
    IdColumns,
    JudgeRepeats,
    LogFile,
    MaxConcurrency,
    NoCache,
    Set,
    Sheet,
    listed,
    mapping,
    sheet_key,
)
from muffakir_eval.cli.outcome import STOPPED, TOO_LITTLE, exit_codes, keeping_output_clean, print_json
from muffakir_eval.cli.set_option import resolved_settings
from muffakir_eval.errors import ConfigError

if TYPE_CHECKING:
    from muffakir_eval.comparison.judges.facts import JudgeFacts
    from muffakir_eval.comparison.judges.result import JudgeComparison

__all__ = ["judges"]


def judges(  # noqa: PLR0913 - one parameter per option
    dataset: Annotated[
        str | None,
        typer.Argument(
            help="Recorded answers: a file with the outputs, or the folder of an earlier run. May be left out where "
            "every --judge is the folder of a finished run.",
            metavar="DATASET",
        ),
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help="PROVIDER:MODEL, e.g. openai:gpt-4o, or the folder of a finished run; may be given several times. "
            "Keys are read from the providers' environment variables.",
            metavar="JUDGE",
        ),
    ] = None,
    judges_file: Annotated[
        str | None,
        typer.Option(
            help="Judges with settings of their own (.toml, .yaml, .json): a list under the key 'judges', each a "
            "name, a table (label, llm_provider, llm_model, llm_base_url, prices, …), or a panel (jury, method).",
            metavar="FILE",
        ),
    ] = None,
    metrics: Annotated[
        str | None, typer.Option(help="Judged metrics, comma-separated, e.g. faithfulness,llm_judge_rating.")
    ] = None,
    human: Annotated[
        list[str] | None,
        typer.Option(
            "--human-column",
            help="Column with the labels of people, or METRIC=COLUMN; may be given several times.",
            metavar="COLUMN",
        ),
    ] = None,
    human_label: Annotated[
        list[str] | None,
        typer.Option(
            help="What a word in it means, e.g. partly=0.5, or skipped=none for no label; may be given several times.",
            metavar="WORD=NUMBER",
        ),
    ] = None,
    human_scale: Annotated[
        str | None, typer.Option(help="Ends of the people's scale, e.g. 1,5: moved onto that of the metric.")
    ] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option(
            help="From this value on an answer counts as good: for all metrics without labels, or METRIC=VALUE.",
            metavar="VALUE",
        ),
    ] = None,
    slice_by: Annotated[str | None, typer.Option(help="Columns by whose values agreement is looked at, too.")] = None,
    cluster_column: Annotated[
        str | None, typer.Option(help="Answers with the same value in it are not independent, e.g. question.")
    ] = None,
    config: Annotated[
        str | None, typer.Option(help="Settings that all judges share: .toml, .yaml or .json. Options given here win.")
    ] = None,
    k: Annotated[int | None, typer.Option(help="So many retrieved passages are shown [default: 5].")] = None,
    language: Annotated[str | None, typer.Option(help="Of the prompts: ar or en [default: ar].")] = None,
    max_samples: Annotated[int | None, typer.Option(help="Only the first so many answers.")] = None,
    output_dir: Annotated[
        str, typer.Option(help="Folder of the comparison; the run of each judge stands in a folder below it.")
    ] = "./eval_results/judges",
    on_existing: Annotated[
        str | None, typer.Option(help="Runs in it: resume, extend, overwrite or error [default: resume].")
    ] = None,
    column_mapping: ColumnMapping = None,
    id_columns: IdColumns = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    judge_repeats: JudgeRepeats = None,
    max_concurrency: MaxConcurrency = None,
    prices: Annotated[
        list[str] | None,
        typer.Option(
            "--price",
            help="US dollars per million tokens of a model, in and out, e.g. gpt-4o=2.5,10; may be given several "
            "times.",
            metavar="MODEL=IN,OUT",
        ),
    ] = None,
    budget: Budget = None,
    no_cache: NoCache = False,
    set_by_key: Set = None,
    log_file: LogFile = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar and no notes.")] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print judges.json instead of the tables.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what each judge would take; ask and write nothing.")
    ] = False,
) -> None:
    """May I believe this judge? Several judges look at the same recorded answers, and are compared with people.

    The system under test is not called. Start the same command again after an interruption: nothing is
    asked twice. Exit codes: 0 all judges came to their end, 3 a judge rated nothing, 4 a judge stopped early.

    Examples:
      muffakir-eval judges runs/before --judge openai:gpt-4o --judge ollama:qwen2.5:14b --human-column human

      muffakir-eval judges --judge judged/gpt-4o --judge judged/haiku      (two runs of the same answers; no call)
    """
    given = {
        "k": k,
        "language": language,
        "max_samples": max_samples,
        "on_existing": on_existing,
        "column_mapping": mapping(column_mapping),
        "id_columns": listed(id_columns),
        "encoding": encoding,
        "sheet": sheet_key(sheet),
        "judge_repeats": judge_repeats,
        "max_concurrency": max_concurrency,
        "prices": _prices(prices),
        "budget_usd": budget,
        "progress": False if quiet else None,
        "dry_run": True if dry_run else None,
    }
    with exit_codes(without={"fail_fast"}, log_file=log_file):
        from muffakir_eval.evaluation.judge_comparison import compare_judges

        with keeping_output_clean(json_output):
            found = compare_judges(
                dataset,
                [*(judge or []), *_from_file(judges_file)],
                metrics=metrics,
                human_column=_by_metric(human),
                human_labels=_labels(human_label),
                human_scale=_ends(human_scale),
                threshold=_threshold(threshold),
                slice_by=listed(slice_by),
                cluster_column=cluster_column,
                config=resolved_settings(config, given, set_by_key, switched_off=["cache_dir"] if no_cache else []),
                output_dir=output_dir,
            )
        _show(found, as_json=json_output)


def _show(found: JudgeComparison, *, as_json: bool) -> None:
    from muffakir_eval.records.codec import strict_json
    from muffakir_eval.writers.console import print_text

    if as_json:
        print_json(strict_json(found.to_dict(), indent=2))
    else:
        print_text(str(found))
        if found.folder is not None:
            print_text(f"\nWritten to {found.folder}")
    if found.dry_run is not None:
        return
    if not any(one.n_scored for judge in found.judges for one in judge.metrics.values()):
        typer.echo("Nothing was rated: the reasons stand above.", err=True)
        raise typer.Exit(STOPPED if not found.complete else TOO_LITTLE)
    silent = [judge.label for judge in found.judges if judge.status == "complete" and _is_silent(judge)]
    if silent:
        typer.echo(f"Every rating failed: {', '.join(silent)}. The reasons stand above.", err=True)
    if not found.complete:
        stopped = ", ".join(judge.label for judge in found.judges if judge.status != "complete")
        typer.echo(f"Stopped early: {stopped}. Mend the cause and start the same command again to go on.", err=True)
        raise typer.Exit(STOPPED)
    if silent:
        raise typer.Exit(TOO_LITTLE)


def _is_silent(judge: JudgeFacts) -> bool:
    """It was asked, and not one rating came of it."""
    failed = any(one.n_failed for one in judge.metrics.values())
    return failed and all(one.n_scored == one.n_decided for one in judge.metrics.values())


def _from_file(path: str | None) -> list[Any]:
    if path is None:
        return []
    from muffakir_eval.config import read_settings

    values = read_settings(Path(path))
    found = values.get("judges")
    if not isinstance(found, list):
        raise ConfigError("the file does not hold judges", where=path, expected="the key 'judges', with a list of them")
    others = [repr(name) for name in values if name != "judges"]
    if others:
        raise ConfigError(
            f"beside the judges the file holds {', '.join(others)}",
            where=path,
            expected="the key 'judges' and nothing else",
            remedy="put what all judges share into the file for --config",
        )
    return found


def _by_metric(texts: list[str] | None) -> str | dict[str, str] | None:
    """One column for every metric, or pairs of metric and column."""
    if not texts:
        return None
    if len(texts) == 1 and "=" not in texts[0]:
        return texts[0]
    return dict(_pair(text, "--human-column") for text in texts)


def _pair(text: str, option: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise typer.BadParameter(f"expected NAME=VALUE, found {text!r}", param_hint=option)
    return name.strip(), value.strip()


def _labels(texts: list[str] | None) -> dict[str, float | None] | None:
    if not texts:
        return None
    pairs = [_pair(text, "--human-label") for text in texts]
    return {word: None if value.lower() == "none" else _number(value, "--human-label") for word, value in pairs}


def _numbers(texts: list[str] | None, option: str) -> dict[str, float] | None:
    return {name: _number(value, option) for name, value in (_pair(text, option) for text in texts)} if texts else None


def _number(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"expected a number, found {text!r}", param_hint=option) from None


def _threshold(texts: list[str] | None) -> float | dict[str, float] | None:
    if not texts:
        return None
    if len(texts) == 1 and "=" not in texts[0]:
        return _number(texts[0], "--threshold")
    return _numbers(texts, "--threshold")


def _ends(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    ends = [_number(part, "--human-scale") for part in listed(text) or []]
    if len(ends) != 2:
        raise typer.BadParameter(f"expected two numbers, such as 1,5, found {text!r}", param_hint="--human-scale")
    return ends[0], ends[1]


def _prices(texts: list[str] | None) -> dict[str, Any] | None:
    from muffakir_eval.cli.options import amounts

    pairs = [_pair(text, "--price") for text in texts or []]
    return {model: amounts(price) for model, price in pairs} or None
