"""``evaluate_retrieval`` against trec_eval: its printed output, and its code by way of pytrec_eval."""

from __future__ import annotations

import random
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval import evaluate_retrieval, read_qrels, read_run

CUTOFFS = (1, 5, 10, 100)
NAMES = {"ndcg": "ndcg_cut", "recall": "recall", "precision": "P", "map": "map_cut", "hit_rate": "success"}
METRICS = ("ndcg", "recall", "precision", "mrr", "map", "hit_rate")

Rankings = Mapping[str, Sequence[str]]
Grades = Mapping[str, Mapping[str, int]]


def trec_values(qrels: Grades, rankings: Rankings) -> dict[str, dict[str, float]]:
    """Every measure at every cutoff of every query, as trec_eval's own code has it; the order is the ranking's."""
    run = {
        query: {document: float(len(ranked) - place) for place, document in enumerate(ranked)}
        for query, ranked in rankings.items()
    }
    measures = {f"{name}.{','.join(map(str, CUTOFFS))}" for name in NAMES.values()}
    found = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
    values = {
        query: {f"{ours}@{k}": by_name[f"{theirs}_{k}"] for ours, theirs in NAMES.items() for k in CUTOFFS}
        for query, by_name in found.items()
    }
    for k in CUTOFFS:  # recip_rank has no cutoff there: the run is cut instead
        cut = {query: dict(list(documents.items())[:k]) for query, documents in run.items()}
        for query, by_name in pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(cut).items():
            values[query][f"mrr@{k}"] = by_name["recip_rank"]
    return values


def assert_equal(qrels: Grades, rankings: Rankings) -> int:
    """Assert that every value per query is trec_eval's; how many were compared."""
    report = evaluate_retrieval(rankings, qrels, k_values=CUTOFFS, metrics=METRICS)
    theirs = trec_values(qrels, rankings)
    compared = 0
    for query, values in report.per_query.items():
        for key, value in values.items():
            assert value == pytest.approx(theirs[query][key], abs=1e-9), (query, key)
            compared += 1
    for key, mean in report.metrics.items():
        assert mean == pytest.approx(sum(theirs[query][key] for query in report.per_query) / report.n_queries, abs=1e-9)
    return compared


def by_score(run: Mapping[str, Sequence[tuple[str, float]]]) -> dict[str, list[str]]:
    """The order in which trec_eval reads a run: by falling score, ties by falling name."""
    return {
        query: [document for document, _ in sorted(pairs, key=lambda pair: (pair[1], pair[0]), reverse=True)]
        for query, pairs in run.items()
    }


def read(data_dir: Path, qrels: str, run: str) -> tuple[Grades, dict[str, list[str]]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the ranks of these files contradict their scores; that is not looked at here
        scored = read_run(data_dir / run)
    judged = {
        query: {document: int(grade) for document, grade in grades.items()}
        for query, grades in read_qrels(data_dir / qrels).items()
    }
    return judged, by_score(scored)


@pytest.mark.parametrize(
    ("qrels", "run", "queries"),
    [
        ("trec_eval/qrels.test", "trec_eval/results.test", 3),
        ("ir_measures_compat/compat.qrels", "ir_measures_compat/compat.run", 2),
    ],
)
def test_real_runs(data_dir: Path, qrels: str, run: str, queries: int) -> None:
    judged, rankings = read(data_dir, qrels, run)
    judged = {query: grades for query, grades in judged.items() if query in rankings}
    assert assert_equal(judged, rankings) == queries * len(METRICS) * len(CUTOFFS)


def test_real_judgements_with_2896_arabic_queries(data_dir: Path) -> None:
    rng = random.Random(20260101)
    qrels = {
        query: {document: int(grade) for document, grade in grades.items()}
        for query, grades in read_qrels(data_dir / "miracl_ar/qrels.miracl-v1.0-ar-dev.tsv").items()
    }
    pool = [document for grades in qrels.values() for document in grades]
    rankings = {}
    for query, grades in qrels.items():
        ranked = list(dict.fromkeys([*grades, *rng.sample(pool, 30)]))
        rng.shuffle(ranked)
        rankings[query] = ranked[: rng.randint(1, len(ranked))]
    assert assert_equal(qrels, rankings) == 2896 * len(METRICS) * len(CUTOFFS)


PRINTED = {"P": "precision", "recall": "recall"}


@pytest.mark.parametrize("query", ["all", "301", "302", "303"])
def test_what_trec_eval_printed(data_dir: Path, query: str) -> None:
    """``out.test.aq`` and ``out.test.a`` of trec_eval's test suite, to their four decimals."""
    judged, rankings = read(data_dir, "trec_eval/qrels.test", "trec_eval/results.test")
    judged = {name: grades for name, grades in judged.items() if name in rankings}
    cutoffs = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    report = evaluate_retrieval(rankings, judged, k_values=cutoffs, metrics=["precision", "recall", "map", "mrr"])
    ours = report.metrics if query == "all" else report.per_query[query]
    compared = 0
    for line in (data_dir / "trec_eval/out.test.aq").read_text(encoding="utf-8").splitlines():
        name, of_query, value = line.split(maxsplit=2)
        stem, _, k = name.rpartition("_")
        key = {"map": "map@1000", "recip_rank": "mrr@1000"}.get(name, f"{PRINTED.get(stem, '')}@{k}")
        if of_query == query and key in ours:
            assert ours[key] == pytest.approx(float(value), abs=5.0001e-5), (query, name)
            compared += 1
    assert compared == 2 + 2 * len(cutoffs)


def test_with_ties_the_retriever_s_order_decides() -> None:
    """trec_eval breaks ties by falling document name, whatever order the retriever gave."""
    qrels = {"q": {"a": 1}}
    tied = {"a": 1.0, "b": 1.0}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate({"q": tied})["q"]["recip_rank"]
    assert theirs == 0.5
    for run in ({"q": tied}, {"q": [("a", 1.0), ("b", 1.0)]}, {"q": ["a", "b"]}):
        assert evaluate_retrieval(run, qrels, metrics=["mrr"], k_values=[10]).metrics == {"mrr@10": 1.0}
    turned = {"q": dict(reversed(tied.items()))}
    assert evaluate_retrieval(turned, qrels, metrics=["mrr"], k_values=[10]).metrics == {"mrr@10": 0.5}


def test_a_query_without_a_ranking_counts_where_pytrec_eval_leaves_it_out() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    assert set(pytrec_eval.RelevanceEvaluator(qrels, {"recall"}).evaluate({"q1": {"a": 1.0}})) == {"q1"}
    report = evaluate_retrieval({"q1": ["a"]}, qrels, metrics=["recall"], k_values=[5])
    assert (report.metrics["recall@5"], report.n_queries) == (0.5, 2)


documents = st.sampled_from([f"d{number}" for number in range(12)])
graded = st.dictionaries(documents, st.integers(0, 4), min_size=1, max_size=10)
ranked_lists = st.lists(documents, unique=True, min_size=1, max_size=12)


@given(st.lists(st.tuples(graded, ranked_lists), min_size=1, max_size=6))
@settings(max_examples=150)
def test_random_judgements(cases: list[tuple[dict[str, int], list[str]]]) -> None:
    qrels = {f"q{number}": grades for number, (grades, _) in enumerate(cases) if any(grades.values())}
    rankings = {f"q{number}": ranked for number, (_, ranked) in enumerate(cases)}
    if qrels:
        assert assert_equal(qrels, rankings) == len(qrels) * len(METRICS) * len(CUTOFFS)
