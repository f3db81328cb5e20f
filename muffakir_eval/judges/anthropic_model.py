"""Anthropic's SDK: the messages protocol."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Mapping
from typing import Any, cast

import anthropic
from anthropic.resources.messages import AsyncMessages
from pydantic import BaseModel

from muffakir_eval.judges.asking import ask, count_of, error_under_200, finish_of, no_reply, wire_body
from muffakir_eval.judges.clients import LoopClients
from muffakir_eval.judges.dialect import Dialect, Form, Shape
from muffakir_eval.judges.endpoint import Endpoint
from muffakir_eval.judges.failures import Failure, explain, explain_status
from muffakir_eval.judges.faults import ANTHROPIC
from muffakir_eval.judges.protocol import Completion, Prompt, Usage
from muffakir_eval.judges.reply_schema import in_words, strict_schema

__all__ = ["DEFAULT_MAX_TOKENS", "AnthropicModel"]

DEFAULT_MAX_TOKENS = 4_096
"""The protocol demands a limit; this one is taken by every model and holds the verdict on a long answer."""

_ARGUMENTS = frozenset(inspect.signature(AsyncMessages.create).parameters)


class AnthropicModel:
    """A model behind the messages protocol.

    The SDK has no argument for a temperature; one that is configured goes into the body of the request.

    Args:
        endpoint: Where and how.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._secrets = endpoint.secrets
        self._clients: LoopClients[anthropic.AsyncAnthropic] = LoopClients(self._client)
        self._dialect = Dialect(
            forms=(Form.SCHEMA, Form.TEXT), temperature=endpoint.temperature is not None, limits=("max_tokens",)
        )

    @property
    def identity(self) -> Mapping[str, Any]:
        """Provider, model, base URL and parameters."""
        return {**self._endpoint.identity, "max_tokens": self._endpoint.max_tokens or DEFAULT_MAX_TOKENS}

    @property
    def endpoint(self) -> Endpoint:
        """Where and how it is asked."""
        return self._endpoint

    @property
    def dialect(self) -> Dialect:
        """What the server is known to accept."""
        return self._dialect

    async def client(self) -> anthropic.AsyncAnthropic:
        """The SDK's client of the running loop."""
        return await self._clients.get()

    def body(
        self, shape: Shape, prompt: Prompt, schema: type[BaseModel], max_tokens: int | None = None
    ) -> dict[str, Any]:
        """A request as it goes over the wire."""
        limit = max_tokens or self._endpoint.max_tokens or DEFAULT_MAX_TOKENS
        return wire_body(self._request(shape, prompt, schema, limit))

    def read(self, reply: Any) -> Completion | Failure:
        """What a message of the SDK says."""
        return _read(reply, self._secrets)

    def read_error(self, status: int, body: Any) -> Completion | Failure:
        """What an answer under another status than 200 means."""
        return explain_status(status, body, self._secrets)

    async def complete(self, prompt: Prompt, schema: type[BaseModel], *, max_tokens: int | None = None) -> Completion:
        """Ask once; see :class:`~muffakir_eval.judges.protocol.ChatModel`."""
        limit = max_tokens or self._endpoint.max_tokens or DEFAULT_MAX_TOKENS
        return await ask(self._dialect, lambda shape: self._send(self._request(shape, prompt, schema, limit)))

    async def aclose(self) -> None:
        """Close the connections of the running loop."""
        await self._clients.aclose()

    def _client(self) -> anthropic.AsyncAnthropic:
        at = self._endpoint
        options: dict[str, Any] = {"max_retries": 0, "timeout": at.timeout_s, **at.client, **at.credentials}
        return anthropic.AsyncAnthropic(base_url=at.base_url, **options)

    def _request(self, shape: Shape, prompt: Prompt, schema: type[BaseModel], max_tokens: int) -> dict[str, Any]:
        at = self._endpoint
        system = prompt.system if shape.form is Form.SCHEMA else f"{prompt.system}\n\n{in_words(schema)}".strip()
        request: dict[str, Any] = {
            "model": at.model,
            "max_tokens": max_tokens,
            "messages": [{"role": "user", "content": prompt.user}],
            # Given with every request: without, the SDK refuses large limits before it sends anything.
            "timeout": at.timeout_s,
        }
        if system:
            request["system"] = system
        request.update({name: value for name, value in at.parameters.items() if name in _ARGUMENTS})
        if shape.form is Form.SCHEMA:
            form = {"type": "json_schema", "schema": strict_schema(schema)}
            request["output_config"] = {"format": form, **request.get("output_config", {})}
        beyond = {name: value for name, value in at.parameters.items() if name not in _ARGUMENTS}
        if shape.temperature:
            beyond["temperature"] = at.temperature
        if beyond:
            request["extra_body"] = {**beyond, **request.get("extra_body", {})}
        return request

    async def _send(self, request: dict[str, Any]) -> Completion | Failure:
        client = cast("Any", await self._clients.get())  # the overloads take no dict
        try:
            async with asyncio.timeout(self._endpoint.timeout_s):
                reply = await client.messages.create(**request)
        except TimeoutError:
            return no_reply(self._endpoint.timeout_s)
        except (anthropic.AnthropicError, json.JSONDecodeError, UnicodeDecodeError) as error:
            return explain(error, ANTHROPIC, self._secrets)
        return _read(reply, self._secrets)


def _read(reply: Any, secrets: tuple[str, ...]) -> Completion | Failure:
    content = getattr(reply, "content", None)
    if not isinstance(content, list):
        return error_under_200(reply, secrets)
    texts = [getattr(block, "text", None) for block in content if getattr(block, "type", None) == "text"]
    return Completion(
        text="".join(text for text in texts if isinstance(text, str)),
        finish=finish_of(reply.stop_reason),
        usage=_usage(reply.usage),
        model=reply.model,
    )


def _usage(said: Any) -> Usage:
    """What came from the provider's own prompt cache counts as input too."""
    given = count_of(getattr(said, "input_tokens", None))
    for more in ("cache_creation_input_tokens", "cache_read_input_tokens"):
        given = None if given is None else given + (count_of(getattr(said, more, None)) or 0)
    return Usage(calls=1, input_tokens=given, output_tokens=count_of(getattr(said, "output_tokens", None)))
