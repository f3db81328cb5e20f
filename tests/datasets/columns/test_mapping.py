"""Which column is which field."""

from __future__ import annotations

from typing import Any

import pytest

from muffakir_eval.datasets.columns.mapping import ColumnMap, MappingOptions, map_columns, question_names
from muffakir_eval.errors import DatasetColumnError


def mapped(*columns: str, mapping: Any = None, ids: tuple[str, ...] | None = None) -> ColumnMap:
    return map_columns(columns, MappingOptions(column_mapping=mapping, id_columns=ids), where="q.csv")


def fields(*columns: str, mapping: Any = None) -> dict[str, tuple[str, ...]]:
    return dict(mapped(*columns, mapping=mapping).fields)


# -- answer: the reference's or the system's -----------------------------------------------------------


@pytest.mark.parametrize("answer", ["answer", "Answer", "الإجابة", "الاجابة", "إجابة", "الجواب"])
def test_answer_alone_is_the_reference(answer: str) -> None:
    assert fields("question", answer, "context") == {
        "question": ("question",),
        "answers": (answer,),
        "contexts": ("context",),
    }


@pytest.mark.parametrize(
    "reference",
    [
        "ground_truth", "ground_truths", "Ground Truth", "reference", "reference_answer", "expected_answer",
        "gold_answer", "gold_answers",
        "golden_answer", "correct_answers", "الإجابة النموذجية", "الإجابة المرجعية", "الإجابة المقترحة",
    ],
)  # fmt: skip
@pytest.mark.parametrize("answer", ["answer", "الإجابة"])
def test_answer_beside_a_reference_is_the_systems(reference: str, answer: str) -> None:
    found = mapped("question", answer, reference)
    assert found.fields["answers"] == (reference,)
    assert found.fields["predicted_answer"] == (answer,)
    assert f"{answer!r} is read as the system's answer, as the reference {reference!r} stands beside it" in found.notes


@pytest.mark.parametrize(
    "system", ["generated_answer", "response", "predicted_answer", "الإجابة المولدة", "إجابة النموذج"]
)
def test_answer_beside_the_systems_answer_is_the_reference(system: str) -> None:
    assert fields("question", "answer", system) == {
        "question": ("question",), "answers": ("answer",), "predicted_answer": (system,)
    }  # fmt: skip


def test_a_mapping_makes_answer_the_systems() -> None:
    found = fields("question", "answer", mapping={"predicted_answer": "answer"})
    assert found == {"question": ("question",), "predicted_answer": ("answer",)}


def test_a_mapped_reference_makes_answer_the_systems() -> None:
    found = fields("question", "answer", "muster", mapping={"answer": "muster"})
    assert (found["answers"], found["predicted_answer"]) == (("muster",), ("answer",))


def test_a_mapped_answer_is_the_reference_even_beside_one() -> None:
    found = fields("question", "answer", "ground_truth", mapping={"answer": "answer"})
    assert found == {"question": ("question",), "answers": ("answer",)}


def test_answer_beside_a_reference_and_a_systems_answer_is_ambiguous() -> None:
    with pytest.raises(DatasetColumnError) as caught:
        fields("question", "answer", "ground_truth", "generated_answer")
    message = str(caught.value)
    assert message.startswith("q.csv: several columns could be 'predicted_answer': 'answer', 'generated_answer'.")
    assert "column_mapping={\"predicted_answer\": 'answer'}" in message
    found = fields(
        "question", "answer", "ground_truth", "generated_answer", mapping={"predicted_answer": "generated_answer"}
    )
    assert found["answers"] == ("ground_truth",)


def test_several_answers_are_always_gold() -> None:
    assert fields("question", "answers")["answers"] == ("answers",)
    with pytest.raises(DatasetColumnError, match="several columns could be 'answers': 'ground_truth', 'answers'"):
        fields("question", "answers", "ground_truth")


# -- contexts: gold or retrieved -----------------------------------------------------------------------


def test_ragas_files() -> None:
    found = mapped("question", "answer", "contexts", "ground_truth")
    assert found.fields == {
        "question": ("question",),
        "answers": ("ground_truth",),
        "predicted_answer": ("answer",),
        "retrieved_contexts": ("contexts",),
    }
    assert any("'contexts' is read as what was retrieved" in note for note in found.notes)


