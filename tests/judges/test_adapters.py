"""What both SDK adapters owe the judge, driven through the real SDKs against a server on this machine."""

from __future__ import annotations

import asyncio
import datetime
import email.utils
import gc
import logging
import traceback
from collections.abc import Callable

import pytest
from pydantic import BaseModel, SecretStr

from muffakir_eval.judges.anthropic_model import AnthropicModel
from muffakir_eval.judges.endpoint import Endpoint
from muffakir_eval.judges.openai_model import OpenAIModel
from muffakir_eval.judges.protocol import Completion, Fault, ModelError, Prompt
from tests.judges.answers import (
    Answer,
    Says,
    Seen,
    drops,
    fails,
    garbage,
    hangs,
    overloaded_under_200,
    refuses_key,
)
from tests.judges.server import JudgeServer

KEY = "zx81AbCdEfGh3456"
PROMPT = Prompt(system="احكم على الإجابة.", user="السؤال: ما عاصمة مصر؟", metric="faithfulness")


class Reply(BaseModel):
    score: int


Adapter = OpenAIModel | AnthropicModel
Make = Callable[..., Adapter]


@pytest.fixture(params=[OpenAIModel, AnthropicModel])
def make(request: pytest.FixtureRequest, server: JudgeServer) -> Make:
    """Builds the adapter of either SDK for the running server."""

    def build(**settings: object) -> Adapter:
        kind: type[Adapter] = request.param
        url = server.openai_url if kind is OpenAIModel else server.url
        given = {"provider": "p", "model": "judge-1", "base_url": url, "key": SecretStr(KEY), "timeout_s": 5.0}
        return kind(Endpoint(**{**given, **settings}))  # type: ignore[arg-type]

    return build


def ask(model: Adapter, times: int = 1) -> list[Completion]:
    async def run() -> list[Completion]:
        try:
            return [await model.complete(PROMPT, Reply) for _ in range(times)]
        finally:
            await model.aclose()

    return asyncio.run(run())


def failure(model: Adapter) -> ModelError:
    with pytest.raises(ModelError) as caught:
        ask(model)
    return caught.value


def test_a_reply(server: JudgeServer, make: Make) -> None:
    server.answer = {"score": 4}
    (completion,) = ask(make())
    assert (completion.text, completion.finish, completion.model) == ('{"score": 4}', "stop", "judge-1")
    usage = completion.usage
    assert (usage.calls, usage.input_tokens, usage.output_tokens, usage.cached) == (1, 100, 20, 0)
    assert usage.latency_ms > 0
    (seen,) = server.requests
    assert (seen.system, seen.user, seen.key, seen.form) == (PROMPT.system, PROMPT.user, KEY, "json_schema")
    assert "temperature" not in seen.body


@pytest.mark.parametrize(
    ("said", "text", "finish"),
    [
        (Says('{"score": ', finish="length"), '{"score": ', "length"),
        (Says("", finish="length"), "", "length"),
        (Says('{"score": 1}', thinking='maybe {"score": 5}'), '{"score": 1}', "stop"),
        (Says(None), "", "stop"),
        (Says(tool_only=True), "", "stop"),
        (Says('{"score": 3}', tokens=None), '{"score": 3}', "stop"),
    ],
)
def test_how_a_reply_ends(server: JudgeServer, make: Make, said: Says, text: str, finish: str) -> None:
    server.script(said)
    (completion,) = ask(make())
    assert (completion.text, completion.finish) == (text, finish)


def test_tokens_that_nobody_counted_are_unknown(server: JudgeServer, make: Make) -> None:
    server.script(Says("{}", tokens=None))
    (completion,) = ask(make())
    assert completion.usage.input_tokens is None
    assert completion.usage.output_tokens is None


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (fails(429), "rate_limited"),
        (fails(500), "server_error"),
        (fails(500, "Overloaded"), "overloaded"),
        (fails(502), "server_error"),
        (fails(503), "overloaded"),
        (fails(504), "timeout"),
        (fails(529, "Overloaded"), "overloaded"),
        (overloaded_under_200(), "overloaded"),
        (fails(400, "the model is overloaded", code="overloaded_error"), "overloaded"),
        (fails(400, "no"), "bad_request"),
        (fails(402, "pay first"), "rejected_key"),
        (fails(403, "not yours"), "rejected_key"),
        (Answer(403, b"<html>blocked by a firewall"), "bad_request"),
        (fails(404, "no such model"), "bad_request"),
        (fails(408), "timeout"),
        (fails(409), "server_error"),
        (fails(413, "too long"), "bad_request"),
        (fails(418), "bad_request"),
        (fails(422, "no"), "bad_request"),
        (fails(499), "connection"),
        (fails(501), "bad_request"),
        (fails(400, "API key not valid. Please pass a valid API key."), "rejected_key"),
        (fails(400, "Your credit balance is too low to access the API."), "rejected_key"),
        (fails(429, "You exceeded your current quota.", code="insufficient_quota"), "rejected_key"),
        (garbage(), "server_error"),
        (garbage(content_type="text/html"), "server_error"),
        (garbage(b""), "server_error"),
        (garbage(b"null"), "server_error"),
        (garbage(b"[]"), "server_error"),
        (garbage(b"{}"), "server_error"),
        (garbage(b'{"message": "all is well"}'), "server_error"),
        (drops("before_headers"), "connection"),
        (drops("after_headers"), "connection"),
        (drops("half_body"), "connection"),
    ],
)
def test_faults(server: JudgeServer, make: Make, answer: Answer, fault: Fault) -> None:
    server.script(answer)
    error = failure(make())
    assert error.fault == fault
    assert error.calls == server.count == 1  # the SDKs' own retries are off
    assert error.__context__ is None


