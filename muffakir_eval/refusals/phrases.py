"""Phrases that give a refusal away, and the sentence that they are looked for in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from operator import itemgetter
from typing import Literal, NamedTuple

from muffakir_eval.refusals.words import Sentence

__all__ = ["CUES", "KINDS", "Hit", "Index", "Line", "Need", "Phrase", "Place"]

Place = Literal["start", "sentence", "whole"]
"""Where a phrase must stand: at the start, anywhere in the sentence, or alone."""

Need = Literal["", "source", "aside"]

KINDS = {
    "not_in_context": "insufficient_information",
    "not_certain": "insufficient_information",
    "not_found": "insufficient_information",
    "insufficient": "insufficient_information",
    "cannot_answer": "insufficient_information",
    "does_not_know": "insufficient_information",
    "out_of_scope": "insufficient_information",
    "unclear_question": "unclear_question",
    "policy": "policy",
    "objection": "policy",
}
"""What a refusal says, and the reason that it counts for."""

CUES = (
    "opener",
    "intro",
    "empathy",
    "yes_no",
    "contrast",
    "conclusion",
    "source",
    "courtesy",
    "aside",
    "topic",
    "norm",
    "moral",
    "report",
    "definition",
    "self",
    "join",
    "exempt",
)
"""Word lists with a meaning of their own; each language may have them."""

_ARABIC_PREFIXES = frozenset("وف")
_MAX_WORDS = 60
_SCALE_UNSPACED = 3
"""Characters that count as one word where words are not spaced."""


@dataclass(frozen=True)
class Phrase:
    """One row of a table.

    Attributes:
        language: Its language (BCP 47).
        kind: What it says, such as ``not_in_context``.
        reason: Why the answer is missing: ``insufficient_information``, ``policy``, ``unclear_question``.
        place: Where it must stand.
        needs: It counts only with ``source``, where the material is named ("the context", «النص»), or
            after an ``aside``, where the sentence has said what the material is about.
        regex: Over words that end in a space.
        firsts: Words that it can start with.
        later: Words of which one must follow, if known: a cheap look before the expression is asked.
        pattern: As it was written.
        dialect: Where it is said, if not everywhere.
        example: An answer that it finds.
    """

    language: str
    kind: str
    reason: str
    place: Place
    regex: str
    firsts: frozenset[str]
    later: frozenset[str] | None = None
    needs: Need = ""
    pattern: str = ""
    dialect: str = ""
    example: str = ""

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The expression, compiled when it is first needed."""
        return re.compile(self.regex)


class Index:
    """Phrases by the word that they start with, so that a sentence meets only those that can match.

    Attributes:
        phrases: In the order in which they count.
        by_word: For a word: phrases of each place and cues of each name.
    """

    def __init__(self, phrases: Iterable[Phrase], cues: Iterable[tuple[str, Phrase]]) -> None:
        self.phrases = tuple(phrases)
        self.by_word: dict[str, dict[str, list[Phrase]]] = {}
        self._names: set[str] = set()
        for name, phrase in (*((phrase.place, phrase) for phrase in self.phrases), *cues):
            self._names.add(name)
            for first in phrase.firsts:
                self.by_word.setdefault(first, {}).setdefault(name, []).append(phrase)

    def has(self, name: str) -> bool:
        """Whether there is any phrase of a place, or any cue of a name."""
        return name in self._names


class Line:
    """The words of a sentence, with what can start at each of them.

    Attributes:
        sentence: The sentence.
        scale: How many of its words are as much as one word of a language with spaces.
        words: Its first words, as far as phrases are looked for.
    """

    def __init__(self, sentence: Sentence, index: Index) -> None:
        self.sentence = sentence
        self.scale = _SCALE_UNSPACED if sentence.unspaced else 1
        self.words = words = sentence.words[: _MAX_WORDS * self.scale]
        get = index.by_word.get
        # What can start at a word, and after how many letters of it: an Arabic "and" («ولم أجد») or "so" is
        # written together with the next word and does not hide it.
        self._startable = [(place, 0, found) for place, word in enumerate(words) if (found := get(word))]
        joined = [place for place, word in enumerate(words) if word[0] in _ARABIC_PREFIXES]
        if joined:
            self._startable += [(place, 1, found) for place in joined if (found := get(words[place][1:]))]
            self._startable.sort(key=itemgetter(0))
        self._known = frozenset(words)
        self._found: dict[str, list[tuple[int, Phrase, int]]] = {}

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def _text(self) -> str:
        return " ".join(self.words) + " "

    @cached_property
    def _offsets(self) -> list[int]:
        return list(accumulate([len(word) + 1 for word in self.words], initial=0))

    @cached_property
    def _places(self) -> dict[int, int]:
        return {offset: place for place, offset in enumerate(self._offsets)}

    def matches(self, name: str, place: int) -> list[tuple[int, Phrase, int]]:
        """Phrases of a place, or cues of a name, that start at the word ``place``: that word, and where each ends."""
        return [
            (place, phrase, self._places[match.end()])
            for start, prefix, found in self._startable
            if start == place and name in found
            for phrase in found[name]
            if not (phrase.later and phrase.later.isdisjoint(self._known))
            and (match := phrase.compiled.match(self._text, self._offsets[place] + prefix))
        ]

    def all(self, name: str) -> list[tuple[int, Phrase, int]]:
        """Those that start at any word."""
        if name not in self._found:
            startable = [each for each in self._startable if name in each[2]]
            self._found[name] = [
                (place, phrase, self._places[match.end()])
                for place, prefix, found in startable
                for phrase in found[name]
                if not (phrase.later and phrase.later.isdisjoint(self._known))
                and (match := phrase.compiled.match(self._text, self._offsets[place] + prefix))
            ]
        return self._found[name]

    def startable(self, name: str) -> bool:
        """Some phrase of a place could start at some word: nothing more is known yet."""
        return any(name in found for _, _, found in self._startable)

    def cue(self, name: str, place: int) -> int | None:
        """Where the longest cue ``name`` that starts at the word ``place`` ends."""
        return max([end for _, _, end in self.matches(name, place)], default=None)

    def has(self, name: str, start: int = 0, stop: int | None = None) -> bool:
        """Some cue ``name`` starts at one of the words from ``start`` to before ``stop``."""
        return any(start <= place and (stop is None or place < stop) for place, _, _ in self.all(name))

    def after_openers(self, place: int) -> int:
        """The place after apologies and the like that start at ``place``."""
        while (end := self.cue("opener", place)) is not None:
            place = end
        return place


class Hit(NamedTuple):
    """A phrase that was found.

    Attributes:
        phrase: Which.
        line: In which sentence.
        start: At which of its words.
        end: The place after its last word.
    """

    phrase: Phrase
    line: Line
    start: int
    end: int
