"""Matching settings as a piece of TOML that a settings file can hold."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from muffakir_eval.atomic import replace_file
from muffakir_eval.config import MatchSettings
from muffakir_eval.errors import StorageError

__all__ = ["matching_toml", "write_matching_toml"]

_FIRST = "# Matching settings, written by muffakir-eval calibrate"
_CHOSEN = ("overlap_threshold", "coverage_threshold", "fuzzy")


def matching_toml(settings: MatchSettings, comments: Iterable[str] = ()) -> str:
    r"""A table ``[matching]``: the chosen keys, and every other one that is not at its default.

    >>> print(matching_toml(MatchSettings(overlap_threshold=0.47, profile="persian"), ["From my pairs."]))
    # Matching settings, written by muffakir-eval calibrate
    # From my pairs.
    [matching]
    overlap_threshold = 0.47
    coverage_threshold = 0.6
    fuzzy = true
    profile = "persian"
    <BLANKLINE>
    """
    lines = [_FIRST, *(f"# {' '.join(comment.split())}" for comment in comments), "[matching]"]
    default, values = MatchSettings().model_dump(), settings.model_dump()
    kept = [name for name in values if name not in _CHOSEN and values[name] != default[name]]
    lines += [f"{name} = {_toml(values[name])}" for name in (*_CHOSEN, *kept)]
    return "\n".join([*lines, ""])


def _toml(value: Any) -> str:
    """What TOML and JSON spell alike."""
    return json.dumps(list(value) if isinstance(value, tuple) else value).replace("\x7f", "\\u007f")


def write_matching_toml(path: str | os.PathLike[str], text: str) -> None:
    """Write the text of :func:`matching_toml`, over an earlier one of ours but over nothing else.

    Raises:
        StorageError: The file holds something else, or cannot be written.
    """
    target = Path(path)
    try:
        earlier = target.read_text(encoding="utf-8") if target.is_file() else _FIRST
    except (OSError, ValueError):
        earlier = "what is no text of ours"
    if earlier.strip() and not earlier.startswith(_FIRST):
        raise StorageError(
            "there is a file already, and calibrate has not written it",
            where=str(path),
            remedy="name a new file, and copy its lines into your settings",
        )
    replace_file(target, [text.encode("utf-8", "replace")])
