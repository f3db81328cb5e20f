"""Recorded answers scored by Ray Data: ``score_frame`` in ``map_batches``.

    python examples/ray_data.py [QUESTIONS]

Every worker needs the package, and this needs ``ray[data]``. The function is pure: what Ray runs a second time
gives the same rows.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from muffakir_eval import ScoreSettings, score_frame

HERE = Path(__file__).parent


def scored(dataset: Any, settings: ScoreSettings) -> Any:
    """A Ray data set of samples as one of scored rows."""
    return dataset.map_batches(score_frame, fn_args=(settings,), batch_format="pandas", batch_size=1_000)


def main(questions: str = str(HERE / "questions.jsonl")) -> None:
    """Score the recorded answers of the example, and let Ray count."""
    import pandas as pd
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    settings = ScoreSettings.of({"metrics": ["token_f1", "exact_match"]})
    dataset = ray.data.from_pandas(pd.read_json(questions, lines=True))
    rows = scored(dataset.repartition(4), settings)
    print(rows.groupby("token_f1_state").mean("token_f1").to_pandas().to_string(index=False))
    ray.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
