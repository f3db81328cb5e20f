"""What is wrong with rules, in words."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from muffakir_eval.errors import ConfigError

__all__ = ["explained"]

_AT_CONDITIONS = frozenset({"good", "bad", "when"})
_JOINTS = frozenset({"and", "or"})
_KEYS = {
    "comparison": ("metric", "op", "value", "reason", "and", "or", "not"),
    "reason": ("metric", "reason"),
    "and": ("and",),
    "or": ("or",),
    "not": ("not",),
}
_TABLES = {
    "scores": ("good", "bad", "incomplete"),
    "issues": ("name", "when", "text", "optional"),
    "": ("good", "bad", "scores", "issues"),
}
_EXPECTED = {
    "float_type": "a number",
    "finite_number": "a finite number",
    "string_type": "a text",
    "tuple_type": "a list",
    "bool_type": "true or false",
    "dict_type": "a table",
    "model_type": "a table",
}
_LONGEST = 80


def explained(error: ValidationError, where: str) -> ConfigError:
    """The first problem of ``error``; an unknown key before anything else, for it is often why another is missing."""
    problems = error.errors(include_url=False, include_context=False)
    problem = next((each for each in problems if each["type"] == "extra_forbidden"), problems[0])
    location, kind = list(problem["loc"]), problem["type"]
    place = f"{where}, {path}" if (path := _path(location)) else where
    if kind == "extra_forbidden":
        known = _known(location)
        near = difflib.get_close_matches(str(location[-1]).lower(), known, n=1, cutoff=0.6)
        remedy = f"did you mean {near[0]!r}?" if near else f"known keys are {', '.join(known)}"
        return ConfigError("unknown key", where=place, remedy=remedy)
    if kind == "missing":
        return ConfigError("the key is missing", where=place)
    if kind == "too_short":
        return ConfigError(
            "it is empty", where=place, expected="at least one condition" if location[-1] in _JOINTS else None
        )
    if problem["msg"].startswith("Recursion"):
        return ConfigError("the conditions are nested too deeply, or contain themselves", where=where)
    if kind == "condition":
        return ConfigError(f"found {_shown(problem['input'])}", where=place, expected=problem["msg"])
    if kind in _EXPECTED:
        return ConfigError(f"expected {_EXPECTED[kind]}, found {_shown(problem['input'])}", where=place)
    said, found = _said(problem["msg"]), problem["input"]
    return ConfigError(
        said if isinstance(found, (dict, list, tuple)) else f"{said}, found {_shown(found)}", where=place
    )


def _said(message: str) -> str:
    plain = message.removeprefix("Value error, ").replace("Input should be", "expected")
    return plain[0].lower() + plain[1:]


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _path(location: Iterable[Any]) -> str:
    """A place as one would write it: ``good.and[1].value``."""
    path = ""
    for part in _without_tags(location):
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path


def _without_tags(location: Iterable[Any]) -> Iterator[Any]:
    """``location`` without the names that pydantic gives to the forms of a condition."""
    at_condition, joint = False, False
    for part in location:
        if at_condition:
            at_condition = False
            continue
        if part != "[key]":
            yield part
        at_condition = part in _AT_CONDITIONS or part == "not" or (joint and isinstance(part, int))
        joint = part in _JOINTS


def _known(location: list[Any]) -> tuple[str, ...]:
    """The keys that may stand where an unknown one does."""
    inside = [part for part in location[:-1] if isinstance(part, str)]
    if "scores" in inside or not inside:
        return _TABLES["scores" if inside else ""]
    if inside == ["issues"]:
        return _TABLES["issues"]
    return _KEYS.get(inside[-1], ("ar", "en"))
