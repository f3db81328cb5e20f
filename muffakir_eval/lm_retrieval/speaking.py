"""The language in which a question is judged and explained."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from muffakir_eval.metrics import Metric
from muffakir_eval.records import Score, Trial

__all__ = ["Language", "in_its_language", "language_of"]

Language = Literal["ar", "en"]


def language_of(text: str) -> Language:
    """Arabic where at least half of the letters are; English otherwise.

    >>> language_of("ما عاصمة France؟"), language_of("What does كتاب mean?"), language_of("2 + 2?")
    ('ar', 'en', 'en')
    """
    letters = [letter for letter in text if letter.isalpha()]
    arabic = sum("\u0600" <= letter <= "\u06ff" or "\u0750" <= letter <= "\u077f" for letter in letters)
    arabic += sum("\ufb50" <= letter <= "\ufdff" or "\ufe70" <= letter <= "\ufeff" for letter in letters)
    return "ar" if letters and 2 * arabic >= len(letters) else "en"


def in_its_language(metrics: Mapping[Language, Sequence[Metric]]) -> tuple[Metric, ...]:
    """The same metrics in several languages as one: each trial is judged in the language of its question."""
    if len(metrics) == 1:
        return tuple(*metrics.values())
    return tuple(
        replace(alike[0], compute=_choosing(dict(zip(metrics, alike, strict=True))))
        for alike in zip(*metrics.values(), strict=True)
    )


def _choosing(metrics: Mapping[Language, Metric]) -> Callable[[Trial], Score | Awaitable[Score]]:
    def compute(trial: Trial) -> Score | Awaitable[Score]:
        return metrics[language_of(trial.sample.question)].compute(trial)

    return compute
