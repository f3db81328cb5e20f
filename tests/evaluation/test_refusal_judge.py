"""A judge's word on answers of which the phrases alone do not tell whether they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import ConfigError, EvaluationReport, JudgeError, MuffakirEvaluation, ScriptedModel
from muffakir_eval.judges.protocol import ModelError, Prompt

TEXT = "يستحق الموظف إجازة سنوية مدتها ثلاثون يومًا بأجر كامل بعد إتمام سنة من الخدمة."
PLAIN = "شهر كامل في كل سنة."
REFUSAL = "لا أعرف."
HIDDEN = "المدة ثلاثون يومًا، ولم أجد في النص ما يخص العقوبة."
"""Says after content that something was not found: the phrases take it for an answer, and are unsure."""
HEDGED = "لا أعرف على وجه الدقة، لكن المادة العاشرة تنص على أن مدة الإجازة السنوية ثلاثون يومًا بأجر كامل."
"""The phrases take it for a partial refusal, and are unsure."""


def says(verdict: str, quote: str = "") -> dict[str, str]:
    return {"reason": "تعليل", "quote": quote, "verdict": verdict}


class Rag:
    """Gives the answers in turn; its model is the judge."""

    def __init__(self, answers: list[str], replies: Any, stop_after: int | None = None) -> None:
        self.answers = answers
        self.llm_provider = ScriptedModel({"*": replies} if isinstance(replies, dict) else replies)
        self.asked = 0
        self.stop_after = stop_after

    def ask(self, question: str, k: int = 5) -> dict[str, Any]:
        if self.asked == self.stop_after:
            raise KeyboardInterrupt
        self.asked += 1
        return {"answer": self.answers[int(question.split()[1])], "retrieved_documents": [TEXT]}


def questions(count: int) -> list[dict[str, str]]:
    return [{"question": f"السؤال {n}", "answer": "ثلاثون يومًا", "context": TEXT} for n in range(count)]


def evaluated(rag: Rag, folder: Path | None = None, **settings: Any) -> EvaluationReport:
    given = {"metrics": ["recall"], "refusal_judge": True, "progress": False, "cache_dir": None, "pipeline_id": "rag"}
    suite = MuffakirEvaluation({**given, **settings})
    return suite.evaluate(rag, questions(len(rag.answers)), save=folder is not None, output_dir=folder)


def test_only_the_unsure_answers_are_asked_about() -> None:
    rag = Rag([PLAIN, REFUSAL, HIDDEN, HEDGED], says("no"))
    report = evaluated(rag)
    assert rag.llm_provider.calls == 2
    assert {HIDDEN, HEDGED} == {
        answer for answer in rag.answers if any(answer in p.user for p in rag.llm_provider.prompts)
    }
    assert report.to_dict()["refusals"]["judge"] == {"asked": 2, "overruled": 0, "failed": 0}
    assert report.to_dict()["usage"]["by_metric"]["answer_refusal"]["calls"] == 2
    assert [result.refused for result in report.samples] == [False, True, False, False]


def test_the_judge_may_overrule_the_phrases_both_ways() -> None:
    rag = Rag([HIDDEN, HEDGED], says("yes", quote="لم أجد في النص"))
    hidden, hedged = evaluated(rag).samples
    assert hidden.refusal is not None
    assert (hidden.refusal.kind, hidden.refusal.phrase, hidden.refused) == ("judged", "لم أجد في النص", True)
    assert hedged.refusal is not None, "the finer kind of the phrases stays"
    assert (hedged.refusal.kind, hedged.refusal.partial) == ("does_not_know", False)
    assert hidden.refusal_check["verdict"] == "refused"
    assert hidden.refusal_check["phrases"] == "answered"
    assert hidden.refusal_check["explanation"] == "تعليل"


def test_the_other_metrics_follow_the_judges_word() -> None:
    def reply(prompt: Prompt) -> dict[str, Any]:
        return says("yes") if prompt.metric == "answer_refusal" else {"reason": "", "score": 0.5}

    report = evaluated(Rag([HIDDEN, PLAIN], reply), metrics=["answer_correctness"])
    assert [result.scores["answer_correctness"].value for result in report.samples] == [0.0, 0.5]
    assert report.to_dict()["refusals"]["judge"]["overruled"] == 1
    assert "Refused 1 of 2" in str(report)


def test_a_judge_without_an_opinion_leaves_the_phrases_their_word() -> None:
    report = evaluated(Rag([HIDDEN, HEDGED, REFUSAL], ["no JSON"] * 4))
    assert [result.refused for result in report.samples] == [False, False, True]
    check = report.samples[0].refusal_check
    assert (check["verdict"], check["reason"]) == (None, "judge_unparseable")
    assert report.to_dict()["refusals"]["judge"] == {"asked": 2, "overruled": 0, "failed": 2}


def test_a_judge_that_must_answer_stops_the_run() -> None:
    with pytest.raises(JudgeError, match="answer_refusal failed with judge_unparseable"):
        evaluated(Rag([HIDDEN], ["no JSON"] * 2), fail_on_judge_error=True)


def test_a_record_keeps_the_opinion_and_a_resumed_run_pays_nothing_twice(tmp_path: Path) -> None:
    first = Rag([HIDDEN, HIDDEN, HIDDEN], says("yes"), stop_after=2)
    with pytest.raises(KeyboardInterrupt):
        evaluated(first, tmp_path / "run", max_concurrency=1)
    second = Rag([HIDDEN, HIDDEN, HIDDEN], says("yes"))
    report = evaluated(second, tmp_path / "run", max_concurrency=1)
    calls = first.llm_provider.calls + second.llm_provider.calls
    assert calls == 3
    assert report.to_dict()["usage"]["by_metric"]["answer_refusal"]["calls"] == 3
    assert report.to_dict()["refusals"]["n_refused"] == 3
    lines = (tmp_path / "run" / "records.jsonl").read_text(encoding="utf-8").splitlines()
    checks = [json.loads(line).get("refusal_check", {}).get("verdict") for line in lines if '"refusal_check"' in line]
    assert checks == ["refused"] * 3


def test_an_opinion_that_failed_is_asked_for_again(tmp_path: Path) -> None:
    well = False

    def reply(prompt: Prompt) -> Any:
        return says("yes") if well else "no JSON"

    first = Rag([HIDDEN, PLAIN], reply, stop_after=1)
    with pytest.raises(KeyboardInterrupt):
        evaluated(first, tmp_path / "run", max_concurrency=1)
    well = True
    second = Rag([HIDDEN, PLAIN], reply)
    report = evaluated(second, tmp_path / "run", max_concurrency=1)
    assert (second.asked, second.llm_provider.calls) == (1, 1)
    assert report.to_dict()["refusals"]["judge"] == {"asked": 1, "overruled": 1, "failed": 0}


def test_a_run_without_the_judge_is_another_run(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        evaluated(Rag([HIDDEN, PLAIN], says("yes"), stop_after=1), tmp_path / "run")
    with pytest.raises(Exception, match="refusal"):
        evaluated(Rag([HIDDEN, PLAIN], says("yes")), tmp_path / "run", refusal_judge=False)


def test_a_rejected_key_stops_the_run() -> None:
    rag = Rag([HIDDEN], [ModelError("rejected_key", "401")])
    with pytest.raises(JudgeError, match="401"):
        evaluated(rag)


def test_without_a_judge_it_is_refused_before_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    suite = MuffakirEvaluation({"metrics": ["recall"], "refusal_judge": True, "progress": False})
    with pytest.raises(ConfigError, match="llm_provider"):
        suite.evaluate(lambda question: (PLAIN, [TEXT]), questions(1))


def test_a_retriever_has_no_refusals_to_judge() -> None:
    config = {"metrics": ["recall"], "refusal_judge": True, "progress": False, "pipeline_mode": "retrieval_only"}
    report = MuffakirEvaluation(config).evaluate(lambda question: [TEXT], questions(1))
    assert report.summary() == {"recall_at_k": 1.0}


def test_a_rehearsal_counts_the_opinions() -> None:
    rows = [{**row, "predicted_answer": answer} for row, answer in zip(questions(2), [HIDDEN, PLAIN], strict=True)]
    model = ScriptedModel({"*": says("no")})
    from muffakir_eval import EvalRunner

    runner = EvalRunner(
        None, model, metrics=["token_f1"], refusal_judge=True, dry_run=True, progress=False, cache_dir=None
    )
    planned = runner.run(rows).to_dict()["dry_run"]
    assert planned["judge"]["by_metric"]["answer_refusal"]["calls"] == 1
    assert model.calls == 0
