"""Text made comparable: the same words typed on another keyboard, scanned, or copied from a PDF.

For comparing only: what is stored and shown is always the raw text. The rules stand in
:mod:`~muffakir_eval.text.traps`, :mod:`~muffakir_eval.text.profiles` and :mod:`~muffakir_eval.text.folding`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, cached_property
from itertools import groupby
from typing import Literal

from muffakir_eval.errors import ConfigError
from muffakir_eval.text import codepage
from muffakir_eval.text.folding import fold_character
from muffakir_eval.text.profiles import ARABIC, PROFILES, Profile
from muffakir_eval.text.traps import TRAPS, untrapped

__all__ = ["Normalizer", "default_normalizer", "normalize_text", "normalizer_for"]

_DOTTED_I = re.compile("i\u0307+")
_MANY_MARKS = re.compile(r"[^\w\s]{32,}")
"""More marks on one letter than any script has, or a row of punctuation."""


def _composed(text: str, form: Literal["NFC", "NFKC"] = "NFKC") -> str:
    """``text`` in a composed form, in a time that grows with its length.

    Python puts marks into their canonical order by insertion, which takes minutes for 100,000 marks on
    one letter. Marks in their order already cost nothing, so long rows are put into it beforehand.
    """
    if unicodedata.is_normalized(form, text):
        return text
    apart: Literal["NFD", "NFKD"] = "NFD" if form == "NFC" else "NFKD"
    return unicodedata.normalize(form, _MANY_MARKS.sub(lambda match: _ordered(match[0], apart), text))


def _ordered(row: str, form: Literal["NFD", "NFKD"]) -> str:
    signs = "".join([unicodedata.normalize(form, sign) for sign in row])
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

    @cached_property
    def _meeting(self) -> bytes:
        """The marks of the page that a byte by itself does not decide: none in the default profile.

        A mark that is kept has an order among others, and one that makes another letter of what stands
        before it counts where the profile tells the two letters apart.
        """
        letters = [char for char in codepage.PAGE if unicodedata.category(char) == "Lo"]
        return b"".join([codepage.encode(mark) or b"" for mark in codepage.MARKS if self._counts(mark, letters)])

    def _counts(self, mark: str, letters: list[str]) -> bool:
        if fold_character(ord(mark), self.profile):
            return True
        return any(
            self._folded(unicodedata.normalize("NFC", letter + mark)) != self._folded(letter) for letter in letters
        )

    def _folded(self, signs: str) -> str:
        return "".join([fold_character(ord(sign), self.profile) for sign in signs])

    def normalize(self, text: str) -> str:
        """``text`` made comparable; see :func:`normalize_text`."""
        data = self.fold_bytes(text)
        folded = " ".join(map(_text_of, self.folded(text))) if data is None else codepage.decode(data)
        return " ".join(folded.split())

    def fold_bytes(self, text: str) -> bytes | None:
        """Every step but the last, in bytes of the code page, ``None`` where ``text`` does not fit into it."""
        data = codepage.encode(text)
        if data is None or (self._meeting and len(data.translate(None, self._meeting)) < len(data)):
            return None
        return data.translate(*self._page)

    def folded(self, text: str) -> Iterator[str | bytes]:
        """Every step but the last, piece by piece: spaces stay as many as they are.

        A piece that the code page decides character by character comes as its bytes, another as text.
        """
        for piece, fits in codepage.pieces(text):
            data = self.fold_bytes(piece) if fits else None
            yield self._fold(piece) if data is None else data

    def _fold(self, text: str) -> str:
        if TRAPS.search(text):
            text = TRAPS.sub(untrapped, _composed(text, "NFC"))
        text = _composed(text).casefold().translate(self._folding)
        if self.profile.signs:
            text = _DOTTED_I.sub("i", text)
        # Case folding takes some letters apart, and a dropped sign may have kept a letter from its accent.
        return _composed(text)


def _text_of(piece: str | bytes) -> str:
    return piece if isinstance(piece, str) else codepage.decode(piece)


_DEFAULT = Normalizer()


def default_normalizer() -> Normalizer:
    """The normaliser of the default profile, ``arabic``."""
    return _DEFAULT


@cache
def normalizer_for(name: str) -> Normalizer:
    """The normaliser of a profile; one and the same for each name.

    Args:
        name: ``arabic``, ``persian``, ``urdu`` or ``none``.

    Raises:
        ConfigError: There is no such profile.

    >>> normalizer_for("urdu").normalize("رحمة للعالمين"), normalizer_for("none").normalize("رحمة  للعالمين")
    ('رحمہ للعالمین', 'رحمة للعالمين')
    """
    profile = PROFILES.get(name)
    if profile is None:
        raise ConfigError(
            f"unknown profile {name!r}",
            where="normalisation",
            expected="one of " + ", ".join(map(repr, PROFILES)),
            remedy="choose the language of the corpus, or 'none' to fold no letter",
        )
    return _DEFAULT if profile is ARABIC else Normalizer(profile)


def normalize_text(text: str, profile: str = "arabic") -> str:
    """``text`` in the form in which two spellings of it are equal. Idempotent.

    Letters, marks, digits, case, punctuation and spaces are unified by the rules of
    :mod:`muffakir_eval.text.folding`; nothing is translated, stemmed or split.

    Args:
        text: Any text.
        profile: ``arabic``, ``persian``, ``urdu`` or ``none``; see :mod:`muffakir_eval.text.profiles`.

    Raises:
        ConfigError: There is no such profile.

    >>> normalize_text("  الرَّحْمَٰن  كـــتاب ")
    'الرحمن كتاب'
    >>> normalize_text("بلغ ٢٠٢٤ نسمة؛ أي ٣٫٥٪")
    'بلغ 2024 نسمه; اي 3.5%'
    >>> normalize_text("می‌خواهم آب", profile="persian")
    'میخواهم آب'
    """
    return normalizer_for(profile).normalize(text)
