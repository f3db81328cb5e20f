r"""Text that a spreadsheet can neither run nor damage, and back.

A cell whose first visible character is ``=``, ``+``, ``-`` or ``@`` is run as a formula when a person
opens the file, and a model's answer may start with any of them. :func:`neutralise_cell` puts an
apostrophe before such a text; :func:`restore_cell` takes it away again, and nothing else.

What a CSV file cannot hold is spelled out: NUL as ``\u0000`` and lone surrogates as ``\ud83d``. Where
a text says these six characters itself, the backslashes before them are doubled.

Both are pure and exact: ``restore_cell(neutralise_cell(text)) == text`` for every text, and
``restore_cell`` changes nothing that ``neutralise_cell`` does not make. Numbers never pass through
here: ``-0.5`` stays a number.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["CUT", "LONGEST", "neutralise_cell", "restore_cell"]

LONGEST = 32_767
"""Characters in a cell of a spreadsheet, in units of UTF-16."""

CUT = re.compile(r" … \[(?:cut: [\d,]+ of [\d,]+ characters are shown|مقتطع: يظهر [\d,]+ من [\d,]+ حرفًا)\]")
"""The mark of our own workbooks after a text that did not fit, in English and in Arabic."""

_FORMULA = frozenset("=+-@＝＋－＠﹦﹢﹣﹫")
"""Characters that start a formula; spreadsheets fold the full-width and small forms to the plain ones."""

_CONTROL_START = ("\t", "\r")
"""Excel and LibreOffice drop these at the start of a cell and look at what follows."""

_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Mn", "Zl", "Zp", "Zs"})
_INVISIBLE = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # fillers and the empty Braille cell

# The look-behind starts a run of backslashes at its first one only: without it each of them is tried in turn.
_UNWRITABLE = re.compile("(?<!\\\\)(\\\\*)(?:([\x00\ud800-\udfff])|(u(?:0000|d[89a-f][0-9a-f]{2})))")
_WRITTEN = re.compile(r"(?<!\\)(\\+)(u(?:0000|d[89a-f][0-9a-f]{2}))")


def neutralise_cell(text: str) -> str:
    r"""``text`` as a cell that no spreadsheet runs and that UTF-8 can hold.

    >>> neutralise_cell('=HYPERLINK("http://x.test")')
    '\'=HYPERLINK("http://x.test")'
    >>> neutralise_cell("عاصمة مصر هي القاهرة")
    'عاصمة مصر هي القاهرة'
    >>> neutralise_cell("'=already quoted")
    "''=already quoted"
    >>> neutralise_cell("half an emoji: \ud83d")
    'half an emoji: \\ud83d'
    """
    text = _UNWRITABLE.sub(_spell_out, text)
    return f"'{text}" if _runs(text) else text


def restore_cell(text: str) -> str:
    """The text that :func:`neutralise_cell` was given.

    >>> restore_cell("'- البند الأول")
    '- البند الأول'
    >>> restore_cell("'tis no formula"), restore_cell("=1+1")
    ("'tis no formula", '=1+1')
    """
    core = text[1:] if text.startswith("'") and _runs(text[1:]) else text
    original = _WRITTEN.sub(_read_back, core)
    # A cell that a person typed may hold a part that looks like ours beside one that is not.
    return original if original == text or neutralise_cell(original) == text else text


def _runs(text: str) -> bool:
    """A spreadsheet would run ``text``, or would if the apostrophes before it were gone."""
    core = text.lstrip("'")
    if core.startswith(_CONTROL_START):
        return True
    for char in core:
        if char in _FORMULA:
            return True
        if char in _INVISIBLE or char.isspace() or unicodedata.category(char) in _INVISIBLE_CATEGORIES:
            continue
        return False
    return False


def _spell_out(match: re.Match[str]) -> str:
    slashes, char, spelled = match.groups()
    if char is not None:
        return f"{slashes * 2}\\u{ord(char):04x}"
    return f"{slashes * 2}{spelled}"


def _read_back(match: re.Match[str]) -> str:
    slashes, spelled = match.groups()
    half = slashes[: len(slashes) // 2]
    return half + (chr(int(spelled[1:], 16)) if len(slashes) % 2 else spelled)
