"""Durations, each by itself or in narrow ranges."""

from __future__ import annotations

import math
import pickle
import random

import pytest

from muffakir_eval.tally.latencies import Latencies, percentiles


def filled(values: list[float]) -> Latencies:
    made = Latencies()
    for value in values:
        made.add(value)
    return made


def test_up_to_a_bound_they_are_exact() -> None:
    values = [random.Random(1).expovariate(0.01) for _ in range(500)]
    parts = filled(values[:100])
    parts.merge(filled(values[100:]))
    assert parts.figures() == percentiles(values)


def test_beyond_it_percentiles_are_off_by_half_a_percent_at_most() -> None:
    rng = random.Random(2)
    values = [0.0] * 30 + [rng.lognormvariate(3, 2) for _ in range(50_000)]
    rng.shuffle(values)
    whole = filled(values)
    parts = filled(values[:1_000])
    parts.merge(pickle.loads(pickle.dumps(filled(values[1_000:]))))
    found, exact = parts.figures(), percentiles(values)
    assert found == whole.figures()
    assert (found["n"], found["max"], found["relative_error"]) == (len(values), max(values), 0.005)
    assert found["mean"] == math.fsum(values) / len(values)
    for name in ("p50", "p90", "p95", "p99"):
        assert found[name] == pytest.approx(exact[name], rel=0.0055)
    assert len(parts._ranges) < 3_000


def test_asking_changes_nothing() -> None:
    values = filled([1.0] * 20_001 + [2.0] * 10)
    assert values.figures() == values.figures()
    assert values.figures()["p50"] == pytest.approx(1.0, rel=0.0055)
