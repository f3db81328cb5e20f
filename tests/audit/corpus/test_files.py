"""Files of every kind as one corpus, and what is wrong with some."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from muffakir_eval.audit.corpus import Corpus, open_corpus
from muffakir_eval.audit.corpus.files import has_known_suffix
from muffakir_eval.audit.records import CorpusChunk
from muffakir_eval.errors import ConfigError, DatasetColumnError, DatasetFormatError, DatasetNotFoundError
from muffakir_eval.pipelines import load_corpus

CAIRO = "القاهرة عاصمة مصر."
BEIRUT = "بيروت عاصمة لبنان."
ROWS = [
    {"chunk_id": "007", "text": CAIRO, "source": "مصر.pdf", "page": "1"},
    {"chunk_id": "12", "text": BEIRUT, "source": "لبنان.pdf", "page": "2"},
]
TABLE = [list(ROWS[0])] + [list(row.values()) for row in ROWS]


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def jsonl(path: Path, *rows: Any) -> Path:
    return written(path, "\n".join(json.dumps(row, ensure_ascii=False) for row in rows))


def workbook(path: Path, sheets: dict[str, list[list[Any]]]) -> Path:
    book = Workbook()
    book.remove(book.worksheets[0])
    for name, lines in sheets.items():
        sheet = book.create_sheet(name)
        for line in lines:
            sheet.append(line)
    book.save(path)
    return path


def parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(pyarrow.Table.from_pylist(rows), path)
    return path


def read(corpus: Corpus) -> list[CorpusChunk]:
    return [chunk for batch in corpus.batches() for chunk in batch]


def places(corpus: Corpus) -> list[str]:
    return [chunk.place for chunk in read(corpus)]


def test_every_format_gives_what_load_corpus_gives(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps(row) for row in ROWS)
    separated = "\n".join(",".join(line) for line in TABLE)
    files = {
        written(tmp_path / "c.jsonl", lines): "c.jsonl, line {}",
        written(tmp_path / "bom.ndjson", "\ufeff" + lines + "\n\n"): "bom.ndjson, line {}",
        written(tmp_path / "c.jsonl.gz", gzip.compress(lines.encode())): "c.jsonl.gz, line {}",
        written(tmp_path / "c.json", json.dumps(ROWS)): "c.json, item {}",
        written(tmp_path / "columns.json", json.dumps({name: [row[name] for row in ROWS] for name in ROWS[0]})): (
            "columns.json, item {}"
        ),
        written(tmp_path / "c.csv", "\ufeff" + separated): "c.csv, row {} (line {})",
        written(tmp_path / "c.tsv", separated.replace(",", "\t")): "c.tsv, row {} (line {})",
        workbook(tmp_path / "c.xlsx", {"مقاطع": TABLE}): "c.xlsx, sheet 'مقاطع', row {}",
        parquet(tmp_path / "c.parquet", ROWS): "c.parquet, item {}",
    }
    for file, place in files.items():
        corpus = open_corpus(file)
        assert corpus.name == file.name
        assert corpus.total == (2 if file.suffix == ".parquet" else None)
        found, expected = read(corpus), load_corpus(file)
        assert [(each.text, each.chunk_id, each.source, each.metadata) for each in found] == [
            (each.text, each.chunk_id, each.source, each.metadata) for each in expected
        ]
        first = 2 if "row" in place else 1
        numbers = [each.place for each in found]
        assert numbers == [place.replace(" (line {})", "").format(first + at) for at in range(2)], file.name
        assert (corpus.n_problems, corpus.warnings) == (0, ())


def test_the_encoding_and_the_sheet(tmp_path: Path) -> None:
    legacy = written(tmp_path / "w.csv", "\n".join(",".join(line) for line in TABLE).encode("cp1256"))
    assert read(open_corpus(legacy, encoding="cp1256"))[0].text == CAIRO
    with pytest.raises(DatasetFormatError, match=r"cannot be decoded.*cp1256"):
        read(open_corpus(str(legacy)))
    book = workbook(tmp_path / "c.xlsx", {"أ": TABLE, "ب": [["id", "text"], ["1", BEIRUT]]})
    assert places(open_corpus(book, sheet="ب")) == ["c.xlsx, sheet 'ب', row 2"]
    with pytest.raises(DatasetFormatError, match=r"a table of passages.*sheet="):
        read(open_corpus(book))
    corpus = open_corpus(legacy, encoding="cp1256", sheet=0)
    read(corpus)
    assert "sheet=0 has no meaning here" in corpus.warnings[0]


def test_nothing_is_refused_that_an_audit_should_tell_of(tmp_path: Path) -> None:
    file = jsonl(
        tmp_path / "c.jsonl",
        {"id": 7, "text": CAIRO},
        {"id": "7.0", "text": ""},
        {"id": "٨", "text": None},
        {"id": None, "text": "  "},
        {"id": 9},
        {"id": 10, "title": "عنوان", "text": ""},
    )
    corpus = open_corpus(file)
    assert [(chunk.chunk_id, chunk.text) for chunk in read(corpus)] == [
        ("7", CAIRO),
        ("7", ""),
        ("٨", ""),
        (None, "  "),
        ("9", ""),
        ("10", "عنوان"),
    ]
    assert corpus.n_problems == 0
    table = written(tmp_path / "c.csv", f"id,text\n1,{CAIRO}\n1,\n")
    assert [(chunk.chunk_id, chunk.text) for chunk in read(open_corpus(table))] == [("1", CAIRO), ("1", "")]


def test_rows_that_cannot_be_read_are_set_aside_by_their_place(tmp_path: Path) -> None:
    lines = [
        json.dumps({"id": 1, "text": CAIRO}),
        '{"id": 2, "text": ',
        "3",
        "",
        json.dumps({"id": 4, "text": ["أ"]}),
        json.dumps({"id": {"a": 1}, "text": "أ"}),
        json.dumps({"id": 5, "text": BEIRUT}),
    ]
    corpus = open_corpus(written(tmp_path / "c.jsonl", "\n".join(lines)))
    assert [(chunk.ordinal, chunk.place) for chunk in read(corpus)] == [(0, "c.jsonl, line 1"), (1, "c.jsonl, line 7")]
    assert corpus.n_problems == 4
    assert [(problem.row, problem.column) for problem in corpus.problems] == [
        (2, None),
        (3, None),
        (5, "text"),
        (6, "id"),
    ]
    assert all("c.jsonl, line" in str(problem) for problem in corpus.problems)


def test_rows_of_a_table_that_cannot_be_read(tmp_path: Path) -> None:
    file = written(tmp_path / "c.csv", f'id,text\n1,{CAIRO}\n2,أ,ب,ج\n3,"أ"ب\n4,{BEIRUT}\n')
    corpus = open_corpus(file)
    assert [chunk.chunk_id for chunk in read(corpus)] == ["1", "4"]
    assert [problem.row for problem in corpus.problems] == [3, 4]
    (tmp_path / "open.csv").write_text(f'id,text\n1,{CAIRO}\n2,"أ\n3,ب\n', encoding="utf-8")
    with pytest.raises(DatasetFormatError, match="the quote that opens in line 3 is never closed"):
        read(open_corpus(tmp_path / "open.csv"))


def test_single_lines_that_are_not_utf_8_are_set_aside(tmp_path: Path) -> None:
    lines = [json.dumps({"_id": at, "text": f"{CAIRO} {at}"}, ensure_ascii=False).encode() for at in range(2000)]
    whole = [chunk.text for chunk in read(open_corpus(written(tmp_path / "c.jsonl", b"\n".join(lines))))]
    lines[3] = lines[3].replace("مصر".encode(), "مصر".encode()[:-1])
    lines[1500] = json.dumps({"text": CAIRO}, ensure_ascii=False).encode("cp1256")
    content = b"\n".join(lines)
    corpus = open_corpus(written(tmp_path / "c.jsonl", content))
    found = read(corpus)
    assert [chunk.text for chunk in found] == whole[:3] + whole[4:1500] + whole[1501:]
    assert (found[3].ordinal, found[3].place) == (3, "c.jsonl, line 5")
    assert [problem.row for problem in corpus.problems] == [4, 1501]
    assert "line 4: the line is not UTF-8: byte 0xD8, after " in str(corpus.problems[0])
    (tmp_path / "beir").mkdir()
    corpus = open_corpus(written(tmp_path / "beir" / "corpus.jsonl", content).parent)
    assert (len(read(corpus)), corpus.n_problems) == (1998, 2)
    with pytest.raises(DatasetFormatError, match=r"the file is not UTF-8: byte 0xD8 .*\(line 4\)"):
        load_corpus(tmp_path / "c.jsonl")


def test_a_file_in_another_encoding_is_no_matter_of_single_lines(tmp_path: Path) -> None:
    lines = [json.dumps({"id": at, "text": CAIRO}, ensure_ascii=False) for at in range(50)]
    file = written(tmp_path / "c.jsonl", "\n".join(["{}", *lines]).encode("cp1256"))
    with pytest.raises(DatasetFormatError, match=r"the file is not UTF-8.*cp1256"):
        read(open_corpus(file))
    assert len(read(open_corpus(file, encoding="cp1256"))) == 51


def test_p06_identifiers_stay_what_was_typed(tmp_path: Path) -> None:
    ids = ["007", "12", "", "9007199254740993"]
    with (tmp_path / "c.csv").open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows([["chunk_id", "text"], *([name, CAIRO] for name in ids)])
    found = [chunk.chunk_id for chunk in read(open_corpus(tmp_path / "c.csv"))]
    assert found == ["007", "12", None, "9007199254740993"]


def test_cells_longer_than_the_csv_module_takes(tmp_path: Path) -> None:
    long = "نص " * 100_000
    file = written(tmp_path / "c.csv", f"id,text\n1,{long}\n")
    limit = csv.field_size_limit()
    assert read(open_corpus(file))[0].text == long
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_paragraphs_of_prose(tmp_path: Path, newline: str) -> None:
    text = newline.join(["\ufeff", "", CAIRO, "سطر ثانٍ", "", "  ", BEIRUT])
    file = written(tmp_path / "book.md", text)
    corpus = open_corpus(file, text_column="text")
    found = read(corpus)
    assert [(chunk.text, chunk.place) for chunk in found] == [
        (f"{CAIRO}\nسطر ثانٍ", "book.md, line 3"),
        (BEIRUT, "book.md, line 7"),
    ]
    assert all(chunk.source == "book.md" and chunk.chunk_id is None for chunk in found)
    assert "text_column='text' has no meaning here" in corpus.warnings[0]


def test_a_beir_folder(tmp_path: Path) -> None:
    folder = tmp_path / "beir"
    folder.mkdir()
    jsonl(
        folder / "corpus.jsonl",
        {"_id": "d1", "title": "عواصم", "text": CAIRO, "metadata": {"source": "أ.pdf", "page": 3}},
        {"_id": "d1", "title": "", "text": BEIRUT},
        {"_id": 7, "text": None},
        {"text": "بلا معرف"},
    )
    corpus = open_corpus(folder, id_column="x")
    assert corpus.name == "beir"
    found = read(corpus)
    assert [(chunk.chunk_id, chunk.text, chunk.source) for chunk in found] == [
        ("d1", f"عواصم {CAIRO}", "أ.pdf"),
        ("d1", BEIRUT, None),
        ("7", "", None),
    ]
    assert found[1].place == "beir/corpus.jsonl, line 2"
    assert found[0].metadata["page"] == 3
    assert (corpus.n_problems, corpus.problems[0].row) == (1, 4)
    assert "id_column='x' has no meaning here" in corpus.warnings[0]


def test_a_folder_of_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    folder = tmp_path / "مقاطع"
    (folder / "sub").mkdir(parents=True)
    jsonl(folder / "2.jsonl", {"id": 2, "text": BEIRUT})
    written(folder / "1.csv", f"id,text\n1,{CAIRO}\n")
    written(folder / "3.txt", "فقرة")
    written(folder / "README.md", "عن المقاطع")
    written(folder / "scan.pdf", "%PDF")
    written(folder / ".hidden.csv", "x")
    corpus = open_corpus(folder)
    assert (corpus.name, corpus.total) == ("مقاطع", None)
    found = read(corpus)
    assert [(chunk.ordinal, chunk.place) for chunk in found] == [
        (0, "1.csv, row 2"),
        (1, "2.jsonl, line 1"),
        (2, "3.txt, line 1"),
    ]
    (warning,) = corpus.warnings
    assert "3 of 6 entries are not read: README.md, scan.pdf, sub" in warning
    with pytest.raises(DatasetFormatError, match="holds no file that can be read"):
        open_corpus(folder / "sub")


def test_a_list_of_files_in_the_order_given(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    first = jsonl(tmp_path / "b" / "c.jsonl", {"id": 1, "text": CAIRO})
    second = parquet(tmp_path / "a" / "c.parquet", ROWS)
    corpus = open_corpus([str(first), second])
    assert corpus.name == "2 files (c.jsonl, c.parquet)"
    assert places(corpus) == ["c.jsonl, line 1", "c.parquet, item 1", "c.parquet, item 2"]
    assert open_corpus([second, second]).total == 4
    same = jsonl(tmp_path / "a" / "c.jsonl", {"id": 1, "text": CAIRO})
    assert places(open_corpus((first, same))) == [f"{first}, line 1", f"{same}, line 1"]
    with pytest.raises(DatasetNotFoundError, match="there is no such file"):
        open_corpus([first, tmp_path / "missing.jsonl"])


def test_texts_that_are_no_paths() -> None:
    corpus = open_corpus([CAIRO, "ملف.txt"])
    assert [chunk.text for chunk in read(corpus)] == [CAIRO, "ملف.txt"]
    assert [has_known_suffix(Path(name)) for name in ("a.JSONL", "a.csv.gz", "a.pdf.gz", ".gz", "a")] == [
        True,
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("c.jsonl", "", r"the file is empty\. Expected: a table of passages"),
        ("c.json", "[]", "there is nothing in it. Expected: at least one chunk"),
        ("c.csv", "id,text\n", "at least one chunk"),
        ("c.txt", " \n", "at least one chunk"),
        ("c.docx", "x", "the suffix .docx is not known"),
        ("c.json", "{", "not valid JSON"),
        ("c.jsonl", "[\n]", "holds one JSON list"),
    ],
)
def test_files_without_chunks(tmp_path: Path, name: str, content: str | bytes, message: str) -> None:
    with pytest.raises(DatasetFormatError, match=message):
        read(open_corpus(written(tmp_path / name, content)))


def test_a_damaged_parquet_file_is_told_in_reading(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    corpus = open_corpus(written(tmp_path / "c.parquet", b"PAR1 x"))
    assert corpus.total is None
    with pytest.raises(DatasetFormatError, match="the file is damaged"):
        read(corpus)


@pytest.mark.parametrize("name", ["missing.jsonl", "missing.txt", "missing"])
def test_a_file_that_is_not_there_is_told_before_reading(tmp_path: Path, name: str) -> None:
    with pytest.raises(DatasetNotFoundError, match="there is no such file"):
        open_corpus(tmp_path / name)


def test_an_encoding_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(DatasetFormatError, match=r"no encoding 'cp-1256x'"):
        open_corpus(written(tmp_path / "c.txt", CAIRO), encoding="cp-1256x")


def test_a_question_set_is_no_corpus(tmp_path: Path) -> None:
    file = jsonl(tmp_path / "q.jsonl", {"question": "س", "context": CAIRO})
    with pytest.raises(DatasetColumnError, match="this is a question set"):
        read(open_corpus(file))
    assert read(open_corpus(file, text_column="context"))[0].text == CAIRO


def test_the_laws_of_a_real_corpus(data_dir: Path) -> None:
    folder = data_dir / "wakili_legal" / "corpus"
    constitution = folder / "Egyptian_Constitution_legalnature_only.json"
    found = read(open_corpus(constitution))
    assert [(chunk.text, chunk.chunk_id) for chunk in found] == [
        (chunk.text, chunk.chunk_id) for chunk in load_corpus(constitution)
    ]
    labour = read(open_corpus(folder / "Egyptian_Labour_Law.json"))
    assert any(not chunk.text.strip() for chunk in labour)


def test_what_is_no_corpus_at_all() -> None:
    for source in (None, 3, b"x", dict):
        with pytest.raises(ConfigError, match=r"the corpus is .*Expected: a \.jsonl"):
            open_corpus(source)
