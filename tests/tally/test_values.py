"""Columns and groups of samples."""

from __future__ import annotations

from muffakir_eval.records import Sample, Score
from muffakir_eval.tally import group_value
from muffakir_eval.tally.groups import GroupBy, Groups
from muffakir_eval.tally.intervals import batches, intervals, share_interval
from muffakir_eval.tally.values import Column


def column() -> Column:
    made = Column()
    for score in (
        Score.measured("m", 0.5),
        Score.not_applicable("m", "no_gold"),
        Score.failed("m", "timeout"),
        Score.measured("m", 1.0),
        Score.failed("m", "timeout"),
    ):
        made.add(score)
    return made


def test_a_column_tells_its_three_states_apart() -> None:
    figures = column().figures()
    assert figures["mean"] == 0.75
    assert figures["reasons"] == {"timeout": 2, "no_gold": 1}
    assert (figures["n_scored"], figures["n_total"], figures["n_failed"]) == (2, 5, 2)
    assert figures["mean_failures_as_zero"] == 1.5 / 4


def test_a_part_of_a_column_has_its_own_figures() -> None:
    figures = column().figures([1, 2])
    assert (figures["mean"], figures["reason"], figures["n_total"]) == (None, "no_gold", 2)
    assert column().values([0, 2]) == [0.5, None]
    assert Column().figures()["reason"] == "no_samples"


def test_groups_come_by_size_and_then_by_name() -> None:
    groups = Groups()
    for value in ("ب", None, "أ", "ج", "ج", None):
        groups.add(value)
    assert list(groups.members()) == [("ج", [3, 4]), (None, [1, 5]), ("أ", [2]), ("ب", [0])]
    labels = groups.labels()
    assert labels[3] == labels[4]
    assert len(set(labels)) == 5


def test_values_of_other_kinds_are_text() -> None:
    sample = Sample(sample_id="1", question="؟", metadata={"page": 3, "checked": True, "empty": ""})
    assert [group_value(sample, name) for name in ("page", "checked", "empty", "source_file")] == [
        "3",
        "true",
        None,
        None,
    ]


def test_many_samples_are_looked_at_metric_by_metric() -> None:
    assert batches(["a", "b"], 10) == [["a", "b"]]
    assert batches(["a", "b"], 1_000_000) == [["a"], ["b"]]


def test_metrics_without_values_have_no_interval_and_no_clusters() -> None:
    assert intervals({"m": [None]}, [0], GroupBy()) == {
        "m": {"interval": None, "interval_method": None, "n_clusters": 0}
    }
    assert share_interval(0, 0, GroupBy()) is None
