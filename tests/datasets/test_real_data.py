"""Every table among the real data is read rightly, or refused with something that a user can act on.

What is expected of each file was judged by looking at it: what would its user want?
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from muffakir_eval.datasets import load_evaluation_dataset
from muffakir_eval.errors import DatasetColumnError, DatasetError, DatasetRowError

SUFFIXES = {".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".xlsx", ".xls", ".parquet", ".gz"}


class Read(NamedTuple):
    """The file is a question set."""

    samples: int
    mapping: dict[str, str]
    with_gold: tuple[int, int, int]
    """Samples with gold answers, gold passages, gold identifiers."""
    recorded: int = 0


class Refused(NamedTuple):
    """The file is none, or says too little."""

    error: type[DatasetError]
    told: tuple[str, ...]


NO_QUESTION = "no column holds the question; the columns are "
GENERATED = Read(
    99, {"question": "Question", "contexts": "Context", "predicted_answer": "Generated Answer"}, (0, 99, 0), 99
)
ANNOTATED = Read(50, {"question": "query", "answers": "answer", "sample_id": "item_id"}, (50, 0, 0))
HUMAN = Read(50, {**ANNOTATED.mapping, "contexts": "context"}, (50, 50, 0))
SQUAD = {"question": "question", "answers": "answers", "contexts": "context", "sample_id": "id"}
JUDGED = {
    "question": "question",
    "answers": "expected_answer",
    "contexts": "context",
    "predicted_answer": "generated_answer",
}
ONLY_ANSWERS = Refused(DatasetColumnError, (f"sheet 'Sheet1': {NO_QUESTION}'Response'",))
LAWS = Refused(DatasetColumnError, (f"{NO_QUESTION}'law_key', 'law_name', 'country', 'data'", "no question set"))
ARTICLES = Refused(DatasetColumnError, (f"{NO_QUESTION}'article_id', 'article_number'", "no question set"))

EXPECTED: dict[str, Read | Refused] = {
    "arabic_hr_golden/arabic_hr_golden_set.jsonl": Read(
        6,
        {
            "question": "query",
            "answers": "expected_answer",
            "chunk_ids": "expected_sources",
            "sample_id": "id",
            "metadata": "metadata",
        },
        (6, 0, 6),
    ),
    "arabic_hr_golden/production_replay_samples.jsonl": Read(
        3, {"question": "query", "sample_id": "id", "metadata": "metadata"}, (0, 0, 0)
    ),
    "arabic_wiki_qa_llm/Gpt4_English_Responses.xlsx": ONLY_ANSWERS,
    "arabic_wiki_qa_llm/Noon_Arabic_Responses.xlsx": ONLY_ANSWERS,
    "arabic_wiki_qa_llm/Noon_English_Responses.xlsx": ONLY_ANSWERS,
    "arabic_wiki_qa_llm/Omar_Arabic_Responses.xlsx": ONLY_ANSWERS,
    "arabic_wiki_qa_llm/Omar_English_Responses.xlsx": ONLY_ANSWERS,
    "arabic_wiki_qa_llm/faithfulness_results.xlsx": Read(50, JUDGED, (50, 50, 0), 50),
    "arabic_wiki_qa_llm/squad_Relevance.xlsx": Read(50, JUDGED, (50, 50, 0), 50),
    "arabic_wiki_qa_llm/generated_answers_Ara_gemma_Ara_Prompt.csv": GENERATED,
    "arabic_wiki_qa_llm/generated_answers_Ara_hesham_Ara_prompt.csv": GENERATED,
    "arabic_wiki_qa_llm/generated_answers_eng_gemma.csv": Read(128, GENERATED.mapping, (0, 128, 0), 128),
    "arabic_wiki_qa_llm/generated_answers_eng_hesham.csv": Read(50, GENERATED.mapping, (0, 50, 0), 50),
    "arabic_wiki_qa_llm/generated_questions_answers.csv": Read(
        99, {"question": "question", "answers": "answer", "contexts": "context"}, (99, 99, 0)
    ),
    "arcd/arcd-train.json": Read(693, SQUAD, (693, 693, 0)),
    "arcd_rag_answers/e2e_retrieval_eval_set.json.gz": Read(
        60,
        {
            "question": "question",
            "answers": "gold_answers",
            "contexts": "gold_context",
            "retrieved_contexts": "retrieved_documents",
            "sample_id": "id",
        },
        (60, 60, 0),
        60,
    ),
    "arcd_rag_answers/e2e_retrieval_results.jsonl": Refused(
        DatasetError, ("60 identifiers are used more than once", "(lines 1, 2, 3)", 'id_columns=["id", "method"]')
    ),
    "arcd_rag_answers/e2e_retrieval_summary.csv": Refused(DatasetColumnError, (f"{NO_QUESTION}'method', 'subset'",)),
    "crosslingual_rag_ar_ms/annotations_ar.json": ANNOTATED,
    "crosslingual_rag_ar_ms/annotations_ms.json": ANNOTATED,
    "crosslingual_rag_ar_ms/human_eval_ar.csv": HUMAN,
    "crosslingual_rag_ar_ms/human_eval_ms.csv": HUMAN,
    "evouna/TQ_sample.json": Read(400, {"question": "question", "answers": "golden_answer"}, (400, 0, 0)),
    "halueval_general/general_600.jsonl": Read(600, {"question": "user_query", "sample_id": "ID"}, (0, 0, 0)),
    "messy_text/arabizikit_benchmark.json": Refused(
        DatasetColumnError, (f"{NO_QUESTION}'id', 'arabizi', 'reference', 'dialect'",)
    ),
    "messy_text/arafix_pdf/stress_cases_slim.json": Refused(
        DatasetColumnError, (f"{NO_QUESTION}'id', 'axis', 'title'",)
    ),
    "miracl_ar/qrels.miracl-v1.0-ar-dev.tsv": Refused(DatasetColumnError, (NO_QUESTION, "TREC relevance judgements")),
    "miracl_ar/topics.miracl-v1.0-ar-dev.tsv": Refused(
        DatasetColumnError, (f"{NO_QUESTION}'0', 'هل عدم", "names of columns in the first row")
    ),
    "nomiracl/ar_en_with_contexts_100.jsonl": Read(
        100,
        {"question": "question", "contexts": "contexts", "sample_id": "id", "answerable": "answerable"},
        (0, 100, 0),
    ),
    "refchecker/claims_accurate_context.jsonl": Refused(DatasetColumnError, (f"{NO_QUESTION}'setting', 'model'",)),
    "refusals/ar_labelled.jsonl": Read(
        247, {"question": "question", "source_file": "source", "sample_id": "id"}, (0, 0, 0)
    ),
    "refusals/canned_strings_ar.jsonl": Refused(DatasetColumnError, (f"{NO_QUESTION}'text', 'dialect'",)),
    "refusals/en_labelled.jsonl": Refused(DatasetRowError, ("line 1, column 'question': the question is missing",)),
    "wakili_legal/corpus/Egyptian_Civil.json": LAWS,
    "wakili_legal/corpus/Egyptian_Criminal_Procedure.json": LAWS,
    "wakili_legal/corpus/Egyptian_Personal_Status_Laws.json": LAWS,
    "wakili_legal/corpus/Technology_Crimes_Law.json": LAWS,
    "wakili_legal/corpus/Egyptian_Constitution_legalnature_only.json": ARTICLES,
    "wakili_legal/corpus/Egyptian_Labour_Law.json": ARTICLES,
    "wakili_legal/evaluation_results.json": Refused(
        DatasetColumnError, (f"{NO_QUESTION}'metrics', 'test_samples', 'test_file'",)
    ),
    "wakili_legal/rag_test_questions_100.json": Read(100, {"question": "question", "sample_id": "id"}, (0, 0, 0)),
    "wakili_legal/ragas_dataset_50.csv": Read(
        50, {"question": "question", "answers": "ground_truth", "chunk_ids": "source_article_id"}, (50, 0, 50)
    ),
    "wakili_legal/test_dataset_5_questions.json": Read(
        5, {"question": "question", "answers": "ground_truth"}, (5, 0, 0)
    ),
    "xquad/xquad.en.json": Read(1190, SQUAD, (1190, 1190, 0)),
    "xquad/xquad.zh.json": Read(1190, SQUAD, (1190, 1190, 0)),
}


def test_no_file_was_forgotten(data_dir: Path) -> None:
    there = {path.relative_to(data_dir).as_posix() for path in data_dir.rglob("*") if path.suffix.lower() in SUFFIXES}
    assert there == EXPECTED.keys()


@pytest.mark.parametrize("name", [name for name, expected in EXPECTED.items() if isinstance(expected, Read)])
def test_files_that_are_question_sets(data_dir: Path, name: str) -> None:
    expected = EXPECTED[name]
    dataset = load_evaluation_dataset(data_dir / name)
    assert isinstance(expected, Read)
    assert len(dataset) == dataset.n_rows == expected.samples
    assert dataset.mapping == expected.mapping
    assert expected.with_gold == (
        sum(bool(sample.answers) for sample in dataset),
        sum(bool(sample.contexts) for sample in dataset),
        sum(bool(sample.chunk_ids) for sample in dataset),
    )
    assert sum(sample.recorded is not None for sample in dataset) == expected.recorded
    assert dataset.warnings == []
    assert dataset.problems == []


@pytest.mark.parametrize("name", [name for name, expected in EXPECTED.items() if isinstance(expected, Refused)])
def test_files_that_are_refused_say_what_to_do(data_dir: Path, name: str) -> None:
    expected = EXPECTED[name]
    assert isinstance(expected, Refused)
    with pytest.raises(DatasetError) as caught:
        load_evaluation_dataset(data_dir / name)
    assert type(caught.value) is expected.error
    message = str(caught.value)
    assert message.startswith(str(data_dir / name))
    assert "What to do: " in message
    for part in expected.told:
        assert part in message


# -- the remedies work --------------------------------------------------------------------------------


def loaded(data_dir: Path, name: str, **options: Any) -> Any:
    return load_evaluation_dataset(data_dir / name, **options)


def test_several_methods_per_question(data_dir: Path) -> None:
    dataset = loaded(data_dir, "arcd_rag_answers/e2e_retrieval_results.jsonl", id_columns=["id", "method"])
    assert len(dataset) == 180
    assert dataset[0].sample_id == "98880741533|raw"
    assert dataset[0].answers == ("الله",)
    assert dataset[0].recorded.answer == "جبريل."


def test_questions_behind_rows_without_one(data_dir: Path) -> None:
    dataset = loaded(data_dir, "refusals/en_labelled.jsonl", fail_fast=False)
    assert (len(dataset), len(dataset.problems), dataset.n_rows) == (103, 193, 296)


def test_answers_of_one_of_several_systems(data_dir: Path) -> None:
    dataset = loaded(data_dir, "evouna/TQ_sample.json", column_mapping={"predicted_answer": "answer_gpt4"})
    assert dataset[0].recorded.answer.startswith(" The man behind The Chipmunks")
    assert dataset[0].answers == ("David Seville",)


def test_outputs_that_are_called_answer(data_dir: Path) -> None:
    mapping = {"predicted_answer": "answer", "retrieved_contexts": "context"}
    dataset = loaded(data_dir, "crosslingual_rag_ar_ms/human_eval_ar.csv", column_mapping=mapping)
    assert all(len(sample.recorded.chunks) == 3 for sample in dataset)
    assert dataset[0].recorded.answer == "نوفمبر"
    assert dataset[0].recorded.chunks[1].text.startswith("الاقتصادية عام 1977")
    assert not any(sample.answers or sample.contexts for sample in dataset)


def test_articles_inside_an_expectation(data_dir: Path) -> None:
    mapping = {"chunk_ids": "expected.expected_article_numbers"}
    dataset = loaded(data_dir, "wakili_legal/rag_test_questions_100.json", column_mapping=mapping)
    assert dataset[0].chunk_ids == ("1",)
    assert dataset[60].chunk_ids == ("18 مكرر (أ)",)


def test_passages_that_were_retrieved(data_dir: Path) -> None:
    mapping = {"retrieved_contexts": "contexts", "retrieved_chunk_ids": "docids"}
    dataset = loaded(data_dir, "nomiracl/ar_en_with_contexts_100.jsonl", column_mapping=mapping)
    first = dataset[0].recorded.chunks[0]
    assert first.chunk_id == "1824309#4"
    assert first.text.startswith("[1] حركة حقوق الآباء في أستراليا")
    assert sum(sample.answerable is False for sample in dataset) == 50


def test_questions_without_a_header(data_dir: Path, tmp_path: Path) -> None:
    lines = (data_dir / "miracl_ar/topics.miracl-v1.0-ar-dev.tsv").read_text(encoding="utf-8")
    path = tmp_path / "topics.tsv"
    path.write_text(f"id\tquestion\n{lines}", encoding="utf-8")
    dataset = load_evaluation_dataset(path, fail_fast=False)
    assert len(dataset) + len(dataset.problems) == 2896
    assert dataset[0].sample_id == "0"


def test_gold_passages_stay_whole(data_dir: Path) -> None:
    dataset = loaded(data_dir, "arabic_wiki_qa_llm/generated_questions_answers.csv")
    prose = next(sample for sample in dataset if sample.context.startswith("[35]"))
    assert len(prose.contexts) == 1
    assert "[36]" in prose.context


def test_numbered_passages_are_told_apart(data_dir: Path) -> None:
    dataset = loaded(data_dir, "crosslingual_rag_ar_ms/human_eval_ms.csv")
    assert {len(sample.contexts) for sample in dataset} == {3}
    assert dataset[0].contexts[0].startswith("Victor yang dianggap")
