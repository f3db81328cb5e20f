"""One tree of errors that say what, where, what was expected, and what to do."""

from __future__ import annotations

import inspect

import pytest

from muffakir_eval import errors
from muffakir_eval.errors import DatasetRowError, MuffakirEvalError

TREE = [value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, MuffakirEvalError)]


@pytest.mark.parametrize("error", TREE)
def test_every_error_is_exported_and_drawn_in_the_tree(error: type[MuffakirEvalError]) -> None:
    assert error.__name__ in errors.__all__
    assert error.__name__ in (errors.__doc__ or "")


def test_a_row_error_names_the_place() -> None:
    error = DatasetRowError("the list does not parse", row=7, column="chunk_id", where="q.csv", remedy="mend the cell")
    assert str(error) == "q.csv, row 7, column 'chunk_id': the list does not parse. What to do: mend the cell."
    assert (error.row, error.column) == (7, "chunk_id")


def test_users_can_catch_what_they_expect() -> None:
    assert issubclass(errors.MetricError, ValueError)
    assert issubclass(errors.DatasetNotFoundError, FileNotFoundError)
    assert issubclass(errors.MissingExtraError, ImportError)
