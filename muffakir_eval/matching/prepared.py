"""A text made ready for comparing, once, and kept for the questions that retrieve it again."""

from __future__ import annotations

import sys
from itertools import islice

from muffakir_eval.text.normalize import normalize_text
from muffakir_eval.text.tokens import lettered, paired, split_runs

__all__ = ["PreparedText", "PreparedTexts"]

_BUCKETS = 1024
_MOST_MARKS = 100_000
_WARM_UP = 500
"""So many texts are kept before it shows whether texts come back."""
_PER_TEXT, _PER_TOKEN = 60, 3
"""What a text and each of its tokens take at least, in characters: pairs of Chinese, identifiers, titles."""
_BIT = [1 << place for place in range(_BUCKETS)]


class PreparedText:
    """What the stages of the cascade look at.

    Attributes:
        text: The raw text.
        count: Number of tokens; 0 where there is nothing to compare.
        size: Number of different tokens, once the text is settled.
        spaceless: Some of it is in a script without spaces, whose tokens are pairs of characters.
        signature: One bit per bucket that a token falls into, once the text is settled. Two
            texts that differ in n bits differ in at least n tokens. Where a token falls differs from
            process to process; no verdict depends on it.
    """

    __slots__ = ("_distinct", "_sequence", "_tokens", "count", "signature", "size", "spaceless", "text")

    def __init__(self, text: str) -> None:
        runs, self.spaceless = split_runs(text)
        self.text = text
        self._tokens: list[str] | None = paired(runs) if self.spaceless else runs
        self.count = len(self._tokens)
        self.size = 0
        self.signature: int | None = None
        self._distinct: frozenset[str] | None = None
        self._sequence: str | None = None

    @property
    def distinct(self) -> frozenset[str]:
        """The tokens, each once."""
        if self._distinct is None:
            self._distinct = frozenset(self._tokens or ())
        return self._distinct

    @property
    def sequence(self) -> str:
        """Words, numbers and single characters of scripts without spaces, in order, between spaces.

        One sequence lies inside another if and only if the one text lies inside the other, whole
        words of it, whatever the punctuation.
        """
        if self._sequence is None:
            runs, spaceless = split_runs(self.text)
            self._sequence = f" {' '.join(lettered(runs) if spaceless else runs)} "
        return self._sequence

    @property
    def normalized(self) -> str:
        """The whole text normalised, punctuation and all."""
        return normalize_text(self.text)

    def shared_with(self, tokens: frozenset[str]) -> int:
        """How many of ``tokens`` the text holds."""
        if self._distinct is not None or self._tokens is None:
            return len(tokens & self.distinct)
        return len(tokens.intersection(self._tokens))  # spares the set of a text that is met once

    def all_in(self, tokens: frozenset[str], but: int = 0) -> bool:
        """All tokens of the text are among ``tokens``, all but so many; one that comes again counts again."""
        if but:
            missing = (token for token in self._tokens or self.distinct if token not in tokens)
            return next(islice(missing, but, None), None) is None
        return tokens.issuperset(self._tokens if self._distinct is None and self._tokens else self.distinct)

    def settle(self) -> None:
        """Make what pays off only for a text that comes back."""
        tokens = self.distinct if self._tokens is None else self._tokens
        self._distinct = distinct = frozenset(map(sys.intern, tokens))
        self._tokens = None
        self.size = len(distinct)
        signature = 0
        for mark in map(hash, distinct):
            signature |= _BIT[mark % _BUCKETS]
        self.signature = signature


class PreparedTexts:
    """Prepared texts by their raw text, the least recently used ones forgotten.

    While texts come back, each is kept from the first time on; in a run over ever new texts, from the
    second, so that nearly nothing is kept. Two generations stand in for a list in order of use: what
    is not asked for while half of the capacity is filled anew is dropped.

    Args:
        capacity: Most characters of raw text whose prepared form is kept; a thousand take 10 to 30 kB. A
            text of many short tokens counts for more than it has, so that the memory stays within that.
    """

    def __init__(self, capacity: int = 4_000_000) -> None:
        self._half = max(1, capacity // 2)
        self._size = 0
        self._young: dict[str, PreparedText] = {}
        self._old: dict[str, PreparedText] = {}
        self._met: set[int] = set()
        self._found = self._missed = 0

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def get(self, text: str) -> PreparedText:
        """``text``, prepared now or earlier."""
        prepared = self._young.get(text)
        if prepared is None:
            prepared = self._old.pop(text, None)
            if prepared is None:
                return self._prepare(text)
            self._keep(prepared)
        self._found += 1
        return prepared

    def _prepare(self, text: str) -> PreparedText:
        prepared = PreparedText(text)
        self._missed += 1
        again = self._met_before(text)
        if again or self._missed <= _WARM_UP or 4 * self._found >= self._missed:
            prepared.settle()
            self._keep(prepared)
        return prepared

    def _keep(self, prepared: PreparedText) -> None:
        self._young[prepared.text] = prepared
        self._size += max(len(prepared.text), _PER_TEXT + _PER_TOKEN * prepared.size)
        if self._size > self._half:
            self._old, self._young, self._size = self._young, {}, 0

    def _met_before(self, text: str) -> bool:
        mark = hash(text)  # two texts of one hash are at worst kept too early
        if mark in self._met:
            return True
        if len(self._met) >= _MOST_MARKS:
            self._met.clear()
        self._met.add(mark)
        return False
