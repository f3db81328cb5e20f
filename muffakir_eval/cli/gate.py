"""``muffakir-eval gate``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from muffakir_eval.cli.outcome import exit_codes, print_json
from muffakir_eval.errors import ConfigError, StorageError

if TYPE_CHECKING:
    from muffakir_eval.comparison.gate_conditions import Condition, Operator
    from muffakir_eval.comparison.gate_result import GateResult

__all__ = ["gate"]

_JOB_SUMMARY = "GITHUB_STEP_SUMMARY"


def gate(  # noqa: PLR0913 - one parameter per option
    run: Annotated[str, typer.Argument(help="Folder of a run.", metavar="RUN")],
    minimum: Annotated[
        list[str] | None,
        typer.Option("--min", help="At least this; may be given several times.", metavar="METRIC=NUMBER"),
    ] = None,
    maximum: Annotated[
        list[str] | None,
        typer.Option("--max", help="At most this; may be given several times.", metavar="METRIC=NUMBER"),
    ] = None,
    baseline: Annotated[str | None, typer.Option(help="Folder of an earlier run.", metavar="OLD")] = None,
    no_significant_drop: Annotated[
        list[str] | None,
        typer.Option(help="Not significantly worse than --baseline; may be given several times.", metavar="METRIC"),
    ] = None,
    max_drop: Annotated[
        list[str] | None, typer.Option(help="Worse than --baseline by at most this.", metavar="METRIC=NUMBER")
    ] = None,
    min_coverage: Annotated[
        float, typer.Option(help="Share of the questions that a metric applies to which must have been scored.")
    ] = 0.9,
    use: Annotated[
        Literal["mean", "lower"],
        typer.Option(help="What is held against a limit: the mean, or the unfavourable end of its interval."),
    ] = "mean",
    allow_partial: Annotated[
        bool, typer.Option("--allow-partial", help="Look at a run that stopped early, too.")
    ] = False,
    common_only: Annotated[
        bool, typer.Option("--common-only", help="Compare with a baseline of another dataset on what both have.")
    ] = False,
    confidence: Annotated[
        float, typer.Option("--confidence", "--confidence-level", help="Of the comparison with --baseline.")
    ] = 0.95,
    seed: Annotated[int, typer.Option(help="Of its draws.", min=0)] = 0,
    junit: Annotated[str | None, typer.Option(help="Write the outcome as JUnit XML.", metavar="FILE")] = None,
    markdown: Annotated[str | None, typer.Option(help="Write the outcome as Markdown.", metavar="FILE")] = None,
    job_summary: Annotated[
        bool, typer.Option("--job-summary", help=f"Add the Markdown to the file that {_JOB_SUMMARY} names.")
    ] = False,
    json_output: Annotated[
        bool, typer.Option("--json", help="Print the outcome as JSON instead of the table.")
    ] = False,
) -> None:
    """Hold a run against thresholds and against an earlier run, for a CI job.

    Exit codes: 0 every condition holds, 1 one does not, 2 wrong use or an unreadable run, 3 too little was
    measured to say.

    Examples:
      muffakir-eval gate eval_results --min recall_at_k=0.8 --max answer_refusal_rate=0.1

      muffakir-eval gate new --baseline old --no-significant-drop faithfulness --junit gate.xml
    """
    with exit_codes():
        from muffakir_eval.comparison.gate import check_gate
        from muffakir_eval.records.codec import strict_json
        from muffakir_eval.writers.console import print_text

        summary_file = _job_summary() if job_summary else None
        result = check_gate(
            run,
            *_conditions(minimum or (), ">=", "--min"),
            *_conditions(maximum or (), "<=", "--max"),
            baseline=baseline,
            no_significant_drop=[name for given in no_significant_drop or () for name in _names(given)],
            max_drop={one.name: one.limit for one in _conditions(max_drop or (), "<=", "--max-drop")},
            min_coverage=min_coverage,
            use=use,
            allow_partial=allow_partial,
            common_only=common_only,
            confidence=confidence,
            seed=seed,
        )
        _write(result, junit, markdown, summary_file)
        if json_output:
            print_json(strict_json(result.to_dict(), indent=2))
        else:
            print_text(str(result))
        if result.exit_code:
            raise typer.Exit(result.exit_code)


def _conditions(pairs: Sequence[str], operator: Operator, option: str) -> Iterator[Condition]:
    from muffakir_eval.comparison.gate_conditions import Condition, threshold

    for pair in pairs:
        name, equals, limit = pair.rpartition("=")
        if not equals or not name.strip():
            raise ConfigError(f"found {pair!r}", where=option, expected="METRIC=NUMBER, such as recall_at_k=0.8")
        yield Condition(name=name.strip(), operator=operator, limit=threshold(limit, f"{option} {pair}"))


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _job_summary() -> Path:
    """The file that a CI job shows as its summary."""
    named = os.environ.get(_JOB_SUMMARY)
    if not named:
        raise ConfigError(
            f"the variable {_JOB_SUMMARY} is not set",
            where="--job-summary",
            remedy="use --markdown FILE outside of such a job",
        )
    return Path(named)


def _write(result: GateResult, junit: str | None, markdown: str | None, job_summary: Path | None) -> None:
    from muffakir_eval.atomic import replace_file

    if junit is not None:
        replace_file(junit, [_encoded(result.junit())])
    if markdown is not None:
        replace_file(markdown, [_encoded(result.markdown())])
    if job_summary is not None:
        try:
            with job_summary.open("ab") as file:  # other steps of the job have written there
                file.write(_encoded(f"\n{result.markdown()}"))
        except OSError as error:
            raise StorageError(f"the job summary cannot be written ({error})", where=str(job_summary)) from error


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")
