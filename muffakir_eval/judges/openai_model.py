"""OpenAI's SDK: OpenAI, Azure, and every server that speaks chat completions."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import openai
from openai.resources.chat.completions import AsyncCompletions
from openai.types.chat import ChatCompletion
from pydantic import BaseModel

from muffakir_eval.judges.asking import ask, count_of, error_under_200, finish_of, no_reply, wire_body
from muffakir_eval.judges.clients import LoopClients
from muffakir_eval.judges.dialect import Dialect, Form, Shape
from muffakir_eval.judges.endpoint import Endpoint
from muffakir_eval.judges.failures import Failure, explain, explain_status
from muffakir_eval.judges.faults import OPENAI
from muffakir_eval.judges.protocol import Completion, Prompt, Usage
from muffakir_eval.judges.reply_schema import in_words, schema_name, strict_schema

__all__ = ["OpenAIModel"]

_ARGUMENTS = frozenset(inspect.signature(AsyncCompletions.create).parameters)
_OWN = "api.openai.com"


class OpenAIModel:
    """A model behind chat completions.

    Which form of schema, which name of the token limit, and whether a temperature is taken is learnt
    from the server's first refusals and kept.

    Args:
        endpoint: Where and how.
        azure: Use Azure's client; ``endpoint.base_url`` is then the Azure endpoint.
    """

    def __init__(self, endpoint: Endpoint, *, azure: bool = False) -> None:
        self._endpoint = endpoint
        self._azure = azure
        self._secrets = endpoint.secrets
        self._clients: LoopClients[openai.AsyncOpenAI] = LoopClients(self._client)
        limits = ("max_completion_tokens", "max_tokens")
        own = azure or endpoint.base_url is None or _OWN in endpoint.base_url
        by_hand = "response_format" in endpoint.parameters
        self._dialect = Dialect(
            forms=(Form.TEXT,) if by_hand else tuple(Form),
            temperature=endpoint.temperature is not None,
            limits=limits if own else limits[::-1],
        )

    @property
    def identity(self) -> Mapping[str, Any]:
        """Provider, model, base URL and parameters."""
        return self._endpoint.identity

    @property
    def endpoint(self) -> Endpoint:
        """Where and how it is asked."""
        return self._endpoint

    @property
    def dialect(self) -> Dialect:
        """What the server is known to accept."""
        return self._dialect

    @property
    def azure(self) -> bool:
        """Azure's client is used."""
        return self._azure

    async def client(self) -> openai.AsyncOpenAI:
        """The SDK's client of the running loop."""
        return await self._clients.get()

    def body(
        self, shape: Shape, prompt: Prompt, schema: type[BaseModel], max_tokens: int | None = None
    ) -> dict[str, Any]:
        """A request as it goes over the wire."""
        return wire_body(self._request(shape, prompt, schema, max_tokens or self._endpoint.max_tokens))

    def read(self, body: Mapping[str, Any]) -> Completion | Failure:
        """What an answer under status 200 says."""
        return _read(ChatCompletion.construct(**body), self._secrets)

    def read_error(self, status: int, body: Any) -> Completion | Failure:
        """What an answer under another status means."""
        return self._failure(explain_status(status, body, self._secrets))

    async def complete(self, prompt: Prompt, schema: type[BaseModel], *, max_tokens: int | None = None) -> Completion:
        """Ask once; see :class:`~muffakir_eval.judges.protocol.ChatModel`."""
        limit = max_tokens or self._endpoint.max_tokens
        return await ask(self._dialect, lambda shape: self._send(self._request(shape, prompt, schema, limit)))

    async def aclose(self) -> None:
        """Close the connections of the running loop."""
        await self._clients.aclose()

    def _client(self) -> openai.AsyncOpenAI:
        at = self._endpoint
        options: dict[str, Any] = {"max_retries": 0, "timeout": at.timeout_s, **at.client, **at.credentials}
        if self._azure:
            return openai.AsyncAzureOpenAI(azure_endpoint=at.base_url or "", **options)
        return openai.AsyncOpenAI(base_url=at.base_url, **options)

    def _request(self, shape: Shape, prompt: Prompt, schema: type[BaseModel], max_tokens: int | None) -> dict[str, Any]:
        at = self._endpoint
        system = prompt.system if shape.form is Form.SCHEMA else f"{prompt.system}\n\n{in_words(schema)}".strip()
        request: dict[str, Any] = {
            "model": at.model,
            "messages": _messages(system, prompt.user, apart=shape.system),
            "timeout": at.timeout_s,
        }
        if shape.form is Form.SCHEMA:
            described = {"name": schema_name(schema), "schema": strict_schema(schema), "strict": True}
            request["response_format"] = {"type": "json_schema", "json_schema": described}
        elif shape.form is Form.JSON:
            request["response_format"] = {"type": "json_object"}
        if shape.temperature:
            request["temperature"] = at.temperature
        if max_tokens is not None:
            request[shape.limit] = max_tokens
        request.update({name: value for name, value in at.parameters.items() if name in _ARGUMENTS})
        beyond = {name: value for name, value in at.parameters.items() if name not in _ARGUMENTS}
        if beyond:
            request["extra_body"] = {**beyond, **request.get("extra_body", {})}
        return request

    async def _send(self, request: dict[str, Any]) -> Completion | Failure:
        client = cast("Any", await self._clients.get())  # the overloads take no dict
        try:
            async with asyncio.timeout(self._endpoint.timeout_s):
                reply = await client.chat.completions.create(**request)
        except TimeoutError:
            return no_reply(self._endpoint.timeout_s)
        except (openai.OpenAIError, json.JSONDecodeError, UnicodeDecodeError) as error:
            return self._failure(explain(error, OPENAI, self._secrets))
        return _read(reply, self._secrets)

    def _failure(self, failure: Failure) -> Completion | Failure:
        if failure.code == "json_validate_failed":  # Groq: what the model said is no JSON, and it is handed over
            return Completion(text=failure.made, usage=Usage(calls=1, input_tokens=None, output_tokens=None))
        url = self._endpoint.base_url
        if failure.status == 404 and url and not self._azure and "/v1" not in url:
            return replace(failure, message=f"{failure.message} (does base_url lack /v1?)")
        return failure


def _messages(system: str, user: str, *, apart: bool) -> list[dict[str, str]]:
    if apart and system:
        return [{"role": "system", "content": system}, {"role": "user", "content": user}]
    return [{"role": "user", "content": f"{system}\n\n{user}".strip()}]


def _read(reply: Any, secrets: tuple[str, ...]) -> Completion | Failure:
    choices = getattr(reply, "choices", None)
    if not isinstance(choices, list):
        return error_under_200(reply, secrets)
    tokens = getattr(reply, "usage", None)
    usage = Usage(
        calls=1,
        input_tokens=count_of(getattr(tokens, "prompt_tokens", None)),
        output_tokens=count_of(getattr(tokens, "completion_tokens", None)),
    )
    model = getattr(reply, "model", None)
    if not choices:
        return Completion(text="", usage=usage, model=model)
    choice = choices[0]
    finish = getattr(choice, "finish_reason", None)
    if finish == "error":
        return error_under_200(choice, secrets)
    message = getattr(choice, "message", None)
    refusal = getattr(message, "refusal", None)
    text = _text(getattr(message, "content", None))
    if refusal:
        return Completion(text=text or str(refusal), finish="refusal", usage=usage, model=model)
    return Completion(text=text, finish=finish_of(finish), usage=usage, model=model)


def _text(content: object) -> str:
    """A text, or the text parts of a list; thinking is left out."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping) and part.get("type") == "text"]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""
