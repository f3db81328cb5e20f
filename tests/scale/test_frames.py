"""A frame of samples in, a frame of scores out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval import DatasetError, MetricError, MuffakirEvaluation, ScoreSettings, score_frame, score_schema
from muffakir_eval.scale.arrow import arrow_schema, arrow_table
from muffakir_eval.scale.frames import result_rows, typed_frame
from tests.scale.made import WORDS

OURS = ("latency_ms", "evaluation_overhead_ms", "run_id")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)


def agree(frame: pd.DataFrame, config: dict[str, Any]) -> pd.DataFrame:
    """``score_frame`` gives what the ordinary run gives."""
    report = MuffakirEvaluation(config | {"progress": False}).evaluate(None, frame)
    expected = report.to_dataframe().drop(columns=list(OURS))
    scored = score_frame(frame, config)
    for name in expected:
        ours, theirs = scored[name].tolist(), expected[name].tolist()
        assert [None if value is pd.NA or value != value else value for value in ours] == [
            None if value is None or value is pd.NA or value != value else value for value in theirs
        ], name
    for result, row in zip(report.samples, scored.to_dict("records"), strict=True):
        for name, score in result.scores.items():
            assert row[f"{name}_state"] == score.state
            assert (None if pd.isna(row[f"{name}_reason"]) else row[f"{name}_reason"]) == score.reason
    return scored


def test_the_numbers_are_those_of_the_ordinary_run_on_real_answers(data_dir: Path) -> None:
    path = data_dir / "arcd_rag_answers" / "e2e_retrieval_results.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[:300]]
    frame = pd.DataFrame(lines).rename(columns={"answer": "response", "gold_answers": "answers"})
    config = {"metrics": ["exact_match", "token_f1"], "id_columns": ["id", "method", "ratio"]}
    scored = agree(frame, config)
    assert scored["token_f1"].notna().sum() == 180
    assert scored["answer_refusal"].sum() > 0


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "context": st.one_of(st.none(), texts, st.lists(texts, max_size=3)),
                "retrieved_contexts": st.lists(texts, max_size=6),
                "answer": st.one_of(st.none(), texts),
                "response": st.one_of(st.just("لا أعرف"), st.just(""), texts),
            }
        ),
        min_size=1,
        max_size=8,
    )
)
@settings(max_examples=15, deadline=None)
def test_the_numbers_are_those_of_the_ordinary_run(rows: list[dict[str, Any]]) -> None:
    frame = pd.DataFrame([{"question": f"س {place}", **row} for place, row in enumerate(rows)])
    metrics = ["recall", "precision", "mrr", "ndcg", "map", "hit_rate", "token_f1", "exact_match"]
    agree(frame, {"metrics": [*metrics, "context_recall_lexical"], "k": 2, "k_values": [4]})


def test_identifiers_in_lists_arrays_and_json_are_the_same() -> None:
    lists = pd.DataFrame(
        {"question": ["أ", "ب"], "chunk_id": [["1"], ["2", "3"]], "retrieved_chunk_ids": [["1", "2"], ["3"]]}
    )
    spelled = lists.assign(retrieved_chunk_ids=lists["retrieved_chunk_ids"].map(json.dumps))
    arrays = lists.assign(retrieved_chunk_ids=lists["retrieved_chunk_ids"].map(lambda ids: pd.array(ids).to_numpy()))
    config = {"metrics": ["recall", "mrr"], "k": 2}
    expected = score_frame(lists, config)
    assert expected["recall_at_k"].tolist() == [1.0, 0.5]
    pd.testing.assert_frame_equal(score_frame(spelled, config), expected)
    pd.testing.assert_frame_equal(score_frame(arrays, config), expected)


def test_the_three_states_survive() -> None:
    frame = pd.DataFrame(
        {
            "question": ["أ", "ب", "ج"],
            "context": ["نص طويل بما يكفي", None, "نص آخر طويل"],
            "retrieved_contexts": [["نص طويل بما يكفي"], ["أي نص"], []],
        }
    )
    scored = score_frame(frame, {"metrics": ["recall"], "k": 1})
    assert scored["recall_at_k_state"].tolist() == ["measured", "not_applicable", "measured"]
    assert scored["recall_at_k"].isna().tolist() == [False, True, False]
    assert scored["recall_at_k_reason"].tolist()[1] == "no_gold"


def test_rows_keep_their_order_and_index_and_bad_ones_their_place() -> None:
    frame = pd.DataFrame(
        {"id": ["1", "2", "1"], "question": ["أ", None, "ج"], "response": ["نعم", "لا", "ربما"]}, index=[7, 5, 3]
    )
    scored = score_frame(frame, {"metrics": ["token_f1"], "fail_fast_dataset": False})
    assert scored.index.tolist() == [7, 5, 3]
    assert scored["question"].tolist()[0] == "أ"
    assert "the question is missing" in scored["error"].tolist()[1]
    assert "is used before" in scored["error"].tolist()[2]
    assert scored["token_f1_state"].isna().tolist() == [False, True, True]
    with pytest.raises(DatasetError, match="the question is missing"):
        score_frame(frame.iloc[1:], {"metrics": ["token_f1"]})


def test_types_do_not_depend_on_what_is_there() -> None:
    settings = ScoreSettings.of({"metrics": ["recall", "recall@10"]})
    empty = score_frame(pd.DataFrame({"question": []}), settings)
    full = score_frame(pd.DataFrame({"question": ["أ"], "context": ["ب"], "retrieved_contexts": [["ب"]]}), settings)
    assert len(empty) == 0
    assert empty.dtypes.tolist() == full.dtypes.tolist()
    assert list(empty) == list(full) == list(score_schema(settings))


def test_a_frame_without_outputs_is_refused() -> None:
    with pytest.raises(DatasetError, match="no row carries an output"):
        score_frame(pd.DataFrame({"question": ["أ"], "context": ["ب"]}), {"metrics": ["recall"]})


def test_a_lone_surrogate_is_escaped() -> None:
    frame = pd.DataFrame({"question": ["أ"], "response": pd.Series(["ب \ud800"], dtype=object)})
    assert score_frame(frame, {"metrics": ["token_f1"]})["predicted_answer"].tolist() == ["ب \\ud800"]


def test_arrow_has_the_same_cells() -> None:
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(
        {"question": ["أ"], "context": ["ب"], "retrieved_contexts": [["ب"]], "response": ["ج\ud800"]}, dtype=object
    )
    report = MuffakirEvaluation({"metrics": ["recall"], "progress": False}).evaluate(None, frame)
    rows = list(result_rows(report.samples))
    names = ["recall_at_k"]
    table = arrow_table(rows, arrow_schema(names)).to_pandas(types_mapper=None)
    typed = typed_frame(rows, names)
    assert list(table) == list(typed)
    for name in typed:
        assert table[name].isna().tolist() == typed[name].isna().tolist()
        assert table[name].dropna().tolist() == typed[name].dropna().tolist()


@pytest.mark.parametrize(
    ("metrics", "told"), [(["faithfulness"], "judged by a language model"), ([lambda trial: 1.0], "is a function")]
)
def test_what_cannot_be_scored_everywhere_is_refused(metrics: list[Any], told: str) -> None:
    with pytest.raises(MetricError, match=told):
        score_frame(pd.DataFrame({"question": ["أ"], "response": ["ب"]}), {"metrics": metrics})
