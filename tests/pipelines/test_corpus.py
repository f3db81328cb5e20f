"""Corpus files of every format, and what is wrong with some."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from muffakir_eval.errors import DatasetColumnError, DatasetFormatError, DatasetNotFoundError, DatasetRowError
from muffakir_eval.pipelines import BM25Retriever, load_corpus, rechunk
from muffakir_eval.records import RetrievedChunk

CAIRO = "القاهرة عاصمة مصر."
BEIRUT = "بيروت عاصمة لبنان."
EXPECTED = [
    RetrievedChunk(text=CAIRO, chunk_id="007", source="مصر.pdf", metadata={"page": "1"}),
    RetrievedChunk(text=BEIRUT, chunk_id="12", source="لبنان.pdf", metadata={"page": "2"}),
]


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def jsonl(path: Path, *rows: Any) -> Path:
    return written(path, "\n".join(json.dumps(row, ensure_ascii=False) for row in rows))


ROWS = [
    {"chunk_id": "007", "text": CAIRO, "source": "مصر.pdf", "page": "1"},
    {"chunk_id": "12", "text": BEIRUT, "source": "لبنان.pdf", "page": "2"},
]
TABLE = [list(ROWS[0])] + [list(row.values()) for row in ROWS]


def separated(separator: str) -> str:
    return "\n".join(separator.join(line) for line in TABLE)


def workbook(path: Path, sheets: dict[str, list[list[Any]]]) -> Path:
    book = Workbook()
    book.remove(book.worksheets[0])
    for name, lines in sheets.items():
        sheet = book.create_sheet(name)
        for line in lines:
            sheet.append(line)
    book.save(path)
    return path


def test_every_format_gives_the_same_passages(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps(row) for row in ROWS)
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    files = [
        written(tmp_path / "c.jsonl", lines),
        written(tmp_path / "bom.ndjson", "\ufeff" + lines + "\n\n"),
        tmp_path / "c.jsonl.gz",
        written(tmp_path / "c.json", json.dumps(ROWS, ensure_ascii=False)),
        written(tmp_path / "wrapped.json", json.dumps({"data": ROWS, "version": 1})),
        written(tmp_path / "columns.json", json.dumps({name: [row[name] for row in ROWS] for name in ROWS[0]})),
        written(tmp_path / "c.csv", "\ufeff" + separated(",")),
        written(tmp_path / "semicolons.csv", separated(";")),
        written(tmp_path / "c.tsv", separated("\t")),
        workbook(tmp_path / "c.xlsx", {"مقاطع": TABLE}),
        workbook(tmp_path / "two.xlsx", {"ملاحظات": [["ملاحظة"], ["لا شيء"]], "مقاطع": TABLE}),
    ]
    for file in files:
        assert load_corpus(file) == EXPECTED, file.name
    assert load_corpus(str(files[0])) == EXPECTED
    legacy = written(tmp_path / "windows.csv", separated(",").encode("cp1256"))
    assert load_corpus(legacy, encoding="cp1256") == EXPECTED
    with pytest.raises(DatasetFormatError, match="cp1256"):
        load_corpus(legacy)


def test_a_sheet_can_be_named(tmp_path: Path) -> None:
    other = [["id", "text"], ["ب-1", BEIRUT]]
    file = workbook(tmp_path / "two.xlsx", {"أ": TABLE, "ب": other})
    assert [chunk.chunk_id for chunk in load_corpus(file, sheet="ب")] == ["ب-1"]
    with pytest.raises(DatasetFormatError, match=r"a table of passages.*sheet="):
        load_corpus(file)


@pytest.mark.parametrize(
    ("text", "identifier", "source"),
    [
        ("text", "_id", "source_file"),
        ("content", "id", "file_name"),
        ("page_content", "chunkId", "file"),
        ("Passage", "passage_id", "Source"),
        ("body", "docid", "file_path"),
        ("original_text", "article_id", "source"),
        ("context", "doc_id", "source"),
        ("النص", "المعرف", "المصدر"),
        ("المقطع", "pid", "الملف"),
    ],
)
def test_columns_by_their_usual_names(tmp_path: Path, text: str, identifier: str, source: str) -> None:
    file = jsonl(tmp_path / "c.jsonl", {text: CAIRO, identifier: 7.0, source: "أ.pdf"})
    assert load_corpus(file) == [RetrievedChunk(text=CAIRO, chunk_id="7", source="أ.pdf")]


def test_the_identifier_of_a_passage_comes_before_that_of_its_document(tmp_path: Path) -> None:
    file = jsonl(tmp_path / "c.jsonl", {"doc_id": "d", "chunk_id": "c", "text": CAIRO, "chunk": 3})
    assert load_corpus(file) == [RetrievedChunk(text=CAIRO, chunk_id="c", metadata={"doc_id": "d", "chunk": 3})]


def test_a_title_is_searched_and_stays_in_the_metadata(tmp_path: Path) -> None:
    file = jsonl(
        tmp_path / "corpus.jsonl",
        {"_id": "1", "title": "عواصم", "text": CAIRO, "metadata": {"url": "https://example.org"}},
        {"_id": "2", "title": "", "text": BEIRUT, "metadata": {}},
    )
    first, second = load_corpus(file)
    assert first.text == f"عواصم\n{CAIRO}"
    assert first.metadata == {"title": "عواصم", "url": "https://example.org"}
    assert (second.text, second.metadata) == (BEIRUT, {})
    assert [hit.chunk_id for hit in BM25Retriever([first, second]).search("عواصم")] == ["1"]


def test_dumped_documents_carry_identifier_and_source_in_their_metadata(tmp_path: Path) -> None:
    file = jsonl(
        tmp_path / "c.jsonl",
        {"page_content": CAIRO, "metadata": {"source": "أ.pdf", "chunk_id": 7}, "type": "Document"},
    )
    (passage,) = load_corpus(file)
    assert (passage.chunk_id, passage.source) == ("7", "أ.pdf")
    assert passage.metadata == {"source": "أ.pdf", "chunk_id": 7, "type": "Document"}


def test_named_columns_win(tmp_path: Path) -> None:
    file = jsonl(tmp_path / "c.jsonl", {"id": "1", "code": "م-1", "text": "عنوان", "long": CAIRO})
    assert load_corpus(file, text_column="long", id_column="code") == [
        RetrievedChunk(text=CAIRO, chunk_id="م-1", metadata={"id": "1", "text": "عنوان"})
    ]


def test_a_named_identifier_that_is_empty_is_none(tmp_path: Path) -> None:
    file = jsonl(tmp_path / "c.jsonl", {"text": CAIRO, "code": None, "metadata": {"id": 5}})
    assert load_corpus(file, id_column="code")[0].chunk_id is None


def test_passages_without_identifiers_and_cells_without_a_header(tmp_path: Path) -> None:
    file = written(tmp_path / "c.csv", f"text,,\n{CAIRO},,\n{BEIRUT},ملاحظة,\n")
    first, second = load_corpus(file)
    assert first == RetrievedChunk(text=CAIRO)
    assert second == RetrievedChunk(text=BEIRUT, metadata={"column_2": "ملاحظة"})


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_paragraphs_of_a_text_file(tmp_path: Path, newline: str) -> None:
    text = newline.join(["\ufeff" + CAIRO, "سطر ثانٍ", "", "  ", BEIRUT, ""])
    passages = load_corpus(written(tmp_path / "book.txt", text))
    assert [passage.text for passage in passages] == [f"{CAIRO}\nسطر ثانٍ", BEIRUT]
    assert all(passage.source == "book.txt" and passage.chunk_id is None for passage in passages)


def test_a_text_file_in_another_encoding(tmp_path: Path) -> None:
    file = written(tmp_path / "book.md", CAIRO.encode("cp1256"))
    assert load_corpus(file, encoding="cp1256")[0].text == CAIRO
    with pytest.raises(DatasetFormatError, match=r"cp1256"):
        load_corpus(file)
    with pytest.raises(DatasetFormatError, match=r"no encoding 'cp-1256x'"):
        load_corpus(file, encoding="cp-1256x")


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (
            [{"id": 1, "title": "عنوان"}],
            {},
            r"no column holds the passages; the columns are 'id', 'title'.*text_column",
        ),
        ([{"text": "أ", "content": "ب"}], {}, r"several columns could hold the passages: 'text', 'content'"),
        ([{"text": "أ"}, {"content": "ب"}], {}, r"several columns could hold the passages"),
        ([{"chunk": "أ", "document": "ب"}], {}, r"several columns could hold the passages: 'chunk', 'document'"),
        ([{"text": "أ"}], {"text_column": "texts"}, r"text_column names 'texts'.*did you mean 'text'\?"),
        ([{"text": "أ"}], {"id_column": "رمز"}, r"id_column names 'رمز'.*the columns are 'text'"),
        ([{"question": "س", "context": "أ"}], {}, r"this is a question set.*text_column='context'"),
    ],
)
def test_columns_that_leave_it_open(tmp_path: Path, rows: list[Any], options: dict[str, str], message: str) -> None:
    with pytest.raises(DatasetColumnError, match=message):
        load_corpus(jsonl(tmp_path / "c.jsonl", *rows), **options)


def test_the_passages_of_a_question_set_are_read_when_that_is_said(tmp_path: Path) -> None:
    file = jsonl(tmp_path / "c.jsonl", {"question": "س", "context": CAIRO})
    assert load_corpus(file, text_column="context") == [RetrievedChunk(text=CAIRO, metadata={"question": "س"})]


def test_a_column_that_stands_twice(tmp_path: Path) -> None:
    with pytest.raises(DatasetColumnError, match="several columns could hold the passages: 'text'"):
        load_corpus(written(tmp_path / "c.csv", "text,text\nأ,ب\n"))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": 1, "text": "أ"}, {"id": 2, "text": " "}], r"line 2, column 'text': the text is missing"),
        ([{"id": 1, "text": "أ"}, {"id": 2}], r"line 2, column 'text': the text is missing"),
        ([{"text": ["أ"]}], r"line 1, column 'text': the cell holds a list"),
        ([{"text": "أ", "id": ["a"]}], r"line 1, column 'id': the identifier is a list or an object"),
        ([{"text": "أ", "id": {"a": 1}}], r"column 'id': the identifier is a list or an object"),
        (
            [{"text": "أ", "id": 7}, {"text": "ب", "id": "8"}, {"text": "ج", "id": "7.0"}],
            r"line 3, column 'id': the identifier '7' stands in line 1 already.*id_column",
        ),
        (
            [{"text": "أ", "metadata": {"id": 7}}, {"text": "ب", "metadata": {"id": 7}}],
            r"line 2: the identifier '7' stands in line 1 already",
        ),
        ([3], r"line 1: the line holds no object"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, rows: list[Any], message: str) -> None:
    with pytest.raises(DatasetRowError, match=message):
        load_corpus(jsonl(tmp_path / "c.jsonl", *rows))


def test_rows_of_a_table_are_counted_as_a_spreadsheet_does(tmp_path: Path) -> None:
    with pytest.raises(DatasetRowError, match=r"row 3, column 'text': the text is missing"):
        load_corpus(written(tmp_path / "c.csv", f"id,text\n1,{CAIRO}\n2,\n"))


def test_the_same_identifier_in_two_documents_is_no_repetition(tmp_path: Path) -> None:
    file = jsonl(tmp_path / "c.jsonl", *({"id": 1, "text": CAIRO, "source": name} for name in ("أ.pdf", "ب.pdf")))
    assert [(chunk.chunk_id, chunk.source) for chunk in load_corpus(file)] == [("1", "أ.pdf"), ("1", "ب.pdf")]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("c.jsonl", "", r"the file is empty\. Expected: a table of passages"),
        ("c.json", "[]", "there is nothing in it. Expected: at least one passage"),
        ("c.csv", "id,text\n", "at least one passage"),
        ("c.txt", " \n", "at least one passage"),
        ("c.docx", "x", "the suffix .docx is not known"),
        ("c.json", "{", "not valid JSON"),
    ],
)
def test_files_without_passages(tmp_path: Path, name: str, content: str, message: str) -> None:
    with pytest.raises(DatasetFormatError, match=message):
        load_corpus(written(tmp_path / name, content))


@pytest.mark.parametrize("name", ["missing.jsonl", "missing.txt"])
def test_a_file_that_is_not_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(DatasetNotFoundError, match="there is no such file"):
        load_corpus(tmp_path / name)


def test_what_the_reader_noticed_is_a_warning(tmp_path: Path) -> None:
    file = written(tmp_path / "c.json", "\n".join(json.dumps(row) for row in ROWS))
    with pytest.warns(UserWarning, match="read as JSON Lines"):
        assert load_corpus(file) == EXPECTED


def test_p06_formula_cells_are_looked_at_where_they_are_read(tmp_path: Path) -> None:
    file = workbook(tmp_path / "c.xlsx", {"مقاطع": [["id", "text", "note"], ["1", '="نص"', "=1+1"]]})
    with pytest.warns(UserWarning, match="formula") as told:
        (passage,) = load_corpus(file)
    assert "نص" in passage.text
    assert len(told) == 1


def test_reading_a_corpus_loads_no_heavy_library(tmp_path: Path) -> None:
    file = jsonl(tmp_path / "c.jsonl", *ROWS)
    code = (
        "import sys; from muffakir_eval.pipelines import load_corpus\n"
        f"assert len(load_corpus({str(file)!r})) == 2\n"
        "print([name for name in ('bm25s', 'numpy', 'pandas', 'openpyxl', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_articles_of_a_constitution_are_found_by_their_text(data_dir: Path) -> None:
    articles = load_corpus(data_dir / "wakili_legal" / "corpus" / "Egyptian_Constitution_legalnature_only.json")
    assert len(articles) == 254
    assert articles[0].chunk_id == "EG-CONST-ART-001"
    retriever = BM25Retriever(articles)
    assert all(retriever.search(article.text, k=1)[0].text == article.text for article in articles)
    windows = rechunk(articles, words=60, overlap=15)
    assert len({window.chunk_id for window in windows}) == len(windows) > len(articles)


def test_a_real_file_with_an_empty_article_is_refused_by_its_place(data_dir: Path) -> None:
    with pytest.raises(DatasetRowError, match=r"item 272, column 'original_text': the text is missing"):
        load_corpus(data_dir / "wakili_legal" / "corpus" / "Egyptian_Labour_Law.json")