@pytest.mark.parametrize("dripping", [False, True])
def test_a_call_ends_by_the_clock_whatever_the_server_does(server: JudgeServer, make: Make, dripping: bool) -> None:
    server.script(hangs(30, dripping=dripping))
    error = failure(make(timeout_s=0.3))
    assert error.fault == "timeout"
    assert "0.3 s" in str(error) or "timed out" in str(error)


def test_nobody_listens(make: Make) -> None:
    error = failure(make(base_url="http://127.0.0.1:9/v1"))
    assert error.fault == "connection"


def test_cancelling_is_no_fault_of_the_model(server: JudgeServer, make: Make) -> None:
    server.script(hangs(30))

    async def run() -> None:
        model = make()
        task = asyncio.create_task(model.complete(PROMPT, Reply))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await model.aclose()

    asyncio.run(run())


@pytest.mark.parametrize("wait", ["300", "1.5", "0"])
def test_the_wait_that_the_server_asks_for(server: JudgeServer, make: Make, wait: str) -> None:
    server.script(fails(429, retry_after=wait))
    error = failure(make())
    assert error.retry_after_s == float(wait)
    assert error.retriable


def test_the_wait_as_a_date(server: JudgeServer, make: Make) -> None:
    moment = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=90)
    server.script(fails(503, retry_after=email.utils.format_datetime(moment, usegmt=True)))
    wait = failure(make()).retry_after_s
    assert wait is not None
    assert 80 < wait <= 90


def test_the_wait_in_milliseconds(server: JudgeServer, make: Make) -> None:
    server.script(Answer(429, b"{}", {"retry-after-ms": "250", "retry-after": "9"}))
    assert failure(make()).retry_after_s == 0.25


def test_no_wait(server: JudgeServer, make: Make) -> None:
    server.script(fails(429))
    assert failure(make()).retry_after_s is None


SHOWN: list[Callable[[str], str]] = [
    str,
    lambda key: f"{key[:3]}***{key[-2:]}",
    lambda key: f"{key[:5]}...",
    lambda key: f"…{key[-4:]}",
    lambda key: key[:8],
    lambda key: f"{key[:2]}{'•' * 8}{key[-4:]}",
    lambda key: f"{key[4:12]}",
]


