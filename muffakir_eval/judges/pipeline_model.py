"""The pipeline's own model as a judge: a LangChain-style object, or any function from a prompt to a text."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from muffakir_eval.errors import ConfigError
from muffakir_eval.judges.asking import ask, no_reply
from muffakir_eval.judges.dialect import Dialect, Form, Shape
from muffakir_eval.judges.endpoint import DEFAULT_TIMEOUT_S, without_credentials
from muffakir_eval.judges.failures import Failure, explain
from muffakir_eval.judges.faults import ANTHROPIC, OPENAI
from muffakir_eval.judges.pipeline_replies import read_reply
from muffakir_eval.judges.protocol import Completion, Prompt
from muffakir_eval.judges.providers import model_family
from muffakir_eval.judges.reply_schema import in_words
from muffakir_eval.redaction import mask_settings, secrets_in
from muffakir_eval.threads import CallThread

__all__ = ["NOT_BOUND", "PipelineModel"]

NOT_BOUND = "parameters not sent: the pipeline's model cannot be given any ({})"

_METHODS = ("invoke", "complete")
_MODEL_NAMES = ("model_name", "model", "model_id", "deployment_name", "azure_deployment")
_URLS = ("base_url", "openai_api_base", "azure_endpoint")


class PipelineModel:
    """Asks what the pipeline answers with.

    Understood are objects with ``get_llm()``, ``invoke(prompt)``, ``ainvoke(prompt)`` or ``complete(prompt)``,
    and plain or ``async`` functions of the prompt. Temperature and parameters are given through ``bind``
    where there is one. Blocking calls run in threads, as many at once as the judge asks for.

    Args:
        provider: The object or function.
        temperature: Sent where the model can be given one.
        temperature_by_hand: ``False`` leaves it out for a Claude, which newer versions refuse it.
        max_tokens: Longest reply in tokens.
        timeout_s: Wall-clock seconds for one call; a thread that does not return is left behind.
        parameters: Further parameters.

    Raises:
        ConfigError: The object can be asked in none of these ways, or ``get_llm()`` fails.
    """

    def __init__(
        self,
        provider: Any,
        *,
        temperature: float | None = 0.0,
        temperature_by_hand: bool = False,
        max_tokens: int | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        self._provider = provider
        self._llm = _inner(provider)
        self._name = _first_text(_MODEL_NAMES, self._llm, provider) or _dotted(self._llm)
        family = model_family(self._name) or model_family(_dotted(self._llm))
        self._temperature = temperature if temperature_by_hand or family != "claude" else None
        self._max_tokens = max_tokens
        self._timeout_s = timeout_s
        self._parameters = dict(parameters or {})
        self._bindable = callable(getattr(self._llm, "bind", None))
        self._chat = any(kind.__name__ == "BaseChatModel" for kind in type(self._llm).__mro__)
        self._dialect = Dialect(
            forms=(Form.TEXT,), temperature=self._temperature is not None and self._bindable, limits=("max_tokens", "")
        )
        self._idle: list[CallThread] = []

    @property
    def identity(self) -> Mapping[str, Any]:
        """What can be seen from outside: class, model name and base URL of the object, and what we add to it."""
        url = _first_text(_URLS, self._llm, self._provider)
        return {
            "provider": f"pipeline:{_dotted(self._llm)}",
            "model": self._name,
            "base_url": None if url is None else without_credentials(url),
            "temperature": self._temperature if self._bindable else None,
            "max_tokens": self._max_tokens,
            "parameters": mask_settings(self._parameters),
        }

    async def complete(self, prompt: Prompt, schema: type[BaseModel], *, max_tokens: int | None = None) -> Completion:
        """Ask once; see :class:`~muffakir_eval.judges.protocol.ChatModel`."""
        system = f"{prompt.system}\n\n{in_words(schema)}".strip()
        asked: Any = [("system", system), ("human", prompt.user)] if self._chat else f"{system}\n\n{prompt.user}"
        limit = max_tokens or self._max_tokens
        completion = await ask(self._dialect, lambda shape: self._send(asked, self._settings(shape, limit)))
        return replace(completion, notes=(*completion.notes, *self._not_sent(limit)))

    async def aclose(self) -> None:
        """Let the threads end."""
        while self._idle:
            self._idle.pop().close()

    def _settings(self, shape: Shape, max_tokens: int | None) -> dict[str, Any]:
        if not self._bindable:
            return {}
        settings = dict(self._parameters)
        if shape.temperature:
            settings["temperature"] = self._temperature
        if max_tokens is not None and shape.limit:
            settings[shape.limit] = max_tokens
        return settings

    def _not_sent(self, max_tokens: int | None) -> tuple[str, ...]:
        if self._bindable:
            return ()
        wanted = {"temperature": self._temperature, "max_tokens": max_tokens, **self._parameters}
        names = [name for name, value in wanted.items() if value is not None]
        return (NOT_BOUND.format(", ".join(names)),) if names else ()

    async def _send(self, asked: Any, settings: dict[str, Any]) -> Completion | Failure:
        limit = asyncio.timeout(self._timeout_s)
        try:
            async with limit:
                llm = self._llm.bind(**settings) if settings else self._llm
                reply = await self._call(llm, asked)
        except Exception as error:  # noqa: BLE001 - the user's code may raise anything
            if limit.expired():
                return no_reply(self._timeout_s)
            return self._failure(error)
        return read_reply(reply)

    async def _call(self, llm: Any, asked: Any) -> Any:
        function: Any = _function(llm)
        # An object may be called by an `async def __call__`.
        if any(inspect.iscoroutinefunction(found) for found in (function, getattr(type(function), "__call__", None))):  # noqa: B004
            return await function(asked)
        thread = self._idle.pop() if self._idle else CallThread()
        try:
            reply = await thread.run(lambda: function(asked))
        finally:
            self._idle.append(thread)  # one that was left behind starts anew
        return await reply if inspect.isawaitable(reply) else reply

    def _failure(self, error: Exception) -> Failure:
        ours = any(kind.__module__.startswith("anthropic") for kind in type(error).__mro__)
        secrets = [*secrets_in(_state(self._llm)), *secrets_in(_state(self._provider)), *secrets_in(self._parameters)]
        failure = explain(error, ANTHROPIC if ours else OPENAI, secrets)
        if isinstance(error, TypeError) and failure.status is None:
            return replace(failure, status=400)  # an argument that the object does not know is a refused parameter
        return failure


def _inner(provider: Any) -> Any:
    get_llm = getattr(provider, "get_llm", None)
    llm, problem = provider, ""
    if callable(get_llm):
        try:
            llm = get_llm()
        except Exception as error:  # noqa: BLE001 - the user's code may raise anything
            problem = explain(error, OPENAI, secrets_in(_state(provider))).message
    if problem:  # outside the `except`: that exception may hold a key
        raise ConfigError(
            f"get_llm() of the pipeline's llm_provider failed: {problem}",
            where=_dotted(provider),
            remedy="set llm_provider and llm_model to judge with another model",
        )
    if _function(llm) is None:
        raise ConfigError(
            f"the pipeline's llm_provider is a {_dotted(llm)}, which cannot be asked",
            where="llm_provider",
            expected="an object with get_llm(), invoke(prompt) or ainvoke(prompt), or a function of the prompt",
            remedy="pass such an object, or set llm_provider and llm_model",
        )
    return llm


def _function(llm: Any) -> Callable[[Any], Any] | None:
    """How it is asked. Blocking methods first: a client's connections die with a loop, its threads do not care."""
    for name in (*_METHODS, "ainvoke"):
        method = getattr(llm, name, None)
        if callable(method):
            found: Callable[[Any], Any] = method
            return found
    return llm if callable(llm) else None


def _first_text(names: tuple[str, ...], *holders: Any) -> str | None:
    for holder in holders:
        for name in names:
            value = getattr(holder, name, None)
            if isinstance(value, str) and value:
                return value
    return None


def _state(holder: Any) -> dict[str, Any]:
    return dict(getattr(holder, "__dict__", {}))


def _dotted(thing: Any) -> str:
    named = thing if isinstance(getattr(thing, "__qualname__", None), str) else type(thing)
    return f"{named.__module__}.{named.__qualname__}"
