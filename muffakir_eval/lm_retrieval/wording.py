"""What is said about a score and a rating, in Arabic or English, built from the verdicts and the judge's reasons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from muffakir_eval.lm_retrieval.conditions import beside
from muffakir_eval.lm_retrieval.resource import table
from muffakir_eval.lm_retrieval.rules import Rated
from muffakir_eval.lm_retrieval.speaking import Language
from muffakir_eval.records import Score
from muffakir_eval.writers.lines import plain

__all__ = ["explain_rating", "explain_score", "figure", "reason_words"]

_ENDS = tuple(".!?؟…؛۔。！？।")
_CLOSING = "\"'»”’)]*_"
_MOST_DIGITS = 6
_LONGEST = 500
"""Characters of one statement, and of one reason; the whole of it stands in the verdicts."""


def figure(value: float, threshold: float | None = None) -> str:
    """A value with two decimals, or with as many more as keep it apart from 0, 1, and the threshold that it misses.

    >>> figure(0.5), figure(0.4999, 0.5), figure(2 / 3), figure(0.998)
    ('0.50', '0.4999', '0.67', '0.998')
    """
    apart_from = [each for each in (0.0, 1.0, threshold) if each is not None and each != value]
    digits = 2
    while digits < _MOST_DIGITS and any(f"{value:.{digits}f}" == f"{each:.{digits}f}" for each in apart_from):
        digits += 1
    return f"{value:.{digits}f}"


def reason_words(reason: str | None, language: Language) -> str:
    """Why there is no score, in words; a reason of the user's own as it stands."""
    return str(table("reasons", language).get(str(reason), str(reason).replace("_", " ")))


def metric_words(name: str, language: Language) -> str:
    """A metric's name for people."""
    return str(table("words", language, "names").get(name, name.replace("_", " ")))


def explain_score(score: Score, language: Language) -> str:
    """Why ``score`` is what it is; of contextual precision and recall, node by node and statement by statement.

    >>> verdicts = [{"number": 1, "verdict": "no", "reason": "عن برلين"}, {"number": 2, "verdict": "yes", "reason": ""}]
    >>> print(explain_score(Score.measured("contextual_precision", 0.5, {"verdicts": verdicts}), "ar"))
    الدرجة 0.50 لأن أول مقطع مفيد لم يأتِ إلا في المرتبة 2. المقطع 1 غير مفيد: عن برلين. المقطع 2 مفيد.
    """
    words = table("words", language)
    if score.value is None:
        message = " ".join(str(score.details.get("message") or "").split())
        reason = f"{score.reason}: {message}" if message else score.reason
        return str(words["missing"].format(words=reason_words(score.reason, language), reason=reason))
    verdicts = _counted(score)
    if score.name == "contextual_precision" and verdicts:
        cause, parts = _ranking(verdicts, words), _nodes(verdicts, words)
    elif score.name == "contextual_recall" and verdicts:
        cause, parts = _coverage(verdicts, words), _statements(verdicts, words)
    else:
        own = score.details.get("explanation")
        return own if isinstance(own, str) and own.strip() else str(words["plain"].format(score=figure(score.value)))
    repeats = score.details.get("repeats")
    if repeats:
        numbers = {"valid": repeats["n_valid"], "all": repeats["n"]}
        first = words["repeated"].format(score=figure(score.value), cause=cause, **numbers)
    else:
        first = words["because"].format(score=figure(score.value), cause=cause)
    return _sentences([first, *parts])


def _counted(score: Score) -> list[Mapping[str, Any]]:
    """The verdicts that the value was computed from: of several accepted answers, those on the best one."""
    verdicts = score.details.get("verdicts") or []
    counted = score.details.get("counted")
    return [item for item in verdicts if counted is None or item["number"] in counted]


