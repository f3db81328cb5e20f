"""A page from a template: everything in one file, and nothing that it may ask the network for."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from muffakir_eval.records.codec import strict_json

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["data_block", "document"]

_PIECE = 2**16
_LONGEST_FIGURE, _LONGEST_SHORT = 40, 24


@cache
def _resource(name: str) -> str:
    return (resources.files("muffakir_eval.resources") / "page" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_resource),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        auto_reload=False,
    )
    environment.tests["figure"] = _is_figure
    environment.tests["short"] = _is_short
    return environment


def _is_figure(cell: object) -> bool:
    """A number with what belongs to it, which is not broken over lines."""
    return not isinstance(cell, Markup) and len(str(cell)) < _LONGEST_FIGURE and not any(map(str.isalpha, str(cell)))


def _is_short(cell: object) -> bool:
    """A few words of ours, such as ``22 of 104``, which are not broken either."""
    return isinstance(cell, Markup) and len(cell.striptags()) <= _LONGEST_SHORT


def _hash(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


@cache
def _policy(style: str, script: str) -> str:
    """Nothing is loaded, and nothing runs but what this package wrote."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def document(template: str, context: Mapping[str, Any]) -> Iterator[bytes]:
    """The page, piece by piece.

    Args:
        template: Its name.
        context: What it shows; every text that is no ``Markup`` is escaped.
    """
    style, script = _resource("page.css"), _resource("page.js")
    shared = {
        "style": Markup(style),  # noqa: S704 - files of this package
        "script": Markup(script),  # noqa: S704
        "policy": Markup(_policy(style, script)),  # noqa: S704 - base64 and our own words
    }
    pieces: list[str] = []
    size = 0
    for piece in _environment().get_template(template).generate({**shared, **context}):
        pieces.append(piece)
        size += len(piece)
        if size >= _PIECE:
            yield _encoded(pieces)
            pieces, size = [], 0
    yield _encoded(pieces)


def _encoded(pieces: list[str]) -> bytes:
    return "".join(pieces).encode("utf-8", "replace")


def data_block(value: Any) -> Markup:
    r"""JSON for a data block: no text in it can end the block or begin a comment.

    >>> print(data_block({"a": "</script><!--"}))
    {"a": "\u003c/script\u003e\u003c!--"}
    """
    text = strict_json(json.loads(strict_json(value)))
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)  # noqa: S704 - no character of it is markup
