"""The judge: a model that is asked with patience, within limits, and never paid twice for one reply."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from muffakir_eval.judges.cache import CachedReply, ReplyCache, canonical_identity, reply_key
from muffakir_eval.judges.concealing import part_masker
from muffakir_eval.judges.limits import Limiter
from muffakir_eval.judges.prices import Meter
from muffakir_eval.judges.protocol import ChatModel, Completion, DeferredModel, Prompt, ReplyT, Usage, Verdict
from muffakir_eval.judges.repair import Faulty, Parse, read_reply
from muffakir_eval.judges.retry import RetryPolicy
from muffakir_eval.judges.verdicts import Ask, AskSettings, Means

__all__ = ["ModelJudge"]


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
        settings = settings or AskSettings()
        # Taken once: what a model learns on the way (a setting it cannot send) must not change the
        # keys, or a later run, which has not learnt it yet, would miss them.
        identity = dict(model.identity)
        self._canonical = canonical_identity(identity)
        self._cache = cache
        self._means = Means(
            model=model,
            identity=identity,
            parse=parse,
            limiter=limiter or Limiter(),
            retry=retry or RetryPolicy(),
            meter=meter or Meter(),
            settings=settings,
            deferred=deferred,
            rng=random.Random(settings.seed),  # noqa: S311 - jitter
            mask=part_masker(settings.secrets),
        )

    @property
    def meter(self) -> Meter:
        """Calls, tokens and costs."""
        return self._means.meter

    @property
    def notes(self) -> Collection[str]:
        """Settings that could not be applied, as the model reported them."""
        return self._means.notes

    @property
    def served_by(self) -> Collection[str]:
        """Names under which the server answered."""
        return self._means.served_by

    @property
    def identity(self) -> Mapping[str, Any]:
        """Provider, model, base URL and parameters as they were asked for."""
        return self._means.identity

    @property
    def deferred(self) -> bool:
        """Replies come after hours, together: what can be asked at once should be."""
        return self._means.deferred is not None

    async def ask(self, prompt: Prompt, reply_model: type[ReplyT], *, repeat: int = 0) -> Verdict[ReplyT]:
        """Ask; failures of the model are values, not exceptions.

        Args:
            prompt: What to ask.
            reply_model: Language-neutral keys, validated strictly.
            repeat: Number of the repetition, from 0; each is asked and cached on its own.

        Raises:
            JudgeKeyError: The key was rejected: nothing more can be asked.
        """
        self._means.limiter.check()
        key = reply_key(self._canonical, prompt, reply_model, repeat) if self._cache is not None else ""
        prompt = prompt if prompt.repeat == repeat else replace(prompt, repeat=repeat)
        # What this very run has asked for in a batch is taken from there, with what it cost.
        under_way = self._means.is_under_way(prompt, reply_model, self._means.settings.max_tokens)
        known = None if under_way else self._known(key, reply_model)
        if known is not None:
            self.meter.add_cached(prompt.metric)
            self.recall([known.served_by] if known.served_by else (), known.notes)
            return known
        if self.meter.exhausted and not under_way:  # what is in a batch already is paid for, and is taken
            return Verdict(reply=None, reason="over_budget", message=self._means.over_budget())
        async with self._means.limiter.place():
            ask = Ask(self._means, prompt, reply_model)
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
        self._means.recall(served_by, notes)

    async def aclose(self) -> None:
        """Close connections and cache; called on the loop that made the calls."""
        if self._cache is not None:
            self._cache.close()
        await self._means.model.aclose()

    def _known(self, key: str, reply_model: type[ReplyT]) -> Verdict[ReplyT] | None:
        stored = self._cache.get(key) if self._cache is not None else None
        if stored is None:
            return None
        reply = read_reply(self._means.parse, stored.text, reply_model)
        if isinstance(reply, Faulty):  # a stricter parser than the one that kept it
            return None
        return Verdict(reply=reply, usage=Usage(cached=1), served_by=stored.model, notes=stored.notes)

    def _keep(self, key: str, usable: Completion, metric: str) -> None:
        if self._cache is not None:
            kept = CachedReply(text=usable.text, model=usable.model, metric=metric, notes=usable.notes)
            self._cache.put(key, kept)
