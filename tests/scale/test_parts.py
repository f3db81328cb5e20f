"""Pieces of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.tables import ReadOptions
from muffakir_eval.errors import DatasetNotFoundError
from muffakir_eval.scale.adding import Total, repeated_ids
from muffakir_eval.scale.parts import Part, find_files, look, read_part
from muffakir_eval.scale.scoring import Counted, id_hash
from muffakir_eval.tally import PartialTally, Tally
from tests.scale.made import rows, write_jsonl


def read(part: Part) -> list[tuple[int, object]]:
    table = read_part(part, ReadOptions(findings=Findings(fail_fast=True)))
    return [(row, values["question"]) for row, _, values in table.rows]


@pytest.mark.parametrize("blocksize", [None, 1, 3, 100])
def test_the_pieces_are_the_file_with_its_line_numbers(tmp_path: Path, blocksize: int | None) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", rows(8))
    text = path.read_text(encoding="utf-8").replace("\n", "\r\n", 3)
    path.write_text(
        "\ufeff" + text + "\n", encoding="utf-8", newline=""
    )  # a mark, two kinds of line ends, a blank line
    glance = look(str(path), None, blocksize)
    assert [row for part in glance.parts for row in read(part)] == [(n + 1, f"سؤال {n}") for n in range(8)]
    assert len(glance.parts) == {None: 1, 1: 9, 3: 3, 100: 1}[blocksize]
    assert 1 <= len(glance.columns) <= 2
    assert glance.columns[0][:2] == ("id", "question")


def test_lines_that_are_no_objects_have_no_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"question": "أ"}\n[1]\n{"broken\n', encoding="utf-8")
    assert look(str(path), None, None).columns == (("question",),)


def test_files_of_a_folder_a_pattern_and_a_list(tmp_path: Path) -> None:
    paths = [str(write_jsonl(tmp_path / f"{name}.jsonl", rows(1))) for name in "bca"]
    (tmp_path / "notes.md").write_text("لا شيء", encoding="utf-8")
    assert find_files(tmp_path) == sorted(paths)
    assert find_files(f"{tmp_path}/[ab].jsonl") == [paths[2], paths[0]]
    assert find_files(paths) == paths
    assert find_files(paths[0]) == [paths[0]]
    with pytest.raises(DatasetNotFoundError, match="the list of files: there is no file"):
        find_files([])
    with pytest.raises(DatasetNotFoundError, match=r"did you mean 'b\.jsonl'"):
        find_files(tmp_path / "b.json")


def test_names_are_hashed_the_same_everywhere() -> None:
    assert id_hash("س") == id_hash("س") != id_hash("ش")
    assert id_hash("\ud800") < 2**64
    assert repeated_ids([]) == {}


def test_parts_are_added_in_the_order_of_the_data_set() -> None:
    total = Total(Tally(()))
    for number in (2, 0, 1):
        problems = [f"row {place}" for place in range(15)]
        counted = Counted(
            tally=PartialTally(()), n_bad_rows=15, problems=problems, warnings=[f"w{number}", "both"], file=f"{number}"
        )
        total.add(number, counted)
    assert total.files == ["0", "1", "2"]
    lines = total.told()["warnings"]
    assert lines[:4] == ["w0", "both", "w1", "w2"]
    assert lines[-1] == "left out, 25 more bad rows"
    assert total.told()["n_bad_rows"] == 45
