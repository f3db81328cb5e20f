"""How a command ends: exit codes, and errors as people read them."""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import re
import sys
from collections.abc import Collection, Iterator

import typer

from muffakir_eval.cli.as_options import as_options, notes_as_options
from muffakir_eval.cli.log_file import logging_to
from muffakir_eval.errors import JudgeError, MuffakirEvalError, PipelineDownError, StorageError

__all__ = ["INTERRUPTED", "STOPPED", "TOO_LITTLE", "WRONG_USE", "exit_codes", "keeping_output_clean", "print_json"]

_log = logging.getLogger("muffakir_eval.cli")

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
    "llm_provider": "--llm-provider",
    "llm_model": "--llm-model",
    "llm_base_url": "--llm-base-url",
    "judge_repeats": "--judge-repeats",
    "max_concurrency": "--max-concurrency",
    "budget_usd": "--budget",
    "prices": "--price IN,OUT",
    "api_key": "a line of the file for --config, never an option",
}
"""What the settings that messages name are called on the command line."""

_PLAIN_WORDS = ("sheet", "rag")
"""Settings whose names stand in messages as words, too: ``sheet 'Tests', row 4`` asks for no option."""


@contextlib.contextmanager
def exit_codes(*, without: Collection[str] = (), log_file: str | None = None) -> Iterator[None]:
    """Errors of ours become a few words and an exit code.

    Args:
        without: Settings that have no option in this command.
        log_file: Where what happens is logged, such an error included.
    """
    with notes_as_options(), _exit_codes(without), logging_to(log_file):
        try:
            yield
        except (MuffakirEvalError, KeyboardInterrupt, OSError) as error:
            if log_file is not None:
                _log.error("%s: %s", type(error).__name__, error)
            raise


@contextlib.contextmanager
def _exit_codes(without: Collection[str]) -> Iterator[None]:
    try:
        yield
    except JudgeError as error:
        _say(error, without)
        raise typer.Exit(STOPPED) from None
    except (PipelineDownError, StorageError) as error:
        _say(error, without)
        raise typer.Exit(STOPPED if error.report is not None else WRONG_USE) from None
    except MuffakirEvalError as error:
        _say(error, without)
        raise typer.Exit(WRONG_USE) from None
    except KeyboardInterrupt as interrupt:
        typer.echo("\n".join(["Interrupted.", *getattr(interrupt, "__notes__", ())]), err=True)
        raise typer.Exit(INTERRUPTED) from None
    except OSError as error:
        if error.errno == errno.EPIPE:  # whoever reads the output has seen enough
            _throw_away_output()
            raise typer.Exit from None
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(WRONG_USE) from None


def _throw_away_output() -> None:
    """What is still in the buffer would raise once more when the interpreter ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with contextlib.suppress(OSError, ValueError):
        os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


@contextlib.contextmanager
def keeping_output_clean(wanted: bool) -> Iterator[None]:
    """While this holds, whatever is printed goes to standard error: what stands in the output is then only the JSON.

    What a library or a program that a pipeline starts writes past Python is caught, too.
    """
    if not wanted:
        yield
        return
    kept: int | None = None
    with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, or no file at all
        sys.stdout.flush()
        kept = os.dup(1)
        os.dup2(2, 1)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        if kept is not None:
            with contextlib.suppress(OSError):
                os.dup2(kept, 1)
            os.close(kept)


def print_json(text: str) -> None:
    """``text`` on standard output, in escapes where its encoding does not hold every character."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    if text.encode(encoding, "replace").decode(encoding) != text:
        text = "".join(char if char.isascii() else json.dumps(char)[1:-1] for char in text)
    typer.echo(text)


def _say(error: MuffakirEvalError, without: Collection[str]) -> None:
    """The message, what there is to add to it, and what the settings that it names are called here."""
    text = as_options(str(error))
    typer.echo("\n".join([f"error: {text}", *getattr(error, "__notes__", ())]), err=True)
    options = {name: option for name, option in _OPTIONS.items() if name not in without}
    named = [f"{name} is {option}" for name, option in options.items() if _is_named(name, text)]
    if named:
        typer.echo(f"On the command line {', '.join(named)}.", err=True)


def _is_named(setting: str, text: str) -> bool:
    pattern = rf"\b{setting}(=|: )|\bkey '{setting}'" if setting in _PLAIN_WORDS else rf"\b{setting}\b"
    return re.search(pattern, text) is not None
