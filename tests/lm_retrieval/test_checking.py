from __future__ import annotations

from typing import Any

import pytest

from muffakir_eval.errors import ConfigError, MetricError
from muffakir_eval.lm_retrieval.checking import check_rules, known_as
from muffakir_eval.lm_retrieval.rules import load_rules
from muffakir_eval.metrics import resolve_metrics
from muffakir_eval.records import Score, Trial
from tests.lm_retrieval.cases import rule
from tests.metrics.test_judged import metric as judged_metric

RATING = "llm_judge_rating"


def length(trial: Trial) -> float:
    return float(len(trial.sample.question))


def none(trial: Trial) -> Score:
    return Score.not_applicable("none", "too_short")


def measured(*names: Any) -> Any:
    def bind(request: Any) -> Any:
        return judged_metric(request, [])[0]

    return resolve_metrics(names or ("contextual_precision", "contextual_recall"), k=5, bind=bind)


def refused(rules: dict[str, Any], *names: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        check_rules(load_rules(rules), measured(*names))
    return str(caught.value)


def test_the_default_rules_fit_the_default_metrics() -> None:
    assert check_rules(load_rules(), measured()) == load_rules()


def test_optional_hints_without_their_metric_are_left_out() -> None:
    kept = check_rules(load_rules(), measured("contextual_recall")).issues
    assert [issue.name for issue in kept] == ["evidence_missing", "response_not_covered"]


def test_a_metric_is_known_under_its_short_name_too() -> None:
    assert known_as(measured("recall")).keys() == {"recall", "recall_at_k"}
    assert known_as(measured("recall", "recall@1")).keys() == {"recall_at_k", "recall@1"}
    rules = load_rules({"good": rule(">=", 1, "recall"), "issues": []})
    assert check_rules(rules, measured("recall")) == rules


@pytest.mark.parametrize(
    ("metric", "names", "words"),
    [
        (
            "contextual_recal",
            (),
            "contextual_precision, contextual_recall. What to do: did you mean 'contextual_recall'?",
        ),
        (
            "faithfulness",
            (),
            "contextual_recall. What to do: add it to metrics=, or take it out of the rules.",
        ),
        ("contextual_recall", ("contextual_precision",), "What to do: add it to metrics="),
        ("سرعة", (), "the metric 'سرعة' is not measured"),
    ],
)
def test_an_unknown_metric_is_an_error_before_anything_runs(metric: str, names: tuple[str, ...], words: str) -> None:
    with pytest.raises(MetricError) as caught:
        check_rules(load_rules({"good": rule(">", 0.1, metric)}), measured(*names))
    assert words in str(caught.value)
    hint = {"issues": [{"name": "x", "when": {"not": rule(">", 0.1, metric)}, "text": "t"}]}
    assert f"the metric {metric!r} is not measured" in refused(
        {**hint, "good": rule(">", 0.1, "length")}, *names, length
    )
    assert "rules, issues, 'x': " in refused({**hint, "good": rule(">", 0.1, "length")}, *names, length)


@pytest.mark.parametrize(
    ("threshold", "metric", "words"),
    [
        (
            50,
            "contextual_recall",
            "the threshold 50 is no possible value of contextual_recall. Expected: 0 to 1. What to do: did you mean 0.",
        ),
        (1.5, "contextual_recall", "Expected: 0 to 1."),
        (-0.1, "contextual_recall", "Expected: 0 to 1."),
        (0, RATING, "Expected: 1 to 5."),
        (6, RATING, "Expected: 1 to 5."),
    ],
)
def test_a_threshold_that_the_metric_cannot_reach(threshold: float, metric: str, words: str) -> None:
    assert words in refused({"good": rule("<", threshold, metric), "issues": []}, "contextual_recall", RATING)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("no_chunk", "the reason 'no_chunk' is not known. Expected: one of answer_refused, "),
        ("timeout", "'timeout' says that a metric has failed. Expected: a reason for which a metric does not apply"),
    ],
)
def test_a_reason_that_is_none(reason: str, words: str) -> None:
    assert words in refused({"good": rule(">", 0.1), "bad": {"metric": "contextual_recall", "reason": reason}})


def test_a_metric_of_the_users_has_reasons_and_values_of_its_own() -> None:
    rules = load_rules(
        {"good": rule(">", 1_000, "length"), "bad": {"metric": "none", "reason": "too_short"}, "issues": []}
    )
    assert check_rules(rules, measured(length, none)) == rules


NEVER = "can never hold"
AFTER_GOOD = "holds only where 'good' holds too, and 'good' comes first"
RECALL, PRECISION = "contextual_recall", "contextual_precision"


@pytest.mark.parametrize(
    ("good", "bad", "words"),
    [
        ({"and": [rule(">", 0.5), rule("<", 0.2)]}, None, f"the rule 'good' {NEVER}"),
        (rule(">", 1), None, f"the rule 'good' {NEVER}"),
        (rule("<", 0), None, f"the rule 'good' {NEVER}"),
        (rule("==", 0.5, "faithfulness"), None, f"the rule 'good' {NEVER}"),
        ({"and": [rule(">", 0.5), {"metric": RECALL, "reason": "no_chunks"}]}, None, f"the rule 'good' {NEVER}"),
        (rule(">=", 0.5), {"not": {"or": [rule(">=", 0.5), rule("<", 0.5)]}}, f"the rule 'bad' {NEVER}"),
        (rule(">=", 0.5), rule(">=", 0.5), f"the rule 'bad' {AFTER_GOOD}"),
        (rule(">=", 0.5), rule(">", 0.7), f"the rule 'bad' {AFTER_GOOD}"),
        (rule(">=", 0.5), {"and": [rule(">=", 0.5), rule("<", 0.5, PRECISION)]}, f"the rule 'bad' {AFTER_GOOD}"),
        (None, rule(">", 1), f"the rule 'bad' {NEVER}"),
    ],
)
def test_a_rule_that_never_counts_is_an_error(good: Any, bad: Any, words: str) -> None:
    rules = {name: each for name, each in (("good", good), ("bad", bad)) if each is not None}
    assert words in refused(rules, PRECISION, RECALL, "faithfulness")


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        (rule(">=", 0.5), rule("<", 0.5, PRECISION)),  # they overlap, and each counts somewhere
        (rule(">=", 0.5), rule("<", 0.7)),
        (rule("==", 1, "faithfulness"), rule("==", 0, "faithfulness")),
        (rule(">=", 4, RATING), rule("<=", 2, RATING)),
        (rule("!=", 0.0), {"metric": RECALL, "reason": "no_chunks"}),
        ({"metric": RECALL, "reason": "no_chunks"}, rule("<=", 0)),
        ({"metric": RECALL, "reason": "no_chunks"}, {"metric": RECALL, "reason": "unanswerable"}),
        (rule(">", 3.5, "length"), rule("<", -3, "length")),
    ],
)
def test_rules_that_count(good: Any, bad: Any) -> None:
    rules = load_rules({"good": good, "bad": bad, "issues": []})
    assert check_rules(rules, measured(PRECISION, RECALL, "faithfulness", RATING, length)) == rules


def test_rules_of_very_many_thresholds_are_taken_as_they_are() -> None:
    for names, count in ((PRECISION, RECALL), 100), ((RECALL,), 2_000):
        many = [rule(">", n / 3 / count, name) for n in range(count) for name in names]
        rules = load_rules({"good": {"and": [*many, rule("<", 0.1)]}, "issues": []})
        assert check_rules(rules, measured()) == rules
