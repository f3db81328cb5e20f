"""Runs that are judged in batches: the same report as live ones, whatever happens in between."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import ConfigError, JudgeError, MuffakirEvaluation, ScriptedModel
from tests.evaluation.judged import KEY, asked_about, comparable, opinion, rows, written
from tests.judges.answers import Seen, fails
from tests.judges.batch.server import BatchServer, Fate

METRICS = ["recall", "faithfulness", "answer_correctness", "llm_judge_rating"]


@pytest.fixture
def batches() -> Iterator[BatchServer]:
    with BatchServer(opinion) as running:
        yield running


def settings(server: BatchServer, **more: Any) -> dict[str, Any]:
    return {
        "metrics": METRICS,
        "k": 2,
        "progress": False,
        "cache_dir": None,
        "pipeline_id": "rag",
        "llm_provider": "openai",
        "llm_model": "judge-1",
        "api_key": KEY,
        "base_url": server.url if more.get("llm_provider") == "anthropic" else server.openai_url,
        **more,
    }


def in_batches(server: BatchServer, **more: Any) -> MuffakirEvaluation:
    return MuffakirEvaluation(settings(server, judge_mode="batch", batch_poll_s=0.05, **more))


def live(server: BatchServer, **more: Any) -> MuffakirEvaluation:
    return MuffakirEvaluation(settings(server, **more))


def figures(summary: dict[str, Any]) -> dict[str, Any]:
    """What must be equal however the judge was asked."""
    return comparable(summary, without=("config", "config_given", "judge", "warnings"))


def sizes(server: BatchServer) -> list[int]:
    return [len(batch.requests) for batch in server.batches]


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_the_report_is_that_of_a_live_run(batches: BatchServer, provider: str) -> None:
    prices = {"input": 10.0, "output": 20.0}
    report = in_batches(batches, llm_provider=provider, prices=prices).evaluate(dataset=rows(30)).to_dict()
    other = live(batches, llm_provider=provider, prices=prices).evaluate(dataset=rows(30)).to_dict()
    assert figures(report) == figures(other)
    assert sizes(batches) == [90]
    assert report["usage"]["calls"] == other["usage"]["calls"] == 90
    assert report["usage"]["cost_usd"] == pytest.approx(other["usage"]["cost_usd"] / 2)
    assert (report["judge"]["mode"], report["judge"]["price_factor"]) == ("batch", 0.5)
    assert report["judge"]["batches"] == [batches.batches[0].name]
    assert "judged in batches: costs are reckoned at 0.5 of the prices" in report["warnings"]
    for name in ("provider", "model", "base_url", "repeats", "prompts", "served_by"):
        assert report["judge"][name] == other["judge"][name]


def test_both_modes_share_their_cache(batches: BatchServer, tmp_path: Path) -> None:
    in_batches(batches, cache_dir=str(tmp_path)).evaluate(dataset=rows(10))
    batches.forget()
    again = live(batches, cache_dir=str(tmp_path)).evaluate(dataset=rows(10)).to_dict()
    assert (batches.count, again["usage"]["cached"]) == (0, 30)
    more = in_batches(batches, cache_dir=str(tmp_path)).evaluate(dataset=rows(12)).to_dict()
    assert sizes(batches) == [30, 6]
    assert (more["usage"]["cached"], more["usage"]["calls"]) == (30, 6)


def test_repeats_go_into_one_batch_and_are_kept_apart(batches: BatchServer, tmp_path: Path) -> None:
    given = iter(range(1_000))
    batches.answer = lambda seen: {"reason": "", "score": next(given) % 2 * 2 + 2}
    report = in_batches(batches, metrics=["llm_judge_rating"], judge_repeats=4, cache_dir=str(tmp_path)).evaluate(
        dataset=rows(3)
    )
    assert sizes(batches) == [12]
    assert report.summary()["llm_judge_rating"] == 3.0
    again = in_batches(batches, metrics=["llm_judge_rating"], judge_repeats=4, cache_dir=str(tmp_path)).evaluate(
        dataset=rows(3)
    )
    assert again.to_dict()["usage"]["cached"] == 12
    spreads = [
        [result.scores["llm_judge_rating"].details["repeats"]["values"] for result in each.samples]
        for each in (report, again)
    ]
    assert spreads[0] == spreads[1]


def test_a_slow_pipeline_is_waited_for_and_a_long_one_not_forever(batches: BatchServer) -> None:
    def rag(question: str, k: int) -> tuple[str, list[str]]:
        time.sleep(0.06)
        return "مدتها ثلاثون يومًا.", ["نص"]

    questions = rows(8, recorded=False)
    in_batches(batches, metrics=["llm_judge_rating"]).evaluate(rag, questions)
    assert sizes(batches) == [8]
    batches.batches.clear()
    in_batches(batches, metrics=["llm_judge_rating"], batch_max_waiting=3).evaluate(rag, questions)
    assert max(sizes(batches)) == 3
    assert sum(sizes(batches)) == 8


def test_an_async_pipeline_is_waited_for(batches: BatchServer) -> None:
    async def rag(question: str, k: int) -> tuple[str, list[str]]:
        await asyncio.sleep(0.01 * (int(question.split()[2]) % 9))
        return "مدتها ثلاثون يومًا.", ["نص"]

    in_batches(batches, metrics=["llm_judge_rating"]).evaluate(rag, rows(24, recorded=False))
    assert sizes(batches) == [24]


def test_verdicts_that_are_missing_are_asked_for_in_the_next_batch(batches: BatchServer) -> None:
    def some(seen: Seen) -> Any:
        asked = [1, 2] if len(batches.batches) == 1 else [2]
        given = asked[:1]
        return {"verdicts": [{"number": number, "reason": "", "verdict": "yes"} for number in given]}

    batches.answer = some
    report = in_batches(batches, metrics=["contextual_precision"]).evaluate(dataset=rows(4))
    assert sizes(batches) == [4, 4]
    assert report.summary() == {"contextual_precision": 1.0}


def test_a_panel_is_asked_in_batches_too(batches: BatchServer) -> None:
    member = {"llm_provider": "openai", "api_key": KEY, "base_url": batches.openai_url}
    jury = {"members": [{**member, "llm_model": f"judge-{n}"} for n in (1, 2, 3)]}
    panel = {"jury": jury, "llm_provider": None, "llm_model": None, "base_url": None, "api_key": None}
    prices = {f"judge-{n}": {"input": 1.0, "output": 1.0} for n in (1, 2, 3)}
    report = in_batches(batches, **panel, prices=prices).evaluate(dataset=rows(6)).to_dict()
    other = live(batches, **panel, prices=prices).evaluate(dataset=rows(6)).to_dict()
    assert figures(report) == figures(other)
    assert sizes(batches) == [18, 18, 18]
    assert report["usage"]["cost_usd"] == pytest.approx(other["usage"]["cost_usd"] / 2)


def test_a_refusal_check_goes_before_the_metrics(batches: BatchServer) -> None:
    def answer(seen: Seen) -> Any:
        asks_refusal = "quote" in json.dumps(seen.body["response_format"])
        return {"reason": "", "quote": "", "verdict": "no"} if asks_refusal else opinion(seen)

    batches.answer = answer
    odd = "مدتها ثلاثون يومًا. لا أملك معلومات كافية عن بقية التفاصيل، لكن الموظف يستحقها بأجر كامل."
    report = in_batches(batches, metrics=["llm_judge_rating"], refusal_judge=True).evaluate(
        dataset=rows(5, predicted_answer=odd)
    )
    other = live(batches, metrics=["llm_judge_rating"], refusal_judge=True).evaluate(
        dataset=rows(5, predicted_answer=odd)
    )
    assert sizes(batches) == [5, 5]
    assert figures(report.to_dict()) == figures(other.to_dict())


def test_the_budget_is_kept_before_anything_is_sent(batches: BatchServer) -> None:
    plan = in_batches(
        batches, metrics=["llm_judge_rating"], prices={"input": 10.0, "output": 10.0}, dry_run=True
    ).evaluate(dataset=rows(40))
    expected = plan.to_dict()["dry_run"]["judge"]
    assert (expected["mode"], expected["price_factor"]) == ("batch", 0.5)
    dear = live(batches, metrics=["llm_judge_rating"], prices={"input": 10.0, "output": 10.0}, dry_run=True).evaluate(
        dataset=rows(40)
    )
    assert expected["cost_usd"] == pytest.approx(dear.to_dict()["dry_run"]["judge"]["cost_usd"] / 2)
    assert batches.count == 0
    report = in_batches(
        batches,
        metrics=["llm_judge_rating"],
        prices={"input": 10.0, "output": 10.0},
        budget_usd=expected["cost_usd"] / 4,
    ).evaluate(dataset=rows(40))
    reasons = report.metrics["llm_judge_rating"]["reasons"]
    assert 25 <= reasons["over_budget"] <= 32
    # What they really cost leaves room for a few of those that were refused before; these are not asked again.
    assert sizes(batches) == [40 - reasons["over_budget"]]


def test_a_judge_that_must_answer_stops_the_run(batches: BatchServer) -> None:
    batches.answer = lambda seen: fails(400, "odd") if asked_about(seen) == 3 else opinion(seen)
    with pytest.raises(JudgeError, match="judge_bad_request"):
        in_batches(batches, fail_on_judge_error=True).evaluate(dataset=rows(6))


def test_a_provider_without_batches_is_refused_before_anything_is_asked(batches: BatchServer) -> None:
    for name in ("groq", "ollama", "mistral"):
        with pytest.raises(ConfigError, match=r"batch interface.*set judge_mode to 'live'"):
            MuffakirEvaluation(
                {
                    "metrics": ["faithfulness"],
                    "llm_provider": name,
                    "llm_model": "m",
                    "api_key": "k",
                    "judge_mode": "batch",
                    "progress": False,
                }
            ).evaluate(dataset=rows(1))


def test_a_pipelines_own_model_is_refused(batches: BatchServer) -> None:
    class Rag:
        llm_provider = ScriptedModel({"*": {"reason": "", "score": 4}})

        def ask(self, question: str, k: int) -> dict[str, Any]:
            return {"answer": "نعم", "retrieved_documents": ["نص"]}

    with pytest.raises(ConfigError, match="own model has no batch interface"):
        MuffakirEvaluation({"metrics": ["llm_judge_rating"], "judge_mode": "batch", "progress": False}).evaluate(
            Rag(), rows(1, recorded=False)
        )


def test_headers_of_a_request_are_refused(batches: BatchServer) -> None:
    with pytest.raises(ConfigError, match="'extra_headers' cannot be sent with a request in a batch"):
        in_batches(batches, llm_parameters={"extra_headers": {"x": "y"}}).evaluate(dataset=rows(1))


def test_settings_without_effect_are_named(batches: BatchServer) -> None:
    report = in_batches(batches, requests_per_minute=60).evaluate(dataset=rows(1))
    assert "without effect, since the judge is asked in batches: requests_per_minute" in report.to_dict()["warnings"]
    report = live(batches, batch_tries=2).evaluate(dataset=rows(1))
    told = "without effect, since the judge is asked one question at a time: batch_tries"
    assert told in report.to_dict()["warnings"]
    idle = MuffakirEvaluation({"metrics": ["recall"], "judge_mode": "batch", "progress": False, "k": 2})
    assert (
        "without effect, since no judged metric is measured: judge_mode"
        in idle.evaluate(dataset=rows(1)).to_dict()["warnings"]
    )


def test_a_finished_run_leaves_the_names_of_its_batches(batches: BatchServer, tmp_path: Path) -> None:
    in_batches(batches, batch_max_requests=40).evaluate(dataset=rows(20), save=True, output_dir=tmp_path / "run")
    kept = (tmp_path / "run" / "judge_batches.jsonl").read_text(encoding="utf-8")
    assert all(f'"{batch.name}"' in kept for batch in batches.batches)
    assert KEY not in kept
    again = in_batches(batches).evaluate(dataset=rows(20), save=True, output_dir=tmp_path / "run")
    assert again.to_dict()["usage"]["calls"] == 60
    assert sizes(batches) == [40, 20, 60]
    assert written(tmp_path / "run")["judge"]["batches"] == [batches.batches[2].name]


def test_the_user_hears_of_every_batch(
    batches: BatchServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    batches.fates.append(Fate(done=3, end="expired"))
    in_batches(batches, metrics=["llm_judge_rating"], progress=True).evaluate(dataset=rows(5))
    said = capsys.readouterr().err
    assert "Batch batch_0: 5 requests are sent." in said
    assert "Batch batch_1: 2 requests are sent." in said


def test_a_run_whose_batches_are_under_way_is_not_resumed_live(batches: BatchServer, tmp_path: Path) -> None:
    batches.hiccup("GET /batches/", fails(404, "no batch"))
    with pytest.raises(JudgeError, match="cannot be collected"):
        in_batches(batches).evaluate(dataset=rows(4), save=True, output_dir=tmp_path)
    batches.forget()
    with pytest.raises(ConfigError, match=r"batches that are not collected, and are billed: batch_0"):
        live(batches).evaluate(dataset=rows(4), save=True, output_dir=tmp_path)
    assert batches.count == 0
    report = in_batches(batches).evaluate(dataset=rows(4), save=True, output_dir=tmp_path).to_dict()
    assert (sizes(batches), report["usage"]["calls"]) == ([12], 12)


def test_a_run_that_was_given_up_names_its_batches(batches: BatchServer, tmp_path: Path) -> None:
    batches.hiccup("GET /batches/", fails(404, "no batch"))
    with pytest.raises(JudgeError):
        in_batches(batches).evaluate(dataset=rows(4), save=True, output_dir=tmp_path)
    again = in_batches(batches, on_existing="overwrite").evaluate(dataset=rows(4), save=True, output_dir=tmp_path)
    assert sizes(batches) == [12, 12]
    told = "batches of a run that was given up may go on, and are billed: batch_0"
    assert told in again.to_dict()["warnings"]


def test_what_is_finished_is_counted_once_where_other_scores_of_it_are_asked_again(
    batches: BatchServer, tmp_path: Path
) -> None:
    def answer(seen: Seen) -> Any:
        return fails(400, "odd") if asked_about(seen) == 1 else opinion(seen)

    batches.answer = answer
    with pytest.raises(JudgeError, match="judge_bad_request"):
        in_batches(batches, fail_on_judge_error=True).evaluate(dataset=rows(6), save=True, output_dir=tmp_path)
    report = in_batches(batches).evaluate(dataset=rows(6), save=True, output_dir=tmp_path).to_dict()
    assert sizes(batches) == [18]
    other = live(batches).evaluate(dataset=rows(6)).to_dict()
    assert figures(report) == figures(other)
    for name in ("calls", "failed_calls", "input_tokens", "output_tokens"):
        assert report["usage"][name] == other["usage"][name]
