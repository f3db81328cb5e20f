"""What passes between a judged metric, the judge, and a model behind an SDK.

A metric asks a :class:`Judge` and gets a :class:`Verdict`: a validated reply, or a reason code. The
judge talks to a :class:`ChatModel`, the one method that a backend must have: text in, text out. What
goes wrong on the wire arrives as a :class:`ModelError`, so that retrying, counting and giving up
stand in one place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

__all__ = [
    "ChatModel",
    "Completion",
    "DeferredModel",
    "Judge",
    "ModelError",
    "Prompt",
    "ReplyT",
    "Usage",
    "Verdict",
]

ReplyT = TypeVar("ReplyT", bound=BaseModel)

Finish = Literal["stop", "length", "refusal", "content_filter"]
"""Why the model stopped: it had said all, it ran out of tokens, it declined, the provider cut it off."""

Fault = Literal[
    "rate_limited", "overloaded", "timeout", "connection", "server_error", "rejected_key", "bad_request", "unknown"
]
"""What went wrong on the wire. ``overloaded`` asks everybody to slow down; ``server_error`` is about one call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a judge is asked.

    Attributes:
        system: The instructions; the same for every sample of a metric.
        user: The case at hand.
        metric: Name of the metric that asks, for counting.
        repeat: Number of the repetition, for models that keep requests apart by themselves.
    """

    system: str
    user: str
    metric: str
    repeat: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What asking has cost.

    Attributes:
        calls: Requests that reached the model, those that failed included.
        input_tokens: As the server counted them; ``None`` where it does not say.
        output_tokens: Likewise, reasoning included.
        latency_ms: Wall-clock milliseconds of the calls, waiting for a free place excluded.
        cached: Replies that came from the cache.
    """

    calls: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    latency_ms: float = 0.0
    cached: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=_sum(self.input_tokens, other.input_tokens),
            output_tokens=_sum(self.output_tokens, other.output_tokens),
            latency_ms=self.latency_ms + other.latency_ms,
            cached=self.cached + other.cached,
        )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a model said to one request.

    Attributes:
        text: The text of the reply, without thinking; may be empty.
        finish: Why it stopped.
        usage: Of this one call.
        model: The model as the server names it.
        notes: Settings that could not be applied, such as ``temperature not sent``.
    """

    text: str
    finish: Finish = "stop"
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    notes: tuple[str, ...] = ()


class ModelError(Exception):
    """A call that brought no completion.

    Args:
        fault: What went wrong.
        message: In words, without any secret.
        retry_after_s: Seconds that the server asks to wait.
        calls: Requests that it took.
    """

    def __init__(self, fault: Fault, message: str, *, retry_after_s: float | None = None, calls: int = 1) -> None:
        super().__init__(message)
        self.fault = fault
        self.retry_after_s = retry_after_s
        self.calls = calls

    @property
    def retriable(self) -> bool:
        """The same request may succeed later."""
        return self.fault in {"rate_limited", "overloaded", "timeout", "connection", "server_error"}


class ChatModel(Protocol):
    """A model behind an SDK, a library or a script."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """Provider, model, base URL and parameters: everything that changes a reply, and no secret."""
        ...

    async def complete(self, prompt: Prompt, schema: type[BaseModel], *, max_tokens: int | None = None) -> Completion:
        """Ask once; no retries.

        Args:
            prompt: What to ask.
            schema: What the reply should look like, for servers that can be held to it.
            max_tokens: Replaces the configured limit.

        Raises:
            ModelError: The call brought no completion.
        """
        ...

    async def aclose(self) -> None:
        """Close connections; called on the loop that made the calls."""
        ...


class DeferredModel(Protocol):
    """A :class:`ChatModel` that gathers requests and answers them together, after hours."""

    def is_recorded(self, prompt: Prompt, schema: type[BaseModel], *, max_tokens: int | None = None) -> bool:
        """Whether asking would send nothing, since an earlier part of the run has sent it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(Generic[ReplyT]):
    """What a judge found: a reply, or why there is none.

    Attributes:
        reply: Validated; ``None`` where ``reason`` is set.
        reason: ``judge_unparseable``, ``judge_invalid``, ``judge_cut_off``, ``judge_refused``,
            ``judge_filtered``, ``judge_empty``, ``judge_unavailable``, ``judge_bad_request``, ``timeout``,
            ``rate_limited``, ``over_budget`` or ``interrupted``.
        raw: The reply as the model gave it, cut at a stated length; kept where it could not be used.
        message: More about the reason, in words, without any secret.
        usage: All calls that it took.
        served_by: The model that replied, as the server names it.
        notes: Settings that could not be applied to the reply.
    """

    reply: ReplyT | None
    reason: str | None = None
    raw: str | None = None
    message: str | None = None
    usage: Usage = field(default_factory=Usage)
    served_by: str | None = None
    notes: tuple[str, ...] = ()


class Judge(Protocol):
    """Asks a model and vouches for the form of the reply."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """As :attr:`ChatModel.identity`."""
        ...

    async def ask(self, prompt: Prompt, reply_model: type[ReplyT], *, repeat: int = 0) -> Verdict[ReplyT]:
        """Ask; failures of the model are values, not exceptions.

        Args:
            prompt: What to ask.
            reply_model: Language-neutral keys, validated strictly.
            repeat: Number of the repetition, from 0; each is asked and cached on its own.

        Raises:
            JudgeKeyError: The key was rejected: nothing more can be asked.
        """
        ...
