from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from muffakir_eval.errors import ConfigError, MetricError
from muffakir_eval.metrics import (
    ALL_METRICS,
    DEFAULT_METRICS,
    GENERATION_METRICS,
    JUDGED_METRICS,
    left_out_defaults,
    resolve_metrics,
)
from muffakir_eval.metrics.trials import retrieval_metric
from muffakir_eval.records import Trial


def my_metric(trial: Trial) -> float:
    return 1.0


def names(*requested: Any, k: int = 5, k_values: tuple[int, ...] | None = None) -> list[str]:
    return [metric.name for metric in resolve_metrics(requested, k=k, k_values=k_values)]


def named(name: str) -> Callable[[Trial], float]:
    def function(trial: Trial) -> float:
        return 1.0

    function.__name__ = name
    return function


def test_the_names_of_the_reference() -> None:
    assert ALL_METRICS == (
        "recall",
        "precision",
        "mrr",
        "ndcg",
        "faithfulness",
        "answer_correctness",
        "llm_judge_rating",
    )
    assert set(ALL_METRICS) - set(DEFAULT_METRICS) == {"llm_judge_rating"}
    assert {"faithfulness", "answer_correctness", "llm_judge_rating"} == GENERATION_METRICS < JUDGED_METRICS


def test_keys_at_the_main_cutoff() -> None:
    assert names("recall", "precision", "mrr", "ndcg", "map", "hit_rate") == [
        "recall_at_k",
        "precision_at_k",
        "mrr",
        "ndcg_at_k",
        "map",
        "hit_rate",
    ]
    assert {metric.k for metric in resolve_metrics(["recall", "mrr"], k=7)} == {7}


@pytest.mark.parametrize(
    ("spelling", "key"),
    [
        ("recall", "recall_at_k"),
        ("Recall", "recall_at_k"),
        (" RECALL ", "recall_at_k"),
        ("recall_at_k", "recall_at_k"),
        ("recall@k", "recall_at_k"),
        ("Recall@K", "recall_at_k"),
        ("Recall@10", "recall@10"),
        ("recall_at_10", "recall@10"),
        ("nDCG@10", "ndcg@10"),
        ("NDCG", "ndcg_at_k"),
        ("MRR", "mrr"),
        ("mrr@3", "mrr@3"),
        ("MAP", "map"),
        ("average_precision", "map"),
        ("hit_rate", "hit_rate"),
        ("Hit-Rate@1", "hit_rate@1"),
        ("hit rate", "hit_rate"),
        ("success@5", "hit_rate@5"),
        ("P@5", "precision@5"),
        ("R@5", "recall@5"),
        ("recip_rank", "mrr"),
        ("RECALL@ 5", "recall@5"),
        ("recall @ k", "recall_at_k"),
        ("precision at 5", "precision@5"),
        ("NDCG-at-k", "ndcg_at_k"),
        ("recall@05", "recall@5"),
        ("recall@٥", "recall@5"),
        ("Exact Match", "exact_match"),
        ("EM", "exact_match"),
        ("Token-F1", "token_f1"),
        ("context_recall_lexical", "context_recall_lexical"),
        ("Context_Precision_Lexical@3", "context_precision_lexical@3"),
    ],
)
def test_spellings(spelling: str, key: str) -> None:
    assert names(spelling) == [key]


def test_further_cutoffs_for_every_plain_name() -> None:
    assert names("recall", "mrr", "ndcg@3", k_values=(1, 10)) == [
        "recall_at_k",
        "recall@1",
        "recall@10",
        "mrr",
        "mrr@1",
        "mrr@10",
        "ndcg@3",
    ]


def test_further_cutoffs_of_the_lexical_metrics_on_contexts() -> None:
    assert names("exact_match", "context_recall_lexical", k_values=(1, 3)) == [
        "exact_match",
        "context_recall_lexical",
        "context_recall_lexical@1",
        "context_recall_lexical@3",
    ]
    assert [metric.k for metric in resolve_metrics(["token_f1", "context_recall_lexical"], k=7)] == [None, 7]


