"""Ask a server until the request has a shape that it accepts."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from muffakir_eval.judges.concealing import conceal
from muffakir_eval.judges.dialect import Dialect, Shape
from muffakir_eval.judges.failures import Failure, error_part, fault_of_status, says_overloaded
from muffakir_eval.judges.protocol import Completion, Finish, Usage

__all__ = ["ask", "count_of", "error_under_200", "finish_of", "no_reply", "wire_body"]

_FINISHES: Mapping[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "recitation": "content_filter",
    "prohibited_content": "content_filter",
    "blocklist": "content_filter",
}
"""Why a model stopped, in the words of the providers; any other word says that it was done."""

_NOT_IN_THE_BODY = frozenset({"timeout", "extra_body", "extra_headers", "extra_query"})
_SHOWN = 300


def finish_of(word: object) -> Finish:
    """Why the model stopped.

    >>> finish_of("max_tokens"), finish_of("content_filter: SAFETY"), finish_of("end_turn"), finish_of(None)
    ('length', 'content_filter', 'stop', 'stop')
    """
    return _FINISHES.get(str(word).lower().partition(":")[0].strip(), "stop")


def count_of(value: object) -> int | None:
    """A number of tokens, where the server gives one."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def wire_body(request: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON body that an SDK makes of the arguments of a call.

    >>> wire_body({"model": "m", "timeout": 120.0, "extra_body": {"temperature": 0.0}})
    {'model': 'm', 'temperature': 0.0}
    """
    beyond = request.get("extra_body") or {}
    return {**{name: value for name, value in request.items() if name not in _NOT_IN_THE_BODY}, **beyond}


def no_reply(timeout_s: float) -> Failure:
    """The failure of a call that took too long."""
    return Failure(fault="timeout", message=f"no answer within {timeout_s:g} s")


def error_under_200(reply: Any, secrets: tuple[str, ...]) -> Failure:
    """The failure of an answer under status 200 that is no reply: some servers send errors so, overload above all."""
    body = (reply.model_extra or {}) if isinstance(reply, BaseModel) else reply
    part = error_part(body)
    if not part:
        return Failure(
            fault="server_error", message=_cut(conceal(f"no reply of a model but {body!r}", secrets)), status=200
        )
    said = conceal(f"an error under status 200: {part.get('message') or dict(part)}", secrets)
    code = part.get("code")
    if isinstance(code, int) and code >= 400:
        fault = fault_of_status(code)
    else:
        fault = "overloaded" if says_overloaded(f"{code} {part.get('type')} {said}") else "server_error"
    return Failure(fault=fault, message=_cut(said), status=200, said=said.lower())


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


async def ask(dialect: Dialect, send: Callable[[Shape], Awaitable[Completion | Failure]]) -> Completion:
    """Send, and send again only where the server refuses a parameter that can be left out or replaced.

    Args:
        dialect: What the server is known to accept.
        send: Sends one request of the given shape.

    Raises:
        ModelError: The call brought no completion.
    """
    started = time.perf_counter()
    calls = 0
    while True:
        shape = dialect.shape
        calls += 1
        outcome = await send(shape)
        if isinstance(outcome, Failure) and outcome.filtered:
            nothing_said = Usage(calls=1, input_tokens=None, output_tokens=None)
            outcome = Completion(text="", finish="content_filter", usage=nothing_said)
        if isinstance(outcome, Completion):
            elapsed = (time.perf_counter() - started) * 1_000
            usage = replace(outcome.usage, calls=calls, latency_ms=elapsed)
            return replace(outcome, usage=usage, notes=dialect.notes(shape))
        if not dialect.learn(shape, outcome):
            # Outside any `except`: an SDK's exception holds the request with its key, and must not hang on to ours.
            raise outcome.error(calls)
