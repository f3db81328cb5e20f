"""Several retrievers side by side."""

from __future__ import annotations

import asyncio
import math
import random
from typing import Any

import pytest

from muffakir_eval import (
    ConfigError,
    DatasetError,
    PipelineError,
    RetrieverComparison,
    acompare_retrievers,
    compare_retrievers,
)
from muffakir_eval.retrieval_evaluation.differences import UNDECIDED

N = 40
QRELS = {f"q{n}": {f"d{n}": 1} for n in range(N)}


def run(seed: int, share: float) -> dict[str, list[str]]:
    """A made-up retriever that finds so many of the documents, somewhere among the first ten."""
    rng = random.Random(seed)
    rankings = {}
    for n in range(N):
        ranked = [f"x{n}-{place}" for place in range(10)]
        if rng.random() < share:
            ranked[rng.randrange(10)] = f"d{n}"
        rankings[f"q{n}"] = ranked
    return rankings


def test_a_clear_difference_and_none() -> None:
    runs = {"weak": run(1, 0.3), "strong": run(2, 1.0), "as weak": run(3, 0.3)}
    found = compare_retrievers(runs, QRELS, metrics=["ndcg", "hit_rate"])
    verdicts = {(one.first, one.second, one.metric): one.verdict for one in found.differences}
    assert verdicts == {
        ("weak", "strong", "ndcg@10"): "strong is better",
        ("weak", "strong", "hit_rate@10"): "strong is better",
        ("weak", "as weak", "ndcg@10"): UNDECIDED,
        ("weak", "as weak", "hit_rate@10"): UNDECIDED,
        ("strong", "as weak", "ndcg@10"): "strong is better",
        ("strong", "as weak", "hit_rate@10"): "strong is better",
    }


def test_the_figures_of_one_comparison() -> None:
    runs = {"one": run(1, 0.3), "other": run(2, 0.7)}
    found = compare_retrievers(runs, QRELS, metrics=["recall"])
    (one,) = found.differences
    a, b = (found.reports[name].per_query for name in runs)
    values = [(a[query]["recall@10"], b[query]["recall@10"]) for query in QRELS]
    assert one.difference == pytest.approx(
        found.reports["other"].metrics["recall@10"] - found.reports["one"].metrics["recall@10"]
    )
    assert one.wins == sum(second > first for first, second in values)
    assert one.losses == sum(second < first for first, second in values)
    assert one.wins + one.ties + one.losses == one.n == N
    differing, fewer = one.wins + one.losses, min(one.wins, one.losses)  # McNemar's exact test, by hand
    by_hand = min(1.0, 2 * sum(math.comb(differing, count) for count in range(fewer + 1)) / 2**differing)
    assert one.p_value == pytest.approx(by_hand)
    assert one.p_adjusted == one.p_value
    assert one.low is not None
    assert one.high is not None
    assert one.low <= one.difference <= one.high


def test_holm_over_all_comparisons() -> None:
    runs = {"a": run(1, 0.3), "b": run(2, 0.7), "c": run(3, 1.0)}
    found = compare_retrievers(runs, QRELS, metrics=["recall", "mrr"])
    smallest = min(found.differences, key=lambda one: one.p_value)
    assert smallest.p_adjusted == pytest.approx(min(1.0, smallest.p_value * 6))
    assert all(one.p_adjusted >= one.p_value for one in found.differences)


def test_the_same_seed_gives_the_same_figures_whatever_else_is_compared() -> None:
    runs = {"a": run(1, 0.4), "b": run(2, 0.8)}
    alone = compare_retrievers(runs, QRELS, metrics=["ndcg"], seed=7)
    again = compare_retrievers({**runs, "c": run(5, 0.5)}, QRELS, metrics=["mrr", "ndcg"], seed=7)
    first = alone.differences[0]
    same = next(one for one in again.differences if (one.first, one.second, one.metric) == ("a", "b", "ndcg@10"))
    assert (first.low, first.high, first.p_value) == (same.low, same.high, same.p_value)


def test_of_distractors_the_fewer_the_better() -> None:
    distractors = {f"q{n}": [f"bait{n}"] for n in range(N)}
    baited = {query: [f"bait{query[1:]}", *ranked] for query, ranked in run(1, 0.5).items()}
    found = compare_retrievers(
        {"baited": baited, "clean": run(1, 0.5)}, QRELS, metrics=["recall"], distractors=distractors
    )
    verdicts = {one.metric: one.verdict for one in found.differences}
    assert verdicts["distractor_share@10"] == "clean is better"


