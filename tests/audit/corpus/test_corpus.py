"""Reading batch by batch: order, problems, the fingerprint, and memory that does not grow."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from openpyxl import Workbook

from muffakir_eval.audit.corpus import open_corpus
from muffakir_eval.audit.records import CorpusChunk
from muffakir_eval.errors import ConfigError, DatasetFormatError

CAIRO = "القاهرة عاصمة مصر."
BEIRUT = "بيروت عاصمة لبنان."


def test_batches_hold_the_chunks_in_their_order() -> None:
    corpus = open_corpus([f"فقرة {number}" for number in range(7)])
    batches = list(corpus.batches(size=3))
    assert [len(batch) for batch in batches] == [3, 3, 1]
    chunks = [chunk for batch in batches for chunk in batch]
    assert [chunk.ordinal for chunk in chunks] == list(range(7))
    assert chunks[6] == CorpusChunk(ordinal=6, text="فقرة 6", place="item 7")
    assert (corpus.n_problems, corpus.problems, corpus.warnings) == (0, (), ())


def test_a_batch_is_there_before_the_next_one_is_read() -> None:
    asked: list[int] = []

    def endless() -> Iterator[str]:
        while True:
            asked.append(len(asked))
            yield f"فقرة {len(asked)}"

    corpus = open_corpus(endless())
    assert (corpus.name, corpus.total) == ("iterable of chunks", None)
    batches = corpus.batches(size=200)
    assert next(batches)[0].text == "فقرة 1"
    assert len(asked) == 200
    assert corpus.fingerprint is None


def test_what_goes_wrong_in_the_source_says_how_far_the_reading_came() -> None:
    def broken() -> Iterator[str]:
        yield from [CAIRO] * 1500
        raise OSError("the connection was lost")

    with pytest.raises(OSError, match="the connection was lost") as caught:
        list(open_corpus(broken()).batches())
    assert caught.value.__notes__ == ["It came up while iterable of chunks was read, after 1,500 chunks."]


def test_a_corpus_is_read_once() -> None:
    corpus = open_corpus([CAIRO])
    assert len(list(corpus.batches())) == 1
    with pytest.raises(ConfigError, match=r"iterable of 1 chunks: the corpus has been read already.*open_corpus"):
        corpus.batches()


@pytest.mark.parametrize("size", [0, -1, 2.0, True])
def test_the_size_of_a_batch(size: int) -> None:
    with pytest.raises(ConfigError, match="a whole number from 1 up"):
        open_corpus([CAIRO]).batches(size)


def fingerprint(*chunks: object) -> str | None:
    corpus = open_corpus(list(chunks))
    list(corpus.batches(size=2))
    return corpus.fingerprint


def test_the_fingerprint_tells_identifiers_texts_and_order_apart() -> None:
    one, two = {"id": "1", "text": CAIRO}, {"id": "2", "text": BEIRUT}
    different = [
        fingerprint(one, two),
        fingerprint(two, one),
        fingerprint(one),
        fingerprint(CAIRO, BEIRUT),
        fingerprint(CAIRO + BEIRUT),
        fingerprint({"id": "1", "text": CAIRO + "-"}, two),
        fingerprint({"id": "1" + CAIRO, "text": ""}, two),
    ]
    assert len(set(different)) == len(different)
    assert fingerprint({"id": 1.0, "text": CAIRO, "page": 3}, two) == different[0]
    assert fingerprint("\ud800") is not None


def test_only_the_first_hundred_problems_are_kept_and_all_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "c.jsonl"
    lines = [line for number in range(250) for line in (json.dumps({"id": number, "text": CAIRO}), "{")]
    file.write_text("\n".join(lines), encoding="utf-8")
    corpus = open_corpus(file)
    assert sum(map(len, corpus.batches())) == 250
    assert corpus.n_problems == 250
    assert [problem.row for problem in corpus.problems] == list(range(2, 202, 2))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([], r"iterable of 0 chunks: there is nothing in it\. Expected: at least one chunk"),
        (iter(()), "there is nothing in it"),
        ({}, "there is nothing in it"),
        ([3, None], r"none of its 2 rows can be read; the first: .*item 1: the item is of type int"),
    ],
)
def test_a_corpus_without_any_chunk(source: object, message: str) -> None:
    corpus = open_corpus(source)
    with pytest.raises(DatasetFormatError, match=message):
        list(corpus.batches())


def test_opening_and_reading_loads_no_heavy_library(tmp_path: Path) -> None:
    file = tmp_path / "c.jsonl"
    write_jsonl(file, 3, CAIRO)
    code = (
        "import sys; from muffakir_eval.audit.corpus import open_corpus\n"
        f"assert len(list(open_corpus({str(file)!r}).batches())[0]) == 3\n"
        "print([name for name in ('bm25s', 'numpy', 'pandas', 'openpyxl', 'pyarrow') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


_MEASURE = """
import resource, sys
from muffakir_eval.audit.corpus import open_corpus
corpus = open_corpus(sys.argv[1])
print(sum(map(len, corpus.batches(size=100))), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak(file: Path) -> tuple[int, float]:
    """Rows read, and the most memory that this took in MiB."""
    done = subprocess.run([sys.executable, "-c", _MEASURE, str(file)], capture_output=True, text=True, check=True)
    rows, kib = done.stdout.split()
    return int(rows), int(kib) / 1024


def write_jsonl(file: Path, rows: int, text: str) -> None:
    with file.open("w", encoding="utf-8") as lines:
        for number in range(rows):
            lines.write(json.dumps({"id": number, "text": f"{number} {text}"}, ensure_ascii=False) + "\n")


def write_csv(file: Path, rows: int, text: str) -> None:
    with file.open("w", encoding="utf-8") as lines:
        lines.write("id,text\n")
        lines.writelines(f'{number},"{number} {text}"\n' for number in range(rows))


def write_parquet(file: Path, rows: int, text: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"id": list(range(rows)), "text": [f"{number} {text}" for number in range(rows)]})
    parquet.write_table(table, file, row_group_size=1000)


def write_xlsx(file: Path, rows: int, text: str) -> None:
    book = Workbook(write_only=True)
    sheet = book.create_sheet("مقاطع")
    sheet.append(["id", "text"])
    for number in range(rows // 2):  # openpyxl is slow
        sheet.append([number, f"{number} {text * 2}"])
    book.save(file)


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet", "xlsx"])
def test_memory_does_not_grow_with_the_rows(tmp_path: Path, suffix: str) -> None:
    write = {"jsonl": write_jsonl, "csv": write_csv, "parquet": write_parquet, "xlsx": write_xlsx}[suffix]
    text = "يستحق العامل إجازة سنوية " * 160  # 4,000 characters, 8 KB: the 5,000 further rows would hold 39 MiB
    few, many = tmp_path / f"few.{suffix}", tmp_path / f"many.{suffix}"
    write(few, 1_000, text)
    write(many, 6_000, text)
    (n_few, before), (n_many, after) = peak(few), peak(many)
    assert n_many == 6 * n_few >= 3_000
    assert after - before < 25
