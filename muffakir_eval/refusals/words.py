"""An answer cut into sentences of normalised words that remember where they stood."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from muffakir_eval.text.normalize import normalize_text

__all__ = ["Sentence", "fold_words", "sentences"]

_SEPARATORS = r"!-&(-/:-@\[-_{-~\u00a1-\u00a9\u00ab-\u00ac\u00ae\u00b0\u00b6\u00b7\u00bb\u00bf"
_SEPARATORS += r"\u060c\u060d\u061b\u061e\u061f\u066a\u066d\u06d4\u0964\u0965\u2010-\u2017\u201c-\u2027\u2030-\u2031"
_SEPARATORS += r"\u2190-\u2bff\U0001f000-\U0001faff"  # arrows, signs, emoji
_SEPARATORS += (
    r"\u2033-\u205e\u3000-\u3003\u3008-\u3020\u30fb\ufd3e\ufd3f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff3f\uff5b-\uff65"
)
# An apostrophe or a dot between digits belongs to the word; so do marks and invisible characters.
_SCAN = re.compile(rf"(?P<word>(?:[^\s{_SEPARATORS}]|(?<=\d)[.,:](?=\d))+)|(?P<between>[\s{_SEPARATORS}]+)")
_END = re.compile(r"[!?؟…。！？۔।\n\u2028\u2029]|\.(?=[\s\"”»)\]*]|$)")
_CLAUSE = re.compile(r"[,،;؛:：，、—–()\[\]]|\s-\s")
_MARKS = re.compile("[\u0300-\u036f]")


@lru_cache(maxsize=1 << 15)
def _fold(word: str) -> str:
    """One word as it is compared: normalised, without apostrophes and accents; empty if it is a sign alone."""
    plain = normalize_text(word).replace("'", "").replace(" ", "")
    if not any(map(str.isalnum, plain)):
        return ""
    return plain if plain.isascii() else _MARKS.sub("", unicodedata.normalize("NFD", plain))


@dataclass(slots=True)
class Sentence:
    """One sentence.

    Attributes:
        words: Normalised words.
        spans: Start and end of each in the raw text.
        clauses: Positions of the words that come after a comma or the like.
        question: It ends with a question mark.
        lead_in: It ends with a colon.
    """

    words: list[str] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    clauses: list[int] = field(default_factory=list)
    question: bool = False
    lead_in: bool = False


def fold_words(text: str) -> list[str]:
    r"""The words of ``text`` as they are compared.

    >>> fold_words("I can\u2019t, لا أستطـيع")
    ['i', 'cant', 'لا', 'استطيع']
    """
    return [word for match in _SCAN.finditer(text) if match["word"] and (word := _fold(match["word"]))]


def sentences(text: str, start: int = 0) -> Iterator[Sentence]:
    """The sentences of ``text`` from ``start`` on, one after the other; those without a word are left out.

    >>> [sentence.words for sentence in sentences("عذرًا، لا أعلم. اسأل غيري!")]
    [['عذرا', 'لا', 'اعلم'], ['اسال', 'غيري']]
    """
    current = Sentence()
    for match in _SCAN.finditer(text, start):
        raw = match["word"]
        if raw is not None:
            if word := _fold(raw):
                current.words.append(word)
                current.spans.append(match.span())
            continue
        between = match[0]
        if between == " " or (
            between == "." and text[match.end() : match.end() + 1].isascii() and match.end() < len(text)
        ):
            continue  # "e.g", "example.com"
        if end := _END.search(between):
            current.question |= "?" in between or "؟" in between or "？" in between
            current.lead_in |= ":" in between[: end.start()] or "：" in between[: end.start()]
            if current.words:
                yield current
                current = Sentence()
        elif current.words and _CLAUSE.search(between):
            current.clauses.append(len(current.words))
    if current.words:
        yield current
