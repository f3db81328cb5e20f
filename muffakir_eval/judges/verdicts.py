"""One question to a judge: called as often as it takes, within limits and budget, until there is a verdict."""

from __future__ import annotations

import asyncio
import functools
import logging
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal

from pydantic import BaseModel

from muffakir_eval.errors import JudgeKeyError
from muffakir_eval.judges.concealing import conceal
from muffakir_eval.judges.limits import Limiter
from muffakir_eval.judges.prices import ASSUMED_OUTPUT_TOKENS, Meter, prompt_tokens
from muffakir_eval.judges.protocol import (
    ChatModel,
    Completion,
    DeferredModel,
    ModelError,
    Prompt,
    ReplyT,
    Usage,
    Verdict,
)
from muffakir_eval.judges.repair import Faulty, Parse, read_reply, repair_prompt, shortened
from muffakir_eval.judges.retry import Outage, Retries, RetryPolicy, failure_reason, is_shared

__all__ = ["DEFAULT_CALL_TIMEOUT_S", "Ask", "AskSettings", "Means"]

_log = logging.getLogger("muffakir_eval")

DEFAULT_CALL_TIMEOUT_S = 120.0
"""Wall-clock seconds for one call; the SDKs would wait 600."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskSettings:
    """How a judge asks.

    Attributes:
        call_timeout_s: Wall-clock seconds for one call; ``None`` leaves it to the model.
        ask_timeout_s: Wall-clock seconds for one ask with all its calls and waits; ``None`` leaves it to the rest.
        max_tokens: The configured limit of a reply; ``None`` where the model's own holds.
        most_tokens: Most that a reply which was cut off is asked again with.
        output_tokens: Length of a reply that the limit of tokens per minute reckons with beforehand.
        language: Of the request to mend a reply.
        secrets: Never to be kept or shown, whatever a server echoes.
        seed: Of the jitter.
    """

    call_timeout_s: float | None = DEFAULT_CALL_TIMEOUT_S
    ask_timeout_s: float | None = None
    max_tokens: int | None = None
    most_tokens: int = 16_384
    output_tokens: int = ASSUMED_OUTPUT_TOKENS
    language: Literal["ar", "en"] = "ar"
    secrets: tuple[str, ...] = ()
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What all asks of one judge share.

    Attributes:
        model: Answers.
        identity: Provider, model, base URL and parameters as they were asked for.
        parse: Reads its replies.
        limiter: Admits the calls.
        retry: How long to be patient.
        meter: Counts.
        settings: The rest.
        deferred: The model once more, where it gathers requests and answers them together.
        rng: Draws the jitter.
        mask: Takes secrets and long parts of them out of what a server said.
        outage: Since when nothing has come back.
        served_by: Names under which the server answered.
        notes: Settings that could not be applied, as the model reported them.
    """

    model: ChatModel
    identity: Mapping[str, Any]
    parse: Parse
    limiter: Limiter
    retry: RetryPolicy
    meter: Meter
    settings: AskSettings
    deferred: DeferredModel | None
    rng: random.Random
    mask: Callable[[str], str]
    outage: Outage = field(default_factory=Outage)
    served_by: set[str] = field(default_factory=set)
    notes: set[str] = field(default_factory=set)

    def is_under_way(self, prompt: Prompt, reply_model: type[BaseModel], max_tokens: int | None) -> bool:
        """Whether the request has been sent already, in a batch of this run."""
        return self.deferred is not None and self.deferred.is_recorded(prompt, reply_model, max_tokens=max_tokens)

    def recall(self, served_by: Iterable[str], notes: Iterable[str]) -> None:
        """Take down which models answered, and what they could not be told."""
        self.served_by.update(served_by)
        self.notes.update(notes)

    def over_budget(self) -> str:
        """Why nothing more is asked, in words."""
        return f"{self.meter.spent_usd:.4f} of {self.meter.budget_usd:.4f} USD are spent"

    def clean(self, text: str) -> str:
        """``text`` without the secrets."""
        return conceal(text, self.settings.secrets)


