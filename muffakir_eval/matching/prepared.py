"""A text made ready for comparing, once, and kept for the questions that retrieve it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate, chain, islice, pairwise

from muffakir_eval.matching.signatures import Signature, signer_for
from muffakir_eval.text.normalize import Normalizer, default_normalizer
from muffakir_eval.text.tokens import lettered, paired, split_runs

__all__ = ["SMALL", "Least", "PreparedText", "PreparedTexts"]

Least = Callable[[float], float]
"""Mean length of the tokens of a text to the share of them that must be in another one
(:meth:`~muffakir_eval.matching.rules.Rules.least`)."""

SMALL = 8
"""Texts of fewer different tokens are compared in any case."""
_FIRST_IDEOGRAPH = "\u2e80"
_MOST_MARKS = 100_000
_WARM_UP = 500
"""So many texts are kept before it shows whether texts come back."""
_PER_TEXT, _PER_TOKEN = 120, 3
"""What a text and each of its tokens take at least, in characters: pairs of Chinese, identifiers, titles."""


class PreparedText:
    """What the stages of the cascade look at, made when they do.

    Attributes:
        text: The raw text.
        bits: Those of its signature.
        needed: Two texts that share fewer different tokens than both need are too different.
        limit: The same for their bits.
        size: Number of different tokens.
        length: Letters and digits of a token, in the mean.
    """

    def __init__(
        self, text: str, signature: Signature, normalizer: Normalizer | None = None, least: Least | None = None
    ) -> None:
        self.text = text
        self._normalizer = normalizer
        self._keys: frozenset[str] | None = None
        self.bits, self.size, self.length, hidden = signature
        self.needed = least(self.length) * self.size if least and self.size >= SMALL else 0.0
        self.limit = self.needed - hidden

    @classmethod
    def split(cls, text: str, normalizer: Normalizer | None = None, least: Least | None = None) -> PreparedText:
        """``text``, split into its tokens now. It has no bits, all are hidden: they rule nothing out.

        >>> text = PreparedText.split("القانون المدني، المادة ١٤٧")
        >>> text.size, text.length, text.tokens
        (4, 5.5, ['القانون', 'المدني', 'الماده', '147'])
        """
        runs, spaceless = split_runs(text, normalizer)
        tokens = paired(runs) if spaceless else runs
        distinct = frozenset(tokens)
        letters = len("".join(tokens).encode("utf-16-le", "surrogatepass")) // 2
        size, length = len(distinct), letters / max(len(tokens), 1)
        signature = Signature(bits=0, size=size, length=length, hidden=size)
        made = cls(text, signature, normalizer, least)
        made.__dict__.update(_runs=(runs, spaceless), tokens=tokens, distinct=distinct)
        return made

    @cached_property
    def _runs(self) -> tuple[list[str], bool]:
        return split_runs(self.text, self._normalizer)

    @property
    def spaceless(self) -> bool:
        """Some of it is in a script without spaces, whose tokens are pairs of characters."""
        return self._runs[1]

    @cached_property
    def tokens(self) -> list[str]:
        """The tokens in order."""
        runs, spaceless = self._runs
        return paired(runs) if spaceless else runs

    @property
    def count(self) -> int:
        """Number of tokens; 0 where there is nothing to compare."""
        return len(self.tokens)

    @cached_property
    def weight(self) -> float:
        """How many words the text has; two Chinese or Japanese characters count as one, and four Thai or Khmer."""
        return float(self.count) if not self.spaceless else sum(map(_weight, self._runs[0]))

    @cached_property
    def distinct(self) -> frozenset[str]:
        """The tokens, each once."""
        return frozenset(self.tokens)

    @cached_property
    def words(self) -> list[str]:
        """Words, numbers and single characters of scripts without spaces, in order."""
        runs, spaceless = self._runs
        return lettered(runs) if spaceless else runs

    @cached_property
    def sequence(self) -> str:
        """The words, between spaces.

        One sequence lies inside another if and only if the one text lies inside the other, whole
        words of it, whatever the punctuation.
        """
        return f" {' '.join(self.words)} "

    @cached_property
    def letters(self) -> str:
        """The words, nothing between them."""
        return "".join(self.words)

    @cached_property
    def ends(self) -> list[int]:
        """Where in :attr:`letters` each word ends."""
        return list(accumulate(map(len, self.words)))

    @cached_property
    def neighbours(self) -> frozenset[int]:
        """Every two words that follow one another, by their hash: two pairs of one hash are at worst one pair."""
        return frozenset(map(hash, pairwise(self.words)))

    def keys_by(self, keys: Callable[[str], frozenset[str]]) -> frozenset[str]:
        """The tokens and all that they may be forms of; made once, since the function is the same each time."""
        if self._keys is None:
            self._keys = self.distinct.union(chain.from_iterable(map(keys, self.distinct)))
        return self._keys

    @property
    def normalized(self) -> str:
        """The whole text normalised, punctuation and all."""
        return (self._normalizer or default_normalizer()).normalize(self.text)

    def all_in(self, tokens: frozenset[str], but: int = 0) -> bool:
        """All tokens of the text are among ``tokens``, all but so many; one that comes again counts again."""
        missing = (token for token in self.tokens if token not in tokens)
        return next(islice(missing, but, None), None) is None


def _weight(run: str) -> float:
    characters = len(lettered([run]))  # one for a word
    return max(1.0, characters / (2 if run >= _FIRST_IDEOGRAPH else 4))


class PreparedTexts:
    """Prepared texts by their raw text, the least recently used ones forgotten.

    While texts come back, each is kept from the first time on; in a run over ever new texts, from the
    second, so that nearly nothing is kept. Two generations stand in for a list in order of use: what
    is not asked for while half of the capacity is filled anew is dropped.

    Args:
        capacity: Most characters of raw text whose prepared form is kept; a thousand take 2 to 30 kB. A
            text of many short tokens counts for more than it has, so that the memory stays within that.
        normalizer: ``None`` for that of the default profile.
        least: What is asked of a text; ``None`` for nothing.
    """

    def __init__(
        self, capacity: int = 4_000_000, normalizer: Normalizer | None = None, least: Least | None = None
    ) -> None:
        self._normalizer = normalizer or default_normalizer()
        self._least = least
        self._half = max(1, capacity // 2)
        self._size = 0
        self._young: dict[str, PreparedText] = {}
        self._old: dict[str, PreparedText] = {}
        self._met: set[int] = set()
        self._signer = signer_for(self._normalizer)
        self._found = self._missed = 0

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def get(self, text: str) -> PreparedText:
        """``text``, prepared now or earlier."""
        return self.get_all([text])[0]

    def get_all(self, texts: Sequence[str]) -> list[PreparedText]:
        """Each of ``texts``, prepared now or earlier; what is new is prepared together."""
        young = self._young.get
        found = [prepared for text in texts if (prepared := young(text)) is not None]
        if len(found) == len(texts):
            self._found += len(texts)
            return found
        made: dict[str, PreparedText] = {}
        new: dict[str, None] = {}
        for text in texts:
            prepared = made.get(text) or self._recalled(text)
            if prepared is None:
                new[text] = None
            else:
                made[text] = prepared
                self._found += 1
        for text, signature in zip(new, self._signer.sign(list(new)), strict=True):
            made[text] = self._prepared(text, signature)
        return [made[text] for text in texts]

    def _recalled(self, text: str) -> PreparedText | None:
        prepared = self._young.get(text)
        if prepared is None:
            prepared = self._old.pop(text, None)
            if prepared is not None:
                self._keep(prepared)
        return prepared

    def _prepared(self, text: str, signature: Signature) -> PreparedText:
        prepared = PreparedText(text, signature, self._normalizer, self._least)
        self._missed += 1
        again = self._met_before(text)
        if again or self._missed <= _WARM_UP or 4 * self._found >= self._missed:
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
