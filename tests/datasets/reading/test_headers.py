"""Headers of tables."""

from __future__ import annotations

from typing import Any

import pytest

from muffakir_eval.datasets.reading.headers import Header, read_header


@pytest.mark.parametrize(
    ("cells", "columns", "repeated", "unnamed"),
    [
        (["question", "answer"], ("question", "answer"), set(), set()),
        ([" question ", "\ufeffanswer\n"], ("question", "answer"), set(), set()),
        (["a", "a", "a"], ("a", "a_2", "a_3"), {"a"}, set()),
        (["a", "a", "a_2"], ("a", "a_3", "a_2"), {"a"}, set()),
        (["a", "", None], ("a", "column_2", "column_3"), set(), {"column_2", "column_3"}),
        ([2024, 1.0, True], ("2024", "1", "True"), set(), set()),
        ([], (), set(), set()),
    ],
)
def test_every_column_gets_a_name_of_its_own(cells: Any, columns: Any, repeated: set[str], unnamed: set[str]) -> None:
    assert read_header(cells) == Header(columns, frozenset(repeated), frozenset(unnamed))
