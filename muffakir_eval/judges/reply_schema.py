"""The JSON schema that a provider is asked to hold a reply to, or that the model is told in words."""

from __future__ import annotations

import functools
import json
import re
from typing import Any

from pydantic import BaseModel

__all__ = ["in_words", "schema_name", "strict_schema"]

_KEPT = ("$defs", "$ref", "type", "enum", "const", "description", "properties", "items", "anyOf")
_ONLY_LOCAL = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems")


@functools.cache
def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of ``model`` within what every provider takes.

    All keys are required and no others are allowed. Bounds, which some providers refuse, are put into
    words; the reply is validated against the model anyway. Callers must not change the result.
    """
    return _strict(model.model_json_schema())


def _strict(schema: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {key: schema[key] for key in _KEPT if key in schema}
    if "$ref" in kept:  # nothing may stand beside it but definitions
        kept = {key: kept[key] for key in ("$ref", "$defs") if key in kept}
    for key in ("properties", "$defs"):
        if key in kept:
            kept[key] = {name: _strict(part) for name, part in kept[key].items()}
    variants = schema.get("anyOf") or schema.get("oneOf")
    if variants:
        kept["anyOf"] = [_strict(part) for part in variants]
    if "items" in kept:
        kept["items"] = _strict(kept["items"])
    if "properties" in schema:
        kept["additionalProperties"] = False
        kept["required"] = list(schema["properties"])
    bounds = ", ".join(f"{key}: {schema[key]}" for key in _ONLY_LOCAL if key in schema)
    if bounds:
        kept["description"] = f"{schema.get('description', '')} ({bounds})".strip()
    return kept


def schema_name(model: type[BaseModel]) -> str:
    """A name that providers take: letters, digits, ``_`` and ``-``, at most 64."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", model.__name__)[:64]


@functools.cache
def in_words(model: type[BaseModel]) -> str:
    """The schema as an instruction, for servers that cannot be held to it."""
    schema = json.dumps(strict_schema(model), ensure_ascii=False, separators=(",", ":"))
    return f"Reply with one JSON object and nothing else. It follows this JSON schema: {schema}"
