"""What a user must be told: nothing comparable, too few chunks, why things failed, what is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import ConfigError, MuffakirEvaluation, Trial
from muffakir_eval.errors import MetricError

TEXT = "يستحق الموظف إجازة سنوية مدتها ثلاثون يومًا بأجر كامل."


def suite(**settings: Any) -> MuffakirEvaluation:
    return MuffakirEvaluation({"metrics": ["recall", "ndcg"], "k": 3, "progress": False, **settings})


@pytest.mark.parametrize(
    ("gold", "chunk"),
    [
        ({"context": TEXT}, {"chunk_id": "5"}),
        ({"chunk_id": "5"}, {"text": TEXT}),
    ],
)
def test_identifiers_on_one_side_and_texts_on_the_other_are_no_zero(
    gold: dict[str, str], chunk: dict[str, str]
) -> None:
    report = suite().evaluate(lambda question: [chunk], [{"question": "س", **gold}, {"question": "ص", **gold}])
    block = report.metrics["recall_at_k"]
    assert (block["mean"], block["reason"], block["n_scored"]) == (None, "not_comparable", 0)
    assert any("for 2 questions nothing could be compared" in note for note in report.notes)
    assert report.summary() == {}


@pytest.mark.parametrize(("match_by", "value"), [("auto", 1.0), ("text", 1.0), ("id", None)])
def test_what_is_comparable_depends_on_what_is_compared(match_by: str, value: float | None) -> None:
    rows = [{"question": "س", "context": TEXT}]
    report = suite(match_by=match_by).evaluate(lambda question: [{"text": TEXT, "chunk_id": "1"}], rows)
    assert report.samples[0].scores["recall_at_k"].value == value


def test_an_empty_result_stays_a_measured_zero() -> None:
    report = suite().evaluate(lambda question: [], [{"question": "س", "chunk_id": "1"}])
    assert report.summary() == {"recall_at_k": 0.0, "ndcg_at_k": 0.0}


def test_one_comparable_gold_of_two_is_enough() -> None:
    rows = [{"question": "س", "contexts": [TEXT, "نص آخر لا يوجد في أي مكان"]}]
    report = suite().evaluate(lambda question: [TEXT], rows)
    assert report.summary()["recall_at_k"] == 0.5


def test_a_cutoff_beyond_what_was_retrieved_is_said() -> None:
    rows = [{"question": "س", "context": TEXT}]
    report = suite(k=10).evaluate(lambda question: [TEXT, "ب"], rows)
    assert any("no question got more than 2 chunks" in note and "k=10" in note for note in report.notes)
    assert not any("more than" in note for note in suite(k=2).evaluate(lambda question: [TEXT, "ب"], rows).notes)


def test_the_commonest_messages_stand_in_the_summary(tmp_path: Path) -> None:
    def fails(question: str) -> list[str]:
        if question == "س0":
            raise KeyError("documents")
        raise ConnectionError("no route")

    rows = [{"question": f"س{n}", "context": TEXT} for n in range(4)]
    suite().evaluate(fails, rows, save=True, output_dir=tmp_path)
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert summary["error_examples"] == [
        {"message": "ConnectionError: no route", "n": 3},
        {"message": "KeyError: 'documents'", "n": 1},
    ]


def test_why_a_metric_of_the_users_failed_stands_in_the_frame() -> None:
    def bad(trial: Trial) -> float:
        raise LookupError("no such key")

    report = suite(metrics=[bad]).evaluate(lambda question: [TEXT], [{"question": "س"}])
    assert "no such key" in json.loads(report.to_dataframe()["score_errors"][0])["bad"]
    assert "no such key" in report.to_dict()["error_examples"][0]["message"]


def test_long_messages_are_cut_and_their_number_is_bounded() -> None:
    rows = [{"question": f"س{n}", "context": TEXT} for n in range(5)]

    def fails(question: str) -> list[str]:
        raise ValueError("x" * 5000)

    example = suite().evaluate(fails, rows).to_dict()["error_examples"]
    assert (len(example), example[0]["n"], len(example[0]["message"])) == (1, 5, 301)


def test_answers_without_any_gold_still_give_refusals_and_latencies() -> None:
    rows = [{"question": "س", "response": "لا أعلم"}, {"question": "ص", "response": "نعم، ثلاثون يومًا"}]
    report = suite(metrics=None).evaluate(None, rows)
    assert report.summary() == {}
    assert report.to_dict()["refusals"]["rate"] == 0.5
    assert any("left out" in note for note in report.notes)


def test_a_retriever_without_any_gold_has_nothing_to_measure() -> None:
    class Index:
        def get_similar_documents(self, query: str, k: int) -> list[str]:
            raise AssertionError("nothing may run")

    with pytest.raises(MetricError, match="no metric can be computed"):
        suite(metrics=None).evaluate(Index(), [{"question": "س", "answer": "ج"}])


@pytest.mark.parametrize("inside", ["", "samples.csv", "records.jsonl"])
def test_a_run_never_replaces_its_own_input(tmp_path: Path, inside: str) -> None:
    rows = [{"question": "س", "context": TEXT}]
    suite().evaluate(lambda question: ("نعم", [TEXT]), rows, save=True, output_dir=tmp_path / "run")
    before = (tmp_path / "run" / "summary.json").read_bytes()
    with pytest.raises(ConfigError, match="replace its own input"):
        suite().evaluate(None, tmp_path / "run" / inside, save=True, output_dir=tmp_path / "other" / ".." / "run")
    assert (tmp_path / "run" / "summary.json").read_bytes() == before


def test_a_folder_without_saving_is_said(tmp_path: Path) -> None:
    rows = [{"question": "س", "context": TEXT}]
    report = suite().evaluate(lambda question: [TEXT], rows, output_dir=tmp_path)
    assert any("without save=True" in note for note in report.notes)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("written", "meant"), [("top_k", "k"), ("model", "llm_model"), ("max_workers", "pipeline_workers")]
)
def test_settings_people_mean_are_named(written: str, meant: str) -> None:
    with pytest.raises(ConfigError) as caught:
        suite(**{written: 5})
    assert str(caught.value).endswith(f"did you mean {meant!r}?")
