"""What a loopback judge server can answer, in the words of each protocol."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

__all__ = [
    "ANTHROPIC_KINDS",
    "Answer",
    "Says",
    "Seen",
    "drops",
    "fails",
    "garbage",
    "hangs",
    "knows_no_json_mode",
    "knows_no_schemas",
    "knows_only",
    "overloaded_under_200",
    "refuses_key",
    "refuses_temperature",
    "render",
]

Dialect = Literal["chat", "messages"]
Drop = Literal["before_headers", "after_headers", "half_body"]


@dataclass(frozen=True)
class Seen:
    """A request as it arrived."""

    number: int
    """From 0, in order of arrival."""
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    raw: bytes = field(repr=False)
    method: str = "POST"

    @cached_property
    def body(self) -> dict[str, Any]:
        return dict(json.loads(self.raw))

    @property
    def dialect(self) -> Dialect:
        return "messages" if self.path.split("?")[0].endswith("/messages") else "chat"

    @property
    def key(self) -> str:
        """The key that was sent, whatever the header; empty without one."""
        bearer = self.headers.get("authorization", "").removeprefix("Bearer ")
        return self.headers.get("x-api-key") or self.headers.get("api-key") or bearer

    @property
    def system(self) -> str:
        if self.dialect == "messages":
            return str(self.body.get("system", ""))
        return "".join(message["content"] for message in self.body["messages"] if message["role"] == "system")

    @property
    def user(self) -> str:
        return "".join(message["content"] for message in self.body["messages"] if message["role"] == "user")

    @property
    def form(self) -> str:
        """``json_schema``, ``json_object`` or ``text``: what the reply was asked to be."""
        form = self.body.get("response_format") or (self.body.get("output_config") or {}).get("format") or {}
        return str(form.get("type", "text"))


@dataclass(frozen=True)
class Answer:
    """Bytes for the wire, and what happens to the connection."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    delay_s: float = 0.0
    """Waited on top of the latency of the server."""
    drop: Drop | None = None
    drip_s: float = 0.0
    """Seconds between single bytes of the body."""


@dataclass(frozen=True)
class Says:
    """A reply of the model, in either protocol.

    Attributes:
        text: ``None`` sends ``content: null``, or an empty content list.
        finish: ``stop``, ``length``, ``refusal``, ``content_filter``, or the protocol's own word.
        thinking: Stands before the text: a block, or the field ``reasoning_content``.
        refusal: The field ``refusal`` of chat completions.
        tokens: Input and output; ``None`` leaves the usage out.
        tool_only: The reply is a call of a tool.
        delay_s: Waited on top of the latency of the server.
    """

    text: str | None = ""
    finish: str = "stop"
    thinking: str | None = None
    refusal: str | None = None
    tokens: tuple[int, int] | None = (100, 20)
    tool_only: bool = False
    delay_s: float = 0.0


Behaviour = Callable[[Seen], "Answer | Says | str | Mapping[str, Any]"]
Rule = Callable[[Seen], Answer | None]

_STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}


def render(answer: Answer | Says | str | Mapping[str, Any], seen: Seen) -> Answer:
    """The bytes of an answer: a text is the reply, a mapping is a reply that is this JSON object."""
    if isinstance(answer, Answer):
        return answer
    if isinstance(answer, Mapping):
        answer = json.dumps(answer, ensure_ascii=False)
    said = Says(answer) if isinstance(answer, str) else answer
    body = _message(said, seen) if seen.dialect == "messages" else _completion(said, seen)
    return Answer(body=json.dumps(body, ensure_ascii=False).encode(), delay_s=said.delay_s)


def _completion(said: Says, seen: Seen) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.text, "refusal": said.refusal}
    if said.thinking is not None:
        message["reasoning_content"] = said.thinking
    if said.tool_only:
        call = {"id": "call_1", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}
        message |= {"content": None, "tool_calls": [call]}
    finish = "tool_calls" if said.tool_only else "stop" if said.finish == "refusal" else said.finish
    body = {
        "id": f"chatcmpl-{seen.number}",
        "object": "chat.completion",
        "created": 1_750_000_000,
        "model": seen.body.get("model", "deployed"),
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
    }
    if said.tokens is not None:
        given, made = said.tokens
        body["usage"] = {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}
    return body


