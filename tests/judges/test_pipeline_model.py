"""The pipeline's own model as a judge."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import openai
import pytest
from pydantic import BaseModel, SecretStr

from muffakir_eval.errors import ConfigError
from muffakir_eval.judges.pipeline_model import PipelineModel
from muffakir_eval.judges.protocol import Completion, ModelError, Prompt
from tests.judges.answers import fails
from tests.judges.server import JudgeServer

PROMPT = Prompt(system="احكم.", user="السؤال", metric="faithfulness")


class Reply(BaseModel):
    score: int


def ask(model: PipelineModel, times: int = 1, **options: Any) -> list[Completion]:
    async def run() -> list[Completion]:
        try:
            return list(await asyncio.gather(*(model.complete(PROMPT, Reply, **options) for _ in range(times))))
        finally:
            await model.aclose()

    return asyncio.run(run())


def failure(model: PipelineModel) -> ModelError:
    with pytest.raises(ModelError) as caught:
        ask(model)
    assert caught.value.__context__ is None
    return caught.value


class Message:
    def __init__(self, content: Any, **more: Any) -> None:
        self.content = content
        self.__dict__.update(more)


class Llm:
    """In the manner of LangChain: ``bind`` gives a copy that passes its arguments on."""

    model_name = "gpt-4o-mini"

    def __init__(self, refuses: tuple[str, ...] = (), seen: list[Any] | None = None, **bound: Any) -> None:
        self.refuses = refuses
        self.bound = bound
        self.seen: list[Any] = [] if seen is None else seen

    def bind(self, **more: Any) -> Llm:
        return type(self)(self.refuses, self.seen, **{**self.bound, **more})

    def invoke(self, asked: Any) -> Any:
        self.seen.append((asked, self.bound))
        for name in self.refuses:
            if name in self.bound:
                raise TypeError(f"create() got an unexpected keyword argument '{name}'")
        return Message(
            '{"score": 4}',
            usage_metadata={"input_tokens": 7, "output_tokens": 3},
            response_metadata={"finish_reason": "stop", "model_name": "gpt-4o-mini-2024"},
        )


class BaseChatModel:
    pass


class ChatLlm(Llm, BaseChatModel):
    pass


class Claude(Llm):
    model_name = "claude-x"


class Provider:
    def __init__(self, llm: Any) -> None:
        self.llm = llm

    def get_llm(self) -> Any:
        return self.llm


def test_a_provider_with_get_llm() -> None:
    llm = Llm()
    (done,) = ask(PipelineModel(Provider(llm), parameters={"top_p": 1}), max_tokens=9)
    assert (done.text, done.finish, done.model, done.notes) == ('{"score": 4}', "stop", "gpt-4o-mini-2024", ())
    assert (done.usage.calls, done.usage.input_tokens, done.usage.output_tokens) == (1, 7, 3)
    ((asked, bound),) = llm.seen
    assert bound == {"temperature": 0.0, "top_p": 1, "max_tokens": 9}
    assert asked.startswith("احكم.\n\n")
    assert asked.endswith("\n\nالسؤال")
    assert '"score"' in asked


def test_a_chat_model_gets_roles() -> None:
    llm = ChatLlm()
    ask(PipelineModel(llm))
    (system, user), _ = llm.seen[0]
    assert (system[0], user) == ("system", ("human", "السؤال"))


def test_parameters_that_the_model_refuses() -> None:
    llm = Llm(refuses=("temperature", "max_tokens"))
    model = PipelineModel(llm, max_tokens=5)
    (done,) = ask(model)
    assert done.usage.calls == 3
    assert done.notes == ("temperature not sent: the model refuses it",)
    assert [bound for _, bound in llm.seen] == [{"temperature": 0.0, "max_tokens": 5}, {"max_tokens": 5}, {}]
    ask(model)
    assert len(llm.seen) == 4


def test_another_argument_that_it_refuses_is_the_user_s_to_mend() -> None:
    error = failure(PipelineModel(Llm(refuses=("top_p",)), parameters={"top_p": 1}))
    assert "top_p" in str(error)
    assert not error.retriable


def test_a_claude_gets_a_temperature_only_by_hand() -> None:
    llm = Claude()
    ask(PipelineModel(llm))
    ask(PipelineModel(llm, temperature_by_hand=True))
    assert [bound for _, bound in llm.seen] == [{}, {"temperature": 0.0}]


async def coroutine(prompt: str) -> str:
    await asyncio.sleep(0)
    return "coroutine"


class AsyncCallable:
    async def __call__(self, prompt: str) -> str:
        return "async call"


class OnlyAinvoke:
    async def ainvoke(self, prompt: str) -> dict[str, str]:
        return {"content": "ainvoke"}


class LlamaLike:
    def complete(self, prompt: str) -> Any:
        return SimpleNamespace(text="complete")


def awaitable(prompt: str) -> Awaitable[str]:
    return coroutine(prompt)


@pytest.mark.parametrize(
    ("provider", "text"),
    [
        (lambda prompt: "plain", "plain"),
        (coroutine, "coroutine"),
        (awaitable, "coroutine"),
        (AsyncCallable(), "async call"),
        (OnlyAinvoke(), "ainvoke"),
        (LlamaLike(), "complete"),
        (lambda prompt: None, ""),
        (lambda prompt: {"answer": "a"}, "a"),
        (lambda prompt: {"choices": [{"message": {"content": "c"}}]}, "c"),
        (lambda prompt: {"replies": ["r"]}, "r"),
        (lambda prompt: Message([{"type": "thinking", "thinking": "t"}, {"type": "text", "text": "a"}, "b"]), "ab"),
        (lambda prompt: SimpleNamespace(message=Message("m")), "m"),
    ],
)
def test_ways_to_ask_and_to_answer(provider: Any, text: str) -> None:
    (done,) = ask(PipelineModel(provider))
    assert done.text == text
    assert (done.usage.input_tokens, done.usage.output_tokens) == (None, None)
    assert done.notes == ("parameters not sent: the pipeline's model cannot be given any (temperature)",)


def test_nothing_wanted_nothing_missed() -> None:
    assert ask(PipelineModel(lambda prompt: "x", temperature=None))[0].notes == ()


@pytest.mark.parametrize(
    ("reply", "finish"),
    [
        (Message("", response_metadata={"finish_reason": "length"}), "length"),
        (Message("", response_metadata={"stop_reason": "refusal"}), "refusal"),
        (Message("", response_metadata={"done_reason": "stop", "model": 4}), "stop"),
        (Message("", additional_kwargs={"refusal": "no"}), "refusal"),
        ({"content": "", "response_metadata": {"finish_reason": "content_filter"}}, "content_filter"),
    ],
)
def test_finishes(reply: Any, finish: str) -> None:
    (done,) = ask(PipelineModel(lambda prompt: reply))
    assert (done.finish, done.model) == (finish, None)


@pytest.mark.parametrize("reply", [3, [3], {"score": 4}, object(), {"content": 4}])
def test_replies_without_a_text(reply: Any) -> None:
    error = failure(PipelineModel(lambda prompt: reply))
    assert error.fault == "bad_request"
    assert "expected a text" in str(error)


def test_calls_run_side_by_side() -> None:
    threads: set[int] = set()
    barrier = threading.Barrier(8, timeout=5)

    def slow(prompt: str) -> str:
        threads.add(threading.get_ident())
        barrier.wait()
        return "x"

    assert len(ask(PipelineModel(slow), times=8)) == 8
    assert len(threads) == 8


def test_threads_are_used_again() -> None:
    threads: set[int] = set()
    model = PipelineModel(lambda prompt: threads.add(threading.get_ident()))

    async def run() -> None:
        for _ in range(5):
            await model.complete(PROMPT, Reply)
        await model.aclose()

    asyncio.run(run())
    assert len(threads) == 1


@pytest.mark.parametrize("call", [lambda prompt: time.sleep(1), lambda prompt: asyncio.sleep(1)])
def test_a_stuck_call_is_left_behind(call: Callable[[str], Any]) -> None:
    error = failure(PipelineModel(call, timeout_s=0.1))
    assert (error.fault, str(error)) == ("timeout", "no answer within 0.1 s")


def raising(error: BaseException) -> Callable[[str], str]:
    def call(prompt: str) -> str:
        raise error

    return call


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (ConnectionResetError("gone"), "connection"),
        (TimeoutError("slow"), "timeout"),
        (KeyError("x"), "unknown"),
        (TypeError("wrong"), "unknown"),
    ],
)
def test_what_it_raises(error: Exception, fault: str) -> None:
    assert failure(PipelineModel(raising(error))).fault == fault


@pytest.mark.parametrize(("status", "fault"), [(429, "rate_limited"), (401, "rejected_key"), (503, "overloaded")])
def test_errors_of_the_sdk_beneath_it(server: JudgeServer, status: int, fault: str) -> None:
    key = "zx81AbCdEfGh3456"
    server.answer = fails(status, f"no: {key}", retry_after=4)

    class Wrapped:
        def __init__(self) -> None:
            self.api_key = SecretStr(key)

        def invoke(self, prompt: str) -> Any:
            with openai.OpenAI(base_url=server.openai_url, api_key=key, max_retries=0) as client:
                return client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}])

    error = failure(PipelineModel(Wrapped()))
    assert (error.fault, error.retry_after_s) == (fault, 4.0)
    assert key[:6] not in str(error)


def test_errors_of_anthropic_are_read_by_their_own_table() -> None:
    class OverloadedError(Exception):
        pass

    OverloadedError.__module__ = "anthropic"
    assert failure(PipelineModel(raising(OverloadedError("busy")))).fault == "overloaded"


def test_an_object_that_cannot_be_asked() -> None:
    with pytest.raises(ConfigError, match="cannot be asked"):
        PipelineModel(object())
    with pytest.raises(ConfigError, match="NoneType"):
        PipelineModel(Provider(None))


def test_get_llm_that_fails() -> None:
    class Broken:
        api_key = "zx81AbCdEfGh3456"

        def __init__(self) -> None:
            self.api_key = Broken.api_key

        def get_llm(self) -> Any:
            raise RuntimeError(f"bad key {self.api_key}")

    with pytest.raises(ConfigError, match="bad key") as caught:
        PipelineModel(Broken())
    assert "zx81" not in str(caught.value)
    assert caught.value.__context__ is None


def test_identity() -> None:
    llm = Llm()
    llm.base_url = "https://me:hunter22@host/v1"  # type: ignore[attr-defined]
    identity = PipelineModel(Provider(llm), parameters={"top_p": 1, "api_key": "secret99"}).identity
    assert identity["model"] == "gpt-4o-mini"
    assert identity["provider"].endswith("Llm")
    assert identity["base_url"] == "https://host/v1"
    assert identity["temperature"] == 0.0
    assert identity["parameters"] == {"top_p": 1, "api_key": "***"}
    assert "hunter22" not in repr(identity)
    plain = PipelineModel(coroutine).identity
    assert plain["model"].endswith("coroutine")
    assert plain["temperature"] is None
