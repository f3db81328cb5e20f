"""Frames around texts that nobody vouches for, which these texts cannot close.

::

    <<<answer 3f9a0c52d1b7>>>
    the text, unchanged
    <<<end answer 3f9a0c52d1b7>>>

The code is a hash of all texts of the request. So the same request has the same code, and its reply is
found in the cache; and since a text in which the code occurs gets another one, none can imitate a frame.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping

__all__ = ["Material", "frame", "make_marker"]

Material = str | Mapping[int, str]
"""One text, or several by number."""

_CONTROL = re.compile(r"<(?=\|)")
"""Start of the control tokens of local models (``<|im_end|>``), which some servers obey inside a text."""

_SURROGATES = re.compile("[\ud800-\udfff]")
"""Halves of characters, which no request can carry: UTF-8 has no form for them."""


def make_marker(texts: Iterable[str]) -> str:
    """Twelve characters that occur in none of ``texts``, the same for the same texts in the same order.

    >>> make_marker(["نص"]) == make_marker(["نص"]) != make_marker(["نص", ""])
    True
    """
    every = list(texts)
    digest = hashlib.sha256()
    for text in every:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data) + data)
    marker = digest.hexdigest()[:12]
    while any(marker in text.lower() for text in every):
        digest.update(b"again")
        marker = digest.hexdigest()[:12]
    return marker


def frame(name: str, material: Material, marker: str) -> str:
    """``material`` between lines that carry ``marker``.

    A lone surrogate is shown as U+FFFD.

    >>> print(frame("chunk", {2: "نص"}, "3f9a"))
    <<<chunk 2 3f9a>>>
    نص
    <<<end chunk 2 3f9a>>>
    """
    if isinstance(material, str):
        return _framed(name, material, marker)
    return "\n".join(_framed(f"{name} {number}", text, marker) for number, text in material.items())


def _framed(label: str, text: str, marker: str) -> str:
    shown = _SURROGATES.sub("\ufffd", _CONTROL.sub("< ", text))
    return f"<<<{label} {marker}>>>\n{shown}\n<<<end {label} {marker}>>>"


def texts_of(material: Iterable[Material]) -> list[str]:
    """All single texts in ``material``."""
    found: list[str] = []
    for each in material:
        if isinstance(each, str):
            found.append(each)
        else:
            found.extend(each.values())
    return found
