"""The English articles, which SQuAD's formula leaves out of the comparison.

``a``, ``an`` and ``the`` are left out where they are articles and the text is English:

* An *article* stands by itself and something follows it after a space: ``the Nile``, ``a "big" house``.
  ``vitamin A``, ``plan a.``, ``A-level``, ``A, B`` and ``U.S.A.`` hold no article, nor does a capital
  ``A`` between small letters (``hepatitis A virus``). A word that stands in a text both ways is no
  article there.
* A text is *English* unless it shows another language: more of its words have a letter beyond ``a`` to
  ``z`` (é, ß, every Arabic one) or are common words of French, German, Spanish, Italian, Portuguese,
  Dutch or Hungarian, or an ``an`` before a consonant (``an den Tagen``, ``an geldi``), than are common
  words of English, where an ``a`` at the very beginning of a text in
  Latin letters counts too.
  ``il a une maison`` and ``an der Wand`` keep all their words. A few words of another language without
  any such sign pass for English.
* Arabic ``ال`` is a part of its word and is never touched.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from muffakir_eval.text.normalize import Normalizer, default_normalizer

__all__ = ["ARTICLES", "articles_in"]

ARTICLES = frozenset({"a", "an", "the"})

_ARTICLE = re.compile(r"(?<![^\s\"'(\[])(?:a|an|the)(?=\s+[\"'(\[]*[^\W_])")
"""On normalised text, where quotes and brackets are the plain ones."""
_NAMED_A = re.compile(r"[a-z0-9]\s+A\s+[a-z]")
"""On raw text."""
_SPOKEN = frozenset("bcdgjkpqtvwyz")
"""Consonants whose names begin with one too, so that ``an`` stands before none of them: ``a TV``, but ``an MRI``."""
_LATIN = re.compile("[\x00-\u024f\u1e00-\u1eff]*")

_ENGLISH_WORDS = (
    "the of and to in is are was were that this it its he she his her they their we our you your with for from",
    "by at be been has have had not which who what when where would can will as or but if",
)
_OTHER_WORDS = (
    "il elle ils elles je nous vous les une et est dans avec qui ne pas aux ce cette ont sont",
    "der das und ist ein eine einen einem dem nicht mit zu im sie wir ich wird sind nach bei auf",
    "una unos unas que es en por pero uma ao em foi ele ela",
    "di che gli nel nella della sono lui lei het een niet ik zijn hij az egy hogy nem",
)
_ENGLISH, _OTHER = (frozenset(" ".join(words).split()) for words in (_ENGLISH_WORDS, _OTHER_WORDS))
"""Common words of English, and of its neighbours: these are no words of English and no usual part of a name."""


def articles_in(
    text: str, tokens: Sequence[str], normalizer: Normalizer | None = None
) -> tuple[frozenset[str], frozenset[str]]:
    """Which of :data:`ARTICLES` ``text`` holds as articles, and which of them as something else.

    Args:
        text: Raw.
        tokens: Of ``text``.
        normalizer: That of the tokens.

    >>> articles_in("the Nile", ["the", "nile"])
    (frozenset({'the'}), frozenset())
    >>> articles_in("vitamin A", ["vitamin", "a"])
    (frozenset(), frozenset({'a'}))
    """
    present = ARTICLES.intersection(tokens)
    if not present:
        return present, present
    if not _is_english(tokens):
        return frozenset(), present
    found = _ARTICLE.findall((normalizer or default_normalizer()).normalize(text))
    named = "a" if "a" in present and _NAMED_A.search(text) else ""
    articles = frozenset(word for word in present if word != named and found.count(word) == tokens.count(word))
    return articles, present - articles


def _is_english(tokens: Sequence[str]) -> bool:
    english = sum(token in _ENGLISH for token in tokens) + (tokens[0] == "a" and all(map(_LATIN.fullmatch, tokens)))
    other = sum(token in _OTHER or not token.isascii() for token in tokens)
    other += sum(word == "an" and follower[0] in _SPOKEN for word, follower in pairwise(tokens))
    return other <= english
