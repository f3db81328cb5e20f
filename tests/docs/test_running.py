"""The reader of pages notices what is wrong with one."""

from __future__ import annotations

import pytest

from tests.docs.pages import Block, anchors, blocks
from tests.docs.running import Reader, matches


def block(language: str, text: str, *marks: str) -> Block:
    return Block("docs/index.md", 1, language, marks, text)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a", "a\n", True),
        ("a", "ab", False),
        ("a…d", "abcd", True),
        ("a\n…\nd", "a\nb\nc\nd  \n", True),
        ("a\n…\nd", "a\nb\ne", False),
        ("1.5", "115", False),
        ("…", "", True),
    ],
)
def test_what_a_page_shows_is_what_is_printed(shown: str, printed: str, same: bool) -> None:
    assert matches(shown, printed) is same


def test_names_live_on_from_block_to_block(reader: Reader) -> None:
    reader.read(block("python", "x = 2"))
    reader.read(block("python", "print(x + 1)"))
    reader.read(block("text", "3", "output"))
    with pytest.raises(AssertionError, match="it printed"):
        reader.read(block("text", "4", "output"))


def test_an_error_of_a_block_is_one_of_the_page(reader: Reader) -> None:
    with pytest.raises(NameError):
        reader.read(block("python", "nothing"))
    reader.read(block("python", "raise ValueError('the cell is empty')", "raises"))
    reader.read(block("text", "the … is empty", "error"))
    with pytest.raises(AssertionError, match="the message is"):
        reader.read(block("text", "the cell is full", "error"))
    with pytest.raises(AssertionError, match="nothing was raised"):
        reader.read(block("python", "x = 1", "raises"))


def test_prompts_are_compared_line_by_line(reader: Reader) -> None:
    reader.read(block("python", ">>> 1 + 1\n2\n"))
    with pytest.raises(AssertionError, match="Expected"):
        reader.read(block("python", ">>> 1 + 1\n3\n"))


def test_a_command_ends_as_the_page_says(reader: Reader) -> None:
    reader.read(block("console", "$ muffakir-eval --version\nmuffakir-eval …\n"))
    reader.read(block("console", "$ muffakir-eval validate nothing.csv\n", "exit=2"))
    with pytest.raises(AssertionError, match="ended with 2"):
        reader.read(block("console", "$ muffakir-eval validate nothing.csv\n"))
    with pytest.raises(AssertionError, match="printed"):
        reader.read(block("console", "$ muffakir-eval --version\nanother-program\n"))
    with pytest.raises(AssertionError, match="no command that pages may run"):
        reader.read(block("console", "$ rm nothing\n"))


def test_a_file_is_written_and_can_be_imported(reader: Reader) -> None:
    reader.read(block("python", "value = 7\n", "file=of_a_page.py"))
    reader.read(block("python", "from of_a_page import value\nprint(value)"))
    assert reader.printed == "7\n"


def test_hidden_blocks_are_read_and_headings_become_anchors() -> None:
    hidden = [each for each in blocks("docs/troubleshooting.md") if "raises" in each.marks]
    shown = [each for each in blocks("docs/troubleshooting.md") if "error" in each.marks]
    assert len(hidden) == len(shown) >= 25
    assert {"figures-that-surprise", "the-run-folder"} <= anchors("docs/troubleshooting.md")
