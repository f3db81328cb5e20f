"""What could be answered, against what was."""

from __future__ import annotations

import json
from typing import Any

import pytest

from muffakir_eval.records import PipelineOutput, Sample, SampleResult
from muffakir_eval.refusals import answer_state, answerability, find_refusal, refusal_cell, refusal_table

REFUSAL = "لا تتوفر معلومات كافية"
HEDGE = "لا أعرف بالضبط، لكن أظن أنه ولد عام 1990."


def _sample(**fields: Any) -> Sample:
    return Sample(sample_id="1", question="؟", **fields)


def _result(answer: str | None, answerable: bool | None = None, error: str | None = None) -> SampleResult:
    return SampleResult(
        key="k",
        sample=_sample(),
        output=PipelineOutput(answer=answer, error=error),
        refusal=find_refusal(answer),
        answerable=answerable,
    )


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"answerable": True, "answers": ("غير مذكور في النص",)}, True),
        ({"answerable": False, "answers": ("القاهرة",)}, False),
        ({"answers": ("غير مذكور في النص",)}, False),
        ({"answers": ("غير مذكور في النص",), "contexts": ("نص",)}, False),
        ({"answers": ("غير مذكور في النص", "لا توجد معلومات", " ")}, False),
        ({"answers": ("N/A",)}, False),
        ({"answers": ("غير مذكور في النص", "القاهرة")}, True),
        ({"answers": (HEDGE,)}, True),
        ({"answers": ("لا، لا يمكن للطالب تأجيل الامتحان.",)}, True),
        ({"answers": ("القاهرة",)}, True),
        ({"contexts": ("نص",)}, True),
        ({"chunk_ids": ("7",)}, True),
        ({"chunk_ids": ("7", "8"), "grades": (0.0, 1.0)}, True),
        ({"chunk_ids": ("7", "8"), "grades": (0.0, -1.0)}, None),
        ({"contexts": ("نص", " "), "groups": ((0,), (1,)), "grades": (0.0, 1.0)}, None),
        ({"answers": ("", "\u200f"), "contexts": (" ",)}, None),
        ({}, None),
    ],
)
def test_answerability(fields: dict[str, Any], expected: bool | None) -> None:
    assert answerability(_sample(**fields)) is expected


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (None, "none"),
        ("", "empty"),
        (" \n\t", "empty"),
        ("\u200f\ufeff\u2060\u3164\ufe0f", "empty"),
        (REFUSAL, "refused"),
        (HEDGE, "answered"),
        ("القاهرة", "answered"),
        (".", "answered"),
    ],
)
def test_answer_state(answer: str | None, state: str) -> None:
    assert answer_state(PipelineOutput(answer=answer), find_refusal(answer)) == state


@pytest.mark.parametrize(
    ("result", "cell"),
    [
        (_result("القاهرة", True), ("answerable", "answered")),
        (_result(HEDGE, True), ("answerable", "partial")),
        (_result(REFUSAL, False), ("unanswerable", "refused")),
        (_result(REFUSAL, True), ("answerable", "refused")),
        (_result("\u200b"), ("unknown", "empty")),
        (_result(None), ("unknown", "no_answer")),
        (_result(None, True, error="TimeoutError"), ("answerable", "error")),
        (_result(REFUSAL, False, error="TimeoutError"), ("unanswerable", "error")),
    ],
)
def test_each_result_has_one_cell(result: SampleResult, cell: tuple[str, str]) -> None:
    assert refusal_cell(result) == cell


def test_the_table_counts_every_result_once_and_is_json() -> None:
    results = [_result("القاهرة", True), _result("دمشق", True), _result(REFUSAL, False), _result(None)]
    table = refusal_table(iter(results))
    empty = dict.fromkeys(("answered", "partial", "refused", "empty", "no_answer", "error"), 0)
    assert table == {
        "answerable": {**empty, "answered": 2},
        "unanswerable": {**empty, "refused": 1},
        "unknown": {**empty, "no_answer": 1},
    }
    assert json.loads(json.dumps(table)) == table
    assert sum(sum(row.values()) for row in table.values()) == len(results)
