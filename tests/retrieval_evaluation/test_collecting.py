"""The garbage collector is as it was, whatever happens inside."""

from __future__ import annotations

import gc

import pytest

from muffakir_eval import evaluate_retrieval
from muffakir_eval.retrieval_evaluation.collecting import collecting_later


def test_it_is_on_again_after_an_error() -> None:
    with pytest.raises(KeyError), collecting_later():
        assert not gc.isenabled()
        raise KeyError
    assert gc.isenabled()


def test_who_had_turned_it_off_keeps_it_off() -> None:
    gc.disable()
    try:
        with collecting_later():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_an_evaluation_leaves_it_on() -> None:
    evaluate_retrieval({"q": ["d"]}, {"q": {"d": 1}})
    assert gc.isenabled()
