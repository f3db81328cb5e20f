"""What the files of a run must hold for a comparison, a gate, or a report to be made from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

__all__ = ["Fault", "fault_in_header", "fault_in_summary"]


class Fault(NamedTuple):
    """The first place at which a file is not as it should be.

    Attributes:
        found: What stands there, in words.
        expected: What should stand there.
    """

    found: str
    expected: str | None


class _Kind(NamedTuple):
    """One value."""

    words: str
    holds: Callable[[Any], bool]


class _Maybe(NamedTuple):
    """A value that may be missing or null: older versions did not write it, or it does not apply."""

    shape: Any


class _Each(NamedTuple):
    """An object with any keys, or a list, of values of one shape."""

    kind: type[dict[str, Any]] | type[list[Any]]
    shape: Any


class _Either(NamedTuple):
    """One shape for objects that have a key, and another for those that have not."""

    key: str
    having: Any
    other: Any


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_interval(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_number, value))


_TEXT = _Kind("a text", lambda value: isinstance(value, str))
_FLAG = _Kind("true or false", lambda value: isinstance(value, bool))
_COUNT = _Kind(
    "a whole number, at least 0", lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0
)
_NUMBER = _Kind("a number", _is_number)
_SHARE = _Kind("a share between 0 and 1", lambda value: _is_number(value) and 0 < value < 1)
_INTERVAL = _Kind("two numbers", _is_interval)
_TEXTS = _Each(list, _TEXT)
_OBJECT: dict[str, Any] = {}

_MEAN = {
    "mean": _Maybe(_NUMBER),
    "n_scored": _COUNT,
    "n_total": _COUNT,
    "n_failed": _COUNT,
    "reasons": _Each(dict, _COUNT),
    "reason": _Maybe(_TEXT),
    "interval": _Maybe(_INTERVAL),
    "mean_failures_as_zero": _Maybe(_NUMBER),
}
_SLICE = {"value": _Maybe(_TEXT), "n_samples": _COUNT, "metrics": _Each(dict, _MEAN)}
_COUNTS = _Each(dict, _Each(dict, _COUNT))
_SUMMARY = {
    "run_id": _TEXT,
    "n_samples": _COUNT,
    "n_planned": _Maybe(_COUNT),
    "k": _COUNT,
    "partial": _FLAG,
    "language": _Maybe(_TEXT),
    "confidence_level": _Maybe(_SHARE),
    "metrics_enabled": _TEXTS,
    "retrieval": _Each(dict, _NUMBER),
    "generation": _Each(dict, _NUMBER),
    "summary": _Each(dict, _NUMBER),
    "metrics": _Each(dict, _MEAN),
    "slices": _Maybe(_Each(dict, _Each(list, _Either("n_other_values", {"n_other_values": _COUNT}, _SLICE)))),
    "refusals": {
        "rate": _Maybe(_NUMBER),
        "interval": _Maybe(_INTERVAL),
        "n_refused": _Maybe(_COUNT),
        "n_answers": _Maybe(_COUNT),
        "table": _Maybe(_COUNTS),
        "by_evidence": _Maybe(_COUNTS),
    },
    "latency_ms": _Each(dict, _Each(dict, _Maybe(_NUMBER))),
    "errors": _Each(dict, _COUNT),
    "error_examples": _Maybe(_Each(list, {"message": _TEXT, "n": _COUNT})),
    "warnings": _Maybe(_TEXTS),
    "config": _Maybe(_OBJECT),
    "dataset": _Maybe(_OBJECT),
    "pipeline": _Maybe(_OBJECT),
    "judge": _Maybe(_OBJECT),
    "usage": _Maybe({"cost_usd": _Maybe(_NUMBER)}),
}


_HEADER = {
    "run_id": _TEXT,
    "identity": _Maybe(
        {
            "metrics": _Maybe(_Each(dict, _TEXT)),
            "k": _Maybe(_COUNT),
            "dataset": _Maybe({"n_samples": _Maybe(_COUNT)}),
            "pipeline": _Maybe(_OBJECT),
            "judge": _Maybe(_OBJECT),
            "matching": _Maybe(_OBJECT),
        }
    ),
    "dataset": _Maybe({"mapping": _Maybe(_OBJECT)}),
}


def fault_in_summary(summary: object) -> Fault | None:
    """Where a summary is not as it should be, ``None`` where it is; keys that are not known do no harm.

    >>> fault_in_summary({"run_id": 7})
    Fault(found="the key 'run_id' holds int", expected='a text')
    """
    return _fault(summary, _SUMMARY, "")


def fault_in_header(header: object) -> Fault | None:
    """The same of the first line of ``records.jsonl``."""
    return _fault(header, _HEADER, "")


def _fault(found: object, shape: Any, path: str) -> Fault | None:
    if isinstance(shape, _Maybe):
        return None if found is None else _fault(found, shape.shape, path)
    if isinstance(shape, _Either):
        return _fault(found, shape.having if isinstance(found, dict) and shape.key in found else shape.other, path)
    if isinstance(shape, _Kind):
        return None if shape.holds(found) else _holds(found, path, shape.words)
    if isinstance(shape, _Each) and isinstance(found, shape.kind):
        parts = found.items() if isinstance(found, dict) else enumerate(found)
        faults = (_fault(value, shape.shape, _below(path, name)) for name, value in parts)
    elif isinstance(shape, dict) and isinstance(found, dict):
        faults = (_in_key(found, name, inner, path) for name, inner in shape.items())
    else:
        as_list = isinstance(shape, _Each) and shape.kind is list
        return _holds(found, path, "a list" if as_list else "an object")
    return next((fault for fault in faults if fault is not None), None)


def _in_key(found: Mapping[str, Any], name: str, shape: Any, path: str) -> Fault | None:
    if name not in found and not isinstance(shape, _Maybe):
        return Fault(f"the key {_below(path, name)!r} is missing", None)
    return _fault(found.get(name), shape, _below(path, name))


def _below(path: str, name: object) -> str:
    return f"{path}.{name}" if path else str(name)


def _holds(found: object, path: str, expected: str) -> Fault:
    what = f"the key {path!r}" if path else "the file"
    return Fault(f"{what} holds {type(found).__name__}", expected)
