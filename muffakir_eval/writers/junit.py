"""The outcome of a gate as JUnit XML, which CI systems show beside the tests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["junit_xml"]

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML 1.0 document may hold, not even escaped."""
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_ELEMENTS = {"failed": "failure", "not_measured": "error"}


def junit_xml(result: Mapping[str, Any]) -> str:
    r"""The whole document; characters that XML forbids are shown as ``\\ufffd``.

    >>> checks = [{"name": "mrr", "condition": "mrr >= 0.8", "state": "failed", "message": "mrr is 0.5"}]
    >>> print(junit_xml({"run_id": "r1", "checks": checks}))
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites>
      <testsuite name="muffakir-eval gate, run r1" tests="1" failures="1" errors="0" skipped="0">
        <testcase classname="muffakir_eval.gate" name="mrr &gt;= 0.8">
          <failure type="failed" message="mrr is 0.5"/>
        </testcase>
      </testsuite>
    </testsuites>
    <BLANKLINE>
    """
    checks = result["checks"]
    failures, errors = (sum(check["state"] == state for check in checks) for state in _ELEMENTS)
    suite = _attributes(
        name=f"muffakir-eval gate, run {result['run_id']}",
        tests=len(checks),
        failures=failures,
        errors=errors,
        skipped=0,
    )
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", f"  <testsuite{suite}>"]
    for check in checks:
        case = f"    <testcase{_attributes(classname='muffakir_eval.gate', name=check['condition'])}"
        if check["state"] == "passed":
            lines.append(f"{case}/>")
            continue
        what = _attributes(type=check["state"], message=check["message"])
        lines += [f"{case}>", f"      <{_ELEMENTS[check['state']]}{what}/>", "    </testcase>"]
    return "\n".join([*lines, "  </testsuite>", "</testsuites>", ""])


def _attributes(**values: object) -> str:
    return "".join(f' {name}="{_escaped(str(value))}"' for name, value in values.items())


def _escaped(text: str) -> str:
    return "".join(_ENTITIES.get(char, char) for char in _NOT_XML.sub("\ufffd", text))
