"""Every block of every page does what the page says."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
import yaml

from muffakir_eval.config import EvaluationConfig
from tests.docs.pages import PAGES, Block, blocks
from tests.docs.running import Reader

RUN = {"python", "console"}
MARKS = {"python": {"raises", "pytest"}, "text": {"output", "error"}, "toml": {"other"}}
NEEDED = {"distributed", "ragas", "langchain_core", "llama_index", "haystack"}


@pytest.mark.parametrize("page", [page for page in PAGES if any(block.language in RUN for block in blocks(page))])
def test_a_page_can_be_followed(page: str, reader: Reader) -> None:
    for block in blocks(page):
        if page == "README.md":  # each of its blocks is copied by itself
            reader.names = {"__name__": "__main__"}
        reader.read(block)


def every_block(*languages: str) -> list[Any]:
    return [
        pytest.param(block, id=block.name) for page in PAGES for block in blocks(page) if block.language in languages
    ]


@pytest.mark.parametrize("block", every_block("toml"))
def test_settings_are_valid(block: Block) -> None:
    values = tomllib.loads(block.text)
    if "other" not in block.marks:
        EvaluationConfig.from_mapping(values)


@pytest.mark.parametrize("block", every_block("json", "jsonl", "yaml"))
def test_data_can_be_read(block: Block) -> None:
    if block.language == "jsonl":
        assert all(isinstance(json.loads(line), dict) for line in block.text.splitlines())
    else:
        assert (json.loads if block.language == "json" else yaml.safe_load)(block.text) is not None


@pytest.mark.parametrize("block", every_block("python", "text", "toml"))
def test_a_block_says_nothing_that_is_not_understood(block: Block) -> None:
    marks = {mark for mark in block.marks if "=" not in mark}
    assert marks <= MARKS[block.language]
    assert set((block.option("needs") or "ragas").split(",")) <= NEEDED


def test_outputs_follow_what_prints_them() -> None:
    for page in PAGES:
        found = blocks(page)
        for before, block in zip([None, *found], found, strict=False):
            if block.language == "text" and block.marks:
                assert before is not None and before.language in RUN, block.name
