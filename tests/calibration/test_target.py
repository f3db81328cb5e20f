"""What counts as better."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import fbeta_score

from muffakir_eval.calibration.target import Target
from muffakir_eval.errors import ConfigError


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_f_is_that_of_scikit_learn(beta: float) -> None:
    for tp, fp, fn in [(8, 2, 3), (1, 0, 0), (0, 3, 2), (5, 9, 0), (0, 0, 4)]:
        labels, said = [1] * tp + [0] * fp + [1] * fn, [1] * tp + [1] * fp + [0] * fn
        found = Target(beta=beta).f(*np.array([[tp], [fp], [fn]], dtype=np.float64))
        assert found[0] == pytest.approx(fbeta_score(labels, said, beta=beta, zero_division=0))


def test_a_precision_that_is_asked_for_comes_before_recall() -> None:
    target = Target(min_precision=0.9)
    tp, fp = np.array([9.0, 10.0, 5.0, 9.0, 0.0]), np.array([1.0, 2.0, 0.0, 0.0, 0.0])
    score = target.score(tp, fp, 12 - tp)
    assert score.argsort().tolist() == [4, 1, 2, 0, 3]


def test_no_rounding_keeps_a_precision_from_being_reached() -> None:
    assert Target(min_precision=0.95).reaches(19 / 20)
    assert Target(min_precision=0.7).reaches(1 - 0.3)
    assert not Target(min_precision=0.951).reaches(19 / 20)


@pytest.mark.parametrize("beta", [0.0, -1.0, float("nan"), 101.0])
def test_a_beta_out_of_range_is_an_error(beta: float) -> None:
    with pytest.raises(ConfigError, match="beta is"):
        Target(beta=beta)


@pytest.mark.parametrize("precision", [0.0, 1.5, 95.0, float("nan")])
def test_a_precision_out_of_range_is_an_error(precision: float) -> None:
    with pytest.raises(ConfigError, match="min_precision is"):
        Target(min_precision=precision)
