"""What each finding says, what to do about it, and how severe it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from muffakir_eval.audit.records import Finding, FindingExample, Severity

__all__ = ["NOTABLE", "RULES", "WORDING", "Extent", "counted", "finding", "percent", "severity_of"]

NOTABLE = 0.001
"""Share of ruined chunks from which the index counts as broken: one in a thousand."""

FREQUENT = 0.01
"""Share of chunks from which a fault that only costs quality is a warning."""

Rule = Literal["error", "ruined", "warning", "frequent", "unbalanced", "info"]

RULES: dict[str, Rule] = {
    "empty_chunk": "ruined",
    "mojibake": "ruined",
    "replacement_character": "ruined",
    "presentation_forms": "ruined",
    "reversed_text": "ruined",
    "letters_apart": "ruined",
    "lone_surrogate": "error",
    "duplicate_id": "error",
    "tiny_chunk": "warning",
    "missing_spaces": "frequent",
    "unmapped_glyphs": "warning",
    "swapped_lam_alef": "frequent",
    "control_characters": "warning",
    "cut_word": "warning",
    "reversed_digits": "warning",
    "id_in_several_sources": "warning",
    "padded_id": "warning",
    "id_precision": "warning",
    "bidi_controls": "unbalanced",
    "mixed_code_points": "frequent",
    "tatweel": "frequent",
    "invisible_characters": "frequent",
    "unicode_not_nfc": "frequent",
    "html_remains": "frequent",
    "exact_duplicate": "frequent",
    "same_after_normalisation": "frequent",
    "near_duplicate": "frequent",
}
"""How severe a finding is; what is not listed is worth knowing (``info``).

===============  ===========================================================================================
``error``        always an error
``ruined``       an error from :data:`NOTABLE` of the chunks on, counting those in which the fault touches a
                 twentieth of the letters or more; a warning below
