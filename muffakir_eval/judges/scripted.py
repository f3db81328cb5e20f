"""A model that says what it is told to: for tests, offline examples, and trying out a run without a key."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import marshal
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from muffakir_eval.errors import JudgeError
from muffakir_eval.judges.protocol import Completion, Prompt, Usage

__all__ = ["ScriptedModel"]

Reply = Any
_ANY = "*"


class ScriptedModel:
    """A :class:`~muffakir_eval.judges.protocol.ChatModel` that needs no network.

    Args:
        replies: Who says what.

            * A list: one reply for each call, in the order of the calls. Asked once more, it raises.
            * A mapping of metric names: for each metric a reply, a list or a function; ``"*"`` serves the others.
            * A function of the :class:`~muffakir_eval.judges.protocol.Prompt`, plain or ``async``, that gives a reply.
            * A single reply: given to everything.

            A reply is a text, a mapping or pydantic object (sent as JSON), a ``Completion``, or an exception,
            which is raised.
        delay_s: Seconds waited before each reply.
        name: The model's name, in reports and in the key of the reply cache.

    Attributes:
        prompts: What it was asked, in order.
        limits: The ``max_tokens`` of each call.
        most_at_once: The highest number of calls that waited at one moment.

    >>> import asyncio
    >>> model = ScriptedModel({"faithfulness": [{"verdict": "yes"}, "no JSON"], "*": '{"score": 4}'})
    >>> prompt = Prompt(system="", user="Is it in the text?", metric="faithfulness")
    >>> [asyncio.run(model.complete(prompt, BaseModel)).text for _ in range(2)]
    ['{"verdict": "yes"}', 'no JSON']
    >>> model.calls, model.prompts[0].user
    (2, 'Is it in the text?')
    """

    def __init__(
        self,
        replies: Reply | Sequence[Reply] | Mapping[str, Reply] | Callable[[Prompt], Reply],
        *,
        delay_s: float = 0.0,
        name: str = "scripted",
    ) -> None:
        by_metric = replies if isinstance(replies, Mapping) else {_ANY: replies}
        self._scripts = {metric: _Script(script) for metric, script in by_metric.items()}
        self._delay_s = delay_s
        self._name = name
        self._digest = _digest(replies)
        self._now = 0
        self.prompts: list[Prompt] = []
        self.limits: list[int | None] = []
        self.most_at_once = 0

    @property
    def identity(self) -> Mapping[str, Any]:
        """Provider, name and a fingerprint of the script.

        Of a function the fingerprint knows the code, not the variables around it: give models whose
        functions differ in these alone different names.
        """
        return {"provider": "scripted", "model": self._name, "script": self._digest}

    @property
    def calls(self) -> int:
        """How often it was asked."""
        return len(self.prompts)

    async def complete(self, prompt: Prompt, schema: type[BaseModel], *, max_tokens: int | None = None) -> Completion:  # noqa: ARG002
        """Give the next reply of the script.

        Raises:
            JudgeError: The script has no reply to this.
        """
        self.prompts.append(prompt)
        self.limits.append(max_tokens)
        script = self._scripts.get(prompt.metric) or self._scripts.get(_ANY)
        if script is None:
            raise JudgeError(
                f"the script has no reply for {prompt.metric!r}",
                where="ScriptedModel",
                expected=f"one of {', '.join(map(repr, self._scripts))}",
            )
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            reply = script.next(prompt)  # before the wait, so that the order is that of the calls
            if self._delay_s:
                await asyncio.sleep(self._delay_s)
            return _completion(await reply if inspect.isawaitable(reply) else reply, prompt, self._name)
        finally:
            self._now -= 1

    async def aclose(self) -> None:
        """Nothing to close."""


class _Script:
    def __init__(self, replies: Any) -> None:
        self._replies = replies
        self._given = 0
        self._lock = threading.Lock()

    def next(self, prompt: Prompt) -> Any:
        replies = self._replies
        if callable(replies) and not isinstance(replies, type):
            return replies(prompt)
        if not isinstance(replies, (list, tuple)):
            return replies
        with self._lock:
            at, self._given = self._given, self._given + 1
        if at >= len(replies):
            raise JudgeError(
                f"the script is at its end after {len(replies)} replies",
                where="ScriptedModel",
                remedy="give it a reply for every call, or a function",
            )
        return replies[at]


def _completion(reply: Any, prompt: Prompt, name: str) -> Completion:
    if isinstance(reply, BaseException) or (isinstance(reply, type) and issubclass(reply, BaseException)):
        raise reply
    if isinstance(reply, Completion):
        return reply
    text = _text(reply)
    # A stand-in for a count, so that budgets and estimates have something to go by: four characters a token.
    given, made = (len(prompt.system) + len(prompt.user)) // 4, len(text) // 4
    return Completion(text=text, model=name, usage=Usage(calls=1, input_tokens=given, output_tokens=made))


def _text(reply: Any) -> str:
    if isinstance(reply, str):
        return reply
    if isinstance(reply, BaseModel):
        return reply.model_dump_json()
    if isinstance(reply, Mapping):
        return json.dumps(reply, ensure_ascii=False)
    raise JudgeError(
        f"the script replied with {type(reply).__name__}",
        where="ScriptedModel",
        expected="a text, a mapping, a pydantic object, a Completion or an exception",
    )


def _digest(script: Any) -> str:
    return hashlib.sha256(_spelled(script).encode()).hexdigest()[:16]


def _spelled(script: Any) -> str:
    if isinstance(script, Mapping):
        return f"{{{','.join(f'{key!r}:{_spelled(value)}' for key, value in script.items())}}}"
    if isinstance(script, (list, tuple)):
        return f"[{','.join(map(_spelled, script))}]"
    code = getattr(script, "__code__", None)
    if code is not None:
        return hashlib.sha256(marshal.dumps(code)).hexdigest()
    if callable(script):
        return f"{script.__class__.__module__}.{script.__class__.__qualname__}"
    return repr(script)
