"""The judged metrics by name: what each shows, asks, and makes of the reply."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.errors import MetricError
from muffakir_eval.judges.panel import PanelJudge
from muffakir_eval.judges.protocol import Judge
from muffakir_eval.judges.reply_models import (
    AttributionReply,
    ClaimsReply,
    GroundedReply,
    ItemsReply,
    RatingReply,
    ScoreReply,
    StatementsReply,
)
from muffakir_eval.metrics.judged import readings
from muffakir_eval.metrics.judged.asking import Question
from muffakir_eval.metrics.judged.cases import Case
from muffakir_eval.metrics.judged.criteria import CriteriaMetric
from muffakir_eval.metrics.judged.panel import refuse_majority, score_by
from muffakir_eval.metrics.judged.traits import Traits
from muffakir_eval.metrics.table import Metric
from muffakir_eval.prompts import PromptSet
from muffakir_eval.records import Score, Trial

__all__ = ["JUDGED_KINDS", "JudgedKind", "judged_metrics"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedKind:
    """A judged metric before it has a judge.

    Attributes:
        prompt: Its prompt file.
        traits: What it shows, and which trials it applies to.
        reply_model: What the judge must reply.
        read: From a reply to its value.
        formula: The variant in words; ``{k}`` is the cutoff.
        low: Lowest possible value.
        high: Highest possible value.
        binary: It only takes the values 0 and 1.
        whole: It only takes whole numbers.
    """

    prompt: str
    traits: Traits
    reply_model: type[BaseModel]
    read: Callable[[Any, Case, readings.Language], readings.Reading]
    formula: str
    low: float = 0.0
    high: float = 1.0
    binary: bool = False
    whole: bool = False


JUDGED_KINDS: Mapping[str, JudgedKind] = MappingProxyType(
    {
        "faithfulness": JudgedKind(
            prompt="faithfulness",
            traits=Traits(shows=("question", "answer", "chunks")),
            reply_model=GroundedReply,
            read=readings.read_grounded,
            formula="faithfulness (strict): 1 if the first k={k} chunks ground every claim of the answer, else 0",
            binary=True,
            whole=True,
        ),
        "faithfulness_claims": JudgedKind(
            prompt="faithfulness_claims",
            traits=Traits(shows=("question", "answer", "chunks"), statements_of="answer", items="statements"),
            reply_model=ClaimsReply,
            read=readings.read_claims,
            formula="faithfulness (claims): statements of the answer that the first k={k} chunks support / "
            "statements that claim something",
        ),
        "answer_correctness": JudgedKind(
            prompt="answer_correctness",
            traits=Traits(shows=("question", "answer", "gold_answer"), abstaining=0.0),
            reply_model=ScoreReply,
            read=readings.read_value,
            formula="answer correctness: 0 to 1 against the best of the accepted answers; 0 for a refused or empty "
            "answer to a question that is not known to be unanswerable",
        ),
        "llm_judge_rating": JudgedKind(
            prompt="llm_judge_rating",
            traits=Traits(shows=("question", "answer", "gold_answer")),
            reply_model=RatingReply,
            read=readings.read_value,
            formula="rating: 1 to 5 against the best of the accepted answers",
            low=1.0,
            high=5.0,
            whole=True,
        ),
        "contextual_precision": JudgedKind(
            prompt="contextual_precision",
            traits=Traits(shows=("question", "gold_answer", "chunks"), items="chunks"),
            reply_model=ItemsReply,
            read=readings.read_passages,
            formula="contextual precision: mean of precision@i over the ranks i of the first k={k} that hold a useful "
            "chunk, 0 if none does",
        ),
        "contextual_recall": JudgedKind(
            prompt="contextual_recall",
            traits=Traits(shows=("question", "gold_answer", "chunks"), statements_of="gold_answer", items="statements"),
            reply_model=AttributionReply,
            read=readings.read_attributions,
            formula="contextual recall: statements of the accepted answer that can be attributed to one of the first "
            "k={k} chunks / all; of several accepted answers the best counts",
        ),
        "answer_relevancy": JudgedKind(
            prompt="answer_relevancy",
            traits=Traits(shows=("question", "answer"), statements_of="answer", items="statements"),
            reply_model=StatementsReply,
            read=readings.read_statements,
            formula="answer relevancy: statements of the answer that address the question / statements that say "
            "something",
        ),
    }
)
"""Every judged metric; the two forms of faithfulness are both reported as ``faithfulness``."""


def judged_metrics(
    names: Sequence[str | CriteriaMetric], *, judge: Judge | PanelJudge, prompts: PromptSet, config: EvaluationConfig
) -> tuple[Metric, ...]:
    """The metrics of ``names``, bound to ``judge``.

    All of them stand in the block ``generation``, contextual precision and recall too: they are judged.

    Args:
        names: Names of :data:`~muffakir_eval.metrics.names.JUDGED_METRICS`, or what
            :func:`~muffakir_eval.metrics.judged.criteria.judge_metric` made.
        judge: Is asked; of a panel every member is.
        prompts: What it is asked.
        config: Gives ``k``, ``faithfulness_mode`` and ``judge_repeats``.

    Raises:
        MetricError: A name is unknown.
    """
    return tuple(_bound(name, judge, prompts, config) for name in names)


def _bound(
    name: str | CriteriaMetric, judge: Judge | PanelJudge, prompts: PromptSet, config: EvaluationConfig
) -> Metric:
    if isinstance(name, CriteriaMetric):
        kind, key, words = _criteria_kind(name), name.name, name.words(prompts.language)
    else:
        key, words = name.strip().lower(), {}
        kind = _kind(key, config)
    refuse_majority(judge, key, labels=kind.whole and config.judge_repeats == 1)
    template = prompts[kind.prompt]
    question = Question(
        name=key,
        traits=kind.traits,
        reply_model=kind.reply_model,
        read=kind.read,
        template=template,
        words=words,
        language=prompts.language,
        repeats=config.judge_repeats,
    )

    async def compute(trial: Trial) -> Score:
        return await score_by(trial, question, judge)

    repeats = f"; mean of {config.judge_repeats} repeats" if config.judge_repeats > 1 else ""
    return Metric(
        name=key,
        requested_as=key,
        family="generation",
        needs=kind.traits.needs,
        compute=compute,
        k=config.k if "chunks" in kind.traits.shows else None,
        definition=f"{kind.formula.format(k=config.k)}{repeats}; "
        f"prompt {prompts.language}/{kind.prompt} {template.hash[:12]}",
        low=kind.low,
        high=kind.high,
        binary=kind.binary and config.judge_repeats == 1 and _gives_labels(judge),
    )


def _gives_labels(judge: Judge | PanelJudge) -> bool:
    """The median or mean of a panel may lie between two labels."""
    return not isinstance(judge, PanelJudge) or judge.method == "majority"


def _kind(name: str, config: EvaluationConfig) -> JudgedKind:
    if name == "faithfulness" and config.faithfulness_mode == "claims":
        return JUDGED_KINDS["faithfulness_claims"]
    if name not in JUDGED_KINDS or name == "faithfulness_claims":
        known = ", ".join(each for each in JUDGED_KINDS if each != "faithfulness_claims")
        raise MetricError(f"{name!r} is no judged metric", where="config, key 'metrics'", expected=f"one of {known}")
    return JUDGED_KINDS[name]


def _criteria_kind(metric: CriteriaMetric) -> JudgedKind:
    low, high = metric.scale
    return JudgedKind(
        prompt="criteria",
        traits=Traits(shows=metric.shows),
        reply_model=metric.reply_model,
        read=readings.read_value,
        formula=metric.definition.replace("{", "{{").replace("}", "}}"),
        low=low,
        high=high,
        whole=metric.whole,
    )
