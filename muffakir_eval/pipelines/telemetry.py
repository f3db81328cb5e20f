"""What a pipeline tells beside answer and chunks. Of no use to a metric, it never makes an output fail."""

from __future__ import annotations

import json
import math
import numbers
from collections.abc import Mapping
from typing import Any

from muffakir_eval.pipelines.settings import plain
from muffakir_eval.pipelines.shapes import CHUNK_KEYS, ID_KEYS, METADATA_KEYS, TELEMETRY_KEYS
from muffakir_eval.records import RetrievedChunk

__all__ = ["error_text", "further_values", "milliseconds", "stage_timings", "text_or_none", "transformed_queries"]

_ECHOES = ("question", "query", "user_input", "input", "k", "used_context")
_SMALL = 1_000
"""Longest JSON text of a further value that is kept beside the output."""


def error_text(error: Any) -> str | None:
    """What the pipeline says went wrong; ``None`` where it says nothing."""
    if isinstance(error, BaseException):
        return f"{type(error).__name__}: {error}"
    if not error:
        return None
    return error if isinstance(error, str) else f"the pipeline reports {json.dumps(plain(error), ensure_ascii=False)}"


def milliseconds(value: Any) -> float | None:
    """A duration; ``None`` for what is none: text, a negative number, NaN."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    number = float(value)
    return number if math.isfinite(number) and number >= 0 else None


def stage_timings(value: Any) -> dict[str, float | None]:
    """The stages and their milliseconds; ``None`` for one that did not run or tells no number."""
    return {str(stage): milliseconds(time) for stage, time in value.items()} if isinstance(value, Mapping) else {}


def transformed_queries(value: Any) -> str | tuple[str, ...] | None:
    """The rewritten query, or the several that it became."""
    if isinstance(value, (list, tuple)):
        return tuple(query for query in value if isinstance(query, str))
    return text_or_none(value)


def text_or_none(value: Any) -> str | None:
    """``value`` where it is a text."""
    return value if isinstance(value, str) else None


def further_values(
    fields: Mapping[str, Any], answer_key: str | None, chunks: tuple[RetrievedChunk, ...] | None
) -> dict[str, Any]:
    """Small plain values that came along, such as a cost; secrets masked."""
    known = {answer_key, *CHUNK_KEYS, *ID_KEYS, *METADATA_KEYS, *TELEMETRY_KEYS, *_ECHOES}
    kept = {}
    for key, value in fields.items():
        if key in known or not isinstance(value, (str, bool, numbers.Real, list, tuple, Mapping)):
            continue
        shown = plain({key: value})[key]
        if len(json.dumps(shown)) <= _SMALL:
            kept[key] = shown
    if not chunks and isinstance(fields.get("used_context"), str):
        kept["used_context"] = fields["used_context"]  # a web search, say: the only trace of what the answer stands on
    return kept