def _ranking(verdicts: Sequence[Mapping[str, Any]], words: Mapping[str, str]) -> str:
    useful = [item["number"] for item in verdicts if item["verdict"] == "yes"]
    if not useful:
        return words["no_node"]
    if len(useful) == len(verdicts):
        return words["every_node"]
    if useful[0] > 1:
        return words["late"].format(rank=useful[0])
    gap = next(((one + 1, other) for one, other in pairwise(useful) if other > one + 1), None)
    return words["useful_first"] if gap is None else words["noise"].format(noise=gap[0], useful=gap[1])


def _nodes(verdicts: Iterable[Mapping[str, Any]], words: Mapping[str, str]) -> list[str]:
    return [
        _with_reason(words["useful" if item["verdict"] == "yes" else "useless"].format(number=item["number"]), item)
        for item in verdicts
    ]


def _coverage(verdicts: Sequence[Mapping[str, Any]], words: Mapping[str, str]) -> str:
    yes = sum(item["verdict"] == "yes" for item in verdicts)
    if yes in (0, len(verdicts)):
        return words["every_statement" if yes else "no_statement"]
    return words["some_statements"].format(yes=yes, all=len(verdicts))


def _statements(verdicts: Iterable[Mapping[str, Any]], words: Mapping[str, str]) -> list[str]:
    parts = []
    for item in verdicts:
        said = words["supported" if item["verdict"] == "yes" else "unsupported"]
        whole = _quoted(item["statement"])
        statement = whole.rstrip(".؛۔。") or whole
        parts.append(_with_reason(said.format(number=item["number"], statement=statement, chunk=item["chunk"]), item))
    return parts


def _with_reason(said: str, item: Mapping[str, Any]) -> str:
    reason = _quoted(item["reason"])
    return f"{said}: {reason}" if reason else said


def _quoted(text: str) -> str:
    """In one line, of a readable length, and unable to turn round what stands beside it."""
    line = " ".join(plain(text[: 2 * _LONGEST]).split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST].rstrip()}…"


def _sentences(parts: Iterable[str]) -> str:
    said = (part.strip() for part in parts)
    return " ".join(part if part.rstrip(_CLOSING).endswith(_ENDS) else f"{part}." for part in said if part)


def explain_rating(
    rated: Rated, scores: Mapping[str, Score], thresholds: Mapping[str, float], language: Language
) -> str:
    """Why the rating is what it is.

    Args:
        rated: The rating.
        scores: Of the run, by metric.
        thresholds: From which each of them is a success.
        language: Of the run.
    """
    words = table("words", language)
    met = all(_is_met(score, thresholds[name]) for name, score in scores.items())
    if rated.rating == "good" and met:
        return str(words["all_met"])
    if rated.rating is not None and not rated.open_for:
        first = words[rated.rating]
    else:
        first = words["failed" if rated.rating is None else "not_applicable"].format(**_open(rated, words, language))
    said = words["comma"].join(_metric(score, thresholds[name], words, language) for name, score in scores.items())
    return f"{first} {words['metrics'].format(list=said)}"


def _open(rated: Rated, words: Mapping[str, str], language: Language) -> dict[str, str]:
    """The metrics without a value that decide, and why they have none; failures where there are any."""
    failed = [score for score in rated.open_for if score.state == "failed"]
    deciding = failed or list(rated.open_for)
    names = (metric_words(score.name, language) for score in deciding)
    reasons = dict.fromkeys(reason_words(score.reason, language) for score in deciding)
    return {"metrics": words["comma"].join(names), "words": words["comma"].join(reasons)}


def _is_met(score: Score, threshold: float) -> bool:
    return score.value is not None and beside(score.value, threshold) >= threshold


def _metric(score: Score, threshold: float, words: Mapping[str, str], language: Language) -> str:
    name = metric_words(score.name, language)
    if score.value is None:
        return words["unknown"].format(metric=name, reason=score.reason)
    if _is_met(score, threshold):
        return words["met"].format(metric=name, score=figure(score.value))
    return words["below"].format(metric=name, score=figure(score.value, threshold), threshold=figure(threshold))
