from __future__ import annotations

import asyncio

import pytest

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.errors import ConfigError
from muffakir_eval.judges.making import make_judge
from muffakir_eval.judges.prices import Meter
from muffakir_eval.judges.protocol import Completion, Prompt
from muffakir_eval.judges.reply_models import ScoreReply
from muffakir_eval.judges.scripted import ScriptedModel

PROMPT = Prompt(system="", user="؟", metric="answer_correctness")
PRICED = {"cache_dir": None, "budget_usd": 1.0, "prices": {"scripted": {"input": 1.0, "output": 1.0}}}


def test_limits_price_and_budget_are_those_of_the_settings() -> None:
    model = ScriptedModel({"*": {"reason": "", "score": 1}}, delay_s=0.01)
    judge = make_judge(EvaluationConfig.from_mapping({**PRICED, "max_concurrency": 2}), model)
    assert (judge.meter.budget_usd, judge.meter.price is None) == (1.0, False)

    async def ask() -> None:
        await asyncio.gather(*(judge.ask(PROMPT, ScoreReply, repeat=repeat) for repeat in range(6)))

    asyncio.run(ask())
    assert (model.calls, model.most_at_once) == (6, 2)
    assert judge.meter.total()["calls"] == 6


def test_secrets_are_kept_out_of_what_is_kept() -> None:
    model = ScriptedModel(Completion(text="no JSON, but zq7Rk2Wm9Xv4Tb6Y"))
    judge = make_judge(EvaluationConfig(cache_dir=None), model, secrets=["zq7Rk2Wm9Xv4Tb6Y"])
    verdict = asyncio.run(judge.ask(PROMPT, ScoreReply))
    assert verdict.reason == "judge_unparseable"
    assert "zq7Rk2Wm9Xv4Tb6Y" not in str(verdict)


def test_judges_may_share_a_meter() -> None:
    meter = Meter()
    judges = [make_judge(EvaluationConfig(cache_dir=None), ScriptedModel("1"), meter=meter) for _ in range(2)]
    assert all(judge.meter is meter for judge in judges)


def test_a_budget_without_a_price_is_an_error() -> None:
    with pytest.raises(ConfigError, match="a budget needs a price"):
        make_judge(EvaluationConfig(cache_dir=None, budget_usd=1.0), ScriptedModel("1"))
