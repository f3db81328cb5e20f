"""A question set to BEIR and back."""

from __future__ import annotations

import json
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval import (
    BM25Retriever,
    MuffakirEvaluation,
    beir_to_dataset,
    dataset_to_beir,
    load_corpus,
    load_evaluation_dataset,
    load_trec,
    read_beir,
    write_beir,
)
from muffakir_eval.errors import DatasetError, DatasetFormatError
from muffakir_eval.records import PipelineOutput, RetrievedChunk, Sample

ROWS: list[dict[str, Any]] = [
    {
        "question": "ما مدة الإجازة؟",
        "answer": ["ثلاثون يومًا", "شهر"],
        "context": "مدة الإجازة ثلاثون يومًا",
        "topic": "عمل",
    },
    {"question": "أين تقدم الطلبات؟", "answer": "البلدية", "context": "تقدم في البلدية", "chunk_id": "007"},
    {"question": "من الوزير؟", "answer": "غير مذكور", "answerable": False},
    {"question": "ما الرسوم؟", "chunk_id": [["a", "b"], ["c"]], "grades": [2, 1], "source_file": "رسوم.pdf"},
    {"question": "ما الشروط؟", "chunk_id": {"a": 3, "x": 0}},
    {
        "question": "ما المواعيد؟",
        "context": ["من الثامنة", "إلى الثانية"],
        "source_file": ["a.pdf", "b.pdf"],
        "response": "من الثامنة",
        "retrieved_contexts": ["من الثامنة", ""],
        "retrieved_chunk_ids": ["r1", "r2"],
        "retrieved_scores": [0.5, 0.25],
        "latency_ms": 12,
    },
]


def without_rows(samples: Sequence[Sample]) -> list[Sample]:
    return [replace(sample, row=0) for sample in samples]


