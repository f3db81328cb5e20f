"""Recorded answers scored by Spark: ``score_frame`` in ``mapInPandas``.

    python examples/spark_map_in_pandas.py [QUESTIONS]

Every executor needs the package (and this needs the extra ``spark``, and Java 17 or newer). The function is
pure: what Spark runs a second time gives the same rows.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muffakir_eval import ScoreSettings, score_frame, score_schema

if TYPE_CHECKING:
    import pandas as pd

HERE = Path(__file__).parent
SPARK_TYPES = {"text": "string", "float": "double", "int": "bigint", "bool": "boolean"}


def scored(frame: Any, settings: ScoreSettings) -> Any:
    """A Spark data frame of samples as one of scored rows."""
    schema = ", ".join(f"`{name}` {SPARK_TYPES[kind]}" for name, kind in score_schema(settings).items())

    def score(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            yield score_frame(batch, settings)

    return frame.mapInPandas(score, schema=schema)


def main(questions: str = str(HERE / "questions.jsonl")) -> None:
    """Score the recorded answers of the example, and let Spark count."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # the workers of this machine
    spark = SparkSession.builder.master("local[2]").appName("scores").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    settings = ScoreSettings.of({"metrics": ["token_f1", "exact_match"]})
    rows = scored(spark.read.json(questions).repartition(4), settings).cache()
    rows.groupBy("token_f1_state").agg({"token_f1": "avg", "question": "count"}).show()
    rows.groupBy("answer_refusal_reason").count().show(truncate=False)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