def _message(said: Says, seen: Seen) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if said.thinking is not None:
        content.append({"type": "thinking", "thinking": said.thinking, "signature": "c2ln"})
    if said.tool_only:
        content.append({"type": "tool_use", "id": "toolu_1", "name": "lookup", "input": {}})
    elif said.text is not None:
        content.append({"type": "text", "text": said.text})
    body = {
        "id": f"msg_{seen.number}",
        "type": "message",
        "role": "assistant",
        "model": seen.body["model"],
        "content": content,
        "stop_reason": "tool_use" if said.tool_only else _STOP_REASONS.get(said.finish, said.finish),
        "stop_sequence": None,
    }
    if said.tokens is not None:
        given, made = said.tokens
        body["usage"] = {"input_tokens": given, "output_tokens": made}
    return body


ANTHROPIC_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


def fails(
    status: int,
    message: str = "it failed",
    *,
    retry_after: str | float | None = None,
    code: str | None = None,
    param: str | None = None,
) -> Answer:
    """An error body that both SDKs read.

    Args:
        status: Of HTTP; 200 is possible.
        message: For people.
        retry_after: Seconds or an HTTP date for the header ``retry-after``.
        code: As in ``insufficient_quota``.
        param: The parameter that is to blame.
    """
    kind = code or ANTHROPIC_KINDS.get(status, "api_error")
    error = {"message": message, "type": kind, "code": code, "param": param}
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    return Answer(status, json.dumps({"type": "error", "error": error}).encode(), headers)


def overloaded_under_200() -> Answer:
    """An error that is no HTTP error."""
    return fails(200, "Overloaded", code="overloaded_error")


def garbage(body: bytes = b"<html>\xff bad gateway", *, content_type: str = "application/json") -> Answer:
    """Something that is no JSON under status 200; ``body=b""`` sends nothing at all."""
    return Answer(body=body, content_type=content_type)


def drops(when: Drop) -> Answer:
    """The connection breaks: before the status line, after the headers, or in the middle of the body."""
    return Answer(body=json.dumps({"choices": [], "content": [], "filler": "x" * 200}).encode(), drop=when)


def hangs(seconds: float = 3_600.0, *, dripping: bool = False) -> Answer:
    """No answer for so long; ``dripping`` sends a byte every 50 ms, so that no read ever times out."""
    return Answer(body=b" " * int(seconds * 20), drip_s=0.05) if dripping else Answer(delay_s=seconds)


def refuses_key(seen: Seen, *, show: Callable[[str], str] = str) -> Answer:
    """401, and the key stands in the message as ``show`` leaves it."""
    return fails(401, f"Incorrect API key provided: {show(seen.key)}. Look it up.", code="invalid_api_key")


def knows_no_schemas(seen: Seen) -> Answer | None:
    """A rule: 400 to a request for a JSON schema."""
    if seen.form != "json_schema":
        return None
    if seen.dialect == "messages":
        return fails(400, "output_config.format: this model does not support structured outputs")
    message = "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."
    return fails(400, message, param="response_format")


def knows_no_json_mode(seen: Seen) -> Answer | None:
    """A rule: 422 to a request for JSON mode."""
    return fails(422, "response_format.type json_object is unsupported") if seen.form == "json_object" else None


def refuses_temperature(seen: Seen) -> Answer | None:
    """A rule: 400 to any temperature."""
    if "temperature" not in seen.body:
        return None
    message = "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) does."
    return fails(400, message, code="unsupported_value", param="temperature")


def knows_only(limit: str) -> Rule:
    """A rule: 400 to the other one of ``max_tokens`` and ``max_completion_tokens``."""
    other = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}[limit]
    message = f"Unsupported parameter: '{other}' is not supported with this model. Use '{limit}' instead."
    return lambda seen: fails(400, message, param=other, code="unsupported_parameter") if other in seen.body else None


def later(answer: Answer, seconds: float) -> Answer:
    """The same answer after ``seconds``."""
    return replace(answer, delay_s=seconds)
