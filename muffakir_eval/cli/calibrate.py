"""``muffakir-eval calibrate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from muffakir_eval.cli.options import Encoding, Sheet, mapping, sheet_key
from muffakir_eval.cli.outcome import exit_codes, print_json

if TYPE_CHECKING:
    from muffakir_eval.calibration import Calibration

__all__ = ["calibrate"]


def calibrate(  # noqa: PLR0913 - one parameter per option
    labelled: Annotated[
        str,
        typer.Argument(
            help="Pairs with a column for the gold passage, the chunk and the label (1 or 0, yes or no, نعم or لا): "
            ".csv, .tsv, .xlsx, .xls, .jsonl, .json, .parquet.",
            metavar="LABELLED",
        ),
    ],
    column_mapping: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            help="gold=COLUMN, chunk=COLUMN or label=COLUMN; may be given several times.",
            metavar="FIELD=COLUMN",
        ),
    ] = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    config: Annotated[
        str | None,
        typer.Option(help="Settings (.toml, .yaml, .json): the present thresholds, profile, stages.", metavar="FILE"),
    ] = None,
    min_precision: Annotated[
        float | None, typer.Option(help="Find the highest recall at this precision, e.g. 0.95, instead of the best F1.")
    ] = None,
    beta: Annotated[
        float, typer.Option(help="How many times as much recall counts as precision; below 1, precision counts more.")
    ] = 1.0,
    folds: Annotated[int, typer.Option(help="Times that thresholds are chosen without a part of the pairs.")] = 5,
    confidence: Annotated[
        float,
        typer.Option("--confidence", "--confidence-level", help="Of the intervals, and of what is more than noise."),
    ] = 0.95,
    seed: Annotated[int, typer.Option(help="Of the folds and draws.", min=0)] = 0,
    show: Annotated[int, typer.Option(help="Show so many of the pairs that stay wrong, and why.", min=0)] = 5,
    output: Annotated[
        str | None, typer.Option(help="Write the settings to use as TOML, e.g. matching.toml.", metavar="FILE")
    ] = None,
    save: Annotated[
        str | None, typer.Option(help="Folder for calibration.json, curve.csv and pairs.csv.", metavar="FOLDER")
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print calibration.json instead of the report.")] = False,
) -> None:
    """Find the thresholds of text matching that agree best with your own labelled pairs.

    Exit codes: 0 good, 1 no thresholds reach --min-precision, 2 wrong use or unreadable input, or all pairs have one
    label, 3 what the thresholds are worth on other pairs could not be measured.

    Examples:
      muffakir-eval calibrate labelled.csv --output matching.toml

      muffakir-eval calibrate labelled.xlsx --map gold=المرجع --map chunk=النص --min-precision 0.95
    """
    with exit_codes():
        from muffakir_eval.calibration import calibrate_matching
        from muffakir_eval.config import load_config
        from muffakir_eval.records.codec import strict_json
        from muffakir_eval.writers.calibration_lines import calibration_text
        from muffakir_eval.writers.console import print_text

        found = calibrate_matching(
            labelled,
            load_config(config).match_settings,
            beta=beta,
            min_precision=min_precision,
            folds=folds,
            confidence=confidence,
            seed=seed,
            n_wrong=max(show, 20),
            column_mapping=mapping(column_mapping),
            encoding=encoding,
            sheet=sheet_key(sheet),
        )
        written = _write(found, output, save)
        if json_output:
            print_json(strict_json(found.to_dict(), indent=2))
        else:
            print_text("\n".join([calibration_text(found.to_dict(), wrong=show), *written]))
        if found.exit_code:
            raise typer.Exit(found.exit_code)


def _write(found: Calibration, output: str | None, save: str | None) -> list[str]:
    """Write the files that are asked for, and say where."""
    told = []
    if output is not None:
        found.write_toml(output)
        told.append(f"The settings to use are in {output}")
    if save is not None:
        found.save(save)
        told.append(f"Written to {save}")
    return ["", *told] if told else []
