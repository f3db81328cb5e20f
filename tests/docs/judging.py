"""A judge for the pages: it answers every question that a judged metric can ask, always the same."""

from __future__ import annotations

import re
from typing import Any

from tests.judges.answers import Answer, Seen, fails

__all__ = ["content_judge"]


def content_judge(seen: Seen) -> dict[str, Any] | Answer:
    """A good verdict, in the form that was asked for; one key is rejected."""
    if seen.key == "the-wrong-key":
        return fails(401, "Incorrect API key provided")
    numbers = [int(number) for number in re.findall(r"\d+", seen.user.strip().splitlines()[-1])]
    asked = seen.system
    if '"chunks"' in asked:
        return {"verdicts": [{"number": n, "reason": "", "chunks": [1], "verdict": "yes"} for n in numbers]}
    if '"chunk"' in asked:
        return {"verdicts": [{"number": n, "reason": "", "chunk": 1, "verdict": "yes"} for n in numbers]}
    if '"verdicts"' in asked:
        return {"verdicts": [{"number": n, "reason": "", "verdict": "yes"} for n in numbers]}
    if '"unsupported"' in asked:
        return {"reason": "", "unsupported": [], "verdict": "yes"}
    if '"quote"' in asked:
        return {"reason": "", "quote": "", "verdict": "no"}
    return {"reason": "", "score": 1}
