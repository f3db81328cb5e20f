"""Phrases that the user adds to those of the package, and what they may not contradict."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from muffakir_eval.errors import ConfigError
from muffakir_eval.refusals.detect import find_refusal
from muffakir_eval.refusals.lexicon import Lexicon, built_in_lexicon, tables_of
from muffakir_eval.refusals.patterns import Grammar
from muffakir_eval.refusals.phrases import KINDS, Phrase, Place
from muffakir_eval.refusals.tables import SCRIPTS, load_table, scripts_of
from muffakir_eval.refusals.words import fold_words

__all__ = ["lexicon_with"]

_KEYS = ("phrase", "pattern", "example", "language", "reason", "kind", "at")
_DEFAULT_KIND = {
    "insufficient_information": "cannot_answer",
    "policy": "policy",
    "unclear_question": "unclear_question",
}
_WHERE = "config, key 'refusal_phrases'"
_WHERE_EXEMPT = "config, key 'not_refusal_phrases'"


def lexicon_with(
    refusal_phrases: Sequence[str | Mapping[str, Any]] = (), not_refusal_phrases: Sequence[str] = ()
) -> Lexicon:
    """The phrases of the package and those of the user.

    Args:
        refusal_phrases: Texts, or tables with ``phrase`` (words as they are) or ``pattern`` (in the pattern
            language, with an ``example``), and ``language`` (BCP 47), ``reason``, ``kind`` and ``at``
            ("start" by default, "sentence" or "whole").
        not_refusal_phrases: Words that are no refusal although a phrase finds one in them.

    Raises:
        ConfigError: One is malformed, or contradicts another one, a phrase of the package, or an answer that
            the package knows to be none; both are named.

    >>> lexicon = lexicon_with(["ask the front desk"], ["no data loss"])
    >>> find_refusal("Please ask the front desk.", lexicon) is None, find_refusal("Ask the front desk.", lexicon).kind
    (True, 'cannot_answer')
    """
    entries = [_entry(value) for value in refusal_phrases]
    exempt = [_literal(text, "exempt", where=_WHERE_EXEMPT) for text in not_refusal_phrases]
    own: dict[str, Phrase] = {}
    for entry in entries:
        other = own.setdefault(entry.regex, entry)
        if (other.kind, other.reason, other.place) != (entry.kind, entry.reason, entry.place):
            raise _clash(f"{_shown(other)} and {_shown(entry)} are the same words")
    lexicon = Lexicon(list(own.values()), exempt)
    for phrase in lexicon.own:
        _check_exempt(phrase, exempt)
        _check_package(phrase)
        _check_near_misses(phrase, exempt)
    return lexicon


def _entry(value: Any) -> Phrase:
    row = {"phrase": value} if isinstance(value, str) else value
    if (
        not isinstance(row, Mapping)
        or any(key not in _KEYS for key in row)
        or not all(isinstance(each, str) for each in row.values())
    ):
        raise ConfigError(
            f"a phrase is a text or a table of texts, not {value!r}", where=_WHERE, expected=", ".join(_KEYS)
        )
    if ("phrase" in row) == ("pattern" in row):
        raise ConfigError(f"give either 'phrase' or 'pattern', not as in {value!r}", where=_WHERE)
    kind, reason = _kind_and_reason(row)
    place: Any = row.get("at", "start")
    if place not in get_args(Place):
        raise ConfigError(f"unknown place {place!r} in {value!r}", where=_WHERE, expected=" or ".join(get_args(Place)))
    if "phrase" in row:
        found = _literal(row["phrase"], kind, where=_WHERE)
        regex, firsts, later, pattern, example = found.regex, found.firsts, None, row["phrase"], row["phrase"]
    else:
        if "example" not in row:
            raise ConfigError(f"the pattern {row['pattern']!r} needs an 'example' that it finds", where=_WHERE)
        regex, firsts, later = _grammar(row.get("language", "")).compile(row["pattern"])
        pattern, example = row["pattern"], row["example"]
    return Phrase(
        row.get("language", "und"), kind, reason, place, regex, firsts, later, pattern=pattern, example=example
    )


def _kind_and_reason(row: Mapping[str, Any]) -> tuple[str, str]:
    reason = row.get("reason", KINDS.get(row.get("kind", ""), "insufficient_information"))
    if reason not in _DEFAULT_KIND:
        raise ConfigError(f"unknown reason {reason!r}", where=_WHERE, expected=" or ".join(_DEFAULT_KIND))
    kind = row.get("kind", _DEFAULT_KIND[reason])
    if KINDS.get(kind, reason) != reason:
        raise _clash(f"the kind {kind!r} of {row!r} is of the reason {KINDS[kind]!r}, not {reason!r}")
    return kind, reason


def _literal(text: Any, kind: str, *, where: str) -> Phrase:
    words = fold_words(text) if isinstance(text, str) else []
    if not words:
        raise ConfigError(f"a phrase of words was expected, not {text!r}", where=where)
    regex = "".join([re.escape(word) + " " for word in words])
    return Phrase("und", kind, "", "sentence", regex, frozenset(words[:1]), pattern=text, example=text)


def _grammar(language: str) -> Grammar:
    known = {name for names in SCRIPTS.values() for name in names}
    return load_table(language).grammar if language in known else Grammar({})


def _check_exempt(phrase: Phrase, exempt: Iterable[Phrase]) -> None:
    for other in exempt:
        if f" {other.regex}" in f" {phrase.regex}":
            raise _clash(f"{_shown(phrase)} is taken back by {other.pattern!r} in 'not_refusal_phrases'")


def _check_package(phrase: Phrase) -> None:
    """Its own example is found, and nothing of the package says something else about it."""
    if find_refusal(phrase.example, Lexicon([phrase])) is None:
        raise ConfigError(f"{_shown(phrase)} does not find its example {phrase.example!r}", where=_WHERE)
    known = find_refusal(phrase.example, built_in_lexicon())
    if known is not None and known.reason != phrase.reason:
        raise _clash(
            f"{_shown(phrase)} is given the reason {phrase.reason!r}, but the package finds {known.phrase!r} in it"
            f" and the reason {known.reason!r}"
        )


def _check_near_misses(phrase: Phrase, exempt: Sequence[Phrase]) -> None:
    """It must find none of the answers that are known to look like refusals only."""
    alone = Lexicon([phrase], exempt)
    for table in tables_of(scripts_of(phrase.example)):
        for answer in table.near_misses:
            found = find_refusal(answer, alone)
            if found is not None:
                raise _clash(f"{_shown(phrase)} also finds {found.phrase!r} in the answer {answer!r}")


def _shown(phrase: Phrase) -> str:
    return f"{phrase.pattern!r} ({phrase.reason}, {phrase.kind}, at {phrase.place})"


def _clash(what: str) -> ConfigError:
    return ConfigError(f"refusal phrases contradict each other: {what}", where=_WHERE, remedy="change or remove one")
