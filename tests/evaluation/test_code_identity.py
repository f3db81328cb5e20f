"""A metric of the user's is the same one as long as it computes the same."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from muffakir_eval.evaluation.code_identity import code_identity


def longer_than(limit: int) -> Callable[[Any], bool]:
    return lambda trial: len(trial) > limit


def with_default(limit: int) -> Callable[[Any], bool]:
    def metric(trial: Any, limit: int = limit) -> bool:
        return len(trial) > limit

    return metric


def with_keyword(limit: int) -> Callable[[Any], bool]:
    def metric(trial: Any, *, limit: int = limit) -> bool:
        return len(trial) > limit

    return metric


def bound(trial: Any, limit: int) -> bool:
    return len(trial) > limit


class Longer:
    def __init__(self, limit: Any) -> None:
        self.limit = limit

    def __call__(self, trial: Any) -> bool:
        return len(trial) > int(self.limit)

    def measure(self, trial: Any) -> bool:
        return bool(len(trial) > self.limit)


class Slotted:
    __slots__ = ("limit",)

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def __call__(self, trial: Any) -> bool:
        return len(trial) > self.limit


def calls(limit: int) -> Callable[[Any], bool]:
    def one(trial: Any) -> bool:
        return len(trial) > 1

    def two(trial: Any) -> bool:
        return len(trial) > 2

    inner = one if limit == 1 else two
    return lambda trial: not inner(trial)


FACTORIES: list[Callable[[int], Any]] = [
    longer_than,
    with_default,
    with_keyword,
    Longer,
    Slotted,
    calls,
    lambda limit: functools.partial(bound, limit=limit),
    lambda limit: Longer(limit).measure,
    lambda limit: eval(f"lambda trial: len(trial) > {limit}"),
    lambda limit: eval(f"lambda trial: [x for x in trial if x > {limit}]"),
]


@pytest.mark.parametrize("make", FACTORIES)
def test_the_same_settings_are_the_same_metric_and_others_are_not(make: Callable[[int], Any]) -> None:
    assert code_identity(make(1)) == code_identity(make(1))
    assert code_identity(make(1)) != code_identity(make(2))


def test_a_function_that_closes_over_itself_or_over_nothing_yet() -> None:
    def again(trial: Any) -> int:
        return 0 if not trial else again(trial[1:])

    assert code_identity(again) == code_identity(again)

    def early(trial: Any) -> Any:
        return later

    found = code_identity(early)
    later = 1
    assert found != code_identity(early)
    assert later == 1


class Hostile(dict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError("do not look")


@pytest.mark.parametrize("function", [len, print, str.upper, Longer, Longer(Hostile()), Longer.measure])
def test_anything_that_can_be_called_has_an_identity(function: Any) -> None:
    assert code_identity(function) == code_identity(function)


def test_it_is_the_same_in_another_process() -> None:
    program = (
        "from muffakir_eval.evaluation.code_identity import code_identity\n"
        "print(code_identity(eval(\"lambda trial: trial in {'a', 'b', 'c', 'd'}\")))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(found) == 1
