"""A panel of judges in a normal run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import ConfigError, EvalRunner, JudgeKeyError, MuffakirEvaluation, ScriptedModel, jury
from muffakir_eval.judges.protocol import ModelError
from tests.evaluation.judged import rows
from tests.judges.answers import Seen
from tests.judges.server import JudgeServer

QUIET: dict[str, Any] = {"progress": False, "cache_dir": None, "metrics": ["llm_judge_rating"]}


def rater(name: str, value: Any) -> ScriptedModel:
    return ScriptedModel({"*": {"reason": name, "score": value} if isinstance(value, int) else value}, name=name)


def run(panel: Any, count: int = 4, **more: Any) -> Any:
    options = {key: more.pop(key) for key in ("save", "output_dir") if key in more}
    return MuffakirEvaluation({**QUIET, "jury": panel, **more}).evaluate(None, rows(count), **options)


def test_the_summary_says_who_sat_there() -> None:
    report = run(jury([rater("a", 2), rater("b", 4), rater("c", 5)]))
    assert report.summary() == {"llm_judge_rating": 4.0}
    summary = report.to_dict()
    assert [member["label"] for member in summary["judge"]["members"]] == ["a", "b", "c"]
    assert (summary["usage"]["calls"], summary["usage"]["by_member"]["a"]["calls"]) == (12, 4)
    assert "Judge median of a, b, c: 12 calls" in str(report)
    assert summary["config"]["jury"]["method"] == "median"


def test_a_panel_may_stand_wherever_a_judge_may() -> None:
    class Rag:
        llm_provider = jury([rater("a", 2), rater("b", 4)], method="mean")

        def __call__(self, question: str, k: int) -> tuple[str, list[str]]:
            return "عشرة أيام.", ["نص"]

    assert MuffakirEvaluation(QUIET).evaluate(Rag(), rows(2)).summary() == {"llm_judge_rating": 3.0}
    runner = EvalRunner(None, Rag.llm_provider, None, ["llm_judge_rating"], progress=False, cache_dir=None)
    assert runner.run(rows(2)).summary() == {"llm_judge_rating": 3.0}


def test_a_panel_and_a_judge_contradict_each_other() -> None:
    with pytest.raises(ConfigError, match="there is a panel of judges, and llm_provider too"):
        run(jury(["openai:a", "openai:b"]), llm_provider="openai", llm_model="x")


def test_a_failing_member_leaves_the_others_and_is_counted() -> None:
    report = run(jury([rater("a", 2), rater("b", "كلام"), rater("c", 4)]))
    assert report.summary() == {"llm_judge_rating": 3.0}
    details = report.samples[0].scores["llm_judge_rating"].details
    assert details["jury"]["n_valid"] == 2
    alone = run(jury([rater("a", 2), rater("b", "كلام"), rater("c", "كلام")]))
    assert alone.metrics["llm_judge_rating"]["reasons"] == {"judge_unparseable": 4}


def test_a_rejected_key_stops_the_run_and_it_goes_on_from_there(tmp_path: Path) -> None:
    asked = []

    def lost(prompt: Any) -> Any:
        asked.append(prompt)
        return ModelError("rejected_key", "401") if len(asked) == 3 else {"reason": "", "score": 4}

    first = rater("a", 2)
    panel = jury([first, ScriptedModel({"*": lost}, name="b")])
    settings: dict[str, Any] = {
        "save": True,
        "output_dir": tmp_path / "run",
        "max_concurrency": 1,
        "prices": {"input": 1.0, "output": 1.0},
    }
    with pytest.raises(JudgeKeyError):
        run(panel, **settings)
    report = run(panel, **settings)
    assert report.summary() == {"llm_judge_rating": 3.0}
    usage = report.to_dict()["usage"]
    assert usage["by_member"]["b"]["calls"] == 4  # what was judged before the stop is not asked again, and counted
    assert usage["cost_usd"] == pytest.approx(sum(part["cost_usd"] for part in usage["by_member"].values()))


def test_another_panel_does_not_go_on_with_an_unfinished_run(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"save": True, "output_dir": tmp_path / "run"}
    broken = rater("b", ModelError("rejected_key", "401"))
    with pytest.raises(JudgeKeyError):
        run(jury([rater("a", 2), broken]), **settings)
    header = json.loads((tmp_path / "run" / "records.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert header["identity"]["judge"]["method"] == "median"


def test_one_budget_for_the_panel() -> None:
    prices = {"input": 1000.0, "output": 1000.0}
    cost = run(jury([rater("a", 2), rater("b", 4)]), count=4, prices=prices).to_dict()["usage"]["cost_usd"]
    panel = jury([rater("a", 2), rater("b", 4)])
    report = run(panel, count=4, prices=prices, budget_usd=cost / 2, max_concurrency=1)
    assert report.metrics["llm_judge_rating"]["reasons"]["over_budget"] >= 1
    assert report.to_dict()["usage"]["cost_usd"] < cost
    with pytest.raises(ConfigError, match="a budget needs a price"):
        run(panel, budget_usd=1.0)


def test_a_dry_run_counts_every_member(no_keys: None) -> None:
    panel = jury([rater("a", 2), {"llm_provider": "openai", "llm_model": "b"}])
    report = run(panel, count=3, dry_run=True)
    assert report.to_dict()["dry_run"]["judge"]["calls"] == 6
    assert any("a run would stop here" in note for note in report.notes)
    with pytest.raises(ConfigError, match="there is no key for openai"):
        run(panel)


def test_refusals_are_judged_by_the_panel_where_the_run_asks_for_it() -> None:
    verdict = {"reason": "يعتذر", "quote": "", "verdict": "yes"}
    scripts = [
        ScriptedModel({"answer_refusal": verdict, "*": {"reason": "", "score": 4}}, name=name) for name in ("a", "b")
    ]
    data = [{**row, "predicted_answer": "لا تتوفر معلومات كافية، لكن المدة عشرة أيام على الأرجح."} for row in rows(2)]
    settings = {**QUIET, "jury": jury(scripts), "refusal_judge": True}
    report = MuffakirEvaluation(settings).evaluate(None, data)
    assert report.to_dict()["usage"]["by_metric"]["answer_refusal"]["calls"] == 4


def test_a_member_of_the_family_under_test_is_pointed_out() -> None:
    class Rag:
        def __init__(self) -> None:
            self.config = {"llm_model": "gpt-4o-mini"}

        def __call__(self, question: str, k: int) -> tuple[str, list[str]]:
            return "عشرة أيام.", ["نص"]

    panel = jury([rater("gpt-4o", 3), rater("other", 3)])
    report = MuffakirEvaluation({**QUIET, "jury": panel}).evaluate(Rag(), rows(1))
    assert len([note for note in report.notes if "the judge gpt-4o is of the same family" in note]) == 1


def test_members_behind_real_sdks_have_keys_of_their_own(no_keys: None) -> None:
    def says(score: int) -> Any:
        return lambda seen: {"reason": "", "score": score}

    def key(seen: Seen) -> str:
        return str(seen.headers.get("x-api-key") or seen.headers["authorization"]).removeprefix("Bearer ")

    with JudgeServer(says(2)) as one, JudgeServer(says(4)) as other:
        panel = jury(
            [
                {"llm_provider": "openai", "llm_model": "a", "base_url": one.openai_url, "api_key": "first-key-123456"},
                {"llm_provider": "anthropic", "llm_model": "b", "base_url": other.url, "api_key": "second-key-123456"},
            ],
            method="mean",
        )
        report = run(panel, count=5)
        assert report.summary() == {"llm_judge_rating": 3.0}
        assert {key(seen) for seen in one.requests} == {"first-key-123456"}
        assert {key(seen) for seen in other.requests} == {"second-key-123456"}
    assert "key-123456" not in json.dumps(report.to_dict())
