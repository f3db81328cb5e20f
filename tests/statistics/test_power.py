"""Sizes of samples against statsmodels and by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from muffakir_eval.statistics.paired import randomisation_test
from muffakir_eval.statistics.power import effect_size, non_inferiority, questions_needed, smallest_difference


def test_questions_needed_by_hand() -> None:
    # (1.959964 + 0.841621)^2 = 7.8489; times (0.4 / 0.05)^2 = 502.3
    assert questions_needed(0.4, 0.05) == 503
    assert questions_needed(0.4, -0.05) == 503
    assert questions_needed(0.4, 0.05, two_sided=False) == 396
    assert questions_needed(0.0, 0.05) == 2


def test_the_smallest_difference_is_the_other_way_round() -> None:
    assert questions_needed(0.37, smallest_difference(0.37, 250) + 1e-12) == 250


def test_so_many_questions_show_the_difference_as_often_as_said() -> None:
    rng = np.random.default_rng(8)
    n = questions_needed(0.5, 0.15, power=0.8)
    seen = sum(randomisation_test(rng.normal(0.15, 0.5, size=n), rng=rng, n_resamples=300) < 0.05 for _ in range(400))
    assert seen / 400 == pytest.approx(0.8, abs=0.06)


def test_effect_size() -> None:
    assert effect_size([0.1, 0.3]) == pytest.approx(0.2 / np.std([0.1, 0.3], ddof=1))
    assert effect_size([0.5]) is None
    assert effect_size([0.5, 0.5]) is None


def test_non_inferiority_keeps_its_level_at_the_margin() -> None:
    rng = np.random.default_rng(2)
    alarms = sum(
        non_inferiority(rng.normal(-0.05, 0.2, size=60), 0.05, rng=rng, n_resamples=300) < 0.05 for _ in range(400)
    )
    assert alarms / 400 == pytest.approx(0.05, abs=0.035)


def test_a_worse_system_is_not_called_as_good() -> None:
    differences = np.random.default_rng(0).normal(-0.1, 0.1, size=80)
    assert non_inferiority(differences, 0.02, rng=np.random.default_rng(1)) > 0.9


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: questions_needed(0.5, 0.0), "difference"),
        (lambda: questions_needed(-0.5, 0.1), "spread"),
        (lambda: questions_needed(0.5, 0.1, power=1.0), "power"),
        (lambda: smallest_difference(0.5, 0), "n is 0"),
        (lambda: non_inferiority([0.1], 0.0, rng=np.random.default_rng(0)), "margin"),
        (lambda: non_inferiority([], 0.1, rng=np.random.default_rng(0)), "at least one"),
    ],
)
def test_bad_arguments_are_refused(call: object, words: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=words):
        call()
