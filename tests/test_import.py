"""Importing the package is cheap and does nothing; the public names are there."""

from __future__ import annotations

import subprocess
import sys

import pytest

import muffakir_eval

HEAVY = ("pandas", "numpy", "scipy", "openpyxl", "openai", "anthropic", "pydantic", "rich", "typer", "bm25s", "asyncio")


def loaded_after(statement: str) -> set[str]:
    program = f"{statement}; import sys; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, encoding="utf-8")
    return set(done.stdout.split())


def test_importing_loads_neither_pandas_nor_an_sdk() -> None:
    assert not loaded_after("import muffakir_eval").intersection(HEAVY)


def test_an_evaluation_without_a_frame_needs_no_pandas_and_no_sdk() -> None:
    statement = (
        "from muffakir_eval import MuffakirEvaluation;"
        "MuffakirEvaluation({'progress': False, 'metrics': ['recall']})"
        ".evaluate(lambda question: ['نص'], [{'question': 'س', 'context': 'نص'}])"
    )
    assert not loaded_after(statement).intersection({"pandas", "openpyxl", "openai", "anthropic", "scipy", "bm25s"})


@pytest.mark.parametrize("name", muffakir_eval.__all__)
def test_every_public_name_resolves(name: str) -> None:
    assert getattr(muffakir_eval, name) is not None
    assert name in dir(muffakir_eval)


def test_the_two_lists_of_public_names_agree() -> None:
    assert sorted(muffakir_eval.__all__) == sorted([*muffakir_eval._HOME, "__version__"])


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        muffakir_eval.no_such_name  # noqa: B018
