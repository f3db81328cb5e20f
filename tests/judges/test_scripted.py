"""The model that says what it is told to."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel

from muffakir_eval.errors import JudgeError
from muffakir_eval.judges.protocol import ChatModel, Completion, ModelError, Prompt
from muffakir_eval.judges.scripted import ScriptedModel


class Reply(BaseModel):
    score: int


def prompt(user: str = "السؤال", metric: str = "faithfulness") -> Prompt:
    return Prompt(system="احكم.", user=user, metric=metric)


def ask(model: ChatModel, *prompts: Prompt) -> list[Completion]:
    async def run() -> list[Completion]:
        done = [await model.complete(each, Reply, max_tokens=7) for each in prompts or (prompt(),)]
        await model.aclose()
        return done

    return asyncio.run(run())


async def later(asked: Prompt) -> dict[str, int]:
    await asyncio.sleep(0)
    return {"score": len(asked.user)}


@pytest.mark.parametrize(
    ("replies", "text"),
    [
        ("كلام", "كلام"),
        ([{"السبب": "نعم"}], '{"السبب": "نعم"}'),
        (Reply(score=3), '{"score":3}'),
        (Completion(text="t", finish="length"), "t"),
        (lambda asked: asked.user, "السؤال"),
        (later, '{"score": 6}'),
        ({"faithfulness": {"score": 1}, "*": "other"}, '{"score": 1}'),
        ({"answer_correctness": "wrong one", "*": "other"}, "other"),
        ({"faithfulness": lambda asked: asked.metric}, "faithfulness"),
    ],
)
def test_replies(replies: Any, text: str) -> None:
    model = ScriptedModel(replies)
    assert ask(model)[0].text == text
    assert model.prompts == [prompt()]
    assert model.limits == [7]
    assert model.calls == 1


def test_a_completion_stays_as_it_is() -> None:
    said = Completion(text="", finish="refusal")
    assert ask(ScriptedModel([said])) == [said]


def test_a_single_reply_is_given_to_everything() -> None:
    assert [done.text for done in ask(ScriptedModel("x"), prompt("a"), prompt("b"))] == ["x", "x"]


def test_tokens_are_counted_so_that_budgets_have_something_to_go_by() -> None:
    (done,) = ask(ScriptedModel("x" * 40), Prompt(system="y" * 40, user="z" * 40, metric="m"))
    assert (done.usage.calls, done.usage.input_tokens, done.usage.output_tokens) == (1, 20, 10)


@pytest.mark.parametrize("raised", [ModelError("rate_limited", "slow", retry_after_s=3), KeyboardInterrupt()])
def test_exceptions_are_raised(raised: BaseException) -> None:
    with pytest.raises(type(raised)):
        ask(ScriptedModel([raised]))
    with pytest.raises(type(raised)):
        ask(ScriptedModel(lambda _: raised))


def test_an_exception_by_its_class() -> None:
    with pytest.raises(ZeroDivisionError):
        ask(ScriptedModel([ZeroDivisionError]))


def test_a_list_that_is_too_short() -> None:
    with pytest.raises(JudgeError, match="at its end after 1"):
        ask(ScriptedModel(["one"]), prompt(), prompt())


def test_a_metric_without_a_script() -> None:
    with pytest.raises(JudgeError, match=r"'faithfulness'.*Expected: one of 'answer_correctness'"):
        ask(ScriptedModel({"answer_correctness": "x"}))


def test_a_reply_that_is_none() -> None:
    with pytest.raises(JudgeError, match="replied with int"):
        ask(ScriptedModel([4]))


def test_replies_follow_the_order_of_the_calls() -> None:
    model = ScriptedModel([str(number) for number in range(8)], delay_s=0.01)

    async def run() -> list[Completion]:
        return await asyncio.gather(*(model.complete(prompt(), Reply) for _ in range(8)))

    assert [done.text for done in asyncio.run(run())] == [str(number) for number in range(8)]
    assert model.most_at_once == 8


class Speaker:
    def __call__(self, asked: Prompt) -> str:
        return "said"


def test_identity_tells_scripts_apart() -> None:
    scripts: list[Any] = [["a"], ["b"], {"m": "a"}, "a", lambda _: "a", lambda _: "b", Speaker(), Reply(score=1)]
    identities = [str(ScriptedModel(script).identity) for script in scripts]
    assert len(set(identities)) == len(scripts)
    assert ScriptedModel(["a"]).identity == ScriptedModel(["a"]).identity
    assert ScriptedModel(["a"], name="n").identity["model"] == "n"
    assert ask(ScriptedModel(Speaker()))[0].text == "said"
