"""``muffakir-eval convert``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from muffakir_eval.cli.judged_sets import question_set
from muffakir_eval.cli.options import (
    ColumnMapping,
    Encoding,
    IdColumns,
    KeepGoing,
    Sheet,
    listed,
    mapping,
    sheet_key,
)
from muffakir_eval.cli.outcome import exit_codes
from muffakir_eval.errors import ConfigError

if TYPE_CHECKING:
    from muffakir_eval.records import RetrievedChunk

__all__ = ["convert"]


def convert(  # noqa: PLR0913 - one parameter per option
    source: Annotated[
        str, typer.Argument(help="A question set, a BEIR folder, or a file of TREC qrels.", metavar="SOURCE")
    ],
    target: Annotated[
        str, typer.Argument(help="A folder, which becomes a BEIR folder, or a .jsonl file.", metavar="TARGET")
    ],
    corpus: Annotated[
        str | None, typer.Option(help="Passages for the corpus of the BEIR folder: .jsonl, .json, .csv, .tsv, .xlsx.")
    ] = None,
    corpus_text: Annotated[str | None, typer.Option(help="Column of --corpus that holds the passage.")] = None,
    corpus_id: Annotated[str | None, typer.Option(help="Column of --corpus that holds its identifier.")] = None,
    queries: Annotated[
        str | None, typer.Option(help="Texts of the queries, SOURCE being a file of TREC qrels.", metavar="FILE")
    ] = None,
    column_mapping: ColumnMapping = None,
    id_columns: IdColumns = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    keep_going: KeepGoing = False,
) -> None:
    """Write a question set as a BEIR folder, or a BEIR folder as a question set.

    Examples:
      muffakir-eval convert questions.xlsx my_set --corpus passages.jsonl

      muffakir-eval convert my_set questions.jsonl

      muffakir-eval convert trec.qrels my_set --queries topics.tsv --corpus passages.jsonl
    """
    with exit_codes():
        from muffakir_eval.datasets import load_evaluation_dataset
        from muffakir_eval.datasets.beir.converting import beir_to_dataset, dataset_to_beir, refuse_overwriting
        from muffakir_eval.datasets.beir.files import beir_folder

        for name, path in (("SOURCE", source), ("TARGET", target)):
            if not path.strip():
                raise ConfigError(f"{name} is empty", where=name, remedy="name a file or a folder")
        found = beir_folder(Path(source)) if queries is None else None
        if Path(target).suffix.lower() == ".jsonl":
            if found is None:
                raise ConfigError(
                    f"{source} is no BEIR folder", where="SOURCE", remedy="name a folder, without .jsonl, as TARGET"
                )
            _refuse(
                _OF_QUESTION_SETS,
                *(corpus, corpus_text, corpus_id, column_mapping, id_columns, encoding, sheet, keep_going),
            )
            told = beir_to_dataset(found[0], target, qrels=found[1])
        else:
            if found is not None:
                raise ConfigError(
                    f"{source} is a BEIR folder already",
                    where="TARGET",
                    remedy="name a file ending in .jsonl as TARGET",
                )
            if corpus is None:
                _refuse(_OF_CORPUS, corpus_text, corpus_id)
            for given in (source, corpus, queries):
                if given is not None:
                    refuse_overwriting(target, given)
            samples = load_evaluation_dataset(
                question_set(source, None, queries),
                column_mapping=mapping(column_mapping),
                id_columns=listed(id_columns),
                encoding=encoding,
                sheet=sheet_key(sheet),
                fail_fast=not keep_going,
            )
            told = [
                *(f"left out, bad row: {problem}" for problem in samples.problems),
                *dataset_to_beir(samples, target, corpus=_passages(corpus, corpus_text, corpus_id)),
            ]
        from muffakir_eval.writers.console import print_text

        for line in told:
            print_text(f"note: {line}")
        print_text(f"Written to {target}")


_OF_CORPUS = ("--corpus-text", "--corpus-id")
_OF_QUESTION_SETS = ("--corpus", *_OF_CORPUS, "--map", "--id-columns", "--encoding", "--sheet", "--keep-going")


def _refuse(options: tuple[str, ...], *given: object) -> None:
    """Options that were given and change nothing would leave a wrong belief behind."""
    named = [option for option, value in zip(options, given, strict=True) if value]
    if named:
        raise ConfigError(
            f"{' and '.join(named)} {'has' if len(named) == 1 else 'have'} no meaning here", remedy="leave it out"
        )


def _passages(corpus: str | None, text_column: str | None, id_column: str | None) -> list[RetrievedChunk] | None:
    if corpus is None:
        return None
    from muffakir_eval.pipelines import load_corpus

    return load_corpus(corpus, text_column=text_column, id_column=id_column)
