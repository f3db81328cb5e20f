"""Every finding is documented, has a remedy in one line, and says its figures."""

from __future__ import annotations

import re

import pytest

from muffakir_eval.audit import health
from muffakir_eval.audit.health.wording import RULES, WORDING, Extent, finding, percent, severity_of


def documented() -> dict[str, str]:
    rows = re.findall(r"^``(\w+)``  +(.{18})", health.__doc__ or "", re.MULTILINE)
    return {code: severity.strip() for code, severity in rows}


def test_the_table_lists_every_finding() -> None:
    assert documented().keys() == WORDING.keys()
    assert RULES.keys() <= WORDING.keys()


SHOWN = {
    "error": "error",
    "ruined": "error from 1/1000",
    "warning": "warning",
    "frequent": "info; 1/100",
    "unbalanced": "info; warning",
}


@pytest.mark.parametrize("code", WORDING)
def test_the_table_says_how_severe_it_is(code: str) -> None:
    shown = documented()[code]
    if code in RULES:
        assert shown == SHOWN[RULES[code]]
    else:
        assert shown in {"info", "info; warning"}


@pytest.mark.parametrize("code", WORDING)
def test_messages_and_remedies_are_one_line(code: str) -> None:
    found = finding(code, Extent(3, 1200), [], "so it is")
    assert found.message.startswith("3 of 1,200 chunks (0.2 %) ")
    assert found.message.endswith(": so it is")
    assert "\n" not in found.message + found.remedy
    assert found.remedy


def test_figures_for_people() -> None:
    assert finding("missing_id", Extent(1, 1), []).message.startswith("1 of 1 chunk (100.0 %) ")
    assert finding("padded_id", Extent(2, 9, unit="ids"), []).message.startswith("2 of 9 ids ")
    assert [percent(*pair) for pair in ((0, 5), (5, 0), (1, 1000), (1, 3_000_000))] == [
        "0 %",
        "0 %",
        "0.1 %",
        "0.00003 %",
    ]


def test_severity_at_its_limits() -> None:
    assert severity_of("mojibake", Extent(1, 1000, ruined=1)) == "error"
    assert severity_of("mojibake", Extent(1, 1001, ruined=1)) == "warning"
    assert severity_of("mojibake", Extent(900, 1000, ruined=0)) == "warning"
    assert severity_of("tatweel", Extent(10, 1000)) == "warning"
    assert severity_of("tatweel", Extent(9, 1000)) == "info"
    assert severity_of("bidi_controls", Extent(9, 10, ruined=1)) == "warning"
    assert severity_of("bidi_controls", Extent(9, 10)) == "info"
    assert severity_of("lone_surrogate", Extent(1, 1_000_000)) == "error"
    assert severity_of("language_mix", Extent(9, 10)) == "info"
