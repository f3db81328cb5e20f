"""The example corpus and questions are what their README says, and hold no slip of a keyboard."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FILES = ("corpus.jsonl", "questions.jsonl")

CORPUS_KEYS = ["chunk_id", "title", "text", "source_file", "subject"]
QUESTION_KEYS = [
    *["sample_id", "question", "answer", "answers", "context", "contexts", "source_file"],
    *["subject", "language", "answerable", "predicted_answer"],
]
SUBJECTS = {"labour", "municipal", "tenancy", "university", "science"}
ROUGHENED = {"q005", "q025", "q045", "q064", "q071", "q087"}

EXPECTED_CHARACTERS = re.compile("[\n -~\u0600-\u06ff«»–—…“”]*")
TATWEEL = "\u0640"
LATIN_DIGITS = str.maketrans("٠١٢٣٤٥٦٧٨٩", "0123456789")

Record = dict[str, Any]


def unique_keys(pairs: list[tuple[str, Any]]) -> Record:
    record = dict(pairs)
    assert len(record) == len(pairs), f"repeated key in {pairs}"
    return record


def no_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def read(name: str) -> list[Record]:
    lines = (EXAMPLES / name).read_text(encoding="utf-8").split("\n")[:-1]
    return [json.loads(line, object_pairs_hook=unique_keys, parse_constant=no_constant) for line in lines]


CORPUS = read("corpus.jsonl")
QUESTIONS = read("questions.jsonl")


def golds(question: Record) -> list[str]:
    """The evidence of a question, however many pieces."""
    return question.get("contexts") or ([question["context"]] if "context" in question else [])


def sources(question: Record) -> list[str]:
    """One document per piece of evidence."""
    source = question["source_file"]
    return source if isinstance(source, list) else [source] * len(golds(question))


def evidence() -> Iterator[tuple[str, str, str]]:
    """Sample id, excerpt and document of every piece of evidence."""
    for question in QUESTIONS:
        if question["answerable"]:
            for text, source in zip(golds(question), sources(question), strict=True):
                yield question["sample_id"], text, source


def strings(value: Any) -> Iterator[str]:
    """Every text in a record."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, dict):
        yield from strings(list(value.values()))


def folded(text: str) -> str:
    """Without marks and with Latin digits: what a roughened excerpt has in common with its passage."""
    return "".join(char for char in text if unicodedata.category(char) != "Mn").translate(LATIN_DIGITS)


@pytest.mark.parametrize("name", FILES)
def test_file_is_plain_utf8_lines_with_a_newline_at_the_end(name: str) -> None:
    data = (EXAMPLES / name).read_bytes()
    assert data.endswith(b"}\n")
    assert not data.startswith(b"\xef\xbb\xbf")
    assert b"\r" not in data
    assert b"\n\n" not in data
    assert b"\\u" not in data  # Arabic is written out, readable in any editor


def test_counts() -> None:
    assert len(CORPUS) == 72
    assert len(QUESTIONS) == 104
    assert Counter(q["answerable"] for q in QUESTIONS) == {True: 91, False: 13}
    assert Counter(q["language"] for q in QUESTIONS) == {"ar": 92, "en": 12}
    assert sum("contexts" in q for q in QUESTIONS) == 13
    assert sum(q["predicted_answer"] == "" for q in QUESTIONS) == 2


def test_five_subjects_each_with_passages_and_questions() -> None:
    passages = Counter(passage["subject"] for passage in CORPUS)
    questions = Counter(question["subject"] for question in QUESTIONS)
    assert set(passages) == set(questions) == SUBJECTS
    assert min(passages.values()) >= 14
    assert min(questions.values()) >= 19


def test_ids_are_unique_and_in_order() -> None:
    assert [q["sample_id"] for q in QUESTIONS] == [f"q{number:03}" for number in range(1, len(QUESTIONS) + 1)]
    ids = [passage["chunk_id"] for passage in CORPUS]
    assert len(set(ids)) == len(ids)
    assert all(passage["chunk_id"].startswith(f"{passage['subject']}-") for passage in CORPUS)


def test_keys_stand_in_one_order_and_none_is_null() -> None:
    for passage in CORPUS:
        assert list(passage) == CORPUS_KEYS
    for question in QUESTIONS:
        assert list(question) == [key for key in QUESTION_KEYS if key in question], question["sample_id"]
        assert None not in question.values(), question["sample_id"]
        assert {"question", "subject", "language", "answerable", "predicted_answer"} <= set(question)


