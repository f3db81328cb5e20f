"""Under Spark in local mode; needs the extra ``spark`` and Java."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

from muffakir_eval import ScoreSettings, score_frame
from tests.examples.programs import EXAMPLES
from tests.scale.made import CONFIG, rows

pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("there is no Java", allow_module_level=True)
pytestmark = pytest.mark.filterwarnings("default")  # Spark's own warnings are not ours
SETTINGS = ScoreSettings.of({key: CONFIG[key] for key in ("metrics", "k")})


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        made = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
        yield made
        made.stop()


def test_spark_gives_the_same_frame(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    from spark_map_in_pandas import scored

    lines = [{"context": None, **row} for row in rows(60)]
    expected = score_frame(pd.DataFrame(lines), SETTINGS)
    found = scored(spark.createDataFrame(lines).repartition(3), SETTINGS).toPandas()
    ours = expected.set_index("sample_id").drop(columns="row").sort_index()
    theirs = found.set_index("sample_id").drop(columns="row").sort_index()
    assert list(theirs) == list(ours)
    assert theirs.index.tolist() == ours.index.tolist()
    for name in ours:
        assert theirs[name].isna().tolist() == ours[name].isna().tolist(), name
        assert theirs[name].dropna().tolist() == ours[name].dropna().tolist(), name


def test_the_example_runs(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], spark: Any) -> None:
    assert (EXAMPLES / "spark_map_in_pandas.py").exists()
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import spark_map_in_pandas

    spark_map_in_pandas.main(str(EXAMPLES / "questions.jsonl"))
    assert "measured" in capfd.readouterr().out
