"""The example of judged metrics runs as it stands, offline and against a server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.examples.programs import run
from tests.judges.answers import Seen
from tests.judges.server import JudgeServer


def summary(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "summary.json").read_text(encoding="utf-8")))


def test_offline_it_says_that_the_replies_are_scripted(tmp_path: Path) -> None:
    printed = run("judged.py", "out", folder=tmp_path)
    assert "The replies of the judge are scripted" in printed
    assert "Judge scripted: " in printed
    written = summary(tmp_path / "out")
    # Correctness is 0, unasked, where an answer wrongly declines or is empty.
    assert written["summary"]["faithfulness"] == 1.0
    assert written["summary"]["llm_judge_rating"] == 4.0
    assert 0.7 < written["summary"]["answer_correctness"] < 0.8
    assert written["usage"]["calls"] == sum(written["metrics"][name]["n_scored"] for name in written["metrics"]) - sum(
        written["refusals"]["table"]["answerable"][state] for state in ("refused", "empty")
    )
    assert not (tmp_path / "cache").exists()


def test_the_dry_run_counts_the_calls_that_the_run_makes(tmp_path: Path) -> None:
    printed = run("judged.py", "out", "--dry-run", folder=tmp_path)
    assert "Dry run: no question was asked and nothing was written." in printed
    assert "answers of 60 words and 5 chunks of 120 words for 104 questions" in printed
    assert not (tmp_path / "out").exists()


def test_with_a_judge_of_the_users_own(tmp_path: Path) -> None:
    def judges(seen: Seen) -> dict[str, Any]:
        assert seen.key == "sk-example-0123456789"
        if "unsupported" in seen.system:
            return {"reason": "", "unsupported": [], "verdict": "no"}
        return {"reason": "", "score": 1}

    with JudgeServer(judges) as server:
        key = {"OPENAI_API_KEY": "sk-example-0123456789", "OPENAI_BASE_URL": server.openai_url}
        printed = run("judged.py", "out", "--judge", "openai:gpt-4o-mini", folder=tmp_path, **key)
        assert server.count > 200
    assert "scripted" not in printed
    assert summary(tmp_path / "out")["summary"]["faithfulness"] == 0.0