def test_ragas_files_of_the_newer_kind() -> None:
    assert fields("user_input", "response", "reference", "retrieved_contexts", "reference_contexts") == {
        "question": ("user_input",),
        "answers": ("reference",),
        "predicted_answer": ("response",),
        "retrieved_contexts": ("retrieved_contexts",),
        "contexts": ("reference_contexts",),
    }


@pytest.mark.parametrize(
    ("columns", "gold", "retrieved"),
    [
        (("question", "answer", "contexts"), ("contexts",), None),
        (("question", "answer", "context", "ground_truth"), ("context",), None),
        (("question", "answer", "context", "contexts", "ground_truth"), ("context",), ("contexts",)),
        (
            ("question", "answer", "contexts", "ground_truth", "reference_contexts"),
            ("reference_contexts",),
            ("contexts",),
        ),
        (
            ("question", "answer", "contexts", "ground_truth", "retrieved_contexts"),
            ("contexts",),
            ("retrieved_contexts",),
        ),
        (("question", "generated_answer", "contexts", "ground_truth"), ("contexts",), None),
        (("question", "answers", "contexts", "predicted_answer"), ("contexts",), None),
        (("question", "expected_answer", "retrieval_context"), None, ("retrieval_context",)),
    ],
)
def test_contexts_is_retrieved_only_where_answer_is_the_systems(columns: Any, gold: Any, retrieved: Any) -> None:
    found = fields(*columns)
    assert (found.get("contexts"), found.get("retrieved_contexts")) == (gold, retrieved)


def test_a_mapping_decides_about_contexts() -> None:
    columns = ("question", "answer", "contexts", "ground_truth")
    assert fields(*columns, mapping={"contexts": "contexts"})["contexts"] == ("contexts",)
    assert "retrieved_contexts" not in fields(*columns, mapping={"contexts": "contexts"})
    assert fields(*columns[:3], mapping={"predicted_answer": "answer"})["retrieved_contexts"] == ("contexts",)


# -- candidates ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "field"),
    [
        (("question", "query"), "question"),
        (("question", "Question"), "question"),
        (("question", "السؤال"), "question"),
        (("question", "ground_truth", "gold_answer"), "answers"),
        (("question", "response", "generated_answer"), "predicted_answer"),
        (("question", "chunk_id", "passage_id"), "chunk_ids"),
        (("question", "answerable", "is_impossible"), "answerable"),
        (("question", "answer", "الجواب"), "answers"),
        (("question", "answer", "answers", "الجواب"), "answers"),
    ],
)
def test_several_candidates_are_an_error_that_names_them(columns: tuple[str, ...], field: str) -> None:
    with pytest.raises(DatasetColumnError) as caught:
        fields(*columns)
    message = str(caught.value)
    assert f"several columns could be {field!r}" in message
    assert "pass column_mapping={" in message
    chosen = fields(*columns, mapping={field: columns[-1]})
    assert chosen[field] == (columns[-1],)


@pytest.mark.parametrize(
    ("columns", "field", "expected"),
    [
        (("question", "context", "contexts"), "contexts", ("contexts", "context")),
        (("question", "answers", "answer"), "answers", ("answers", "answer")),
        (("question", "gold_answer", "gold_answers"), "answers", ("gold_answers", "gold_answer")),
        (("question", "chunk_id", "chunk_ids"), "chunk_ids", ("chunk_ids", "chunk_id")),
    ],
)
def test_a_name_and_its_plural_are_the_same(columns: Any, field: str, expected: Any) -> None:
    found = mapped(*columns)
    assert found.fields[field] == expected
    assert found.paired == {field}


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (("question", "id", "question_id"), "id"),
        (("question", "question_id", "query_id"), "question_id"),
        (("question", "qid", "item_id", "#"), "qid"),
        (("question", "ID", "sample_id"), "sample_id"),
        (("السؤال", "المعرف"), "المعرف"),
    ],
)
def test_the_identifier_nearest_to_the_row_counts(columns: Any, expected: str) -> None:
    assert fields(*columns)["sample_id"] == (expected,)


def test_a_name_that_says_gold_wins_over_the_plain_one() -> None:
    found = mapped("question", "gold_context", "context", "gold_chunk_id", "chunk_id")
    assert found.fields["contexts"] == ("gold_context",)
    assert found.fields["chunk_ids"] == ("gold_chunk_id",)
    assert found.columns.isdisjoint({"context", "chunk_id"})


