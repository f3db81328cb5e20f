"""Where one chunk ends and its neighbour begins: inside a word, inside a sentence, or where it should.

Two neighbours of the same source are looked at together.

* They *overlap*: the one ends as the other begins, and each says what stands beyond the end of the other. A letter
  followed by a letter there is a cut word, whatever the language.
* They *touch*: nothing is repeated. Then a cut can only be inferred, from the last word of the one and the first
  of the other: put together they are a word of this corpus, and far more often than the two would stand side by
  side by chance. That needs the whole corpus and is decided at the end
  (:mod:`muffakir_eval.audit.health.cuts`).

A chunk that begins with a combining mark begins inside a word in any case. Words of Chinese, Japanese, Thai and
their like, which no space separates, are not judged.
"""

from __future__ import annotations

import re
import unicodedata
from enum import IntFlag

__all__ = ["Border", "begins_with_mark", "border"]


class Border(IntFlag):
    """What is known of a chunk and the one before it."""

    NOTHING = 0
    SAME_SOURCE = 1
    OVERLAP = 2
    ENDS_INSIDE_WORD = 4  # the chunk before
    BEGINS_INSIDE_WORD = 8  # this one
    TOUCHING_LETTERS = 16  # no overlap, and letters on both sides
    PROSE = 32  # both are running text
    OPEN_END = 64  # … and the one before ends without the end of a sentence
    MID_SENTENCE = 128  # … and its last word or the first of this one can only stand inside a sentence


# flags are put together as plain numbers: at a million borders the enumeration takes longer than the look
_SAME_SOURCE, _OVERLAP, _TOUCHING_LETTERS = int(Border.SAME_SOURCE), int(Border.OVERLAP), int(Border.TOUCHING_LETTERS)
_ENDS_INSIDE_WORD, _BEGINS_INSIDE_WORD = int(Border.ENDS_INSIDE_WORD), int(Border.BEGINS_INSIDE_WORD)
_PROSE = int(Border.PROSE)
_OPEN = int(Border.PROSE | Border.OPEN_END)
_CERTAINLY_OPEN = int(Border.PROSE | Border.OPEN_END | Border.MID_SENTENCE)

_PROBE = 24
_SHORTEST_OVERLAP = 8
_TRIES = 16
_REACH = 400
_MIN_PROSE = 60
_SENTENCE_END = re.compile("[.!?؟۔。！？।…:؛;][\"'»”’)\\]}\u200f\u200e\\s]*$")
_INNER_END = re.compile("[.!?؟۔।][\"'»”’)\\]]*\\s")
_OPENERS = re.compile("^[\\s\"'«“‘(\\[]*")
_HEADING = re.compile(
    r"^\s*(?:[-*•▪◦●○#>|]|\(?[0-9٠-٩]{1,3}\s*[-.):]|[^\n]{1,60}\n|(?:مادة|المادة|الفصل|الباب|Article|Section)\s)"
)
_IN_A_SENTENCE = (
    "في من على إلى الى عن مع أن إن التي الذي الذين بين حتى منذ عند كما وقد قد ثم أو وفي ومن وعلى لم لن كان كانت",
    "بعد قبل",
    "the of and to in a an for with by from or that which is are was were at on as into than",
    "از در که را به با و میں کے کی کا سے اور",
)
_NEVER_LAST = frozenset(" ".join(_IN_A_SENTENCE).split())
_NEVER_FIRST = "،,؛;:.)]}»؟!%"
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\U00020000-\U000323af]"
)
_TRIM = "\"'«»“”‘’()[]{} \t"


def _in_word(char: str) -> bool:
    """A letter, digit or mark of a script that separates its words."""
    return (char.isalnum() or unicodedata.category(char) == "Mn" or char == "\u0640") and not _SPACELESS.match(char)


def begins_with_mark(text: str) -> bool:
    """The first character is a mark that belongs on the letter before it.

    >>> begins_with_mark("\u064fكتب"), begins_with_mark("كتبُ")
    (True, False)
    """
    return text[:1] > "\u02ff" and unicodedata.category(text[0]) == "Mn"


def border(before: str, after: str) -> int:
    """What two neighbours of one source show by themselves: flags of :class:`Border`.

    >>> Border(border("نصت المادة الأولى على أن العق", "د شريعة المتعاقدين")) == (
    ...     Border.SAME_SOURCE | Border.TOUCHING_LETTERS)
    True
    >>> Border.ENDS_INSIDE_WORD in Border(border("ab " * 20 + "the contr", "ab " * 12 + "the contract says so"))
    True
    """
    found = _SAME_SOURCE
    if not before or not after:
        return found
    place = _overlap(before, after)
    if place is not None:
        found |= _OVERLAP
        behind, ahead = after[len(before) - place :][:1], before[:place][-1:]
        if behind and _in_word(before[-1]) and _in_word(behind):
            found |= _ENDS_INSIDE_WORD
        if ahead and _in_word(after[0]) and _in_word(ahead):
            found |= _BEGINS_INSIDE_WORD
    elif _in_word(before[-1]) and _in_word(after[0]) and not (before[-1].isdigit() or after[0].isdigit()):
        # a mark belongs on the letter before it, so that it leaves no doubt
        found |= _ENDS_INSIDE_WORD if begins_with_mark(after) else _TOUCHING_LETTERS
    return found | _sentence(before, after)


def _overlap(before: str, after: str) -> int | None:
    """Where in ``before`` the text begins that ``after`` begins with, ``None`` where nothing is repeated."""
    if min(len(before), len(after)) < _SHORTEST_OVERLAP:
        return None
    probe = after[:_PROBE]
    place = before.rfind(probe)
    for _ in range(_TRIES):
        if place < 0:
            break
        if after.startswith(before[place:]):
            return place
        place = before.rfind(probe, 0, place + len(probe) - 1)
    return None


def _sentence(before: str, after: str) -> int:
    """Whether a sentence goes on from the one to the other."""
    if min(len(before), len(after)) < _MIN_PROSE or not _INNER_END.search(before, max(0, len(before) - _REACH)):
        return 0
    if _HEADING.match(after[:80]) or before[-1] in "|>*#" or _SPACELESS.search(before[-1] + after[0]):
        return 0
    if _SENTENCE_END.search(before, len(before) - 8):
        return _PROSE
    last = before[-32:].split()[-1:] or [""]
    start = after[_OPENERS.match(after).end() :][:1]  # type: ignore[union-attr]  # it matches every text
    certain = last[0].strip(_TRIM).casefold() in _NEVER_LAST or before[-1] in "،,(["
    certain = certain or start.islower() or after.lstrip()[:1] in _NEVER_FIRST
    return _CERTAINLY_OPEN if certain else _OPEN
