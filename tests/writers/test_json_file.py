"""JSON files are strict, whole, and readable."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.writers.json_file import json_chunks, write_json

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=8,
)


def test_arabic_stays_readable_and_there_is_no_byte_order_mark(tmp_path: Path) -> None:
    write_json(tmp_path / "summary.json", {"المقياس": "الاستدعاء", "mean": None})
    assert (tmp_path / "summary.json").read_bytes() == '{\n  "المقياس": "الاستدعاء",\n  "mean": null\n}\n'.encode()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_what_is_not_json_is_refused_before_the_file_is_touched(tmp_path: Path, value: float) -> None:
    path = tmp_path / "summary.json"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json(path, {"metrics": {"mrr": [0.5, value]}})
    with pytest.raises(TypeError):
        write_json(path, {"metrics": {"mrr": object()}})
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_half_an_emoji_can_be_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    path.write_text("old", encoding="utf-8")
    write_json(path, {"answer": "نصف رمز \ud83d هنا", "whole": "😀"})
    text = path.read_bytes().decode("utf-8")
    assert "\\ud83d" in text
    assert "😀" in text
    assert json.loads(text) == {"answer": "نصف رمز \ud83d هنا", "whole": "😀"}


@settings(max_examples=100, deadline=None)
@given(JSON)
def test_what_is_written_is_read(value: object) -> None:
    (content,) = json_chunks(value)
    assert content.endswith(b"\n")
    assert json.loads(content.decode("utf-8")) == value
