r"""Which letters and signs of the Arabic script count as the same, by the language of the corpus.

A letter of a language of its own (پ چ گ ژ, Sindhi ٻ ڄ, Pashto ښ ځ, Uyghur ۆ ڭ, Kurdish ڵ ێ, ...) is never
folded: only another spelling or another keyboard's form of the same letter is. Where a language tells two
letters apart that Arabic does not have, its profile keeps them apart.

========================  =======================================================================
rule                      code points
========================  =======================================================================
Arabic marks              U+0610-061A, 064B-065F, 0670 (dagger alef), 06D6-06DC, 06DF-06E8, 06EA-06ED,
                          0888, 0897-089F, 08C9-08FF, FBB2-FBC2, 10EAB-10EAC, 10EC5, 10EC9-10ECF,
                          10EF0-10EFF: dropped. So a dagger alef never stands for a full alef
tatweel, high hamza       U+0640, 0883-0885; U+0674, alone or left by NFKC of U+0675-0678: dropped
alef                      U+0623 أ, 0625 إ, 0671 ٱ, 0672, 0673, 0675, 0773, 0774, 0870-0882 → ا;
                          U+0622 آ → ا in ``arabic`` alone: it is a letter of its own in Persian and Urdu
waw, yeh with hamza       U+0624 ؤ → و, U+0626 ئ → yeh; decomposed likewise, since U+0653-0655 are
                          marks; U+0621 ء stays
Maghribi, Quranic forms   U+06A2 ڢ, 08BB → ف; U+06A7 ڧ, 08BC → ق; U+08BD, 10EC6 → ن
yeh                       ``arabic``: U+0649 ى, 06CC ی, 06D0 ې, 06CD ۍ, 0620 ؠ, 0886, 06D2 ے, 06D3 ۓ → ي
                          ``persian``: U+064A ي, 0649 ى, 06D2 ے, 06D3 ۓ → ی
                          ``urdu``: U+064A ي, 0649 ى → ی; U+06D3 ۓ → ے, which stays
kaf                       U+06AA ڪ, and ک U+06A9 → ك (``arabic``), or ك U+0643 → ک (``persian``, ``urdu``)
heh, teh marbuta          ``arabic``, ``persian``: U+0629 ة, 06C3 ۃ, 06C1 ہ, 06C2 ۂ, 06BE ھ, 06C0 ۀ, 06D5 ە → ه
                          ``urdu``: U+0647 ه and the same → ہ U+06C1, but ھ U+06BE stays
========================  =======================================================================

``none`` has none of these rules, nor those for digits, punctuation and other scripts
(:mod:`muffakir_eval.text.folding`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

__all__ = ["ARABIC", "NONE", "PERSIAN", "PROFILES", "URDU", "Profile", "ProfileName", "codes", "inverted"]

ProfileName = Literal["arabic", "persian", "urdu", "none"]


def inverted(targets: dict[str, str]) -> dict[int, str]:
    """Code point to its target, from target to its sources.

    >>> inverted({"a": "bc"})
    {98: 'a', 99: 'a'}
    """
    return {ord(source): target for target, sources in targets.items() for source in sources}


def codes(*ranges: tuple[int, int]) -> frozenset[int]:
    """All code points of some ranges, both ends included."""
    return frozenset(code for first, last in ranges for code in range(first, last + 1))


@dataclass(frozen=True, slots=True)
class Profile:
    """A named choice of what counts as the same letter.

    Attributes:
        name: Recorded with the results.
        letters: Code point to what replaces it.
        dropped: Code points of signs that do not count.
        signs: Digits, punctuation and the double spellings of other scripts are unified too.
    """

    name: ProfileName
    letters: dict[int, str] = field(repr=False)
    dropped: frozenset[int] = field(repr=False)
    signs: bool = field(default=True, repr=False)


_MARKS = codes(
    (0x0610, 0x061A),
    (0x064B, 0x065F),
    (0x0670, 0x0670),
    (0x06D6, 0x06DC),
    (0x06DF, 0x06E8),
    (0x06EA, 0x06ED),
    (0x0888, 0x0888),
    (0x0897, 0x089F),
    (0x08C9, 0x08FF),
    (0xFBB2, 0xFBC2),
    (0x10EAB, 0x10EAC),
    (0x10EC5, 0x10EC5),
    (0x10EC9, 0x10ECF),
    (0x10EF0, 0x10EFF),
    (0x0640, 0x0640),  # tatweel, and its kin that carry a sign
    (0x0883, 0x0885),
    (0x0674, 0x0674),  # high hamza: what NFKC leaves of U+0675-0678
)
_ALEFS = "أإٱ\u0672\u0673\u0675\u0773\u0774" + "".join(map(chr, range(0x0870, 0x0883)))
_OLD_FORMS = {"و": "ؤ", "ف": "\u06a2\u08bb", "ق": "\u06a7\u08bc", "ن": "\u08bd\U00010ec6"}

ARABIC = Profile(
    "arabic",
    letters=inverted(
        {
            "ا": "آ" + _ALEFS,
            "ي": "ئىیې\u06cd\u0620\u0886ے\u06d3",
            "ه": "ةۃہ\u06c2ھ\u06c0ە",
            "ك": "ک\u06aa",
            **_OLD_FORMS,
        }
    ),
    dropped=_MARKS,
)
"""Arabic as it is typed on every keyboard: the default."""

PERSIAN = Profile(
    "persian",
    letters=inverted({"ا": _ALEFS, "ی": "ئىيے\u06d3", "ه": "ةۃہ\u06c2ھ\u06c0ە", "ک": "ك\u06aa", **_OLD_FORMS}),
    dropped=_MARKS,
)
"""Persian as it is typed on every keyboard; آ is a letter of its own."""

URDU = Profile(
    "urdu",
    letters=inverted({"ا": _ALEFS, "ی": "ئىي", "ے": "\u06d3", "ہ": "هةۃ\u06c2\u06c0ە", "ک": "ك\u06aa", **_OLD_FORMS}),
    dropped=_MARKS,
)
"""Urdu as it is typed on every keyboard; آ, ے, ھ and ں are letters of their own."""

NONE = Profile("none", letters={}, dropped=frozenset(), signs=False)
"""No letter, mark, digit or punctuation is folded: NFKC, case, spaces and invisible characters alone."""

PROFILES: dict[str, Profile] = {profile.name: profile for profile in (ARABIC, PERSIAN, URDU, NONE)}
"""The profiles by name."""
