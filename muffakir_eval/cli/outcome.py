"""How a command ends: exit codes, and errors as people read them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from muffakir_eval.errors import MuffakirEvalError, PipelineDownError, StorageError

__all__ = ["INTERRUPTED", "STOPPED", "TOO_LITTLE", "WRONG_USE", "exit_codes"]

WRONG_USE, TOO_LITTLE, STOPPED, INTERRUPTED = 2, 3, 4, 130

_OPTIONS = {
    "column_mapping": "--map FIELD=COLUMN",
    "id_columns": "--id-columns",
    "encoding": "--encoding (--corpus-encoding for the passages)",
    "sheet": "--sheet (--corpus-sheet for the passages)",
    "text_column": "--corpus-text",
    "id_column": "--corpus-id",
    "output_dir": "--output-dir",
    "on_existing": "--on-existing",
    "fail_fast": "--keep-going",
    "fail_fast_dataset": "--keep-going",
    "rag": "--pipeline or --retriever",
}
"""What the settings that messages name are called on the command line."""


@contextmanager
def exit_codes() -> Iterator[None]:
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
