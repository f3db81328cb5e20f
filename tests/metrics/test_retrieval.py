"""Retrieval metrics over identifiers: values by hand, properties, and parity with trec_eval."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.metrics import (
    RETRIEVAL_METRICS,
    average_precision,
    dcg_at_k,
    distractor_share_at_k,
    hard_recall_at_k,
    hit_rate_at_k,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    reciprocal_rank,
)

AT_K = [recall_at_k, precision_at_k, ndcg_at_k, hit_rate_at_k, reciprocal_rank, average_precision]


# By hand --------------------------------------------------------------------------------------------


def test_p20_a_repeat_keeps_its_rank_and_earns_nothing() -> None:
    ranked, gold = ["A", "A", "B"], {"A": 1.0, "B": 1.0}
    assert recall_at_k(ranked, gold, 2) == 0.5
    assert recall_at_k(ranked, gold, 3) == 1.0
    assert precision_at_k(ranked, gold, 3) == pytest.approx(2 / 3)
    assert average_precision(ranked, gold) == pytest.approx(0.8333, abs=5e-5)
    assert ndcg_at_k(ranked, gold, 3) == pytest.approx(0.9197, abs=5e-5)


def test_p20_only_repeats() -> None:
    ranked, gold = ["A"] * 5, {"A": 1.0}
    assert [metric(ranked, gold, 5) for metric in AT_K] == [1.0, 0.2, 1.0, 1.0, 1.0, 1.0]


def test_p20_a_repeated_miss_stays_a_miss() -> None:
    assert reciprocal_rank(["x", "x", "A"], {"A": 1.0}) == pytest.approx(1 / 3)


def test_p21_the_ideal_is_built_from_the_gold() -> None:
    ranked, gold = ["A", "x", "y", "z", "w"], {"A": 1.0, "B": 1.0, "C": 1.0}
    assert recall_at_k(ranked, gold, 5) == pytest.approx(0.3333, abs=5e-5)
    assert ndcg_at_k(ranked, gold, 5) == pytest.approx(0.4693, abs=5e-5)
    assert hit_rate_at_k(ranked, gold, 5) == 1.0


def test_p23_without_positives_everything_is_zero() -> None:
    for gold in ({}, {"A": 0.0}, {"A": -1.0, "B": 0.0}):
        assert [metric(["A", "B"], gold, 2) for metric in AT_K] == [0.0] * 6
    assert dcg_at_k(["A"], {"A": -1.0}, 1) == 0.0


def test_p24_an_empty_ranking_is_zero_and_k_always_divides() -> None:
    assert [metric([], {"a": 1.0}, 5) for metric in AT_K] == [0.0] * 6
    assert precision_at_k(["a"], {"a": 1.0}, 5) == 0.2


def test_p27_average_precision_divides_by_all_gold() -> None:
    assert average_precision(["A", "B"], {"A": 1.0, "B": 1.0, "C": 1.0}, 2) == pytest.approx(2 / 3)


def test_p27_ndcg_has_linear_gain() -> None:
    assert ndcg_at_k(["b", "a"], {"a": 3.0, "b": 1.0}, 2) == pytest.approx(0.797, abs=5e-4)
    assert dcg_at_k(["b", "a"], {"a": 3.0, "b": 1.0}, 2) == pytest.approx(1 + 3 / math.log2(3))


def test_a_negative_grade_earns_nothing_and_costs_nothing() -> None:
    assert ndcg_at_k(["n", "a"], {"a": 1.0, "n": -2.0}, 2) == pytest.approx(1 / math.log2(3))


@pytest.mark.parametrize("metric", [dcg_at_k, *AT_K])
@pytest.mark.parametrize("k", [0, -1])
def test_k_below_one_is_refused(metric: Callable[[Sequence[str], Mapping[str, float], int], float], k: int) -> None:
    with pytest.raises(ValueError, match=f"k is {k}"):
        metric(["a"], {"a": 1.0}, k)


@pytest.mark.parametrize("metric", [dcg_at_k, *AT_K])
@pytest.mark.parametrize(("grade", "kind"), [(math.inf, "infinite"), (math.nan, "NaN")])
def test_a_grade_that_is_no_number_is_refused(
    metric: Callable[[Sequence[str], Mapping[str, float], int], float], grade: float, kind: str
) -> None:
    with pytest.raises(ValueError, match=f"the grade of 'a' is {kind}"):
        metric(["a"], {"a": grade}, 3)


def test_hard_recall_counts_the_hard_positives_alone() -> None:
    assert hard_recall_at_k(["easy", "h1", "x", "h2"], ["h1", "h2", "h3"], 3) == pytest.approx(1 / 3)
    assert hard_recall_at_k(["h1", "h1"], {"h1", "h2"}, 2) == 0.5
    assert hard_recall_at_k(["a"], [], 1) == 0.0


def test_the_share_of_distractors_counts_every_rank_and_divides_by_k() -> None:
    assert distractor_share_at_k(["x", "d", "y", "x"], ["x", "y"], 2) == 0.5
    assert distractor_share_at_k(["x", "x"], {"x"}, 4) == 0.5
    assert distractor_share_at_k(["d"], [], 1) == 0.0
    with pytest.raises(ValueError, match="k is 0"):
        distractor_share_at_k(["d"], ["x"], 0)


def test_far_below_the_first_thousand_ranks() -> None:
    ranked = [f"x{rank}" for rank in range(1, 3000)]
    gold = {"x1500": 3.0, "x2000": 1.0, "missed": 2.0}
    dcg = 3 / math.log2(1501) + 1 / math.log2(2001)
    assert dcg_at_k(ranked, gold, 5000) == pytest.approx(dcg)
    assert ndcg_at_k(ranked, gold, 5000) == pytest.approx(dcg / (3 + 2 / math.log2(3) + 1 / 2))
    many = dict.fromkeys(ranked, 1.0)
    assert ndcg_at_k(ranked, many, 2999) == 1.0


@pytest.mark.parametrize("scale", [5e-324, 1e-308, 1.0, 1e308])
def test_the_scale_of_the_grades_does_not_matter(scale: float) -> None:
    gold = {"a": scale, "b": scale, "c": scale}
    assert ndcg_at_k(["a", "b", "c"], gold, 3) == 1.0
    assert ndcg_at_k(["x", "a"], gold, 2) == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))


def test_the_registry_of_the_reference() -> None:
    assert {name: metric.__name__ for name, metric in RETRIEVAL_METRICS.items()} == {
        "map": "average_precision",
        "mrr": "reciprocal_rank",
        "ndcg": "ndcg_at_k",
        "precision": "precision_at_k",
        "recall": "recall_at_k",
    }


# Properties -----------------------------------------------------------------------------------------

documents = st.sampled_from("abcdefgh")
rankings = st.lists(documents, max_size=12)
judgements = st.dictionaries(documents, st.integers(-1, 4) | st.floats(-1, 1e6), max_size=8)


@given(rankings, judgements, st.integers(1, 15))
@settings(max_examples=300)
def test_always_between_zero_and_one(ranked: list[str], gold: dict[str, float], k: int) -> None:
    for metric in AT_K:
        assert 0.0 <= metric(ranked, gold, k) <= 1.0


@given(rankings, judgements, st.integers(1, 14))
@settings(max_examples=200)
def test_recall_and_hit_rate_never_fall_with_k(ranked: list[str], gold: dict[str, float], k: int) -> None:
    for metric in (recall_at_k, hit_rate_at_k, reciprocal_rank, average_precision):
        assert metric(ranked, gold, k) <= metric(ranked, gold, k + 1)


@given(judgements.filter(lambda gold: any(grade > 0 for grade in gold.values())), st.integers(1, 10))
@settings(max_examples=200)
def test_the_best_ranking_gets_one(gold: dict[str, float], k: int) -> None:
    best = sorted((name for name in gold if gold[name] > 0), key=lambda name: -gold[name])
    assert ndcg_at_k(best, gold, k) == 1.0
    assert average_precision(best, gold) == 1.0
    assert recall_at_k(best, gold, len(best)) == 1.0


@given(rankings, judgements, st.integers(1, 15))
@settings(max_examples=200)
def test_only_the_first_k_count(ranked: list[str], gold: dict[str, float], k: int) -> None:
    for metric in AT_K:
        assert metric(ranked, gold, k) == metric(ranked[:k], gold, k)


# Parity with trec_eval ------------------------------------------------------------------------------

CUTOFFS = (1, 3, 5, 10, 20, 100)
_MEASURES = {f"{name}.{','.join(map(str, CUTOFFS))}" for name in ("recall", "P", "map_cut", "ndcg_cut", "success")}


def _agree(qrels: dict[str, dict[str, int]], rankings_by_query: dict[str, list[str]]) -> int:
    """Assert that all six metrics equal trec_eval's at every cutoff; the number of values compared."""
    run = {
        query: {document: float(len(ranked) - rank) for rank, document in enumerate(ranked)}
        for query, ranked in rankings_by_query.items()
    }
    compared = 0
    for query, values in pytrec_eval.RelevanceEvaluator(qrels, _MEASURES).evaluate(run).items():
        ranked = rankings_by_query[query]
        gold = {document: float(grade) for document, grade in qrels[query].items()}
        for k in CUTOFFS:
            ours = {
                f"recall_{k}": recall_at_k(ranked, gold, k),
                f"P_{k}": precision_at_k(ranked, gold, k),
                f"map_cut_{k}": average_precision(ranked, gold, k),
                f"ndcg_cut_{k}": ndcg_at_k(ranked, gold, k),
                f"success_{k}": hit_rate_at_k(ranked, gold, k),
            }
            for name, value in ours.items():
                assert value == pytest.approx(values[name], abs=1e-9), (query, name)
                compared += 1
    for k in CUTOFFS:  # trec_eval has no cut of its own for recip_rank: the run is cut instead
        cut = {query: dict(list(documents.items())[:k]) for query, documents in run.items()}
        for query, values in pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(cut).items():
            gold = {document: float(grade) for document, grade in qrels[query].items()}
            ours_cut = reciprocal_rank(rankings_by_query[query], gold, k)
            assert ours_cut == pytest.approx(values["recip_rank"], abs=1e-9), (query, k)
            compared += 1
    return compared


