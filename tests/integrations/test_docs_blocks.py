"""Blocks of the pages that need a library which is no dependency: run where it is installed."""

from __future__ import annotations

import contextlib
import io
import warnings

import pytest

from tests.docs.pages import PAGES, Block, blocks

NEEDING = [block for page in PAGES for block in blocks(page) if block.option("needs")]


@pytest.mark.parametrize("block", NEEDING, ids=[block.name for block in NEEDING])
def test_a_block_that_needs_a_library_runs_by_itself(block: Block) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the library itself
        for library in (block.option("needs") or "").split(","):
            pytest.importorskip(library)
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile("\n" * (block.line - 1) + block.text, block.page, "exec"), {"__name__": "__main__"})


def test_there_are_such_blocks() -> None:
    assert NEEDING
