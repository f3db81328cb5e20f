"""The example of an audit runs as it stands, and tells of what is broken in its corpus."""

from __future__ import annotations

import json
from pathlib import Path

from tests.examples.programs import run


def test_it_tells_what_is_broken(tmp_path: Path) -> None:
    printed = run("audit.py", "out", folder=tmp_path)
    assert "The retriever never returns more than 20" in " ".join(printed.split())
    told = json.loads((tmp_path / "out" / "audit.json").read_text(encoding="utf-8"))
    findings = {finding["code"]: finding for finding in told["findings"]}
    assert {"mojibake", "duplicate_id", "gold_split", "source_not_in_index", "retriever_capped"} <= findings.keys()
    assert {example["excerpt"] for example in findings["source_not_in_index"]["examples"]} == {
        "geography_reader.pdf",
        "science_reader.pdf",
    }
    assert findings["mojibake"]["examples"][0]["at"]["chunk_id"] == "labour-03"
