"""The example of the retrieval evaluator runs as it stands, offline and against a server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.judges.answers import Seen
from tests.judges.server import JudgeServer

PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "lm_retrieval.py"


def run(*arguments: str, folder: Path, **environment: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_BASE_URL"))}
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *arguments],
        cwd=folder,
        env={**kept, "XDG_CACHE_HOME": str(folder / "cache"), "PYTHONIOENCODING": "utf-8", **environment},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_offline_it_shows_every_rating(tmp_path: Path) -> None:
    printed = run(folder=tmp_path)
    assert "The verdicts of the judge are scripted." in printed
    assert "good, score 1.0: All metrics met the expected values." in printed
    assert "bad, score 0.0: تحققت قاعدة التقدير «سيئ»." in printed
    assert "incomplete, score None: لا يمكن أن تتحقق أي قاعدة" in printed
    assert "  - غابت الأدلة كلها أو معظمها" in printed
    assert "Calls of the judge: 6" in printed
    assert not (tmp_path / "cache").exists()


def test_the_first_question_is_that_of_the_reference(tmp_path: Path) -> None:
    printed = run("--json", folder=tmp_path)
    found = json.loads(printed[printed.index("[") :])[0]["lm_based_retrieval"]
    assert (found["relevancy_rating"], found["score"], found["possible_issues"]) == ("good", 1.0, [])
    assert found["deepeval_contextual_precision"]["score"] == 0.5
    assert found["deepeval_contextual_recall"]["score"] == 1.0


def test_with_a_judge_of_the_users_own(tmp_path: Path) -> None:
    def judges(seen: Seen) -> dict[str, Any]:
        assert seen.key == "sk-example-0123456789"
        verdict = {"number": 1, "reason": "", "verdict": "no", "chunk": None}
        shown = seen.user.count("<<<statement ") or seen.user.count("<<<chunk ")
        return {"verdicts": [{**verdict, "number": number} for number in range(1, shown + 1)]}

    with JudgeServer(judges) as server:
        key = {"OPENAI_API_KEY": "sk-example-0123456789", "OPENAI_BASE_URL": server.openai_url}
        printed = run("--judge", "openai/gpt-4o", folder=tmp_path, **key)
        assert server.count == 6
        assert {seen.body["model"] for seen in server.requests} == {"gpt-4o"}
    assert "scripted" not in printed
    assert printed.count("bad, score 0.0") == 3
