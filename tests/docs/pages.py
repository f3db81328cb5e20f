"""The pages of the documentation, and the blocks of code in them.

What may stand behind the three backquotes that open a block:

==================  ===============================================================================================
``python``          is run, in the order of the page, with the names of the blocks before it
``python raises``   must end in an error, whose message the next ``text error`` block shows
``python needs=x``  is run where the library x is installed, and by itself
``… file=name``     is not run but written into the folder in which the page runs
``console``         lines after ``$`` are run; they end with code 0, or with that of ``exit=1``
``sh``              its commands must exist with all their options; it is not run
``text output``     is what the block before it printed; ``…`` stands for anything
``toml``            must be valid settings of a run, unless it says ``other``
==================  ===============================================================================================

A block inside an HTML comment is hidden from readers, and run like any other: it makes the files that a page speaks of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PAGES", "ROOT", "Block", "anchors", "blocks", "codes", "content", "prose", "table", "title"]

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    str(path.relative_to(ROOT)): path
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "examples" / "README.md")
}
"""Every page, by its path."""

_BLOCK = re.compile(r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=indent)```[ ]*$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#{1,6} +(.*?)\s*#*$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        page: Path of its page.
        line: Of the page, where its code begins.
        language: First word behind the backquotes.
        marks: The further words.
        text: What stands in it.
    """

    page: str
    line: int
    language: str
    marks: tuple[str, ...]
    text: str

    @property
    def name(self) -> str:
        """Where it stands, for people."""
        return f"{self.page}:{self.line}"

    def option(self, key: str) -> str | None:
        """The value of the mark ``key=value``."""
        return next((mark.partition("=")[2] for mark in self.marks if mark.startswith(f"{key}=")), None)


def blocks(page: str) -> list[Block]:
    """The blocks of a page, in order."""
    return list(_found(page, content(page)))


def content(page: str) -> str:
    """All of a page."""
    return PAGES[page].read_text(encoding="utf-8")


def codes(text: str) -> list[str]:
    """What stands between single backquotes."""
    return re.findall(r"`([^`\n]+)`", text)


def table(page: str, heading: str, head: str = "") -> list[list[str]]:
    """The rows, without its head, of the first table under ``heading`` whose head begins with ``head``."""
    below = re.split(rf"^#+ {re.escape(heading)}\n", content(page), flags=re.MULTILINE)[1]
    found = re.search(rf"^\| *{re.escape(head)}.*\n\|-.*\n((?:^\|.*\n)+)", below, flags=re.MULTILINE)
    assert found is not None, f"{page}: no such table under {heading}"
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in found[1].splitlines()]


def _found(page: str, text_of_page: str) -> Iterator[Block]:
    for match in _BLOCK.finditer(text_of_page):
        words = match["info"].split() or [""]
        text = re.sub(rf"^{match['indent']}", "", match["text"], flags=re.MULTILINE)
        line = text_of_page.count("\n", 0, match.start("text")) + 1
        yield Block(page, line, words[0], tuple(words[1:]), text)


def prose(page: str) -> str:
    """A page without its blocks and comments."""
    return re.sub(r"<!--.*?-->", "", _BLOCK.sub("", content(page)), flags=re.DOTALL)


def title(page: str) -> str:
    """The heading of a page."""
    found = _HEADING.search(prose(page))
    return found[1] if found else ""


def anchors(page: str) -> set[str]:
    """The anchors that a page offers, as GitHub makes them from headings."""
    found: dict[str, int] = {}
    names = set()
    for heading in _HEADING.findall(prose(page)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        count = found.get(slug, 0)
        found[slug] = count + 1
        names.add(f"{slug}-{count}" if count else slug)
    return names
