"""What a resumed run knows of its earlier part, and a judge that must answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import JudgeError, MuffakirEvaluation, ScriptedModel
from muffakir_eval.errors import RunMismatchError

TEXT = "عاصمة المملكة العربية السعودية هي الرياض."
ROWS = [{"question": f"ما عاصمة السعودية؟ {n}", "answer": "الرياض", "context": TEXT} for n in range(6)]
GOOD = {"reason": "مطابق", "score": 0.5}


class Rag:
    """Answers with a model of its own; stops after so many questions."""

    def __init__(self, replies: Any, stop_after: int | None = None) -> None:
        self.llm_provider = ScriptedModel(replies, name="own")
        self.stop_after = stop_after
        self.asked = 0

    def ask(self, question: str, k: int) -> dict[str, Any]:
        self.asked += 1
        if self.stop_after is not None and self.asked > self.stop_after:
            raise KeyboardInterrupt
        return {"answer": "الرياض", "retrieved_documents": [TEXT]}


def suite(**settings: Any) -> MuffakirEvaluation:
    return MuffakirEvaluation(
        {
            "metrics": ["answer_correctness"],
            "progress": False,
            "cache_dir": None,
            "pipeline_id": "rag",
            "max_concurrency": 1,
            "prices": {"input": 1.0, "output": 2.0},
            **settings,
        }
    )


def test_usage_covers_the_earlier_part_of_a_resumed_run(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        suite().evaluate(Rag({"*": GOOD}, stop_after=4), ROWS, save=True, output_dir=tmp_path)
    before = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    done = before["n_samples"]
    assert 1 <= done <= 4
    rag = Rag({"*": GOOD})
    report = suite().evaluate(rag, ROWS, save=True, output_dir=tmp_path)
    usage = report.to_dict()["usage"]
    assert (usage["calls"], rag.llm_provider.calls) == (6, 6 - done)
    whole = suite().evaluate(Rag({"*": GOOD}), ROWS).to_dict()["usage"]
    for name in ("calls", "input_tokens", "output_tokens"):
        assert usage[name] == whole[name]
    assert usage["cost_usd"] == pytest.approx(whole["cost_usd"])
    assert usage["cost_estimate_usd"] == pytest.approx(whole["cost_estimate_usd"])


def test_what_was_spent_earlier_counts_towards_the_budget(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        suite(budget_usd=1.0).evaluate(Rag({"*": GOOD}, stop_after=4), ROWS, save=True, output_dir=tmp_path)
    rag = Rag({"*": GOOD})
    report = suite(budget_usd=1e-9).evaluate(rag, ROWS, save=True, output_dir=tmp_path)
    assert rag.llm_provider.calls == 0
    assert (
        report.metrics["answer_correctness"]["reasons"]["over_budget"]
        == 6 - report.metrics["answer_correctness"]["n_scored"]
    )


def test_a_prompt_that_is_not_used_may_change(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        suite().evaluate(Rag({"*": GOOD}, stop_after=4), ROWS, save=True, output_dir=tmp_path)
    unused = {"llm_judge_rating": "{question} {answer} {gold_answer} قيّم الإجابة"}
    report = suite(prompt_overrides=unused).evaluate(Rag({"*": GOOD}), ROWS, save=True, output_dir=tmp_path)
    assert report.metrics["answer_correctness"]["n_scored"] == 6


def test_a_prompt_that_is_used_must_not(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        suite().evaluate(Rag({"*": GOOD}, stop_after=4), ROWS, save=True, output_dir=tmp_path)
    used = {"answer_correctness": "{question} {answer} {gold_answer} قيّم الإجابة"}
    with pytest.raises(RunMismatchError, match=r"metrics\.answer_correctness"):
        suite(prompt_overrides=used).evaluate(Rag({"*": GOOD}), ROWS, save=True, output_dir=tmp_path)


def test_p32_an_option_turns_an_unreadable_verdict_into_a_hard_failure(tmp_path: Path) -> None:
    replies = {"*": "لا أستطيع التقييم"}
    counted = suite().evaluate(Rag(replies), ROWS)
    assert counted.metrics["answer_correctness"]["reasons"] == {"judge_unparseable": 6}
    with pytest.raises(
        JudgeError, match=r"answer_correctness failed with judge_unparseable.*fail_on_judge_error"
    ) as caught:
        suite(fail_on_judge_error=True).evaluate(Rag(replies), ROWS, save=True, output_dir=tmp_path)
    assert "kept in" in str(caught.value)
    assert json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))["partial"] is True
