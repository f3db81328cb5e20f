"""Records to JSON and back: nothing lost, nothing invented."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.records import ChunkMatch, PipelineOutput, Refusal, RetrievedChunk, Sample, SampleResult, Score
from muffakir_eval.records.codec import (
    content_key,
    decode_output,
    decode_result,
    decode_sample,
    encode,
    json_value,
    strict_json,
)

texts = st.text() | st.text(st.characters(), max_size=5)  # the second with lone surrogates
values = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
metadata = st.dictionaries(texts, values | st.lists(values, max_size=2), max_size=2)
chunks = st.builds(
    RetrievedChunk,
    text=texts,
    chunk_id=st.none() | texts,
    source=st.none() | texts,
    score=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    metadata=metadata,
)
outputs = st.builds(
    PipelineOutput,
    answer=st.none() | texts,
    chunks=st.none() | st.lists(chunks, max_size=3).map(tuple),
    pipeline_latency_ms=st.none() | st.floats(min_value=0, max_value=1e9),
    transformed_query=st.none() | texts | st.lists(texts, min_size=1, max_size=2).map(tuple),
    error=st.none() | texts,
    metadata=metadata,
)
samples = st.builds(
    Sample,
    sample_id=texts,
    question=texts,
    row=st.integers(0, 10**6),
    answers=st.lists(texts, max_size=2).map(tuple),
    contexts=st.lists(texts, max_size=2).map(tuple),
    groups=st.just(()) | st.just(((0, 1), (2,))),
    grades=st.lists(st.floats(0, 3), max_size=2).map(tuple),
    answerable=st.none() | st.booleans(),
    metadata=metadata,
    recorded=st.none() | outputs,
)
results = st.builds(
    SampleResult,
    key=texts,
    sample=samples,
    output=outputs,
    matches=st.just((ChunkMatch(rank=1, relevant=True, stage="id", score=1.0, gold_indices=(0, 2)),)) | st.just(()),
    scores=st.just(
        {
            "mrr": Score.measured("mrr", 0.0),
            "ndcg_at_k": Score.not_applicable("ndcg_at_k", "no_gold"),
            "mine": Score.failed("mine", "metric_error", {"type": "ValueError"}),
        }
    ),
    refusal=st.none()
    | st.just(Refusal(reason="policy", kind="policy", phrase="لا", language="ar", span=(0, 2), partial=True)),
    latency_ms=st.none() | st.floats(0, 1e6),
)


def through_a_file(record: Any) -> Any:
    return json.loads(strict_json(encode(record)).encode("utf-8"))


@given(outputs)
def test_outputs_round_trip(output: PipelineOutput) -> None:
    assert decode_output(through_a_file(output)) == output


@given(samples)
def test_samples_round_trip(sample: Sample) -> None:
    assert decode_sample(through_a_file(sample)) == sample


@given(results)
def test_results_round_trip(result: SampleResult) -> None:
    assert decode_result(through_a_file(result)) == result


def test_an_empty_result_is_not_an_unknown_one() -> None:
    assert decode_output(through_a_file(PipelineOutput(chunks=()))).chunks == ()
    assert decode_output(through_a_file(PipelineOutput())).chunks is None


def test_an_empty_answer_is_not_a_missing_one() -> None:
    assert decode_output(through_a_file(PipelineOutput(answer=""))).answer == ""
    assert decode_output(through_a_file(PipelineOutput())).answer is None


def test_p48_nan_never_reaches_a_file() -> None:
    assert json_value({"x": [float("nan"), float("inf"), 1.0]}) == {"x": [None, None, 1.0]}
    with pytest.raises(ValueError, match="JSON compliant"):
        strict_json({"x": float("nan")})


def test_p50_lone_surrogates_are_escaped_and_read_back() -> None:
    text = strict_json({"a": "\ud83d س"})
    assert text.encode("utf-8")
    assert json.loads(text) == {"a": "\ud83d س"}


def test_what_json_has_no_form_for_becomes_plain() -> None:
    import numpy as np

    class Odd:
        def __str__(self) -> str:
            return "odd"

    found = json_value({"n": np.float64(1.5), "a": np.array([1, 2]), "s": {"b", "a"}, "o": Odd(), 3: None})
    assert found == {"n": 1.5, "a": [1, 2], "s": ["a", "b"], "o": "odd", "3": None}
    assert json_value(RetrievedChunk(text="س")) == {"text": "س"}


def test_the_key_depends_on_content_and_not_on_place() -> None:
    sample = Sample(sample_id="1", row=2, question="ما المدة؟", source_file="a.pdf")
    assert content_key(dataclasses.replace(sample, sample_id="2", row=9)) == content_key(sample)
    for change in ({"source_file": "b.pdf"}, {"answers": ("سنة",)}, {"metadata": {"x": 1}}, {"question": "ما المدة"}):
        assert content_key(dataclasses.replace(sample, **change)) != content_key(sample)
