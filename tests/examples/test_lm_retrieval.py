"""The example of the retrieval evaluator runs as it stands, offline and against a server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.examples.programs import run
from tests.judges.answers import Seen
from tests.judges.server import JudgeServer


def test_offline_it_shows_every_rating(tmp_path: Path) -> None:
    printed = run("lm_retrieval.py", folder=tmp_path)
    assert "The verdicts of the judge are scripted." in printed
    assert "good, score 1.0: All metrics met the expected values." in printed
    assert "bad, score 0.0: تحققت قاعدة التقدير «سيئ»." in printed
    assert "incomplete, score None: لا يمكن أن تتحقق أي قاعدة" in printed
    assert "  - غابت الأدلة كلها أو معظمها" in printed
    assert "Calls of the judge: 6" in printed
    assert not (tmp_path / "cache").exists()


def test_the_first_question_is_that_of_the_reference(tmp_path: Path) -> None:
    printed = run("lm_retrieval.py", "--json", folder=tmp_path)
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
        printed = run("lm_retrieval.py", "--judge", "openai/gpt-4o", folder=tmp_path, **key)
        assert server.count == 6
        assert {seen.body["model"] for seen in server.requests} == {"gpt-4o"}
    assert "scripted" not in printed
    assert printed.count("bad, score 0.0") == 3
