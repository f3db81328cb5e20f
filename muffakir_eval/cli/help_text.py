"""The help of a command, with its examples as they are typed."""

from __future__ import annotations

import inspect
import re
from typing import Any

from typer.core import TyperCommand

__all__ = ["Command", "examples_in"]

_HEADING = re.compile(r"^\s*Examples?:\s*", re.MULTILINE)


def _parts(help_text: str) -> tuple[str, list[str]]:
    """What a command does, and its examples, one a line."""
    text = inspect.cleandoc(help_text)
    heading = _HEADING.search(text)
    if heading is None:
        return text, []
    lines = [line.strip() for line in text[heading.end() :].splitlines()]
    return text[: heading.start()].strip(), [line for line in lines if line]


def examples_in(help_text: str) -> list[str]:
    """The examples of a command's help.

    >>> examples_in("Write it. Examples: muffakir-eval init")
    []
    """
    return _parts(help_text)[1]


class Command(TyperCommand):
    """A command whose examples are neither wrapped nor run together."""

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - typer's signature
        """Write what the command does, and its examples."""
        text, examples = _parts(self.help or "")
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text)
        if examples:
            formatter.write_paragraph()
            formatter.write("  Examples:\n")
            formatter.write("".join(f"    {line}\n" for line in examples))
