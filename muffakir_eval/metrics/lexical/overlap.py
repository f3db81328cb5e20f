"""Words in common: how near an answer comes to the accepted one, and the contexts to it.

The formulas are those of SQuAD's evaluation (Rajpurkar et al., 2016), over the tokens of
:mod:`muffakir_eval.text.tokens`: normalised as in matching, so that diacritics, tatweel, forms of alef,
digits of another script, case and punctuation make no difference, and Chinese, Japanese and Thai are
compared by pairs of characters. Two things are added to those tokens: dotted initials are one word
(``U.S.`` is ``US``), and English articles do not count (:mod:`muffakir_eval.metrics.lexical.articles`).

SQuAD's own script deletes punctuation where tokens are split at it (``well-known`` is one of its words
and two of ours), and drops every ``a``; in a text without these the values are the same.

Texts in which nothing can be compared, such as emoji alone, are compared as a whole after
normalisation. Two empty texts are equal, as in SQuAD; a run never asks, since it has no gold then.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from muffakir_eval.errors import DatasetError
from muffakir_eval.metrics.lexical.articles import articles_in
from muffakir_eval.text.normalize import normalizer_for
from muffakir_eval.text.tokens import tokenize

__all__ = ["ContextOverlap", "context_overlap", "context_precision", "context_recall", "exact_match", "token_f1"]

_DOTTED = re.compile(r"(?<!\w)\w[^\w\s]{0,3}[.\uff0e]\w(?!\w)")
"""What may be initials, before normalisation: a letter may carry marks."""
_INITIALS = re.compile(r"(?<![\w.])[a-z](?:\.[a-z])+\.?(?![\w.])")
"""Initials after it."""
_KEPT = 64
"""Texts that are kept ready: the metrics of one sample ask for the same ones in turn."""


def exact_match(response: str, reference: str, *, profile: str = "arabic") -> float:
    """1.0 where the two texts have the same words in the same order, else 0.0. Symmetric.

    Args:
        response: What was answered.
        reference: The accepted answer.
        profile: What counts as the same letter: ``arabic``, ``persian``, ``urdu`` or ``none``.

    Raises:
        DatasetError: One of the two is no text (also a ``ValueError``).

    >>> exact_match('The Eiffel Tower', 'eiffel tower')
    1.0
    >>> exact_match('Paris', 'London')
    0.0
    >>> exact_match('سَنَةَ ٢٠٢٤', 'سنة 2024'), exact_match('الكتاب', 'كتاب'), exact_match('vitamin A', 'vitamin')
    (1.0, 0.0, 0.0)
    """
    given, accepted = _words(_text(response, "response"), profile), _words(_text(reference, "reference"), profile)
    if not given.tokens and not accepted.tokens:
        return float(_normalized(response, profile) == _normalized(reference, profile))
    left, right = _compared(given, accepted)
    return float(left == right)


def token_f1(response: str, reference: str, *, profile: str = "arabic") -> float:
    """F1 over the words of two texts, each as often as it stands there: SQuAD's F1. Symmetric, in [0, 1].

    ``2 * common / (words of response + words of reference)``, which is the harmonic mean of precision
    and recall. Texts with equal words get exactly 1.0.

    Args:
        response: What was answered.
        reference: The accepted answer.
        profile: What counts as the same letter: ``arabic``, ``persian``, ``urdu`` or ``none``.

    Raises:
        DatasetError: One of the two is no text (also a ``ValueError``).

    >>> token_f1('the quick brown fox', 'a quick brown fox')
    1.0
    >>> round(token_f1('quick brown fox', 'quick brown dog'), 4)
    0.6667
    >>> round(token_f1('عاصمتها مدينة الرياض', 'الرِّياض'), 4)
    0.5
    """
    given, accepted = _words(_text(response, "response"), profile), _words(_text(reference, "reference"), profile)
    if not given.tokens and not accepted.tokens:
        return float(_normalized(response, profile) == _normalized(reference, profile))
    left, right = _compared(given, accepted)
    common = sum((Counter(left) & Counter(right)).values())
    return 2 * common / (len(left) + len(right))


def context_recall(reference: str, retrieved_contexts: Sequence[str], *, profile: str = "arabic") -> float:
    """Share of the different words of the accepted answer that stand in any of the contexts; in [0, 1].

    0 without contexts. What a judge says about the contexts is another metric (``contextual_recall``).

    Args:
        reference: The accepted answer.
        retrieved_contexts: Texts of the retrieved passages.
        profile: What counts as the same letter: ``arabic``, ``persian``, ``urdu`` or ``none``.

    Raises:
        DatasetError: The contexts are no list of texts (also a ``ValueError``).

    >>> context_recall('paris france', ['Paris is the capital of France.'])
    1.0
    >>> context_recall('paris france', ['London is in England.'])
    0.0
    >>> context_recall('القاهرة عام ١٩٦٩', ['تأسست القاهرةُ سنة 969.', 'في 1969'])
    0.6666666666666666
    """
    return context_overlap(_text(reference, "reference"), _texts(retrieved_contexts), profile).recall


def context_precision(reference: str, retrieved_contexts: Sequence[str], *, profile: str = "arabic") -> float:
    """Share of the contexts that have a word in common with the accepted answer; in [0, 1].

    0 without contexts. One word is enough, be it as common as ``في``: a long answer makes this metric
    generous.

    Args:
        reference: The accepted answer.
        retrieved_contexts: Texts of the retrieved passages.
        profile: What counts as the same letter: ``arabic``, ``persian``, ``urdu`` or ``none``.

    Raises:
        DatasetError: The contexts are no list of texts (also a ``ValueError``).

    >>> context_precision('paris', ['Paris is in France.', 'Unrelated text.'])
    0.5
    """
    return context_overlap(_text(reference, "reference"), _texts(retrieved_contexts), profile).precision


class ContextOverlap(NamedTuple):
    """What the contexts have in common with one accepted answer."""

    recall: float
    precision: float


@lru_cache(maxsize=8)
def context_overlap(reference: str, contexts: tuple[str, ...], profile: str = "arabic") -> ContextOverlap:
    """Both figures at once, kept for the moment: each context is cut into words once."""
    if not contexts:
        return ContextOverlap(0.0, 0.0)
    accepted = _words(reference, profile)
    if not accepted.tokens:
        sign = _normalized(reference, profile)
        held = sum(bool(sign) and sign in _normalized(context, profile) for context in contexts)
        return ContextOverlap(float(held > 0), held / len(contexts))
    wanted = frozenset(accepted.tokens) - accepted.articles
    found = [wanted.intersection(_tokens(context, profile)) for context in contexts]
    return ContextOverlap(len(frozenset().union(*found)) / len(wanted), sum(map(bool, found)) / len(contexts))


class _Words(NamedTuple):
    """A text in words.

    Attributes:
        tokens: All of them, in order.
        articles: Which of the English articles stand in it as such.
        others: Which words that look like an article stand in it as something else.
    """

    tokens: list[str]
    articles: frozenset[str]
    others: frozenset[str]


def _tokens(text: str, profile: str) -> list[str]:
    if _DOTTED.search(text):
        text = _INITIALS.sub(_undotted, _normalized(text, profile))
    return tokenize(text, normalizer_for(profile))


def _normalized(text: str, profile: str) -> str:
    return normalizer_for(profile).normalize(text)


def _undotted(match: re.Match[str]) -> str:
    return match[0].replace(".", "")


@lru_cache(maxsize=_KEPT)
def _words(text: str, profile: str) -> _Words:
    tokens = _tokens(text, profile)
    return _Words(tokens, *articles_in(text, tokens, normalizer_for(profile)))


def _compared(left: _Words, right: _Words) -> tuple[list[str], list[str]]:
    """The words of both texts that count: an article does where either text has the word as a name."""
    dropped = (left.articles | right.articles) - left.others - right.others
    if not dropped:
        return left.tokens, right.tokens
    return [word for word in left.tokens if word not in dropped], [word for word in right.tokens if word not in dropped]


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise DatasetError(f"{name} is of type {type(value).__name__}", expected="a text")
    return value


def _texts(values: Iterable[str]) -> tuple[str, ...]:
    found: object = values
    if isinstance(found, (str, bytes, Mapping)) or not isinstance(found, Iterable):
        raise DatasetError(f"retrieved_contexts is of type {type(found).__name__}", expected="a list of texts")
    return tuple(_text(value, f"context {rank}") for rank, value in enumerate(values, 1))
