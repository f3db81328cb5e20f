"""The guide to the audit: every block runs, every command works, and its tables name what there is."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any, get_args

import pytest
from typer.testing import CliRunner

from muffakir_eval import audit_index
from muffakir_eval.audit import gold_findings, retriever_findings
from muffakir_eval.audit.health.wording import RULES, WORDING
from muffakir_eval.audit.questions import SEVEREST_FIRST
from muffakir_eval.audit.records import Outcome
from muffakir_eval.audit.settings import AuditConfig
from muffakir_eval.cli import app
from muffakir_eval.cli.audit import audit

GUIDE = (Path(__file__).resolve().parent.parent / "docs" / "audit.md").read_text(encoding="utf-8")


def rows(head: str) -> list[list[str]]:
    """The rows of the table whose first line begins so."""
    table = GUIDE[GUIDE.index(f"\n| {head} |") + 1 :].split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]]


def codes(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is defined once the blocks have been executed, with the folder where that was as ``place``."""
    place = tmp_path_factory.mktemp("guide")
    names: dict[str, Any] = {"place": place}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        patch.setattr("builtins.print", lambda *_: None)
        for block in re.findall(r"```python\n(.*?)```", GUIDE, flags=re.DOTALL):
            exec(block, names)
    for file, content in (("corpus.jsonl", names["corpus"]), ("questions.jsonl", names["questions"])):
        lines = [json.dumps(row, ensure_ascii=False) for row in content]
        (place / file).write_text("\n".join(lines), encoding="utf-8")
    (place / "my_retriever.py").write_text("def retriever(question):\n    return ['نص']\n", encoding="utf-8")
    return names


def test_the_python_block_shows_what_it_is_about(names: dict[str, Any]) -> None:
    audit = names["audit"]
    assert audit.outcomes == {"found": 1, "split": 1, "not_in_index": 1}
    assert audit.metrics["recall@1"]["mean"] == pytest.approx(1 / 3)
    assert {"gold_not_in_index", "gold_split", "mojibake"} <= {finding.code for finding in audit.findings}
    assert {file.name for file in (names["place"] / "audit").iterdir()} == set(
        re.findall(r"`(audit[_a-z]*\.(?:json|csv))`", GUIDE)
    )


@pytest.mark.parametrize("command", re.findall(r"^\$ muffakir-eval (.*)$", GUIDE, flags=re.MULTILINE))
def test_the_commands_work(names: dict[str, Any], command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(names["place"])
    monkeypatch.syspath_prepend(str(names["place"]))
    done = CliRunner().invoke(app, shlex.split(command))
    assert done.exit_code in (0, 1)
    assert "Written to" in done.stdout


def test_every_outcome_in_the_order_in_which_they_decide() -> None:
    named = tuple(codes(row[0])[0] for row in rows("outcome"))
    assert named == SEVEREST_FIRST
    assert set(named) == set(get_args(Outcome))


def test_every_finding_with_its_severity() -> None:
    told = {codes(row[0])[0]: row[1] for row in rows("finding")}
    source = "".join(
        Path(str(module.__file__)).read_text(encoding="utf-8") for module in (gold_findings, retriever_findings)
    )
    assert set(told) == {*re.findall(r'code="([a-z_]+)"', source), "unreadable_line"}
    for kind in gold_findings._KINDS:
        assert told[kind.code] == kind.severity


def test_every_finding_about_texts() -> None:
    told = {codes(row[0])[0]: (row[1].split()[0], row[2]) for row in rows("finding about texts")}
    assert {code: what for code, (_, what) in told.items()} == {code: words.what for code, words in WORDING.items()}
    plain = {"ruined": "error", "frequent": "warning", "unbalanced": "warning"}
    for code, (severity, _) in told.items():
        rule = RULES.get(code, "info")
        assert severity == plain.get(rule, rule), code


def test_the_exit_codes_are_those_of_the_command() -> None:
    told = [row[0] for row in rows("exit code")]
    assert told == ["0", "1", "2", "3", "4", "130"]
    assert all(f"{code} " in str(audit.__doc__) for code in told[:-1])


def test_the_schema_is_what_is_written(names: dict[str, Any]) -> None:
    told = names["audit"].to_dict()
    described = {key: row[1] for row in rows("key") for key in codes(row[0])}
    assert set(described) == set(told)
    for block in ("corpus", "dataset", "retriever", "index", "lost", "gain"):
        named = set(codes(described[block])) - {"null", "n", "of", "share", "interval", "k", "recall", "gain", "parts"}
        assert named - {"gain_per_chunk"} == set(told[block]) - {"n", "parts"}, block
    only_texts = audit_index(names["corpus"], progress=False).to_dict()
    assert set(only_texts) == set(told)


def test_every_setting_is_named() -> None:
    named = {key for row in rows("key (default)") for key in codes(row[0]) if not key.startswith("./")}
    assert named - {"ar"} == set(AuditConfig.from_mapping({}).public_dict())


def test_every_option_that_is_named_exists() -> None:
    options = set(re.findall(r"--[a-z-]+[a-z]", GUIDE))
    help_text = CliRunner().invoke(app, ["audit", "--help"]).stdout
    assert options <= set(re.findall(r"--[a-z-]+[a-z]", help_text))
