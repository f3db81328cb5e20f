"""Every command and every option explains itself, and the examples can be typed as they stand."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from muffakir_eval.cli import app
from muffakir_eval.cli.help_text import examples_in

GROUP: Any = typer.main.get_command(app)
COMMANDS: dict[str, Any] = dict(GROUP.commands)
OPTIONS = [(name, parameter) for name, command in COMMANDS.items() for parameter in command.params]
EXAMPLES = [(name, line) for name, command in COMMANDS.items() for line in examples_in(command.help or "")]


def bare(example: str) -> list[str]:
    """An example as it is typed; what stands in brackets behind it is a remark."""
    return shlex.split(re.sub(r"\s{2,}\(.*\)$", "", example))


def test_the_commands_that_are_promised_are_there() -> None:
    promised = {"run", "judges", "compare", "gate", "validate", "calibrate", "report", "init"}
    assert promised <= set(COMMANDS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_command_says_what_it_does_and_has_an_example_that_is_not_wrapped(name: str) -> None:
    shown = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "80"})
    assert shown.exit_code == 0
    assert len((COMMANDS[name].help or "").splitlines()[0]) > 20
    examples = [line for command, line in EXAMPLES if command == name]
    assert examples
    assert all(f"    {line}\n" in shown.stdout for line in examples)


@pytest.mark.parametrize(("name", "parameter"), OPTIONS, ids=[f"{name} {one.name}" for name, one in OPTIONS])
def test_an_option_has_a_help_that_ends_in_a_full_stop(name: str, parameter: Any) -> None:
    told = parameter.help or ""
    assert len(told) > 5
    assert told.rstrip().endswith((".", "]."))


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[line for _, line in EXAMPLES])
def test_an_example_parses(name: str, example: str) -> None:
    program, command, *arguments = bare(example)
    assert (program, command) == ("muffakir-eval", name)
    COMMANDS[name].make_context(name, arguments)


def test_the_version_is_shown() -> None:
    assert re.fullmatch(r"muffakir-eval \d+\.\d+\S*\n", CliRunner().invoke(app, ["--version"]).stdout)


@pytest.mark.parametrize("wanted", ["--install-completion", "--show-completion"])
def test_a_shell_can_be_taught_to_complete(wanted: str) -> None:
    assert wanted in CliRunner().invoke(app, ["--help"]).stdout


@pytest.mark.parametrize(
    ("typed", "completed"), [("muffakir-eval re", "report"), ("muffakir-eval run --retr", "--retriever")]
)
def test_commands_and_options_are_completed(typed: str, completed: str) -> None:
    environment = {
        **os.environ,
        "_MUFFAKIR_EVAL_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    program = "import sys; sys.argv = ['muffakir-eval']; from muffakir_eval.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert completed in done.stdout.split()


@pytest.mark.parametrize(
    ("name", "spellings"),
    [
        ("run", ("--confidence", "--confidence-level")),
        ("compare", ("--confidence", "--confidence-level")),
        ("gate", ("--confidence", "--confidence-level")),
        ("calibrate", ("--confidence", "--confidence-level")),
        ("compare", ("--save", "--output-dir")),
        ("report", ("--output", "--output-dir")),
    ],
)
def test_what_is_one_thing_may_be_called_as_in_the_other_commands(name: str, spellings: tuple[str, str]) -> None:
    assert any(set(spellings) <= set(parameter.opts) for parameter in COMMANDS[name].params)


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - {"audit"}))
def test_the_first_line_of_help_has_each_bracket_once(name: str) -> None:
    usage = CliRunner().invoke(app, [name, "--help"]).stdout.split("\n\n", 1)[0]
    assert "[[" not in usage


@pytest.mark.parametrize(("typed", "meant"), [("reprot", "report"), ("initt", "init"), ("judge", "judges")])
def test_a_command_that_is_misspelt_is_suggested(typed: str, meant: str) -> None:
    done = CliRunner().invoke(app, [typed])
    assert (done.exit_code, f"Did you mean '{meant}'" in done.stderr) == (2, True)
