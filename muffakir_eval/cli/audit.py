"""``muffakir-eval audit``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from muffakir_eval.cli.as_options import as_options
from muffakir_eval.cli.judged_sets import folder_of_passages, question_set
from muffakir_eval.cli.options import (
    ColumnMapping,
    Encoding,
    IdColumns,
    KeepGoing,
    LogFile,
    Sheet,
    listed,
    mapping,
    numbers,
    sheet_key,
)
from muffakir_eval.cli.outcome import exit_codes, keeping_output_clean, print_json
from muffakir_eval.cli.set_option import laid_over
from muffakir_eval.errors import ConfigError, DatasetRowError, MuffakirEvalError, PipelineDownError, StorageError

if TYPE_CHECKING:
    from muffakir_eval.audit.result import FailOn, IndexAudit
    from muffakir_eval.audit.settings import AuditConfig

__all__ = ["audit"]

_ELSEWHERE = ("rag", "text_column", "id_column")
"""Settings that other commands call by other options."""


def audit(  # noqa: PLR0913 - one parameter per option
    corpus: Annotated[
        str,
        typer.Argument(
            help="Chunks of the index: .jsonl, .json, .csv, .tsv, .xlsx, .xls, .parquet, .txt, a folder of such files, "
            "or a BEIR folder, whose own questions are taken where DATASET is left out.",
            metavar="CORPUS",
        ),
    ],
    dataset: Annotated[
        str | None,
        typer.Argument(
            help="Question set with gold passages or identifiers, as for `run`. Without it only the texts are audited.",
            metavar="DATASET",
            show_default=False,
        ),
    ] = None,
    retriever: Annotated[
        str | None,
        typer.Option(
            help="What retrieves: bm25 over CORPUS, or MODULE:ATTRIBUTE, e.g. my_rag:retriever. Without it the "
            "rankings that DATASET carries.",
            metavar="bm25|MODULE:ATTRIBUTE",
        ),
    ] = None,
    config: Annotated[str | None, typer.Option(help="Settings: .toml, .yaml or .json. Options given here win.")] = None,
    k: Annotated[int | None, typer.Option(help="Main cutoff [default: 5].")] = None,
    top_n: Annotated[int | None, typer.Option(help="Chunks to ask the retriever for [default: 100].")] = None,
    k_values: Annotated[
        str | None, typer.Option(help="Cutoffs of the metrics [default: 1,3,5,10,20,50,100 as far as --top-n].")
    ] = None,
    language: Annotated[str | None, typer.Option(help="Of the texts: ar or en [default: ar].")] = None,
    match_by: Annotated[str | None, typer.Option(help="auto, id or text [default: auto].")] = None,
    slice_by: Annotated[
        str | None, typer.Option(help="Columns of the dataset whose values are told apart [default: source_file].")
    ] = None,
    max_samples: Annotated[int | None, typer.Option(help="Only the first so many questions.")] = None,
    text_column: Annotated[
        str | None, typer.Option("--text-column", "--corpus-text", help="Column of CORPUS that holds the passage.")
    ] = None,
    id_column: Annotated[
        str | None, typer.Option("--id-column", "--corpus-id", help="Column of CORPUS that holds its identifier.")
    ] = None,
    corpus_encoding: Annotated[str | None, typer.Option(help="Encoding of CORPUS if not UTF-8, e.g. cp1256.")] = None,
    corpus_sheet: Annotated[str | None, typer.Option(help="Sheet of CORPUS, by name, or by number from 0.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes that read the index at once [default: 1].")] = None,
    run_file: Annotated[
        str | None,
        typer.Option(help="TREC run whose rankings are audited; DATASET is then TREC qrels or a BEIR folder."),
    ] = None,
    queries: Annotated[
        str | None, typer.Option(help="Texts of the queries, DATASET being a file of TREC qrels.", metavar="FILE")
    ] = None,
    column_mapping: ColumnMapping = None,
    id_columns: IdColumns = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    keep_going: KeepGoing = False,
    texts_only: Annotated[
        bool, typer.Option("--texts-only", help="Audit only the texts, also of a BEIR folder that has questions.")
    ] = False,
    output_dir: Annotated[str | None, typer.Option(help="Folder of the files [default: ./audit_results].")] = None,
    fail_on: Annotated[
        Literal["error", "warning", "never"],
        typer.Option(help="The mildest finding that makes the exit code 1."),
    ] = "error",
    min_reachable: Annotated[
        float | None,
        typer.Option(
            help="Least share of the golds that the index must hold, e.g. 0.95; missing golds are then no failure by "
            "themselves.",
            min=0.0,
            max=1.0,
        ),
    ] = None,
    set_by_key: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Any other setting, e.g. --set overlap_threshold=0.7 --set matching.profile=persian; may be given "
            "several times. The value is TOML; a bare word is a text.",
            metavar="KEY=VALUE",
        ),
    ] = None,
    log_file: LogFile = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar and no notes.")] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print audit.json instead of the table.")] = False,
) -> None:
    """Is the evidence in the index, does the retriever find it, and if not, why? No answers, no judge, no key.

    Exit codes: 0 good, 1 a finding of --fail-on or worse, or fewer golds in the index than --min-reachable, 2 wrong use
    or unreadable input, 3 no question has a gold that could be looked for, 4 the retriever is down.

    Examples:
      muffakir-eval audit corpus.jsonl

      muffakir-eval audit corpus.jsonl questions.jsonl --retriever bm25 --top-n 50

      muffakir-eval audit chunks.parquet questions.xlsx --retriever my_rag:retriever --min-reachable 0.95

      muffakir-eval audit beir_folder --retriever bm25
    """
    given = {
        "k": k,
        "top_n": top_n,
        "k_values": numbers(k_values, "--k-values"),
        "language": language,
        "match_by": match_by,
        "slice_by": listed(slice_by),
        "max_samples": max_samples,
        "text_column": text_column,
        "id_column": id_column,
        "corpus_encoding": corpus_encoding,
        "corpus_sheet": sheet_key(corpus_sheet),
        "workers": workers,
        "column_mapping": mapping(column_mapping),
        "id_columns": listed(id_columns),
        "encoding": encoding,
        "sheet": sheet_key(sheet),
        "fail_fast_dataset": False if keep_going else None,
        "output_dir": output_dir,
        "progress": False if quiet else None,
    }
    with exit_codes(without=_ELSEWHERE, log_file=log_file):
        if run_file is not None and retriever is not None:
            raise ConfigError("--run-file holds the rankings already", remedy="leave --retriever out")
        settings = _settings(config, given, set_by_key)
        if dataset is not None and not dataset.strip():  # of a variable that is not set
            raise ConfigError("the path of DATASET is empty", remedy="leave it out to audit only the texts")
        questions = None if texts_only else dataset or folder_of_passages(corpus)
        # What the retriever prints must not stand in the middle of the JSON.
        with keeping_output_clean(json_output):
            found, stopped = _audited(corpus, _question_set(questions, run_file, queries), _asked(retriever), settings)
        _show(found, as_json=json_output)
        if stopped is not None:
            raise stopped
        _end(found, fail_on=fail_on, min_reachable=min_reachable)


def _settings(config: str | None, given: dict[str, Any], set_by_key: list[str] | None) -> AuditConfig:
    """The settings file with the options laid over it."""
    from muffakir_eval.audit.settings import AuditConfig

    values = laid_over(config, given, set_by_key, known=AuditConfig.known_keys())
    return AuditConfig.from_mapping(values, where=config or "command line")


def _question_set(questions: str | None, run_file: str | None, queries: str | None) -> Any:
    if questions is not None:
        return question_set(questions, run_file, queries)
    if run_file is not None or queries is not None:
        raise ConfigError("--run-file and --queries need DATASET", remedy="name the judgements behind the corpus")
    return None


def _asked(retriever: str | None) -> Any:
    """``bm25`` by name, or the object that is named."""
    if retriever is None or retriever.lower() == "bm25":
        return retriever
    if ":" not in retriever:
        raise ConfigError(f"unknown retriever {retriever!r}", expected="bm25, or MODULE:ATTRIBUTE", where="--retriever")
    from muffakir_eval.pipelines import load_pipeline

    return load_pipeline(retriever)


def _audited(
    corpus: str, questions: Any, retriever: Any, settings: AuditConfig
) -> tuple[IndexAudit, MuffakirEvalError | None]:
    """The audit, and why it is not complete or not written."""
    from muffakir_eval.audit.index import audit_index
    from muffakir_eval.audit.result import IndexAudit

    try:
        return audit_index(corpus, questions, retriever, save=True, config=settings), None
    except DatasetRowError as error:
        error.add_note("--keep-going sets bad rows aside; muffakir-eval validate lists them all.")
        raise
    except (PipelineDownError, StorageError) as error:
        if not isinstance(error.report, IndexAudit):
            raise
        return error.report, error


def _show(found: IndexAudit, *, as_json: bool) -> None:
    if as_json:
        from muffakir_eval.records.codec import strict_json

        print_json(strict_json(found.to_dict(), indent=2))
        return
    from muffakir_eval.writers.console import print_text

    print_text(as_options(str(found)))
    if found.folder is not None:
        typer.echo(f"\nWritten to {found.folder}")


def _end(found: IndexAudit, *, fail_on: FailOn, min_reachable: float | None) -> None:
    """The exit code, and why it is not 0."""
    code = found.exit_code(fail_on=fail_on, min_reachable=min_reachable)
    if code == 1:
        typer.echo(f"Not good: {'; '.join(found.faults(fail_on=fail_on, min_reachable=min_reachable))}.", err=True)
    elif code:
        typer.echo("Too little was measured: no question has a gold that could be looked for in the index.", err=True)
    if code:
        raise typer.Exit(code)
