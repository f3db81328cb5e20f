"""How sure the figures of a run are, for all questions and for those of each kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import ConfigError, EvaluationReport, MuffakirEvaluation, ScriptedModel, Trial
from muffakir_eval.statistics.intervals import wilson_interval

TEXTS = {
    "إجازات": "يستحق الموظف إجازة سنوية مدتها ثلاثون يومًا بأجر كامل بعد إتمام سنة من الخدمة.",
    "رخص": "تُقدَّم طلبات الرخص إلى مكتب البلدية في أيام العمل بين الثامنة صباحًا والثانية ظهرًا.",
}


def rows(dialects: int = 2) -> list[dict[str, Any]]:
    """Ten questions on leave, which are found, and five on licences, of which two are."""
    out = []
    for n in range(15):
        topic = "إجازات" if n < 10 else "رخص"
        row = {"question": f"السؤال {n}؟", "answer": "ج", "context": TEXTS[topic], "topic": topic}
        out.append({**row, "source_file": f"ملف{n % 4}.pdf", "dialect": f"د{n % dialects}"})
    return out


def rag(question: str) -> tuple[str, list[str]]:
    number = int(question.split()[1].rstrip("؟"))
    if number >= 12:
        return "لم أجد معلومات عن ذلك في السياق.", ["نص لا صلة له بما سئل عنه في هذا الموضع."]
    return ("لا أعرف الإجابة." if number == 0 else "ثلاثون يومًا"), [TEXTS["إجازات" if number < 10 else "رخص"]]


def evaluated(questions: list[dict[str, Any]] | None = None, **settings: Any) -> EvaluationReport:
    config = {"metrics": ["recall", "mrr"], "k": 1, "progress": False, **settings}
    return MuffakirEvaluation(config).evaluate(rag, questions or rows())


def test_every_mean_has_an_interval() -> None:
    report = evaluated()
    block = report.metrics["recall_at_k"]
    assert block["mean"] == pytest.approx(12 / 15)
    assert block["interval"] == list(wilson_interval(12, 15))
    assert block["interval_method"] == "wilson"
    assert "95 % interval" in str(report)
    low, high = block["interval"]
    assert f"{low:.4f} to {high:.4f}" in str(report)


def test_the_confidence_is_a_setting() -> None:
    report = evaluated(confidence_level=0.8)
    assert report.metrics["recall_at_k"]["interval"] == list(wilson_interval(12, 15, confidence=0.8))
    assert report.to_dict()["confidence_level"] == 0.8
    assert "80 % interval" in str(report)


def test_nothing_measured_has_no_interval() -> None:
    questions = [{"question": "السؤال 1؟", "context": ""}, {"question": "السؤال 2؟", "context": ""}]
    block = evaluated(questions).metrics["mrr"]
    assert (block["mean"], block["interval"], block["interval_method"]) == (None, None, None)


def test_slices_have_every_metric_with_its_interval(tmp_path: Path) -> None:
    report = evaluated(slice_by=["topic"])
    leave, licences = report.slices["topic"]
    assert (leave["value"], leave["n_samples"]) == ("إجازات", 10)
    assert leave["metrics"]["recall_at_k"]["mean"] == 1.0
    assert licences["metrics"]["recall_at_k"]["mean"] == pytest.approx(2 / 5)
    assert licences["metrics"]["recall_at_k"]["interval"] == list(wilson_interval(2, 5))
    text = str(report)
    assert "By topic" in text
    assert "إجازات" in text
    report.save(tmp_path / "run")
    saved = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
    assert saved["slices"]["topic"][0]["value"] == "إجازات"


def test_the_name_of_the_column_in_the_file_will_do() -> None:
    questions = [{**row, "المصدر": row["source_file"]} for row in rows()]
    for row in questions:
        del row["source_file"]
    report = evaluated(questions, slice_by="المصدر", column_mapping={"source_file": "المصدر"})
    (parts,) = report.slices.values()
    assert [part["value"] for part in parts] == ["ملف0.pdf", "ملف1.pdf", "ملف2.pdf", "ملف3.pdf"]


def test_questions_without_a_value_are_a_slice_of_their_own() -> None:
    questions = rows()
    for row in questions[:3]:
        row["topic"] = ""
    parts = evaluated(questions, slice_by="topic").slices["topic"]
    assert [(part["value"], part["n_samples"]) for part in parts] == [("إجازات", 7), ("رخص", 5), (None, 3)]
    assert "(none)" in str(evaluated(questions, slice_by="topic"))


def test_many_values_are_counted_and_not_all_shown() -> None:
    questions = [{**rows()[1], "question": f"السؤال {n % 10}؟ {n}", "page": n} for n in range(120)]
    report = evaluated([{**row, "question": f"السؤال {n % 10}"} for n, row in enumerate(questions)], slice_by="page")
    parts = report.slices["page"]
    assert len(parts) == 101
    assert parts[-1] == {"n_other_values": 20}
    assert "108 more values stand in summary.json" in str(report)
    assert len(report.metrics_dataframe()) == 2 * 101


def test_clusters_are_drawn_together() -> None:
    block = evaluated(cluster_column="source_file").metrics["recall_at_k"]
    assert (block["interval_method"], block["n_clusters"]) == ("cluster_bootstrap", 4)
    sliced = evaluated(cluster_column="source_file", slice_by=["topic"]).slices["topic"]
    assert [part["metrics"]["mrr"]["n_clusters"] for part in sliced] == [4, 4]


@pytest.mark.parametrize("key", ["slice_by", "cluster_column"])
def test_a_column_that_is_not_there_is_refused_before_the_run(key: str) -> None:
    with pytest.raises(ConfigError, match=r"no question has anything in the column 'topik'.*did you mean 'topic'"):
        evaluated(rows(), **{key: "topik"})


def test_means_as_a_frame() -> None:
    frame = evaluated(slice_by=["topic"]).metrics_dataframe()
    assert list(frame["metric"]) == ["recall_at_k", "mrr"] * 3
    whole = frame[frame["slice"].isna()].set_index("metric")
    low, mean, high = (float(whole[name]["mrr"]) for name in ("low", "mean", "high"))
    assert mean == pytest.approx(12 / 15)
    assert low < mean < high
    assert frame["n_scored"].sum() == 60


def test_refusals_are_set_against_the_evidence() -> None:
    report = evaluated()
    refusals = report.to_dict()["refusals"]
    assert refusals["by_evidence"] == {
        "retrieved": {"answered": 11, "partial": 0, "refused": 1, "empty": 0},
        "not_retrieved": {"answered": 0, "partial": 0, "refused": 3, "empty": 0},
        "unknown": {"answered": 0, "partial": 0, "refused": 0, "empty": 0},
    }
    assert refusals["interval"] == list(wilson_interval(4, 15))
    assert "not retrieved" in str(report)
    assert f"{wilson_interval(4, 15).low:.1%}" in str(report)


def test_evidence_that_nobody_knows_of_is_unknown() -> None:
    questions = [{"question": "السؤال 0؟"}, {"question": "السؤال 1؟"}]

    def length(trial: Trial) -> float:
        return float(len(trial.output.answer or ""))

    config = {"metrics": [length], "progress": False}
    report = MuffakirEvaluation(config).evaluate(rag, questions)
    assert report.to_dict()["refusals"]["by_evidence"]["unknown"]["refused"] == 1


def test_a_rating_that_is_always_1_is_no_share_of_successes() -> None:
    class Rated:
        llm_provider = ScriptedModel({"*": {"reason": "", "score": 1}})

        def ask(self, question: str, k: int = 5) -> dict[str, Any]:
            return {"answer": "ثلاثون يومًا", "retrieved_documents": [TEXTS["إجازات"]]}

    config = {"metrics": ["llm_judge_rating"], "progress": False, "cache_dir": None}
    block = MuffakirEvaluation(config).evaluate(Rated(), rows()[:5]).metrics["llm_judge_rating"]
    assert (block["mean"], block["interval"], block["interval_method"]) == (1.0, [1.0, 1.0], "bca_bootstrap")
