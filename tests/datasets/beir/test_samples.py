"""A BEIR folder as a data set of a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import BM25Retriever, MuffakirEvaluation, load_corpus, load_evaluation_dataset
from muffakir_eval.errors import DatasetError, DatasetFormatError, DatasetNotFoundError, DatasetRowError
from muffakir_eval.records import Sample

Make = Callable[..., Path]

CORPUS = [
    {"_id": "d1", "title": "الإجازات", "text": "يستحق العامل إجازة سنوية"},
    {"_id": "d2", "title": "", "text": "تقدم طلبات الرخص إلى البلدية", "metadata": {"source": "رخص.pdf"}},
    {"_id": 3, "text": "مواعيد العمل من الثامنة"},
]
QUERIES = [
    {"_id": "q1", "text": "ما إجازة العامل؟", "metadata": {"topic": "عمل"}, "title": "إجازة"},
    {"_id": "q2", "text": "متى مواعيد العمل؟"},
    {"_id": "q3", "text": "سؤال بلا حكم"},
]
QRELS = "query-id\tcorpus-id\tscore\nq1\td2\t0\nq1\td1\t2\nq2\td1\t0\n"


def golds(sample: Sample) -> list[tuple[str, str, float]]:
    return [
        (sample.chunk_ids[at], sample.contexts[at] if sample.contexts else "", gold.grade)
        for gold in sample.golds
        for at in gold.alternatives
    ]


def test_queries_are_questions_and_judgements_gold(make: Make) -> None:
    samples = load_evaluation_dataset(make(CORPUS, QUERIES, qrels_tsv=QRELS))
    assert [(sample.sample_id, sample.row, sample.question) for sample in samples] == [
        ("q1", 1, "ما إجازة العامل؟"),
        ("q2", 2, "متى مواعيد العمل؟"),
        ("q3", 3, "سؤال بلا حكم"),
    ]
    assert [golds(sample) for sample in samples] == [[("d1", "الإجازات يستحق العامل إجازة سنوية", 2.0)], [], []]
    assert samples[0].chunk_ids == ("d1", "d2")
    assert samples[0].grades == (2.0, 0.0)
    assert samples[0].contexts == ("الإجازات يستحق العامل إجازة سنوية", "")
    assert samples[0].metadata == {"topic": "عمل", "title": "إجازة"}
    assert (samples.match_by, samples.warnings, samples.n_rows) == ("id", [], 3)
    assert "by identifier alone" in samples.describe()
    assert "the judgements are those of qrels.tsv" in samples.describe()
    assert "gold ids: 1," in samples.describe()


def test_of_a_split_only_judged_queries_are_asked(make: Make) -> None:
    folder = make(CORPUS, QUERIES, qrels__test_tsv="q1\td1\t1\nq2\td1\t0\n", qrels__train_tsv="q3\td1\t1\n")
    assert [sample.sample_id for sample in load_evaluation_dataset(str(folder))] == ["q1", "q2"]
    notes = load_evaluation_dataset(folder).notes
    assert notes[0] == "the judgements are those of qrels/test.tsv; qrels/train.tsv is there too"
    train = load_evaluation_dataset(folder / "qrels" / "train.tsv")
    assert [sample.sample_id for sample in train] == ["q3"]
    assert train.notes[0] == "the judgements are those of qrels/train.tsv"


def test_a_file_of_judgements_beside_the_queries(make: Make) -> None:
    folder = make(CORPUS, QUERIES, qrels_tsv=QRELS, mine_tsv="query-id\tcorpus-id\nq2\t3\n")
    samples = load_evaluation_dataset(folder / "mine.tsv")
    assert [golds(sample) for sample in samples] == [[], [("3", "مواعيد العمل من الثامنة", 1.0)], []]


def test_another_table_beside_the_queries_is_what_it_is(make: Make) -> None:
    folder = make(CORPUS, QUERIES, qrels_tsv=QRELS, more_tsv="question\tanswer\nس\tج\n", odd_tsv='"a\tb\n')
    assert load_evaluation_dataset(folder / "more.tsv")[0].answer == "ج"
    with pytest.raises(DatasetError):
        load_evaluation_dataset(folder / "odd.tsv")


def test_without_a_corpus_there_are_identifiers(make: Make) -> None:
    samples = load_evaluation_dataset(make(None, QUERIES, qrels_tsv="q1\td1\t1\n"))
    assert (samples[0].chunk_ids, samples[0].contexts, samples[0].grades) == (("d1",), (), ())


def test_documents_that_are_not_there_are_counted(make: Make) -> None:
    samples = load_evaluation_dataset(make(CORPUS, QUERIES, qrels_tsv="q1\td1\t1\nq1\td7\t1\nq1\td8\t0\n"))
    assert samples[0].contexts == ("الإجازات يستحق العامل إجازة سنوية", "", "")
    (warning,) = samples.warnings
    assert "1 of 2 relevant documents are not in the corpus (first: 'd7')" in warning


def test_judged_queries_without_text_are_counted(make: Make) -> None:
    samples = load_evaluation_dataset(make(CORPUS, QUERIES, qrels_tsv="q1\td1\t1\nq8\td1\t1\nq9\td1\t1\n"))
    (warning,) = samples.warnings
    assert "2 of 3 judged queries (first: 'q8') are not in queries.jsonl, and are left out" in warning


def test_only_the_first_few(make: Make) -> None:
    samples = load_evaluation_dataset(make(CORPUS, QUERIES, qrels_tsv=QRELS), max_samples=1)
    assert (len(samples), samples.warnings) == (1, [])
    assert load_evaluation_dataset(make(CORPUS, QUERIES), max_samples=2, sample_seed=1).match_by == "id"


def test_identifiers_that_became_fractions(make: Make) -> None:
    folder = make(CORPUS, [{"_id": 12, "text": "س"}], qrels_tsv="12.0\t3.0\t1.0\n")
    samples = load_evaluation_dataset(folder)
    assert (samples[0].chunk_ids, samples[0].contexts) == (("3",), ("مواعيد العمل من الثامنة",))


@pytest.mark.parametrize(
    ("queries", "line", "said"),
    [
        ('{"_id": "q1", "text": " "}\n', 1, "the text is missing"),
        ('{"_id": "q1", "text": "س"}\n{"_id": "q1", "text": "ص"}\n', 2, "'q1' stands in line 1 already"),
        ('{"_id": "q1", "text": "س"}\n{"_id": "q2"}\n', 2, "the text is missing"),
        ('{"_id": "q1", "text": "س", "muffakir_eval": 5}\n', 1, "'muffakir_eval' cannot be read"),
        ('{"_id": "q1", "text": "س", "muffakir_eval": {"answerable": "x"}}\n', 1, "cannot be read"),
        ('{"_id": "q1", "text": "س", "muffakir_eval": {"documents": ["d1"], "groups": [[7]]}}\n', 1, "cannot be read"),
        ('{"_id": "q1", "text": "س", "muffakir_eval": {"no_such": 1}}\n', 1, "cannot be read"),
    ],
)
def test_bad_lines(make: Make, queries: str, line: int, said: str) -> None:
    folder = make(CORPUS, queries, qrels_tsv="q1\td1\t1\n")
    with pytest.raises(DatasetRowError) as caught:
        load_evaluation_dataset(folder)
    assert str(caught.value).startswith(f"{folder / 'queries.jsonl'}, line {line}: ")
    assert said in str(caught.value)
    aside = load_evaluation_dataset(folder, fail_fast=False)
    assert [problem.row for problem in aside.problems] == [line]
    assert (len(aside), aside.n_rows) == (line - 1, line)


@pytest.mark.parametrize(
    ("queries", "qrels", "said"),
    [
        (QUERIES, {"qrels__test_tsv": ""}, "there is no judgement in qrels/test.tsv"),
        (
            QUERIES,
            {"qrels__test_tsv": "x\td1\t1\n"},
            "none of the queries in queries.jsonl is judged in qrels/test.tsv",
        ),
        ("", {"qrels_tsv": "q1\td1\t1\n"}, "none of the queries"),
    ],
)
def test_nothing_to_ask(make: Make, queries: Any, qrels: dict[str, str], said: str) -> None:
    with pytest.raises(DatasetFormatError) as caught:
        load_evaluation_dataset(make(CORPUS, queries, **qrels))
    assert said in str(caught.value)


def test_incomplete_folders_say_what_is_missing(make: Make) -> None:
    with pytest.raises(DatasetNotFoundError, match=r"there is neither queries\.jsonl"):
        load_evaluation_dataset(make(CORPUS, None, qrels_tsv=QRELS))
    (make() / "qrels.tsv").unlink()
    with pytest.raises(DatasetNotFoundError, match="no file of judgements"):
        load_evaluation_dataset(make(CORPUS, QUERIES, qrels_tsv=None))


def test_options_of_tables_are_told_to_have_no_meaning(make: Make) -> None:
    samples = load_evaluation_dataset(
        make(CORPUS, QUERIES, qrels_tsv=QRELS), column_mapping={"question": "text"}, encoding="cp1256", sheet=0
    )
    assert [part for part in ("columns", "encoding", "sheet") if any(part in line for line in samples.warnings)] == [
        "columns",
        "encoding",
        "sheet",
    ]


def test_a_run_over_the_folder_compares_identifiers(make: Make) -> None:
    folder = make(CORPUS, QUERIES, qrels_tsv=QRELS)
    seen: list[str] = []

    def retriever(question: str, k: int) -> list[dict[str, str]]:
        seen.append(question)
        return [{"text": "الإجازات يستحق العامل إجازة سنوية", "chunk_id": "x"}, {"text": "", "chunk_id": "d1"}]

    settings = {"metrics": ["mrr", "recall"], "k": 2, "progress": False}
    report = MuffakirEvaluation(settings).evaluate(retriever, folder)
    assert report.summary() == {"mrr": 0.5, "recall_at_k": 1.0}
    assert report.metrics["mrr"]["reasons"] == {"no_gold": 2}
    assert report.to_dict()["matching"]["match_by"] == "id"
    assert len(seen) == 3
    by_text = MuffakirEvaluation({**settings, "match_by": "auto"}).evaluate(retriever, folder)
    assert by_text.summary()["mrr"] == 1.0
    finer = MuffakirEvaluation({**settings, "matching": {"match_by": "text"}}).evaluate(retriever, folder)
    assert finer.summary()["mrr"] == 1.0


def test_the_corpus_of_the_folder_is_what_a_retriever_searches(make: Make) -> None:
    folder = make([*CORPUS, {"_id": "d4", "text": ""}], QUERIES, qrels_tsv=QRELS)
    chunks = load_corpus(folder)
    assert [(chunk.chunk_id, chunk.text, chunk.source) for chunk in chunks] == [
        ("d1", "الإجازات يستحق العامل إجازة سنوية", None),
        ("d2", "تقدم طلبات الرخص إلى البلدية", "رخص.pdf"),
        ("3", "مواعيد العمل من الثامنة", None),
        ("d4", "", None),
    ]
    assert chunks[0].metadata == {"title": "الإجازات"}
    report = MuffakirEvaluation({"metrics": ["recall"], "k": 1, "progress": False}).evaluate(
        BM25Retriever(chunks), folder
    )
    assert report.summary() == {"recall_at_k": 1.0}


def test_an_identifier_that_stands_twice_in_the_corpus(make: Make) -> None:
    folder = make([*CORPUS, {"_id": "3.0", "text": "x"}], QUERIES, qrels_tsv=QRELS)
    with pytest.raises(DatasetRowError, match=r"line 4: the identifier '3\.0' stands in line 3 already"):
        load_corpus(folder)


def test_options_of_tables_have_no_meaning_for_a_corpus(make: Make) -> None:
    folder = make(CORPUS, QUERIES, qrels_tsv=QRELS)
    with pytest.warns(UserWarning, match="text_column='x' has no meaning"):
        load_corpus(folder, text_column="x")


def test_an_empty_corpus(make: Make) -> None:
    with pytest.raises(DatasetFormatError, match="there is nothing in it"):
        load_corpus(make("", QUERIES, qrels_tsv=QRELS))


@pytest.mark.parametrize("names", [("d1", "d1"), ("12", "12.0"), ("12", 12)])
def test_a_document_that_stands_twice(make: Make, names: tuple[Any, Any]) -> None:
    corpus = [{"_id": name, "text": text} for name, text in zip(names, ("أول", "ثان"), strict=True)]
    with pytest.raises(DatasetRowError, match=r"corpus\.jsonl, line 2: the identifier .* stands in line 1 already"):
        load_evaluation_dataset(make(corpus=corpus, qrels_tsv=f"q1\t{names[0]}\t1\n"))


@pytest.mark.parametrize("qrels", ["", "\ufeff", "query-id\tcorpus-id\tscore\n"])
def test_no_judgement_at_all_is_told(make: Make, qrels: str) -> None:
    dataset = load_evaluation_dataset(make(qrels_tsv=qrels))
    assert dataset[0].golds == ()
    assert dataset.warnings == [f"{dataset.source}/qrels.tsv: there is no judgement, so that no question has gold"]
