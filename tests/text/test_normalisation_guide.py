"""The tables of docs/normalisation.md are those of the program.

python tests/text/test_normalisation_guide.py      writes them anew
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

import pytest

from muffakir_eval.text.folding import INVISIBLE, POINTS, PUNCTUATION, TWO_CODES
from muffakir_eval.text.normalize import normalize_text
from muffakir_eval.text.profiles import ARABIC, PERSIAN, URDU
from muffakir_eval.text.traps import HONORIFICS, TRAP_TABLE

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "normalisation.md"


def ranges(codes: Iterable[int]) -> str:
    """Code points in order, neighbours as a range.

    >>> ranges([0x43, 0x41, 0x42, 0x61])
    'U+0041-0043, 0061'
    """
    ordered = sorted(codes)
    breaks = [place for place, (one, other) in enumerate(pairwise(ordered), 1) if other > one + 1]
    parts = [ordered[first:last] for first, last in pairwise([0, *breaks, len(ordered)])]
    return "U+" + ", ".join(f"{part[0]:04X}" + (f"-{part[-1]:04X}" if len(part) > 1 else "") for part in parts)


def shown(text: str) -> str:
    """A replacement as a cell shows it."""
    if not text.strip():
        return "a space" if text else "nothing"
    plain = f"`{text.strip()}`" if text.isascii() else text.strip()
    return f"{plain} and a space" if text.endswith(" ") else plain


def by_target(table: dict[int, str]) -> dict[str, list[int]]:
    targets: dict[str, list[int]] = {}
    for code, target in table.items():
        targets.setdefault(target, []).append(code)
    return targets


def letters() -> str:
    rows = ["| profile | becomes | code points |", "|---|---|---|"]
    for profile in (ARABIC, PERSIAN, URDU):
        for target, codes in by_target(profile.letters).items():
            seen = " ".join(chr(code) for code in sorted(codes) if code < 0x10000)
            rows.append(f"| `{profile.name}` | {target} U+{ord(target):04X} | {seen}<br>{ranges(codes)} |")
    return "\n".join(rows)


def dropped() -> str:
    marks = ranges(ARABIC.dropped)
    return "\n".join(
        [
            "| what | in | code points |",
            "|---|---|---|",
            f"| Arabic and Quranic signs, tatweel, high hamza | `arabic`, `persian`, `urdu` | {marks} |",
            f"| Hebrew points, Armenian intonation signs | `arabic`, `persian`, `urdu` | {ranges(POINTS)} |",
            f"| fillers, variation selectors, marks on symbols | every profile | {ranges(INVISIBLE)} |",
        ]
    )


def punctuation() -> str:
    rows = ["| becomes | code points |", "|---|---|"]
    return "\n".join(
        rows + [f"| {shown(target)} | {ranges(codes)} |" for target, codes in by_target(PUNCTUATION).items()]
    )


def two_codes() -> str:
    rows = ["| code point | becomes |", "|---|---|"]
    return "\n".join(rows + [f"| {chr(code)} U+{code:04X} | {target} |" for code, target in TWO_CODES.items()])


def traps() -> str:
    kinds: dict[str, list[int]] = {}
    for code, target in TRAP_TABLE.items():
        if code in HONORIFICS:
            continue
        if target.startswith(" ") and target.strip():
            kind = "its number or fraction" if any(map(str.isdecimal, target)) else "its letters"
            kinds.setdefault(f"{kind}, between spaces", []).append(code)
        else:
            kinds.setdefault(
                f"U+{ord(target):04X}" if target and unicodedata.combining(target) else shown(target), []
            ).append(code)
    rows = ["| becomes | code points |", "|---|---|"]
    rows += [f"| {kind} | {ranges(codes)} |" for kind, codes in kinds.items()]
    return "\n".join(rows + [f"| {words}, between spaces | U+{code:04X} |" for code, words in HONORIFICS.items()])


TABLES: dict[str, Callable[[], str]] = {
    "letters": letters,
    "dropped": dropped,
    "punctuation": punctuation,
    "codes": two_codes,
    "traps": traps,
}


def block(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=<!-- begin: {name} -->\n).*?(?=<!-- end: {name} -->)", re.DOTALL)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_the_guide_is_the_programs(name: str) -> None:
    found = block(name).search(GUIDE.read_text(encoding="utf-8"))
    assert found is not None
    assert found[0] == TABLES[name]() + "\n", "run python tests/text/test_normalisation_guide.py"


def test_the_examples_of_the_guide_hold() -> None:
    examples = re.findall(r"^(normalize_text\(.*\)) +# (.*)$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(examples) == 2
    for code, result in examples:
        assert repr(eval(code, {"normalize_text": normalize_text})) == result


if __name__ == "__main__":
    text = GUIDE.read_text(encoding="utf-8")
    for name, table in TABLES.items():
        before, found, after = text.partition(f"<!-- begin: {name} -->\n")
        text = before + found + table() + "\n" + after[after.index(f"<!-- end: {name} -->") :]
    GUIDE.write_text(text, encoding="utf-8", newline="\n")
