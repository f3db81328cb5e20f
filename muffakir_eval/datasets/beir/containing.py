"""Which passage of a corpus a gold passage was cut from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from muffakir_eval.text.tokens import tokenize

__all__ = ["containing_passages"]

_FEWEST = 3
"""A text of fewer tokens stands in too many passages by accident."""


def containing_passages(golds: Iterable[str], passages: Mapping[str, str]) -> dict[str, list[str]]:
    """The passages that hold each gold word for word, normalised as in matching; golds in none are left out.

    Args:
        golds: Texts.
        passages: Texts by identifier.

    >>> passages = {"p1": "المادة 5: يستحق العامل إجازةً سنوية بأجر.", "p2": "أحكام عامة"}
    >>> containing_passages(["يستحق العامل اجازة سنوية"], passages)
    {'يستحق العامل اجازة سنوية': ['p1']}
    """
    tokens = {gold: tokenize(gold) for gold in dict.fromkeys(golds)}
    wanted = {token for found in tokens.values() for token in found}
    lines: dict[str, str] = {}
    holders: dict[str, list[str]] = {token: [] for token in wanted}
    for name, text in passages.items():
        words = tokenize(text)
        known = wanted.intersection(words)
        if known:
            lines[name] = _line(words)
            for token in known:
                holders[token].append(name)
    found: dict[str, list[str]] = {}
    for gold, words in tokens.items():
        if len(words) >= _FEWEST:
            line = _line(words)
            names = [name for name in min((holders[word] for word in words), key=len) if line in lines[name]]
            if names:
                found[gold] = names
    return found


def _line(tokens: Iterable[str]) -> str:
    return f" {' '.join(tokens)} "