``warning``      always a warning
``frequent``     a warning from :data:`FREQUENT` of the chunks on; below worth knowing
``unbalanced``   a warning where controls lack their counterpart; else worth knowing
===============  ===========================================================================================
"""


@dataclass(frozen=True, slots=True)
class Words:
    """The text of a finding: what it is, and the remedy."""

    what: str
    remedy: str


WORDING: dict[str, Words] = {
    "empty_chunk": Words("hold nothing that can be seen", "drop them before indexing, and look at what cut them"),
    "tiny_chunk": Words(
        "have hardly any words",
        "join titles and single lines to the text they belong to, or set a minimum length in the splitter",
    ),
    "oversized_chunk": Words(
        "are far longer than the rest", "split them: an embedding model cuts off what goes beyond its window"
    ),
    "exact_duplicate": Words(
        "repeat the text of an earlier chunk", "index each text once; copies take ranks from other evidence"
    ),
    "same_after_normalisation": Words(
        "have the words of an earlier chunk in another spelling", "normalise before removing duplicates"
    ),
    "near_duplicate": Words(
        "are nearly the same as an earlier chunk", "keep one version of each document, or remove near duplicates"
    ),
    "boilerplate_line": Words(
        "begin or end with a line that many others share", "strip running headers and footers before splitting"
    ),
    "cut_word": Words(
        "begin or end inside a word", "split at spaces or sentences, not after a fixed number of characters"
    ),
    "cut_sentence": Words("end inside a sentence", "split at the end of sentences, or let chunks overlap"),
    "mojibake": Words(
        "were read in the wrong encoding", "read the files again in their own encoding, and index them anew"
    ),
    "replacement_character": Words(
        "have lost characters to a wrong encoding", "the text cannot be repaired: read the source again in its encoding"
    ),
    "presentation_forms": Words(
        "are spelled with presentation forms instead of letters",
        "normalise with NFKC before indexing; to a search they are other words",
    ),
    "reversed_text": Words(
        "are stored in visual order, each word backwards", "extract again with a reader that restores logical order"
    ),
    "letters_apart": Words("have spaces between the letters of words", "extract again with another PDF reader, or OCR"),
    "missing_spaces": Words("have words that run together", "extract again with another PDF reader, or OCR"),
    "unmapped_glyphs": Words(
        "hold glyphs without a letter: (cid:…), private use, foreign letters inside Arabic words",
        "the font has no character map: extract with another reader, or OCR these pages",
    ),
    "swapped_lam_alef": Words(
        "have لا turned into ال, as in األول for الأول", "extract again with a reader that keeps the order of ligatures"
    ),
    "reversed_digits": Words(
        "have the digits of their numbers reversed, as in 5002 for 2005",
        "extract again with a reader that keeps numbers from left to right",
    ),
    "mixed_code_points": Words(
        "write kaf or yeh with the letters of another keyboard",
        "fold ک ی to ك ي (in Arabic; the other way in Persian and Urdu) in the index and in questions",
    ),
    "tatweel": Words("have words stretched with tatweel (U+0640)", "remove U+0640 before indexing"),
    "bidi_controls": Words(
        "hold bidirectional control characters", "remove U+061C, 200E, 200F, 202A-202E and 2066-2069 before indexing"
    ),
    "invisible_characters": Words(
        "hold characters that cannot be seen", "remove U+00AD, 200B, 2060 and FEFF before indexing"
    ),
    "control_characters": Words("hold control characters", "remove them; some databases refuse NUL"),
    "lone_surrogate": Words(
        "hold half a character, which UTF-8 cannot encode", "read the source again: an escaped character was cut in two"
    ),
    "unicode_not_nfc": Words("spell letters in two parts", "normalise with NFC before indexing"),
    "html_remains": Words("hold tags or entities of HTML", "strip the markup and decode entities before splitting"),
    "digits_mixed": Words(
        "use other digits than most of the corpus", "fold digits to one kind if the retriever compares words"
    ),
    "diacritics_mixed": Words(
        "differ from the rest in being written with or without vowel signs",
        "remove vowel signs before indexing if the retriever compares words or was not trained on them",
    ),
    "language_mix": Words(
        "are mainly in another script than the rest", "make sure that the retriever knows each language"
    ),
    "missing_id": Words("have no identifier", "give each chunk a stable identifier; gold ids can match nothing here"),
    "duplicate_id": Words(
        "stand for several chunks of one document", "make identifiers unique, for instance document and number"
    ),
    "id_in_several_sources": Words(
        "occur in several documents", "put the document into the identifier, or name the source of each gold"
    ),
    "padded_id": Words(
        "differ from another only in leading zeros, letter case or spaces", "write identifiers as text in one form"
    ),
    "id_precision": Words(
        "look as if a spreadsheet had cut their digits", "export identifiers as text: a spreadsheet keeps 15 digits"
    ),
}


def counted(count: int, noun: str) -> str:
    """How many of a thing.

    >>> counted(1, "text"), counted(1200, "text")
    ('1 text', '1,200 texts')
    """
    return f"{count:,} {noun}{'s' if count != 1 else ''}"


def percent(count: int, total: int) -> str:
    """A share for people.

    >>> percent(1, 3), percent(1, 100_000), percent(0, 0)
    ('33.3 %', '0.001 %', '0 %')
    """
    if not count or not total:
        return "0 %"
    share = 100 * count / total
    return f"{share:.{max(1, -math.floor(math.log10(share)))}f} %"


@dataclass(frozen=True, slots=True)
class Extent:
    """How far a fault reaches.

    Attributes:
        count: What has it.
        total: Of how many.
        ruined: How many of these it ruins.
        unit: What is counted, ``chunks`` or ``ids``.
    """

    count: int
    total: int
    ruined: int = 0
    unit: Literal["chunks", "ids"] = "chunks"


def severity_of(code: str, extent: Extent) -> Severity:
    """How severe a finding is; see :data:`RULES`.

    >>> severity_of("mojibake", Extent(3, 1000, ruined=3)), severity_of("mojibake", Extent(3, 1_000_000, ruined=3))
    ('error', 'warning')
    """
    rule = RULES.get(code, "info")
    if rule == "ruined":
        return "error" if extent.ruined and extent.ruined >= NOTABLE * extent.total else "warning"
    if rule == "frequent":
        return "warning" if extent.count >= FREQUENT * extent.total else "info"
    if rule == "unbalanced":
        return "warning" if extent.ruined else "info"
    return rule


def finding(
    code: str,
    extent: Extent,
    examples: Sequence[FindingExample],
    more: str = "",
    severity: Severity | None = None,
) -> Finding:
    """A finding with its words and figures.

    Args:
        code: Its name.
        extent: How far it reaches.
        examples: Chunks that have it; the first five are kept.
        more: Further figures.
        severity: Where the rule of the code does not decide.
    """
    words, count, total = WORDING[code], extent.count, extent.total
    message = f"{count:,} of {counted(total, extent.unit.removesuffix('s'))} ({percent(count, total)}) {words.what}"
    return Finding(
        code=code,
        severity=severity or severity_of(code, extent),
        count=count,
        total=total,
        unit=extent.unit,
        message=f"{message}: {more}" if more else message,
        remedy=words.remedy,
        examples=tuple(examples[:5]),
    )
