"""A text cut into the statements that a judge looks at one by one.

A sentence ends at a line break, at ``. ! ? …``, at ``؟ ؛ ۔ 。 ！ ？ ।``, in any run of them, with the quotes and
brackets that close after it. A full stop ends nothing inside a number (``3.5``), a name (``example.com``),
an abbreviation (``Dr.``, ``U.S.``, ``د.``, ``ص.ب``) or before a small Latin letter; nor does an ellipsis before
a word of a script without capitals. The Latin semicolon separates clauses and cuts nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["split_sentences"]

_END = re.compile(r"[.!?؟؛۔。！？।…]+[\"'»”’)\]*_]*")
_MARKER = re.compile(r"\s*(?:#{1,6}|>|[-*•▪◦●○–—+]|\(?\d{1,3}[.)-](?!\d)|\(?[A-Za-zء-ي]\))\s+(?=\S)")
_ALWAYS = frozenset("؟؛۔。！？।")
_ENGLISH = (
    "dr mr mrs ms prof st sr jr vs etc e.g i.e cf al no nos fig figs eq p pp vol art ch sec approx inc ltd co corp",
    "jan feb mar apr jun jul aug sep sept oct nov dec gen gov rev dept est",
)
_ABBREVIATIONS = frozenset(" ".join(_ENGLISH).split())
_REACH = 24
"""Characters before a full stop in which the word that it belongs to is looked for."""


def split_sentences(text: str) -> list[str]:
    r"""The sentences of ``text`` in order, without list markers and surrounding spaces.

    A piece without a letter or digit is left out; a text in which something can be seen gives at least
    one sentence.

    >>> split_sentences("هل تجب الزكاة؟ نعم؛ نسبتها 2.5% من المال\nوتجب مرة في العام.")
    ['هل تجب الزكاة؟', 'نعم؛', 'نسبتها 2.5% من المال', 'وتجب مرة في العام.']
    >>> split_sentences("1. Dr. Smith left at 3.5 p.m. yesterday. He (really!) did.")
    ['Dr. Smith left at 3.5 p.m. yesterday.', 'He (really!) did.']
    """
    found = [piece for line in text.splitlines() for piece in _in_line(line) if any(map(str.isalnum, piece))]
    return found or [whole for whole in [" ".join(text.split())] if whole]


def _in_line(line: str) -> Iterator[str]:
    marker = _MARKER.match(line)
    start = marker.end() if marker else 0
    for end in _END.finditer(line, start):
        if _ends_sentence(line, end):
            yield line[start : end.end()].strip()
            start = end.end()
    yield line[start:].strip()


def _ends_sentence(line: str, end: re.Match[str]) -> bool:
    if not _ALWAYS.isdisjoint(end[0]):
        return True
    following = line[end.end() : end.end() + _REACH].lstrip()
    if not following:
        return True
    if not line[end.end()].isspace():
        return _glued(line, end)
    if "a" <= following[0] <= "z" or not any(map(str.isalnum, following)):
        return False
    if end[0].startswith(("...", "…", "..")):
        return following[0].isupper()
    return end[0][0] != "." or not _is_abbreviation(line, end.start())


def _glued(line: str, end: re.Match[str]) -> bool:
    """No space follows: the next sentence of a careless typist, in Arabic letters on both sides."""
    before = re.search(r"[\u0620-\u065f\u066e-\u06d3]+$", line[max(0, end.start() - _REACH) : end.start()])
    after = re.match(r"[\u0620-\u065f\u066e-\u06d3]+", line[end.end() : end.end() + _REACH])
    return before is not None and after is not None and min(len(before[0]), len(after[0])) > 2


def _is_abbreviation(line: str, stop: int) -> bool:
    words = line[max(0, stop - _REACH) : stop].split()
    if not words:
        return False
    word = words[-1].lstrip("\"'«“‘([*_").casefold()
    last = word.rpartition(".")[2].replace("\u0640", "")
    if last in {"م", "ه"} and len(words) > 1 and words[-2][-1].isdigit():
        return False  # the era after a year
    return word in _ABBREVIATIONS or (len(last) == 1 and last.isalpha())
