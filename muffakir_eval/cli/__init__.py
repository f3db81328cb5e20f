"""The command ``muffakir-eval``: parse, call, print, exit code.

Exit codes: 0 good, 1 below a threshold, 2 wrong use or unreadable input, 3 not enough was measured, 4 stopped early,
130 interrupted.
"""

from __future__ import annotations

import sys
import warnings
from typing import Annotated

import typer

from muffakir_eval.cli.audit import audit
from muffakir_eval.cli.calibrate import calibrate
from muffakir_eval.cli.compare import compare
from muffakir_eval.cli.convert import convert
from muffakir_eval.cli.gate import gate
from muffakir_eval.cli.help_text import Command
from muffakir_eval.cli.init import init
from muffakir_eval.cli.judges import judges
from muffakir_eval.cli.report import report
from muffakir_eval.cli.run import run
from muffakir_eval.cli.validate import validate

__all__ = ["app", "main"]

app = typer.Typer(
    name="muffakir-eval",
    help="Evaluate retrieval-augmented generation in Arabic and other languages.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(run)
app.command()(audit)
app.command()(judges)
app.command()(validate)
app.command()(compare)
app.command()(gate)
app.command()(calibrate)
app.command()(convert)
app.command()(report)
app.command()(init)
for _command in app.registered_commands:
    _command.cls = Command


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


def _note(message: Warning | str, category: type[Warning], *_place: object, **_stream: object) -> None:
    """A warning as a line for people, without the place in the code that it comes from."""
    typer.echo(f"note: {message}" if issubclass(category, UserWarning) else f"{category.__name__}: {message}", err=True)


def main() -> None:
    """Entry point of the console script."""
    warnings.showwarning = _note
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a terminal that cannot show Arabic must not end the run
            reconfigure(errors="replace")
    app()
