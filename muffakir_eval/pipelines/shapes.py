"""What a returned thing looks like: a list, a message, something with named parts."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from muffakir_eval.errors import ConfigError
from muffakir_eval.pipelines.settings import fields_of

__all__ = [
    "ANSWER_KEYS",
    "CHUNK_KEYS",
    "ID_KEYS",
    "METADATA_KEYS",
    "STREAMED",
    "TELEMETRY_KEYS",
    "describe",
    "first_key",
    "get_part",
    "is_list",
    "is_message",
    "joined_text",
    "listed",
    "read_parts",
    "remedy_for",
]

# Where an answer, chunks and what belongs to them stand; of several names that are set the first counts.
ANSWER_KEYS = (
    "answer",
    "response",
    "predicted_answer",
    "generated_answer",
    "output",
    "output_text",
    "result",
    "prediction",
    "reply",
    "answers",
    "replies",
)
CHUNK_KEYS = (
    "retrieved_documents",
    "retrieved_contexts",
    "retrieved_chunks",
    "source_documents",
    "source_nodes",
    "contexts",
    "context",
    "chunks",
    "documents",
    "docs",
    "nodes",
    "passages",
    "results",
    "hits",
    "matches",
)
ID_KEYS = ("retrieved_chunk_ids", "retrieved_ids", "chunk_ids")
METADATA_KEYS = ("source_metadata", "metadatas")
TELEMETRY_KEYS = ("pipeline_latency_ms", "stage_timings_ms", "transformed_query", "query_transform_strategy", "error")
_ATTRIBUTES = (
    *ANSWER_KEYS,
    *CHUNK_KEYS,
    *ID_KEYS,
    *METADATA_KEYS,
    *TELEMETRY_KEYS,
    "metadata",
    "usage_metadata",
    "response_gen",
)
STREAMED = "turn streaming off, or join the pieces of a streamed answer to one text"


def is_list(value: Any) -> bool:
    """A sequence of things in order: a list, a tuple, or an array that turns into one."""
    return isinstance(value, (list, tuple)) or (getattr(value, "ndim", None) == 1 and hasattr(value, "tolist"))


def listed(chunks: Any, where: str) -> Iterable[Any]:
    """``chunks``, once it is sure that they are several things and not one.

    Raises:
        ConfigError: It is a text, a dict, or nothing that can be gone through.
    """
    if isinstance(chunks, Iterable) and not isinstance(chunks, (str, bytes, Mapping)):
        return chunks
    raise ConfigError(
        f"the chunks are {describe(chunks)}",
        where=where,
        expected="a list of chunks",
        remedy="pass [chunk] where there is only one, and load_corpus(path) where they are in a file",
    )


def is_message(value: Any) -> bool:
    """A chat message, and not a document, which may call its text ``content`` as well."""
    if _has(value, "role"):
        return any(isinstance(get_part(value, name), (str, list)) for name in ("content", "text"))
    if isinstance(value, Mapping) or any(hasattr(value, name) for name in ("page_content", "meta", "node_id")):
        return False
    return isinstance(getattr(value, "content", None), (str, list))


def _has(value: Any, name: str) -> bool:
    return name in value if isinstance(value, Mapping) else hasattr(value, name)


def get_part(value: Any, name: str) -> Any:
    """A named part of a dict or object, ``None`` where it has none."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def joined_text(blocks: list[Any]) -> str:
    """The text of a message that comes in blocks; images, tool calls and thoughts are no text."""
    parts = [block.get("text") if isinstance(block, Mapping) else block for block in blocks]
    return "".join(part for part in parts if isinstance(part, str))


def read_parts(returned: Any) -> dict[str, Any] | None:
    """The named parts of a dict or object."""
    if isinstance(returned, Mapping):
        return {str(key): value for key, value in returned.items()}
    if isinstance(returned, (numbers.Number, bytes, bytearray, AbstractSet, Iterator, type)) or returned is None:
        return None
    parts = dict(fields_of(returned) or ())
    for name in _ATTRIBUTES:
        value = getattr(returned, name, parts)
        if value is not parts and not callable(value):
            parts.setdefault(name, value)
    return parts


def first_key(fields: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    """The first of ``keys`` that is set; else the first that is there at all."""
    there = [key for key in keys if key in fields]
    return next((key for key in there if fields[key] is not None), there[0] if there else None)


def describe(value: Any) -> str:
    """``value`` as a message names it: its type, and what helps to recognise it."""
    if value is None:
        return "None"
    if isinstance(value, Mapping):
        keys = ", ".join(repr(str(key)) for key in list(value)[:8])
        return f"a dict with the keys {keys}" if keys else "an empty dict"
    if isinstance(value, numbers.Number):
        return f"{value!r} ({type(value).__name__})"
    if isinstance(value, str):
        return "a text"
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def remedy_for(value: Any) -> str | None:
    """What to do about a returned value that is no output."""
    if isinstance(value, Iterator) or hasattr(value, "__anext__"):
        return STREAMED
    if isinstance(value, AbstractSet):
        return "return a list: the order of the chunks is their rank"
    if any(_has(value, name) for name in ("page_content", "text", "content")):
        return "return a list of chunks, also where there is only one"
    return None
