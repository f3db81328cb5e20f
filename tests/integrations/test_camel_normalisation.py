"""Our normalisation and camel-tools' own functions: equal, but for what the table of differences lists."""

from __future__ import annotations

import csv
import json
import re
import sys
import tomllib
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.text.normalize import normalize_text

dediac = pytest.importorskip("camel_tools.utils.dediac", reason="needs the extra camel")
normalize = pytest.importorskip("camel_tools.utils.normalize")

BLOCKS = ((0x0600, 0x06FF), (0x0750, 0x077F), (0x0870, 0x08FF), (0xFB50, 0xFDFF), (0xFE70, 0xFEFF))
ARABIC = [code for first, last in BLOCKS for code in range(first, last + 1)]
STEPS: list[Callable[[str], str]] = [
    normalize.normalize_unicode,
    dediac.dediac_ar,
    normalize.normalize_alef_ar,
    normalize.normalize_alef_maksura_ar,
    normalize.normalize_teh_marbuta_ar,
]
ROWS: dict[str, list[dict[str, str]]] = tomllib.loads(
    (Path(__file__).parent / "camel_differences.toml").read_text(encoding="utf-8")
)


def codes_of(row: dict[str, str]) -> list[int]:
    found: list[int] = []
    for part in row["codes"].split():
        first, _, last = part.partition("-")
        found += range(int(first, 16), int(last or first, 16) + 1)
    return found


def table(rows: list[dict[str, str]]) -> dict[int, str]:
    return {
        code: str(unicodedata.digit(chr(code))) if row["becomes"] == "digit" else row["becomes"]
        for row in rows
        for code in codes_of(row)
        if row["becomes"] != "apart"
    }


APART = [chr(code) for row in ROWS["before"] if row["becomes"] == "apart" for code in codes_of(row)]
AFTER_DIGIT = re.compile(rf"(?<=\d)[{''.join(APART)}]")
BEFORE, AFTER = table(ROWS["before"]), table(ROWS["after"])


def of_camel(text: str) -> str:
    for step in STEPS:
        text = step(text)
    return text


def with_differences(text: str) -> str:
    """camel-tools' result, and on both sides of it what the table says; case and spaces as everywhere."""
    prepared = AFTER_DIGIT.sub(r" \g<0>", text).translate(BEFORE)
    folded = of_camel(prepared).casefold().translate(AFTER)
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def test_each_difference_has_a_reason_and_stands_once() -> None:
    rows = ROWS["before"] + ROWS["after"]
    assert all(row["reason"] for row in rows)
    codes = [code for row in rows for code in codes_of(row)]
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize("around", ["", "ب", "ا", "لا "])
def test_every_code_point_of_the_arabic_blocks(around: str) -> None:
    texts = {code: f"{around}{chr(code)}{around[::-1]}" for code in ARABIC}
    wrong = {hex(code): text for code, text in texts.items() if normalize_text(text) != with_differences(text)}
    assert wrong == {}


def test_a_code_point_that_is_not_in_the_table_is_camels_own() -> None:
    """Composed characters may differ by their parts; all others are equal without any help."""
    wrong = []
    for code in ARABIC:
        parts = {
            *map(ord, unicodedata.normalize("NFKC", chr(code))),
            *map(ord, unicodedata.normalize("NFKD", chr(code))),
        }
        if code in BEFORE or parts & AFTER.keys():
            continue
        text = f"ب{chr(code)}ب"
        if normalize_text(text) != " ".join(of_camel(text).split()):
            wrong.append(hex(code))
    assert wrong == []


def test_no_row_of_the_table_is_idle() -> None:
    """Each code point makes a difference to camel-tools' result, and is the one that the row says."""
    idle = [hex(code) for code in AFTER if normalize_text(f"ب{chr(code)}ب") == of_camel(f"ب{chr(code)}ب").casefold()]
    idle += [hex(code) for code in BEFORE if normalize_text(f"ب{chr(code)}ب") == of_camel(f"ب{chr(code)}ب")]
    idle += [hex(ord(char)) for char in APART if normalize_text(f"1{char}") == of_camel(f"1{char}")]
    assert idle == []


@given(st.text(st.sampled_from([chr(code) for code in ARABIC] + list(" اويهلـ\u0654\u0651ab1")), max_size=20))
@settings(max_examples=300, deadline=None)
def test_any_text_of_the_arabic_blocks(text: str) -> None:
    assert normalize_text(text) == with_differences(text)


def strings_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings_of(item)


def texts_of(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8-sig")
    if path.suffix == ".csv":
        csv.field_size_limit(sys.maxsize)
        yield from (cell for row in csv.reader(text.splitlines(keepends=True)) for cell in row)
        return
    try:
        yield from strings_of(
            json.loads(text) if path.suffix == ".json" else [json.loads(line) for line in text.split("\n") if line]
        )
    except json.JSONDecodeError:
        yield from text.splitlines()


def test_every_real_text(data_dir: Path) -> None:
    files = sorted(path for path in data_dir.rglob("*") if path.suffix in {".json", ".jsonl", ".csv", ".txt", ".tsv"})
    texts = {text for path in files for text in texts_of(path)}
    arabic = sum(any("\u0600" <= char <= "\u06ff" for char in text) for text in texts)
    assert arabic > 10_000
    wrong = [text for text in texts if normalize_text(text) != with_differences(text)]
    assert wrong == []
