"""What can be said about a pipeline without running it: its name, its mode, its settings without secrets.

Settings are part of a run's identity and are written into its files. So they must be plain values, the
same in every process (no addresses), and never hold a secret.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import functools
import hashlib
import inspect
import math
import numbers
import re
import uuid
from collections.abc import Mapping, Set
from pathlib import PurePath
from typing import Any

from muffakir_eval.redaction import MASK, is_secret_name, redact

__all__ = ["config_of", "fields_of", "mode_of", "pipeline_name", "plain", "public_settings"]

_NUMBER_IS_SECRET = re.compile(r"passw|pwd|secret|credential", re.IGNORECASE)
_DEPTH = 8
_LONG_TEXT = 2_000
_LONG_LIST = 1_000


def pipeline_name(rag: Any) -> str:
    """Module and qualified name of a function, or of an object's class.

    >>> pipeline_name(len), pipeline_name(functools.partial(len))
    ('builtins.len', 'builtins.len')
    """
    while isinstance(rag, functools.partial):
        rag = rag.func
    named = rag if isinstance(getattr(rag, "__qualname__", None), str) else type(rag)
    if inspect.ismethod(rag):  # the class of the object, not the one that happens to define the method
        return f"{_dotted(type(rag.__self__))}.{rag.__name__}" if not isinstance(rag.__self__, type) else _dotted(rag)
    return _dotted(named)


def _dotted(named: Any) -> str:
    module = getattr(named, "__module__", None)
    return f"{module}.{named.__qualname__}" if isinstance(module, str) else str(named.__qualname__)


def config_of(rag: Any) -> Any:
    """The object's own ``config``; ``None`` where it has none or reading it fails."""
    if inspect.ismethod(rag):
        rag = rag.__self__
    try:
        return getattr(rag, "config", None)
    except Exception:  # noqa: BLE001 - a broken property of the user's must not stop a run that does not need it
        return None


def mode_of(rag: Any) -> str | None:
    """``pipeline_mode`` in the object's own ``config``, lower case; ``None`` where it has none."""
    config = config_of(rag)
    try:
        mode = config.get("pipeline_mode") if isinstance(config, Mapping) else getattr(config, "pipeline_mode", None)
    except Exception:  # noqa: BLE001 - as above
        return None
    if isinstance(mode, enum.Enum):
        mode = mode.value
    return mode.strip().lower() if isinstance(mode, str) else None


def public_settings(rag: Any) -> dict[str, Any]:
    """Settings of ``rag``: its ``config``, and what a ``functools.partial`` binds; never a secret."""
    settings: dict[str, Any] = {}
    while isinstance(rag, functools.partial):
        bound = {f"argument {index}": value for index, value in enumerate(rag.args)} | rag.keywords
        settings = plain(bound) | settings
        rag = rag.func
    config = config_of(rag)
    if config is None:
        return settings
    try:
        public = (
            {name: value for name, value in vars(config).items() if name[:1] != "_"} if _is_object(config) else config
        )
        seen = plain(public)
    except Exception:  # noqa: BLE001 - a mapping of the user's may do anything when it is read
        seen = _type(config)
    return (seen if isinstance(seen, dict) else {"config": seen}) | settings


def plain(value: Any) -> Any:
    """``value`` as plain JSON values, without secrets.

    What has no plain form is named by its type; long texts and lists are named by their SHA-256, so
    that a change still shows.

    >>> plain({"api_key": "abc", "max_tokens": 512, "url": "postgres://u:p@host/db", "f": len})
    {'api_key': '***', 'max_tokens': 512, 'url': 'postgres://u:***@host/db', 'f': 'builtins.len'}
    """
    return _plain(value, "", ())


def _plain(value: Any, secret: str, path: tuple[int, ...]) -> Any:
    """``secret`` is the name of the key whose texts in here are secret, ``path`` what encloses ``value``."""
    if isinstance(value, enum.Enum):
        value = value.value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, numbers.Real):
        return MASK if _NUMBER_IS_SECRET.search(secret) else _number(value)
    if isinstance(value, (str, PurePath, datetime.date, datetime.time, decimal.Decimal, uuid.UUID)):
        return _text(str(value), secret)
    if id(value) in path or len(path) >= _DEPTH:
        return _type(value)
    path = (*path, id(value))
    items = fields_of(value)
    if items is not None:
        return {name: _plain(item, _secret(name) or secret, path) for name, item in items}
    if isinstance(value, (list, tuple, Set)):
        return _sequence([_plain(item, secret, path) for item in value], ordered=not isinstance(value, Set))
    return pipeline_name(value) if inspect.isroutine(value) or isinstance(value, type) else _type(value)


def fields_of(value: Any) -> list[tuple[str, Any]] | None:
    """Names and values of whatever has fields; ``None`` for what has none."""
    if isinstance(value, type):
        return None
    if isinstance(value, Mapping):
        return [(_name(key), item) for key, item in value.items()]
    if dataclasses.is_dataclass(value):
        return [(field.name, getattr(value, field.name, None)) for field in dataclasses.fields(value)]
    fields = getattr(type(value), "model_fields", None)  # pydantic
    if isinstance(fields, Mapping):
        return [(name, getattr(value, name, None)) for name in fields]
    return None


def _is_object(config: Any) -> bool:
    """A bag of attributes, such as a ``SimpleNamespace`` or an instance of a hand-written ``Config``."""
    known = (str, int, float, enum.Enum, PurePath, list, tuple, Set, type)
    return hasattr(config, "__dict__") and not isinstance(config, known) and fields_of(config) is None


def _name(key: Any) -> str:
    if isinstance(key, enum.Enum):
        key = key.value
    return str(key) if isinstance(key, (str, int, float)) else _type(key)


def _secret(name: str) -> str:
    return name if is_secret_name(name) else ""


def _sequence(values: list[Any], *, ordered: bool) -> Any:
    if not ordered:
        values.sort(key=repr)
    return values if len(values) <= _LONG_LIST else {"items": len(values), "sha256": _digest(repr(values))}


def _text(text: str, secret: str) -> str:
    if secret:
        return MASK if text else ""
    text = redact(text)
    return text if len(text) <= _LONG_TEXT else f"sha256:{_digest(text)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _number(value: numbers.Real) -> int | float | str:
    if isinstance(value, numbers.Integral):
        return int(value)
    number = float(value)
    return number if math.isfinite(number) else repr(number)


def _type(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"