@pytest.mark.parametrize(
    ("columns", "field", "expected"),
    [
        (("question", "evidence"), "contexts", ("evidence",)),
        (("question", "documents"), "contexts", ("documents",)),
        (("question", "source"), "source_file", ("source",)),
        (("السؤال", "المصدر"), "source_file", ("المصدر",)),
        (("السؤال", "المقطع"), "contexts", ("المقطع",)),
        (("question", "doc_id"), "chunk_ids", ("doc_id",)),
        (("question", "expected_sources"), "chunk_ids", ("expected_sources",)),
        (("question_msa",), "question", ("question_msa",)),
        (("input", "expected_output"), "question", ("input",)),
    ],
)
def test_weak_names_count_where_nothing_better_is_there(columns: Any, field: str, expected: Any) -> None:
    assert fields(*columns)[field] == expected


@pytest.mark.parametrize(
    ("columns", "field", "note"),
    [
        (("question", "evidence", "documents"), "contexts", "each could be 'contexts'"),
        (("question", "source", "document"), "source_file", "each could be 'source_file'"),
        (("question", "context", "doc_id"), "chunk_ids", "'doc_id' kept as metadata: not known to identify a passage"),
    ],
)
def test_weak_names_that_say_too_little_are_metadata(columns: Any, field: str, note: str) -> None:
    found = mapped(*columns)
    assert field not in found.fields
    assert any(note in text and "column_mapping" in text for text in found.notes)


def test_input_alone_is_no_question() -> None:
    with pytest.raises(DatasetColumnError, match="no column holds the question"):
        fields("input", "title")


def test_deepeval() -> None:
    assert fields("input", "actual_output", "expected_output", "retrieval_context", "context") == {
        "question": ("input",),
        "answers": ("expected_output",),
        "predicted_answer": ("actual_output",),
        "retrieved_contexts": ("retrieval_context",),
        "contexts": ("context",),
    }


def test_what_describes_an_output_counts_only_beside_one() -> None:
    described = ("retrieved_sources", "retrieved_scores", "latency_ms")
    assert fields("question", *described) == {"question": ("question",)}
    found = fields("question", "response", "latency", *described)
    assert found["pipeline_latency_ms"] == ("latency_ms",)
    assert found["retrieved_sources"] == ("retrieved_sources",)


def test_arabic_headers() -> None:
    assert fields(
        "المعرف", "السؤال", "الإجابة النموذجية", "السياق", "المصدر", "الإجابة المولدة", "قابل للإجابة", "التصنيف"
    ) == {
        "question": ("السؤال",),
        "answers": ("الإجابة النموذجية",),
        "contexts": ("السياق",),
        "source_file": ("المصدر",),
        "predicted_answer": ("الإجابة المولدة",),
        "answerable": ("قابل للإجابة",),
        "sample_id": ("المعرف",),
    }


@pytest.mark.parametrize(
    ("name", "inverted"),
    [("answerable", False), ("is_answerable", False), ("has_answer", False), ("has_answer_in_context", False),
     ("is_impossible", True), ("unanswerable", True), ("Is Unanswerable", True), ("قابل للإجابة", False)],
)  # fmt: skip
def test_columns_of_answerability(name: str, inverted: bool) -> None:
    found = mapped("question", name)
    assert found.fields["answerable"] == (name,)
    assert (name in found.inverted) == inverted


def test_an_inverted_name_stays_inverted_where_it_is_mapped() -> None:
    assert mapped("q", "is_impossible", mapping={"question": "q", "answerable": "is_impossible"}).inverted == {
        "is_impossible"
    }


# -- no question, repeated names, identifiers ---------------------------------------------------------


def test_without_a_question_the_columns_are_named_and_the_mapping_is_shown() -> None:
    with pytest.raises(DatasetColumnError) as caught:
        fields("Response", "score")
    message = str(caught.value)
    assert "q.csv: no column holds the question; the columns are 'Response', 'score'" in message
    assert "السؤال" in message
    assert 'pass column_mapping={"question": ' in message


def test_a_misspelt_question_is_proposed() -> None:
    with pytest.raises(DatasetColumnError, match=r"column_mapping={\"question\": 'qestion'}"):
        fields("qestion", "answer")


def test_relevance_judgements_are_recognised() -> None:
    with pytest.raises(DatasetColumnError, match="looks like TREC relevance judgements"):
        fields("0", "Q0", "151236#1", "1")


