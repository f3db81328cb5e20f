"""A metric by the user's own criteria: words, a scale, and what its steps mean."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from muffakir_eval.errors import MetricError
from muffakir_eval.judges.reply_models import AmountReply, WholeScoreReply, amount_reply, rating_reply
from muffakir_eval.metrics.judged.traits import Shown
from muffakir_eval.records import Trial

__all__ = ["CriteriaMetric", "judge_metric"]

_SCALES = {
    ("en", True): "whole numbers from {low} to {high}",
    ("en", False): "numbers from {low} to {high}, fractions included",
    ("ar", True): "الأعداد الصحيحة من {low} إلى {high}",
    ("ar", False): "الأعداد من {low} إلى {high} ومنها الكسور",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CriteriaMetric:
    """A metric by a user's criteria, for the configuration key ``metrics``.

    Attributes:
        name: Under which it is reported.
        criteria: What to judge, in the user's words.
        rubric: What single scores mean.
        scale: Lowest and highest score.
        shows: What the judge sees.
        whole: Only whole numbers are scores.
    """

    name: str
    criteria: str
    rubric: Mapping[int, str] = field(default_factory=dict)
    scale: tuple[int, int] = (1, 5)
    shows: tuple[Shown, ...] = ("question", "answer")
    whole: bool = True

    def __call__(self, trial: Trial) -> None:  # noqa: ARG002 - what a metric takes
        """It needs a judge: the evaluation binds it to one.

        Raises:
            MetricError: Always.
        """
        raise MetricError(
            f"the metric {self.name!r} is judged by a language model and cannot be called by itself",
            remedy="list it under the key 'metrics' of the configuration",
        )

    @property
    def reply_model(self) -> type[WholeScoreReply] | type[AmountReply]:
        """What the judge must reply."""
        return rating_reply(*self.scale) if self.whole else amount_reply(*self.scale)

    @property
    def definition(self) -> str:
        """The metric in one line, with a hash of all that the user wrote."""
        low, high = self.scale
        text = json.dumps([self.criteria, sorted(self.rubric.items())], ensure_ascii=False)
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        kind = "whole numbers" if self.whole else "numbers"
        return f"{self.name}: the user's criteria {digest}, {kind} from {low} to {high}, seen: {', '.join(self.shows)}"

    def words(self, language: str) -> dict[str, str]:
        """What stands in the prompt for its placeholders."""
        low, high = self.scale
        return {
            "criteria": self.criteria.strip(),
            "scale": _SCALES[language, self.whole].format(low=low, high=high),
            "rubric": "\n".join(f"{score} = {meaning}" for score, meaning in sorted(self.rubric.items())),
        }


def judge_metric(
    name: str,
    criteria: str,
    *,
    rubric: Mapping[int | str, str] | None = None,
    scale: tuple[int, int] = (1, 5),
    shows: Sequence[Shown] = ("question", "answer"),
    whole: bool = True,
) -> CriteriaMetric:
    """A metric that the judge scores by ``criteria``.

    Args:
        name: Under which it is reported.
        criteria: What to judge, in any language.
        rubric: What single scores mean: ``{1: "rude", 5: "polite"}``; not every score needs an entry.
        scale: Lowest and highest score.
        shows: What the judge sees: ``question``, ``answer``, ``gold_answer``, ``chunks`` (the first k). It
            applies to trials that have all of these; a refused answer is not judged.
        whole: Only whole numbers are scores.

    Raises:
        MetricError: A name or criteria is empty, the scale runs backwards, a score of the rubric is
            not on it, or ``shows`` names something else.

    >>> judge_metric("politeness", "هل الإجابة مهذبة؟", rubric={"1": "فظة", "5": "مهذبة"}).scale
    (1, 5)
    """
    where = f"judge_metric({name!r})"
    if not name.strip() or not criteria.strip():
        raise MetricError("the name or the criteria are empty", where=where, expected="a name and what to judge")
    low, high = scale
    if any(type(end) is not int for end in scale) or low >= high:
        raise MetricError(f"the scale is {scale!r}", where=where, expected="two whole numbers, the lower one first")
    unknown = [each for each in shows if each not in get_args(Shown)]
    if unknown or not shows:
        raise MetricError(
            f"the judge is to see {', '.join(map(repr, unknown)) or 'nothing'}",
            where=where,
            expected=f"some of {', '.join(get_args(Shown))}",
        )
    return CriteriaMetric(
        name=name.strip(),
        criteria=criteria,
        rubric=_rubric(rubric or {}, scale, where),
        scale=(low, high),
        shows=tuple(dict.fromkeys(shows)),
        whole=whole,
    )


def _rubric(rubric: Mapping[int | str, str], scale: tuple[int, int], where: str) -> dict[int, str]:
    found: dict[int, str] = {}
    for key, meaning in rubric.items():
        try:
            score = int(key)
        except ValueError:
            score = scale[1] + 1
        if not scale[0] <= score <= scale[1] or score in found:
            raise MetricError(
                f"the rubric has the score {key!r}",
                where=where,
                expected=f"each a whole number from {scale[0]} to {scale[1]}, once",
            )
        found[score] = meaning
    return found
