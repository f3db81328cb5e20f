"""The rule engine: from the scores of one question to a rating, a score, and hints at what is wrong.

================  ===============================================================================
rating            when
================  ===============================================================================
``good``          the rule ``good`` holds
``bad``           ``good`` does not hold, and ``bad`` does
``incomplete``    neither holds, be it that a metric which they name does not apply to the question
``None``          a metric that decides has failed: nobody knows, and it is not counted as bad
================  ===============================================================================

A rule that is left out never holds. Where a missing value makes no difference (see
:mod:`~muffakir_eval.lm_retrieval.conditions`) the rating is given all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from muffakir_eval.config.reading import read_settings
from muffakir_eval.errors import ConfigError, MetricError
from muffakir_eval.lm_retrieval.conditions import Condition, Finding, examine, leaves
from muffakir_eval.lm_retrieval.mistakes import explained
from muffakir_eval.lm_retrieval.resource import table
from muffakir_eval.lm_retrieval.speaking import Language
from muffakir_eval.records import Score

__all__ = ["Issue", "Rated", "Rating", "RetrievalRules", "RuleScores", "load_rules"]

Rating = Literal["good", "bad", "incomplete"]

_Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
_NEVER = Finding(frozenset({False}))


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RuleScores(_Part):
    """The score of each rating; ``None`` is no score."""

    good: _Number | None = 1.0
    bad: _Number | None = 0.0
    incomplete: _Number | None = None


def _in_both(value: object) -> object:
    return dict.fromkeys(get_args(Language), value) if isinstance(value, str) else value


class Issue(_Part):
    """Something that is likely wrong, named where its condition holds and the rating is not good."""

    name: str = ""
    when: Condition
    text: Annotated[dict[Language, str], BeforeValidator(_in_both)]
    """In both languages; one text alone stands for both."""
    optional: bool = False
    """Left out of a run that lacks its metrics, instead of being an error."""

    @model_validator(mode="after")
    def _says_something(self) -> Issue:
        if not all(self.text.get(language, "").strip() for language in get_args(Language)):
            raise ValueError("an issue needs its text in Arabic and in English: {ar = …, en = …}, or one for both")
        return self

    def words(self, language: Language) -> str:
        """What is said."""
        return self.text[language]


@dataclass(frozen=True, slots=True)
class Rated:
    """What the rules make of the scores of one question.

    Attributes:
        rating: ``None`` where a metric that decides has failed.
        score: Of the rating; ``None`` where it has none, and where a missing value decides.
        issues: What is likely wrong.
        open_for: The scores without a value that decide.
    """

    rating: Rating | None
    score: float | None
    issues: tuple[Issue, ...] = ()
    open_for: tuple[Score, ...] = ()


class RetrievalRules(_Part):
    """Rules as data.

    >>> rules = load_rules({"good": {"metric": "contextual_recall", "op": ">=", "value": 0.9}})
    >>> rules.rate({"contextual_recall": Score.measured("contextual_recall", 0.5)}).rating
    'incomplete'
    """

    good: Condition | None = None
    bad: Condition | None = None
    scores: RuleScores = RuleScores()
    issues: tuple[Issue, ...] = ()

    @model_validator(mode="after")
    def _rates(self) -> RetrievalRules:
        if self.good is None and self.bad is None:
            raise ValueError("there is neither a rule for good nor one for bad")
        return self

    def named(self) -> Iterable[str]:
        """The metrics that the two rules name."""
        return dict.fromkeys(leaf.metric for rule in (self.good, self.bad) if rule is not None for leaf in leaves(rule))

    def rate(self, scores: Mapping[str, Score]) -> Rated:
        """The rating that ``scores`` give.

        Args:
            scores: By metric name.

        Raises:
            MetricError: A rule, or an issue that is not optional, names a metric that is not there.
        """
        self._check(scores)
        good = _NEVER if self.good is None else examine(self.good, scores)
        bad = _NEVER if self.bad is None else examine(self.bad, scores)
        if good.holds:
            return Rated("good", self.scores.good)
        if good.may_hold:
            return Rated(None, None, open_for=good.open_for)
        if bad.holds:
            return Rated("bad", self.scores.bad, self._issues(scores))
        if bad.may_hold:
            return Rated(None, None, open_for=bad.open_for)
        open_for = {score.name: score for found in (good, bad) if found.holds is None for score in found.open_for}
        score = None if open_for else self.scores.incomplete
        return Rated("incomplete", score, self._issues(scores), tuple(open_for.values()))

    def _issues(self, scores: Mapping[str, Score]) -> tuple[Issue, ...]:
        return tuple(
            issue
            for issue in self.issues
            if all(leaf.metric in scores for leaf in leaves(issue.when)) and examine(issue.when, scores).holds
        )

    def _check(self, scores: Mapping[str, Score]) -> None:
        needed = set(self.named())
        needed.update(leaf.metric for issue in self.issues if not issue.optional for leaf in leaves(issue.when))
        if missing := sorted(needed.difference(scores)):
            raise MetricError(
                f"the rules name {', '.join(map(repr, missing))}, and there is no such score",
                where="rules",
                expected=f"one of {', '.join(scores)}",
            )


def load_rules(source: Mapping[str, Any] | str | Path | RetrievalRules | None = None) -> RetrievalRules:
    """Rules from a table, or from a TOML, YAML or JSON file; without any, the default ones.

    What is given replaces the default: ``good`` and ``bad`` together, ``issues`` as a whole, and of ``scores``
    each rating by itself.

    Raises:
        ConfigError: The file cannot be read, or a rule is malformed.

    >>> load_rules().scores
    RuleScores(good=1.0, bad=0.0, incomplete=None)
    >>> load_rules({"good": {"metric": "contextual_recall", "op": ">=", "value": "high"}})
    Traceback (most recent call last):
    ...
    muffakir_eval.errors.ConfigError: rules, good.value: expected a number, found 'high'.
    """
    if isinstance(source, RetrievalRules):
        return source
    if isinstance(source, (str, PurePath)):
        given, where = read_settings(Path(source)), str(source)
    elif source is None or isinstance(source, Mapping):
        given, where = dict(source or {}), "rules"
    else:
        raise ConfigError(
            f"the rules are of type {type(source).__name__}",
            where="rules",
            expected="a table, or the path of a .toml, .yaml or .json file",
        )
    try:
        return RetrievalRules.model_validate(_with_defaults(given))
    except ValidationError as error:
        raise explained(error, where) from None


def _with_defaults(given: Mapping[str, Any]) -> dict[str, Any]:
    replaced = {"good", "bad"} if {"good", "bad"} & given.keys() else set[str]()
    values = {name: value for name, value in table("rules").items() if name not in replaced}
    scores = given.get("scores")
    if isinstance(scores, Mapping):
        scores = {**values["scores"], **scores}
    return {**values, **given, **({} if scores is None else {"scores": scores})}
