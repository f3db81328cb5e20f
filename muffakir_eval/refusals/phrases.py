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
    "gap",
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
    def name(self) -> str:
        """The list that it is looked up in: a condition that fails rules out all phrases that have it at once."""
        return f"{self.place} {self.needs}" if self.place == "sentence" and self.needs else self.place

    @cached_property
    def single(self) -> bool:
        """It is one plain word, so that its first word has found it already."""
        return len(self.firsts) == 1 and self.regex == "".join(map(re.escape, self.firsts)) + " "

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The expression, compiled when it is first needed."""
        return re.compile(self.regex)


class Index:
    """Phrases by the word that they start with, so that a sentence meets only those that can match.

    Attributes:
        phrases: In the order in which they count.
        by_name: Of each place and of each cue: phrases by their first words.
        firsts: The same words alone: one look at them dismisses most sentences.
        joins: Some first word is Arabic, so that an "and" may be written together with it.
    """

    def __init__(self, phrases: Iterable[Phrase], cues: Iterable[tuple[str, Phrase]]) -> None:
        self.phrases = tuple(phrases)
        self.by_name: dict[str, dict[str, list[Phrase]]] = {}
        for name, phrase in (*((phrase.name, phrase) for phrase in self.phrases), *cues):
            by_word = self.by_name.setdefault(name, {})
            for first in phrase.firsts:
                by_word.setdefault(first, []).append(phrase)
        self.firsts = {name: frozenset(by_word) for name, by_word in self.by_name.items()}
        self.joins = any("\u0600" <= first[0] <= "\u06ff" for firsts in self.firsts.values() for first in firsts)

    def has(self, name: str) -> bool:
        """Whether there is any phrase of a place, or any cue of a name."""
        return name in self.by_name


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
        self.words = sentence.words[: _MAX_WORDS * self.scale]
        self._index = index
        self._known = self._first = frozenset(self.words)
        # An Arabic "and" («ولم أجد») or "so" is written together with the next word and does not hide it.
        self._joins = index.joins and any(word[0] in _ARABIC_PREFIXES for word in self._known)
        if self._joins:
            self._first = self._known.union([word[1:] for word in self._known if word[0] in _ARABIC_PREFIXES])
        self._found: dict[str, list[tuple[int, Phrase, int]]] = {}
        self._openers: dict[int, list[int]] = {}

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
        by_word = self._index.by_name.get(name)
        if by_word is None or place >= len(self.words):
            return []
        word = self.words[place]
        startable = [(place, 0, by_word[word])] if word in by_word else []
        if self._joins and word[0] in _ARABIC_PREFIXES and word[1:] in by_word:
            startable.append((place, 1, by_word[word[1:]]))
        return self._match(startable) if startable else []

    def anywhere(self, *, source: bool, aside: bool = False) -> list[tuple[int, Phrase, int]]:
        """Phrases that may stand anywhere, with those for which the material must be named, or described."""
        found = self.all("sentence")
        if source:
            found = found + self.all("sentence source")
        return found + self.all("sentence aside") if aside else found

    def all(self, name: str) -> list[tuple[int, Phrase, int]]:
        """Those that start at any word."""
        if name not in self._found:
            self._found[name] = self._match(self._all_startable(name)) if self.startable(name) else []
        return self._found[name]

    def startable(self, name: str) -> bool:
        """Some phrase of a place could start at some word: nothing more is known yet."""
        return name in self._index.firsts and not self._index.firsts[name].isdisjoint(self._first)

    def _all_startable(self, name: str) -> list[tuple[int, int, list[Phrase]]]:
        """The phrases that can start at each word, and after how many letters of it."""
        get = self._index.by_name[name].get
        startable = [(place, 0, phrases) for place, word in enumerate(self.words) if (phrases := get(word))]
        if self._joins:
            joined = [(place, word[1:]) for place, word in enumerate(self.words) if word[0] in _ARABIC_PREFIXES]
            startable += [(place, 1, phrases) for place, word in joined if (phrases := get(word))]
            startable.sort(key=itemgetter(0))
        return startable

    def _match(self, startable: list[tuple[int, int, list[Phrase]]]) -> list[tuple[int, Phrase, int]]:
        known, found = self._known, []
        for place, prefix, phrases in startable:
            for phrase in phrases:
                if phrase.single:
                    found.append((place, phrase, place + 1))
                elif not (phrase.later and phrase.later.isdisjoint(known)):
                    match = phrase.compiled.match(self._text, self._offsets[place] + prefix)
                    if match:
                        found.append((place, phrase, self._places[match.end()]))
        return found

    def cue(self, name: str, place: int) -> int | None:
        """Where the longest cue ``name`` that starts at the word ``place`` ends."""
        found = self.matches(name, place)
        return max([end for _, _, end in found]) if found else None

    def has(self, name: str, start: int = 0, stop: int | None = None) -> bool:
        """Some cue ``name`` starts at one of the words from ``start`` to before ``stop``."""
        return any(start <= place and (stop is None or place < stop) for place, _, _ in self.all(name))

    def openers(self, place: int) -> list[int]:
        """Where each of the apologies and the like ends that start at ``place``, one after the other."""
        if place not in self._openers:
            ends: list[int] = []
            while (end := self.cue("opener", ends[-1] if ends else place)) is not None:
                ends.append(end)
            self._openers[place] = ends
        return self._openers[place]

    def after_openers(self, place: int) -> int:
        """The place after apologies and the like that start at ``place``."""
        return max(self.openers(place), default=place)


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
