r"""Characters that NFKC would turn into something that reads differently: they are replaced before it.

========================  =======================================================================
trap                      code points
========================  =======================================================================
lone marks                U+FC5E-FC63 and the even ones of U+FE70-FE7E would become space + mark,
                          in the middle of a word: dropped
spaced accent             U+00A8, 00AF, 00B8, 02D8-02DD, 037A, 0384, 0385, 1FBD-1FFE, 2017, 203E,
                          FE49-FE4C, FFE3 would become space + mark: a space
typed as apostrophe       U+00B4, 1FBD, 1FBF, 1FFD: ``'``
spaced kana marks         U+309B, 309C: the combining ones
glue                      ``2½`` would read ``21/2``, ``①البند`` or ``ⓐالبند`` one word, ``10²`` the number
                          102; №, ℡, ₨, ℻ and honorifics would stick to their neighbours: set between spaces
trade signs               U+2120 ℠, 2122 ™: a space
honorific ligatures       U+FBC3-FBD2, FD40-FD4F, FD90-FD91, FDC8-FDCF, FDFA-FDFB, FDFD-FDFF,
                          10ED1-10ED8: their words; U+FDFC: ريال
========================  =======================================================================
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["HONORIFICS", "TRAPS", "TRAP_TABLE", "untrapped"]

HONORIFICS = {
    0xFBC3: "جل وعلا",
    0xFBC4: "دامت بركاتهم",
    0xFBC5: "رحمة الله تعالى عليه",
    0xFBC6: "رحمة الله عليهم",
    0xFBC7: "رحمة الله عليهما",
    0xFBC8: "رحمهم الله تعالى",
    0xFBC9: "رحمهما الله",
    0xFBCA: "رحمهما الله تعالى",
    0xFBCB: "رضي الله تعالى عنهم",
    0xFBCC: "حفظه الله",
    0xFBCD: "حفظه الله تعالى",
    0xFBCE: "حفظهم الله تعالى",
    0xFBCF: "حفظهما الله تعالى",
    0xFBD0: "صلى الله تعالى عليه وسلم",
    0xFBD1: "عجل الله فرجه الشريف",
    0xFBD2: "عليه الرحمة",
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
    0xFD90: "رحمة الله عليه",
    0xFD91: "رحمة الله عليها",
    0xFDC8: "رحمه الله تعالى",
    0xFDC9: "رضي الله تعالى عنه",
    0xFDCA: "رضي الله تعالى عنها",
    0xFDCB: "رضي الله تعالى عنهما",
    0xFDCC: "صلى الله عليه وعلى آله وسلم",
    0xFDCD: "عجل الله تعالى فرجه الشريف",
    0xFDCE: "كرم الله وجهه",
    0xFDCF: "سلامه علينا",
    0xFDFA: "صلى الله عليه وسلم",
    0xFDFB: "جل جلاله",
    0xFDFC: "ريال",
    0xFDFD: "بسم الله الرحمن الرحيم",
    0xFDFE: "سبحانه وتعالى",
    0xFDFF: "عز وجل",
    0x10ED1: "عليها الصلاة والسلام",
    0x10ED2: "عليهم الصلاة والسلام",
    0x10ED3: "عليهما الصلاة والسلام",
    0x10ED4: "قدس الله سره",
    0x10ED5: "قدس سرهم",
    0x10ED6: "قدس سرهما",
    0x10ED7: "قدست أسرارهم",
    0x10ED8: "نور الله مرقده",
}
"""Code point of a ligature to the words that it stands for, up to Unicode 18."""

_SPACED_ACCENTS = (
    "\u00a8\u00af\u00b8\u02d8-\u02dd\u037a\u0384\u0385\u1fc0\u1fc1\u1fcd-\u1fcf\u1fdd-\u1fdf"
    "\u1fed\u1fee\u1ffe\u2017\u203e\ufe49-\ufe4c\uffe3"
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

TRAPS = re.compile(
    f"[{_SPACED_ACCENTS}{_TYPED_APOSTROPHES}{_LONE_MARKS}{_FRACTIONS}{_ENCLOSED_NUMBERS}{_TRADE_SIGNS}"
    f"{_ENCLOSED_LETTERS}{_WORDS_AS_SIGNS}{_SMALL_DIGITS}\u2116\u309b\u309c{''.join(map(chr, HONORIFICS))}]"
)
"""One such character; searched in text in NFC, so that an accent taken apart is found as well."""


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
    table |= {code: f" {words} " for code, words in HONORIFICS.items()}
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


def untrapped(match: re.Match[str]) -> str:
    """What stands for one match of :data:`TRAPS`, by what stands before it."""
    sign = match[0]
    replacement = TRAP_TABLE.get(ord(sign))
    if replacement is not None:
        return replacement
    place = match.start() - 1
    while place >= 0 and unicodedata.category(match.string[place]) in {"Cf", "Mn"}:
        place -= 1  # an invisible sign is no distance
    return f" {sign}" if place >= 0 and match.string[place].isdecimal() else sign
