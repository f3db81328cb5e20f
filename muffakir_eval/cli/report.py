"""``muffakir-eval report``."""

from __future__ import annotations

import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from muffakir_eval.cli.options import LogFile, listed
from muffakir_eval.cli.other_pages import other_page, result_file
from muffakir_eval.cli.outcome import exit_codes
from muffakir_eval.errors import ConfigError

__all__ = ["report"]


def report(
    run: Annotated[
        str,
        typer.Argument(help="Folder of a run, a comparison of runs or judges, or an audit.", metavar="RUN"),
    ],
    formats: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            help="Comma-separated: html (report.html, a page), xlsx (samples.xlsx, a workbook), md (report.md, for a "
            "pull request), jsonl (samples.jsonl, everything), csv (samples.csv).",
            metavar="FORMATS",
        ),
    ] = "html",
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "--output-dir", help="Folder for the files [default: that of the run].", metavar="FOLDER"
        ),
    ] = None,
    language: Annotated[
        Literal["ar", "en"] | None, typer.Option(help="Of the words in the files [default: that of the run].")
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Show the page in the browser, or else the file.")] = False,
    log_file: LogFile = None,
) -> None:
    """Make a page, a workbook or Markdown of a run that was made before. Nothing is asked again.

    Of the folder that compare, judges or audit has written, a page is made.

    Examples:
      muffakir-eval report eval_results --open

      muffakir-eval report eval_results --format html,xlsx,md --output for_the_team --language en

      muffakir-eval report comparison --open      (made by muffakir-eval compare before after --save comparison)
    """
    with exit_codes(log_file=log_file):
        from muffakir_eval.comparison.runs_folder import load_report
        from muffakir_eval.writers.console import print_text
        from muffakir_eval.writers.report_files import format_names

        names = format_names(listed(formats) or [], where="--format")
        if not names:
            raise ConfigError("no format is named", where="--format", expected="one or more, such as html,xlsx")
        other = result_file(Path(run))
        if other is None:
            written = load_report(run).export(*names, output_dir=output, language=language)
        else:
            written = [other_page(other, names, output, language)]
        for path in written:
            print_text(f"Written to {path}")
        if open_page:
            _open(written)


def _open(written: Sequence[Path]) -> None:
    """Show the first file, the page where there is one."""
    shown = next((path for path in written if path.suffix == ".html"), written[0])
    if not webbrowser.open(shown.resolve().as_uri()):
        typer.echo(f"No browser could be started; open {shown} by hand.", err=True)
