"""Under Ray Data; needs ``ray[data]``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

from muffakir_eval import ScoreSettings, score_frame
from tests.examples.programs import EXAMPLES
from tests.scale.made import CONFIG, rows

pytest.importorskip("ray")
pytestmark = pytest.mark.filterwarnings("default")  # Ray's own warnings are not ours
SETTINGS = ScoreSettings.of({key: CONFIG[key] for key in ("metrics", "k")})


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    import ray as made

    made.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield made
    made.shutdown()


def test_ray_gives_the_same_frame(ray: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (EXAMPLES / "ray_data.py").exists()
    monkeypatch.syspath_prepend(str(EXAMPLES))
    from ray_data import scored

    frame = pd.DataFrame([{"context": "لا شيء من هذا هنا", **row} for row in rows(60)])
    expected = score_frame(frame, SETTINGS).set_index("sample_id").drop(columns="row").sort_index()
    found = scored(ray.data.from_pandas(frame).repartition(3), SETTINGS).to_pandas()
    found = found.set_index("sample_id").drop(columns="row").sort_index()
    assert list(found) == list(expected)
    for name in expected:
        assert found[name].isna().tolist() == expected[name].isna().tolist(), name
        assert found[name].dropna().tolist() == expected[name].dropna().tolist(), name
