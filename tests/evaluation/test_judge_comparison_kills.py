"""A comparison of judges that is killed at any moment: nothing is lost, nothing is paid for twice."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

from tests.evaluation.judged import opinion
from tests.judges.server import JudgeServer

ANSWERS, AT_ONCE, KILLS = 40, 2, 3

PROGRAM = textwrap.dedent(
    """
    import json, sys
    from muffakir_eval import compare_judges

    folder, judges = sys.argv[1], json.loads(sys.argv[2])
    rows = [
        {"question": f"السؤال رقم {n} عن الإجازة", "answer": "ثلاثون يومًا", "predicted_answer": f"مدتها {n} يومًا.",
         "human": n % 5 + 1}
        for n in range(40)
    ]
    compare_judges(
        rows, judges, metrics="llm_judge_rating", human_column="human", output_dir=folder, n_resamples=200,
        config={"progress": False, "cache_dir": None, "max_concurrency": 2},
    )
    """
)


def started(folder: Path, judges: list[dict[str, Any]]) -> subprocess.Popen[bytes]:
    program = folder / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    return subprocess.Popen(
        [sys.executable, "-W", "error", str(program), str(folder / "out"), json.dumps(judges)],
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"},
    )


def test_a_killed_comparison_goes_on_and_asks_nothing_twice(no_keys: None, tmp_path: Path) -> None:
    rng = random.Random(5)
    with JudgeServer(opinion, latency_s=0.02) as one, JudgeServer(opinion, latency_s=0.02) as other:
        judges = [
            {"llm_provider": "openai", "llm_model": name, "base_url": server.openai_url, "api_key": "any"}
            for name, server in (("first", one), ("second", other))
        ]
        for _ in range(KILLS):
            process = started(tmp_path, judges)
            wanted = one.count + other.count + rng.randrange(2, 2 * ANSWERS // KILLS)
            give_up = time.monotonic() + 30
            while one.count + other.count < wanted and process.poll() is None and time.monotonic() < give_up:
                time.sleep(0.002)
            process.kill()
            process.communicate()
        with started(tmp_path, judges) as process:
            _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors.decode()) == (0, "")
        # Without a cache, only what was under way at a kill may have been asked twice: twice as many answers are
        # being scored as there are calls at once.
        assert 2 * ANSWERS <= one.count + other.count <= 2 * ANSWERS + KILLS * 2 * AT_ONCE
        asked = one.count + other.count
        with started(tmp_path, judges) as process:
            process.communicate(timeout=60)
        assert one.count + other.count == asked
    found = json.loads((tmp_path / "out" / "judges.json").read_text(encoding="utf-8"))
    assert [judge["status"] for judge in found["judges"]] == ["complete", "complete"]
    pair = found["metrics"][0]["pairs"][0]["agreement"]
    assert (pair["n"], pair["kappa"]["value"]) == (ANSWERS, 1.0)
