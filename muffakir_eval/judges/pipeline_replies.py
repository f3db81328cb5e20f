"""Find the text in whatever a pipeline's model replies with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muffakir_eval.judges.asking import count_of, finish_of
from muffakir_eval.judges.failures import Failure
from muffakir_eval.judges.protocol import Completion, Usage

__all__ = ["read_reply"]

_KEYS = ("content", "text", "answer", "response", "output", "result", "message", "choices", "replies")
_WHY = ("finish_reason", "stop_reason", "done_reason")
_NAMES = ("model_name", "model")


def read_reply(reply: Any) -> Completion | Failure:
    """A text, a message with ``content`` or ``text``, or a mapping that holds one.

    >>> read_reply({"choices": [{"message": {"content": "نعم"}}]}).text
    'نعم'
    """
    text = _text(reply)
    if text is None:
        found = f"{type(reply).__module__}.{type(reply).__qualname__}".removeprefix("builtins.")
        message = f"the pipeline's model replied with a {found}; expected a text, or something with content"
        return Failure(fault="bad_request", message=message)
    said = _mapping(reply, "response_metadata")
    counted = _mapping(reply, "usage_metadata")
    usage = Usage(
        calls=1,
        input_tokens=count_of(counted.get("input_tokens")),
        output_tokens=count_of(counted.get("output_tokens")),
    )
    refusal = _mapping(reply, "additional_kwargs").get("refusal")
    finish = "refusal" if refusal else finish_of(_first(said, _WHY))
    model = _first(said, _NAMES)
    return Completion(text=text, finish=finish, usage=usage, model=model if isinstance(model, str) else None)


def _mapping(reply: Any, name: str) -> Mapping[str, Any]:
    value = reply.get(name) if isinstance(reply, Mapping) else getattr(reply, name, None)
    return value if isinstance(value, Mapping) else {}


def _first(mapping: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((mapping[name] for name in names if name in mapping), None)


def _text(reply: Any) -> str | None:
    if reply is None:
        return ""
    if isinstance(reply, str):
        return reply
    if isinstance(reply, (list, tuple)):
        return _joined(reply)
    if isinstance(reply, Mapping):
        found = next((reply[key] for key in _KEYS if key in reply), _MISSING)
    else:
        found = next((getattr(reply, key) for key in _KEYS if hasattr(reply, key)), _MISSING)
    return None if found is _MISSING or callable(found) else _text(found)


def _joined(parts: list[Any] | tuple[Any, ...]) -> str | None:
    """Blocks of text one after the other, thinking left out."""
    kept = [part for part in parts if not (isinstance(part, Mapping) and part.get("type", "text") != "text")]
    texts = [_text(part) for part in kept]
    return None if None in texts else "".join(text for text in texts if text is not None)


_MISSING = object()