class Ask(Generic[ReplyT]):
    """One ask, from its first call to its verdict."""

    def __init__(self, means: Means, prompt: Prompt, reply_model: type[ReplyT]) -> None:
        self.usable: Completion | None = None
        """The completion that the verdict was read from."""
        self._means = means
        self._settings = means.settings
        self._prompt = prompt
        self._reply_model = reply_model
        self._retries = Retries(means.retry, means.outage, means.rng)
        self._last: ModelError | None = None
        self._usage = Usage()
        self._raw: str | None = None

    async def verdict_in_time(self) -> Verdict[ReplyT]:
        """The verdict, or that there was none within the time for one ask.

        Raises:
            JudgeKeyError: The key was rejected.
        """
        limit = asyncio.timeout(self._settings.ask_timeout_s)
        try:
            async with limit:
                return await self._verdict()
        except TimeoutError:
            if not limit.expired():
                raise
        said = f"no verdict within {self._settings.ask_timeout_s:g} s"
        return self._failed("timeout", said if self._last is None else f"{said}; the last error: {self._last}")

    async def _verdict(self) -> Verdict[ReplyT]:
        prompt, max_tokens = self._prompt, self._settings.max_tokens
        mended = widened = False
        while True:
            completion = await self._completion(prompt, max_tokens)
            if isinstance(completion, Verdict):
                return completion
            self._raw = completion.text
            if completion.finish == "length":
                more = self._wider(max_tokens, completion)
                if widened or more is None:
                    return self._failed("judge_cut_off", "the reply was cut off at the limit of tokens")
                max_tokens, widened = more, True
                continue
            if completion.finish == "refusal":
                return self._failed("judge_refused", "the model declined to judge")
            if completion.finish == "content_filter":
                return self._failed("judge_filtered", "the provider's filter held the reply back")
            reply = read_reply(self._means.parse, completion.text, self._reply_model)
            if not isinstance(reply, Faulty):
                self.usable = completion
                return Verdict(reply=reply, usage=self._usage, served_by=completion.model, notes=completion.notes)
            if mended or reply.reason == "judge_empty":
                return self._failed(reply.reason, reply.message)
            prompt, mended = self._mending(completion.text, reply.message), True

    async def _completion(self, prompt: Prompt, max_tokens: int | None) -> Completion | Verdict[ReplyT]:
        """What the model says, after as many tries as it takes, or why there is nothing."""
        means = self._means
        expected = prompt_tokens(prompt, self._settings.output_tokens)
        tokens = (expected.input_tokens or 0) + (expected.output_tokens or 0)
        while True:
            async with means.limiter.call(tokens, self._retries.deadline) as call:
                if call is None:
                    return self._gave_up()
                under_way = means.is_under_way(prompt, self._reply_model, max_tokens)
                reserved = self._reserve(expected, under_way=under_way)
                if reserved is None:
                    call.tokens = 0
                    return self._failed("over_budget", means.over_budget())
                try:
                    completion = await self._one_call(prompt, max_tokens, expected)
                except ModelError as error:
                    failure = self._last = error
                else:
                    call.succeeded = True
                    usage = completion.usage
                    if usage.input_tokens is not None and usage.output_tokens is not None:
                        call.tokens = usage.input_tokens + usage.output_tokens
                    return completion
                finally:
                    means.meter.release(reserved)
            if not await self._waited(failure):
                return self._gave_up()

    def _reserve(self, expected: Usage, *, under_way: bool) -> float | None:
        """What is set aside for the call; ``None`` where the budget allows no further one."""
        meter = self._means.meter
        if under_way:
            return 0.0  # it is paid for
        if meter.exhausted:
            return None
        return meter.reserve(expected) if self._means.deferred is not None else 0.0

    async def _one_call(self, prompt: Prompt, max_tokens: int | None, expected: Usage) -> Completion:
        means = self._means
        now = asyncio.get_running_loop().time
        limit = asyncio.timeout(self._settings.call_timeout_s)
        spent = Usage(calls=1)
        failed = True
        started = now()
        try:
            async with limit:
                completion = await means.model.complete(prompt, self._reply_model, max_tokens=max_tokens)
            failed = False
            spent = replace(completion.usage, calls=max(1, completion.usage.calls), cached=0)
        except ModelError as error:
            spent = Usage(calls=error.calls)
            raise
        except TimeoutError as error:
            if not limit.expired():
                raise
            message = f"no reply within {self._settings.call_timeout_s or 0:g} s"
            raise ModelError("timeout", message) from error
        finally:
            spent = replace(spent, latency_ms=(now() - started) * 1000)
            self._usage += spent
            estimated = replace(expected, output_tokens=spent.output_tokens or expected.output_tokens)
            means.meter.add_call(prompt.metric, spent, estimated=estimated, failed=failed)
        means.outage.answered()
        model = None if completion.model is None else means.mask(completion.model)
        means.recall([model] if model else (), completion.notes)
        return replace(completion, text=means.mask(completion.text), model=model, usage=spent)

    async def _waited(self, error: ModelError) -> bool:
        """Wait as long as ``error`` asks for; ``False`` where that is too long."""
        means = self._means
        if error.fault == "rejected_key":
            means.limiter.stop(functools.partial(_key_error, means, error))
            means.limiter.check()
        wait = self._retries.wait_s(error, asyncio.get_running_loop().time())
        if wait is None:
            return False
        said = means.clean(str(error))
        if means.deferred is not None:
            _log.info("judge: %s; asking again in the next batch", said)
            return True
        if not is_shared(error.fault):
            _log.info("judge: %s; asking again in %.1f s", said, wait)
            await means.limiter.sleep(wait)
            return True
        asked = "" if error.retry_after_s is None else f" (the server asks for {error.retry_after_s:g} s)"
        level = logging.WARNING if means.limiter.pause(wait) else logging.DEBUG
        _log.log(level, "judge: %s; all calls wait %.1f s%s", said, wait, asked)
        return True

    def _gave_up(self) -> Verdict[ReplyT]:
        error = self._last or ModelError("unknown", "nothing was asked")
        message = str(error)
        if error.retriable:
            message += f"; given up after {self._usage.calls} calls"
            if error.retry_after_s is not None:
                message += f" (the server asks for {error.retry_after_s:g} s)"
        _log.warning("judge: %s: %s", self._prompt.metric, self._means.clean(message))
        return self._failed(failure_reason(error.fault), message)

    def _failed(self, reason: str, message: str) -> Verdict[ReplyT]:
        raw = None if self._raw is None else shortened(self._raw, self._means.clean)
        return Verdict(reply=None, reason=reason, raw=raw, message=self._means.clean(message), usage=self._usage)

    def _wider(self, max_tokens: int | None, completion: Completion) -> int | None:
        """Four times the room; ``None`` where there is no more to give."""
        used = max_tokens or completion.usage.output_tokens or self._settings.most_tokens // 4
        wider = min(4 * used, self._settings.most_tokens)
        return wider if wider > used else None

    def _mending(self, faulty: str, problem: str) -> Prompt:
        return repair_prompt(self._prompt, faulty, problem, self._reply_model, self._settings.language)


def _key_error(means: Means, error: ModelError) -> JudgeKeyError:
    identity = means.identity
    where = "judge " + " ".join(str(identity[name]) for name in ("provider", "model") if identity.get(name))
    return JudgeKeyError(
        means.clean(f"the provider rejects the key ({str(error).rstrip('.')})"),
        where=where.strip(),
        remedy="check api_key, or the provider's environment variable, and start the same run again:"
        " what was finished is kept",
    )
