"""The lexical metrics of a run: the same functions, asked of one trial.

=========================  ===========================================================================
trial                      what the metrics on the answer say; those on the contexts do not look at it
=========================  ===========================================================================
no accepted answer         not applicable, ``no_gold_answer``
unanswerable question      not applicable: ``unanswerable``, or ``correct_abstention`` where it was refused
pipeline error             failed, ``pipeline_error``
no answer                  not applicable, ``no_answer``
refused or empty answer    measured as 0, like a judged ``answer_correctness``; as 1 where its words are
                           those of an accepted answer
=========================  ===========================================================================

The metrics on the contexts look at the first k chunks. Nothing retrieved is measured as 0; chunks without
a text, and a pipeline that does not tell what it retrieved, are not applicable with ``no_chunks``. Of
several accepted answers the best counts, for each metric by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from muffakir_eval.metrics.judged.cases import decided, gold_answers
from muffakir_eval.metrics.judged.traits import Traits
from muffakir_eval.metrics.lexical.overlap import context_overlap, exact_match, token_f1
from muffakir_eval.metrics.table import Metric
from muffakir_eval.records import Score, Trial

__all__ = ["LEXICAL_METRICS", "LOOK_ALIKES", "LexicalMetric", "lexical_metric"]

_ANSWER = Traits(shows=("answer", "gold_answer"), abstaining=0.0)
_CONTEXTS = Traits(shows=("gold_answer", "chunks"))


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalMetric:
    """A lexical metric before its cutoff is chosen.

    Attributes:
        compute: The value for one accepted answer, with a profile of what counts as the same letter.
        formula: In words; ``{k}`` is the cutoff.
        of_contexts: It looks at the retrieved chunks and not at the answer, and so has a cutoff.
        binary: It only takes the values 0 and 1.
    """

    compute: Callable[[str, Trial, str], float]
    formula: str
    of_contexts: bool = False
    binary: bool = False

    @property
    def traits(self) -> Traits:
        """What it must find in a trial."""
        return _CONTEXTS if self.of_contexts else _ANSWER


def _exact_match(accepted: str, trial: Trial, profile: str) -> float:
    return exact_match(trial.output.answer or "", accepted, profile=profile)


def _token_f1(accepted: str, trial: Trial, profile: str) -> float:
    return token_f1(trial.output.answer or "", accepted, profile=profile)


def _texts(trial: Trial) -> tuple[str, ...]:
    return tuple(chunk.text for chunk in (trial.output.chunks or ())[: trial.k])


def _recall(accepted: str, trial: Trial, profile: str) -> float:
    return context_overlap(accepted, _texts(trial), profile).recall


def _precision(accepted: str, trial: Trial, profile: str) -> float:
    return context_overlap(accepted, _texts(trial), profile).precision


_WORDS = "words normalised as in matching (profile {profile}), English articles left out"

LEXICAL_METRICS: dict[str, LexicalMetric] = {
    "exact_match": LexicalMetric(
        compute=_exact_match,
        formula="exact match (SQuAD): 1 if the answer has the words of an accepted answer in their order",
        binary=True,
    ),
    "token_f1": LexicalMetric(
        compute=_token_f1,
        formula="token F1 (SQuAD): 2 x common words / words of both, best accepted answer",
    ),
    "context_recall_lexical": LexicalMetric(
        compute=_recall,
        formula="lexical context recall at k={k}: different words of the accepted answer that stand in the first k "
        "chunks / all of them, best accepted answer",
        of_contexts=True,
    ),
    "context_precision_lexical": LexicalMetric(
        compute=_precision,
        formula="lexical context precision at k={k}: chunks with a word of the accepted answer / chunks among the "
        "first k, best accepted answer",
        of_contexts=True,
    ),
}
"""Name to metric, in the order of the report."""

LOOK_ALIKES = {
    "context_recall": ("context_recall_lexical", "contextual_recall"),
    "context_precision": ("context_precision_lexical", "contextual_precision"),
}
"""Names that a run does not know, since they could mean a lexical metric or a judged one."""


def lexical_metric(name: str, k: int, key: str, profile: str = "arabic") -> Metric:
    """The metric ``name`` of :data:`LEXICAL_METRICS`, reported as ``key``.

    Args:
        name: A key of :data:`LEXICAL_METRICS`.
        k: Its cutoff, where it looks at the chunks.
        key: Its name in the report.
        profile: What counts as the same letter in the run.
    """
    chosen = LEXICAL_METRICS[name]

    def compute(trial: Trial) -> Score:
        seen = trial if trial.k == k or not chosen.of_contexts else replace(trial, k=k)
        early = decided(seen, key, chosen.traits)
        if early is None:
            return Score.measured(key, _best(chosen, seen, profile))
        if early.reason == "no_chunks" and trial.output.chunks == ():
            return Score.measured(key, 0.0)
        if early.value is not None and _best(LEXICAL_METRICS["exact_match"], seen, profile) == 1:
            return Score.measured(key, 1.0)
        return early

    return Metric(
        name=key,
        requested_as=name,
        family="retrieval" if chosen.of_contexts else "generation",
        needs=chosen.traits.needs - {"judge"},
        compute=compute,
        k=k if chosen.of_contexts else None,
        definition=f"{chosen.formula.format(k=k)}; {_WORDS.format(profile=profile)}",
        binary=chosen.binary,
    )


def _best(metric: LexicalMetric, trial: Trial, profile: str) -> float:
    return max(metric.compute(accepted, trial, profile) for accepted in gold_answers(trial))
