"""Judgements and a run as a data set with recorded rankings."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import MuffakirEvaluation, load_evaluation_dataset, load_trec, read_qrels, read_run
from muffakir_eval.errors import DatasetError, DatasetFormatError, DatasetNotFoundError, DatasetRowError
from muffakir_eval.report import EvaluationReport

QRELS = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 0}, "q3": {"d9": 1}}
CUTOFFS = (5, 10, 100, 1000)
MEASURES = {"recall": "recall", "precision": "P", "ndcg": "ndcg_cut", "map": "map_cut"}


def test_judgements_and_a_run(tmp_path: Path) -> None:
    qrels, run = tmp_path / "a.qrels", tmp_path / "a.run.gz"
    qrels.write_text("q1 0 d2 0\nq1 0 d1 2\nq2 0 d1 0\n", encoding="utf-8")
    run.write_bytes(gzip.compress(b"q1 Q0 d7 2 1.5 t\nq1 Q0 d1 1 2.5 t\nq2 Q0 d1 1 1 t\n"))
    first, second = dataset = load_trec(qrels, run)
    assert (first.sample_id, first.question, first.row) == ("q1", "q1", 1)
    assert (first.chunk_ids, first.grades, [gold.index for gold in first.golds]) == (("d1", "d2"), (2, 0), [0])
    assert second.golds == ()
    assert first.recorded is not None
    assert [(chunk.chunk_id, chunk.score) for chunk in first.recorded.chunks or ()] == [("d1", 2.5), ("d7", 1.5)]
    assert dataset.warnings == [
        f"{qrels}: no texts of queries were given, so each question is the identifier of its query"
    ]
    assert (dataset.match_by, dataset.source) == ("id", str(qrels))
    assert "the run holds up to 2 documents for a query" in dataset.describe()


def test_the_same_in_memory() -> None:
    dataset = load_trec(QRELS, {"q1": ["d2", "d1"], "q4": {"d1": 2.0}}, {"q1": "سؤال", "q2": " "})
    assert [sample.question for sample in dataset] == ["سؤال", "q2", "q3"]
    assert [sample.recorded and sample.recorded.chunks for sample in dataset][1:] == [(), ()]
    told = "\n".join(dataset.warnings)
    for part in (
        "of 2 of 3 judged queries (first: 'q2') the text is missing or blank; their questions are their identifiers",
        "the run: 2 of 3 judged queries (first: 'q2') have no document; they count as an empty result",
        "the run: 1 of 2 queries (first: 'q4') are not judged, and are left out",
    ):
        assert part in told


def test_without_a_run_queries_without_text_are_left_out() -> None:
    dataset = load_trec(QRELS, queries={"q1": "سؤال", "q3": "ثالث"})
    assert [(sample.sample_id, sample.recorded) for sample in dataset] == [("q1", None), ("q3", None)]
    assert "(first: 'q2') the text is missing or blank; they are left out" in dataset.warnings[0]


def test_identifiers_are_compared_as_text() -> None:
    (sample,) = load_trec({"7": {"007": 1}}, {"7": ["7", "007"]}, {"7": "س"})
    assert sample.chunk_ids == ("007",)
    assert sample.recorded is not None
    assert [chunk.chunk_id for chunk in sample.recorded.chunks or ()] == ["7", "007"]


def test_what_is_odd_in_a_run_is_a_warning_of_the_data_set(tmp_path: Path) -> None:
    run = tmp_path / "a.run"
    run.write_text("q1 Q0 d1 1 1 t\nq1 Q0 d2 2 5 t\n", encoding="utf-8")
    dataset = load_trec({"q1": {"d1": 1}}, run, {"q1": "س"})
    assert "a document has a higher score than one of a better rank" in dataset.warnings[0]


TOPICS = {"q1": "سؤال أول", "q3": "سؤال ثالث"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.tsv", "q1\tسؤال أول\nq3\tسؤال ثالث\n"),
        ("t.tsv", "\ufeffqid\tquery\r\nq1\tسؤال أول\r\n\r\nq3\tسؤال ثالث"),
        ("t.txt.gz", "q1\tسؤال أول\nq3\tسؤال ثالث\n"),
        ("t.jsonl", '{"_id": "q1", "text": "سؤال أول"}\n{"_id": "q3", "text": "سؤال ثالث"}\n'),
        ("t.jsonl.gz", '{"id": "q1", "text": "سؤال أول"}\n{"_id": "q3", "text": "سؤال ثالث"}\n'),
    ],
)
def test_texts_of_queries(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    dataset = load_trec(QRELS, queries=path)
    assert {sample.sample_id: sample.question for sample in dataset} == TOPICS


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("t.tsv", "q1\tس\nq2 ص\n", "line 2: there is no tab in 'q2 ص'"),
        ("t.tsv", "q1\tس\n \tص\n", "line 2: there is no identifier in 'ص'"),
        ("t.tsv", "q1\tس\nq1\tص\n", "line 2: 'q1' stands in line 1 already"),
        ("t.jsonl", '{"_id": "q1", "text": "س"}\n{"_id": "q1", "text": "ص"}\n', "'q1' stands in line 1 already"),
    ],
)
def test_malformed_texts_are_named(tmp_path: Path, name: str, text: str, said: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DatasetRowError) as caught:
        load_trec(QRELS, queries=path)
    assert str(path) in str(caught.value)
    assert said in str(caught.value)


def test_topics_with_tags(tmp_path: Path) -> None:
    path = tmp_path / "topics.txt"
    path.write_text("<top>\n<num> Number: 301\n", encoding="utf-8")
    with pytest.raises(DatasetFormatError, match="the file holds tags"):
        load_trec(QRELS, queries=path)


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (({},), DatasetFormatError, "there is no judgement"),
        (({"q": {}},), DatasetError, "the query has no judgement"),
        (({"q": {"d": "x"}},), DatasetError, "the grade is 'x'"),
        (("gone.qrels",), DatasetNotFoundError, "there is no such file"),
        ((QRELS, "gone.run"), DatasetNotFoundError, "there is no such file"),
        ((QRELS, None, "gone.tsv"), DatasetNotFoundError, "there is no such file"),
        ((QRELS, None, {"x": "س"}), DatasetFormatError, "'q1' is judged, 'x' has a text"),
        ((QRELS, None, {}), DatasetFormatError, "none of the judged queries has a text"),
        ((QRELS, None, {"q1": 5}), DatasetError, "the text is 5"),
        ((QRELS, ["d1"]), DatasetError, "run is of the type list"),
    ],
)
def test_what_cannot_be_used(arguments: tuple[Any, ...], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        load_trec(*arguments)


def test_trec_files_in_place_of_a_table_are_recognised(tmp_path: Path) -> None:
    for name, line in (("a.qrels", "q1 0 d1 1\n"), ("a.run", "q1 Q0 d1 1 2.5 t\n")):
        path = tmp_path / name
        path.write_text(line, encoding="utf-8")
        with pytest.raises(DatasetFormatError, match="load_trec"):
            load_evaluation_dataset(path)
    (tmp_path / "a.gz").write_text("q1 0 d1 1\n", encoding="utf-8")
    with pytest.raises(DatasetFormatError, match="rename the file"):
        load_evaluation_dataset(tmp_path / "a.gz")


def evaluated(dataset: Any) -> EvaluationReport:
    settings = {"metrics": [*MEASURES, "mrr"], "k": 1000, "k_values": CUTOFFS, "progress": False}
    return MuffakirEvaluation(settings).evaluate(None, dataset)


def printed(path: Path) -> dict[tuple[str, str], float]:
    """The figures that trec_eval printed, by measure and query."""
    rows = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return {(row[0], row[1]): float(row[2]) for row in rows if len(row) == 3 and row[0] != "runid"}


TREC_NAMES = {
    **{f"{ours}@{k}": f"{theirs}_{k}" for ours, theirs in MEASURES.items() for k in CUTOFFS},
    "mrr@1000": "recip_rank",
}


def test_the_figures_are_those_that_trec_eval_printed(data_dir: Path) -> None:
    folder = data_dir / "trec_eval"
    report = evaluated(load_trec(folder / "qrels.test", folder / "results.test"))
    expected = printed(folder / "out.test.a")
    compared = 0
    for ours, theirs in TREC_NAMES.items():
        key = {"mrr@1000": "mrr"}.get(ours, ours.replace("@1000", "_at_k").replace("map_at_k", "map"))
        if (theirs, "all") in expected:
            compared += 1
            assert report.metrics[key]["mean"] == pytest.approx(expected[theirs, "all"], abs=5.1e-5), ours
    assert compared >= 13
    assert report.metrics["map"]["mean"] == pytest.approx(expected["map", "all"], abs=5.1e-5)


def test_each_query_has_the_figures_of_pytrec_eval(data_dir: Path) -> None:
    """This run has no tied scores, so that the order is the same for both."""
    folder = data_dir / "ir_measures_compat"
    qrels: Any = read_qrels(folder / "compat.qrels")
    run = read_run(folder / "compat.run")
    wanted = {f"{name}.{','.join(map(str, CUTOFFS))}" for name in MEASURES.values()} | {"recip_rank"}
    oracle = (
        pytest.importorskip("pytrec_eval")
        .RelevanceEvaluator(qrels, wanted)
        .evaluate({query: dict(run[query]) for query in run})
    )
    report = evaluated(load_trec(folder / "compat.qrels", folder / "compat.run"))
    assert len(oracle) == len(report.samples)
    for result in report.samples:
        for ours, theirs in TREC_NAMES.items():
            key = {"mrr@1000": "mrr"}.get(ours, ours.replace("@1000", "_at_k").replace("map_at_k", "map"))
            value = oracle[result.sample.sample_id][theirs]
            assert result.scores[key].value == pytest.approx(value, abs=1e-9), (result.sample.sample_id, ours)


def test_where_scores_are_tied_the_rank_decides(tmp_path: Path) -> None:
    run = tmp_path / "a.run"
    run.write_text("q Q0 relevant 1 1.0 t\nq Q0 zebra 2 1.0 t\n", encoding="utf-8")
    qrels: Any = {"q": {"relevant": 1}}
    report = MuffakirEvaluation({"metrics": ["mrr"], "k": 2, "progress": False}).evaluate(None, load_trec(qrels, run))
    oracle = (
        pytest.importorskip("pytrec_eval")
        .RelevanceEvaluator(qrels, {"recip_rank"})
        .evaluate({"q": dict(read_run(run)["q"])})
    )
    assert (report.summary()["mrr"], oracle["q"]["recip_rank"]) == (1.0, 0.5)


def test_arabic_judgements_and_topics(data_dir: Path) -> None:
    folder = data_dir / "miracl_ar"
    dataset = load_trec(folder / "qrels.miracl-v1.0-ar-dev.tsv", queries=folder / "topics.miracl-v1.0-ar-dev.tsv")
    assert (len(dataset), dataset.warnings) == (2896, [])
    assert dataset[0].question == "هل عدم القيام بجهد جسماني ممكن ان يسبب الأرق؟"
    assert sum(len(sample.chunk_ids) for sample in dataset) == 29197
    assert json.dumps(dataset[0].chunk_ids[:2]) == '["151236#1", "151236#11"]'


@pytest.mark.parametrize("name", ["", "qrels/test.tsv"])
def test_a_run_over_a_beir_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "سؤال"}\n{"_id": "q2", "text": "آخر"}\n', "utf-8")
    for split in ("test", "dev"):
        (tmp_path / "qrels" / f"{split}.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t2\n", "utf-8")
    dataset = load_trec(tmp_path / name, {"q1": ["d1"], "q2": ["d2"]})
    assert [(sample.sample_id, sample.question, sample.chunk_ids) for sample in dataset] == [("q1", "سؤال", ("d1",))]
    assert any("qrels/dev.tsv is there too" in note for note in dataset.notes) == (name == "")
    assert load_trec(tmp_path / name, {"q1": ["d1"]}, {"q1": "غيره"})[0].question == "غيره"


def test_judgements_of_beir_by_themselves(tmp_path: Path) -> None:
    path = tmp_path / "judged.txt"
    path.write_text("query-id\tcorpus-id\tscore\nq1\td 1\t2\n", "utf-8")
    (sample,) = load_trec(path, {"q1": ["d 1"]})
    assert (sample.chunk_ids, sample.grades) == (("d 1",), (2.0,))


@pytest.mark.parametrize("name", ["a.json", "a.xlsx", "a.json.gz"])
def test_queries_in_another_format(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(DatasetFormatError, match=r"the suffix is .*tab-delimited text"):
        load_trec(QRELS, queries=tmp_path / name)


def test_a_third_column_of_queries_is_no_part_of_the_question(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("q1\tسؤال\t \nq2\tآخر\tar\n", "utf-8")
    with pytest.raises(DatasetRowError, match=r"line 2: there are more than two columns"):
        load_trec(QRELS, queries=tmp_path / "a.tsv")
