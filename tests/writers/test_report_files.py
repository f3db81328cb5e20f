"""Formats by name."""

from __future__ import annotations

import pytest

from muffakir_eval.errors import ConfigError
from muffakir_eval.writers.report_files import FORMATS, format_names


def test_formats_are_known_by_several_names_and_come_once() -> None:
    assert format_names([".HTML", "markdown", "excel", "md", "json", "csv"]) == ["html", "md", "xlsx", "jsonl", "csv"]
    assert set(format_names(FORMATS)) == set(FORMATS)


def test_an_unknown_format_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"no format 'pdf'.*html, xlsx, md, jsonl, csv"):
        format_names(["pdf"])
