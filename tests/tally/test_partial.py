"""Parts of a run that merge into the whole."""

from __future__ import annotations

import pickle
import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.metrics import resolve_metrics
from muffakir_eval.records import ChunkMatch, PipelineOutput, Refusal, RetrievedChunk, Sample, SampleResult, Score
from muffakir_eval.report import build_summary
from muffakir_eval.tally import GroupBy, Tally, partial

METRICS = resolve_metrics(["mrr", "hit_rate", "token_f1"], k=3)
BY = GroupBy(slice_by=("dialect", "answerable"), cluster_column="doc")
REFUSAL = Refusal(reason="insufficient_information", kind="cannot_answer", phrase="لا أعرف", language="ar", span=(0, 7))


def score(rng: random.Random, name: str) -> Score:
    kind = rng.random()
    if kind < 0.1:
        return Score.not_applicable(name, rng.choice(("no_gold", "not_comparable")))
    if kind < 0.2:
        return Score.failed(name, "metric_error", {"message": f"fault {rng.randrange(5)}"})
    return Score.measured(name, rng.choice((0.0, 1.0)) if name == "hit_rate" else rng.random())


def result(number: int) -> SampleResult:
    rng = random.Random(number)
    error = f"TimeoutError: {rng.randrange(3)}" if rng.random() < 0.1 else None
    chunks = tuple(RetrievedChunk(text="نص") for _ in range(rng.randrange(3))) if rng.random() < 0.8 else None
    return SampleResult(
        key=str(number),
        sample=Sample(
            sample_id=str(number),
            question="؟",
            contexts=("نص",) if rng.random() < 0.8 else (),
            metadata={"dialect": rng.choice(("فصحى", "مصرية", None)), "doc": rng.choice(("١", "٢", "٣", None))},
        ),
        output=PipelineOutput(answer=None if error else rng.choice(("نعم", "", "لا أعرف")), chunks=chunks, error=error),
        matches=(ChunkMatch(rank=1, relevant=rng.random() < 0.5),) if chunks else (),
        scores={name: score(rng, name) for name in ("mrr", "hit_rate", "token_f1")},
        refusal=REFUSAL if rng.random() < 0.3 else None,
        refusal_check={"verdict": rng.choice((True, False, None)), "phrases": True} if rng.random() < 0.2 else {},
        answerable=rng.choice((True, False, None)),
        latency_ms=rng.random(),
    )


def summary(tally: Tally) -> dict[str, object]:
    return build_summary(tally, {"k": 3, "metrics_enabled": [], "run_id": "", "partial": False})


def counted(numbers: list[int]) -> Tally:
    tally = Tally(METRICS, BY, k=3)
    for number in numbers:
        tally.add(result(number))
    return tally


@given(st.permutations(range(40)), st.lists(st.integers(0, 40), max_size=4))
@settings(max_examples=4, deadline=None)
def test_any_split_in_any_order_gives_the_same_summary(order: list[int], cuts: list[int]) -> None:
    bounds = [0, *sorted(cuts), len(order)]
    whole = Tally(METRICS, BY, k=3)
    for start, stop in pairwise(bounds):
        whole.merge(pickle.loads(pickle.dumps(counted(order[start:stop]).part)))
    assert summary(whole) == summary(counted(list(range(40))))


def test_a_column_of_too_many_values_has_no_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partial, "MOST_SLICES", 2)
    one, two = counted([0, 1]), counted(list(range(2, 40)))
    assert two.slice_block()["dialect"] == []
    one.merge(two.part)
    assert one.slice_block()["dialect"] == []
    other = counted(list(range(2, 40)))
    other.merge(counted([0]).part)
    assert other.slice_block()["dialect"] == []
    assert any("'dialect' has more than" in line for line in one.findings())
    assert one.metric_block() == counted(list(range(40))).metric_block()


def test_of_very_many_messages_the_first_ones_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partial, "_MESSAGES_KEPT", 2)
    tally = counted(list(range(60)))
    assert len(tally.part.messages) == 2
    assert len(tally.error_examples()) == 2


def test_a_long_message_is_cut() -> None:
    tally = Tally(METRICS)
    scores = {name: Score.not_applicable(name, "no_gold") for name in ("mrr", "hit_rate", "token_f1")}
    sample = Sample(sample_id="1", question="؟")
    tally.add(SampleResult(key="1", sample=sample, output=PipelineOutput(error="س" * 400), scores=scores))
    assert tally.error_examples() == [{"message": "س" * 300 + "…", "n": 1}]
    assert tally.errors() == {"pipeline_error": 1}
