"""``muffakir-eval compare``."""

from __future__ import annotations

from typing import Annotated

import typer

from muffakir_eval.cli.options import listed
from muffakir_eval.cli.outcome import TOO_LITTLE, exit_codes, print_json

__all__ = ["compare"]


def compare(  # noqa: PLR0913 - one parameter per option
    runs: Annotated[
        list[str], typer.Argument(help="Folders of two or more runs, the earlier one first.", metavar="A B")
    ],
    metrics: Annotated[str | None, typer.Option(help="Only these, comma-separated, e.g. recall,faithfulness.")] = None,
    names: Annotated[str | None, typer.Option(help="What the runs are called, comma-separated.")] = None,
    slice_by: Annotated[
        str | None, typer.Option(help="Columns of the dataset, e.g. dialect,topic: every metric per value, too.")
    ] = None,
    cluster_column: Annotated[
        str | None, typer.Option(help="Questions with the same value in it are not independent, e.g. source_file.")
    ] = None,
    detect: Annotated[
        float,
        typer.Option(
            help="How many questions would it take to see a difference of this size? A share of the metric's range: "
            "0.02 is 0.08 of a rating from 1 to 5."
        ),
    ] = 0.02,
    margin: Annotated[
        float | None,
        typer.Option(
            help="Also test that B is not worse than A by more than this share of the metric's range, e.g. 0.02."
        ),
    ] = None,
    lower_is_better: Annotated[
        str | None, typer.Option(help="Metrics of your own of which lower values are better, comma-separated.")
    ] = None,
    min_coverage: Annotated[
        float, typer.Option(help="Share of the questions that must have been scored in both for a verdict.")
    ] = 0.9,
    common_only: Annotated[
        bool, typer.Option("--common-only", help="Give verdicts on what two different datasets have in common.")
    ] = False,
    confidence: Annotated[
        float, typer.Option("--confidence", "--confidence-level", help="Of the intervals and verdicts.")
    ] = 0.95,
    moved: Annotated[int, typer.Option(help="Questions to keep per metric, those that moved most.", min=0)] = 20,
    seed: Annotated[int, typer.Option(help="Of the draws.", min=0)] = 0,
    save: Annotated[
        str | None,
        typer.Option("--save", "--output-dir", help="Folder for comparison.json and moved.csv.", metavar="FOLDER"),
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print comparison.json instead of the table.")] = False,
) -> None:
    """Is B better than A? Compare runs on the questions that they have in common, every pair of them.

    Exit code 3: nothing could be said about any metric.

    Examples:
      muffakir-eval compare runs/before runs/after

      muffakir-eval compare before after --margin 0.02 --slice-by dialect --save comparison
    """
    if len(runs) < 2:
        raise typer.BadParameter("expected the folders of at least two runs", param_hint="A B")
    with exit_codes():
        from muffakir_eval.comparison.runs import compare_runs
        from muffakir_eval.records.codec import strict_json
        from muffakir_eval.writers.console import print_text

        first, second, *more = runs
        found = compare_runs(
            first,
            second,
            *more,
            names=listed(names),
            metrics=listed(metrics),
            slice_by=listed(slice_by),
            cluster_column=cluster_column,
            detect=detect,
            margin=margin,
            lower_is_better=listed(lower_is_better) or (),
            min_coverage=min_coverage,
            common_only=common_only,
            confidence=confidence,
            n_moved=moved,
            seed=seed,
        )
        if save is not None:
            found.save(save)
        if json_output:
            print_json(strict_json(found.to_dict(), indent=2))
        else:
            print_text(str(found))
            if save is not None:
                print_text(f"\nWritten to {save}")
        if not found.any_verdict:
            typer.echo("Nothing can be said about any metric: the reasons stand above.", err=True)
            raise typer.Exit(TOO_LITTLE)
