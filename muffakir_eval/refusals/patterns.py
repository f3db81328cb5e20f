"""The small pattern language in which phrases are written.

A pattern is words with spaces between them, and:

==================  =========================================================================
``{name}``          one of the entries of the word list ``name`` of its language
``(a|b c|d)``       one of these
``[a b]``           this or nothing
``..``  ``...``     up to 3, up to 10 words of any kind; up to 8, up to 30 characters where a
                    language is written without spaces
``!(a|b)``          not followed by one of these
``a~b``             ``ab`` or ``a b``
``ab*``  ``*ab``    a word that begins, or ends, with ``ab``; not where a pattern can start
``$``               the end of the sentence
==================  =========================================================================

Words are compared as :func:`~muffakir_eval.refusals.words.fold_words` leaves them, so a pattern is
written in ordinary spelling. Every gap is bounded, so no text makes matching slow.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from muffakir_eval.errors import ConfigError
from muffakir_eval.refusals.words import fold_words

__all__ = ["Grammar"]

_LEXEME = re.compile(r"\{(\w+)\}|(!\(|\(|\)|\[|\]|\||\.{2,3}|\$)|([^\s()\[\]{}|$]+)")
_GAPS = {"..": 3, "...": 10}
_GAPS_UNSPACED = {"..": 8, "...": 30}


@dataclass(frozen=True, slots=True)
class _Part:
    """A compiled piece: its expression, and what is known of the words that it matches.

    Attributes:
        firsts: The words that it can start with.
        empty: It can match no word at all.
        gap: It can start with any word.
        later: After its first word it has one of these; ``None`` where that is not known.
    """

    regex: str = ""
    firsts: frozenset[str] = frozenset()
    empty: bool = True
    gap: bool = False
    later: frozenset[str] | None = None

    def then(self, other: _Part) -> _Part:
        return _Part(
            self.regex + other.regex,
            self.firsts | other.firsts if self.empty else self.firsts,
            self.empty and other.empty,
            self.gap or (self.empty and other.gap),
            _fewest(self.later, other.later, None if self.empty or other.empty or other.gap else other.firsts),
        )


def _fewest(*sets: frozenset[str] | None) -> frozenset[str] | None:
    return min([each for each in sets if each is not None], key=len, default=None)


class Grammar:
    """The patterns of one language: its word lists, each compiled once.

    >>> expression, firsts, later = Grammar({"cannot": ["can't", "can~not"]}).compile("I {cannot} .. answer")
    >>> re.match(expression, "i cant really answer "), sorted(firsts), sorted(later)
    (<re.Match object; span=(0, 21), match='i cant really answer '>, ['i'], ['answer'])
    """

    def __init__(self, words: Mapping[str, Sequence[str]], *, spaced: bool = True) -> None:
        self.words = words
        self.gaps = _GAPS if spaced else _GAPS_UNSPACED
        self._lists: dict[str, _Part] = {}

    def compile(self, pattern: str) -> tuple[str, frozenset[str], frozenset[str] | None]:
        """A regular expression over words that end in a space, and what is known of the words that it matches.

        Returns:
            The expression; the words that a match can start with; words of which it has one later on, if known.

        Raises:
            ConfigError: A bracket or a word list is wrong, or the pattern does not start with a word.
        """
        part = _Parser(pattern, self).parse()
        if part.empty or part.gap:
            raise ConfigError("it must start with a word", where=f"refusal phrase {pattern!r}")
        return part.regex, part.firsts, part.later

    def word_list(self, name: str) -> _Part:
        """One of the entries of a list."""
        if name not in self._lists:
            self._lists[name] = _Parser("(" + "|".join(self.words[name]) + ")", self).parse()
        return self._lists[name]


class _Parser:
    def __init__(self, pattern: str, grammar: Grammar) -> None:
        self.pattern = pattern
        self.grammar = grammar
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
            "(?:" + "|".join([option.regex for option in options]) + ")",
            frozenset().union(*[option.firsts for option in options]),
            any(option.empty for option in options),
            any(option.gap for option in options),
            None
            if any(option.later is None for option in options)
            else frozenset().union(*[o.later or () for o in options]),
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
            if name not in self.grammar.words:
                raise self._wrong(f"there is no word list {name!r}")
            return self.grammar.word_list(name)
        if word:
            return _word(word)
        if sign in self.grammar.gaps:
            return _Part(rf"(?:\S+ ){{0,{self.grammar.gaps[sign]}}}?", gap=True)
        if sign == "$":
            return _Part(r"\Z")
        inner = self._alternatives()
        if not self._take("]" if sign == "[" else ")"):
            raise self._wrong("a bracket is not closed")
        if sign == "[":
            return _Part(f"(?:{inner.regex})?", inner.firsts, gap=inner.gap)
        if sign == "!(":
            return _Part(f"(?!{inner.regex})")
        return replace(inner, regex=f"(?:{inner.regex})")

    def _take(self, sign: str) -> bool:
        found = self.place < len(self.lexemes) and self.lexemes[self.place][1] == sign
        self.place += found
        return found

    def _wrong(self, what: str) -> ConfigError:
        return ConfigError(what, where=f"refusal phrase {self.pattern!r}")


def _word(word: str) -> _Part:
    if word.endswith("*"):
        folded = fold_words(word)
        return _Part("".join([re.escape(each) + " " for each in folded])[:-1] + r"\S* ", gap=True, empty=False)
    if word.startswith("*"):
        return _Part(r"\S*" + "".join([re.escape(each) + " " for each in fold_words(word)]), gap=True, empty=False)
    pieces = word.split("~")
    spellings = {
        tuple(fold_words("".join(piece + joint for piece, joint in zip(pieces, (*joints, ""), strict=True))))
        for joints in product(("", " "), repeat=len(pieces) - 1)
    } - {()}
    ways = sorted("".join([re.escape(each) + " " for each in spelling]) for spelling in spellings)
    return _Part(
        ways[0] if len(ways) == 1 else "(?:" + "|".join(ways) + ")" if ways else "",
        frozenset([spelling[0] for spelling in spellings]),
        empty=not ways,
    )
