"""Text made comparable: the same words typed on another keyboard, scanned, or copied from a PDF.

For comparing only: what is stored and shown is always the raw text. The rules stand in
:mod:`muffakir_eval.text.folding`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property
from itertools import groupby

from muffakir_eval.text import codepage
from muffakir_eval.text.folding import ARABIC, TRAP_TABLE, TRAPS, Profile, fold_character

__all__ = ["Normalizer", "default_normalizer", "normalize_text"]

_TRAP = re.compile(TRAPS)
_DOTTED_I = re.compile("i\u0307+")
_MANY_MARKS = re.compile(r"[^\w\s]{32,}")
"""More marks on one letter than any script has, or a row of punctuation."""


def _untrapped(match: re.Match[str]) -> str:
    found = match[0]
    replacement = TRAP_TABLE.get(ord(found))
    if replacement is not None:
        return replacement
    place = match.start() - 1
    while place >= 0 and unicodedata.category(match.string[place]) in {"Cf", "Mn"}:
        place -= 1  # an invisible sign is no distance
    return f" {found}" if place >= 0 and match.string[place].isdecimal() else found


def _composed(text: str) -> str:
    """NFKC of ``text``, in a time that grows with its length.

    Python puts marks into their canonical order by insertion, which takes minutes for 100,000 marks on
    one letter. Marks in their order already cost nothing, so long rows are put into it beforehand.
    """
    if unicodedata.is_normalized("NFKC", text):
        return text
    return unicodedata.normalize("NFKC", _MANY_MARKS.sub(_ordered, text))


def _ordered(match: re.Match[str]) -> str:
    signs = "".join([unicodedata.normalize("NFKD", sign) for sign in match[0]])
    rows = groupby(signs, lambda sign: unicodedata.combining(sign) > 0)
    return "".join(["".join(sorted(row, key=unicodedata.combining) if marks else row) for marks, row in rows])


class _Folding(dict[int, str]):
    """Code point to its replacement, filled as characters are met."""

    def __init__(self, profile: Profile) -> None:
        super().__init__()
        self._profile = profile

    def __missing__(self, code: int) -> str:
        folded = self[code] = fold_character(code, self._profile)
        return folded


class Normalizer:
    """Normalisation by one profile.

    Idempotent, and independent of locale, platform and installed extras.
    """

    def __init__(self, profile: Profile = ARABIC) -> None:
        self.profile = profile
        self._folding = _Folding(profile)

    @cached_property
    def _page(self) -> tuple[bytes, bytes]:
        return codepage.translation(lambda char: fold_character(ord(char.casefold()), self.profile))

    def normalize(self, text: str) -> str:
        """``text`` made comparable; see :func:`normalize_text`."""
        data = self.fold_bytes(text)
        folded = " ".join(map(_text_of, self.folded(text))) if data is None else codepage.decode(data)
        return " ".join(folded.split())

    def fold_bytes(self, text: str) -> bytes | None:
        """Every step but the last, in bytes of the code page, ``None`` where ``text`` does not fit into it."""
        data = codepage.encode(text)
        return None if data is None else data.translate(*self._page)

    def folded(self, text: str) -> Iterator[str | bytes]:
        """Every step but the last, piece by piece: spaces stay as many as they are.

        A piece in which every character is in the code page comes as its bytes, another as text.
        """
        for piece, fits in codepage.pieces(text):
            data = self.fold_bytes(piece) if fits else None
            yield self._fold(piece) if data is None else data

    def _fold(self, text: str) -> str:
        if _TRAP.search(text):
            text = _TRAP.sub(_untrapped, text)
        text = _composed(text).casefold().translate(self._folding)
        text = _DOTTED_I.sub("i", text)
        # Case folding takes some letters apart, and a dropped sign may have kept a letter from its accent.
        return _composed(text)


def _text_of(piece: str | bytes) -> str:
    return piece if isinstance(piece, str) else codepage.decode(piece)


_DEFAULT = Normalizer()


def default_normalizer() -> Normalizer:
    """The normaliser of the default profile, ``arabic``."""
    return _DEFAULT


def normalize_text(text: str) -> str:
    """``text`` in the form in which two spellings of it are equal. Idempotent.

    Letters, marks, digits, case, punctuation and spaces are unified by the rules of
    :mod:`muffakir_eval.text.folding`; nothing is translated, stemmed or split.

    >>> normalize_text("  الرَّحْمَٰن  كـــتاب ")
    'الرحمن كتاب'
    >>> normalize_text("بلغ ٢٠٢٤ نسمة؛ أي ٣٫٥٪")
    'بلغ 2024 نسمه; اي 3.5%'
    """
    return _DEFAULT.normalize(text)