def test_answerable_questions_have_answer_and_evidence_and_the_others_no_evidence() -> None:
    for question in QUESTIONS:
        has_evidence = [key in question for key in ("context", "contexts")]
        has_answer = [key in question for key in ("answer", "answers")]
        if question["answerable"]:
            assert sum(has_evidence) == 1, question["sample_id"]
            assert sum(has_answer) == 1, question["sample_id"]
            assert "source_file" in question, question["sample_id"]
        else:
            assert not any(has_evidence), question["sample_id"]
            assert "answers" not in question, question["sample_id"]
            assert question.get("answer", "غير مذكور في الوثائق") == "غير مذكور في الوثائق"
            assert "source_file" not in question, question["sample_id"]


def test_lists_hold_several_different_items() -> None:
    for question in QUESTIONS:
        for key in ("answers", "contexts"):
            if key in question:
                assert len(question[key]) >= 2, question["sample_id"]
                assert len(set(question[key])) == len(question[key]), question["sample_id"]


def test_a_list_of_sources_names_different_documents() -> None:
    listed = [question for question in QUESTIONS if isinstance(question.get("source_file"), list)]
    assert len(listed) >= 2
    for question in listed:
        assert len(question["source_file"]) == len(question["contexts"]) == len(set(question["source_file"]))


def test_two_golds_come_from_two_passages() -> None:
    for question in QUESTIONS:
        if "contexts" in question:
            homes = {p["chunk_id"] for gold in golds(question) for p in CORPUS if gold in p["text"]}
            assert len(homes) == len(golds(question)), question["sample_id"]


def test_gold_evidence_stands_in_one_passage_of_its_document() -> None:
    for sample_id, text, source in evidence():
        homes = [passage for passage in CORPUS if text in passage["text"]]
        assert len(homes) == (0 if sample_id in ROUGHENED else 1), sample_id
        folded_homes = [passage for passage in CORPUS if folded(text) in folded(passage["text"])]
        assert [passage["source_file"] for passage in folded_homes] == [source], sample_id


def test_gold_evidence_is_long_enough_to_be_recognised() -> None:
    shortest = min(len(text.split()) for _, text, _ in evidence())
    assert shortest >= 6


def test_subject_of_a_question_is_that_of_its_first_evidence() -> None:
    subjects = {passage["source_file"]: passage["subject"] for passage in CORPUS}
    for question in QUESTIONS:
        if question["answerable"]:
            assert subjects[sources(question)[0]] == question["subject"], question["sample_id"]


def test_passages_have_the_promised_length() -> None:
    lengths = [len(passage["text"].split()) for passage in CORPUS]
    assert (min(lengths), max(lengths)) == (51, 130)


def test_no_passage_repeats_another() -> None:
    tokens = {p["chunk_id"]: set(re.findall(r"\w+", folded(p["text"]))) for p in CORPUS}
    for (first, left), (second, right) in combinations(tokens.items(), 2):
        assert len(left & right) / len(left | right) < 0.6, (first, second)


def test_boilerplate_recurs_across_articles_of_the_tenancy_code() -> None:
    sentences = Counter(
        sentence for p in CORPUS if p["subject"] == "tenancy" for sentence in re.split(r"(?<=\.)\s", p["text"])
    )
    assert len([sentence for sentence, count in sentences.items() if count >= 4]) == 3


def test_one_question_is_asked_of_four_documents() -> None:
    asked = Counter(question["question"] for question in QUESTIONS)
    assert {text: count for text, count in asked.items() if count > 1} == {"ما مدة الاعتراض؟": 4}
    same = [question for question in QUESTIONS if question["question"] == "ما مدة الاعتراض؟"]
    assert len({question["source_file"] for question in same}) == 4
    assert len({question["answers"][0] for question in same}) == 4


def test_language_is_that_of_the_question() -> None:
    for question in QUESTIONS:
        arabic_letters = len(re.findall("[\u0621-\u064a]", question["question"]))
        assert (arabic_letters == 0) == (question["language"] == "en"), question["sample_id"]


@pytest.mark.parametrize("records", [CORPUS, QUESTIONS], ids=FILES)
def test_texts_hold_only_expected_characters(records: list[Record]) -> None:
    for record in records:
        for text in strings(record):
            assert EXPECTED_CHARACTERS.fullmatch(text), record
            assert TATWEEL not in text, record
            assert unicodedata.is_normalized("NFC", text), record
            assert text == text.strip(), record
            assert "  " not in text, record


def test_source_files_have_plain_names() -> None:
    for passage in CORPUS:
        assert re.fullmatch(r"[a-z_]+\.pdf", passage["source_file"])


def test_both_kinds_of_digits_and_marks_occur() -> None:
    text = "".join(passage["text"] for passage in CORPUS)
    for sign in ("٢٠٢٣", "2024", "50%", "٤٠٪", "٢٫٥", "«", "\n- ", "\u064b", "\u0651", "\u0652"):
        assert sign in text, sign
