"""Which kind each character is: what most checks look at first, for a whole batch at once.

Every character has exactly one kind. The number of characters of each kind says at once that a chunk has
none of a fault, so that only the few that may have it are looked at one by one.
"""

from __future__ import annotations

import functools
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ARABIC", "FORMS", "LETTERS", "SCRIPTS", "Kind", "kind_counts", "kinds_of"]


class Kind(IntEnum):
    """One kind of character."""

    OTHER = 0
    ARABIC = 1  # letters that no other kind names
    TEH_MARBUTA = 2  # ة
    ARABIC_KEYS = 3  # ك ي: as an Arabic keyboard types them
    PERSIAN_KEYS = 4  # ک ی: as a Persian or Urdu keyboard does
    NEIGHBOURS = 5  # پ چ ژ گ ٹ ڈ ڑ ں ہ ے: letters that Arabic does not have
    TAH = 6  # ط ظ ع غ
    FORMS = 7  # presentation forms
    FORMS_TEH_MARBUTA = 8
    FORMS_ARABIC_KEYS = 9
    FORMS_PERSIAN_KEYS = 10
    LIGATURES = 11  # signs that exist only as presentation forms: ﷺ ﷲ ﴾ ﴿
    VOWELS = 12  # U+064B-0652 and the dagger alef
    ARABIC_MARKS = 13  # the other Arabic marks
    TATWEEL = 14
    LATIN = 15  # A-Z a-z
    LATIN_ACCENTED = 16
    HAN = 17
    KANA = 18
    HANGUL = 19
    CYRILLIC = 20
    GREEK = 21
    HEBREW = 22
    INDIC = 23
    SOUTHEAST_ASIAN = 24  # Thai, Lao, Burmese, Khmer, Tibetan
    OTHER_LETTERS = 25  # Armenian, Georgian, Ethiopic, …
    DIGITS = 26  # 0-9
    ARABIC_DIGITS = 27  # ٠-٩
    PERSIAN_DIGITS = 28  # ۰-۹
    SPACE = 29
    NEWLINE = 30
    SIGNS_1252 = 31  # what bytes 80-BF are in cp1252 and cp1256, but for quotes, dashes and spaces
    COMBINING = 32  # accents and hamzas that may be part of one character
    INVISIBLE = 33
    CONTROL = 34
    BIDI_MARKS = 35
    BIDI_EMBEDDINGS = 36
    BIDI_ISOLATES = 37
    SURROGATE = 38
    REPLACEMENT = 39
    PRIVATE = 40
    QUESTION = 41
    ANGLE = 42  # <
    AMPERSAND = 43


FORMS = (Kind.FORMS, Kind.FORMS_TEH_MARBUTA, Kind.FORMS_ARABIC_KEYS, Kind.FORMS_PERSIAN_KEYS)
ARABIC = (
    *(Kind.ARABIC, Kind.TEH_MARBUTA, Kind.ARABIC_KEYS, Kind.PERSIAN_KEYS, Kind.NEIGHBOURS, Kind.TAH),
    *FORMS,
)
SCRIPTS: dict[str, tuple[Kind, ...]] = {
    "arabic": ARABIC,
    "latin": (Kind.LATIN, Kind.LATIN_ACCENTED),
    "han": (Kind.HAN,),
    "kana": (Kind.KANA,),
    "hangul": (Kind.HANGUL,),
    "cyrillic": (Kind.CYRILLIC,),
    "greek": (Kind.GREEK,),
    "hebrew": (Kind.HEBREW,),
    "indic": (Kind.INDIC,),
    "southeast_asian": (Kind.SOUTHEAST_ASIAN,),
    "other": (Kind.OTHER_LETTERS,),
}
LETTERS = tuple(kind for kinds in SCRIPTS.values() for kind in kinds)

