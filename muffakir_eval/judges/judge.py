"""The judge: a model that is asked with patience, within limits, and never paid twice for one reply."""

from __future__ import annotations

import asyncio
import functools
import logging
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import BaseModel

from muffakir_eval.errors import JudgeKeyError
from muffakir_eval.judges.cache import CachedReply, ReplyCache, canonical_identity, reply_key
from muffakir_eval.judges.concealing import conceal, part_masker
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

__all__ = ["DEFAULT_CALL_TIMEOUT_S", "AskSettings", "ModelJudge"]

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


class ModelJudge:
    """Asks a model and vouches for the form of the reply.

    A reply comes from the cache where it is known. Otherwise: faults of the network and of the
    server are waited out as ``retry`` says; a reply that was cut off is asked for once more with
    four times the room; one that cannot be read, once more with the faulty reply shown. Refusals and
    filtered replies are not asked for again. Whatever happens, an ask ends in one verdict, but for a
    rejected key, which ends all of them.

    Args:
        model: Answers.
        parse: Reads its replies.
        cache: ``None`` asks always.
        limiter: Shared by all judges of one provider; by default one of its own, of 16 places.
        retry: How long to be patient.
        meter: Counts; by default one of its own.
        settings: The rest.
        deferred: The model once more, where it gathers requests and answers them together.
    """

    def __init__(  # noqa: PLR0913 - the parts that it joins
        self,
        model: ChatModel,
        *,
        parse: Parse,
        cache: ReplyCache | None = None,
        limiter: Limiter | None = None,
        retry: RetryPolicy | None = None,
        meter: Meter | None = None,
        settings: AskSettings | None = None,
        deferred: DeferredModel | None = None,
    ) -> None:
        self.meter = meter or Meter()
        self.notes: set[str] = set()
        """Settings that could not be applied, as the model reported them."""
        self.served_by: set[str] = set()
        """Names under which the server answered."""
        self._model = model
        self._parse = parse
        self._cache = cache
        self._limiter = limiter or Limiter()
        self._retry = retry or RetryPolicy()
        self._outage = Outage()
        self._settings = settings or AskSettings()
        self._mask = part_masker(self._settings.secrets)
        self._rng = random.Random(self._settings.seed)  # noqa: S311 - jitter
        self._deferred = deferred
        # Taken once: what a model learns on the way (a setting it cannot send) must not change the
        # keys, or a later run, which has not learnt it yet, would miss them.
        self._identity = dict(model.identity)
        self._canonical = canonical_identity(self._identity)

    @property
    def identity(self) -> Mapping[str, Any]:
        """Provider, model, base URL and parameters as they were asked for."""
        return self._identity

    @property
    def deferred(self) -> bool:
        """Replies come after hours, together: what can be asked at once should be."""
        return self._deferred is not None

    async def ask(self, prompt: Prompt, reply_model: type[ReplyT], *, repeat: int = 0) -> Verdict[ReplyT]:
        """Ask; failures of the model are values, not exceptions.

        Args:
            prompt: What to ask.
            reply_model: Language-neutral keys, validated strictly.
            repeat: Number of the repetition, from 0; each is asked and cached on its own.

        Raises:
            JudgeKeyError: The key was rejected: nothing more can be asked.
        """
        self._limiter.check()
        key = reply_key(self._canonical, prompt, reply_model, repeat) if self._cache is not None else ""
        prompt = prompt if prompt.repeat == repeat else replace(prompt, repeat=repeat)
        # What this very run has asked for in a batch is taken from there, with what it cost.
        under_way = self._is_under_way(prompt, reply_model, self._settings.max_tokens)
        known = None if under_way else self._known(key, reply_model)
        if known is not None:
            self.meter.add_cached(prompt.metric)
            self.recall([known.served_by] if known.served_by else (), known.notes)
            return known
        if self.meter.exhausted and not under_way:  # what is in a batch already is paid for, and is taken
            return Verdict(reply=None, reason="over_budget", message=self._over_budget())
        async with self._limiter.place():
            ask = _Ask(self, prompt, reply_model)
            verdict = await ask.verdict_in_time()
        if ask.usable is not None:
            self._keep(key, ask.usable, prompt.metric)
        return verdict

    def is_cached(self, prompt: Prompt, reply_model: type[BaseModel], *, repeat: int = 0) -> bool:
        """Whether asking would make no call; nothing is counted."""
        if self._cache is None:
            return False
        return self._known(reply_key(self._canonical, prompt, reply_model, repeat), reply_model) is not None

    def recall(self, served_by: Iterable[str], notes: Iterable[str]) -> None:
        """Count models and notes of replies that were given earlier as this judge's."""
        self.served_by.update(served_by)
        self.notes.update(notes)

    async def aclose(self) -> None:
        """Close connections and cache; called on the loop that made the calls."""
        if self._cache is not None:
            self._cache.close()
        await self._model.aclose()

    def _known(self, key: str, reply_model: type[ReplyT]) -> Verdict[ReplyT] | None:
        stored = self._cache.get(key) if self._cache is not None else None
        if stored is None:
            return None
        reply = read_reply(self._parse, stored.text, reply_model)
        if isinstance(reply, Faulty):  # a stricter parser than the one that kept it
            return None
        return Verdict(reply=reply, usage=Usage(cached=1), served_by=stored.model, notes=stored.notes)

    def _is_under_way(self, prompt: Prompt, reply_model: type[BaseModel], max_tokens: int | None) -> bool:
        """Whether the request has been sent already, in a batch of this run."""
        return self._deferred is not None and self._deferred.is_recorded(prompt, reply_model, max_tokens=max_tokens)

    def _keep(self, key: str, usable: Completion, metric: str) -> None:
        if self._cache is not None:
            kept = CachedReply(text=usable.text, model=usable.model, metric=metric, notes=usable.notes)
            self._cache.put(key, kept)

    def _over_budget(self) -> str:
        return f"{self.meter.spent_usd:.4f} of {self.meter.budget_usd:.4f} USD are spent"

    def _clean(self, text: str) -> str:
        return conceal(text, self._settings.secrets)


