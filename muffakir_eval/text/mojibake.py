r"""Text that was written in one encoding and read in another, found by reading it again.

===========================  ==============================  =========================
written as → read as         the word العربية becomes         how it is told
===========================  ==============================  =========================
UTF-8 → cp1252 or Latin-1    ``Ø§Ù„Ø¹Ø±Ø¨ÙŠØ©``              its bytes are valid UTF-8
the same, twice              ``Ã˜Â§Ã™â€žÃ˜Â¹…``              again after one repair
UTF-8 → cp1256               ``ط§ظ„ط¹ط±ط¨ظٹط©``              its bytes are valid UTF-8
cp1256 → cp1252 or Latin-1   ``ÇáÚÑÈíÉ``                     words without a plain Latin letter that are
                                                             Arabic words in cp1256
===========================  ==============================  =========================

Only what reads well afterwards counts. Accents of French, German or Portuguese, and Arabic with Latin
words in it, are left alone.
"""

from __future__ import annotations

import re
from functools import cache

__all__ = ["garbled_spans", "repair_mojibake"]

_HIGH_1252 = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
_HIGH_1256 = "€پ‚ƒ„…†‡ˆ‰ٹ‹Œچژڈگک‘’“”•–—™ڑ›œ\u200c\u200dں\u00a0،¢£¤¥¦§¨©ھ«¬\u00ad®¯°±²³´µ¶·¸¹؛»¼½¾؟"

_REST = f"[\u0080-\u00bf{_HIGH_1252}]"
_UTF8_IN_1252 = re.compile(f"(?:[\u00c2-\u00df]{_REST}|[\u00e0-\u00ef]{_REST}{{2}}|[\u00f0-\u00f4]{_REST}{{3}})+")
_UTF8_IN_1256 = re.compile(f"(?:[طظعغ][{_HIGH_1256}]){{2,}}")
_1256_IN_1252 = re.compile(
    r"(?<![A-Za-z\u00c0-\u00ff])[ŒœŽžŠšŸ\u00c0-\u00d6\u00d8-\u00ff]{3,}(?![A-Za-z\u00c0-\u00ff])"
)

_ENOUGH_PAIRS = 3
"""Pairs of ``ط``, ``ظ``, ``ع`` or ``غ`` and a sign that make a text garbled: one may be a word and its comma."""
_ENOUGH_LETTERS = 6
"""Letters in words of accented letters alone that make a text garbled."""
_ROUNDS = 3

Span = tuple[int, int, str]


@cache
def _bytes_of(codec: str) -> dict[str, int]:
    """Character to its byte; what the code page leaves open stands for itself, as in Latin-1."""
    table = {chr(byte): byte for byte in range(256)}
    for byte in range(0x80, 0x100):
        try:
            table[bytes([byte]).decode(codec)] = byte
        except UnicodeDecodeError:
            continue
    return table


def _read_again(text: str, codec: str, true_codec: str) -> str | None:
    table = _bytes_of(codec)
    try:
        return bytes([table[char] for char in text]).decode(true_codec)
    except (KeyError, UnicodeDecodeError):
        return None


def garbled_spans(text: str) -> list[Span]:
    r"""Where ``text`` was read in the wrong encoding: first character, the one after the last, true reading.

    >>> garbled_spans("رقم Ø§Ù„Ø¹Ù‚Ø¯ هنا")
    [(4, 14, 'العقد')]
    >>> garbled_spans("café, Größe, IRMÃO"), garbled_spans("خط، وحظ؛")
    ([], [])
    """
    return _utf8_in_1252(text) or _utf8_in_1256(text) or _1256_in_1252(text)


def _utf8_in_1252(text: str) -> list[Span]:
    spans = []
    certain = 0
    for match in _UTF8_IN_1252.finditer(text):
        read = _read_again(match[0], "cp1252", "utf-8")
        if read is None:
            continue
        spans.append((match.start(), match.end(), read))
        # a lone sign (``Â°``) may have been meant; a letter, or three bytes for one sign, hardly
        certain += sum(2 if char.isalpha() or char > "\u07ff" else 1 for char in read)
    return spans if certain > 1 else []


def _utf8_in_1256(text: str) -> list[Span]:
    spans = []
    pairs = 0
    for match in _UTF8_IN_1256.finditer(text):
        read = _read_again(match[0], "cp1256", "utf-8")
        if read is not None and any("\u0621" <= char <= "\u06d3" for char in read):
            spans.append((match.start(), match.end(), read))
            pairs += len(read)
    return spans if pairs >= _ENOUGH_PAIRS else []


def _1256_in_1252(text: str) -> list[Span]:
    spans = []
    letters = 0
    for match in _1256_IN_1252.finditer(text):
        read = _read_again(match[0], "cp1252", "cp1256")
        if read is not None and all("\u0621" <= char <= "\u06d3" for char in read):
            spans.append((match.start(), match.end(), read))
            letters += len(read)
    return spans if letters >= _ENOUGH_LETTERS else []


def repair_mojibake(text: str) -> str:
    """``text`` as it should read; the same text where nothing is garbled.

    Read wrongly twice, it is repaired twice.

    >>> repair_mojibake("Ø§Ù„Ø³Ù„Ø§Ù… at line 42")
    'السلام at line 42'
    >>> repair_mojibake("ط§ظ„ط¹ط±ط¨ظٹط©"), repair_mojibake("ãÑÍÈÇ ÈÇáÚÇáã"), repair_mojibake("itâ€™s")
    ('العربية', 'مرحبا بالعالم', 'it’s')
    """
    for _ in range(_ROUNDS):
        spans = garbled_spans(text)
        if not spans:
            break
        pieces, last = [], 0
        for start, end, read in spans:
            pieces += [text[last:start], read]
            last = end
        text = "".join([*pieces, text[last:]])
    return text
