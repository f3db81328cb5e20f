"""The result of an audit: its exit code, and what it says of itself."""

from __future__ import annotations

from typing import Any

import pytest

from muffakir_eval.audit.records import Finding, Severity
from muffakir_eval.audit.result import OF_REACH, FailOn, IndexAudit


def audit(*codes: tuple[str, Severity], share: float | None = 1.0, dataset: bool = True) -> IndexAudit:
    findings = [Finding(code=code, severity=severity, count=1, total=2) for code, severity in codes]
    summary: dict[str, Any] = {
        "corpus": {"n_chunks": 3},
        "dataset": {} if dataset else None,
        "index": {"reachable": {"share": share}},
        "outcomes": {"questions": {"rows": [{"outcome": "in_index", "n": 4}] if dataset else []}},
        "metrics": {"recall@5": {"mean": 0.5}},
        "partial": False,
    }
    return IndexAudit(summary, findings, [])


BROKEN: tuple[str, Severity] = ("mojibake", "error")
POOR: tuple[str, Severity] = ("cut_word", "warning")
GONE: tuple[str, Severity] = ("gold_not_in_index", "error")


@pytest.mark.parametrize(
    ("found", "fail_on", "least", "code"),
    [
        (audit(), "error", None, 0),
        (audit(BROKEN), "error", None, 1),
        (audit(BROKEN), "never", None, 0),
        (audit(POOR), "error", None, 0),
        (audit(POOR), "warning", None, 1),
        (audit(("x", "info")), "warning", None, 0),
        (audit(GONE, share=0.9), "error", None, 1),
        (audit(GONE, share=0.9), "error", 0.9, 0),
        (audit(GONE, share=0.9), "error", 0.95, 1),
        (audit(GONE, BROKEN, share=0.9), "error", 0.9, 1),
        (audit(GONE, share=0.9), "never", 0.95, 1),
        (audit(share=0.94999), "error", 0.95, 1),
        (audit(share=None), "error", None, 3),
        (audit(share=None), "never", 0.5, 3),
        (audit(BROKEN, share=None), "error", 0.5, 1),
        (audit(share=None, dataset=False), "error", None, 0),
        (audit(share=None, dataset=False), "error", 0.5, 3),
    ],
)
def test_exit_codes(found: IndexAudit, fail_on: FailOn, least: float | None, code: int) -> None:
    assert found.exit_code(fail_on=fail_on, min_reachable=least) == code
    assert bool(found.faults(fail_on=fail_on, min_reachable=least)) == (code == 1)


def test_why_it_is_not_good() -> None:
    faults = audit(BROKEN, POOR, share=0.94999).faults(fail_on="warning", min_reachable=0.95)
    assert faults == [
        "error mojibake",
        "warning cut_word",
        "0.94999 of the golds are in the index, fewer than 0.95",
    ]


def test_findings_of_reach_are_those_of_the_audit() -> None:
    from muffakir_eval.audit.gold_findings import _KINDS

    assert {kind.code for kind in _KINDS} | {"source_not_in_index"} >= OF_REACH


def test_it_shows_itself() -> None:
    assert repr(audit(BROKEN, ("x", "info"))) == "IndexAudit(3 chunks; in_index 4; mojibake)"
    assert repr(audit(dataset=False)) == "IndexAudit(3 chunks; no questions; fine)"


def test_what_it_hands_out_is_a_copy() -> None:
    found = audit(BROKEN)
    found.metrics["recall@5"]["mean"] = 1.0
    found.to_dict()["partial"] = True
    assert (found.metrics["recall@5"]["mean"], found.partial) == (0.5, False)
    assert found.finding("mojibake") == found.findings[0]
    assert found.finding("gone") is None
