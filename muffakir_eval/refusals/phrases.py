"""The phrases that give a refusal away: a small pattern language, and the table written in it.

A pattern is words with spaces between them, and:

==================  =========================================================================
``{name}``          one of the entries of ``words.<language>.name``
``(a|b c|d)``       one of these
``[a b]``           this or nothing
``..``  ``...``     up to 3, up to 10 words of any kind
``!(a|b)``          not followed by one of these
``$``               the end of the sentence
==================  =========================================================================

Words are compared as :func:`~muffakir_eval.refusals.words.fold_words` leaves them, so a pattern is
written in ordinary spelling. Every gap is bounded, so no text makes matching slow.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from itertools import accumulate
from typing import Any, Literal, get_args

from muffakir_eval.errors import ConfigError
from muffakir_eval.refusals.words import Sentence, fold_words

__all__ = ["Lexicon", "Line", "Phrase", "built_in_lexicon", "compile_pattern", "load_lexicon"]

Place = Literal["start", "sentence", "whole"]
"""Where a phrase must stand: at the start, anywhere in the sentence, or alone."""

CUES = ("opener", "intro", "yes_no", "contrast", "conclusion", "source", "courtesy", "aside", "topic")
"""Word lists with a meaning of their own; each language may have them."""

_LEXEME = re.compile(r"\{(\w+)\}|(!\(|\(|\)|\[|\]|\||\.{2,3}|\$)|([^\s()\[\]{}|$]+)")
_GAPS = {"..": 3, "...": 10}
_MAX_WORDS = 60


@dataclass(frozen=True, slots=True)
class _Part:
    """A compiled piece: its expression, the words that it can start with, whether it can be empty."""

    regex: str = ""
    firsts: frozenset[str] = frozenset()
    empty: bool = True
    gap: bool = False

    def then(self, other: _Part) -> _Part:
        return _Part(
            self.regex + other.regex,
            self.firsts | other.firsts if self.empty else self.firsts,
            self.empty and other.empty,
            self.gap or (self.empty and other.gap),
        )


class _Parser:
    def __init__(self, pattern: str, words: Mapping[str, Sequence[str]]) -> None:
        self.pattern = pattern
        self.words = words
        self.lexemes = [match.groups() for match in _LEXEME.finditer(pattern)]
        self.place = 0

    def parse(self) -> _Part:
        part = self._alternatives()
        if self.place < len(self.lexemes):
            raise self._wrong("a bracket closes that was never opened")
        return part

    def _alternatives(self) -> _Part:
        options = [self._sequence()]
        while self._take("|"):
            options.append(self._sequence())
        if len(options) == 1:
            return options[0]
        return _Part(
            "(?:" + "|".join(option.regex for option in options) + ")",
            frozenset().union(*(option.firsts for option in options)),
            any(option.empty for option in options),
            any(option.gap for option in options),
        )

    def _sequence(self) -> _Part:
        part = _Part()
        while self.place < len(self.lexemes) and self.lexemes[self.place][1] not in {")", "]", "|"}:
            part = part.then(self._item())
        return part

    def _item(self) -> _Part:
        name, sign, word = self.lexemes[self.place]
        self.place += 1
        if name:
            return self._class(name)
        if word:
            folded = fold_words(word)
            return _Part("".join(re.escape(each) + " " for each in folded), frozenset(folded[:1]), empty=not folded)
        if sign in _GAPS:
            return _Part(rf"(?:\S+ ){{0,{_GAPS[sign]}}}?", gap=True)
        if sign == "$":
            return _Part(r"\Z")
        inner = self._alternatives()
        if not self._take("]" if sign == "[" else ")"):
            raise self._wrong("a bracket is not closed")
        if sign == "[":
            return _Part(f"(?:{inner.regex})?", inner.firsts, gap=inner.gap)
        if sign == "!(":
            return _Part(f"(?!{inner.regex})")
        return _Part(f"(?:{inner.regex})", inner.firsts, inner.empty, inner.gap)

    def _class(self, name: str) -> _Part:
        if name not in self.words:
            raise self._wrong(f"there is no word list {name!r}")
        return _Parser("(" + "|".join(self.words[name]) + ")", self.words).parse()

    def _take(self, sign: str) -> bool:
        found = self.place < len(self.lexemes) and self.lexemes[self.place][1] == sign
        self.place += found
        return found

    def _wrong(self, what: str) -> ConfigError:
        return ConfigError(what, where=f"refusal phrase {self.pattern!r}")


def compile_pattern(pattern: str, words: Mapping[str, Sequence[str]]) -> tuple[str, frozenset[str]]:
    """A regular expression over words that end in a space, and the words that a match can start with.

    Raises:
        ConfigError: A bracket or a word list is wrong, or the pattern does not start with a word.

    >>> expression, firsts = compile_pattern("I {cannot} .. answer", {"cannot": ["can't", "cannot"]})
    >>> re.match(expression, "i cant really answer "), sorted(firsts)
    (<re.Match object; span=(0, 21), match='i cant really answer '>, ['i'])
    """
    part = _Parser(pattern, words).parse()
    if part.empty or part.gap:
        raise ConfigError("it must start with a word", where=f"refusal phrase {pattern!r}")
    return part.regex, part.firsts


@dataclass(frozen=True)
class Phrase:
    """One row of the table.

    Attributes:
        language: Its language (BCP 47).
        kind: What it says, such as ``not_in_context``.
        reason: Why the answer is missing: ``insufficient_information``, ``policy``, ``unclear_question``.
        place: Where it must stand.
        needs: It counts only with ``source``, where the material is named ("the context", «النص»), or
            after an ``aside``, where the sentence has said what the material is about.
        regex: Over words that end in a space.
        firsts: Words that it can start with.
        example: An answer that it finds.
    """

    language: str
    kind: str
    reason: str
    place: Place
    regex: str
    firsts: frozenset[str]
    needs: Literal["", "source", "aside"] = ""
    example: str = ""

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The expression, compiled when it is first needed."""
        return re.compile(self.regex)


