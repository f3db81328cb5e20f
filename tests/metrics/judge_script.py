"""A judge that says what a test wants it to say."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from muffakir_eval.judges.protocol import Prompt, ReplyT, Usage, Verdict
from muffakir_eval.judges.replies import ReplyError, parse_reply

Reply = str | Mapping[str, Any] | Verdict[Any] | Exception


class JudgeScript:
    """Answers with its replies in order, or with what a function makes of the prompt."""

    def __init__(self, replies: Sequence[Reply] | Callable[[Prompt], Reply]) -> None:
        self.prompts: list[Prompt] = []
        self.repeats: list[int] = []
        self._replies = replies if callable(replies) else list(replies)

    @property
    def identity(self) -> Mapping[str, Any]:
        return {"provider": "script"}

    async def ask(self, prompt: Prompt, reply_model: type[ReplyT], *, repeat: int = 0) -> Verdict[ReplyT]:
        self.prompts.append(prompt)
        self.repeats.append(repeat)
        reply = self._replies(prompt) if callable(self._replies) else self._replies[len(self.prompts) - 1]
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, Verdict):
            return reply
        text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
        usage = Usage(calls=1, input_tokens=100, output_tokens=10, latency_ms=5.0)
        try:
            return Verdict(reply=parse_reply(text, reply_model), usage=usage)
        except ReplyError as error:
            return Verdict(reply=None, reason=error.reason, raw=text, message=str(error), usage=usage)