@pytest.mark.parametrize("show", SHOWN)
def test_no_part_of_a_key_is_shown(
    server: JudgeServer, make: Make, show: Callable[[str], str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.script(lambda seen: refuses_key(seen, show=show))
    error = failure(make())
    assert error.fault == "rejected_key"
    frames = traceback.TracebackException.from_exception(error, capture_locals=True).format()
    shown = "".join(frames)
    for text in (repr(error), str(error), repr(error.args), repr(error.__dict__), shown, caplog.text):
        assert not parts_of_the_key(text), text
    assert error.__cause__ is None
    assert error.__context__ is None


def parts_of_the_key(text: str) -> set[str]:
    return {KEY[at : at + 4] for at in range(len(KEY) - 3) if KEY[at : at + 4] in text}


def test_the_key_in_a_body_that_is_no_error(server: JudgeServer, make: Make) -> None:
    server.script(garbage(f'{{"error": {{"message": "bad {KEY}"}}}}'.encode()), garbage(f'["{KEY}"]'.encode()))
    model = make()
    assert not parts_of_the_key(str(failure(model)))
    assert not parts_of_the_key(str(failure(model)))


def test_the_temperature_is_left_out_for_a_model_that_refuses_it(server: JudgeServer, make: Make) -> None:
    server.rules = [lambda seen: fails(400, "`temperature` is deprecated.") if "temperature" in seen.body else None]
    first, second = ask(make(temperature=0.0), times=2)
    assert [seen.body.get("temperature") for seen in server.requests] == [0.0, None, None]
    assert (first.usage.calls, second.usage.calls) == (2, 1)
    assert first.notes == second.notes == ("temperature not sent: the model refuses it",)


def test_a_temperature_out_of_range_is_the_user_s_to_mend(server: JudgeServer, make: Make) -> None:
    server.rules = [lambda seen: fails(400, "temperature must be between 0 and 1", param="temperature")]
    error = failure(make(temperature=1.5))
    assert (error.fault, error.calls) == ("bad_request", 1)
    assert "between 0 and 1" in str(error)


def test_the_limit_of_one_call(server: JudgeServer, make: Make) -> None:
    async def run() -> None:
        model = make(max_tokens=500)
        await model.complete(PROMPT, Reply)
        await model.complete(PROMPT, Reply, max_tokens=900)
        await model.aclose()

    asyncio.run(run())
    assert [seen.body["max_tokens"] for seen in server.requests] == [500, 900]


def test_further_parameters(server: JudgeServer, make: Make) -> None:
    ask(make(parameters={"metadata": {"user_id": "7"}, "top_k": 3, "extra_body": {"min_p": 0.1}}))
    body = server.requests[0].body
    assert (body["metadata"], body["top_k"], body["min_p"]) == ({"user_id": "7"}, 3, 0.1)


def test_a_text_that_the_provider_filters(server: JudgeServer, make: Make) -> None:
    server.script(fails(400, "The prompt triggered the policy", code="content_filter"))
    server.script(fails(403, "Your input was flagged", code="moderation"))
    for completion in ask(make(), times=2):
        assert (completion.text, completion.finish, completion.usage.calls) == ("", "content_filter", 1)


def test_a_client_does_not_outlive_its_loop(server: JudgeServer, make: Make) -> None:
    model = make()
    for _ in range(2):
        assert ask(model)[0].text == "{}"
    assert server.count == 2
    assert server.connections == 2


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_two_loops_without_a_word_of_farewell(server: JudgeServer, make: Make) -> None:
    model = make()
    texts = [asyncio.run(model.complete(PROMPT, Reply)).text for _ in range(2)]
    assert texts == ["{}", "{}"]
    asyncio.run(model.aclose())
    gc.collect()  # what the dead loops left behind says so within this test


def test_connections_are_kept(server: JudgeServer, make: Make) -> None:
    ask(make(), times=5)
    assert (server.count, server.connections) == (5, 1)


def test_closing_twice_and_before_anything(make: Make) -> None:
    async def run() -> None:
        model = make()
        await model.aclose()
        await model.aclose()

    asyncio.run(run())


def test_many_calls_side_by_side_learn_the_form_once(server: JudgeServer, make: Make) -> None:
    def no_schemas(seen: Seen) -> Answer | None:
        return fails(400, "json_schema is unsupported") if seen.form == "json_schema" else None

    server.rules = [no_schemas]
    server.latency_s = 0.02
    model = make()

    async def run() -> list[Completion]:
        done = await asyncio.gather(*(model.complete(PROMPT, Reply) for _ in range(32)))
        done.append(await model.complete(PROMPT, Reply))
        await model.aclose()
        return done

    completions = asyncio.run(run())
    forms = [seen.form for seen in server.requests]
    assert all(completion.text == "{}" for completion in completions)
    assert forms.count("json_schema") <= 32
    assert set(forms[forms.index(next(form for form in forms if form != "json_schema")) :]) <= {
        "json_schema",
        "json_object" if isinstance(model, OpenAIModel) else "text",
    }
    assert completions[-1].usage.calls == 1


def test_identity_holds_what_changes_a_reply_and_no_secret(make: Make) -> None:
    model = make(
        temperature=0.0,
        max_tokens=77,
        base_url="http://me:hunter22@127.0.0.1:1/v1",
        parameters={"top_k": 1, "extra_headers": {"Authorization": "Bearer hidden99"}},
    )
    identity = model.identity
    assert identity["model"] == "judge-1"
    assert identity["base_url"] == "http://127.0.0.1:1/v1"
    assert identity["temperature"] == 0.0
    assert identity["max_tokens"] == 77
    assert identity["parameters"]["top_k"] == 1
    assert not parts_of_the_key(repr(identity))
    assert "hunter22" not in repr(identity)
    assert "hidden99" not in repr(identity)
