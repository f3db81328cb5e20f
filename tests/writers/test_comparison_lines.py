"""What a comparison says to people, and does not say."""

from __future__ import annotations

from typing import Any

from muffakir_eval import compare_runs
from tests.comparison.recorded import questions, run_of


def shown(a: Any, b: Any, **options: Any) -> str:
    return " ".join(str(compare_runs(a, b, n_resamples=500, **options)).split())


def test_runs_without_a_difference_are_not_called_equally_good() -> None:
    text = shown(run_of([0.25, 0.5, 0.75] * 3), run_of([0.25, 0.5, 0.75] * 3), margin=0.02)
    assert "no question differs" in text
    assert "not shown" in text
    assert "Not shown does not say that B is worse" in text


def test_what_cannot_be_told_apart_is_not_called_equally_good() -> None:
    text = shown(run_of([1] * 6 + [0] * 4), run_of([1] * 8 + [0] * 2))
    assert "This does not say that the runs are equally good" in text


def test_few_questions_that_differ_are_not_blamed_on_many_comparisons() -> None:
    a, b = run_of([1] * 5 + [0] * 25), run_of([1] * 10 + [0] * 20)
    found = compare_runs(a, b, metrics=["quality"])["quality"]
    assert found.interval is not None
    assert found.interval[0] > 0
    assert (found.p_value, found.verdict) == (0.0625, "not_distinguishable")
    text = shown(a, b, metrics=["quality"])
    assert "so few questions differ that the test" in text
    assert "among so many" not in text


def test_many_comparisons_are_named_where_they_are_the_reason() -> None:
    rows = questions(40)
    runs = [run_of([0.5] * 40, rows=rows) for _ in range(4)]
    better = run_of([0.5] * 30 + [0.9] * 7 + [0.5] * 3, rows=rows)
    text = " ".join(str(compare_runs(*runs[:2], better, *runs[2:], metrics=["quality"], n_resamples=500)).split())
    assert "among so many comparisons" in text
    assert "so few questions differ" not in text
