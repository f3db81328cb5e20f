"""Retrieval metrics of a run: from matched ranks to scores."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.config import MatchSettings
from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.matching.golds import distinct_golds
from muffakir_eval.metrics.retrieval import (
    average_precision,
    hit_rate_at_k,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    reciprocal_rank,
)
from muffakir_eval.metrics.trials import TRIAL_METRICS, rank_gold, retrieval_metric
from muffakir_eval.records import ChunkMatch, PipelineOutput, RetrievedChunk, Sample, Score, Trial

OVER_IDS = {
    "recall": recall_at_k,
    "precision": precision_at_k,
    "mrr": reciprocal_rank,
    "ndcg": ndcg_at_k,
    "map": average_precision,
    "hit_rate": hit_rate_at_k,
}


def by_id(ranked: Sequence[str], gold: Sequence[str], **fields: Any) -> Trial:
    """A trial of identifiers, matched as a run would."""
    sample = Sample(sample_id="1", question="?", chunk_ids=tuple(gold), **fields)
    chunks = tuple(RetrievedChunk(chunk_id=name) for name in ranked)
    matches = ChunkMatcher(MatchSettings(match_by="id")).match(chunks, sample)
    return Trial(sample=sample, output=PipelineOutput(chunks=chunks), matches=matches)


def holding(*ranks: Sequence[int], n_gold: int, grades: Sequence[float] = (), repeats: Sequence[int] = ()) -> Trial:
    """A trial whose chunk at each rank holds the given golds."""
    sample = Sample(sample_id="1", question="?", contexts=tuple(f"نص {n}" for n in range(n_gold)), grades=tuple(grades))
    matches = tuple(
        ChunkMatch(
            rank=rank,
            relevant=bool(held),
            stage="containment" if held else None,
            score=1.0 if held else None,
            gold_indices=tuple(held),
            repeat=rank in repeats,
        )
        for rank, held in enumerate(ranks, 1)
    )
    chunks = tuple(RetrievedChunk(text=str(match.rank)) for match in matches)
    return Trial(sample=sample, output=PipelineOutput(chunks=chunks), matches=matches)


def score(name: str, trial: Trial, k: int) -> Score:
    found = retrieval_metric(name, k, f"{name}@{k}").compute(trial)
    assert isinstance(found, Score)
    return found


def value(name: str, trial: Trial, k: int) -> float:
    found = score(name, trial, k)
    assert found.value is not None, found
    return found.value


def test_p20_a_repeat_keeps_its_rank_and_earns_nothing() -> None:
    trial = by_id(["A", "A", "B"], ["A", "B"])
    assert value("recall", trial, 2) == 0.5
    assert value("recall", trial, 3) == 1.0
    assert value("precision", trial, 3) == pytest.approx(2 / 3)
    assert value("map", trial, 3) == pytest.approx(0.8333, abs=5e-5)
    assert value("ndcg", trial, 3) == pytest.approx(0.9197, abs=5e-5)


def test_p20_a_gold_named_twice_counts_once() -> None:
    trial = by_id(["A"], ["A", "A", "B"])
    assert value("recall", trial, 1) == 0.5
    assert value("ndcg", trial, 2) == pytest.approx(1 / (1 + 1 / 1.584962500721156))


def test_p20_a_repeat_earns_nothing_even_with_another_text() -> None:
    trial = holding([], [0], n_gold=1, repeats=[2])
    assert [value(name, trial, 2) for name in TRIAL_METRICS] == [0.0] * 6


def test_p21_the_ideal_is_built_from_the_gold() -> None:
    trial = by_id(["A", "x", "y", "z", "w"], ["A", "B", "C"])
    assert value("recall", trial, 5) == pytest.approx(0.3333, abs=5e-5)
    assert value("ndcg", trial, 5) == pytest.approx(0.4693, abs=5e-5)
    assert value("hit_rate", trial, 5) == 1.0


@pytest.mark.parametrize("name", TRIAL_METRICS)
def test_p23_without_gold_nothing_is_measured(name: str) -> None:
    for trial in (
        by_id(["a"], []),
        by_id(["a"], ["a"], grades=(0.0,)),
        by_id(["a"], [""]),
        by_id(["a"], [], answerable=False),
    ):
        assert score(name, trial, 5) == Score.not_applicable(f"{name}@5", "no_gold")


def test_p23_mean_over_questions_with_gold() -> None:
    scores = [score("recall", by_id(["a"], gold), 5) for gold in (["a"], [], ["b"])]
    values = [found.value for found in scores if found.value is not None]
    assert (sum(values) / len(values), len(values)) == (0.5, 2)


@pytest.mark.parametrize("name", TRIAL_METRICS)
def test_p24_an_empty_result_is_measured_as_zero(name: str) -> None:
    assert score(name, by_id([], ["b"]), 5) == Score.measured(f"{name}@5", 0.0)


def test_p24_means_over_found_and_empty() -> None:
    trials = [by_id(["a"], ["a"]), by_id([], ["b"])]
    assert sum(value("recall", trial, 5) for trial in trials) / 2 == 0.5
    assert sum(value("precision", trial, 5) for trial in trials) / 2 == 0.1


@pytest.mark.parametrize("name", TRIAL_METRICS)
def test_p24_an_exception_is_no_empty_result(name: str) -> None:
    sample = Sample(sample_id="1", question="?", chunk_ids=("a",))
    failed = Trial(sample=sample, output=PipelineOutput(error="TimeoutError: too slow"))
    assert score(name, failed, 5) == Score.failed(f"{name}@5", "pipeline_error")
    silent = Trial(sample=sample, output=PipelineOutput(answer="نعم"))
    assert score(name, silent, 5) == Score.not_applicable(f"{name}@5", "no_chunks")


def test_p24_without_gold_comes_first() -> None:
    failed = Trial(sample=Sample(sample_id="1", question="?"), output=PipelineOutput(error="E"))
    assert score("recall", failed, 5).reason == "no_gold"


def test_p27_the_formulas() -> None:
    assert value("map", by_id(["A", "B"], ["A", "B", "C"]), 2) == pytest.approx(2 / 3)
    assert value("ndcg", by_id(["b", "a"], ["a", "b"], grades=(3.0, 1.0)), 2) == pytest.approx(0.797, abs=5e-4)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("recall", ["k=7", "all golds"]),
        ("precision", ["k=7", "/ k"]),
        ("mrr", ["k=7", "1 / first rank"]),
        ("ndcg", ["k=7", "linear gain", "log2(rank+1)", "ideal over all gold"]),
        ("map", ["k=7", "divided by all gold"]),
        ("hit_rate", ["k=7", "any"]),
    ],
)
def test_p27_every_definition_names_its_variant_and_k(name: str, words: list[str]) -> None:
    metric = retrieval_metric(name, 7, "key")
    assert [word for word in words if word not in metric.definition] == []
    assert (metric.k, metric.family, metric.requested_as) == (7, "retrieval", name)
    assert metric.needs == {"gold", "chunks"}
    assert metric.binary == (name == "hit_rate")


def test_golds_found_together_count_as_one_in_the_ideal() -> None:
    trial = holding([0, 1], [], n_gold=2)
    assert [value(name, trial, 2) for name in ("recall", "ndcg", "map", "mrr", "hit_rate")] == [1.0] * 5
    assert value("precision", trial, 2) == 0.5


def test_a_second_chunk_with_the_same_gold_counts_for_precision_alone() -> None:
    trial = holding([0], [0], [1], n_gold=2)
    assert value("precision", trial, 3) == 1.0
    assert value("recall", trial, 3) == 1.0
    assert value("map", trial, 3) == pytest.approx((1 + 2 / 3) / 2)
    assert value("ndcg", trial, 3) == pytest.approx((1 + 1 / 2) / (1 + 1 / 1.584962500721156))


def test_golds_of_one_chunk_are_worth_the_highest_of_their_grades() -> None:
    trial = holding([2], [0, 1], n_gold=3, grades=(1.0, 3.0, 1.0))
    best = 3 + 1 / 1.584962500721156
    assert value("ndcg", trial, 2) == pytest.approx((1 + 3 / 1.584962500721156) / best)
    ranked = rank_gold(trial)
    assert ranked is not None
    assert ranked.golds == ([1, 2, 2], [1.0, 1.0, 3.0], [3.0, 1.0, 1.0])
    assert ranked.units(2) == ([1, 2], [1.0, 3.0], [3.0, 1.0])
    assert ranked.units(1) == ([1], [1.0], [3.0, 1.0, 1.0])


def test_only_the_first_k_ranks_are_looked_at() -> None:
    """Golds that meet in one chunk below the cutoff are still two in the ideal above it."""
    trial = holding([0], [0, 1], n_gold=2)
    assert value("ndcg", trial, 1) == 1.0
    assert value("map", trial, 1) == 0.5
    assert value("map", trial, 2) == 1.0


def test_trials_in_turn_do_not_answer_for_each_other() -> None:
    one, other = by_id(["A"], ["A"]), by_id(["x"], ["A"])
    assert [value("mrr", trial, 1) for trial in (one, other, one, one, other)] == [1.0, 0.0, 1.0, 1.0, 0.0]


def test_an_index_that_is_no_gold_is_ignored() -> None:
    trial = holding([0], [1], n_gold=2, grades=(0.0, 1.0))
    assert value("mrr", trial, 2) == 0.5


ranks = st.lists(st.lists(st.integers(0, 4), max_size=3, unique=True), max_size=8)
grades5: st.SearchStrategy[list[float]] = st.just([]) | st.lists(
    st.sampled_from([0.5, 1.0, 2.0, 7.0]), min_size=5, max_size=5
)


@given(ranks, grades5, st.sets(st.integers(1, 8)), st.integers(1, 9))
@settings(max_examples=300)
def test_always_between_zero_and_one(held: list[list[int]], grades: list[float], repeats: set[int], k: int) -> None:
    trial = holding(*held, n_gold=5, grades=grades, repeats=sorted(repeats))
    for name in TRIAL_METRICS:
        assert 0.0 <= value(name, trial, k) <= 1.0
    for name in ("recall", "hit_rate", "mrr"):
        assert value(name, trial, k) <= value(name, trial, k + 1)


@given(st.permutations(range(5)), st.lists(st.integers(1, 2), min_size=3, max_size=5), grades5)
@settings(max_examples=150)
def test_a_ranking_that_could_not_be_better_gets_one(order: list[int], sizes: list[int], grades: list[float]) -> None:
    """Every gold found, in chunks of one or two, the most valuable chunks first."""
    held, rest = [], list(order)
    for size in sizes:
        held.append(rest[:size])
        rest = rest[size:]
    held = [golds for golds in [*held, *([index] for index in rest)] if golds]
    held.sort(key=lambda golds: -max(grades[index] if grades else 1.0 for index in golds))
    trial = holding(*held, n_gold=5, grades=grades)
    for name in ("recall", "ndcg", "map", "mrr", "hit_rate"):
        assert value(name, trial, len(held)) == 1.0


@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", "c", ""]), st.sampled_from([-1.0, 0.0, 1.0, 2.0])), max_size=4),
    st.lists(st.sampled_from(["نص", ""]), max_size=4),
)
@settings(max_examples=100)
def test_what_there_is_to_find_is_every_distinct_gold(golds: list[tuple[str, float]], texts: list[str]) -> None:
    sample = Sample(
        sample_id="1",
        question="?",
        chunk_ids=tuple(name for name, _ in golds),
        contexts=tuple(texts[: len(golds)]),
        grades=tuple(grade for _, grade in golds),
    )
    ranked = rank_gold(Trial(sample=sample, output=PipelineOutput(chunks=())))
    grades = sorted((gold.grade for gold in distinct_golds(sample)), reverse=True)
    assert (list(ranked.golds.ideal) if ranked else []) == grades


def test_with_identifiers_the_values_are_those_of_the_plain_functions() -> None:
    """And these equal trec_eval's, see test_retrieval."""
    rng = random.Random(7)
    for _ in range(200):
        pool = [f"d{number}" for number in range(rng.randint(1, 20))]
        gold = {name: float(rng.randint(0, 3)) for name in rng.sample(pool, rng.randint(1, len(pool)))}
        ranked = [rng.choice(pool) for _ in range(rng.randint(0, 25))]
        trial = by_id(ranked, list(gold), grades=tuple(gold.values()))
        if not any(gold.values()):
            continue
        for name, metric in OVER_IDS.items():
            for k in (1, 3, 10):
                assert value(name, trial, k) == pytest.approx(metric(ranked, gold, k), abs=1e-12)
