"""What is Anthropic's own: no temperature in the SDK, a limit that must be there, refusals without content."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from muffakir_eval.judges.anthropic_model import DEFAULT_MAX_TOKENS, AnthropicModel
from muffakir_eval.judges.endpoint import Endpoint
from muffakir_eval.judges.protocol import Completion, Prompt
from tests.judges.answers import Says, garbage, knows_no_schemas, refuses_temperature
from tests.judges.server import JudgeServer

PROMPT = Prompt(system="Judge.", user="السؤال", metric="faithfulness")


class Reply(BaseModel):
    score: int


def model_for(server: JudgeServer, **settings: Any) -> AnthropicModel:
    given = {"provider": "anthropic", "model": "m", "base_url": server.url, "key": SecretStr("key-for-tests")}
    return AnthropicModel(Endpoint(**{**given, "timeout_s": 5.0, **settings}))


def ask(model: AnthropicModel, prompt: Prompt = PROMPT, **options: Any) -> Completion:
    async def run() -> Completion:
        try:
            return await model.complete(prompt, Reply, **options)
        finally:
            await model.aclose()

    return asyncio.run(run())


def test_the_request(server: JudgeServer) -> None:
    ask(model_for(server))
    (seen,) = server.requests
    assert seen.path == "/v1/messages"
    assert seen.key == "key-for-tests"
    assert seen.body["max_tokens"] == DEFAULT_MAX_TOKENS
    assert seen.body["output_config"]["format"]["schema"]["additionalProperties"] is False
    assert seen.body.keys() == {"model", "max_tokens", "messages", "system", "output_config"}


def test_without_instructions(server: JudgeServer) -> None:
    ask(model_for(server), Prompt(system="", user="u", metric="m"))
    assert "system" not in server.requests[0].body


def test_the_words_stand_in_where_schemas_are_unknown(server: JudgeServer) -> None:
    server.rules = [knows_no_schemas]
    assert ask(model_for(server)).usage.calls == 2
    last = server.requests[-1]
    assert "output_config" not in last.body
    assert "JSON schema" in last.system


def test_a_temperature_by_hand_reaches_the_wire(server: JudgeServer) -> None:
    ask(model_for(server, temperature=0.0))
    assert server.requests[0].body["temperature"] == 0.0


def test_a_temperature_that_the_model_refuses(server: JudgeServer) -> None:
    server.rules = [refuses_temperature]
    completion = ask(model_for(server, temperature=0.0))
    assert completion.notes == ("temperature not sent: the model refuses it",)


@pytest.mark.parametrize("timeout_s", [5.0, 600.0])
def test_a_large_limit_is_sent_without_streaming(server: JudgeServer, timeout_s: float) -> None:
    ask(model_for(server, timeout_s=timeout_s), max_tokens=64_000)
    assert server.requests[0].body["max_tokens"] == 64_000


def test_output_config_by_hand_keeps_the_schema(server: JudgeServer) -> None:
    ask(model_for(server, parameters={"output_config": {"effort": "low"}}))
    config = server.requests[0].body["output_config"]
    assert config["effort"] == "low"
    assert config["format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    ("said", "finish"),
    [
        (Says(None, finish="refusal"), "refusal"),
        (Says("half", finish="max_tokens"), "length"),
        (Says("half", finish="model_context_window_exceeded"), "length"),
        (Says("all", finish="stop_sequence"), "stop"),
        (Says("all", finish="pause_turn"), "stop"),
    ],
)
def test_stop_reasons(server: JudgeServer, said: Says, finish: str) -> None:
    server.script(said)
    completion = ask(model_for(server))
    assert (completion.text, completion.finish) == (said.text or "", finish)


def test_a_text_in_pieces_around_thinking(server: JudgeServer) -> None:
    content = [
        {"type": "text", "text": '{"score"'},
        {"type": "thinking", "thinking": '{"score": 5}', "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "eA=="},
        {"type": "text", "text": ": 1}"},
        {"type": "text"},
    ]
    usage = {"input_tokens": 10, "cache_read_input_tokens": 5, "cache_creation_input_tokens": None, "output_tokens": 3}
    message = {"id": "m", "type": "message", "role": "assistant", "content": content, "usage": usage}
    server.script(garbage(json.dumps({**message, "model": "m", "stop_reason": "end_turn"}).encode()))
    completion = ask(model_for(server))
    assert completion.text == '{"score": 1}'
    assert (completion.usage.input_tokens, completion.usage.output_tokens) == (15, 3)
