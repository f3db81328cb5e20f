"""Faults that one chunk shows by itself: who may have each, and a look at those.

Each check has a *gate*, which counts for a whole batch, and a *look*, which reads the text of a chunk that
passed the gate.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from muffakir_eval.audit.health.batches import Batch
from muffakir_eval.audit.health.characters import FORMS, Kind
from muffakir_eval.text.mojibake import garbled_spans, repair_mojibake
from muffakir_eval.text.visual_order import order_evidence, visual_to_logical

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["CHECKS", "RUINED_SHARE", "Check", "Fault", "excerpt"]

RUINED_SHARE = 0.05
"""Share of a chunk's letters that a fault must touch for the chunk to be lost to retrieval."""

_EXCERPT = 160
_REVERSED_WITHIN = 4000

_ARABIC = (
    "\u0620-\u063f\u0641-\u064a\u066e-\u066f\u0671-\u06d3\u06d5\u06fa-\u06fc\ufb50-\ufbb1\ufbd3-\ufd3d\ufe70-\ufefc"
)
_MARKS = "\u064b-\u0655\u0670"
_FORM = re.compile("[\ufb50-\ufbb1\ufbd3-\ufd3d\ufd50-\ufdc7\ufe70-\ufefc]")
_QUESTION_WORD = re.compile(r"(?<!\S)\?{2,}(?![^\s.,،؛:])")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_INVISIBLE = re.compile("[\u00ad\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb]")
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_TATWEEL = re.compile(f"[{_ARABIC}][{_MARKS}]*\u0640+[{_ARABIC}]")
_APART = re.compile(f"(?<![{_ARABIC}{_MARKS}])(?:[{_ARABIC}] ){{5,}}[{_ARABIC}](?![{_ARABIC}{_MARKS}])")
_LONG_ARABIC = re.compile(f"[{_ARABIC}{_MARKS}\u0640]{{26,}}")
_LONG_LATIN = re.compile("[A-Za-z]{45,}")
_HTML = re.compile(
    r"</?(?:p|br|hr|div|span|a|b|i|u|em|strong|font|center|table|thead|tbody|tr|td|th|ul|ol|li|h[1-6]|img|script"
    r"|style|sup|sub|blockquote|iframe|input|form|section|article|html|body|head|meta|link)"
    r"(?:\s[^<>]{0,300})?/?>|&(?:nbsp|amp|quot|apos|lt|gt|laquo|raquo|ldquo|rdquo|rlm|lrm|zwnj|[mn]dash|hellip"
    r"|copy|reg|deg|#\d{2,6}|#x[0-9a-f]{2,5});",
    re.IGNORECASE,
)
_DECOMPOSED = re.compile("\\w[\u0300-\u034e\u0350-\u036f\u0653-\u0655\u3099\u309a]{1,4}")
_SWAPPED = re.compile(f"(?<![{_ARABIC}{_MARKS}\u0640])[وفبك]?ا(?:[أإآ]ل|ال)[{_ARABIC}]{{2}}")
_WORD = re.compile(f"[{_ARABIC}{_MARKS}\u0640]{{2,}}")
_OF_ANOTHER_LANGUAGE = re.compile("[\u066e\u066f\u0672-\u06a8\u06aa-\u06cb\u06cd-\u06d3\u06d5]")
"""Letters that neither Arabic has nor a Persian keyboard puts in its place."""
_FOREIGN = "\u0370-\u03ff\u0400-\u052f\u0531-\u0587\u05d0-\u05ea\u0900-\u0dff\u10a0-\u10ff"
_GLYPHS = re.compile(
    f"\\(cid:\\d{{1,6}}\\)|[\ue000-\uf8ff\U000f0000-\U0010fffd]|[{_ARABIC}][{_FOREIGN}]{{1,40}}|[{_FOREIGN}]{{1,40}}[{_ARABIC}]"
)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong in one chunk.

    Attributes:
        at: The character where it is seen first.
        share: Share of the chunk's letters that it touches; 1 where it touches them all.
        detail: What it is, for people.
    """

    at: int
    share: float
    detail: str


Look = Callable[[str, int], Fault | None]
Gate = Callable[[Batch], "NDArray[np.bool_]"]


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    Attributes:
        code: Name of its finding.
        gate: Which chunks of a batch may have the fault.
        look: Reads a chunk, given the number of its letters.
    """

    code: str
    gate: Gate
    look: Look


