"""Labelled pairs from files and from memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

from muffakir_eval.calibration.pairs import LabelledPair, read_label, read_pairs
from muffakir_eval.datasets.cells.text import CellError
from muffakir_eval.errors import DatasetError, DatasetFormatError, DatasetNotFoundError, DatasetRowError

ROWS = [("ذهب الولد إلى المدرسة", "الولد ذهب", "نعم"), ("نص آخر", "غير ذلك", "لا")]
EXPECTED = [(gold, chunk, label == "نعم") for gold, chunk, label in ROWS]


def told(pairs: Any, **options: Any) -> list[tuple[str, str, bool]]:
    return [(pair.gold, pair.chunk, pair.relevant) for pair in read_pairs(pairs, **options).pairs]


def test_files_of_every_kind(tmp_path: Path) -> None:
    frame = pd.DataFrame(ROWS, columns=["المرجع", "المقطع", "الصلة"])
    frame.to_csv(tmp_path / "p.csv", index=False, encoding="utf-8-sig")
    frame.to_csv(tmp_path / "semicolon.csv", index=False, sep=";")
    frame.to_csv(tmp_path / "old.csv", index=False, encoding="cp1256")
    frame.to_csv(tmp_path / "p.tsv", index=False, sep="\t")
    with pd.ExcelWriter(tmp_path / "p.xlsx") as book:
        pd.DataFrame({"note": ["nothing here"]}).to_excel(book, sheet_name="about", index=False)
        frame.to_excel(book, sheet_name="pairs", index=False)
    frame.to_json(tmp_path / "p.json", orient="records", force_ascii=False)
    lines = (json.dumps(row, ensure_ascii=False) for row in frame.to_dict(orient="records"))
    (tmp_path / "p.jsonl").write_text("\n".join(lines), encoding="utf-8")
    for name in ("p.csv", "semicolon.csv", "p.tsv", "p.xlsx", "p.json", "p.jsonl"):
        assert told(tmp_path / name) == EXPECTED, name
    assert told(str(tmp_path / "old.csv"), encoding="cp1256") == EXPECTED
    assert told(tmp_path / "p.xlsx", sheet="pairs") == EXPECTED


class Row(NamedTuple):
    gold: str
    chunk: str
    label: str


def test_what_is_in_memory() -> None:
    frame = pd.DataFrame(ROWS, columns=["gold", "chunk", "label"])
    assert told(ROWS) == told([list(row) for row in ROWS]) == told(iter(ROWS)) == EXPECTED
    assert told(frame) == told(frame.to_dict(orient="records")) == EXPECTED
    assert told([Row(*row) for row in ROWS]) == EXPECTED
    pairs = [LabelledPair(gold=gold, chunk=chunk, relevant=label) for gold, chunk, label in EXPECTED]
    assert told(pairs) == EXPECTED
    assert told({"gold": ROWS[0][0], "chunk": ROWS[0][1], "label": 1}) == EXPECTED[:1]
    nested = [{"gold": {"text": ROWS[0][0]}, "chunk": ROWS[0][1], "label": True}]
    assert told(nested, column_mapping={"gold": "gold.text"}) == EXPECTED[:1]


@pytest.mark.parametrize("cell", [1, 1.0, True, "1", "1.0", "١", "TRUE", " Yes ", "نعم", "نَعَم", "ذو صلة", "relevant"])
def test_labels_that_say_yes(cell: Any) -> None:
    assert read_label(cell) is True


@pytest.mark.parametrize("cell", [0, 0.0, False, "0", "٠", "false", "No", "لا", "غير ذي صلة", "not relevant"])
def test_labels_that_say_no(cell: Any) -> None:
    assert read_label(cell) is False


@pytest.mark.parametrize("cell", [2, "maybe", "ربما", "0.5", "-1", [1]])
def test_labels_that_say_neither(cell: Any) -> None:
    with pytest.raises(CellError):
        read_label(cell)


def test_errors_name_file_row_and_column(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text('gold,chunk,label\nأ,ب,1\n"سطر\nثان",ج,ربما\n', encoding="utf-8")
    with pytest.raises(DatasetRowError, match=r"p\.csv, row 3, column 'label': the label says 'ربما'") as caught:
        read_pairs(path)
    assert (caught.value.row, caught.value.column) == (3, "label")
    path.write_text("gold,chunk,label\nأ,,1\n", encoding="utf-8")
    with pytest.raises(DatasetRowError, match="row 2, column 'chunk': the chunk is missing"):
        read_pairs(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("gold,chunk,label\n", "there are no labelled pairs"),
        ("gold,chunk,label\nأ,ب,\n", "there are no labelled pairs"),
        ("gold,text\nأ,ب\n", "no column holds the label"),
        ("", "the file is empty"),
    ],
)
def test_a_file_without_pairs(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "p.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DatasetError) as caught:
        read_pairs(path)
    assert said in str(caught.value)
    assert "question" not in str(caught.value)


def test_an_empty_json_list_and_what_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text("[]", encoding="utf-8")
    sources: list[Any] = [tmp_path / "p.json", [], 7, b"x"]
    for source in sources:
        with pytest.raises(DatasetFormatError):
            read_pairs(source)
    with pytest.raises(DatasetNotFoundError):
        read_pairs(tmp_path / "gone.csv")
    with pytest.raises(DatasetRowError, match="item 1"):
        read_pairs([("only", "two")])


def test_repeats_and_rows_without_a_label_are_told() -> None:
    rows = [*ROWS, ROWS[0], (ROWS[1][0], ROWS[1][1], "نعم"), ("بلا", "وسم", None)]
    found = read_pairs(rows)
    assert [pair.row for pair in found.pairs] == [1, 2, 4]
    assert found.notes == (
        "left out, since there is no label: 1 item (5)",
        "repeats of an earlier pair, which counts once: 1 item (3)",
        "the same pair with different labels, one of which stays wrong: 2 items (2, 4)",
    )
    many = read_pairs([*ROWS, *[ROWS[0]] * 8])
    assert many.notes == ("repeats of an earlier pair, which counts once: 8 items (3, 4, 5, 6, 7, …)",)


def test_an_option_without_meaning_is_told(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("gold,chunk,label\nأ,ب,1\n", encoding="utf-8")
    assert "sheet='x' has no meaning" in read_pairs(path, sheet="x").notes[0]
