"""The command ``muffakir-eval``: parse, call, print, exit code.

Exit codes: 0 good, 2 wrong use or unreadable input, 3 not enough was measured, 4 stopped early,
130 interrupted.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from muffakir_eval.errors import ConfigError, MuffakirEvalError, PipelineDownError, StorageError

if TYPE_CHECKING:
    from muffakir_eval.config import EvaluationConfig

__all__ = ["app", "main"]

GOOD, WRONG_USE, TOO_LITTLE, STOPPED, INTERRUPTED = 0, 2, 3, 4, 130

_OPTIONS = {
    "column_mapping": "--map FIELD=COLUMN",
    "id_columns": "--id-columns",
    "encoding": "--encoding",
    "sheet": "--sheet",
    "output_dir": "--output-dir",
    "on_existing": "--on-existing",
    "fail_fast": "--keep-going",
    "fail_fast_dataset": "--keep-going",
    "rag": "--pipeline or --retriever",
}
"""What the settings that messages name are called on the command line."""

app = typer.Typer(
    name="muffakir-eval",
    help="Evaluate retrieval-augmented generation in Arabic and other languages.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Dataset = Annotated[
    str,
    typer.Argument(
        help="Question set: .jsonl, .json, .csv, .tsv, .xlsx, .xls, .parquet, or the folder of an earlier run.",
        metavar="DATASET",
    ),
]
ColumnMapping = Annotated[
    list[str] | None,
    typer.Option(
        "--map", help="FIELD=COLUMN, e.g. --map question=السؤال; may be given several times.", metavar="FIELD=COLUMN"
    ),
]
Encoding = Annotated[str | None, typer.Option(help="Encoding of a text file that is not UTF-8, e.g. cp1256.")]
Sheet = Annotated[str | None, typer.Option(help="Sheet of a workbook, by name or by number from 1.")]
IdColumns = Annotated[str | None, typer.Option(help="Columns that together identify a row, e.g. file,number.")]


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"muffakir-eval {version('muffakir-eval')}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Evaluate retrieval-augmented generation in Arabic and other languages."""


@app.command()
def run(  # noqa: PLR0913 - one parameter per option
    dataset: Dataset,
    pipeline: Annotated[
        str | None,
        typer.Option(help="What is under test: MODULE:ATTRIBUTE, e.g. my_rag:rag.", metavar="MODULE:ATTRIBUTE"),
    ] = None,
    retriever: Annotated[str | None, typer.Option(help="Built-in retriever over --corpus: bm25.")] = None,
    corpus: Annotated[
        str | None, typer.Option(help="Passages for --retriever: .jsonl, .json, .csv, .tsv, .xlsx.")
    ] = None,
    rechunk: Annotated[
        int | None, typer.Option(help="Cut the passages of --corpus into windows of so many words first.", min=1)
    ] = None,
    config: Annotated[str | None, typer.Option(help="Settings: .toml, .yaml or .json. Options given here win.")] = None,
    metrics: Annotated[str | None, typer.Option(help="Comma-separated, e.g. recall,mrr,ndcg@10.")] = None,
    k: Annotated[int | None, typer.Option(help="Main cutoff [default: 5].")] = None,
    k_values: Annotated[str | None, typer.Option(help="Further cutoffs, e.g. 1,3,10.")] = None,
    match_by: Annotated[str | None, typer.Option(help="auto, id or text [default: auto].")] = None,
    max_samples: Annotated[int | None, typer.Option(help="Only the first so many questions.")] = None,
    output_dir: Annotated[str | None, typer.Option(help="Folder of the run [default: ./eval_results].")] = None,
    on_existing: Annotated[
        str | None, typer.Option(help="A run in that folder: resume, extend, overwrite or error [default: resume].")
    ] = None,
    column_mapping: ColumnMapping = None,
    id_columns: IdColumns = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    keep_going: Annotated[bool, typer.Option("--keep-going", help="Set bad rows aside and go on.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar and no notes.")] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print summary.json instead of the table.")] = False,
) -> None:
    """Ask every question, match what was retrieved with the gold evidence, write a run folder.

    Examples:
      muffakir-eval run questions.jsonl --retriever bm25 --corpus corpus.jsonl

      muffakir-eval run questions.xlsx --pipeline my_rag:rag --metrics recall,mrr --k 10

      muffakir-eval run answers.csv      (the file itself carries the outputs)
    """
    given = {
        "metrics": _listed(metrics),
        "k": k,
        "k_values": _numbers(k_values, "--k-values"),
        "match_by": match_by,
        "max_samples": max_samples,
        "output_dir": output_dir,
        "on_existing": on_existing,
        "column_mapping": _mapping(column_mapping),
        "id_columns": _listed(id_columns),
        "encoding": encoding,
        "sheet": _sheet(sheet),
        "fail_fast_dataset": False if keep_going else None,
        "progress": False if quiet else None,
    }
    with _exit_codes():
        settings = _settings(config, given)
        rag = _under_test(pipeline, retriever, corpus, rechunk)
        from muffakir_eval.evaluation import MuffakirEvaluation

        report = MuffakirEvaluation(settings).evaluate(rag, dataset, save=True)
        if json_output:
            from muffakir_eval.records.codec import strict_json

            typer.echo(strict_json(report.to_dict(), indent=2))
        else:
            from muffakir_eval.writers.console import print_report

            print_report(report.to_dict())
            typer.echo(f"\nWritten to {report.folder}")
        if not any(block["n_scored"] for block in report.metrics.values()):
            typer.echo("Nothing was measured: the reasons stand in the table.", err=True)
            raise typer.Exit(TOO_LITTLE)


