"""The data file of this package: default rules, and words."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

__all__ = ["table"]


@cache
def _document() -> Mapping[str, Any]:
    text = (resources.files("muffakir_eval.resources") / "lm_retrieval.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def table(*path: str) -> dict[str, Any]:
    """A table of the file.

    >>> table("rules", "scores")
    {'good': 1.0, 'bad': 0.0}
    """
    found: Any = _document()
    for name in path:
        found = found.get(name, {})
    return dict(found)
