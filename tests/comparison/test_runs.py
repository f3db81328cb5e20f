"""Run against run: which question is paired with which, and what may be said."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import EvaluationReport, MuffakirEvaluation, Score, Trial, compare_runs
from muffakir_eval.comparison.runs_findings import MetricComparison
from muffakir_eval.errors import ConfigError, MetricError, RunExistsError, StorageError
from muffakir_eval.statistics.paired import holm, mcnemar_exact
from muffakir_eval.statistics.power import effect_size, questions_needed
from muffakir_eval.text.cells import restore_cell
from tests.comparison.recorded import failed, quality, questions, run_of, skipped


def compared(a: Any, b: Any, **options: Any) -> MetricComparison:
    options.setdefault("n_resamples", 500)
    return compare_runs(a, b, **options)["quality"]


# --------------------------------------------------------------------------------- what may be said


def test_ten_questions_with_two_wins_are_not_told_apart() -> None:
    found = compared(run_of([1] * 6 + [0] * 4), run_of([1] * 8 + [0] * 2), n_resamples=10_000)
    assert (found.mean_a, found.mean_b, found.n, found.n_applicable) == (0.6, 0.8, 10, 10)
    assert found.difference == pytest.approx(0.2)
    assert (found.p_value, found.test, found.verdict) == (0.5, "mcnemar_exact", "not_distinguishable")
    assert (found.wins, found.ties, found.losses) == (2, 8, 0)
    assert found.interval is not None
    assert found.interval[0] <= 0.2 <= found.interval[1]
    assert found.effect_size == pytest.approx(effect_size([1.0] * 2 + [0.0] * 8))
    # The spread of two ones among eight zeroes is the square root of 1.6 / 9.
    assert found.questions_needed == questions_needed((1.6 / 9) ** 0.5, 0.02)
    assert found.smallest_difference is not None
    assert found.smallest_difference > 0.2


def test_one_question_has_no_interval_and_no_verdict() -> None:
    found = compared(run_of([0.25]), run_of([1.0]))
    assert (found.interval, found.verdict, found.reason) == (None, "no_verdict", "too_few")
    assert found.questions_needed is found.smallest_difference is None


def test_small_gains_on_every_question_are_seen_although_the_questions_differ_much_more() -> None:
    hard = [number / 40 for number in range(40)]
    found = compared(run_of(hard), run_of([value + 0.01 for value in hard]))
    assert (found.verdict, found.wins, found.losses) == ("better", 40, 0)
    assert found.p_value is not None
    assert found.p_value < 0.01
    assert compared(run_of([value + 0.01 for value in hard]), run_of(hard)).verdict == "worse"


def test_a_run_does_not_differ_from_itself(tmp_path: Path) -> None:
    run = run_of([0.25, 0.5, 1, 0] * 5, folder=tmp_path / "a")
    found = compare_runs(run, tmp_path / "a", margin=0.02)
    same = found["quality"]
    assert (same.verdict, same.difference, same.p_value, same.interval) == ("identical", 0.0, 1.0, (0.0, 0.0))
    assert (same.wins, same.ties, same.losses, same.moved) == (0, 20, 0, ())
    assert same.questions_needed is None
    assert same.non_inferiority is not None
    assert same.non_inferiority.holds is False  # twenty questions do not show that one in fifty is not lost
    assert "A and B are the same run" in found.pairs[0].notes


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_questions_does_not_matter(seed: int) -> None:
    rng = random.Random(seed)
    rows = [{**row, "sample_id": f"q{number}", "topic": f"t{number % 3}"} for number, row in enumerate(questions(40))]
    values = {row["question"]: (rng.random(), rng.choice([0.0, 1.0, rng.random()])) for row in rows}
    moved = rng.sample(rows, k=len(rows))
    first, second = ({question: pair[place] for question, pair in values.items()} for place in (0, 1))
    options: dict[str, Any] = {"names": ["a", "b"], "slice_by": ["topic"], "n_resamples": 300, "margin": 0.1}
    straight = compare_runs(run_of(first, rows=rows), run_of(second, rows=rows), **options)
    crossed = compare_runs(run_of(first, rows=moved), run_of(second, rows=rows), **options)
    assert straight.pairs[0].slices == crossed.pairs[0].slices
    found = [json.loads(json.dumps(one.to_dict()["pairs"][0])) for one in (straight, crossed)]
    for one in found:
        one["metrics"] = [part for part in one["metrics"] if part["metric"] == "quality"]
        for part in one["metrics"]:
            for question in part["moved"]:
                del question["row"]
    assert found[0] == found[1]


def test_what_one_metric_gets_does_not_depend_on_the_others() -> None:
    a, b = run_of([0.1, 0.9, 0.4, 0.3] * 8), run_of([0.2, 0.8, 0.7, 0.5] * 8)
    alone = compare_runs(a, b, metrics=["quality"], n_resamples=300)["quality"]
    together = compare_runs(a, b, n_resamples=300)["quality"]
    assert (alone.interval, alone.p_value) == (together.interval, together.p_value)


# ----------------------------------------------------------------------------------- many metrics


def wins(number: int) -> Any:
    def metric(trial: Trial) -> float:
        return float(int(trial.output.answer or "0") > number)

    metric.name = f"wins_{number}"  # type: ignore[attr-defined]
    return metric


METRICS = [wins(number) for number in range(3)]


def test_holm_counts_every_metric_and_every_pair() -> None:
    a = run_of([0] * 30, metrics=METRICS)
    b = run_of([1] * 12 + [2] * 3 + [0] * 15, metrics=METRICS)
    c = run_of([3] * 20 + [0] * 10, metrics=METRICS)
    found = compare_runs(a, b, c, n_resamples=100)
    assert [(pair.a, pair.b) for pair in found.pairs] == [("A", "B"), ("A", "C"), ("B", "C")]
    assert found.n_tests == 9
    counts = [(15, 0), (3, 0), (0, 0), (20, 0), (20, 0), (20, 0), (5, 0), (17, 0), (20, 0)]
    raw = [mcnemar_exact(*count) for count in counts]
    tested = [one for pair in found.pairs for one in pair.metrics if one.metric.startswith("wins")]
    assert [one.p_value for one in tested] == pytest.approx(raw)
    assert [one.p_adjusted for one in tested] == pytest.approx(holm(raw))
    latency = [one for one in found.metrics if one.metric == "pipeline_latency_ms"]
    assert len(latency) == 1
    assert latency[0].direction == "lower"


def test_seven_metrics_that_look_at_nothing_hide_a_small_gain() -> None:
    metrics = [wins(number) for number in range(8)]
    a, b = run_of([0] * 20, metrics=metrics), run_of([1] * 6 + [0] * 14, metrics=metrics)
    alone = compare_runs(a, b, metrics=["wins_0"])["wins_0"]
    together = compare_runs(a, b)["wins_0"]
    assert (alone.verdict, together.verdict) == ("better", "not_distinguishable")
    assert "leaves out 0, and there is no verdict all the same" in str(compare_runs(a, b))


def test_metrics_by_the_names_that_people_use() -> None:
    rows = questions(4, chunk_id="x")
    retrieved = [
        MuffakirEvaluation({"metrics": ["recall", "mrr@1"], "progress": False}).evaluate(
            lambda question: [{"text": "", "chunk_id": "x"}], rows
        )
        for _ in range(2)
    ]
    found = compare_runs(*retrieved, metrics=["Recall@5", "MRR@1"])
    assert [one.metric for one in found.metrics] == ["recall_at_k", "mrr@1"]
    with pytest.raises(MetricError, match="did you mean 'recall_at_k'"):
        compare_runs(*retrieved, metrics=["recal_at_k"])


# -------------------------------------------------------------------------------- what is missing


def test_a_system_that_fails_on_the_hard_questions_is_not_better_for_it() -> None:
    # On what both answer B is better; it fails where A shines.
    a = run_of([0.5] * 92 + [1.0] * 8)
    b = run_of([0.55] * 92 + [failed] * 8)
    found = compared(a, b)
    assert found.difference is not None
    assert found.difference > 0.04
    assert (found.n, found.n_applicable, found.verdict, found.reason) == (92, 100, "no_verdict", "failures_decide")
    counted = found.with_failures
    assert counted is not None
    assert (counted.n, counted.n_failed_a, counted.n_failed_b, counted.counted_as) == (100, 0, 8, 0.0)
    assert counted.mean_a == pytest.approx(0.54)
    assert counted.mean_b == pytest.approx(0.92 * 0.55)
    assert counted.difference < 0
    assert [(part.n, part.in_a, part.in_b, part.counts) for part in found.left_out] == [(8, None, "metric_error", True)]
    assert "it depends on the questions that failed" in str(compare_runs(a, b, n_resamples=100))


def test_failures_on_both_sides_that_change_nothing_leave_the_verdict() -> None:
    a = run_of([0.5] * 97 + [failed] * 3)
    b = run_of([0.7] * 97 + [failed] * 3)
    assert compared(a, b).verdict == "better"
    same = compared(run_of([failed] + [0.5] * 30), run_of([0.5] * 31))
    assert (same.verdict, same.ties) == ("not_distinguishable", 30)


def test_too_few_questions_in_both_give_no_verdict() -> None:
    a, b = run_of([0.0] * 100), run_of([1.0] * 85 + [skipped] * 15)
    found = compared(a, b)
    assert (found.coverage, found.verdict, found.reason) == (0.85, "no_verdict", "low_coverage")
    assert compared(a, b, min_coverage=0.85).verdict == "better"
    assert "too few of the questions were scored in both runs (at least 90%)" in str(
        compare_runs(a, b, n_resamples=100)
    )


def test_questions_without_anything_to_score_do_not_count_against_the_coverage() -> None:
    found = compared(run_of([0.0] * 20 + ["none"] * 30), run_of([1.0] * 20 + ["none"] * 30))
    assert (found.n, found.n_applicable, found.verdict) == (20, 20, "better")
    assert [(part.n, part.in_a, part.in_b, part.counts) for part in found.left_out] == [
        (30, "no_value", "no_value", False)
    ]


def test_nothing_in_common() -> None:
    found = compared(run_of([1.0, skipped]), run_of([skipped, 1.0]))
    assert (found.n, found.mean_a, found.p_value, found.reason) == (0, None, None, "nothing_in_common")
    assert "no question was scored in both runs" in str(compare_runs(run_of([1.0, skipped]), run_of([skipped, 1.0])))


# ----------------------------------------------------------------------------- which questions


def test_other_datasets_get_no_verdict_unless_asked_for() -> None:
    rows = questions(30)
    a, b = run_of([0.0] * 30, rows=rows), run_of([1.0] * 28, rows=rows[2:])
    found = compare_runs(a, b, n_resamples=100)
    assert (found["quality"].verdict, found["quality"].reason) == ("no_verdict", "other_questions")
    pair = found.pairs[0]
    assert (pair.n_common, pair.only_in_a.n, pair.only_in_b.n, pair.same_questions) == (28, 2, 0, False)
    assert pair.notes == ("2 questions are only in A", "the datasets differ, so no verdict is given")
    common = compare_runs(a, b, n_resamples=100, common_only=True)
    assert (common["quality"].verdict, common["quality"].coverage) == ("better", 1.0)
    assert common.pairs[0].notes[-1] == "the datasets differ, so verdicts hold for the common questions only"


def test_the_same_question_with_other_gold_is_another_question() -> None:
    rows = questions(30)
    again = [*rows[:-1], {**rows[-1], "answer": "جواب مصحح"}]
    pair = compare_runs(run_of([0.0] * 30, rows=rows), run_of([1.0] * 30, rows=again), n_resamples=100).pairs[0]
    assert (pair.n_common, pair.only_in_a.other_gold, pair.only_in_b.other_gold) == (29, 1, 1)
    assert "1 questions are only in A (1 stand in the other run with other gold)" in pair.notes
    assert not pair.same_questions


def test_answers_that_the_dataset_itself_carries_do_not_make_other_questions() -> None:
    def recorded(answer: str) -> EvaluationReport:
        rows = [{**row, "predicted_answer": answer, "model": f"m{answer}"} for row in questions(12)]
        return MuffakirEvaluation({"metrics": [quality], "progress": False}).evaluate(None, rows)

    found = compare_runs(recorded("0.25"), recorded("0.75"), n_resamples=100)
    assert (found.pairs[0].n_common, found["quality"].verdict) == (12, "better")


def test_equal_questions_are_told_apart_by_their_names_wherever_they_stand() -> None:
    row = {"question": "كم المدة؟", "answer": "سنة"}
    rows = [{**row, "sample_id": name} for name in ("x", "y", "z")]

    def scored(values: dict[str, float], order: list[dict[str, str]]) -> EvaluationReport:
        def metric(trial: Trial) -> float:
            return values[trial.sample.sample_id]

        metric.name = "quality"  # type: ignore[attr-defined]
        return MuffakirEvaluation({"metrics": [metric], "progress": False}).evaluate(lambda question: "ج", order)

    values = {"x": 0.1, "y": 0.5, "z": 0.9}
    found = compared(scored(values, rows), scored(values, rows[::-1]))
    assert (found.n, found.ties, found.verdict) == (3, 3, "identical")
    # With one fewer, the names still find their partners.
    found = compared(scored(values, rows), scored(values, rows[:0:-1]), common_only=True)
    assert (found.n, found.ties) == (2, 2)


def test_equal_questions_without_names_are_paired_in_their_order() -> None:
    rows = [{"question": "كم المدة؟", "answer": "سنة", "topic": topic} for topic in ("a", "b", "b")]
    found = compare_runs(run_of({"كم المدة؟": 0.5}, rows=rows), run_of({"كم المدة؟": 0.5}, rows=rows[::-1]))
    assert (found.pairs[0].n_common, found["quality"].ties) == (3, 3)
    moved = compare_runs(run_of({"كم المدة؟": 0.0}, rows=rows), run_of({"كم المدة؟": 0.5}, rows=rows[::-1]))
    assert sorted((one.row, one.row_b) for one in moved["quality"].moved) == [(1, 3), (2, 2), (3, 1)]


# ------------------------------------------------------------------------------ what it measures


def retrieval(k: int = 3, **settings: Any) -> EvaluationReport:
    rows = [{"question": f"س{number}", "chunk_id": str(number)} for number in range(6)]
    given = {"metrics": ["recall", "mrr@1"], "k": k, "progress": False, **settings}
    return MuffakirEvaluation(given).evaluate(lambda question: [{"text": "", "chunk_id": question[1:]}], rows)


def test_metrics_with_another_cutoff_are_not_compared() -> None:
    pair = compare_runs(retrieval(3), retrieval(5), n_resamples=100).pairs[0]
    assert [one.metric for one in pair.metrics] == ["mrr@1", "pipeline_latency_ms"]
    (left_out,) = pair.not_compared
    assert (left_out.metric, left_out.reason) == ("recall_at_k", "other_definition")
    assert "k=3" in left_out.detail
    assert "k=5" in left_out.detail
    assert pair.settings == ("k: 3 -> 5",)


def test_metrics_that_matched_otherwise_are_not_compared() -> None:
    found = compare_runs(retrieval(), retrieval(overlap_threshold=0.7), n_resamples=100)
    assert {(one.metric, one.reason) for one in found.pairs[0].not_compared} == {
        ("recall_at_k", "other_matching"),
        ("mrr@1", "other_matching"),
    }
    assert "recall_at_k: matching.overlap_threshold: 0.55 -> 0.7" in str(found)
    assert [one.metric for one in found.metrics] == ["pipeline_latency_ms"]


def test_a_metric_of_one_run_only() -> None:
    pair = compare_runs(retrieval(), retrieval(metrics=["recall", "map"]), n_resamples=100).pairs[0]
    assert [(one.metric, one.reason, one.detail) for one in pair.not_compared] == [
        ("mrr@1", "only_in_a", "B did not measure it"),
        ("map", "only_in_b", "A did not measure it"),
    ]
    (only,) = compare_runs(retrieval(), retrieval(metrics=["recall", "map"]), metrics=["map"]).pairs[0].not_compared
    assert only.metric == "map"


def test_a_function_that_has_changed_is_another_metric() -> None:
    def first(trial: Trial) -> float:
        return 1.0

    def second(trial: Trial) -> float:
        return 2.0 - 1.0

    first.name = second.name = "quality"  # type: ignore[attr-defined]
    pair = compare_runs(run_of([0] * 3, metrics=[first]), run_of([0] * 3, metrics=[second])).pairs[0]
    assert [(one.metric, one.reason) for one in pair.not_compared] == [("quality", "other_definition")]


# ------------------------------------------------------------------------------- direction, size


def cost(trial: Trial) -> float:
    return float(trial.output.answer or 0)


def test_lower_may_be_better() -> None:
    a, b = run_of([7.0] * 20, metrics=[cost]), run_of([5.0] * 18 + [9.0] * 2, metrics=[cost])
    found = compare_runs(a, b, lower_is_better=["cost"], detect={"cost": 1.0}, margin={"cost": 0.5})["cost"]
    assert (found.direction, found.verdict, found.wins, found.losses) == ("lower", "better", 18, 2)
    assert (found.detect, found.non_inferiority is not None) == (1.0, True)
    assert found.non_inferiority is not None
    assert found.non_inferiority.holds is True
    plain = compare_runs(a, b, margin=0.02)["cost"]
    assert (plain.direction, plain.verdict) == ("higher", "worse")
    # Of a metric of unknown range no share can be taken.
    assert (plain.detect, plain.questions_needed, plain.non_inferiority) == (None, None, None)
    with pytest.raises(MetricError, match="'kost'"):
        compare_runs(a, b, lower_is_better=["kost"])


def test_failures_of_a_metric_of_which_lower_is_better_count_as_its_highest() -> None:
    found = compared(run_of([0.5] * 20), run_of([0.2] * 19 + [failed]), lower_is_better=["quality"])
    assert found.with_failures is not None
    assert (found.with_failures.counted_as, found.verdict) == (1.0, "better")
    unbounded = compare_runs(
        run_of([5.0] * 20, metrics=[cost]), run_of([2.0] * 19 + [failed], metrics=[cost]), lower_is_better=["cost"]
    )["cost"]
    assert unbounded.with_failures is not None
    assert unbounded.with_failures.counted_as == 5.0  # the worst that was seen


def test_not_worse_by_more_than_a_margin() -> None:
    rng = random.Random(3)
    values = [rng.random() for _ in range(300)]
    near = [min(1.0, max(0.0, value + rng.uniform(-0.05, 0.05))) for value in values]
    found = compared(run_of(values), run_of(near), margin=0.02)
    assert found.verdict == "not_distinguishable"
    assert found.non_inferiority is not None
    assert (found.non_inferiority.margin, found.non_inferiority.holds) == (0.02, True)
    unlike = compared(run_of(values[:20]), run_of(near[:20][::-1]), margin=0.02)
    assert unlike.non_inferiority is not None
    assert unlike.non_inferiority.holds is False
    few = compared(run_of([*values[:20], 0.5]), run_of([*near[:15], *[skipped] * 6]), margin=0.9)
    assert few.non_inferiority is not None
    assert few.non_inferiority.holds is None
    shown = str(compare_runs(run_of(values), run_of(near), margin=0.02))
    assert "Is B worse than A by no more than a margin?" in shown
    assert "not worse by more" in shown


def test_what_fails_counts_for_the_margin_too() -> None:
    found = compared(run_of([0.5] * 400), run_of([0.5] * 392 + [failed] * 8), margin=0.02, min_coverage=0.5)
    assert found.non_inferiority is not None
    assert found.non_inferiority.p_adjusted < 0.025
    assert found.non_inferiority.holds is None or found.non_inferiority.holds is False


# -------------------------------------------------------------------------- refusals and latency

REFUSAL = "لا تتوفر معلومات كافية في السياق للإجابة."


def answers(by_number: dict[int, str], rows: list[dict[str, Any]]) -> EvaluationReport:
    def rag(question: str) -> str:
        return by_number.get(int(question.rsplit(" ", 1)[1]), "جواب")

    def length(trial: Trial) -> float:
        return float(len(trial.output.answer or ""))

    return MuffakirEvaluation({"metrics": [length], "progress": False}).evaluate(rag, rows)


def test_refusals_are_compared_and_fewer_are_better() -> None:
    a, b = answers(dict.fromkeys(range(15), REFUSAL), questions(40)), answers({}, questions(40))
    found = compare_runs(a, b, n_resamples=100)["answer_refusal_rate"]
    assert (found.mean_a, found.mean_b, found.direction, found.verdict) == (0.375, 0.0, "lower", "better")
    assert (found.wins, found.losses) == (15, 0)
    assert a.to_dict()["refusals"]["rate"] == found.mean_a


def test_where_some_questions_have_no_answer_refusals_are_told_apart() -> None:
    rows = [{**row, "answerable": number >= 20} for number, row in enumerate(questions(40))]
    a = answers(dict.fromkeys(range(20, 40), REFUSAL), rows)
    b = answers(dict.fromkeys(range(20), REFUSAL), rows)
    found = compare_runs(a, b, n_resamples=100)
    told = {
        name: (found[name].mean_a, found[name].mean_b, found[name].verdict, found[name].n)
        for name in ("answer_refusal_rate", "answer_refusal_rate_answerable", "abstention_rate_unanswerable")
    }
    assert told == {
        "answer_refusal_rate": (0.5, 0.5, "not_distinguishable", 40),
        "answer_refusal_rate_answerable": (1.0, 0.0, "better", 20),
        "abstention_rate_unanswerable": (0.0, 1.0, "better", 20),
    }
    assert "Neither is better by itself: answer_refusal_rate" in str(found)
    more = compare_runs(answers({}, rows), a, n_resamples=100)["answer_refusal_rate"]
    assert (more.direction, more.verdict) == ("neutral", "higher")


def test_latencies_are_compared_and_no_share_of_them_is_a_size() -> None:
    def recorded(ms: float) -> EvaluationReport:
        rows = [{**row, "predicted_answer": "1", "pipeline_latency_ms": ms + n} for n, row in enumerate(questions(20))]
        return MuffakirEvaluation({"metrics": [quality], "progress": False}).evaluate(None, rows)

    found = compare_runs(recorded(100), recorded(50), n_resamples=200)
    latency = found["pipeline_latency_ms"]
    assert (latency.verdict, latency.difference, latency.detect) == ("better", -50.0, None)
    assert "the test knows the questions and not the machine" in str(found)


# ------------------------------------------------------------------------- slices and clusters


def test_slices_show_where_the_difference_lies() -> None:
    rows = [{**row, "dialect": "مصرية" if number < 15 else "خليجية"} for number, row in enumerate(questions(40))]
    a = run_of([0.0] * 40, rows=rows, slice_by=["dialect"])
    b = run_of([1.0] * 15 + [0.0] * 25, rows=rows)
    found = compare_runs(a, b, n_resamples=200)
    parts = [part for part in found.pairs[0].slices if part.metric == "quality"]
    assert [(part.value, part.n, part.difference, part.verdict) for part in parts] == [
        ("خليجية", 25, 0.0, "identical"),
        ("مصرية", 15, 1.0, "better"),
    ]
    assert "Difference by dialect" in str(found)
    assert compare_runs(a, b, slice_by=[], n_resamples=200).pairs[0].slices == ()
    frame = found.to_dataframe()
    assert list(frame[frame["metric"] == "quality"]["value"].fillna("")) == ["", "خليجية", "مصرية"]
    with pytest.raises(ConfigError, match="did you mean 'dialect'"):
        compare_runs(a, b, slice_by=["dialekt"])


def test_questions_of_one_document_prove_less() -> None:
    # Four documents of ten questions each, and B wins everything in two of them and loses in one.
    rows = [{**row, "source_file": f"{number // 10}.pdf"} for number, row in enumerate(questions(40))]
    a = run_of([0.5] * 40, rows=rows)
    b = run_of([1.0] * 20 + [0.0] * 10 + [0.5] * 10, rows=rows, cluster_column="source_file")
    alone = compare_runs(a, run_of([1.0] * 20 + [0.0] * 10 + [0.5] * 10, rows=rows), n_resamples=300)["quality"]
    together = compare_runs(a, b, n_resamples=300)
    found = together["quality"]
    assert (found.n_clusters, found.test, together.pairs[0].cluster_column) == (
        4,
        "cluster_randomisation",
        "source_file",
    )
    assert (alone.p_value or 1) < (found.p_value or 0) == 1.0
    assert (alone.questions_needed or 0) < (found.questions_needed or 0)
    assert "taken together by source_file" in str(together)


def test_a_column_by_the_name_that_the_file_gave_it(tmp_path: Path) -> None:
    lines = "".join(f"س{number},ج,{number // 4}.pdf\n" for number in range(12))
    (tmp_path / "q.csv").write_text("السؤال,الجواب,المصدر\n" + lines, encoding="utf-8")
    mapping = {"question": "السؤال", "answer": "الجواب", "source_file": "المصدر"}
    run = MuffakirEvaluation(
        {"metrics": [quality], "progress": False, "column_mapping": mapping, "cluster_column": "المصدر"}
    ).evaluate(lambda question: "0.5", tmp_path / "q.csv")
    assert compare_runs(run, run)["quality"].n_clusters == 3


def test_questions_without_a_document_stand_alone_and_two_columns_are_too_many() -> None:
    rows = [{**row, "a": "x" if number < 4 else "", "b": "y"} for number, row in enumerate(questions(8))]
    one = run_of([0.5] * 8, rows=rows, cluster_column="a")
    assert compare_runs(one, run_of([0.5] * 8, rows=rows))["quality"].n_clusters == 5
    with pytest.raises(ConfigError, match="different columns: a, b"):
        compare_runs(one, run_of([0.5] * 8, rows=rows, cluster_column="b"))
    chosen = compare_runs(one, run_of([0.5] * 8, rows=rows, cluster_column="b"), cluster_column="b")
    assert chosen["quality"].n_clusters == 1


# -------------------------------------------------------------------------------- the questions


def test_the_questions_that_moved_most_come_first() -> None:
    found = compared(run_of([0.5, 0.5, 0.5, 0.5]), run_of([0.5, 0.75, 0.0, 0.6]), n_moved=2)
    assert [(one.question, one.value_a, one.value_b, one.difference) for one in found.moved] == [
        ("السؤال رقم 2", 0.5, 0.0, -0.5),
        ("السؤال رقم 1", 0.5, 0.75, 0.25),
    ]
    assert compared(run_of([0.5]), run_of([1.0]), n_moved=0).moved == ()


def test_the_files_are_strict_and_hold_the_questions(tmp_path: Path) -> None:
    rows = questions(6)
    rows[0]["question"] = "=HYPERLINK(1)\ud83d"
    a, b = run_of([0.0] * 6, rows=rows), run_of([1.0] + [0.0] * 5, rows=rows)
    found = compare_runs(a, b)
    folder = found.save(tmp_path / "deep" / "out", html=True)
    assert "<h1" in (folder / "report.html").read_text(encoding="utf-8")
    written = json.loads((folder / "comparison.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert written == json.loads(json.dumps(found.to_dict()))
    with (folder / "moved.csv").open(encoding="utf-8-sig", newline="") as lines:
        moved = [row for row in csv.DictReader(lines) if row["metric"] == "quality"]
    assert [(row["a"], row["b"], row["value_b"]) for row in moved] == [("A", "B", "1.0")]
    assert restore_cell(moved[0]["question"]).startswith("=HYPERLINK(1)")
    (folder / "report.html").write_text("<p>صفحتي</p>", encoding="utf-8")
    with pytest.raises(RunExistsError, match=r"report\.html"):
        found.save(folder, html=True)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(Exception, match="the folder cannot be made"):
        found.save(tmp_path / "file" / "out")


def test_nothing_in_the_data_steers_the_terminal() -> None:
    rows = questions(3)
    rows[0]["question"] = "\x1b[31mأحمر\u202e"
    text = str(compare_runs(run_of([0.0] * 3, rows=rows), run_of([1.0, 0, 0], rows=rows), names=["a\x07", "b"]))
    assert not set(text) & {"\x1b", "\x07", "\u202e"}


def test_the_frame_and_the_items() -> None:
    found = compare_runs(run_of([0.0, 0.5]), run_of([1.0, 0.5]), n_resamples=100)
    frame = found.to_dataframe()
    row = frame[frame["metric"] == "quality"].iloc[0]
    assert (row["a"], row["b"], row["difference"], row["wins"]) == ("A", "B", 0.5, 1)
    assert str(frame["p_value"].dtype) == "float64"
    with pytest.raises(KeyError):
        found["gone"]


# ------------------------------------------------------------------------------- wrong use


def test_runs_are_called_by_their_folders_or_as_asked(tmp_path: Path) -> None:
    a, b = run_of([0.0] * 2, folder=tmp_path / "x" / "run"), run_of([1.0] * 2, folder=tmp_path / "y" / "run")
    assert {one.name for one in compare_runs(a, b).runs} == {f"run ({a.run_id})", f"run ({b.run_id})"}
    assert [one.name for one in compare_runs(a, b, names=["قديم", "جديد"]).runs] == ["قديم", "جديد"]
    with pytest.raises(ConfigError, match="1 names and 2 runs"):
        compare_runs(a, b, names=["a"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"confidence": 1.0}, "confidence"),
        ({"min_coverage": 1.5}, "min_coverage"),
        ({"detect": 0.0}, "detect"),
        ({"margin": -0.1}, "margin"),
        ({"margin": {"quality": float("nan")}}, "margin"),
        ({"n_resamples": 0}, "n_resamples"),
        ({"n_moved": -1}, "n_moved"),
        ({"seed": -1}, "seed"),
        ({"n_resamples": 10.5}, "n_resamples"),
        ({"min_coverage": "0.9"}, "min_coverage"),
        ({"confidence": True}, "confidence"),
        ({"margin": {"quality": "0.02"}}, "margin"),
    ],
)
def test_settings_out_of_range(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        compare_runs(run_of([0.5]), run_of([0.5]), **options)


def test_what_is_no_run() -> None:
    with pytest.raises(ConfigError, match="of type dict"):
        compare_runs(run_of([0.5]), {})  # type: ignore[arg-type]
    rehearsed = run_of([0.5], dry_run=True)
    with pytest.raises(ConfigError, match="dry run"):
        compare_runs(rehearsed, run_of([0.5]))


def test_scores_of_other_kinds_stay_apart() -> None:
    def kind(trial: Trial) -> Score:
        return Score.measured("kind", 1.0, {"usage": {"calls": 1, "input_tokens": 1, "output_tokens": 1, "cached": 0}})

    a = run_of([0] * 4, metrics=[kind])
    found = compare_runs(a, run_of([0] * 4, metrics=[kind]))
    assert found["kind"].verdict == "identical"


def test_sizes_are_given_by_any_name_of_a_metric_and_a_slip_is_refused() -> None:
    rows = [{**row, "context": f"نص {number}"} for number, row in enumerate(questions(40))]
    for name in ("Quality", "quality "):
        found = compared(run_of([0.5] * 40), run_of([0.5] * 40), margin={name: 0.3}, detect={name: 0.1})
        assert found.detect == 0.1
        assert found.non_inferiority is not None
        assert found.non_inferiority.margin == 0.3
    for sizes in ({"margin": {"qualty": 0.1}}, {"detect": {"qualty": 0.1}}):
        with pytest.raises(MetricError, match="did you mean 'quality'"):
            compared(run_of([0.5] * 40, rows=rows), run_of([0.5] * 40, rows=rows), **sizes)


def test_numbers_beyond_all_measure_are_refused_and_large_ones_are_compared() -> None:
    def huge(trial: Trial) -> float:
        return float(trial.output.answer or 0)

    a, b = (run_of([value, "3", "4"], metrics=[huge]) for value in ("1e200", "2e200"))
    found = compare_runs(a, b, detect={"huge": 3.0})["huge"]
    assert (found.interval, found.effect_size, found.questions_needed) == (None, None, None)
    with pytest.raises(StorageError, match="out of range"):
        compare_runs(run_of(["1.7e308"], metrics=[huge]), run_of(["-1.7e308"], metrics=[huge]))


def test_one_name_needs_no_list() -> None:
    rows = questions(12, topic="العمل")
    a, b = run_of([0.5] * 12, rows=rows), run_of([0.75] * 12, rows=rows)
    found = compare_runs(a, b, metrics="quality", slice_by="topic", lower_is_better="quality", n_resamples=100)
    assert [one.metric for one in found.metrics] == ["quality"]
    assert (found["quality"].verdict, found.pairs[0].slices[0].value) == ("worse", "العمل")


def test_what_holds_for_the_whole_holds_for_a_slice() -> None:
    rows = [{**row, "topic": "أ" if number < 20 else "ب"} for number, row in enumerate(questions(40))]

    def verdicts(a: EvaluationReport, b: EvaluationReport, **options: Any) -> list[tuple[str | None, str, str | None]]:
        found = compare_runs(a, b, metrics=["quality"], slice_by=["topic"], n_resamples=300, **options)
        return [(part.value, part.verdict, part.reason) for part in found.pairs[0].slices]

    a = run_of([0.2] * 40, rows=rows)
    # Failures on one of two topics, where they change the sign.
    values = [0.9] * 17 + [failed] * 3 + [0.9] * 20
    assert verdicts(a, run_of(values, rows=rows), min_coverage=0.8)[0][1] == "better"
    low = verdicts(a, run_of(values, rows=rows))
    assert sorted(low) == [("أ", "no_verdict", "low_coverage"), ("ب", "better", None)]
    worse = run_of([0.3] * 16 + [failed] * 4 + [0.3] * 20, rows=rows)
    high = run_of([0.2] * 16 + [0.9] * 4 + [0.2] * 20, rows=rows)
    decided = {value: reason for value, _, reason in verdicts(high, worse, min_coverage=0.5)}
    assert decided == {"أ": "failures_decide", "ب": None}
    # Other questions.
    more = run_of([0.9] * 41, rows=[*rows, {"question": "سؤال آخر", "answer": "ج", "topic": "ب"}])
    assert {reason for _, _, reason in verdicts(a, more)} == {"other_questions"}
    assert {verdict for _, verdict, _ in verdicts(a, more, common_only=True)} == {"better"}


def test_failures_of_a_metric_below_zero_do_not_count_as_its_best() -> None:
    def loss(trial: Trial) -> float:
        if trial.output.answer == failed:
            raise ValueError("no number")
        return float(trial.output.answer or 0)

    a = run_of([-1.0] * 20, metrics=[loss])
    b = run_of([-2.0] * 10 + [failed] * 10, metrics=[loss])
    found = compare_runs(a, b, min_coverage=0.1)["loss"]
    assert found.with_failures is not None
    assert (found.with_failures.counted_as, found.verdict) == (-2.0, "worse")


def test_a_system_that_fails_where_it_would_refuse_does_not_refuse_less() -> None:
    a = answers(dict.fromkeys(range(8), REFUSAL), questions(100))

    def rag(question: str) -> str:
        if int(question.rsplit(" ", 1)[1]) < 8:
            raise ConnectionError("no route")
        return "جواب"

    b = MuffakirEvaluation({"metrics": ["exact_match"], "progress": False, "max_pipeline_errors": 1000}).evaluate(
        rag, questions(100)
    )
    found = compare_runs(a, b)["answer_refusal_rate"]
    assert (found.n, found.with_failures is not None) == (92, True)
    assert found.verdict != "better"