def excerpt(text: str, at: int, width: int = _EXCERPT) -> str:
    """At most ``width`` characters of ``text`` around one of them.

    >>> excerpt("abcdefghij", 8, width=4)
    'ghij'
    """
    start = max(0, min(at - width // 4, len(text) - width))
    return text[start : start + width]


def _counted(pattern: re.Pattern[str], what: str) -> Look:
    """A look that counts what a pattern finds."""

    def look(text: str, letters: int) -> Fault | None:
        found = pattern.search(text)
        if found is None:
            return None
        touched = count = 0
        for match in pattern.finditer(text):
            count += 1
            touched += len(match[0])
        return Fault(found.start(), touched / max(letters, touched), f"{what}: {count}")

    return look


def _mojibake(text: str, letters: int) -> Fault | None:
    spans = garbled_spans(text)
    if not spans:
        return None
    start = spans[0][0]
    # a repair that begins inside a span would read half a letter
    around = text[max(0, start - _EXCERPT // 4) : min(len(text), start + _EXCERPT)]
    touched = sum(last - first for first, last, _ in spans)
    return Fault(start, touched / max(letters, touched), f"should read: {repair_mojibake(around)[:_EXCERPT]}")


def _replaced(text: str, letters: int) -> Fault | None:
    count = text.count("\ufffd")
    if count:
        return Fault(text.index("\ufffd"), count / (letters + count), f"{count} × U+FFFD")
    words = list(_QUESTION_WORD.finditer(text))
    if len(words) < 3:
        return None
    touched = sum(len(word[0]) for word in words)
    return Fault(words[0].start(), touched / (letters + touched), f"{len(words)} words of question marks alone")


def _forms(text: str, letters: int) -> Fault | None:
    forms = _FORM.findall(text)
    if not forms:
        return None
    at = text.index(forms[0])
    plain = unicodedata.normalize("NFKC", text[at : at + 40])
    return Fault(
        at, len(forms) / max(letters, len(forms)), f"presentation forms: {len(forms)}; in plain letters: {plain}"
    )


def _reversed(text: str, _letters: int) -> Fault | None:
    text = text[:_REVERSED_WITHIN]
    evidence = order_evidence(text)
    if not evidence.reversed:
        return None
    lines = (line for line in text.splitlines() if any("\u0620" <= char <= "\ufefc" for char in line))
    line = next(lines, text)
    at = text.index(line)
    return Fault(at, 1.0, f"should read: {visual_to_logical(line[:_EXCERPT])}")


def _bidi(text: str, _letters: int) -> Fault | None:
    found = _BIDI.search(text)
    if found is None:
        return None
    opened: list[str] = []
    stray = 0
    controls = _BIDI.findall(text)
    for char in controls:
        if char in "\u202a\u202b\u202d\u202e":
            opened.append("\u202c")
        elif char in "\u2066\u2067\u2068":
            opened.append("\u2069")
        elif char in "\u202c\u2069":
            if opened and opened[-1] == char:
                opened.pop()
            else:
                stray += 1
    stray += len(opened)
    balance = f", {stray} of them without their counterpart" if stray else ""
    # the share is what tells the two severities apart: 1 for unbalanced
    return Fault(found.start(), float(stray > 0), f"bidirectional controls: {len(controls)}{balance}")


def _decomposed(text: str, letters: int) -> Fault | None:
    found = [m for m in _DECOMPOSED.finditer(text) if len(unicodedata.normalize("NFC", m[0])) < len(m[0])]
    if not found:
        return None
    composed = unicodedata.normalize("NFC", found[0][0])
    return Fault(
        found[0].start(), len(found) / max(letters, 1), f"letters in two parts: {len(found)}, first {composed}"
    )


def _surrogate(text: str, _letters: int) -> Fault | None:
    places = [place for place, char in enumerate(text) if "\ud800" <= char <= "\udfff"]
    return Fault(places[0], 1.0, f"halves of a character: {len(places)}") if places else None


def _glyphs(text: str, letters: int) -> Fault | None:
    return _counted(_GLYPHS, "glyphs that stand for no letter of the text")(text, letters)


def _missing_spaces(text: str, letters: int) -> Fault | None:
    found = _LONG_ARABIC.search(text) or _LONG_LATIN.search(text)
    if found is None:
        return None
    return Fault(found.start(), len(found[0]) / max(letters, 1), f"a word of {len(found[0])} letters")


def _mixed_keys(text: str, _letters: int) -> Fault | None:
    """Words with the letters of the keyboard that is used less; words of another language do not count."""
    plain = _FORM.sub(lambda form: unicodedata.normalize("NFKC", form[0]), text)
    persian = plain.count("ک") + plain.count("ی")
    arabic = plain.count("ك") + plain.count("ي")
    fewer = frozenset("کی" if persian <= arabic else "كي")
    words = [
        word for word in _WORD.findall(plain) if not fewer.isdisjoint(word) and not _OF_ANOTHER_LANGUAGE.search(word)
    ]
    if not words:
        return None
    at = max(0, text.find(words[0]))
    counts = f"{persian} × ک ی (U+06A9, U+06CC) beside {arabic} × ك ي (U+0643, U+064A)"
    return Fault(at, 0.0, f"{counts}, first in {words[0]}")


def _any(*kinds: Kind) -> Gate:
    return lambda batch: batch.of(*kinds) > 0


def _may_be_mojibake(batch: Batch) -> NDArray[np.bool_]:
    read_as_1256 = (batch.of(Kind.TAH) > 2) & (batch.of(Kind.SIGNS_1252) > 1)
    return (batch.of(Kind.LATIN_ACCENTED) > 0) | read_as_1256


def _may_be_replaced(batch: Batch) -> NDArray[np.bool_]:
    return (batch.of(Kind.REPLACEMENT) > 0) | (batch.of(Kind.QUESTION) > 5)


def _may_be_reversed(batch: Batch) -> NDArray[np.bool_]:
    forms = batch.of(*FORMS) * 10 > batch.arabic
    backwards = 2 * batch.teh_first + batch.articles_last
    plain = (backwards > batch.articles) | ((batch.articles == 0) & (batch.arabic > 5))
    mostly = 2 * batch.arabic > batch.letters
    may: NDArray[np.bool_] = (batch.arabic > 3) & mostly & (forms | plain)
    return may


def _may_be_apart(batch: Batch) -> NDArray[np.bool_]:
    return batch.singles > 5


def _may_lack_spaces(batch: Batch) -> NDArray[np.bool_]:
    gaps = batch.of(Kind.SPACE, Kind.NEWLINE) + 1
    return (batch.longest > 25) | ((batch.of(Kind.LATIN) > 44) & (batch.of(Kind.LATIN) > 12 * gaps))


def _may_have_glyphs(batch: Batch) -> NDArray[np.bool_]:
    foreign = batch.of(Kind.CYRILLIC, Kind.GREEK, Kind.HEBREW, Kind.INDIC, Kind.OTHER_LETTERS)
    return (batch.of(Kind.PRIVATE) > 0) | ((batch.arabic > 0) & (foreign > 0))


def _mixes_keys(batch: Batch) -> NDArray[np.bool_]:
    persian = batch.of(Kind.PERSIAN_KEYS, Kind.FORMS_PERSIAN_KEYS)
    return (persian > 0) & (batch.of(Kind.ARABIC_KEYS, Kind.FORMS_ARABIC_KEYS) > 0)


CHECKS: tuple[Check, ...] = (
    Check("mojibake", _may_be_mojibake, _mojibake),
    Check("replacement_character", _may_be_replaced, _replaced),
    Check("presentation_forms", _any(*FORMS), _forms),
    Check("reversed_text", _may_be_reversed, _reversed),
    Check("letters_apart", _may_be_apart, _counted(_APART, "rows of letters with spaces between them")),
    Check("missing_spaces", _may_lack_spaces, _missing_spaces),
    Check("unmapped_glyphs", _may_have_glyphs, _glyphs),
    Check("mixed_code_points", _mixes_keys, _mixed_keys),
    Check("tatweel", _any(Kind.TATWEEL), _counted(_TATWEEL, "stretched words")),
    Check("bidi_controls", _any(Kind.BIDI_MARKS, Kind.BIDI_EMBEDDINGS, Kind.BIDI_ISOLATES), _bidi),
    Check("invisible_characters", _any(Kind.INVISIBLE), _counted(_INVISIBLE, "invisible characters")),
    Check("control_characters", _any(Kind.CONTROL), _counted(_CONTROL, "control characters")),
    Check("lone_surrogate", _any(Kind.SURROGATE), _surrogate),
    Check("unicode_not_nfc", _any(Kind.COMBINING), _decomposed),
    Check("html_remains", _any(Kind.ANGLE, Kind.AMPERSAND), _counted(_HTML, "tags and entities")),
)
"""The checks whose gate needs counts alone."""

TEXT_CHECKS: tuple[tuple[str, Callable[[str], bool], Look], ...] = (
    (
        "swapped_lam_alef",
        lambda text: "األ" in text or "اإل" in text or "اال" in text or "اآل" in text,
        _counted(_SWAPPED, "words with لا turned into ال"),
    ),
    ("unmapped_glyphs", lambda text: "(cid:" in text, _glyphs),
)
"""Checks whose gate is a search in the text."""
