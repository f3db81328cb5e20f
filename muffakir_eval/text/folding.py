r"""What one character becomes when text is normalised: the rules, with their code points.

Order of the steps (:mod:`muffakir_eval.text.normalize` runs them): the traps of NFKC are taken out of
its way (:mod:`~muffakir_eval.text.traps`), NFKC, case folding, then one table for everything else
(the letters and marks of the profile, :mod:`~muffakir_eval.text.profiles`, and what follows), then spaces.

========================  =======================================================================
rule                      code points
========================  =======================================================================
invisible                 soft hyphen U+00AD, ZWSP, ZWNJ, ZWJ and marks U+200B-200F, bidi U+061C,
                          202A-202E, 2066-2069, BOM U+FEFF, every other format character (Cf) and
                          control (Cc) that is no space, variation selectors, fillers U+034F, 115F,
                          1160, 17B4, 17B5, 180B-180F, keycap and other marks on symbols U+20D0-20FF:
                          dropped. ZWNJ is dropped like the rest: ``می‌خواهم`` equals ``میخواهم``
spaces                    every white space, and U+0085, 2028, 2029: one U+0020 between words
------------------------  -----------------------------------------------------------------------
digits                    every decimal digit (Nd) → 0-9; U+066B ٫ → ``.``, U+066C ٬ → ``,``,
                          U+066A ٪ → ``%``, U+0609 → ‰, U+060A → ‱
case                      full case folding; Turkish U+0130 İ and U+0131 ı → i (with I → i, so that
                          all four agree); a combining dot above after i (U+0307) is dropped
punctuation               commas, stops, semicolons, question marks, quotes, dashes, slashes and
                          brackets of other scripts to their ASCII counterparts (:data:`PUNCTUATION`)
points                    Hebrew vowels and accents U+0591-05BD, 05BF, 05C1, 05C2, 05C4, 05C5, 05C7,
                          which a writer may leave out; the Armenian intonation signs U+055B, 055C,
                          055E, which stand inside a word: dropped
one letter, two codes     Malayalam chillus U+0D7A-0D7F and Bengali U+09CE: consonant and virama;
                          Yiddish U+05F0-05F2: two letters; Romanian U+0219 ș, 021B ț → ş, ţ
========================  =======================================================================

The profile ``none`` has the rules above the line and full case folding alone.
"""

from __future__ import annotations

import unicodedata

from muffakir_eval.text.profiles import Profile, codes, inverted

__all__ = ["INVISIBLE", "POINTS", "PUNCTUATION", "TWO_CODES", "fold_character"]

INVISIBLE = codes(
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x20D0, 0x20FF),
    (0xFE00, 0xFE0F),
    (0xE0000, 0xE0FFF),
)
"""Dropped, besides every format and control character."""

POINTS = codes(
    (0x055B, 0x055C),
    (0x055E, 0x055E),
    (0x0591, 0x05BD),
    (0x05BF, 0x05BF),
    (0x05C1, 0x05C2),
    (0x05C4, 0x05C5),
    (0x05C7, 0x05C7),
)
"""Signs on Hebrew and Armenian letters that do not make another word."""

PUNCTUATION = inverted(
    {
        ",": "،\u066c",
        # they list, and never group digits
        ", ": "、\u055d\u07f8\u1363\u1802\u1808\u104a\u2e32\u2e34\u2e41\u2e49\ua4fe\ua60d\ua6f5",
        ".": "\u066b۔。।॥\u0589\u0701\u0702\u1362\u1368\u166e\u0f0d\u0f0e\u104b\u17d4\u17d5\u1803\u1809\ua4ff\ua60e"
        "\ua6f3\u2cfe\u2e3c\U00010ed0",
        ":": "\u05c3\u0703\u0704\u1365\u1366\u1804\u2236\ua6f4",
        ";": "؛\u204f\u1364\u2e35\ua6f6",
        "?": "؟\u1367\u1945\u2e2e\ua60f\ua6f7",
        "!": "\u07f9\u1944",
        "%": "٪",
        "\u2030": "\u0609",
        "\u2031": "\u060a",
        "*": "\u066d",
        "'": "\u2018\u2019\u201a\u201b\u2032\u2035\u2039\u203a\u02b9\u02bb\u02bc\u02be\u02bf\u02c8\u055a"
        "\u05f3\u0060\ua78c",
        '"': "\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\u05f4\u300a\u300b\u3008\u3009\u301d\u301e\u301f"
        "「」『』\u2e42",
        "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\u2e3a\u2e3b\u2e40\u058a\u05be\u1400\u1806",
        "/": "\u2044\u2215\u060d",
        "~": "\u223c\u301c\u3030",
        "\u00b7": "\u2027\u2219\u22c5\u30fb",
        "(": "\ufd3f",
        ")": "\ufd3e",
        "[": "\u3010\u3014\u3016\u3018\u301a\u2045",
        "]": "\u3011\u3015\u3017\u3019\u301b\u2046",
        " ": "\u1361",
    }
)
"""Punctuation of other scripts and fonts, as left over by NFKC, to ASCII."""

TWO_CODES = {
    0x0D7A: "\u0d23\u0d4d",
    0x0D7B: "\u0d28\u0d4d",
    0x0D7C: "\u0d30\u0d4d",
    0x0D7D: "\u0d32\u0d4d",
    0x0D7E: "\u0d33\u0d4d",
    0x0D7F: "\u0d15\u0d4d",
    0x09CE: "\u09a4\u09cd",
    0x05F0: "\u05d5\u05d5",
    0x05F1: "\u05d5\u05d9",
    0x05F2: "\u05d9\u05d9",
    0x0219: "\u015f",
    0x021B: "\u0163",
    0x0130: "i",
    0x0131: "i",
}
"""A letter that is written with either of two codes, to one of them."""


def fold_character(code: int, profile: Profile) -> str:
    """What the character with this code point becomes, after NFKC and case folding.

    >>> from muffakir_eval.text.profiles import ARABIC, NONE
    >>> fold_character(ord("أ"), ARABIC), fold_character(ord("٣"), ARABIC), fold_character(0x064E, ARABIC)
    ('ا', '3', '')
    >>> fold_character(ord("أ"), NONE)
    'أ'
    """
    if code in profile.dropped or code in INVISIBLE:
        return ""
    if code in profile.letters:
        return profile.letters[code]
    if profile.signs:
        sign = _fold_sign(code)
        if sign is not None:
            return sign
    char = chr(code)
    if char.isspace():
        return " "
    return "" if unicodedata.category(char) in {"Cf", "Cc"} else char


def _fold_sign(code: int) -> str | None:
    """What a digit, point, punctuation mark or double spelling becomes; ``None`` for anything else."""
    if code in POINTS:
        return ""
    folded = PUNCTUATION.get(code) or TWO_CODES.get(code)
    if folded is None and unicodedata.category(chr(code)) == "Nd":
        return str(unicodedata.decimal(chr(code)))
    return folded