class _Ask:
    """One ask, from its first call to its verdict."""

    def __init__(self, judge: ModelJudge, prompt: Prompt, reply_model: type[Any]) -> None:
        self.usable: Completion | None = None
        """The completion that the verdict was read from."""
        self._judge = judge
        self._settings = judge._settings
        self._prompt = prompt
        self._reply_model = reply_model
        self._retries = Retries(judge._retry, judge._outage, judge._rng)
        self._last: ModelError | None = None
        self._usage = Usage()
        self._raw: str | None = None

    async def verdict_in_time(self) -> Verdict[Any]:
        limit = asyncio.timeout(self._settings.ask_timeout_s)
        try:
            async with limit:
                return await self._verdict()
        except TimeoutError:
            if not limit.expired():
                raise
        said = f"no verdict within {self._settings.ask_timeout_s:g} s"
        return self._failed("timeout", said if self._last is None else f"{said}; the last error: {self._last}")

    async def _verdict(self) -> Verdict[Any]:
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
            reply = read_reply(self._judge._parse, completion.text, self._reply_model)
            if not isinstance(reply, Faulty):
                self.usable = completion
                return Verdict(reply=reply, usage=self._usage, served_by=completion.model, notes=completion.notes)
            if mended or reply.reason == "judge_empty":
                return self._failed(reply.reason, reply.message)
            prompt, mended = self._mending(completion.text, reply.message), True

    async def _completion(self, prompt: Prompt, max_tokens: int | None) -> Completion | Verdict[Any]:
        """What the model says, after as many tries as it takes, or why there is nothing."""
        judge = self._judge
        expected = prompt_tokens(prompt, self._settings.output_tokens)
        tokens = (expected.input_tokens or 0) + (expected.output_tokens or 0)
        while True:
            async with judge._limiter.call(tokens, self._retries.deadline) as call:
                if call is None:
                    return self._gave_up()
                under_way = judge._is_under_way(prompt, self._reply_model, max_tokens)
                reserved = self._reserve(expected, under_way=under_way)
                if reserved is None:
                    call.tokens = 0
                    return self._failed("over_budget", judge._over_budget())
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
                    judge.meter.release(reserved)
            if not await self._waited(failure):
                return self._gave_up()

    def _reserve(self, expected: Usage, *, under_way: bool) -> float | None:
        """What is set aside for the call; ``None`` where the budget allows no further one."""
        meter = self._judge.meter
        if under_way:
            return 0.0  # it is paid for
        if meter.exhausted:
            return None
        return meter.reserve(expected) if self._judge.deferred else 0.0

    async def _one_call(self, prompt: Prompt, max_tokens: int | None, expected: Usage) -> Completion:
        judge = self._judge
        now = asyncio.get_running_loop().time
        limit = asyncio.timeout(self._settings.call_timeout_s)
        spent = Usage(calls=1)
        failed = True
        started = now()
        try:
            async with limit:
                completion = await judge._model.complete(prompt, self._reply_model, max_tokens=max_tokens)
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
            judge.meter.add_call(prompt.metric, spent, estimated=estimated, failed=failed)
        judge._outage.answered()
        model = None if completion.model is None else judge._mask(completion.model)
        judge.recall([model] if model else (), completion.notes)
        return replace(completion, text=judge._mask(completion.text), model=model, usage=spent)

    async def _waited(self, error: ModelError) -> bool:
        """Wait as long as ``error`` asks for; ``False`` where that is too long."""
        judge = self._judge
        if error.fault == "rejected_key":
            judge._limiter.stop(functools.partial(_key_error, judge, error))
            judge._limiter.check()
        wait = self._retries.wait_s(error, asyncio.get_running_loop().time())
        if wait is None:
            return False
        said = judge._clean(str(error))
        if judge.deferred:
            _log.info("judge: %s; asking again in the next batch", said)
            return True
        if not is_shared(error.fault):
            _log.info("judge: %s; asking again in %.1f s", said, wait)
            await judge._limiter.sleep(wait)
            return True
        asked = "" if error.retry_after_s is None else f" (the server asks for {error.retry_after_s:g} s)"
        level = logging.WARNING if judge._limiter.pause(wait) else logging.DEBUG
        _log.log(level, "judge: %s; all calls wait %.1f s%s", said, wait, asked)
        return True

    def _gave_up(self) -> Verdict[Any]:
        error = self._last or ModelError("unknown", "nothing was asked")
        message = str(error)
        if error.retriable:
            message += f"; given up after {self._usage.calls} calls"
            if error.retry_after_s is not None:
                message += f" (the server asks for {error.retry_after_s:g} s)"
        _log.warning("judge: %s: %s", self._prompt.metric, self._judge._clean(message))
        return self._failed(failure_reason(error.fault), message)

    def _failed(self, reason: str, message: str) -> Verdict[Any]:
        raw = None if self._raw is None else shortened(self._raw, self._judge._clean)
        return Verdict(reply=None, reason=reason, raw=raw, message=self._judge._clean(message), usage=self._usage)

    def _wider(self, max_tokens: int | None, completion: Completion) -> int | None:
        """Four times the room; ``None`` where there is no more to give."""
        used = max_tokens or completion.usage.output_tokens or self._settings.most_tokens // 4
        wider = min(4 * used, self._settings.most_tokens)
        return wider if wider > used else None

    def _mending(self, faulty: str, problem: str) -> Prompt:
        return repair_prompt(self._prompt, faulty, problem, self._reply_model, self._settings.language)


def _key_error(judge: ModelJudge, error: ModelError) -> JudgeKeyError:
    identity = judge.identity
    where = "judge " + " ".join(str(identity[name]) for name in ("provider", "model") if identity.get(name))
    return JudgeKeyError(
        judge._clean(f"the provider rejects the key ({str(error).rstrip('.')})"),
        where=where.strip(),
        remedy="check api_key, or the provider's environment variable, and start the same run again:"
        " what was finished is kept",
    )
