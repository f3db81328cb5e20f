"""Phrases of refusals that the user adds to a run: they count, are recorded, and refuse to mix."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import ConfigError, MuffakirEvaluation
from muffakir_eval.errors import RunMismatchError

TEXT = "يستحق الموظف إجازة سنوية مدتها ثلاثون يومًا بأجر كامل بعد إتمام سنة من الخدمة."
ROWS = [{"question": f"سؤال {n}؟", "answer": "ثلاثون يومًا", "context": TEXT, "chunk_id": "a"} for n in range(4)]
PHRASE = "راجع شؤون الموظفين"


def suite(**settings: Any) -> MuffakirEvaluation:
    return MuffakirEvaluation({"metrics": ["recall"], "k": 1, "progress": False, **settings})


class Rag:
    def __init__(self, stop_after: int = 99) -> None:
        self.left = stop_after

    def ask(self, question: str) -> dict[str, Any]:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        return {
            "answer": "لا أعلم." if "0" in question else f"{PHRASE}.",
            "source_documents": [{"page_content": TEXT, "metadata": {"chunk_id": "a"}}],
        }


def test_they_count_and_stand_in_the_summary(tmp_path: Path) -> None:
    plain = suite().evaluate(Rag(), ROWS)
    assert plain.to_dict()["refusals"]["n_refused"] == 1
    phrases = [{"phrase": PHRASE, "language": "ar", "kind": "sent_away"}]
    report = suite(refusal_phrases=phrases, not_refusal_phrases="لا أعلم").evaluate(
        Rag(), ROWS, save=True, output_dir=tmp_path
    )
    assert report.to_dict()["refusals"]["n_refused"] == 3
    summary = json.loads((tmp_path / "summary.json").read_text("utf-8"))
    assert summary["config"]["refusal_phrases"] == phrases
    assert summary["config"]["not_refusal_phrases"] == ["لا أعلم"]
    kinds = [sample.refusal and sample.refusal.kind for sample in report.samples]
    assert kinds == [None, "sent_away", "sent_away", "sent_away"]


def test_results_of_other_phrases_are_not_mixed(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        suite(refusal_phrases=[PHRASE]).evaluate(Rag(stop_after=2), ROWS, save=True, output_dir=tmp_path)
    with pytest.raises(RunMismatchError, match=r"refusals\.refusal_phrases"):
        suite().evaluate(Rag(), ROWS, save=True, output_dir=tmp_path)
    report = suite(refusal_phrases=[PHRASE]).evaluate(Rag(), ROWS, save=True, output_dir=tmp_path)
    assert report.to_dict()["refusals"]["n_refused"] == 4


@pytest.mark.parametrize(
    ("phrases", "message"),
    [
        ([{"phrase": "لا أعلم", "reason": "policy"}], "contradict"),
        ([{"phrase": 5}], "refusal_phrases"),
        ([7], "refusal_phrases"),
        ("…", "a phrase of words was expected"),
    ],
)
def test_contradictions_and_nonsense_are_errors(phrases: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        suite(refusal_phrases=phrases).evaluate(Rag(), ROWS)
