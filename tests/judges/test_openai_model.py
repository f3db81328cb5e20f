"""What is OpenAI's own: schemas, JSON mode, the two names of the token limit, Azure, odd bodies."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from muffakir_eval.judges.endpoint import Endpoint
from muffakir_eval.judges.openai_model import OpenAIModel
from muffakir_eval.judges.protocol import Completion, ModelError, Prompt
from tests.judges.answers import (
    Answer,
    Says,
    fails,
    garbage,
    knows_no_json_mode,
    knows_no_schemas,
    knows_only,
    refuses_temperature,
)
from tests.judges.server import JudgeServer

PROMPT = Prompt(system="Judge.", user="السؤال", metric="faithfulness")


class Reply(BaseModel):
    score: int
    reason: str | None = None


def model_for(server: JudgeServer, *, azure: bool = False, **settings: Any) -> OpenAIModel:
    given = {"provider": "openai", "model": "m", "base_url": server.openai_url, "key": SecretStr("key-for-tests")}
    return OpenAIModel(Endpoint(**{**given, "timeout_s": 5.0, **settings}), azure=azure)


def ask(model: OpenAIModel, times: int = 1, **options: Any) -> list[Completion]:
    async def run() -> list[Completion]:
        try:
            return [await model.complete(PROMPT, Reply, **options) for _ in range(times)]
        finally:
            await model.aclose()

    return asyncio.run(run())


def test_the_schema_is_strict(server: JudgeServer) -> None:
    ask(model_for(server))
    form = server.requests[0].body["response_format"]["json_schema"]
    assert (form["name"], form["strict"]) == ("Reply", True)
    assert form["schema"]["required"] == ["score", "reason"]
    assert form["schema"]["additionalProperties"] is False


def test_json_mode_where_schemas_are_unknown(server: JudgeServer) -> None:
    server.rules = [knows_no_schemas]
    first, second = ask(model_for(server), times=2)
    assert [seen.form for seen in server.requests] == ["json_schema", "json_object", "json_object"]
    assert (first.usage.calls, second.usage.calls) == (2, 1)
    told = server.requests[1].system
    assert told.startswith("Judge.")
    assert '"additionalProperties":false' in told


def test_plain_text_where_json_mode_is_unknown_too(server: JudgeServer) -> None:
    server.rules = [knows_no_schemas, knows_no_json_mode]
    ask(model_for(server), times=2)
    assert [seen.form for seen in server.requests] == ["json_schema", "json_object", "text", "text"]
    assert "JSON schema" in server.requests[2].system
    assert "response_format" not in server.requests[2].body


@pytest.mark.parametrize(
    "message",
    [
        "This model does not support response format `json_schema`.",
        "'response_format.type' must be 'json_object' or 'text'",
        '{"detail":[{"loc":["body","response_format"],"msg":"Extra inputs are not permitted"}]}',
        "Structured outputs are not available on this endpoint",
    ],
)
@pytest.mark.parametrize("status", [400, 404, 422])
def test_the_many_ways_to_say_no_to_a_schema(server: JudgeServer, message: str, status: int) -> None:
    server.script(fails(status, message))
    assert ask(model_for(server))[0].usage.calls == 2
    assert server.requests[1].form == "json_object"


@pytest.mark.parametrize("answer", [fails(500, "response_format failed"), fails(404, "The model `m` does not exist")])
def test_other_refusals_change_nothing(server: JudgeServer, answer: Answer) -> None:
    server.script(answer)
    with pytest.raises(ModelError):
        ask(model_for(server))
    assert server.count == 1


def test_a_response_format_by_hand_is_left_alone(server: JudgeServer) -> None:
    ask(model_for(server, parameters={"response_format": {"type": "json_object"}}))
    assert server.requests[0].body["response_format"] == {"type": "json_object"}


def test_a_schema_and_a_temperature_refused_together(server: JudgeServer) -> None:
    server.rules = [refuses_temperature, knows_no_schemas, knows_only("max_completion_tokens")]
    (completion,) = ask(model_for(server, temperature=0.0, max_tokens=9))
    assert completion.usage.calls == server.count == 4
    assert server.requests[-1].body["max_completion_tokens"] == 9
    assert completion.notes


@pytest.mark.parametrize(
    ("base_url", "first"), [("https://api.openai.com.example/v1", "max_completion_tokens"), (None, "max_tokens")]
)
def test_which_limit_is_tried_first(server: JudgeServer, base_url: str | None, first: str) -> None:
    # The address of OpenAI cannot be reached from a test; the shape of the request is all that counts.
    model = model_for(server, base_url=base_url or server.openai_url, max_tokens=5)
    request = model._request(model._dialect.shape, PROMPT, Reply, 5)
    assert request[first] == 5


@pytest.mark.parametrize("known", ["max_tokens", "max_completion_tokens"])
def test_the_other_name_of_the_limit(server: JudgeServer, known: str) -> None:
    server.rules = [knows_only(known)]
    ask(model_for(server, max_tokens=5), times=2)
    bodies = [seen.body for seen in server.requests]
    assert all(body[known] == 5 for body in bodies[-2:])
    assert len(bodies) == (2 if known == "max_tokens" else 3)


def test_a_server_that_knows_no_limit_at_all(server: JudgeServer) -> None:
    server.rules = [
        lambda seen: (
            fails(400, f"Unsupported parameter: {next(k for k in seen.body if k.startswith('max_'))}")
            if any(name.startswith("max_") for name in seen.body)
            else None
        )
    ]
    with pytest.raises(ModelError) as caught:
        ask(model_for(server, max_tokens=5))
    assert caught.value.calls == server.count == 2


def test_a_limit_that_is_too_large_is_not_renamed(server: JudgeServer) -> None:
    server.script(fails(400, "max_tokens is too large: 99. This model supports at most 50.", param="max_tokens"))
    with pytest.raises(ModelError, match="at most 50"):
        ask(model_for(server, max_tokens=99))
    assert server.count == 1


def test_no_limit_unless_one_is_set(server: JudgeServer) -> None:
    ask(model_for(server))
    assert not {"max_tokens", "max_completion_tokens", "temperature"} & server.requests[0].body.keys()


def test_a_model_without_a_system_role(server: JudgeServer) -> None:
    server.rules = [
        lambda seen: fails(400, "System role not supported") if seen.body["messages"][0]["role"] == "system" else None
    ]
    ask(model_for(server), times=2)
    assert server.count == 3
    assert server.requests[-1].body["messages"] == [{"role": "user", "content": "Judge.\n\nالسؤال"}]


@pytest.mark.parametrize(
    ("said", "text", "finish"),
    [
        (Says(None, refusal="I cannot."), "I cannot.", "refusal"),
        (Says("", finish="content_filter"), "", "content_filter"),
        (Says("", finish="content_filter: PROHIBITED_CONTENT"), "", "content_filter"),
        (Says("x", finish="a word of tomorrow"), "x", "stop"),
    ],
)
def test_refused_and_filtered(server: JudgeServer, said: Says, text: str, finish: str) -> None:
    server.script(said)
    (completion,) = ask(model_for(server))
    assert (completion.text, completion.finish) == (text, finish)


def body(choices: object, **more: object) -> Answer:
    return garbage(json.dumps({"id": "c", "object": "chat.completion", "choices": choices, **more}).encode())


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (body([]), ""),
        (body([None]), ""),
        (body([{"message": None, "finish_reason": "stop"}]), ""),
        (body([{"message": {"content": 7}}], usage={"prompt_tokens": "7"}), ""),
        (
            body([{"message": {"content": [{"type": "thinking", "thinking": "1"}, {"type": "text", "text": "{}"}]}}]),
            "{}",
        ),
    ],
)
def test_odd_bodies(server: JudgeServer, answer: Answer, text: str) -> None:
    server.script(answer)
    (completion,) = ask(model_for(server))
    assert (completion.text, completion.finish, completion.usage.input_tokens) == (text, "stop", None)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (garbage(b'{"error": {"code": 429, "message": "slow down"}}'), "rate_limited"),
        (garbage(b'{"error": {"code": 401, "message": "who are you"}}'), "rejected_key"),
        (garbage(b'{"error": "Overloaded"}'), "overloaded"),
        (garbage(b'{"error": "something broke"}'), "server_error"),
        (body([{"finish_reason": "error", "error": {"code": 502, "message": "upstream"}}]), "server_error"),
    ],
)
def test_an_error_under_status_200(server: JudgeServer, answer: Answer, fault: str) -> None:
    server.script(answer)
    with pytest.raises(ModelError) as caught:
        ask(model_for(server))
    assert caught.value.fault == fault


def test_json_that_the_server_itself_found_invalid_is_handed_over(server: JudgeServer) -> None:
    error = {"code": "json_validate_failed", "message": "Failed to validate JSON", "failed_generation": "Score: 4/5"}
    server.script(Answer(400, json.dumps({"error": error}).encode()))
    (completion,) = ask(model_for(server))
    assert completion.text == "Score: 4/5"
    assert server.count == 1


def test_a_base_url_without_its_version(server: JudgeServer) -> None:
    server.answer = fails(404, "page not found")
    with pytest.raises(ModelError, match="lack /v1"):
        ask(model_for(server, base_url=server.url))


def test_azure(server: JudgeServer) -> None:
    client = {"api_version": "2024-10-21"}
    ask(model_for(server, azure=True, base_url=server.url, model="my-deployment", client=client, max_tokens=5))
    (seen,) = server.requests
    assert seen.path == "/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21"
    assert seen.headers["api-key"] == "key-for-tests"
    assert seen.body["max_completion_tokens"] == 5
