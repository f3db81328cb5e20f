"""The examples with real judges, through the real SDKs, against a server on the loopback interface."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.examples.programs import run, run_with_code
from tests.judges.answers import Seen
from tests.judges.server import JudgeServer

KEY = "key-of-the-examples-0123456789"


def judge(seen: Seen) -> dict[str, Any]:
    """Content with everything, but for the second statement of an answer."""
    if '"chunks"' in seen.system:
        numbers = re.findall(r"\d+", seen.user.strip().splitlines()[-1])
        supported = {"verdict": "yes", "chunks": [1], "reason": "ورد في المقطع."}
        invented = {"verdict": "no", "chunks": [], "reason": "لم يرد."}
        return {"verdicts": [{"number": int(n), **(invented if n == "2" else supported)} for n in numbers]}
    if '"unsupported"' in seen.system:
        return {"reason": "", "unsupported": [], "verdict": "yes"}
    return {"reason": "", "score": 1}


def summary(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "summary.json").read_text(encoding="utf-8")))


def test_openai_says_what_it_costs_and_then_judges(tmp_path: Path) -> None:
    with JudgeServer(judge) as server:
        where = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.openai_url}
        printed = run("openai_judge.py", "out", "--questions", "6", folder=tmp_path, **where)
        assert {seen.key for seen in server.requests} == {KEY}
        assert {seen.body["model"] for seen in server.requests} == {"gpt-4o-mini"}
    assert printed.startswith("Dry run:")
    found = summary(tmp_path / "out")
    assert found["summary"]["faithfulness"] == 1.0 and found["n_samples"] == 6
    assert f"{found['usage']['calls']} calls, {found['usage']['cost_usd']} USD" in printed
    assert found["usage"]["cost_usd"] > 0
    assert KEY not in printed + (tmp_path / "out" / "records.jsonl").read_text(encoding="utf-8")


def test_openai_dry_run_needs_no_key(tmp_path: Path) -> None:
    printed = run("openai_judge.py", "out", "--dry-run", folder=tmp_path)
    assert "of a budget of 0.5000 USD" in printed and not (tmp_path / "out").exists()


def test_anthropic_judges_claim_by_claim(tmp_path: Path) -> None:
    with JudgeServer(judge) as server:
        where = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.url}
        printed = run("anthropic_judge.py", "out", "--questions", "8", folder=tmp_path, **where)
        assert {seen.path.split("?")[0] for seen in server.requests} == {"/v1/messages"}
        assert all("temperature" not in seen.body for seen in server.requests)
    assert 0 < summary(tmp_path / "out")["summary"]["faithfulness"] <= 1
    assert len(re.findall(r"^  (?:yes|no)  ", printed, flags=re.MULTILINE)) >= 3


def test_a_server_on_this_machine(tmp_path: Path) -> None:
    with JudgeServer(judge) as server:
        options = ("--provider", "vllm", "--model", "qwen", "--base-url", server.openai_url)
        run("local_judge.py", "out", *options, folder=tmp_path)
        assert server.count > 10 and server.most_at_once <= 2
    assert summary(tmp_path / "out")["judge"]["provider"] == "vllm"


@pytest.mark.parametrize("program", ["openai_judge.py", "anthropic_judge.py"])
def test_a_missing_key_is_a_sentence_and_no_traceback(tmp_path: Path, program: str) -> None:
    code, _, complaint = run_with_code(program, "out", folder=tmp_path)
    assert code == 1
    assert "there is no key" in complaint and "Traceback" not in complaint


def test_a_server_that_is_not_there_is_a_reason(tmp_path: Path) -> None:
    where = ("--base-url", "http://127.0.0.1:9/v1", "--questions", "1")
    printed = run("local_judge.py", "out", *where, folder=tmp_path)
    assert "judge cannot be reached" in printed
