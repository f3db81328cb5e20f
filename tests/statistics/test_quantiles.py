"""Quantiles equal numpy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.statistics.quantiles import quantile


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50),
    st.floats(0, 1),
)
def test_quantiles_equal_those_of_numpy(values: list[float], share: float) -> None:
    assert quantile(sorted(values), share) == pytest.approx(float(np.quantile(values, share)), rel=1e-9, abs=1e-6)
