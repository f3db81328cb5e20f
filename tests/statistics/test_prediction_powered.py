"""The corrected mean: unbiased, covers, and gains from a good judge."""

from __future__ import annotations

import numpy as np
import pytest

from muffakir_eval.statistics.prediction_powered import prediction_powered_mean


def study(rng: np.random.Generator, noise: float) -> tuple[float, float, float, bool]:
    truth = rng.binomial(1, 0.6, size=1000).astype(float)
    judged = np.clip(truth * 0.5 + 0.5 + rng.normal(0, noise, size=1000), 0, 1)
    found = prediction_powered_mean(truth[:100], judged[:100], judged[100:])
    assert found is not None
    return found.mean, found.high - found.low, found.judge_mean, found.low <= 0.6 <= found.high


@pytest.mark.parametrize("noise", [0.1, 0.6])
def test_a_lenient_judge_is_corrected(noise: float) -> None:
    rng = np.random.default_rng(4)
    means, widths, judges, covers = zip(*(study(rng, noise) for _ in range(400)), strict=True)
    assert np.mean(means) == pytest.approx(0.6, abs=0.01)
    assert np.mean(judges) > 0.63
    assert np.mean(covers) == pytest.approx(0.95, abs=0.035)
    plain = 2 * 1.96 * np.sqrt(0.24 / 100)
    assert np.mean(widths) < plain * (0.7 if noise == 0.1 else 0.99)


def test_a_judge_at_random_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    truth = rng.binomial(1, 0.5, size=60).astype(float)
    found = prediction_powered_mean(truth, 1 - truth, rng.random(200))
    assert found is not None
    assert (found.weight, found.mean) == (0.0, float(truth.mean()))


@pytest.mark.parametrize(("labelled", "more"), [(1, 10), (10, 1), (0, 0)])
def test_too_few_scores_give_no_estimate(labelled: int, more: int) -> None:
    assert prediction_powered_mean([1.0] * labelled, [1.0] * labelled, [0.5] * more) is None


def test_scores_must_be_of_the_same_answers() -> None:
    with pytest.raises(ValueError, match="same answers"):
        prediction_powered_mean([1.0], [1.0, 0.0], [])
    with pytest.raises(ValueError, match="finite"):
        prediction_powered_mean([1.0, float("nan")], [1.0, 0.0], [0.1, 0.2])
    with pytest.raises(ValueError, match="confidence"):
        prediction_powered_mean([1.0], [1.0], [], confidence=1.0)
