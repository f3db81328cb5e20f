"""Every example is listed, says how it is run, and is run by a test."""

from __future__ import annotations

import re

import pytest

from tests.examples.programs import EXAMPLES

SCRIPTS = sorted(path.name for path in EXAMPLES.iterdir() if path.suffix in {".py", ".sh", ".ipynb"})
TESTS = "".join(path.read_text(encoding="utf-8") for path in EXAMPLES.parent.glob("tests/**/test_*.py"))


def test_the_table_lists_every_script_and_no_other() -> None:
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"\]\((\w+\.(?:py|sh|ipynb))\)", text)) == SCRIPTS


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name.endswith(".py")])
def test_a_script_says_how_it_is_run(name: str) -> None:
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    assert re.search(
        rf"^    (?:python examples/{name}|muffakir-eval run .*{name.removesuffix('.py')}:)", text, re.MULTILINE
    )


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_run_by_a_test(name: str) -> None:
    imported = "example_system" in name  # by the others
    assert re.search(rf'["/]{re.escape(name)}"', TESTS) or imported
