"""Which buckets the tokens of a text fall into, without making the tokens.

Most pairs of a gold and a chunk share next to nothing. To see that, no token is needed as text: one number
for each will do, and those of a whole ranking are computed at once, about five times as fast as the tokens
are split. Text that the code page of :mod:`muffakir_eval.text.codepage` does not decide character by character
is split first; the numbers are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from muffakir_eval.text import codepage
from muffakir_eval.text.normalize import Normalizer
from muffakir_eval.text.tokens import paired, split_runs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Codes = NDArray[np.uint16]
    Marks = NDArray[np.uint64]

__all__ = ["Signature", "Signer", "signer_for"]

_BUCKETS_LOG2 = 12
_BYTES = 2**_BUCKETS_LOG2 // 8
_LETTER, _DIGIT, _SEPARATOR, _SIGN, _DROPPED, _UNDECIDED = range(6)
"""Kinds of code units; a sign separates too, but not always between two digits."""
_SIGN_IN_NUMBER = bytes([_DIGIT, _SIGN, _DIGIT])
_STEP = 0x9E3779B97F4A7C15
"""A letter counts by its place in the word: times this odd number to the power of the place, modulo 2**64."""
_BACK = pow(_STEP, -1, 2**64)
_TOGETHER = 1 << 16
"""Most code units that are looked at at once, unless one text is longer."""


class Signature(NamedTuple):
    """A set of tokens, one bit per bucket that any of them falls into.

    Attributes:
        bits: The buckets.
        size: Number of different tokens.
        length: Characters of a token, in the mean of all of them; 0 without tokens.
        hidden: Those that fell into the bucket of another one: of the tokens of two texts, at most so many
            more are in both than bits are.
    """

    bits: int
    size: int
    length: float
    hidden: int


class Signer:
    """Makes signatures of texts as one normaliser reads them.

    >>> signer = Signer(Normalizer())
    >>> one, other = signer.sign(["المادة الأولى", "الماده الاولي؟ 中国"])
    >>> one.size, other.size, (one.bits & other.bits).bit_count()
    (2, 3, 2)
    """

    def __init__(self, normalizer: Normalizer) -> None:
        import numpy as np

        self._np = np
        self._normalizer = normalizer
        values = np.random.default_rng(20).integers(1, 2**63, 1 << 16, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        values[ord(" ")] = 0
        kinds = np.full(1 << 16, _LETTER, dtype=np.uint8)
        kinds[ord(" ")] = _SEPARATOR
        self._words = (kinds, values)
        self._raw = self._of_raw_text(values)
        self._powers = self._powers_of(_STEP, _TOGETHER)
        self._inverses = self._powers_of(_BACK, _TOGETHER)

    def _of_raw_text(self, values: Marks) -> tuple[NDArray[np.uint8], Marks]:
        """Kind and value of each code unit of a text as it is typed."""
        kinds = self._np.full(1 << 16, _UNDECIDED, dtype=self._np.uint8)
        read = self._np.zeros(1 << 16, dtype=self._np.uint64)
        for char in codepage.PAGE.rstrip("\ufffe"):
            kind, stands_for = self._kind(char)
            kinds[ord(char)] = kind
            if stands_for:
                read[ord(char)] = values[ord(stands_for)]
        return kinds, read

    def _kind(self, char: str) -> tuple[int, str]:
        """What a character of the code page does to the words around it, and what it stands for in them."""
        if char == "_" or self._normalizer.fold_bytes(char) is None:
            return _UNDECIDED, ""
        words, _ = split_runs(f"a{char}a", self._normalizer)
        if words == ["a", "a"]:
            numbers = [split_runs(f"1{char}{rest}", self._normalizer)[0] for rest in ("5", "555")]
            return (_SEPARATOR if all(map(len, numbers)) and all(len(n) == 2 for n in numbers) else _SIGN), ""
        inner = words[0][1:-1] if len(words) == 1 else "  "
        if not inner:
            return _DROPPED, ""
        if len(inner) > 1:
            return _UNDECIDED, ""
        return (_DIGIT if inner.isdecimal() else _LETTER), inner

    def _powers_of(self, base: int, count: int) -> Marks:
        powers = self._np.full(count, base, dtype=self._np.uint64)
        powers[0] = 1
        return self._np.multiply.accumulate(powers)

    def sign(self, texts: Sequence[str]) -> list[Signature]:
        """The signature of each text."""
        made: list[Signature | None] = []
        for batch in _batches(texts):
            made += self._sign(batch, *self._raw)
        slow = [place for place, signature in enumerate(made) if signature is None]
        split = (self._tokens(texts[place]) for place in slow)
        for place, signature in zip(slow, self._sign_words(split), strict=True):
            made[place] = signature
        return [signature for signature in made if signature is not None]

    def _tokens(self, text: str) -> str:
        runs, spaceless = split_runs(text, self._normalizer)
        return " ".join(paired(runs) if spaceless else runs)

    def _sign_words(self, split: Iterable[str]) -> list[Signature | None]:
        return [signature for batch in _batches(split) for signature in self._sign(batch, *self._words)]

    def _sign(self, batch: list[str], kinds: NDArray[np.uint8], values: Marks) -> list[Signature | None]:
        """The signatures of a batch, ``None`` for a text with a code unit that is undecided."""
        np = self._np
        data = (" " + " ".join(batch) + " ").encode("utf-16-le", "surrogatepass")
        codes = np.frombuffer(data, dtype=np.uint16)
        lengths = [len(text) for text in batch]
        if sum(lengths) + len(lengths) + 1 < len(codes):  # characters of two units
            lengths = [len(text.encode("utf-16-le", "surrogatepass")) // 2 for text in batch]
        starts = np.cumsum([1, *(length + 1 for length in lengths)])
        kind = kinds.take(codes)
        undecided: set[int] = set()
        most = kind.max()
        if most >= _DROPPED:
            undecided |= self._texts_at(np.flatnonzero(kind == _UNDECIDED), starts)
            dropped = np.flatnonzero(kind == _DROPPED)
            if len(dropped):
                kept = kind != _DROPPED
                codes, kind = codes[kept], kind[kept]
                starts = starts - np.searchsorted(dropped, starts)
        if _SIGN_IN_NUMBER in kind.tobytes():
            signs = np.flatnonzero(kind == _SIGN)
            inside = signs[(kind[signs - 1] == _DIGIT) & (kind[signs + 1] == _DIGIT)]
            undecided |= self._texts_at(inside, starts)
        word = kind <= _DIGIT
        before = np.flatnonzero(word[1:] > word[:-1])  # the unit before each word
        marks = self._marks(codes, values, before)
        cuts = np.searchsorted(before, starts - 1)
        counts = cuts[1:] - cuts[:-1]
        letters = np.add.reduceat(word, starts[:-1], dtype=np.int64)
        made = self._signatures(marks, counts, (letters / np.maximum(counts, 1)).tolist())
        return [None if text in undecided else signature for text, signature in enumerate(made)]

    def _texts_at(self, places: NDArray[np.int64], starts: NDArray[np.int64]) -> set[int]:
        return set((self._np.searchsorted(starts, places, side="right") - 1).tolist()) if len(places) else set()

    def _marks(self, codes: Codes, values: Marks, before: NDArray[np.int64]) -> Marks:
        """One number for each word, the same for the same word."""
        np = self._np
        powers, inverses = self._powers, self._inverses
        if len(codes) > len(powers):
            powers, inverses = self._powers_of(_STEP, len(codes)), self._powers_of(_BACK, len(codes))
        summed = values.take(codes)
        summed *= powers[: len(codes)]
        np.cumsum(summed, out=summed)
        sums = summed.take(before)
        marks: Marks = inverses.take(before)
        marks[:-1] *= sums[1:] - sums[:-1]
        marks[-1:] *= summed[-1] - sums[-1:]
        return marks

    def _signatures(self, marks: Marks, counts: NDArray[np.int64], lengths: list[float]) -> list[Signature]:
        np, texts = self._np, len(lengths)
        text = np.repeat(np.arange(texts), counts)
        bucket = (marks >> np.uint64(64 - _BUCKETS_LOG2)).astype(np.int64)
        bucket += text << _BUCKETS_LOG2
        holder = np.empty(texts << _BUCKETS_LOG2, dtype=np.int64)
        holder[bucket] = np.arange(len(marks))
        lost = np.flatnonzero(marks[holder[bucket]] != marks)  # another word has the bucket
        hidden = [0] * texts
        for place, _ in set(zip(text[lost].tolist(), marks[lost].tolist(), strict=True)):
            hidden[place] += 1
        filled = np.zeros(texts << _BUCKETS_LOG2, dtype=np.uint8)
        filled[bucket] = 1
        data = np.packbits(filled).tobytes()
        rows = (int.from_bytes(data[first : first + _BYTES], "big") for first in range(0, len(data), _BYTES))
        return [
            Signature(bits, bits.bit_count() + lost, length, lost)
            for bits, length, lost in zip(rows, lengths, hidden, strict=True)
        ]


@lru_cache(maxsize=8)
def signer_for(normalizer: Normalizer) -> Signer:
    """The signer of a normaliser; one and the same while few are in use."""
    return Signer(normalizer)


def _batches(texts: Iterable[str]) -> Iterable[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and size + len(text) > _TOGETHER // 4:
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text) + 1
    if batch:
        yield batch