class Line:
    """The words of a sentence as one string, for matching at any word of it.

    Attributes:
        sentence: The sentence.
        words: Its first words, as far as phrases are looked for.
    """

    def __init__(self, sentence: Sentence) -> None:
        self.sentence = sentence
        self.words = sentence.words[:_MAX_WORDS]
        self._text = "".join([f"{word} " for word in self.words])
        self._offsets = list(accumulate((len(word) + 1 for word in self.words), initial=0))
        self._places = {offset: place for place, offset in enumerate(self._offsets)}

    def __len__(self) -> int:
        return len(self.words)

    def match(self, phrase: Phrase, place: int) -> int | None:
        """The place after ``phrase`` where it starts at the word ``place``."""
        found = phrase.compiled.match(self._text, self._offsets[place])
        return self._places[found.end()] if found else None


class Lexicon:
    """Phrases by place and first word, so that a sentence meets only those that can match."""

    def __init__(self, phrases: Iterable[Phrase], cues: Iterable[tuple[str, Phrase]]) -> None:
        self.phrases = tuple(phrases)
        self._index: dict[str, dict[str, list[Phrase]]] = {name: {} for name in (*get_args(Place), *CUES)}
        for name, phrase in (*((phrase.place, phrase) for phrase in self.phrases), *cues):
            for first in phrase.firsts:
                self._index[name].setdefault(first, []).append(phrase)

    def matches(self, name: str, line: Line, place: int) -> Iterator[tuple[Phrase, int]]:
        """Phrases of a place, or cues of a name, that stand at the word ``place``, and where they end."""
        for phrase in self._index[name].get(line.words[place], ()):
            end = line.match(phrase, place)
            if end is not None:
                yield phrase, end

    def cue(self, name: str, line: Line, place: int) -> int | None:
        """Where the longest cue ``name`` that starts at the word ``place`` ends."""
        if place >= len(line.words) or line.words[place] not in self._index[name]:
            return None
        return max((end for _, end in self.matches(name, line, place)), default=None)

    def has(self, name: str, line: Line, start: int = 0, stop: int | None = None) -> bool:
        """Some cue ``name`` starts at one of the words from ``start`` to before ``stop``."""
        index = self._index[name]
        for place, word in enumerate(line.words[start:stop], start):
            if word in index and any(line.match(phrase, place) is not None for phrase in index[word]):
                return True
        return False


def load_lexicon(data: Mapping[str, Any]) -> Lexicon:
    """The table in the form of ``resources/refusals.toml``, compiled.

    Raises:
        ConfigError: A row is malformed; the message names its pattern.
    """
    words: Mapping[str, Mapping[str, Sequence[str]]] = data["words"]
    phrases = []
    for row in data["phrase"]:
        for key, known in (
            ("kind", data["kinds"]),
            ("at", get_args(Place)),
            ("language", words),
            ("needs", ("", "source", "aside")),
        ):
            if row.get(key, "") not in known:
                raise ConfigError(f"unknown {key} {row.get(key)!r}", where=f"refusal phrase {row['pattern']!r}")
        regex, firsts = compile_pattern(row["pattern"], words[row["language"]])
        phrases.append(
            Phrase(
                language=row["language"],
                kind=row["kind"],
                reason=data["kinds"][row["kind"]],
                place=row["at"],
                needs=row.get("needs", ""),
                regex=regex,
                firsts=firsts,
                example=row["example"],
            )
        )
    cues = []
    for language, lists in words.items():
        for name in CUES:
            if name in lists:
                regex, firsts = compile_pattern("{" + name + "}", lists)
                cues.append((name, Phrase(language, name, "", "sentence", regex, firsts)))
    return Lexicon(phrases, cues)


@cache
def built_in_lexicon() -> Lexicon:
    """The table that ships with the package."""
    text = resources.files("muffakir_eval.resources").joinpath("refusals.toml").read_text(encoding="utf-8")
    return load_lexicon(tomllib.loads(text))
