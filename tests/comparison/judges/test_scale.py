"""Scales."""

from __future__ import annotations

import pytest

from muffakir_eval.comparison.judges.scale import Scale, seen_scale


@pytest.mark.parametrize(
    ("scale", "kind", "weights", "n_labels"),
    [
        (Scale(low=0, high=1, whole=True), "binary", "identity", 2),
        (Scale(low=1, high=5, whole=True), "rating", "quadratic", 5),
        (Scale(low=0, high=1), "continuous", None, None),
        (Scale(low=0, high=100, whole=True), "continuous", None, None),
        (Scale(low=-1, high=1, whole=True), "rating", "quadratic", 3),
    ],
)
def test_kinds(scale: Scale, kind: str, weights: str | None, n_labels: int | None) -> None:
    assert (scale.kind, scale.weights) == (kind, weights)
    assert (None if scale.labels is None else len(scale.labels)) == n_labels


def test_a_scale_that_is_only_seen() -> None:
    assert seen_scale([0, 1]).kind == "binary"
    assert seen_scale([2, 4]) == Scale(low=1, high=5, whole=True)
    assert seen_scale([0.2, 1]) == Scale(low=0, high=1)
    assert seen_scale([3, 80]) == Scale(low=3, high=80, whole=True)


def test_moving_onto_a_scale() -> None:
    assert Scale(low=1, high=5).rescaled([0, 5, 10], 0, 10) == [1.0, 3.0, 5.0]
    assert Scale(low=0, high=1).holds([0.0, 1.0]) and not Scale(low=0, high=1).holds([2.0])
