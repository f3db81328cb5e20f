r"""What one character becomes when text is normalised: the rules, with their code points.

Order of the steps (:mod:`muffakir_eval.text.normalize` runs them): the traps of NFKC are taken out of
its way, NFKC, case folding, then one table for everything else, then spaces.

========================  =======================================================================
rule                      code points
========================  =======================================================================
NFKC trap: lone marks     U+FC5E-FC63 and the even ones of U+FE70-FE7E would become space + mark,
                          in the middle of a word: dropped
NFKC trap: spaced accent  U+00A8, 00AF, 00B8, 02D8-02DD, 037A, 0384, 0385, 1FBD-1FFE, 2017, 203E,
                          FE49-FE4C, FFE3 would become space + mark: a space; as apostrophe typed
                          U+00B4, 1FBD, 1FBF, 1FFD: ``'``; U+309B, 309C: the combining kana marks
NFKC trap: glue           ``2½`` would read ``21/2``, ``①البند`` or ``ⓐالبند`` one word, ``10²`` the number
                          102; №, ℡, ₨ and the U+FDFA kind would stick to their neighbours: set
                          between spaces
honorific ligatures       U+FD40-FD4F, FDCF, FDFA-FDFB, FDFD-FDFF: their words; U+FDFC: ريال
alef                      U+0622 آ, 0623 أ, 0625 إ, 0671 ٱ, 0672, 0673, 0675, 0773, 0774, 0870-0882 → ا
waw, yeh with hamza       U+0624 ؤ → و, U+0626 ئ → ي; decomposed likewise, since U+0654, 0655 and 0653
                          are marks; U+0674 (high hamza) is dropped; U+0621 ء stays
teh marbuta               U+0629 ة, U+06C3 ۃ → ه
alef maksura, yeh         U+0649 ى, 06CC ی, 06D0 ې, 06CD ۍ, 0620 ؠ, 06D2 ے, 06D3 ۓ → ي
kaf                       U+06A9 ک, 06AA ڪ → ك
heh                       U+06C1 ہ, 06C2 ۂ, 06BE ھ, 06C0 ۀ, 06D5 ە → ه
Arabic marks              U+0610-061A, 064B-065F, 0670 (dagger alef), 06D6-06DC, 06DF-06E8, 06EA-06ED,
                          0897-089F, 08C9-08FF, FBB2-FBC2, 10EAB-10EAC, 10EFC-10EFF: dropped
tatweel                   U+0640, 0883-0885: dropped
invisible                 soft hyphen U+00AD, ZWSP, ZWNJ, ZWJ and marks U+200B-200F, bidi U+061C,
                          202A-202E, 2066-2069, BOM U+FEFF, every other format character (Cf) and
                          control (Cc) that is no space, variation selectors, fillers U+034F, 115F,
                          1160, 17B4, 17B5, 180B-180F, keycap and other marks on symbols U+20D0-20FF:
                          dropped. ZWNJ is dropped like the rest: ``می‌خواهم`` equals ``میخواهم``
digits                    every decimal digit (Nd) → 0-9; U+066B ٫ → ``.``, U+066C ٬ → ``,``,
                          U+066A ٪ → ``%``, U+0609 → ‰, U+060A → ‱
case                      full case folding; Turkish U+0130 İ and U+0131 ı → i (with I → i, so that
                          all four agree); a combining dot above after i (U+0307) is dropped
punctuation               commas, stops, semicolons, question marks, quotes, dashes, slashes and
                          brackets of other scripts to their ASCII counterparts (:data:`PUNCTUATION`)
spaces                    every white space, and U+0085, 2028, 2029: one U+0020 between words
========================  =======================================================================
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

__all__ = ["ARABIC", "Profile", "fold_character"]


def _inverted(targets: dict[str, str]) -> dict[int, str]:
    return {ord(source): target for target, sources in targets.items() for source in sources}


def _codes(*ranges: tuple[int, int]) -> frozenset[int]:
    return frozenset(code for first, last in ranges for code in range(first, last + 1))


_ARABIC_LETTERS = _inverted(
    {
        "ا": "آأإٱ\u0672\u0673\u0675\u0773\u0774" + "".join(map(chr, range(0x0870, 0x0883))),
        "و": "ؤ",
        "ي": "ئىیې\u06cd\u0620ے\u06d3",
        "ه": "ةۃہ\u06c2ھ\u06c0ە",
        "ك": "ک\u06aa",
    }
)

_ARABIC_MARKS = _codes(
    (0x0610, 0x061A),
    (0x064B, 0x065F),
    (0x0670, 0x0670),
    (0x06D6, 0x06DC),
    (0x06DF, 0x06E8),
    (0x06EA, 0x06ED),
    (0x0897, 0x089F),
    (0x08C9, 0x08FF),
    (0xFBB2, 0xFBC2),
    (0x10EAB, 0x10EAC),
    (0x10EFC, 0x10EFF),
    (0x0640, 0x0640),  # tatweel, and its kin that carry a sign
    (0x0883, 0x0885),
    (0x0674, 0x0674),  # high hamza: what NFKC leaves of U+0675-0678
)

_INVISIBLE = _codes(
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x20D0, 0x20FF),
    (0xFE00, 0xFE0F),
    (0xE0000, 0xE0FFF),
)

PUNCTUATION = _inverted(
    {
        ",": "،\u066c",
        ", ": "、\u055d\u07f8\u1363\u1802\u104a\u2e32\u2e41\ua4fe",  # they list, and never group digits
        ".": "\u066b۔。।॥\u0589\u1362\u0f0d\u104b\u17d4\u1803\ua4ff\u2e3c",
        ";": "؛\u204f\u1364\u2e35",
        "?": "؟\u055e\u1367\u2e2e",
        "%": "٪",
        "\u2030": "\u0609",
        "\u2031": "\u060a",
        "*": "\u066d",
        "'": "\u2018\u2019\u201a\u201b\u2032\u2035\u2039\u203a\u02b9\u02bc\u02c8\u05f3\u0060\ua78c",
        '"': "\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\u05f4\u300a\u300b\u3008\u3009\u301d\u301e\u301f「」『』",
        "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\u2e3a\u2e3b\u05be\u1806",
        "/": "\u2044\u2215\u060d",
        "(": "\ufd3f",
        ")": "\ufd3e",
        "[": "\u3010\u3014",
        "]": "\u3011\u3015",
    }
)
"""Punctuation of other scripts and fonts, as left over by NFKC, to ASCII."""

_TURKISH = {0x0130: "i", 0x0131: "i"}


@dataclass(frozen=True, slots=True)
class Profile:
    """A named choice of what counts as the same letter.

    Attributes:
        name: Recorded with the results.
        letters: Code point to what replaces it.
        dropped: Code points of signs that do not count.
    """

    name: str
    letters: dict[int, str] = field(repr=False)
    dropped: frozenset[int] = field(repr=False)


ARABIC = Profile("arabic", letters=_ARABIC_LETTERS, dropped=_ARABIC_MARKS)
"""Arabic as it is typed on every keyboard: the default."""


def fold_character(code: int, profile: Profile) -> str:
    """What the character with this code point becomes, after NFKC and case folding.

    >>> fold_character(ord("أ"), ARABIC), fold_character(ord("٣"), ARABIC), fold_character(0x064E, ARABIC)
    ('ا', '3', '')
    """
    if code in profile.dropped or code in _INVISIBLE:
        return ""
    for table in (profile.letters, PUNCTUATION, _TURKISH):
        if code in table:
            return table[code]
    char = chr(code)
    if char.isspace():
        return " "
    category = unicodedata.category(char)
    if category in {"Cf", "Cc"}:
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(char))
    return char


_HONORIFICS = {
    0xFD40: "رحمه الله",
    0xFD41: "رضي الله عنه",
    0xFD42: "رضي الله عنها",
    0xFD43: "رضي الله عنهم",
    0xFD44: "رضي الله عنهما",
    0xFD45: "رضي الله عنهن",
    0xFD46: "صلى الله عليه وآله",
    0xFD47: "عليه السلام",
    0xFD48: "عليهم السلام",
    0xFD49: "عليهما السلام",
    0xFD4A: "عليه الصلاة والسلام",
    0xFD4B: "قدس سره",
    0xFD4C: "صلى الله عليه وآله وسلم",
    0xFD4D: "عليها السلام",
    0xFD4E: "تبارك وتعالى",
    0xFD4F: "رحمهم الله",
    0xFDCF: "سلامه علينا",
    0xFDFA: "صلى الله عليه وسلم",
    0xFDFB: "جل جلاله",
    0xFDFC: "ريال",
    0xFDFD: "بسم الله الرحمن الرحيم",
    0xFDFE: "سبحانه وتعالى",
    0xFDFF: "عز وجل",
}

_SPACED_ACCENTS = (
    "\u00a8\u00af\u00b8\u02d8-\u02dd\u037a\u0384\u0385\u1fc0\u1fc1\u1fcd-\u1fcf\u1fdd-\u1fdf"
    "\u1fed-\u1fef\u1ffe\u2017\u203e\ufe49-\ufe4c\uffe3"
)
_TYPED_APOSTROPHES = "\u00b4\u1fbd\u1fbf\u1ffd"
_LONE_MARKS = "\ufc5e-\ufc63\ufe70\ufe72\ufe74\ufe76\ufe78\ufe7a\ufe7c\ufe7e"
_FRACTIONS = "\u00bc-\u00be\u2150-\u215f\u2189"
_ENCLOSED_NUMBERS = "\u2460-\u249b\u24ea-\u24ff\u2776-\u2793\u3251-\u325f\u32b1-\u32bf\U0001f100-\U0001f10a"
_SMALL_DIGITS = "\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089"
_ENCLOSED_LETTERS = "\u24b6-\u24e9\u3260-\u327e\U0001f12b-\U0001f12e\U0001f130-\U0001f14f"
_WORDS_AS_SIGNS = "\u20a8\u2121\u213b"
_TRADE_SIGNS = "\u2120\u2122"
_KANA_MARKS = {0x309B: "\u3099", 0x309C: "\u309a"}

TRAPS = (
    f"[{_SPACED_ACCENTS}{_TYPED_APOSTROPHES}{_LONE_MARKS}{_FRACTIONS}{_ENCLOSED_NUMBERS}{_TRADE_SIGNS}"
    f"{_ENCLOSED_LETTERS}{_WORDS_AS_SIGNS}{_SMALL_DIGITS}\u2116\u309b\u309c{''.join(map(chr, _HONORIFICS))}]"
)
"""Pattern of the characters that NFKC alone would turn into something that reads differently."""


def _range_of(pattern: str) -> Iterable[int]:
    position = 0
    while position < len(pattern):
        first = last = ord(pattern[position])
        if pattern[position + 1 : position + 2] == "-":
            position += 2
            last = ord(pattern[position])
        yield from range(first, last + 1)
        position += 1


def _trap_table() -> dict[int, str]:
    table = dict.fromkeys(_range_of(_SPACED_ACCENTS + _TRADE_SIGNS), " ")
    table |= dict.fromkeys(_range_of(_TYPED_APOSTROPHES), "'")
    table |= dict.fromkeys(_range_of(_LONE_MARKS), "")
    table |= {code: f" {words} " for code, words in _HONORIFICS.items()}
    table |= _KANA_MARKS
    table[0x2116] = " No "
    for code in _range_of(_FRACTIONS + _ENCLOSED_LETTERS + _WORDS_AS_SIGNS):
        table[code] = f" {unicodedata.normalize('NFKC', chr(code))} "
    for code in _range_of(_ENCLOSED_NUMBERS):
        plain = unicodedata.normalize("NFKC", chr(code))
        if plain == chr(code):  # the negative circled ones have no decomposition
            plain = str(int(unicodedata.numeric(plain)))
        table[code] = f" {plain} "
    return table


TRAP_TABLE = _trap_table()
"""What stands for each of them; small digits after a digit are set apart instead."""
