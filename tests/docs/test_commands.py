"""Every command that a page names exists, with all its options, and can be parsed as it stands."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
import typer

from muffakir_eval.cli import app
from tests.docs.pages import PAGES, blocks, codes, prose

GROUP: Any = typer.main.get_command(app)
OF_PYTEST = {"--muffakir-run", "--muffakir-baseline", "--cov"}
OF_EXAMPLES = {"--judge", "--json", "--dry-run", "--help"}
OTHER_OPTIONS = OF_PYTEST | OF_EXAMPLES | {"--version"}


def commands(page: str) -> list[str]:
    """The lines of a page that call our program."""
    shells = [block.text for block in blocks(page) if block.language in {"sh", "console", "yaml", "bash"}]
    joined = "\n".join(shells).replace("\\\n", " ")
    lines = re.findall(r"^(?:\$ |\s*- run: |\s*- |\s*)(muffakir-eval .*)$", joined, flags=re.MULTILINE)
    inline = re.findall(r"`(muffakir-eval [a-z]+ [^`]*)`", prose(page))
    return [re.split(r" *(?:\||&&|\|\||>|#|;) ", line)[0] for line in [*lines, *inline]]


ALL = [(page, command) for page in PAGES for command in commands(page)]


@pytest.mark.parametrize(("page", "command"), ALL, ids=[f"{page}: {command}" for page, command in ALL])
def test_a_command_is_understood(page: str, command: str) -> None:
    name, *arguments = shlex.split(command)[1:]
    if name.startswith("-"):
        GROUP.make_context("muffakir-eval", [name], resilient_parsing=True)
        return
    found = GROUP.commands.get(name)
    assert found is not None, f"there is no command {name}"
    # A page may name a command by its options alone, and leave out what is evaluated.
    found.make_context(name, arguments, resilient_parsing=not any(word[0] != "-" for word in arguments))


def options() -> set[str]:
    known = set(OTHER_OPTIONS)
    for command in GROUP.commands.values():
        for parameter in command.params:
            known.update(parameter.opts)
            known.update(parameter.secondary_opts)
    return known


@pytest.mark.parametrize("page", PAGES)
def test_every_option_that_is_named_exists(page: str) -> None:
    spans = [span for span in codes(prose(page)) if not span.startswith(("pip ", "python", "ruff"))]
    named = {option for span in spans for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", span)}
    assert named <= options()


def test_there_are_commands() -> None:
    assert len(ALL) > 20
