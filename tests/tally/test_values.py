"""Values of a metric, columns with reasons, and their intervals."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.records import Sample, Score
from muffakir_eval.statistics.intervals import LARGE, mean_intervals
from muffakir_eval.tally import GroupBy, group_value
from muffakir_eval.tally.intervals import intervals, share_interval
from muffakir_eval.tally.values import KEPT, Column, Values


def column(clustered: bool = False) -> Column:
    made = Column(clustered=clustered)
    for score in (
        Score.measured("m", 0.5),
        Score.not_applicable("m", "no_gold"),
        Score.failed("m", "timeout"),
        Score.measured("m", 1.0),
        Score.failed("m", "timeout"),
    ):
        made.add(score)
    return made


def filled(values: list[float], clusters: list[str | None] | None = None) -> Column:
    made = Column(clustered=clusters is not None)
    for place, value in enumerate(values):
        made.add(Score.measured("m", value), None if clusters is None else clusters[place])
    return made


def test_a_column_tells_its_three_states_apart() -> None:
    figures = column().figures()
    assert figures["mean"] == 0.75
    assert figures["reasons"] == {"timeout": 2, "no_gold": 1}
    assert (figures["n_scored"], figures["n_total"], figures["n_failed"]) == (2, 5, 2)
    assert figures["mean_failures_as_zero"] == 1.5 / 4


def test_a_column_without_values_says_why() -> None:
    missing = Column()
    missing.add(Score.not_applicable("m", "no_gold"))
    assert (missing.figures()["mean"], missing.figures()["reason"]) == (None, "no_gold")
    assert Column().figures()["reason"] == "no_samples"


def test_columns_merge() -> None:
    one, two = column(), column()
    one.merge(two)
    assert one.figures()["reasons"] == {"timeout": 4, "no_gold": 2}
    assert (one.figures()["n_scored"], one.figures()["n_failed"], one.mean()) == (4, 4, 0.75)


def test_so_many_values_are_kept_as_the_bootstrap_takes() -> None:
    assert KEPT == LARGE


@given(st.lists(st.floats(0, 1), min_size=2, max_size=40), st.integers(0, 40))
@settings(max_examples=30, deadline=None)
def test_few_values_have_the_interval_of_the_statistics(values: list[float], cut: int) -> None:
    one, two = filled(values[:cut]), filled(values[cut:])
    two.merge(one)
    expected = mean_intervals({"m": values}, rng=np.random.default_rng(3))["m"]
    found = intervals({"m": two}, GroupBy(seed=3))["m"]
    assert found["interval_method"] == expected.method
    assert found["interval"] == [expected.low, expected.high]


@pytest.mark.parametrize("kind", ["many", "few", "shares", "ratings"])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_many_values_in_uneven_parts_have_the_interval_of_the_statistics(kind: str, confidence: float) -> None:
    rng = random.Random(1)
    draws: dict[str, Callable[[], float]] = {
        "many": lambda: rng.random() ** 3,
        "few": lambda: rng.choice((0.0, 0.25, 1 / 3, 1.0)),
        "shares": lambda: float(rng.random() < 0.3),
        "ratings": lambda: 1.0,
    }
    values = [draws[kind]() for _ in range(KEPT + 2_345)]
    not_shares = {"m"} if kind == "ratings" else set()
    cuts = [0, 3, 17, 9_000, 9_001, 15_000, 22_000, len(values)]
    parts = [filled(values[start:stop]) for start, stop in pairwise(cuts)]
    rng.shuffle(parts)
    whole = Column()
    for part in parts:
        whole.merge(part)
    by = GroupBy(confidence=confidence)
    expected = mean_intervals(
        {"m": values}, rng=np.random.default_rng(0), confidence=confidence, not_shares=not_shares
    )["m"]
    found = intervals({"m": whole}, by, not_shares)["m"]
    assert found["interval_method"] == expected.method
    assert found["interval"] == pytest.approx([expected.low, expected.high], rel=1e-12)
    assert found == intervals({"m": filled(values)}, by, not_shares)["m"]
    assert whole.figures() == filled(values).figures()


def test_memory_does_not_grow_with_the_number_of_values() -> None:
    rng = random.Random(2)
    values = Values()
    for _ in range(3 * KEPT):
        values.add(rng.random())
    assert len(values._counts) <= 1_001
    assert values.n == values.sums().n == 3 * KEPT
    assert 0.0 <= values.ends[0] < 0.01 < 0.99 < values.ends[1] <= 1.0


def test_numbers_without_squares_have_no_interval() -> None:
    values = filled([1e200, -1e200, 3.0] * KEPT)
    assert intervals({"m": values}, GroupBy())["m"] == {"interval": None, "interval_method": None}
    clustered = filled([1e200, 2.0], ["a", "b"])
    assert intervals({"m": clustered}, GroupBy())["m"] == {"interval": None, "interval_method": None, "n_clusters": 2}


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from(["a", "b", "c", None])), min_size=2, max_size=30), st.data())
@settings(max_examples=20, deadline=None)
def test_clusters_have_the_interval_of_the_statistics(
    pairs: list[tuple[float, str | None]], data: st.DataObject
) -> None:
    values, clusters = [value for value, _ in pairs], [cluster for _, cluster in pairs]
    cut = data.draw(st.integers(0, len(pairs)))
    whole = filled(values[cut:], clusters[cut:])
    whole.merge(filled(values[:cut], clusters[:cut]))
    apart = [f"alone {place}" if cluster is None else cluster for place, cluster in enumerate(clusters)]
    expected = mean_intervals({"m": values}, rng=np.random.default_rng(0), clusters=apart)["m"]
    found = intervals({"m": whole}, GroupBy(cluster_column="c"))["m"]
    assert (found["n_clusters"], found["interval_method"]) == (expected.n_clusters, expected.method)
    if expected.low is None:
        assert found["interval"] is None
    else:
        assert found["interval"] == pytest.approx([expected.low, expected.high], abs=1e-12)


def test_very_many_clusters_need_no_draws() -> None:
    rng = random.Random(4)
    values = [rng.random() for _ in range(2 * KEPT + 10)]
    clusters: list[str | None] = [f"c{place // 2}" for place in range(len(values))]
    found = intervals({"m": filled(values, clusters)}, GroupBy(cluster_column="c"))["m"]
    assert (found["interval_method"], found["n_clusters"]) == ("skew_corrected_normal", KEPT + 5)
    error = np.std(np.array(values).reshape(-1, 2).mean(axis=1)) / np.sqrt(KEPT + 5)
    assert found["interval"][1] - found["interval"][0] == pytest.approx(2 * 1.96 * error, rel=0.01)


def test_values_of_other_kinds_are_text() -> None:
    sample = Sample(sample_id="1", question="؟", metadata={"page": 3, "checked": True, "empty": ""})
    assert [group_value(sample, name) for name in ("page", "checked", "empty", "source_file")] == [
        "3",
        "true",
        None,
        None,
    ]


def test_metrics_without_values_have_no_interval_and_no_clusters() -> None:
    missing = Column(clustered=True)
    missing.add(Score.not_applicable("m", "no_gold"), "a")
    assert intervals({"m": missing}, GroupBy()) == {"m": {"interval": None, "interval_method": None, "n_clusters": 0}}
    assert share_interval(0, 0, GroupBy()) is None


def test_parts_that_have_let_go_of_their_values_merge() -> None:
    rng = random.Random(5)
    values = [rng.random() for _ in range(2 * KEPT + 3_000)]
    one, two = filled(values[: KEPT + 1_500]), filled(values[KEPT + 1_500 :])
    assert one.values._sums is not None
    assert two.values._sums is not None
    two.merge(one)
    whole = filled(values)
    assert two.figures() == whole.figures()
    assert two.values.ends == whole.values.ends == (min(values), max(values))
    assert intervals({"m": two}, GroupBy()) == intervals({"m": whole}, GroupBy())