def test_a_metric_on_the_answer_has_no_cutoff() -> None:
    with pytest.raises(MetricError, match=r"'token_f1@5' compares answers, and has no cutoff.*Expected: 'token_f1'"):
        names("token_f1@5")


@pytest.mark.parametrize("which", ["recall", "precision"])
@pytest.mark.parametrize("spelling", ["context_{}", "Context {}", "CONTEXT-{}@5"])
def test_a_name_that_may_be_lexical_or_judged_is_refused_with_both(spelling: str, which: str) -> None:
    expected = f"may mean two metrics.*'context_{which}_lexical' .*no judge.*'contextual_{which}' .*language model"
    with pytest.raises(MetricError, match=expected):
        names(spelling.format(which))


def test_each_metric_once() -> None:
    assert names("recall", "Recall", "recall_at_k", "recall@1", my_metric, my_metric, k_values=(1,)) == [
        "recall_at_k",
        "recall@1",
        "my_metric",
    ]


def test_nothing_requested_takes_the_defaults_that_can_be_measured() -> None:
    assert [metric.name for metric in resolve_metrics(None, k=5)] == [
        "recall_at_k",
        "precision_at_k",
        "mrr",
        "ndcg_at_k",
    ]
    assert left_out_defaults() == ("faithfulness", "answer_correctness")


def test_no_metrics_are_no_metrics() -> None:
    assert resolve_metrics([], k=5) == ()


@pytest.mark.parametrize(
    ("wrong", "near"), [("recal", "recall"), ("ndgc", "ndcg"), ("hitrates", "hit_rate"), ("percision@5", "precision")]
)
def test_unknown_names_get_a_suggestion(wrong: str, near: str) -> None:
    with pytest.raises(MetricError, match=f"unknown metric '{wrong}'.*did you mean '{near}'") as caught:
        names(wrong)
    assert isinstance(caught.value, ConfigError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "wrong",
    [
        *("bleu", "", "  ", "@5", "recall@", "recall@x", "recall@1_000", "recall@+5", "recall@5.0", "ndcg@10@5"),
        *("recall@" + "9" * 5000, "x" * 5000, "recall\u200f"),
    ],
)
def test_unknown_names_list_the_known_ones(wrong: str) -> None:
    with pytest.raises(MetricError, match="recall, precision, mrr, ndcg, map, hit_rate") as caught:
        names(wrong)
    assert len(str(caught.value)) < 450


@pytest.mark.parametrize("judged", sorted(JUDGED_METRICS))
def test_judged_metrics_are_refused_honestly(judged: str) -> None:
    with pytest.raises(MetricError, match="there is no judge"):
        names(judged.upper())


@pytest.mark.parametrize("cutoff", ["recall@0", "recall@-3"])
def test_a_cutoff_below_one_is_refused(cutoff: str) -> None:
    with pytest.raises(MetricError, match="below 1"):
        names(cutoff)


@pytest.mark.parametrize(
    "taken", ["recall", "Recall", "recall_at_k", "mrr", "ndcg@10", "faithfulness", "hits", "exact_match", "Token_F1"]
)
def test_a_function_may_not_have_the_name_of_a_built_in_metric(taken: str) -> None:
    with pytest.raises(MetricError, match="name of a"):
        names(named(taken))


@pytest.mark.parametrize("column", ["question", "error", "sample_id", "latency_ms"])
def test_a_function_may_not_have_the_name_of_a_column(column: str) -> None:
    with pytest.raises(MetricError, match=r"column of samples\.csv"):
        names(named(column))


def test_two_functions_may_not_share_a_name() -> None:
    with pytest.raises(MetricError, match="two metrics are called 'twin'"):
        names(named("twin"), named("twin"))


def test_what_is_neither_name_nor_function_is_refused() -> None:
    with pytest.raises(MetricError, match="of type int"):
        names(5)


def test_a_finished_metric_is_taken_as_it_is() -> None:
    metric = retrieval_metric("recall", 3, "recall@3")
    assert resolve_metrics([metric], k=5) == (metric,)  # type: ignore[list-item]