def test_only_the_queries_that_both_were_scored_on() -> None:
    def failing(query: str) -> list[str]:
        if query in {"q0", "q1"}:
            raise TimeoutError
        return [f"d{query[1:]}"]

    found = compare_retrievers(
        {"failing": failing, "other": run(1, 1.0)},
        QRELS,
        {query: query for query in QRELS},
        metrics=["recall"],
        on_error="record",
    )
    assert [one.n for one in found.differences] == [N - 2]
    assert (found.reports["failing"].n_queries, found.reports["other"].n_queries) == (N - 2, N)


def test_who_fails_on_the_hard_queries_does_not_look_better() -> None:
    """Both find the easy half alone; one of them fails on the other half."""
    easy = {query: [f"d{query[1:]}"] for query in list(QRELS)[: N // 2]}

    def failing(query: str) -> list[str]:
        return easy[query]

    def steady(query: str) -> list[str]:
        return easy.get(query, ["x"])

    found = compare_retrievers(
        {"failing": failing, "steady": steady},
        QRELS,
        {query: query for query in QRELS},
        metrics=["recall"],
        on_error="record",
    )
    assert [one.verdict for one in found.differences] == [UNDECIDED]
    lines = [line.split() for line in str(found).splitlines()]
    assert ["retriever", "failed", "common", "queries", "recall@10"] in lines
    assert ["failing", "20", "20", "1.0000"] in lines
    assert ["steady", "0", "20", "1.0000"] in lines
    assert found.warnings[-1] == (
        "failing failed on 20 of 40 queries, which its means and differences leave out; "
        "with 0 for these: recall@10 0.5000"
    )


@pytest.mark.parametrize(
    "options",
    [
        {"retrievers": {"a": 1, "b": None}},
        {"retrievers": {"a": None, "b": {"other": []}}},
        {"n_resamples": 0},
        {"n_resamples": 2.5},
        {"seed": -1},
        {"seed": None},
        {"confidence": "0.9"},
    ],
)
def test_what_is_wrong_is_said_before_the_first_query(options: dict[str, Any]) -> None:
    def asked(query: str) -> list[str]:
        raise AssertionError(query)

    given = {"retrievers": {"a": None, "b": asked}, **options}
    given["retrievers"] = {name: asked if one is None else one for name, one in given["retrievers"].items()}
    with pytest.raises(ConfigError):
        compare_retrievers(given.pop("retrievers"), QRELS, {query: query for query in QRELS}, **given)


def test_the_retriever_that_is_wrong_is_named() -> None:
    with pytest.raises(ConfigError) as caught:
        compare_retrievers({"bm25": run(1, 0.3), "dense": 7}, QRELS)
    assert caught.value.__notes__ == ["This was the retriever 'dense'."]
    with pytest.raises(ConfigError, match="none of the 40 judged queries") as caught:
        compare_retrievers({"bm25": run(1, 0.3), "dense": {"other": []}}, QRELS)
    assert caught.value.__notes__ == ["This was the retriever 'dense'."]


def test_what_was_finished_before_a_failure_is_kept() -> None:
    def failing(query: str) -> list[str]:
        raise TimeoutError

    with pytest.raises(PipelineError) as caught:
        compare_retrievers(
            {"dense": failing, "bm25": run(1, 0.3)}, QRELS, {query: query for query in QRELS}, metrics=["recall"]
        )
    assert caught.value.__notes__ == ["This was the retriever 'dense'; error.report holds what was finished."]
    report = caught.value.report
    assert isinstance(report, RetrieverComparison)
    assert {name: one.n_queries for name, one in report.reports.items()} == {"bm25": N, "dense": 0}
    assert "bm25" in str(report)


def test_the_order_of_the_queries_does_not_matter() -> None:
    runs = {"a": run(1, 0.4), "b": run(2, 0.8)}
    shuffled = random.Random(3).sample(list(QRELS.items()), N)
    for one, other in zip(
        compare_retrievers(runs, QRELS).differences, compare_retrievers(runs, dict(shuffled)).differences, strict=True
    ):
        assert (one.p_value, one.p_adjusted, one.low, one.high) == (
            other.p_value,
            other.p_adjusted,
            other.low,
            other.high,
        )


def test_recorded_runs_first_but_told_in_the_order_given() -> None:
    found = compare_retrievers(
        {"live": lambda query: [f"d{query[1:]}"], "recorded": run(1, 0.5)}, QRELS, {query: query for query in QRELS}
    )
    assert list(found.reports) == ["live", "recorded"]
    assert {(one.first, one.second) for one in found.differences} == {("live", "recorded")}


def test_no_common_query() -> None:
    def only(name: str) -> Any:
        def retriever(query: str) -> list[str]:
            if query != name:
                raise TimeoutError
            return []

        return retriever

    qrels = {"q0": {"d0": 1}, "q1": {"d1": 1}}
    found = compare_retrievers(
        {"a": only("q0"), "b": only("q1")}, qrels, {"q0": "q0", "q1": "q1"}, on_error="record", metrics=["recall"]
    )
    assert found.differences == ()
    assert found.warnings[-1] == "a and b were scored on no common query"
    assert found.to_dataframe().empty


def test_equal_retrievers() -> None:
    found = compare_retrievers({"a": run(1, 0.5), "b": run(1, 0.5)}, QRELS)
    assert {one.verdict for one in found.differences} == {UNDECIDED}
    assert {one.ties for one in found.differences} == {N}


def test_the_text_and_the_frame() -> None:
    qrels = {**QRELS, "empty": {"d1": 0}}
    found = compare_retrievers({"a": run(1, 0.3), "b": run(2, 1.0)}, qrels, metrics=["ndcg", "recall"])
    lines = str(found).splitlines()
    assert lines[0] == "Comparison of 2 retrievers"
    assert lines[2].split() == ["retriever", "queries", "ndcg@10", "recall@10"]
    assert "b against a, on 40 queries" in lines
    assert sum(line.endswith("b is better") for line in lines) == 2
    assert lines[-1] == "warning: skipped 1 judged queries with no document judged relevant: 'empty'"
    assert "95 % interval" in str(found)
    for confidence, told in ((0.9, " 90 % interval"), (0.999, " 99.9 % interval"), (0.05, " 5 % interval")):
        again = compare_retrievers({"a": run(1, 0.3), "b": run(2, 1.0)}, qrels, metrics=["mrr"], confidence=confidence)
        assert told in str(again)
    frame = found.to_dataframe()
    assert list(frame["metric"]) == ["ndcg@10", "recall@10"]
    assert frame["difference"].dtype == "float64"
    assert found.to_dict()["differences"][0]["verdict"] == "b is better"


def test_a_warning_of_one_retriever_alone_names_it() -> None:
    found = compare_retrievers({"full": run(1, 0.5), "short": {"q1": ["d1"]}}, QRELS, metrics=["mrr"])
    assert [warning.partition(": ")[0] for warning in found.warnings] == ["short"] * len(found.warnings)
    assert len(found.warnings) == 2


def test_too_few_queries_for_an_interval() -> None:
    found = compare_retrievers({"a": {"q1": ["d1"]}, "b": {"q1": ["x"]}}, {"q1": {"d1": 1}}, metrics=["mrr"])
    (one,) = found.differences
    assert (one.low, one.high, one.p_value, one.verdict) == (None, None, 1.0, UNDECIDED)
    assert "-1.0000" in str(found)


def test_inside_a_running_loop() -> None:
    async def main() -> float:
        found = await acompare_retrievers({"a": run(1, 0.3), "b": run(2, 1.0)}, QRELS, metrics=["mrr"])
        return found.differences[0].difference

    assert asyncio.run(main()) > 0


@pytest.mark.parametrize(
    ("retrievers", "message"),
    [
        ({}, "there is none"),
        ({"a": {"q1": []}}, "there is only one.*evaluate_retrieval scores a single one"),
        ({1: {"q1": []}, "1": {"q1": []}}, "two have the same name"),
        ([{"q1": []}, {"q1": []}], "of type list"),
        (None, "of type NoneType"),
    ],
)
def test_at_least_two_retrievers(retrievers: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        compare_retrievers(retrievers, QRELS)


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_a_confidence_that_is_none(confidence: float) -> None:
    with pytest.raises(ConfigError, match="confidence"):
        compare_retrievers({"a": run(1, 0.3), "b": run(2, 1.0)}, QRELS, confidence=confidence)


def test_what_a_single_evaluation_refuses() -> None:
    with pytest.raises(DatasetError):
        compare_retrievers({"a": run(1, 0.3), "b": run(2, 1.0)}, {"q1": {"d1": math.nan}})
