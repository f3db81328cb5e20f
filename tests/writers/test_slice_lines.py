"""The metrics of a run for each value of a column, whatever the values are."""

from __future__ import annotations

from typing import Any

from muffakir_eval.writers.slice_lines import slice_lines


def part(value: str | None, n_samples: int, mean: float | None = 0.5, n_scored: int | None = None) -> dict[str, Any]:
    block = {"mean": mean, "n_scored": n_samples if n_scored is None else n_scored}
    return {"value": value, "n_samples": n_samples, "metrics": {"mrr": block}}


def lines_of(slices: dict[str, Any], *names: str) -> list[str]:
    return [line.text for line in slice_lines({"metrics": dict.fromkeys(names or ("mrr",)), "slices": slices})]


def test_the_value_stands_last_where_arabic_moves_nothing() -> None:
    _, heading, head, _, first, second, third = lines_of(
        {"اللهجة": [part("مصرية", 3), part(None, 2, None, 0), part("خليجية", 2, 0.25, 1)]}
    )
    assert heading == "By اللهجة"
    assert head.split() == ["n", "mrr", "اللهجة"]
    assert first.split() == ["3", "0.5000", "مصرية"]
    assert second.split() == ["2", "none", "(n=0)", "(none)"]
    assert third.split() == ["2", "0.2500", "(n=1)", "خليجية"]


def test_nothing_in_the_data_steers_the_terminal() -> None:
    text = "\n".join(lines_of({"a\x1b[31m\u202e": [part("b\x1b[2J\nc", 1)]}))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "b?[2J c" in text


def test_a_column_may_be_called_like_a_metric_and_have_many_values() -> None:
    many = [part(str(number), 1) for number in range(100)] + [{"n_other_values": 9_900}]
    lines = lines_of({"mrr": many}, "mrr", "recall_at_k")
    assert lines[2].split() == ["n", "mrr", "recall_at_k", "mrr"]
    assert lines[-1] == "9988 more values stand in summary.json"
