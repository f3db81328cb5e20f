"""The tables of ``normalisation.md``: every letter, sign and digit that becomes another, from the program's own."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from itertools import pairwise

from muffakir_eval.text.folding import INVISIBLE, POINTS, PUNCTUATION, TWO_CODES
from muffakir_eval.text.profiles import ARABIC, PERSIAN, URDU
from muffakir_eval.text.traps import HONORIFICS, TRAP_TABLE


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
    """The code points that become each text."""
    targets: dict[str, list[int]] = {}
    for code, target in table.items():
        targets.setdefault(target, []).append(code)
    return targets


def letters() -> str:
    """Letters by profile."""
    rows = ["| profile | becomes | code points |", "|---|---|---|"]
    for profile in (ARABIC, PERSIAN, URDU):
        for target, codes in by_target(profile.letters).items():
            seen = " ".join(chr(code) for code in sorted(codes) if code < 0x10000)
            rows.append(f"| `{profile.name}` | {target} U+{ord(target):04X} | {seen}<br>{ranges(codes)} |")
    return "\n".join(rows)


def dropped() -> str:
    """Signs that are dropped."""
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
    """Punctuation of all scripts."""
    rows = ["| becomes | code points |", "|---|---|"]
    return "\n".join(
        rows + [f"| {shown(target)} | {ranges(codes)} |" for target, codes in by_target(PUNCTUATION).items()]
    )


def codes() -> str:
    """Letters with two codes."""
    rows = ["| code point | becomes |", "|---|---|"]
    return "\n".join(rows + [f"| {chr(code)} U+{code:04X} | {target} |" for code, target in TWO_CODES.items()])


def traps() -> str:
    """What NFKC would turn into something else."""
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
