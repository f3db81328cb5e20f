"""Whatever text a file holds arrives as it is."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.datasets import load_evaluation_dataset
from muffakir_eval.errors import DatasetError
from muffakir_eval.records.codec import decode_sample, encode, strict_json

HOSTILE = [
    "\ufeff",
    "\u200f",
    "\u2028",
    "\x85",
    "\r\n",
    "\n",
    "\t",
    '"',
    "'",
    ",",
    ";",
    "|",
    "[",
    "]",
    "{",
    "=",
    "\\",
    "\u0000",
    "😀",
    "é",
    "ڤ",
    "ـ",
]
TEXT = st.lists(
    st.one_of(
        st.sampled_from(HOSTILE), st.text(max_size=4), st.sampled_from(["نص", "None", "NaN", "007", "[1]", "1e5"])
    ),
    max_size=8,
).map("".join)
ROWS = st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5)
SHEET_TEXT = TEXT.map(lambda text: "".join(char for char in text if char.isprintable() or char in "\n\t"))


def is_list_like(text: str) -> bool:
    """Texts that are read as lists on purpose, or refused as broken ones."""
    return text.strip()[:1] in {"[", "{"}


def load(name: str, data: bytes) -> list[tuple[str, str | None]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        return [(sample.question, sample.metadata["note"]) for sample in load_evaluation_dataset(path)]


def as_csv(rows: list[tuple[str, str]], delimiter: str = ",") -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerow(["question", "note"])
    writer.writerows(rows)
    return file.getvalue().encode("utf-8", "surrogatepass")


def as_jsonl(rows: list[tuple[str, str]]) -> bytes:
    return "".join(json.dumps({"question": question, "note": note}) + "\n" for question, note in rows).encode()


def as_json(rows: list[tuple[str, str]]) -> bytes:
    return json.dumps([{"question": question, "note": note} for question, note in rows], indent=1).encode()


@pytest.mark.parametrize(("name", "dump"), [("q.csv", as_csv), ("q.tsv", lambda rows: as_csv(rows, "\t"))])
@settings(max_examples=60, deadline=None)
@given(rows=ROWS)
def test_csv(name: str, dump: Callable[[list[tuple[str, str]]], bytes], rows: list[tuple[str, str]]) -> None:
    rows = [(f"س {question}", note) for question, note in rows]
    utf8 = [
        (question, note) for question, note in rows if not any("\ud800" <= char <= "\udfff" for char in question + note)
    ]
    if utf8:
        assert load(name, dump(utf8)) == [(question, note or None) for question, note in utf8]


@pytest.mark.parametrize(("name", "dump"), [("q.jsonl", as_jsonl), ("q.json", as_json)])
@settings(max_examples=60, deadline=None)
@given(rows=ROWS)
def test_json(name: str, dump: Callable[[list[tuple[str, str]]], bytes], rows: list[tuple[str, str]]) -> None:
    rows = [(f"س {question}", note) for question, note in rows]
    assert load(name, dump(rows)) == rows


@settings(max_examples=25, deadline=None)
@given(rows=st.lists(st.tuples(SHEET_TEXT, SHEET_TEXT), min_size=1, max_size=4))
def test_xlsx(rows: list[tuple[str, str]]) -> None:
    from openpyxl import Workbook

    rows = [(f"س {question}", note) for question, note in rows if "_x" not in question + note]
    if not rows:
        return
    book = Workbook(write_only=True)
    sheet = book.create_sheet("S")
    sheet.append(["question", "note"])
    for row in rows:
        sheet.append(["'" + cell if cell.startswith("=") else cell for cell in row])
    data = io.BytesIO()
    book.save(data)
    expected = [(question, ("'" + note if note.startswith("=") else note) or None) for question, note in rows]
    assert load("q.xlsx", data.getvalue()) == expected


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXT.filter(lambda text: text.strip() != ""), min_size=1, max_size=4))
def test_passages_and_answers_in_lists(items: list[str]) -> None:
    row = {"question": "س", "contexts": items, "answers": items, "retrieved_contexts": items}
    (sample,) = load_evaluation_dataset([row])
    assert sample.contexts == tuple(items)
    assert sample.answers == tuple(dict.fromkeys(items))
    assert sample.recorded is not None
    assert [chunk.text for chunk in sample.recorded.chunks or ()] == items
    spelled = {name: json.dumps(value) if isinstance(value, list) else value for name, value in row.items()}
    assert load_evaluation_dataset([spelled]) == [sample]


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXT, st.binary(max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["text", "id", "metadata", "score", "a", ""]), inner, max_size=3),
    ),
    max_leaves=6,
)
COLUMNS = (
    "question", "answer", "answers", "ground_truth", "context", "contexts", "chunk_ids", "grades", "source_file", "id",
    "answerable", "metadata", "response", "retrieved_contexts", "retrieved_chunk_ids", "retrieved_sources",
    "retrieved_scores", "latency_ms", "note",
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(COLUMNS), VALUES, max_size=5), st.booleans())
def test_whatever_stands_in_a_row_it_is_read_or_refused_with_a_remedy(row: dict[str, Any], fail_fast: bool) -> None:
    try:
        dataset = load_evaluation_dataset([{"question": "س", **row}], fail_fast=fail_fast)
    except DatasetError as error:
        assert "What to do:" in str(error)
        return
    assert len(dataset) + len(dataset.problems) == 1
    for sample in dataset:
        assert decode_sample(json.loads(strict_json(encode(sample)))) == sample
    assert all("What to do:" in str(problem) for problem in dataset.problems)


@settings(max_examples=100, deadline=None)
@given(TEXT.filter(lambda text: text.strip() != "" and not is_list_like(text)))
def test_a_text_that_is_no_list_is_one_passage_and_one_answer(text: str) -> None:
    (sample,) = load_evaluation_dataset([{"question": text, "context": text, "answer": text}])
    assert (sample.question, sample.contexts, sample.answers) == (text, (text,), (text,))