def seen_by_beir(folder: Path) -> tuple[dict[str, str], dict[str, str], dict[str, dict[str, float]]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of judged documents without text
        return read_beir(folder)


def there_and_back(samples: Sequence[Sample], folder: Path, corpus: Any = None) -> list[Sample]:
    dataset_to_beir(samples, folder / "set", corpus=corpus)
    told = beir_to_dataset(folder / "set", folder / "back.jsonl")
    assert [line for line in told if "are not in the corpus" not in line] == []
    return without_rows(load_evaluation_dataset(folder / "back.jsonl"))


def test_nothing_is_lost(tmp_path: Path) -> None:
    samples = load_evaluation_dataset(ROWS)
    assert there_and_back(samples, tmp_path) == without_rows(samples)


WORD = st.sampled_from(
    ["عمل", "نص", "[1]", '{"a": 1}', "007", "12", "a\tb", 'قال "نعم"', "سطر\nسطر", "=1", "س\u2028x", "ق"]
)
TEXT = st.lists(WORD, min_size=1, max_size=3).map(" ".join)
GRADE = st.sampled_from([1.0, 2.0, 0.0, -1.0, 0.5])


@st.composite
def samples(draw: st.DrawFn) -> list[Sample]:
    made = []
    for number in range(draw(st.integers(1, 4))):
        count = draw(st.integers(0, 3))
        fields: dict[str, Any] = {}
        kinds = draw(st.sampled_from(["ids", "texts", "both"])) if count else ""
        if kinds in {"ids", "both"}:
            fields["chunk_ids"] = tuple(draw(st.lists(WORD, min_size=count, max_size=count)))
        if kinds in {"texts", "both"}:
            fields["contexts"] = tuple(draw(st.lists(TEXT, min_size=count, max_size=count)))
        if count == 3 and draw(st.booleans()):
            fields["groups"] = ((0, 1), (2,))
        golds = len(fields.get("groups", ())) or count
        if count and draw(st.booleans()):
            fields["grades"] = tuple(draw(st.lists(GRADE, min_size=golds, max_size=golds)))
        if count > 1 and draw(st.booleans()):
            fields["gold_sources"] = ("a.pdf", "b.pdf", "a.pdf")[:count]
        made.append(
            Sample(
                sample_id=draw(WORD) + str(number),
                question=draw(TEXT),
                answers=tuple(dict.fromkeys(draw(st.lists(TEXT, max_size=2)))),
                answerable=draw(st.sampled_from([None, True, False])),
                metadata=draw(st.dictionaries(WORD, st.one_of(TEXT, st.integers(), st.none()), max_size=2)),
                **fields,
            )
        )
    return made


@settings(max_examples=60, deadline=None)
@given(samples(), st.sampled_from([None, {}, {"007": "نص", "d": "عمل نص"}]))
def test_whatever_a_question_set_holds(made: list[Sample], corpus: dict[str, str] | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert there_and_back(made, Path(folder), corpus) == made


def test_what_beir_sees(tmp_path: Path) -> None:
    told = dataset_to_beir(ROWS, tmp_path)
    corpus, queries, qrels = seen_by_beir(tmp_path)
    first, *others = qrels["1"]
    assert (corpus[first], first[:5], others) == ("مدة الإجازة ثلاثون يومًا", "text-", [])
    assert corpus["007"] == "تقدم في البلدية"
    assert queries["3"] == "من الوزير؟"
    assert (qrels["4"], qrels["5"]) == ({"a": 2.0, "b": 2.0, "c": 1.0}, {"a": 3.0, "x": 0.0})
    assert list(qrels) == ["1", "2", "4", "5", "6"]
    text = "\n".join(told)
    for part in (
        "3 of 6 questions have accepted answers: BEIR has no place for them",
        "1 of 6 questions have recorded outputs",
        "1 of 6 questions have golds with alternatives",
        "1 of 6 questions have no gold",
        "4 judged documents have no text, and are not in the corpus (first: 'a')",
    ):
        assert part in text


def test_the_folder_as_a_data_set_knows_answers_and_alternatives(tmp_path: Path) -> None:
    dataset_to_beir(ROWS, tmp_path)
    again = load_evaluation_dataset(tmp_path)
    assert again[0].answers == ("ثلاثون يومًا", "شهر")
    assert again[0].chunk_ids[0].startswith("text-")
    assert again[2].answerable is False
    assert (again[3].groups, again[3].chunk_ids) == (((0, 1), (2,)), ("a", "b", "c"))
    assert again[5].recorded == load_evaluation_dataset(ROWS)[5].recorded


def test_what_beir_can_say_is_said_plainly(tmp_path: Path) -> None:
    rows = [{"sample_id": "q1", "question": "س", "context": "نص", "chunk_id": "d", "topic": "عمل"}]
    assert dataset_to_beir(rows, tmp_path) == []
    line = json.loads((tmp_path / "queries.jsonl").read_text(encoding="utf-8"))
    assert line == {"_id": "q1", "text": "س", "metadata": {"topic": "عمل"}}


def test_changed_judgements_count(tmp_path: Path) -> None:
    dataset_to_beir(ROWS, tmp_path)
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\t007\t1\n4\ta\t1\n", encoding="utf-8")
    samples = load_evaluation_dataset(tmp_path)
    assert (samples[0].chunk_ids, samples[0].contexts, samples[0].answers[0]) == (
        ("007",),
        ("تقدم في البلدية",),
        "ثلاثون يومًا",
    )
    assert (samples[3].chunk_ids, samples[3].groups) == (("a",), ())
    beir_to_dataset(tmp_path, tmp_path / "back.jsonl")
    assert load_evaluation_dataset(tmp_path / "back.jsonl")[0].chunk_ids == ("007",)


PASSAGES = [
    RetrievedChunk(chunk_id="p1", text="المادة 1: مدةُ الإجازة ثلاثون يوماً في السنة", source="a.pdf"),
    RetrievedChunk(chunk_id="p2", text="تقدم في البلدية", metadata={"page": 4}),
    RetrievedChunk(text="بلا معرف"),
]


def test_golds_without_identifier_find_their_passage(tmp_path: Path) -> None:
    rows = [
        {"question": "س1", "context": "مدة الإجازة ثلاثون يومًا"},
        {"question": "س2", "context": "تقدم في البلدية"},
        {"question": "س3", "context": "نص لا يوجد في أي مقطع"},
        {"question": "س4", "context": "بلا معرف"},
        {"question": "س5", "context": "يوماً"},
    ]
    told = dataset_to_beir(rows, tmp_path, corpus=PASSAGES)
    corpus, _, qrels = seen_by_beir(tmp_path)
    assert [next(iter(qrels[str(number)]))[:5] for number in range(1, 6)] == ["p1", "p2", "text-", "text-", "text-"]
    assert [corpus[next(iter(qrels[str(number)]))] for number in (3, 4, 5)] == [rows[at]["context"] for at in (2, 3, 4)]
    assert told[0].startswith("1 gold passages without identifier stand within a passage of the corpus")
    assert told[1].startswith("2 gold passages stand in no passage of the corpus word for word, and were added to it")
    assert [chunk.metadata for chunk in load_corpus(tmp_path)][:2] == [{"source": "a.pdf"}, {"page": 4}]
    assert there_and_back(load_evaluation_dataset(rows), tmp_path, PASSAGES) == without_rows(
        load_evaluation_dataset(rows)
    )


def test_a_gold_in_several_passages(tmp_path: Path) -> None:
    rows = [{"question": "س1", "context": "مدة الإجازة ثلاثون"}]
    told = dataset_to_beir(rows, tmp_path, corpus={"w1": "أ مدة الإجازة ثلاثون ب", "w2": "مدة الإجازة ثلاثون ب ج"})
    assert read_beir(tmp_path)[2] == {"1": {"w1": 1.0}}
    assert "of which the first was judged relevant" in told[0]


def test_the_same_identifier_in_several_documents(tmp_path: Path) -> None:
    rows = [
        {"question": "س1", "context": "نص أ", "chunk_id": 3, "source_file": "a.pdf"},
        {"question": "س2", "context": "نص ب", "chunk_id": 3, "source_file": "dir/b.pdf"},
        {"question": "س3", "chunk_id": 3, "source_file": "A.PDF"},
        {"question": "س4", "chunk_id": 3},
        {"question": "س5", "context": "ج", "chunk_id": "a.pdf#3"},
    ]
    told = dataset_to_beir(rows, tmp_path)
    corpus, _, qrels = seen_by_beir(tmp_path)
    assert [list(judged) for judged in qrels.values()][:4] == [["a.pdf#3"], ["dir/b.pdf#3"], ["a.pdf#3"], ["3"]]
    assert corpus["dir/b.pdf#3"] == "نص ب"
    assert any("1 identifiers are used in several documents" in line for line in told)


def test_a_name_that_is_taken_gets_a_mark(tmp_path: Path) -> None:
    corpus = [
        RetrievedChunk(chunk_id="a.pdf#3", text="x"),
        RetrievedChunk(chunk_id="3", text="y", source="a.pdf"),
        RetrievedChunk(chunk_id="3", text="z", source="b.pdf"),
    ]
    dataset_to_beir([{"question": "س", "chunk_id": 3, "source_file": "a.pdf"}], tmp_path, corpus=corpus)
    written, _, qrels = seen_by_beir(tmp_path)
    assert written == {"a.pdf#3": "x", "a.pdf#3'": "y", "b.pdf#3": "z"}
    assert qrels == {"1": {"a.pdf#3'": 1.0}}


def test_several_texts_of_one_identifier(tmp_path: Path) -> None:
    rows = [
        {"question": "س1", "context": "قصير", "chunk_id": "d"},
        {"question": "س2", "context": "قصير وأطول", "chunk_id": "d"},
        {"question": "س3", "context": "آخر", "chunk_id": "d"},
    ]
    told = dataset_to_beir(rows, tmp_path)
    assert read_beir(tmp_path)[0] == {"d": "قصير وأطول"}
    assert "1 documents have several texts in the question set, of which the corpus holds the longest" in told[0]
    assert [sample.context for sample in load_evaluation_dataset(tmp_path)] == ["قصير", "قصير وأطول", "آخر"]


@pytest.mark.parametrize(
    ("corpus", "said"),
    [
        (
            [RetrievedChunk(chunk_id="a", text="x"), RetrievedChunk(chunk_id="a", text="y")],
            "'a' stands for two passages",
        ),
        (["x"], "the corpus holds 'x'"),
        ({1: "x"}, "the identifier is 1"),
    ],
)
def test_a_corpus_that_is_none(tmp_path: Path, corpus: Any, said: str) -> None:
    with pytest.raises(DatasetError, match=said):
        dataset_to_beir([{"question": "س", "chunk_id": "a"}], tmp_path / "set", corpus=corpus)
    assert not (tmp_path / "set").exists()


def test_what_a_row_cannot_say_is_told(tmp_path: Path) -> None:
    output = PipelineOutput(answer="ج", stage_timings_ms={"search": 1.0})
    made = [
        Sample(sample_id="1", question="س", contexts=("نص", ""), chunk_ids=("a", "b"), recorded=output),
        Sample(sample_id="2", question="س", chunk_ids=("a",), recorded=PipelineOutput(chunks=())),
    ]
    dataset_to_beir(made, tmp_path)
    told = beir_to_dataset(tmp_path, tmp_path / "back.jsonl")
    assert [line.partition("written whole: ")[2] for line in told[1:]] == [
        "the texts of golds, of which some have none",
        "what a row cannot say of a recorded output, such as timings, errors and metadata",
    ]
    assert all(line.startswith("1 of 2 samples (first: '1')") for line in told[1:])
    assert "are not in the corpus" in told[0]
    assert load_evaluation_dataset(tmp_path / "back.jsonl")[1].recorded == PipelineOutput(chunks=())


def test_the_target_is_json_lines(tmp_path: Path) -> None:
    dataset_to_beir(ROWS, tmp_path)
    with pytest.raises(DatasetFormatError, match=r"the suffix is \.csv"):
        beir_to_dataset(tmp_path, tmp_path / "back.csv")


def test_trec_judgements_become_a_folder(tmp_path: Path) -> None:
    dataset = load_trec({"q1": {"d1": 2, "d2": 0}}, queries={"q1": "سؤال"})
    dataset_to_beir(dataset, tmp_path, corpus={"d1": "أ", "d2": "ب", "d3": "ج"})
    assert read_beir(tmp_path) == ({"d1": "أ", "d2": "ب", "d3": "ج"}, {"q1": "سؤال"}, {"q1": {"d1": 2.0, "d2": 0.0}})


def test_a_run_over_the_folder_has_the_figures_of_the_question_set(tmp_path: Path) -> None:
    folder = Path(__file__).resolve().parents[3] / "examples"
    passages = load_corpus(folder / "corpus.jsonl")
    dataset_to_beir(folder / "questions.jsonl", tmp_path, corpus=passages)
    evaluation = MuffakirEvaluation({"metrics": ["recall", "mrr", "ndcg"], "progress": False})
    direct = evaluation.evaluate(BM25Retriever(passages), folder / "questions.jsonl")
    again = evaluation.evaluate(BM25Retriever(load_corpus(tmp_path)), tmp_path)
    assert again.summary() == direct.summary()


def test_an_identifier_that_the_corpus_does_not_have_is_no_second_copy_of_a_passage(tmp_path: Path) -> None:
    rows = [
        {"question": "س1", "context": "مدة الإجازة ثلاثون يومًا", "chunk_id": "old-1"},
        {"question": "س2", "context": "تقدم في البلدية", "chunk_id": "old-2"},
        {"question": "س3", "context": "نص لا يوجد في أي مقطع", "chunk_id": "old-3"},
    ]
    told = dataset_to_beir(rows, tmp_path, corpus=PASSAGES)
    corpus, _, qrels = seen_by_beir(tmp_path)
    assert [list(judged) for judged in qrels.values()] == [["p1"], ["p2"], ["old-3"]]
    assert list(corpus)[:2] == ["p1", "p2"]
    assert len(corpus) == len(PASSAGES) + 1
    assert told[0].startswith("2 identifiers of gold passages are not in the corpus, and the passages that hold")
    assert "(first: 'old-1')" in told[0]
    assert told[1].startswith("1 gold passages stand in no passage of the corpus")
    beir_to_dataset(tmp_path, tmp_path / "back.jsonl")
    assert [sample.chunk_id for sample in load_evaluation_dataset(tmp_path / "back.jsonl")] == [
        "old-1",
        "old-2",
        "old-3",
    ]


def test_without_a_corpus_equal_texts_keep_their_identifiers(tmp_path: Path) -> None:
    rows = [{"question": f"س{at}", "context": "نص واحد للجميع", "chunk_id": f"c{at}"} for at in (1, 2)]
    dataset_to_beir(rows, tmp_path)
    assert read_beir(tmp_path)[2] == {"1": {"c1": 1.0}, "2": {"c2": 1.0}}


@pytest.mark.parametrize("name", ["queries.jsonl", "corpus.jsonl"])
def test_the_way_back_does_not_write_over_the_folder(tmp_path: Path, name: str) -> None:
    dataset_to_beir([{"question": "س", "context": "نص"}], tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(DatasetError, match=f"this is the {name} of the BEIR folder itself"):
        beir_to_dataset(tmp_path, tmp_path / name)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("name", ["queries.jsonl", "corpus.jsonl", "qrels.tsv"])
def test_a_question_set_is_not_written_over(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("question\tanswer\nس\tج\n" if name == "qrels.tsv" else '{"question": "س"}\n', encoding="utf-8")
    with pytest.raises(DatasetError, match=f"the {name} of the new BEIR folder would overwrite this file"):
        dataset_to_beir(path, tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_a_folder_is_not_written_into_itself(tmp_path: Path) -> None:
    write_beir(tmp_path, {"d": "نص", "e": "آخر"}, {"q": "س"}, {"q": {"d": 1}})
    for source in (tmp_path, tmp_path / "qrels.tsv"):
        with pytest.raises(DatasetError, match="this would be written into itself"):
            dataset_to_beir(source, tmp_path)
    assert read_beir(tmp_path)[0] == {"d": "نص", "e": "آخر"}
