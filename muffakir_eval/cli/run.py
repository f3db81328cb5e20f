"""``muffakir-eval run``."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from muffakir_eval.cli.as_options import as_options
from muffakir_eval.cli.judged_sets import question_set
from muffakir_eval.cli.options import (
    Budget,
    ColumnMapping,
    Dataset,
    Encoding,
    IdColumns,
    JudgeRepeats,
    KeepGoing,
    LlmBaseUrl,
    LlmModel,
    LlmProvider,
    LogFile,
    MaxConcurrency,
    NoCache,
    Price,
    Set,
    Sheet,
    amounts,
    listed,
    mapping,
    numbers,
    sheet_key,
)
from muffakir_eval.cli.outcome import STOPPED, TOO_LITTLE, exit_codes, keeping_output_clean, print_json
from muffakir_eval.cli.passages import Passages
from muffakir_eval.cli.set_option import resolved_settings
from muffakir_eval.errors import ConfigError, DatasetRowError

if TYPE_CHECKING:
    from muffakir_eval.config import EvaluationConfig
    from muffakir_eval.report import EvaluationReport

__all__ = ["run"]


def run(  # noqa: PLR0913 - one parameter per option
    dataset: Dataset,
    pipeline: Annotated[
        str | None,
        typer.Option(help="What is under test: MODULE:ATTRIBUTE, e.g. my_rag:rag.", metavar="MODULE:ATTRIBUTE"),
    ] = None,
    retriever: Annotated[str | None, typer.Option(help="Built-in retriever over --corpus: bm25.")] = None,
    corpus: Annotated[
        str | None,
        typer.Option(
            help="Passages for --retriever: .jsonl, .json, .csv, .tsv, .xlsx, or a BEIR folder; without it those of "
            "the BEIR folder that is DATASET."
        ),
    ] = None,
    corpus_text: Annotated[
        str | None, typer.Option("--corpus-text", "--text-column", help="Column of --corpus that holds the passage.")
    ] = None,
    corpus_id: Annotated[
        str | None, typer.Option("--corpus-id", "--id-column", help="Column of --corpus that holds its identifier.")
    ] = None,
    corpus_encoding: Annotated[str | None, typer.Option(help="Encoding of --corpus if not UTF-8.")] = None,
    corpus_sheet: Annotated[str | None, typer.Option(help="Sheet of --corpus, by name, or by number from 0.")] = None,
    rechunk: Annotated[
        int | None, typer.Option(help="Cut the passages of --corpus into windows of so many words first.", min=1)
    ] = None,
    config: Annotated[str | None, typer.Option(help="Settings: .toml, .yaml or .json. Options given here win.")] = None,
    metrics: Annotated[str | None, typer.Option(help="Comma-separated, e.g. recall,ndcg@10,faithfulness.")] = None,
    k: Annotated[int | None, typer.Option(help="Main cutoff [default: 5].")] = None,
    k_values: Annotated[str | None, typer.Option(help="Further cutoffs, e.g. 1,3,10.")] = None,
    language: Annotated[
        str | None, typer.Option(help="Of the judge's prompts and of the report: ar or en [default: ar].")
    ] = None,
    match_by: Annotated[str | None, typer.Option(help="auto, id or text [default: auto].")] = None,
    max_samples: Annotated[int | None, typer.Option(help="Only the first so many questions.")] = None,
    slice_by: Annotated[
        str | None, typer.Option(help="Columns of the dataset, e.g. dialect,topic: every metric per value, too.")
    ] = None,
    cluster_column: Annotated[
        str | None, typer.Option(help="Questions with the same value in it are not independent, e.g. source_file.")
    ] = None,
    confidence_level: Annotated[
        float | None,
        typer.Option("--confidence-level", "--confidence", help="Of the intervals [default: 0.95]."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of the draws behind the intervals [default: 0].")] = None,
    output_dir: Annotated[str | None, typer.Option(help="Folder of the run [default: ./eval_results].")] = None,
    on_existing: Annotated[
        str | None, typer.Option(help="A run in that folder: resume, extend, overwrite or error [default: resume].")
    ] = None,
    run_file: Annotated[
        str | None,
        typer.Option(
            help="TREC run whose rankings are measured; DATASET is then a file of TREC qrels or a BEIR folder.",
            metavar="RUN",
        ),
    ] = None,
    queries: Annotated[
        str | None,
        typer.Option(
            help="Texts of the queries, DATASET being a file of TREC qrels: identifier and text with a tab between, or "
            ".jsonl as in BEIR.",
            metavar="FILE",
        ),
    ] = None,
    column_mapping: ColumnMapping = None,
    id_columns: IdColumns = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    llm_provider: LlmProvider = None,
    llm_model: LlmModel = None,
    llm_base_url: LlmBaseUrl = None,
    judge_repeats: JudgeRepeats = None,
    max_concurrency: MaxConcurrency = None,
    price: Price = None,
    budget: Budget = None,
    no_cache: NoCache = False,
    keep_going: KeepGoing = False,
    report_formats: Annotated[
        str | None,
        typer.Option(
            "--report",
            help="Further files in the run folder, e.g. html,xlsx: html (report.html), xlsx (samples.xlsx), md "
            "(report.md), jsonl (samples.jsonl).",
            metavar="FORMATS",
        ),
    ] = None,
    set_by_key: Set = None,
    log_file: LogFile = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar and no notes.")] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print summary.json instead of the table.")] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Check everything, say what a run would do and what judging would cost; ask and write nothing.",
        ),
    ] = False,
) -> None:
    """Ask every question, match what was retrieved with the gold evidence, have answers judged, write a run folder.

    Examples:
      muffakir-eval run questions.jsonl --retriever bm25 --corpus corpus.jsonl

      muffakir-eval run questions.xlsx --pipeline my_rag:rag --metrics recall,mrr --k 10

      muffakir-eval run answers.csv      (the file itself carries the outputs)

      muffakir-eval run beir_folder --retriever bm25      (passages and judgements of the folder)

      muffakir-eval run trec.qrels --run-file trec.run --metrics ndcg@10,recall@100

      muffakir-eval run answers.csv --metrics faithfulness --llm-provider openai --llm-model gpt-4o --dry-run

      muffakir-eval run questions.jsonl --config settings.toml --set matching.profile=persian --report html,xlsx
    """
    given = {
        "metrics": listed(metrics),
        "k": k,
        "k_values": numbers(k_values, "--k-values"),
        "language": language,
        # Windows have identifiers of their own, which no judgement names.
        "match_by": match_by or ("auto" if rechunk else None),
        "max_samples": max_samples,
        "slice_by": listed(slice_by),
        "cluster_column": cluster_column,
        "confidence_level": confidence_level,
        "seed": seed,
        "report_formats": listed(report_formats),
        "output_dir": output_dir,
        "on_existing": on_existing,
        "column_mapping": mapping(column_mapping),
        "id_columns": listed(id_columns),
        "encoding": encoding,
        "sheet": sheet_key(sheet),
        "llm_provider": llm_provider,
        "llm_model": llm_model,
        "llm_base_url": llm_base_url,
        "judge_repeats": judge_repeats,
        "max_concurrency": max_concurrency,
        "prices": amounts(price),
        "budget_usd": budget,
        "fail_fast_dataset": False if keep_going else None,
        "progress": False if quiet else None,
        "dry_run": True if dry_run else None,
    }
    with exit_codes(log_file=log_file):
        settings = resolved_settings(config, given, set_by_key, switched_off=["cache_dir"] if no_cache else [])
        if settings.dry_run:
            settings = settings.model_copy(update={"progress": False})  # the plan is the result, and no note
        passages = Passages(corpus, corpus_text, corpus_id, corpus_encoding, sheet_key(corpus_sheet), rechunk)
        if run_file is not None and (pipeline or retriever):
            raise ConfigError("--run-file holds the rankings already", remedy="leave --pipeline and --retriever out")
        # What the pipeline prints must not stand in the middle of the JSON.
        with keeping_output_clean(json_output):
            rag = _under_test(pipeline, retriever, passages, dataset)
            report = _evaluated(settings, rag, question_set(dataset, run_file, queries))
        _show(report, as_json=json_output)


def _evaluated(settings: EvaluationConfig, rag: Any, dataset: Any) -> EvaluationReport:
    from muffakir_eval.evaluation import MuffakirEvaluation

    try:
        return MuffakirEvaluation(settings).evaluate(rag, dataset, save=True)
    except DatasetRowError as error:
        error.add_note("--keep-going sets bad rows aside; muffakir-eval validate lists them all.")
        raise


def _show(report: EvaluationReport, *, as_json: bool) -> None:
    if as_json:
        from muffakir_eval.records.codec import strict_json

        print_json(strict_json(report.to_dict(), indent=2))
    elif report.dry_run:
        typer.echo(str(report))
    else:
        from muffakir_eval.writers.console import print_report

        summary = report.to_dict()
        print_report({**summary, "warnings": [as_options(text) for text in summary.get("warnings") or ()]})
        _tell_of(report)
    if not report.dry_run:
        _end(report, shown="under the key 'metrics'" if as_json else "in the table")


def _tell_of(report: EvaluationReport) -> None:
    """Where the run is, and how it becomes a page."""
    from muffakir_eval.writers.console import print_text

    print_text(f"\nWritten to {report.folder}")
    if "html" not in (report.to_dict()["config"].get("report_formats") or ()):
        print_text(f"As a page: muffakir-eval report {shlex.quote(str(report.folder))} --open")


def _end(report: EvaluationReport, *, shown: str) -> None:
    """The exit code of a run that came to its end, and why it is not 0."""
    blocks = report.metrics.values()
    beyond = sum(block["reasons"].get("over_budget", 0) for block in blocks)
    if beyond:
        typer.echo(
            f"The budget is spent, and {beyond} scores are missing. To have the same answers judged to the end, give "
            f"the folder {report.folder} as DATASET, a higher --budget and another --output-dir; replies in the cache "
            "are not paid again.",
            err=True,
        )
        raise typer.Exit(STOPPED)
    if not blocks:
        typer.echo(
            "Nothing was measured: what the questions and the outputs hold allows none of the metrics that are taken "
            "unasked. Without a judge, answers are compared with gold answers by --metrics token_f1,exact_match.",
            err=True,
        )
        raise typer.Exit(TOO_LITTLE)
    if not any(block["n_scored"] for block in blocks):
        typer.echo(f"Nothing was measured: the reasons stand {shown}.", err=True)
        raise typer.Exit(TOO_LITTLE)
    if failed := [name for name, block in report.metrics.items() if block["n_failed"] and not block["n_scored"]]:
        typer.echo(f"Not one score of {', '.join(failed)}: the reasons stand {shown}.", err=True)
        raise typer.Exit(TOO_LITTLE)


def _under_test(pipeline: str | None, retriever: str | None, passages: Passages, dataset: str) -> Any:
    """The object that is evaluated; ``None`` takes the outputs that the dataset carries."""
    if pipeline and retriever:
        raise ConfigError("--pipeline and --retriever were both given", remedy="choose one of them")
    if retriever is None:
        if any(option is not None for option in passages):
            raise ConfigError("--corpus and --rechunk need --retriever", remedy="add --retriever bm25")
        if pipeline is None:
            return None
        from muffakir_eval.pipelines import load_pipeline

        return load_pipeline(pipeline)
    if retriever.lower() != "bm25":
        raise ConfigError(f"unknown retriever {retriever!r}", expected="bm25", remedy="use --retriever bm25")
    from muffakir_eval.pipelines import BM25Retriever

    return BM25Retriever(passages.load(dataset))
