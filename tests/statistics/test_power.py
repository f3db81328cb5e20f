"""Sizes of samples against statsmodels and by simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.stats

from muffakir_eval.statistics.paired import randomisation_test
from muffakir_eval.statistics.power import (
    effect_size,
    effective_spread,
    non_inferiority,
    questions_needed,
    smallest_difference,
)


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


def rare(n: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """B loses one question in fifty, and is else the same."""
    return -(rng.random(n) < 0.02).astype(np.float64)


def halves(n: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """B loses half of the evidence for one question in twenty-five."""
    return np.where(rng.random(n) < 0.04, -0.5, 0.0)


def both_ways(n: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """B wins 5 % of the questions and loses 7 %."""
    return np.asarray(rng.choice([-1.0, 0.0, 1.0], p=[0.07, 0.88, 0.05], size=n))


def smooth(n: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """B is a little worse nearly everywhere."""
    return rng.normal(-0.02, 0.1, size=n)


@pytest.mark.parametrize("n", [30, 100, 300])
@pytest.mark.parametrize("kind", [rare, halves, both_ways, smooth])
def test_a_system_that_is_worse_by_the_margin_is_seldom_called_as_good(kind: Any, n: int) -> None:
    rng = np.random.default_rng(2)
    alarms = sum(non_inferiority(kind(n, rng), 0.02, largest_loss=1.0) < 0.025 for _ in range(600))
    assert alarms / 600 < 0.025 + 3 * (0.025 * 0.975 / 600) ** 0.5


@pytest.mark.parametrize("n", [100, 200, 300, 500])
def test_no_loss_seen_says_what_the_binomial_distribution_says(n: int) -> None:
    """Were one question in fifty lost, none of n would be with the probability 0.98^n."""
    found = non_inferiority([0.0] * n, 0.02, largest_loss=1.0)
    assert 0.98**n < found < 5 * 0.98**n


@pytest.mark.parametrize("losses", [2, 4, 8])
def test_losses_say_what_the_score_test_of_pairs_says(losses: int) -> None:
    """Tango's (1998); without a win the bound is reached by losses alone, so that the variance is that of one share."""
    n, margin = 300, 0.02
    differences = [-1.0] * losses + [0.0] * (n - losses)
    expected = scipy.stats.norm.sf((n * margin - losses) / (n * margin * (1 - margin)) ** 0.5)
    # The loss that is added costs a little: never less careful, and not much more.
    assert expected < non_inferiority(differences, margin, largest_loss=1.0) < expected + 0.14


def test_six_equal_answers_prove_nothing() -> None:
    assert non_inferiority([0.0] * 6, 0.02, largest_loss=1.0) > 0.5


def test_as_good_a_system_is_found_to_be_so() -> None:
    rng = np.random.default_rng(3)
    shown = sum(
        non_inferiority(rng.choice([-1.0, 0.0, 1.0], p=[0.05, 0.9, 0.05], size=500), 0.05, largest_loss=1.0) < 0.025
        for _ in range(200)
    )
    assert shown / 200 > 0.85


def test_a_worse_system_is_not_called_as_good() -> None:
    differences = np.random.default_rng(0).normal(-0.1, 0.1, size=80)
    assert non_inferiority(differences, 0.02, largest_loss=1.0) > 0.9
    assert non_inferiority([-1.0] * 5, 0.02, largest_loss=1.0) == 1.0


def test_a_margin_that_cannot_be_reached_is_kept() -> None:
    assert non_inferiority([-0.5, 0.25], 1.0, largest_loss=1.0) == 0.0
    # What was seen counts where it goes beyond the range that was named.
    assert non_inferiority([-4.0, 0.25], 1.0, largest_loss=0.5) > 0.5


def test_the_unit_of_the_metric_does_not_matter() -> None:
    differences = np.random.default_rng(5).normal(0.0, 0.1, size=120)
    one = non_inferiority(differences, 0.02, largest_loss=1.0)
    assert non_inferiority(differences * 1e80, 2e78, largest_loss=1e80) == pytest.approx(one, rel=1e-9)
    assert one == pytest.approx(non_inferiority(differences[::-1], 0.02, largest_loss=1.0), rel=1e-12)


def test_numbers_that_cannot_be_squared_have_no_spread() -> None:
    assert effect_size([1e200, -1e200, 3e200]) is None
    assert effective_spread([1e200, -1e200, 3e200]) is None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: questions_needed(0.5, 0.0), "difference"),
        (lambda: questions_needed(-0.5, 0.1), "spread"),
        (lambda: questions_needed(0.5, 0.1, power=1.0), "power"),
        (lambda: smallest_difference(0.5, 0), "n is 0"),
        (lambda: non_inferiority([0.1], 0.0, largest_loss=1.0), "margin"),
        (lambda: non_inferiority([0.1], 0.1, largest_loss=0.0), "largest_loss"),
        (lambda: non_inferiority([], 0.1, largest_loss=1.0), "at least one"),
    ],
)
def test_bad_arguments_are_refused(call: object, words: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=words):
        call()
