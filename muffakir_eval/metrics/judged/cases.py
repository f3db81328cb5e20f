"""What a judge is shown of a trial, and the trials for which none needs to be asked.

=====================  =========================  ==================================  ====================
                       answered (also in part)    refused                             empty answer
=====================  =========================  ==================================  ====================
answerable or unknown  judged                     correctness 0,                      correctness 0,
                                                  others n/a ``answer_refused``       others ``empty_answer``
unanswerable           judged; with a gold        n/a ``correct_abstention``          n/a ``empty_answer``
                       answer ``unanswerable``
=====================  =========================  ==================================  ====================

Metrics about the retrieved chunks alone do not look at the answer: a refusal is no reason to leave a
poor retrieval out of the mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from muffakir_eval.metrics.judged.traits import Shown, Traits
from muffakir_eval.prompts.framing import Material
from muffakir_eval.records import Score, Trial
from muffakir_eval.refusals import answer_state
from muffakir_eval.refusals.outcomes import is_blank
from muffakir_eval.text.sentences import split_sentences

__all__ = ["Case", "build_case", "decided"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a judge is shown.

    Attributes:
        material: Texts by placeholder.
        items: The placeholder whose texts get one verdict each, where there is one.
        groups: Numbers of the statements of each gold answer.
    """

    material: Mapping[str, Material]
    items: str | None = None
    groups: tuple[tuple[int, ...], ...] = ()

    @property
    def texts(self) -> Mapping[int, str]:
        """The items by number."""
        found = self.material[self.items] if self.items else {}
        return {} if isinstance(found, str) else found

    @property
    def n_chunks(self) -> int:
        """How many chunks are shown."""
        return len(self.material.get("chunks", ()))


def gold_answers(trial: Trial) -> tuple[str, ...]:
    """The accepted answers in which something can be seen."""
    return tuple(answer for answer in trial.sample.answers if not is_blank(answer))


def _chunks(trial: Trial) -> dict[int, str]:
    chunks = (trial.output.chunks or ())[: trial.k]
    return {rank: chunk.text for rank, chunk in enumerate(chunks, 1)}


def _numbered(texts: tuple[str, ...] | list[str], start: int = 1) -> dict[int, str]:
    return dict(enumerate(texts, start))


def build_case(trial: Trial, traits: Traits) -> Case:
    """What the judge is shown of ``trial``: all accepted answers, the first k chunks."""
    golds = gold_answers(trial)
    answer = trial.output.answer or ""
    texts: dict[Shown, Material] = {
        "question": trial.sample.question,
        "answer": answer,
        "gold_answer": golds[0] if len(golds) == 1 else _numbered(golds),
        "chunks": _chunks(trial),
    }
    material: dict[str, Material] = {shown: texts[shown] for shown in traits.shows}
    groups: list[tuple[int, ...]] = []
    if traits.statements_of is not None:
        statements: dict[int, str] = {}
        for text in golds if traits.statements_of == "gold_answer" else (answer,):
            part = _numbered(split_sentences(text), len(statements) + 1)
            statements.update(part)
            groups.append(tuple(part))
        material["statements"] = statements
    return Case(material=material, items=traits.items, groups=tuple(groups))


def decided(trial: Trial, name: str, traits: Traits) -> Score | None:
    """The score of ``trial`` where no judge needs to be asked, else ``None``."""
    reason = _no_gold(trial, traits)
    if reason is None and trial.output.error is not None:
        return Score.failed(name, "pipeline_error")
    if reason is None and traits.about_answer:
        reason = _no_answer(trial)
    if reason is None and "chunks" in traits.shows and all(map(is_blank, _chunks(trial).values())):
        reason = "no_chunks"
    if reason is None:
        return None
    if reason in {"answer_refused", "empty_answer"} and trial.answerable is not False and traits.abstaining is not None:
        return Score.measured(name, traits.abstaining, {"decided_by": reason})
    return Score.not_applicable(name, reason)


def _no_gold(trial: Trial, traits: Traits) -> str | None:
    """Why there is nothing to compare with, whatever the pipeline said."""
    if not traits.needs_gold:
        return None
    if trial.answerable is not False:
        return None if gold_answers(trial) else "no_gold_answer"
    if not traits.about_answer or trial.output.error is not None:
        return "unanswerable"
    return _no_answer(trial) or "unanswerable"


def _no_answer(trial: Trial) -> str | None:
    state = answer_state(trial.output, trial.refusal)
    if state == "none":
        return "no_answer"
    if state == "empty":
        return "empty_answer"
    if state == "refused":
        return "correct_abstention" if trial.answerable is False else "answer_refused"
    return None
