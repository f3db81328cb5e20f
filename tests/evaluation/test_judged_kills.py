"""A judged run that is killed or interrupted at any moment: nothing is lost, nothing is paid for twice."""

from __future__ import annotations

import functools
import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation.judged import comparable, opinion, written
from tests.judges.server import JudgeServer

KILLS = int(os.environ.get("MUFFAKIR_EVAL_KILLS", "8"))
"""How often the run is killed; a longer test sets the variable to 25."""

SAMPLES, METRICS, AT_ONCE = 100, ["recall", "faithfulness", "llm_judge_rating"], 8
NEEDED = 2 * SAMPLES

PROGRAM = textwrap.dedent(
    """
    import json, sys, time
    from pathlib import Path
    from muffakir_eval import MuffakirEvaluation

    folder, calls, settings = Path(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3])

    def rag(question, k):
        with calls.open("a", encoding="utf-8") as file:
            file.write(question + "\\n")
        time.sleep(0.003)
        return "مدتها ثلاثون يومًا.", ["المادة " + question.split()[2] + ": يستحق الموظف إجازة سنوية بأجر كامل."]

    rows = [
        {"question": f"السؤال رقم {n} عن الإجازة", "answer": "ثلاثون يومًا",
         "context": f"المادة {n if n % 4 else 'أخرى'}: يستحق الموظف إجازة سنوية بأجر كامل."}
        for n in range(100)
    ]
    try:
        MuffakirEvaluation({**settings, "progress": False, "pipeline_id": "rag", "k": 2}).evaluate(
            rag, rows, save=True, output_dir=folder
        )
    except KeyboardInterrupt as interrupt:
        print(*interrupt.__notes__)
        raise
    """
)


class Runs:
    """Starts the program against a server."""

    def __init__(self, folder: Path, server: JudgeServer) -> None:
        self.folder = folder
        self.server = server
        self.program = folder / "program.py"
        self.program.write_text(PROGRAM, encoding="utf-8")

    def start(self, name: str, **more: Any) -> subprocess.Popen[str]:
        settings = {
            "metrics": METRICS,
            "max_concurrency": AT_ONCE,
            "llm_provider": "openai",
            "llm_model": "judge-1",
            "api_key": "any",
            "base_url": self.server.openai_url,
            "cache_dir": "cache",
            **more,
        }
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        return subprocess.Popen(
            [
                sys.executable,
                "-W",
                "error",
                str(self.program),
                str(folder / "run"),
                str(folder / "calls.txt"),
                json.dumps(settings),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"},
        )

    def finish(self, name: str, **more: Any) -> None:
        with self.start(name, **more) as process:
            _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, "")

    def asked(self, name: str) -> list[str]:
        return (self.folder / name / "calls.txt").read_text(encoding="utf-8").splitlines()


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    with JudgeServer(opinion, latency_s=0.02) as server:
        yield Runs(tmp_path, server)


def wait_for(process: subprocess.Popen[str], reached: Callable[[], bool]) -> bool:
    """Whether it was reached before the process ended."""
    give_up = time.monotonic() + 30
    while not reached():
        if process.poll() is not None:
            return False
        assert time.monotonic() < give_up
        time.sleep(0.001)
    return True


def records(folder: Path) -> list[dict[str, Any]]:
    """The whole lines: of the last one, a killed process may leave a part."""
    path = folder / "records.jsonl"
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


def n_done(folder: Path) -> int:
    return len({record["key"] for record in records(folder) if record["kind"] == "result"})


def _reached(server: JudgeServer, count: int) -> bool:
    return server.count >= count


def killed_again_and_again(runs: Runs, name: str, rng: random.Random, most: int) -> int:
    """Start the run ``name`` and kill it, until it is finished or was killed so often; returns how often."""
    server, folder, kills = runs.server, runs.folder / name / "run", 0
    server.forget()
    while kills < most and not any(record["kind"] == "finished" for record in records(folder)):
        left = NEEDED + AT_ONCE * kills - server.count
        target = server.count + rng.randint(0, max(1, 2 * left // (most - kills + 1)))
        with runs.start(name) as process:
            wait_for(process, functools.partial(_reached, server, target))
            time.sleep(rng.choice((0.0, 0.005, 0.02, 0.08)))
            kills += process.poll() is None
            process.kill()
    return kills


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
def test_kill_9_at_random_moments_costs_at_most_what_was_in_flight(runs: Runs) -> None:
    server, rng, kills = runs.server, random.Random(9), 0
    runs.finish("whole")
    assert server.count == NEEDED
    while kills < KILLS:
        name = f"killed-{kills}"
        folder = runs.folder / name / "run"
        often = killed_again_and_again(runs, name, rng, KILLS - kills)
        if not any(record["kind"] == "finished" for record in records(folder)):
            runs.finish(name)
        kills += often
        more, again = server.count - NEEDED, len(runs.asked(name)) - SAMPLES
        print(f"{often} kills: {more} calls of the judge and {again} of the pipeline more than needed")
        assert comparable(written(folder)) == comparable(written(runs.folder / "whole" / "run"))
        assert 0 <= more <= often * AT_ONCE
        assert 0 <= again <= often
        assert n_done(folder) == SAMPLES


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to a child on this system")
def test_ctrl_c_leaves_a_partial_report_and_nothing_open(runs: Runs) -> None:
    server = runs.server
    with runs.start("stopped") as process:
        assert wait_for(process, functools.partial(_reached, server, 40))
        process.send_signal(signal.SIGINT)
        said, errors = process.communicate(timeout=30)
    assert "KeyboardInterrupt" in errors
    for word in ("Warning", "never awaited", "Exception ignored", "Unclosed", "Task was destroyed"):
        assert word not in errors
    partial = written(runs.folder / "stopped" / "run")
    done = n_done(runs.folder / "stopped" / "run")
    assert (partial["partial"], partial["n_samples"]) == (True, done)
    assert 0 < done < SAMPLES
    assert said.startswith(f"{done} of {SAMPLES} questions are done and kept in")
    assert server.still_open == 0
    runs.finish("stopped")
    assert server.count <= NEEDED + AT_ONCE
    resumed = written(runs.folder / "stopped" / "run")
    assert (resumed["partial"], resumed["n_samples"], resumed["run_id"]) == (False, SAMPLES, partial["run_id"])
