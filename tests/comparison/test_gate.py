"""The gate: what passes, what fails, and what was not measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import (
    EvaluationReport,
    MuffakirEvaluation,
    PipelineDownError,
    Score,
    Trial,
    assert_report,
    check_gate,
)
from muffakir_eval.comparison.gate_conditions import Condition
from muffakir_eval.errors import ConfigError, MetricError, StorageError
from tests.comparison.recorded import failed, questions, run_of, skipped
from tests.comparison.test_runs import REFUSAL, answers


def recall_run(found: int, of: int, *, down: int = 0, folder: Path | None = None, **settings: Any) -> EvaluationReport:
    """A retriever that finds the gold of the first questions, and breaks on the last."""
    rows = [{"question": f"س{number}", "chunk_id": str(number)} for number in range(of)]

    def rag(question: str) -> list[dict[str, str]]:
        number = int(question[1:])
        if number >= of - down:
            raise ConnectionError("no route")
        return [{"text": "", "chunk_id": question[1:] if number < found else "x"}]

    given = {"metrics": ["recall"], "progress": False, "pipeline_id": "r", "max_pipeline_errors": 1000, **settings}
    return MuffakirEvaluation(given).evaluate(rag, rows, save=folder is not None, output_dir=folder)


# ----------------------------------------------------------------------- nothing measured, P49


def test_a_when_every_question_failed_nothing_passes() -> None:
    result = check_gate(recall_run(0, 10, down=10), "recall@5 >= 0.8")
    (check,) = result.checks
    assert (result.exit_code, result.passed, check.state, check.value) == (3, False, "not_measured", None)
    assert check.message == "recall_at_k was not measured: pipeline error (10)"
    assert check_gate(recall_run(0, 10, down=10), "recall <= 0.8").exit_code == 3


def test_b_without_questions_nothing_passes(tmp_path: Path) -> None:
    recall_run(1, 1, folder=tmp_path)
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    summary["n_samples"] = 0
    summary["metrics"]["recall_at_k"] |= {"mean": None, "reason": "no_samples", "n_scored": 0, "n_total": 0}
    (tmp_path / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    result = check_gate(tmp_path, "recall@5 >= 0.8")
    assert (result.exit_code, [check.message for check in result.checks]) == (
        3,
        ["the run holds no finished question"],
    )


def test_c_values_are_compared_unrounded() -> None:
    def almost(trial: Trial) -> float:
        return 0.79999

    result = check_gate(run_of([0] * 3, metrics=[almost]), "almost >= 0.8")
    assert result.exit_code == 1
    assert "almost is 0.79999 (" in result.checks[0].message
    assert "0.79999" in str(result)
    assert check_gate(run_of([0] * 3, metrics=[almost]), "almost >= 0.79999").exit_code == 0


def test_d_a_coverage_of_60_percent_does_not_pass() -> None:
    report = recall_run(60, 100, down=40)
    result = check_gate(report, "recall@5 >= 0.8")
    (check,) = result.checks
    assert (result.exit_code, check.value, check.coverage) == (3, 1.0, 0.6)
    assert check.message == (
        "recall_at_k was measured on 60 of the 100 questions that it applies to (60.0%); at least 0.9 of them are "
        "asked for: pipeline error (40)"
    )
    assert check_gate(report, "recall@5 >= 0.8", min_coverage=0.6).exit_code == 0
    messages = {check_gate(run, "recall@5 >= 0.8").checks[0].message for run in (report, recall_run(0, 10, down=10))}
    assert len(messages) == 2


def test_one_failure_in_a_hard_benchmark_is_not_the_end() -> None:
    assert check_gate(recall_run(30, 100, down=1), "recall >= 0.25").exit_code == 0


def test_refused_answers_count_against_the_coverage_and_questions_without_gold_do_not() -> None:
    result = check_gate(run_of([1.0] * 8 + [skipped] * 2 + ["none"] * 30), "quality >= 0.5")
    assert result.exit_code == 3
    assert "on 8 of the 10 questions" in result.checks[0].message
    assert result.checks[0].message.endswith("answer refused (2)")
    assert check_gate(run_of([1.0] * 10 + ["none"] * 30), "quality >= 0.5").exit_code == 0


def test_reasons_of_questions_that_do_not_count_are_not_blamed() -> None:
    rows = [{"question": f"س{number}", "chunk_id": "1" if number < 6 else ""} for number in range(10)]
    report = MuffakirEvaluation({"metrics": ["recall"], "progress": False}).evaluate(
        lambda question: [{"text": "", "chunk_id": "1"}], rows
    )
    assert report.metrics["recall_at_k"]["reasons"] == {"no_gold": 4}
    (check,) = check_gate(report, "recall >= 0.5").checks
    assert (check.state, check.n_scored, check.n_applicable) == ("passed", 6, 6)


def test_a_run_that_stopped_early_is_refused_unless_allowed(tmp_path: Path) -> None:
    with pytest.raises(PipelineDownError):
        recall_run(50, 50, down=5, folder=tmp_path, max_pipeline_errors=2)
    result = check_gate(tmp_path, "recall >= 0.5")
    assert result.exit_code == 3
    assert "of 50 questions done; finish it, or allow a partial run" in result.checks[0].message
    assert check_gate(tmp_path, "recall >= 0.5", allow_partial=True).exit_code == 0


# --------------------------------------------------------------------------------- thresholds


def test_both_sides_of_a_threshold() -> None:
    report = recall_run(8, 10)
    result = check_gate(report, "recall_at_k >= 0.8", "recall <= 0.8", "recall > 0.8", "recall < 0.8")
    assert [check.state for check in result.checks] == ["passed", "passed", "failed", "failed"]
    assert result.checks[0].condition == "recall_at_k >= 0.8"
    assert (result.exit_code, result.run_id) == (1, report.run_id)
    assert check_gate(report, Condition(name="recall", operator=">=", limit=0.8)).passed


def test_a_failure_is_stronger_than_what_was_not_measured() -> None:
    def half(trial: Trial) -> Score | float:
        return float(trial.output.answer or 0) if trial.output.answer != skipped else Score.failed("half", "timeout")

    result = check_gate(run_of([0.5, skipped], metrics=[half]), "half >= 0.5", "n_samples >= 3")
    assert [check.state for check in result.checks] == ["not_measured", "failed"]
    assert result.exit_code == 1


def test_the_unfavourable_end_of_the_interval() -> None:
    report = recall_run(9, 10)
    lower = check_gate(report, "recall >= 0.8", "recall <= 0.95", use="lower", min_coverage=0)
    assert [check.state for check in lower.checks] == ["failed", "failed"]
    assert lower.checks[0].interval is not None
    assert [check.compared for check in lower.checks] == list(lower.checks[0].interval)
    assert "the lower end of the interval, 0.5958, is held against the limit" in lower.checks[0].message
    assert "the upper end of the interval" in lower.checks[1].message
    assert check_gate(report, "recall >= 0.5", "n_samples >= 10", use="lower").passed


def test_without_an_interval_its_end_is_not_measured(tmp_path: Path) -> None:
    one = check_gate(recall_run(1, 1), "recall >= 0.1", use="lower")
    assert (one.exit_code, "no interval" in one.checks[0].message) == (3, True)
    recall_run(3, 4, folder=tmp_path)
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    summary["metrics"]["recall_at_k"].pop("interval")
    (tmp_path / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    result = check_gate(tmp_path, "recall >= 0.5", use="lower")
    assert (result.exit_code, "no interval" in result.checks[0].message) == (3, True)
    assert check_gate(tmp_path, "recall >= 0.5").passed


def test_figures_beside_the_metrics() -> None:
    rows = [{**row, "answerable": number >= 20} for number, row in enumerate(questions(40))]
    report = answers(dict.fromkeys(range(10, 25), REFUSAL), rows)
    values = {
        "answer_refusal_rate": 15 / 40,
        "answer_refusal_rate_answerable": 5 / 20,
        "abstention_rate_unanswerable": 10 / 20,
        "pipeline_error_rate": 0.0,
        "n_samples": 40.0,
    }
    for name, value in values.items():
        assert check_gate(report, f"{name} >= 0").checks[0].value == value
    for name in ("latency_ms", "latency_ms.p95", "pipeline_latency_ms.max", "evaluation_latency_ms.mean"):
        (check,) = check_gate(report, f"{name} < 1e6").checks
        assert (check.state, check.n_scored) == ("passed", 40)


def test_rates_of_what_never_came() -> None:
    retrieved = recall_run(3, 4)
    result = check_gate(retrieved, "answer_refusal_rate <= 0.1", "cost_usd <= 1", "abstention_rate_unanswerable >= 0")
    assert [check.state for check in result.checks] == ["not_measured"] * 3
    assert [check.message for check in result.checks] == [
        "answer_refusal_rate was not measured: no answer from the pipeline (4)",
        "cost_usd was not measured: price or tokens of the judge are not known",
        "abstention_rate_unanswerable was not measured: no answer from the pipeline (0)",
    ]
    broken = check_gate(run_of([1.0] * 5 + ["down"] * 5), "answer_refusal_rate <= 0.1", "pipeline_error_rate <= 0.4")
    assert [check.state for check in broken.checks] == ["not_measured", "failed"]
    assert broken.checks[0].message.endswith("pipeline error (5)")


def test_what_a_judge_has_cost(tmp_path: Path) -> None:
    recall_run(3, 4, folder=tmp_path)
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    summary["usage"] = {"cost_usd": 1.25}
    (tmp_path / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    assert [check.state for check in check_gate(tmp_path, "cost_usd <= 2", "cost_usd < 1").checks] == [
        "passed",
        "failed",
    ]


# ---------------------------------------------------------------------------------- wrong use


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("recal_at_k >= 0.8", "did you mean 'recall_at_k'"),
        ("recall@10 >= 0.8", "no figure 'recall@10'"),
        ("faithfulness >= 0.8", "run with that metric"),
        ("latency_ms.p42 <= 1", "no figure 'latency_ms.p42'"),
    ],
)
def test_unknown_figures(condition: str, said: str) -> None:
    with pytest.raises(MetricError, match=said.replace("(", r"\(")):
        check_gate(recall_run(3, 4), condition)


def test_limits_that_no_value_can_reach() -> None:
    with pytest.raises(ConfigError, match=r"recall_at_k lies between 0 and 1.*did you mean 0\.8"):
        check_gate(recall_run(3, 4), "recall >= 80")
    with pytest.raises(ConfigError, match="lies between 0 and 1"):
        check_gate(recall_run(3, 4), "answer_refusal_rate >= -0.1")


def test_nonsense_is_refused() -> None:
    report = recall_run(3, 4)
    with pytest.raises(ConfigError, match="nothing to check"):
        check_gate(report)
    with pytest.raises(ConfigError, match="a drop needs a run"):
        check_gate(report, no_significant_drop=["recall"])
    with pytest.raises(ConfigError, match="nothing is compared with it"):
        check_gate(report, "recall >= 0", baseline=report)
    with pytest.raises(ConfigError, match="min_coverage"):
        check_gate(report, "recall >= 0", min_coverage=90)
    with pytest.raises(ConfigError, match="use is 'upper'"):
        check_gate(report, "recall >= 0", use="upper")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="of type dict"):
        check_gate({}, "recall >= 0")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="dry run"):
        check_gate(recall_run(3, 4, dry_run=True), "recall >= 0")
    with pytest.raises(StorageError, match="no such folder"):
        check_gate("gone", "recall >= 0")
    with pytest.raises(MetricError, match="did you mean"):
        check_gate(report, baseline=report, no_significant_drop=["recal"])
    with pytest.raises(ConfigError, match="largest drop"):
        check_gate(report, baseline=report, max_drop={"recall": -0.1})
    with pytest.raises(MetricError, match="question by question"):
        check_gate(report, baseline=report, max_drop={"n_samples": 1})


# ------------------------------------------------------------------------------- the baseline


def test_a_significant_drop() -> None:
    old, new = run_of([0.9] * 40), run_of([0.8] * 40)
    result = check_gate(new, baseline=old, no_significant_drop=["quality"])
    (check,) = result.checks
    assert (result.exit_code, check.condition) == (1, "no significant drop of quality")
    assert check.value == pytest.approx(0.1)
    assert check.interval == pytest.approx((0.1, 0.1))
    assert check.message == "quality was 0.9000 and is 0.8000, p = 9.999e-05 over 40 common questions"
    assert check_gate(old, baseline=new, no_significant_drop=["quality"]).passed
    assert check_gate(old, baseline=old, no_significant_drop=["quality"]).passed


def test_a_drop_that_may_be_chance_passes_and_says_what_would_be_seen() -> None:
    result = check_gate(run_of([1] * 6 + [0] * 4), baseline=run_of([1] * 8 + [0] * 2), no_significant_drop=["quality"])
    assert result.passed
    assert "p = 0.5 over 10 common questions; so many questions would show a difference of" in result.checks[0].message


def test_failures_of_the_new_run_are_a_drop_although_what_it_answers_is_as_good() -> None:
    result = check_gate(
        run_of([0.9] * 92 + [failed] * 8),
        baseline=run_of([0.9] * 100),
        no_significant_drop=["quality"],
        max_drop={"quality": 0.05},
    )
    assert [check.state for check in result.checks] == ["failed", "failed"]
    assert all("with failures counted as the worst" in check.message for check in result.checks)
    assert result.checks[1].value == pytest.approx(0.072)


def test_the_largest_drop_and_the_end_of_its_interval() -> None:
    old, new = run_of([0.5, 0.9] * 20), run_of([0.5, 0.8] * 20)
    assert check_gate(new, baseline=old, max_drop={"quality": 0.06}).passed
    assert check_gate(new, baseline=old, max_drop={"quality": 0.04}).exit_code == 1
    sure = check_gate(new, baseline=old, max_drop={"quality": 0.06}, use="lower")
    (check,) = sure.checks
    assert sure.exit_code == 1
    assert check.value == pytest.approx(0.05)
    assert (check.compared or 0) > 0.06
    assert "the unfavourable end of its interval" in check.message


def test_fewer_refusals_are_no_drop() -> None:
    rows = questions(40)
    few, many = answers({}, rows), answers(dict.fromkeys(range(15), REFUSAL), rows)
    names = ["answer_refusal_rate"]
    assert check_gate(few, baseline=many, no_significant_drop=names).passed
    worse = check_gate(many, baseline=few, no_significant_drop=names, max_drop={"answer_refusal_rate": 0.1})
    assert [check.state for check in worse.checks] == ["failed", "failed"]
    assert worse.checks[1].value == pytest.approx(15 / 40)
    unanswerable = [{**row, "answerable": number > 5} for number, row in enumerate(rows)]
    both = answers({0: REFUSAL}, unanswerable)
    with pytest.raises(ConfigError, match="answer_refusal_rate_answerable or abstention_rate_unanswerable"):
        check_gate(both, baseline=both, no_significant_drop=names)


def test_baselines_that_say_too_little() -> None:
    rows = questions(20)
    new = run_of([0.5] * 20, rows=rows)
    shorter = run_of([0.5] * 18, rows=rows[:18])
    result = check_gate(new, baseline=shorter, no_significant_drop=["quality"])
    assert (result.exit_code, "the datasets differ" in result.checks[0].message) == (3, True)
    assert check_gate(new, baseline=shorter, no_significant_drop=["quality"], common_only=True).passed
    broken = run_of([0.5] * 10 + [failed] * 10, rows=rows)
    result = check_gate(new, baseline=broken, no_significant_drop=["quality"], max_drop={"quality": 0.1})
    assert [check.state for check in result.checks] == ["not_measured", "not_measured"]
    assert result.checks[0].message == (
        "too few of the questions were scored in both runs (10 of 20): baseline: error in the metric (10)"
    )


def test_baselines_that_measured_something_else(tmp_path: Path) -> None:
    result = check_gate(recall_run(3, 4), baseline=recall_run(3, 4, k=3), no_significant_drop=["recall"])
    assert (result.exit_code, "was not measured in the same way" in result.checks[0].message) == (3, True)
    latency = check_gate(
        recall_run(3, 4), baseline=answers({}, questions(4)), no_significant_drop=["answer_refusal_rate"]
    )
    assert latency.checks[0].message == "answer_refusal_rate was not measured in the baseline"
    one = run_of([0.5, skipped])
    ends = check_gate(one, baseline=one, max_drop={"quality": 0.1}, use="lower", min_coverage=0.1)
    assert (ends.exit_code, ends.checks[0].message) == (
        3,
        "only one question was scored in both runs: baseline: answer refused (1), run: answer refused (1)",
    )


def test_one_document_gives_no_interval_of_the_difference() -> None:
    rows = questions(4, source_file="one.pdf")
    old, new = (run_of([value] * 4, rows=rows, cluster_column="source_file") for value in (0.5, 0.4))
    result = check_gate(new, baseline=old, max_drop={"quality": 0.2}, use="lower")
    assert (result.exit_code, result.checks[0].message) == (3, "there is no interval of the difference")
    assert check_gate(new, baseline=old, max_drop={"quality": 0.2}).passed


# ------------------------------------------------------------------------------------ in a test


def test_an_assertion_shows_value_interval_and_n() -> None:
    report = recall_run(7, 10)
    assert assert_report(report, "recall >= 0.6").passed
    with pytest.raises(AssertionError) as caught:
        assert_report(report, "recall_at_k >= 0.8", "recall <= 0.9")
    assert "recall_at_k >= 0.8: recall_at_k is 0.7000 (0.3968 to 0.8922) over 10 questions" in str(caught.value)
    with pytest.raises(ConfigError):
        assert_report(report, "recall")


def test_the_outcome_as_plain_values() -> None:
    result = check_gate(recall_run(7, 10), "recall >= 0.6", "recall >= 0.8")
    plain = json.loads(json.dumps(result.to_dict()))
    assert (plain["passed"], plain["exit_code"]) == (False, 1)
    assert [check["state"] for check in plain["checks"]] == ["passed", "failed"]
    assert str(check_gate(recall_run(7, 10), "recall >= 0.6")).endswith("The gate is passed.")


def test_refusals_of_one_document_are_as_unsure_as_the_run_says() -> None:
    refusal = "لا تتوفر معلومات كافية في السياق للإجابة."
    rows = [{**row, "doc": f"d{number // 10}"} for number, row in enumerate(questions(60))]

    def rag(question: str) -> str:
        return refusal if int(question.rsplit(" ", 1)[1]) < 20 else "جواب"

    base = {"metrics": ["exact_match"], "progress": False}
    alone = MuffakirEvaluation(base).evaluate(rag, rows)
    together = MuffakirEvaluation({**base, "cluster_column": "doc"}).evaluate(rag, rows)
    low, high = together.to_dict()["refusals"]["interval"]
    before = alone.to_dict()["refusals"]["interval"]
    assert high - low > 1.5 * (before[1] - before[0])
    (check,) = check_gate(together, "answer_refusal_rate <= 0.9").checks
    assert check.interval == (low, high)


def test_the_interval_of_a_rate_has_the_confidence_of_the_run() -> None:
    wide = check_gate(run_of(["0.5"] * 20, confidence_level=0.99), "pipeline_error_rate <= 0.9").checks[0]
    plain = check_gate(run_of(["0.5"] * 20), "pipeline_error_rate <= 0.9").checks[0]
    assert wide.interval is not None and plain.interval is not None
    assert wide.interval[1] > plain.interval[1]


def test_a_passed_check_of_few_questions_says_what_it_could_not_show() -> None:
    old, new = run_of([1] * 8 + [0] * 2), run_of([1] * 6 + [0] * 4)
    result = check_gate(new, baseline=old, no_significant_drop="quality")
    assert result.passed
    assert "so many questions would show a difference of" in " ".join(str(result).split())
    assert "so many questions would show a difference of" in result.markdown()