def test_a_mapped_column_whose_name_repeats_is_an_error() -> None:
    options = MappingOptions()
    with pytest.raises(DatasetColumnError, match=r"several columns are called 'answer'.*give every column a name"):
        map_columns(("question", "answer", "answer_2"), options, where="q.csv", repeated=frozenset({"answer"}))
    found = map_columns(("question", "note", "note_2"), options, where="q.csv", repeated=frozenset({"note"}))
    assert found.columns == {"question"}


def test_id_columns_make_the_identifier_and_stay_where_they_are() -> None:
    found = mapped("id", "question", "method", ids=("ID", "method"))
    assert found.fields["sample_id"] == ("id", "method")
    assert found.composed_id
    assert found.columns == {"question"}


def test_an_identifier_may_be_made_of_the_question() -> None:
    found = mapped("question", "method", ids=("question", "method"))
    assert found.fields["question"] == ("question",)


def test_a_mapping_of_several_columns_to_the_identifier_joins_them() -> None:
    found = mapped("id", "question", "method", mapping={"sample_id": ["id", "method"]})
    assert found.composed_id


def test_id_columns_that_do_not_exist() -> None:
    with pytest.raises(DatasetColumnError, match=r"id_columns names the column 'methd'.*did you mean 'method'\?"):
        mapped("id", "question", "method", ids=("id", "methd"))


def test_a_column_can_be_kept_as_metadata() -> None:
    assert fields("question", "source", mapping={"metadata": "source"}) == {
        "question": ("question",),
        "metadata": ("source",),
    }


@pytest.mark.parametrize(
    ("columns", "mapping", "expected"),
    [
        (("question", "a"), None, ["question"]),
        (("a", "b"), {"question": "b"}, ["b"]),
        (("a", "b"), {"b": "question"}, ["b"]),
        (("a", "b"), {"question": "c"}, []),
        (("a", "b"), {"question": []}, []),
        (("question", "b"), {"answer": "b"}, ["question"]),
    ],
)
def test_question_names(columns: Any, mapping: Any, expected: list[str]) -> None:
    assert question_names(columns, MappingOptions(column_mapping=mapping)) == expected


@pytest.mark.parametrize(
    ("header", "field"),
    [
        ("الرقم", "sample_id"),
        ("رقم", "sample_id"),
        ("م", "sample_id"),
        ("ت", "sample_id"),
        ("#", "sample_id"),
        ("No.", "sample_id"),
        ("الرقم التسلسلي", "sample_id"),
        ("مسلسل", "sample_id"),
        ("رقم السؤال", "sample_id"),
        ("رقم المقطع", "chunk_ids"),
        ("معرّف المقطع", "chunk_ids"),
        ("معرف الفقرة", "chunk_ids"),
        ("رقم المادة", "chunk_ids"),
        ("الملف", "source_file"),
        ("اسم الملف", "source_file"),
        ("المستند", "source_file"),
        ("الوثيقة", "source_file"),
        ("المصدر", "source_file"),
        ("اسم الوثيقة", "source_file"),
        ("النص المرجعي", "contexts"),
        ("المقطع المرجعي", "contexts"),
        ("السياق الصحيح", "contexts"),
        ("الجواب الصحيح", "answers"),
        ("الإجابة المتوقّعة", "answers"),
        ("الجواب المتوقع", "answers"),
        ("الرد", "predicted_answer"),
        ("إجابة النظام", "predicted_answer"),
        ("رد النموذج", "predicted_answer"),
        ("المقاطع المسترجعة", "retrieved_contexts"),
        ("النصوص المُسترجَعة", "retrieved_contexts"),
        ("معرفات المقاطع المسترجعة", "retrieved_chunk_ids"),
        ("قابل للإجابة", "answerable"),
    ],
)
def test_arabic_headers_of_a_question_set(header: str, field: str) -> None:
    mapped = map_columns(["السؤال", header], MappingOptions(), where="q.xlsx")
    assert mapped.fields[field] == (header,)


def test_a_sheet_of_arabic_headers() -> None:
    columns = [
        "م",
        "السؤال",
        "الجواب الصحيح",
        "النص المرجعي",
        "رقم المقطع",
        "اسم الملف",
        "إجابة النظام",
        "المقاطع المسترجعة",
    ]
    mapped = map_columns(columns, MappingOptions(), where="q.xlsx")
    names = ("sample_id", "question", "answers", "contexts", "chunk_ids", "source_file", "predicted_answer")
    assert [mapped.fields[name] for name in (*names, "retrieved_contexts")] == [(column,) for column in columns]
    assert not mapped.inverted
