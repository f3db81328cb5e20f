"""The words of a retrieved chunk that agree with the gold evidence, as places in its raw text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from muffakir_eval.config import MatchSettings
from muffakir_eval.matching.prepared import PreparedText, PreparedTexts
from muffakir_eval.matching.rules import Rules
from muffakir_eval.matching.stages import aligned, nearly_shared
from muffakir_eval.text.normalize import normalizer_for
from muffakir_eval.text.tokens import lettered, split_runs

__all__ = ["Marker", "settings_of"]

_PIECE = re.compile(r"\S+")
_MOST_CHARACTERS = 20_000
"""Longer texts are not laid on one another: they are shown without marks."""

Span = tuple[int, int]


def settings_of(block: Mapping[str, Any] | None) -> MatchSettings:
    """The settings of a run's summary, as far as this version knows them.

    Words are compared as they stand: marking needs no analyser, wherever the page is made.
    """
    known = {name: value for name, value in (block or {}).items() if name in MatchSettings.model_fields}
    known |= {"token_level": "token", "morphology_database": None}
    try:
        return MatchSettings(**known)
    except ValidationError:  # of another version
        return MatchSettings()


class Marker:
    """Finds what a chunk and a gold have in common.

    Args:
        settings: Those of the run.

    >>> text = "مقدمة: يستحق العامل إجازةً سنوية."
    >>> [text[start:end] for start, end in Marker().marks(text, ["يستحق العامل إجازة سنوية"])]
    ['يستحق العامل إجازةً سنوية']
    """

    def __init__(self, settings: MatchSettings | None = None) -> None:
        settings = settings or MatchSettings()
        self._profile = settings.profile
        self._rules = Rules(settings)
        self._texts = PreparedTexts(2_000_000, normalizer_for(settings.profile), self._rules.least)

    def marks(self, chunk: str, golds: Iterable[str]) -> list[Span]:
        """Start and end of every stretch of ``chunk`` that agrees with one of ``golds``, in order, none twice.

        Where the texts overlap in the same order, what agrees in the overlap; else every word that both have.
        """
        pieces = _pieces(chunk, self._profile)
        prepared = self._texts.get(chunk)
        in_place = [word for _, _, words in pieces for word in words] == prepared.words
        marked: set[int] = set()
        for gold in golds:
            if len(chunk) + len(gold) <= 2 * _MOST_CHARACTERS:
                marked |= self._agreeing(self._texts.get(gold), prepared, pieces, in_place=in_place)
        return list(_joined(pieces, marked))

    def _agreeing(
        self, gold: PreparedText, chunk: PreparedText, pieces: Sequence[_Piece], *, in_place: bool
    ) -> set[int]:
        alignment = aligned(gold, chunk, self._rules) if in_place else None
        if alignment is not None:
            words = {block.chunk + offset for block in alignment.blocks for offset in range(block.chunk_words)}
            return set(_holding(pieces, words))
        near = {theirs for _, theirs in nearly_shared(gold, chunk, self._rules)}
        shared = (set(gold.words) & set(chunk.words)) | near
        return {place for place, (_, _, words) in enumerate(pieces) if not shared.isdisjoint(words)}


_Piece = tuple[int, int, tuple[str, ...]]
"""Start and end in the raw text, and the words in between."""


def _pieces(text: str, profile: str) -> list[_Piece]:
    return [
        (match.start() + before, match.start() + after, words)
        for match in _PIECE.finditer(text)
        for before, after, words in _words_of(match[0], profile)
    ]


@lru_cache(maxsize=50_000)
def _words_of(piece: str, profile: str) -> tuple[_Piece, ...]:
    """The words between two spaces; each character of a script without spaces by itself."""
    runs, spaceless = split_runs(piece, normalizer_for(profile))
    if not runs:
        return ()
    words = tuple(lettered(runs))
    if spaceless and (apart := _characters(piece, profile)) is not None:
        return apart
    start, end = 0, len(piece)
    while start < end and not piece[start].isalnum():
        start += 1
    while end > start and not (piece[end - 1].isalnum() or _is_mark(piece[end - 1])):
        end -= 1
    return ((start, end, words),)


def _characters(piece: str, profile: str) -> tuple[_Piece, ...] | None:
    """Each character by itself, ``None`` where they do not stand for themselves."""
    found: list[_Piece] = []
    for place, char in enumerate(piece):
        words = lettered(split_runs(char, normalizer_for(profile))[0])
        if words:
            found.append((place, place + 1, tuple(words)))
    whole = lettered(split_runs(piece, normalizer_for(profile))[0])
    return tuple(found) if [word for _, _, words in found for word in words] == whole else None


def _is_mark(char: str) -> bool:
    return "\u064b" <= char <= "\u065f" or char == "\u0670"


def _holding(pieces: Sequence[_Piece], words: set[int]) -> Iterator[int]:
    first = 0
    for place, piece in enumerate(pieces):
        after = first + len(piece[2])
        if not words.isdisjoint(range(first, after)):
            yield place
        first = after


def _joined(pieces: Sequence[_Piece], marked: set[int]) -> Iterator[Span]:
    """Neighbours as one stretch."""
    start: int | None = None
    for place, (begin, end, _) in enumerate(pieces):
        if place in marked:
            start = begin if start is None else start
            if place + 1 not in marked:
                yield start, end
                start = None