_BLOCKS: tuple[tuple[Kind, tuple[tuple[int, int], ...]], ...] = (
    (Kind.CONTROL, ((0x00, 0x08), (0x0E, 0x1F), (0x7F, 0x84), (0x86, 0x9F))),
    (Kind.SPACE, ((0x09, 0x09), (0x0B, 0x0C), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A))),
    (Kind.SPACE, ((0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000))),
    (Kind.NEWLINE, ((0x0A, 0x0A), (0x0D, 0x0D), (0x85, 0x85), (0x2028, 0x2029))),
    (Kind.SIGNS_1252, ((0xA1, 0xAA), (0xAC, 0xAC), (0xAE, 0xB6), (0xB8, 0xBA), (0xBC, 0xBF))),
    (Kind.DIGITS, ((0x30, 0x39),)),
    (Kind.LATIN, ((0x41, 0x5A), (0x61, 0x7A))),
    (Kind.LATIN_ACCENTED, ((0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x24F), (0x1E00, 0x1EFF))),
    (Kind.OTHER_LETTERS, ((0x250, 0x2AF), (0x531, 0x556), (0x561, 0x587), (0x10A0, 0x10FF), (0x1200, 0x137F))),
    (Kind.OTHER_LETTERS, ((0x700, 0x74F), (0x780, 0x7BF), (0x1800, 0x18AF), (0x1F00, 0x1F00))),
    (Kind.GREEK, ((0x370, 0x373), (0x376, 0x377), (0x37B, 0x37D), (0x386, 0x386), (0x388, 0x3FF), (0x1F00, 0x1FFF))),
    (Kind.CYRILLIC, ((0x400, 0x481), (0x48A, 0x52F), (0x1C80, 0x1C8F), (0xA640, 0xA66E))),
    (Kind.HEBREW, ((0x5D0, 0x5F2),)),
    (Kind.ARABIC, ((0x620, 0x63F), (0x641, 0x64A), (0x66E, 0x66F), (0x671, 0x6D3), (0x6D5, 0x6D5), (0x6EE, 0x6EF))),
    (Kind.ARABIC, ((0x6FA, 0x6FC), (0x6FF, 0x6FF), (0x750, 0x77F), (0x870, 0x887), (0x889, 0x88E), (0x8A0, 0x8C9))),
    (Kind.TAH, ((0x637, 0x63A),)),
    (Kind.TEH_MARBUTA, ((0x629, 0x629),)),
    (Kind.ARABIC_KEYS, ((0x643, 0x643), (0x64A, 0x64A))),
    (Kind.PERSIAN_KEYS, ((0x6A9, 0x6A9), (0x6CC, 0x6CC))),
    (Kind.NEIGHBOURS, ((0x67E, 0x67E), (0x686, 0x686), (0x698, 0x698), (0x6AF, 0x6AF), (0x679, 0x679))),
    (Kind.NEIGHBOURS, ((0x688, 0x688), (0x691, 0x691), (0x6BA, 0x6BA), (0x6C1, 0x6C1), (0x6D2, 0x6D3))),
    (Kind.ARABIC_MARKS, ((0x610, 0x61A), (0x656, 0x65F), (0x6D6, 0x6DC), (0x6DF, 0x6E8), (0x6EA, 0x6ED))),
    (Kind.ARABIC_MARKS, ((0x898, 0x89F), (0x8CA, 0x8FF))),
    (Kind.VOWELS, ((0x64B, 0x652), (0x670, 0x670))),
    (Kind.COMBINING, ((0x300, 0x34E), (0x350, 0x36F), (0x653, 0x655), (0x3099, 0x309A))),
    (Kind.TATWEEL, ((0x640, 0x640),)),
    (Kind.ARABIC_DIGITS, ((0x660, 0x669),)),
    (Kind.PERSIAN_DIGITS, ((0x6F0, 0x6F9),)),
    (
        Kind.INDIC,
        (
            (0x900, 0x963),
            (0x970, 0xDFF),
        ),
    ),
    (Kind.SOUTHEAST_ASIAN, ((0xE00, 0x109F), (0x1780, 0x17DD))),
    (Kind.HANGUL, ((0x1100, 0x11FF), (0x3130, 0x318F), (0xAC00, 0xD7A3))),
    (Kind.KANA, ((0x3041, 0x3096), (0x309D, 0x309F), (0x30A1, 0x30FA), (0x30FC, 0x30FF), (0x31F0, 0x31FF))),
    (Kind.HAN, ((0x3005, 0x3007), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))),
    (Kind.FORMS, ((0xFB50, 0xFBB1), (0xFBD3, 0xFD3D), (0xFD50, 0xFDC7), (0xFE70, 0xFEFC))),
    (Kind.LIGATURES, ((0xFBB2, 0xFBC2), (0xFD3E, 0xFD4F), (0xFDCF, 0xFDCF), (0xFDF0, 0xFDFF))),
    (Kind.FORMS_TEH_MARBUTA, ((0xFE93, 0xFE94),)),
    (Kind.FORMS_ARABIC_KEYS, ((0xFED9, 0xFEDC), (0xFEF1, 0xFEF4))),
    (Kind.FORMS_PERSIAN_KEYS, ((0xFB8E, 0xFB91), (0xFBFC, 0xFBFF))),
    (Kind.INVISIBLE, ((0xAD, 0xAD), (0x180E, 0x180E), (0x200B, 0x200B), (0x2060, 0x2064), (0xFEFF, 0xFEFF))),
    (Kind.INVISIBLE, ((0x206A, 0x206F), (0xFFF9, 0xFFFB))),
    (Kind.BIDI_MARKS, ((0x61C, 0x61C), (0x200E, 0x200F))),
    (Kind.BIDI_EMBEDDINGS, ((0x202A, 0x202E),)),
    (Kind.BIDI_ISOLATES, ((0x2066, 0x2069),)),
    (Kind.SURROGATE, ((0xD800, 0xDFFF),)),
    (Kind.REPLACEMENT, ((0xFFFD, 0xFFFD),)),
    (Kind.PRIVATE, ((0xE000, 0xF8FF), (0xF0000, 0xFFFFD), (0x100000, 0x10FFFD))),
    (Kind.QUESTION, ((0x3F, 0x3F),)),
    (Kind.ANGLE, ((0x3C, 0x3C),)),
    (Kind.AMPERSAND, ((0x26, 0x26),)),
)
_SIGNS_1252 = "€‚ƒ„…†‡ˆ‰‹Œ›œ™¢£"


@functools.cache
def _table() -> NDArray[np.uint8]:
    import numpy as np

    table = np.zeros(0x110000, np.uint8)
    for kind, blocks in _BLOCKS:
        for first, last in blocks:
            table[first : last + 1] = kind
    for char in _SIGNS_1252:
        table[ord(char)] = Kind.SIGNS_1252
    return table


def kinds_of(codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """The kind of each code point."""
    kinds: NDArray[np.uint8] = _table()[codes]
    return kinds


def kind_counts(kinds: NDArray[np.uint8], owners: NDArray[np.int64], n_chunks: int) -> NDArray[np.int64]:
    """How many characters of each kind each chunk has.

    Args:
        kinds: The kind of every character of a batch.
        owners: The chunk of each, from 0, ascending.
        n_chunks: How many chunks there are.

    Returns:
        Chunks × kinds.
    """
    import numpy as np

    width = len(Kind)
    flat = np.bincount(owners * width + kinds, minlength=n_chunks * width)
    return flat.reshape(n_chunks, width)