def test_parity_with_trec_eval_on_random_rankings() -> None:
    rng = random.Random(20240517)
    qrels: dict[str, dict[str, int]] = {}
    ranked: dict[str, list[str]] = {}
    for number in range(1000):
        pool = [f"d{name}" for name in range(rng.randint(1, 60))]
        query = f"q{number}"
        qrels[query] = {name: rng.choice([0, 0, 0, 1, 1, 2, 3]) for name in rng.sample(pool, rng.randint(1, len(pool)))}
        ranked[query] = rng.sample(pool, rng.randint(1, len(pool)))
    assert _agree(qrels, ranked) == 1000 * 6 * len(CUTOFFS)


def _qrels(path: Path) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, document, grade = line.split()
        qrels[query][document] = int(grade)
    return dict(qrels)


def _rankings(path: Path) -> dict[str, list[str]]:
    """Documents by falling score, ties in the order in which trec_eval puts them: by name, descending."""
    scored: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, document, _, score, _ = line.split()
        scored[query].append((float(score), document))
    return {query: [document for _, document in sorted(pairs, reverse=True)] for query, pairs in scored.items()}


@pytest.mark.parametrize(
    ("qrels", "run", "queries"),
    [
        ("trec_eval/qrels.test", "trec_eval/results.test", 3),
        ("ir_measures_compat/compat.qrels", "ir_measures_compat/compat.run", 2),
    ],
)
def test_parity_with_trec_eval_on_real_runs(data_dir: Path, qrels: str, run: str, queries: int) -> None:
    judged, ranked = _qrels(data_dir / qrels), _rankings(data_dir / run)
    assert _agree(judged, ranked) == queries * 6 * len(CUTOFFS)


def test_trec_evals_own_printed_means(data_dir: Path) -> None:
    """``out.test`` of trec_eval's test suite: map, recip_rank and P_k over its three queries."""
    judged, ranked = _qrels(data_dir / "trec_eval/qrels.test"), _rankings(data_dir / "trec_eval/results.test")
    printed = {
        line.split()[0]: float(line.split()[2])
        for line in (data_dir / "trec_eval/out.test").read_text(encoding="utf-8").splitlines()
        if line.split()[0] != "runid"
    }
    queries = sorted(set(judged) & set(ranked))
    assert len(queries) == printed["num_q"]

    gold = {query: {name: float(grade) for name, grade in judged[query].items()} for query in queries}

    def mean(values: Sequence[float]) -> float:
        return sum(values) / len(values)

    assert mean([average_precision(ranked[query], gold[query]) for query in queries]) == pytest.approx(
        printed["map"], abs=5e-5
    )
    assert mean([reciprocal_rank(ranked[query], gold[query]) for query in queries]) == pytest.approx(
        printed["recip_rank"], abs=5e-5
    )
    for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000):
        assert mean([precision_at_k(ranked[query], gold[query], k) for query in queries]) == pytest.approx(
            printed[f"P_{k}"], abs=5e-5
        )
