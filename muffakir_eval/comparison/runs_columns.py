"""Scores of a run by metric: a value, or why there is none."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["ABSTENTION", "LATENCY", "REFUSALS", "REFUSALS_ANSWERABLE", "Answer", "Columns", "Missing", "applies"]

Answer = Literal["given", "none", "error"]
"""Whether the pipeline gave an answer, does not answer, or failed."""

REFUSALS = "answer_refusal_rate"
REFUSALS_ANSWERABLE = "answer_refusal_rate_answerable"
ABSTENTION = "abstention_rate_unanswerable"
LATENCY = "pipeline_latency_ms"

_SYSTEMS_OWN = frozenset({"answer_refused", "empty_answer", "no_answer", "no_chunks", "not_comparable"})
"""Reasons for which a metric has no value although the question could have been scored."""


class Missing(NamedTuple):
    """Why a question has no score."""

    reason: str
    failed: bool


def applies(missing: Missing) -> bool:
    """The question could have had a score: what is missing counts against the coverage.

    Not so where the question itself has none to give (no gold evidence, no gold answer), or where
    abstaining was right.

    >>> applies(Missing("pipeline_error", True)), applies(Missing("answer_refused", False))
    (True, True)
    >>> applies(Missing("no_gold", False))
    False
    """
    return missing.failed or missing.reason in _SYSTEMS_OWN


class Columns:
    """The scores of every metric, question by question; 10 bytes for each.

    Attributes:
        names: The metrics.
        judged: Those of which a language model was asked.
        reasons: Why scores are missing; :meth:`why` counts from 1 in this list.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.judged: set[str] = set()
        self.reasons: list[Missing] = []
        self._codes: dict[Missing, int] = {}
        derived = (REFUSALS, REFUSALS_ANSWERABLE, ABSTENTION, LATENCY)
        self._values = {name: array("d") for name in (*self.names, *derived)}
        self._why = {name: array("h") for name in self._values}

    def grow(self) -> None:
        """One question more, about which nothing is known yet."""
        for values, why in zip(self._values.values(), self._why.values(), strict=True):
            values.append(0.0)
            why.append(0)

    def put(self, name: str, place: int, value: float) -> None:
        """The metric has a value."""
        self._values[name][place] = value
        self._why[name][place] = 0

    def put_missing(self, name: str, place: int, missing: Missing) -> None:
        """The metric has no value."""
        if missing not in self._codes:
            self.reasons.append(missing)
            self._codes[missing] = len(self.reasons)
        self._values[name][place] = 0.0
        self._why[name][place] = self._codes[missing]

    def put_outcome(self, place: int, answer: Answer, refused: bool, answerable: bool | None) -> None:
        """Whether the question was refused; a refusal is wrong only where there is an answer."""
        unanswerable = answerable is False
        for name, counts in ((REFUSALS, True), (REFUSALS_ANSWERABLE, not unanswerable), (ABSTENTION, unanswerable)):
            if not counts:
                self.put_missing(name, place, Missing("unanswerable" if unanswerable else "answerable", False))
            elif answer == "given":
                self.put(name, place, float(refused))
            else:
                failed = answer == "error"
                self.put_missing(name, place, Missing("pipeline_error" if failed else "no_answer", failed))

    def put_latency(self, place: int, value: float | None) -> None:
        """Milliseconds in the pipeline."""
        if value is None:
            self.put_missing(LATENCY, place, Missing("not_recorded", False))
        else:
            self.put(LATENCY, place, float(value))

    def keep(self, places: Sequence[int]) -> None:
        """Forget all questions but those at ``places``."""
        self._values = {name: array("d", [column[place] for place in places]) for name, column in self._values.items()}
        self._why = {name: array("h", [column[place] for place in places]) for name, column in self._why.items()}

    def derived(self) -> tuple[str, ...]:
        """What is compared beside the metrics: refusals where there are answers, latency where it is known."""
        known = {name: any(not code for code in self._why[name]) for name in (REFUSALS, ABSTENTION, LATENCY)}
        refusals = (REFUSALS, REFUSALS_ANSWERABLE, ABSTENTION) if known[ABSTENTION] else (REFUSALS,)
        return (*(refusals if known[REFUSALS] else ()), *((LATENCY,) if known[LATENCY] else ()))

    def values(self, name: str) -> npt.NDArray[np.float64]:
        """The values of a metric; what is missing is 0."""
        import numpy as np

        return np.frombuffer(self._values[name], dtype=np.float64)

    def why(self, name: str) -> npt.NDArray[np.int16]:
        """Of each question, 0 for a value, else one more than the place of the reason in :attr:`reasons`."""
        import numpy as np

        return np.frombuffer(self._why[name], dtype=np.int16)

    def counted(self) -> Mapping[int, Missing]:
        """The reasons by their code."""
        return dict(enumerate(self.reasons, start=1))
