"""``muffakir-eval validate``."""

from __future__ import annotations

from typing import Annotated

import typer

from muffakir_eval.cli.as_options import as_options
from muffakir_eval.cli.options import (
    ColumnMapping,
    Dataset,
    Encoding,
    IdColumns,
    Sheet,
    listed,
    mapping,
    sheet_key,
)
from muffakir_eval.cli.outcome import WRONG_USE, exit_codes

__all__ = ["validate"]


def validate(  # noqa: PLR0913 - one parameter per option
    dataset: Dataset,
    column_mapping: ColumnMapping = None,
    id_columns: IdColumns = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    show: Annotated[int, typer.Option(help="Show the first so many questions.", min=0)] = 3,
    problems: Annotated[int, typer.Option(help="Show the first so many problems.", min=0)] = 20,
) -> None:
    """Show what is read from a question set, how its columns are understood, and what is wrong.

    Example: muffakir-eval validate questions.xlsx --sheet Sheet2
    """
    with exit_codes():
        from muffakir_eval.datasets import load_evaluation_dataset

        samples = load_evaluation_dataset(
            dataset,
            fail_fast=False,
            column_mapping=mapping(column_mapping),
            id_columns=listed(id_columns),
            encoding=encoding,
            sheet=sheet_key(sheet),
        )
        from muffakir_eval.writers.console import print_text

        print_text(as_options(samples.describe()))
        for sample in samples[:show]:
            print_text(f"\n  row {sample.row}  {_short(sample.question)}")
            for label, text in (("answer", sample.answer), ("context", sample.context), ("chunk id", sample.chunk_id)):
                if text:
                    print_text(f"    {label}: {_short(text)}")
        for warning in samples.warnings:
            print_text(f"warning: {as_options(warning)}")
        for problem in samples.problems[:problems]:
            print_text(f"problem: {as_options(str(problem))}")
        if len(samples.problems) > problems:
            more = len(samples.problems) - problems
            print_text(f"and {more} more problems; --problems {len(samples.problems)} shows them all")
        if samples.problems:
            raise typer.Exit(WRONG_USE)


def _short(text: str, length: int = 100) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[:length] + "…"
