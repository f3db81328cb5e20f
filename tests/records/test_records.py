"""The nouns check what would make them meaningless."""

from __future__ import annotations

import dataclasses

import pytest

from muffakir_eval.records import Gold, PipelineOutput, Refusal, Sample, SampleResult, Score, Trial


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), float("-inf")])
def test_a_measured_score_needs_a_finite_value(value: float | None) -> None:
    with pytest.raises(ValueError, match="finite value"):
        Score(name="mrr", value=value, state="measured")


def test_a_measured_score_has_no_reason() -> None:
    with pytest.raises(ValueError, match="no reason"):
        Score(name="mrr", value=1.0, state="measured", reason="no_gold")


@pytest.mark.parametrize("state", ["not_applicable", "failed"])
def test_a_missing_score_needs_a_reason_and_no_value(state: str) -> None:
    for value, reason in ((0.0, "no_gold"), (None, None), (None, "")):
        with pytest.raises(ValueError, match="reason and no value"):
            Score(name="mrr", value=value, state=state, reason=reason)  # type: ignore[arg-type]


def test_records_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Sample(sample_id="1", question="?").question = "!"  # type: ignore[misc]


def test_the_first_of_several_is_the_short_form() -> None:
    sample = Sample(sample_id="1", question="?", answers=("a", "b"), contexts=("c", "d"), chunk_ids=("e", "f"))
    assert (sample.answer, sample.context, sample.chunk_id) == ("a", "c", "e")
    empty = Sample(sample_id="1", question="?")
    assert (empty.answer, empty.context, empty.chunk_id) == (None, None, None)


def test_golds_pair_by_position_and_leave_out_what_was_judged_not_relevant() -> None:
    sample = Sample(sample_id="1", question="?", chunk_ids=("a", "b", "c"), grades=(3.0, 0.0, 1.0))
    assert sample.golds == (
        Gold(index=0, alternatives=(0,), grade=3.0),
        Gold(index=2, alternatives=(2,), grade=1.0),
    )


def test_each_gold_has_its_source() -> None:
    sample = Sample(sample_id="1", question="?", contexts=("a", "b"), gold_sources=("x.pdf", "y.pdf"))
    assert [sample.source_of(position) for position in (0, 1)] == ["x.pdf", "y.pdf"]
    assert Sample(sample_id="1", question="?", source_file="z.pdf").source_of(3) == "z.pdf"


def test_a_partial_refusal_is_an_answer() -> None:
    whole = Refusal(reason="policy", kind="policy", phrase="x", language="en", span=(0, 1))
    partial = dataclasses.replace(whole, partial=True)
    sample, output = Sample(sample_id="1", question="?"), PipelineOutput(answer="x")
    assert Trial(sample=sample, output=output, refusal=whole).refused
    assert not Trial(sample=sample, output=output, refusal=partial).refused
    assert not Trial(sample=sample, output=output).refused
    assert SampleResult(key="k", sample=sample, output=output, refusal=whole).refused
