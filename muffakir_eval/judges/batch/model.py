"""A model behind a batch interface, used like any other."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from pydantic import BaseModel

from muffakir_eval.errors import JudgeError
from muffakir_eval.judges.asking import ask
from muffakir_eval.judges.batch.carrier import Carrier
from muffakir_eval.judges.batch.collector import Collector
from muffakir_eval.judges.batch.journal import Journal
from muffakir_eval.judges.batch.patience import BatchPolicy
from muffakir_eval.judges.cache import canonical_identity
from muffakir_eval.judges.dialect import Dialect, Shape
from muffakir_eval.judges.failures import Failure
from muffakir_eval.judges.protocol import ChatModel, Completion, Prompt

__all__ = ["BatchModel", "LiveModel"]


class LiveModel(ChatModel, Protocol):
    """A model whose requests can be written down instead of being sent."""

    @property
    def dialect(self) -> Dialect:
        """What the server is known to accept."""
        ...

    def body(
        self, shape: Shape, prompt: Prompt, schema: type[BaseModel], max_tokens: int | None = None
    ) -> dict[str, Any]:
        """A request as it goes over the wire."""
        ...


class BatchModel:
    """Asks what ``model`` would ask, in batches.

    Args:
        model: Makes the requests and reads the replies.
        carrier: Takes the batches to its provider.
        policy: How batches are made and followed.
    """

    def __init__(self, model: LiveModel, carrier: Carrier, policy: BatchPolicy) -> None:
        self._model = model
        self._carrier = carrier
        self._policy = policy
        self._canonical = canonical_identity(model.identity)
        self._collector: Collector | None = None

    @property
    def identity(self) -> Mapping[str, Any]:
        """As the model's: a reply is the same, however it was asked for."""
        return self._model.identity

    @property
    def name(self) -> str:
        """Whose batches these are, for people."""
        parts = [str(self.identity[part]) for part in ("provider", "model") if self.identity.get(part)]
        return " ".join(["judge", *parts])

    def open(self, journal: Journal, say: Callable[[str], None]) -> None:
        """Begin, or go on with what ``journal`` says an earlier part of the run has sent.

        Args:
            journal: Of the run.
            say: Tells the user.
        """
        judge = hashlib.sha256(self._canonical.encode("utf-8")).hexdigest()[:16]
        self._collector = Collector(self._carrier, journal, judge, self._policy, say=say, where=self.name)

    async def complete(self, prompt: Prompt, schema: type[BaseModel], *, max_tokens: int | None = None) -> Completion:
        """Ask once, in the next batch; see :class:`~muffakir_eval.judges.protocol.ChatModel`."""

        async def send(shape: Shape) -> Completion | Failure:
            def make() -> bytes:
                return self._wire(shape, prompt, schema, max_tokens)

            return await self._opened().outcome(self._key(make(), prompt), make)

        return await ask(self._model.dialect, send)

    def is_recorded(self, prompt: Prompt, schema: type[BaseModel], *, max_tokens: int | None = None) -> bool:
        """Whether asking would send nothing, since an earlier part of the run has sent it."""
        collector = self._collector
        if collector is None or not collector.has_recorded:
            return False
        return collector.is_recorded(
            self._key(self._wire(self._model.dialect.shape, prompt, schema, max_tokens), prompt)
        )

    def asking(self) -> AbstractContextManager[None]:
        """Around something that may lead to further requests: none are sent meanwhile, unless a batch is full."""
        return contextlib.nullcontext() if self._collector is None else self._collector.asking()

    async def interrupted(self, *, cancel: bool) -> list[str]:
        """Stop; what becomes of the batches that are under way, in words.

        Args:
            cancel: Ask the provider to end them.
        """
        return [] if self._collector is None else await self._collector.interrupted(cancel=cancel)

    async def aclose(self) -> None:
        """Stop following batches and close connections; called on the loop that made the calls."""
        if self._collector is not None:
            await self._collector.aclose()
        await self._model.aclose()

    def _opened(self) -> Collector:
        if self._collector is None:
            raise JudgeError(
                "there is no run that could keep the batches",
                where=self.name,
                remedy="judge in batches through MuffakirEvaluation, or set judge_mode to 'live'",
            )
        return self._collector

    def _wire(self, shape: Shape, prompt: Prompt, schema: type[BaseModel], max_tokens: int | None) -> bytes:
        body = self._model.body(shape, prompt, schema, max_tokens)
        try:
            return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        except UnicodeEncodeError:  # half of a pair of surrogates would spoil the batch for all others
            return _whole(json.dumps(body, ensure_ascii=False, separators=(",", ":"))).encode("utf-8")

    def _key(self, body: bytes, prompt: Prompt) -> str:
        """What a request stands for: everything that changes its reply."""
        digest = hashlib.sha256(self._canonical.encode("utf-8"))
        digest.update(f"\n{prompt.repeat}\n".encode("ascii"))
        digest.update(body)
        return digest.hexdigest()[:32]


def _whole(text: str) -> str:
    r"""Pairs of surrogates as the character that they are, halves as the character for what cannot be shown.

    >>> _whole("\ud83d\ude00 \ud83d") == "\U0001f600 \ufffd"
    True
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