@app.command()
def validate(
    dataset: Dataset,
    column_mapping: ColumnMapping = None,
    id_columns: IdColumns = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    show: Annotated[int, typer.Option(help="Show the first so many questions.", min=0)] = 3,
) -> None:
    """Show what is read from a question set, how its columns are understood, and what is wrong.

    Example: muffakir-eval validate questions.xlsx --sheet Sheet2
    """
    with _exit_codes():
        from muffakir_eval.datasets import load_evaluation_dataset

        samples = load_evaluation_dataset(
            dataset,
            fail_fast=False,
            column_mapping=_mapping(column_mapping),
            id_columns=_listed(id_columns),
            encoding=encoding,
            sheet=_sheet(sheet),
        )
        from muffakir_eval.writers.console import print_text

        print_text(samples.describe())
        for sample in samples[:show]:
            print_text(f"\n  row {sample.row}  {_short(sample.question)}")
            for label, text in (("answer", sample.answer), ("context", sample.context), ("chunk id", sample.chunk_id)):
                if text:
                    print_text(f"    {label}: {_short(text)}")
        for warning in samples.warnings:
            print_text(f"warning: {warning}")
        for problem in samples.problems:
            print_text(f"problem: {problem}")
        if samples.problems:
            raise typer.Exit(WRONG_USE)


def _short(text: str, length: int = 100) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[:length] + "…"


def _under_test(pipeline: str | None, retriever: str | None, corpus: str | None, words: int | None) -> Any:
    """The object that is evaluated; ``None`` takes the outputs that the dataset carries."""
    if pipeline and retriever:
        raise ConfigError("--pipeline and --retriever were both given", remedy="choose one of them")
    if retriever is None:
        if corpus or words:
            raise ConfigError("--corpus and --rechunk need --retriever", remedy="add --retriever bm25")
        if pipeline is None:
            return None
        from muffakir_eval.pipelines import load_pipeline

        return load_pipeline(pipeline)
    if retriever.lower() != "bm25":
        raise ConfigError(f"unknown retriever {retriever!r}", expected="bm25", remedy="use --retriever bm25")
    if corpus is None:
        raise ConfigError("--retriever needs passages", remedy="add --corpus FILE")
    from muffakir_eval.pipelines import BM25Retriever, load_corpus
    from muffakir_eval.pipelines import rechunk as cut

    chunks = load_corpus(corpus)
    return BM25Retriever(chunks if words is None else cut(chunks, words=words, overlap=words // 6))


def _settings(config: str | None, given: dict[str, Any]) -> EvaluationConfig:
    """The settings file with the options laid over it."""
    from muffakir_eval.config import EvaluationConfig, read_settings

    values = read_settings(Path(config)) if config else {}
    values.update({name: value for name, value in given.items() if value is not None})
    return EvaluationConfig.from_mapping(values, where=config or "command line")


def _listed(text: str | None) -> list[str] | None:
    return [part.strip() for part in text.split(",") if part.strip()] if text is not None else None


def _numbers(text: str | None, option: str) -> list[int] | None:
    try:
        return None if text is None else [int(part) for part in _listed(text) or []]
    except ValueError:
        raise typer.BadParameter(f"expected whole numbers, such as 1,3,10, found {text!r}", param_hint=option) from None


def _mapping(pairs: list[str] | None) -> dict[str, str] | None:
    if not pairs:
        return None
    mapping = {}
    for pair in pairs:
        field, equals, column = pair.partition("=")
        if not equals or not field or not column:
            raise typer.BadParameter(f"expected FIELD=COLUMN, found {pair!r}", param_hint="--map")
        mapping[field.strip()] = column.strip()
    return mapping


def _sheet(text: str | None) -> str | int | None:
    """A number counts sheets from 1, as people do; the loader counts from 0."""
    return int(text) - 1 if text is not None and text.isascii() and text.isdigit() and text != "0" else text


@contextmanager
def _exit_codes() -> Iterator[None]:
    """Errors of ours become a few words and an exit code."""
    try:
        yield
    except (PipelineDownError, StorageError) as error:
        _say(error)
        raise typer.Exit(STOPPED if error.report is not None else WRONG_USE) from None
    except MuffakirEvalError as error:
        _say(error)
        raise typer.Exit(WRONG_USE) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


def _say(error: MuffakirEvalError) -> None:
    """The message, and what the settings that it names are called here."""
    text = str(error)
    typer.echo(f"error: {text}", err=True)
    named = [f"{name} is {option}" for name, option in _OPTIONS.items() if re.search(rf"\b{name}\b", text)]
    if named:
        typer.echo(f"On the command line {', '.join(named)}.", err=True)


def main() -> None:
    """Entry point of the console script."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a terminal that cannot show Arabic must not end the run
            reconfigure(errors="replace")
    app()
