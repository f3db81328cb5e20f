from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from muffakir_eval.lm_retrieval.conditions import Condition, examine, leaves
from muffakir_eval.records import Score
from tests.lm_retrieval.cases import failed, measured, missing, rule, scores

READ: TypeAdapter[Any] = TypeAdapter(Condition)
GOOD, LOW = rule(">=", 0.5), rule("<", 0.5)
RANKED = rule(">=", 0.5, "contextual_precision")


@pytest.mark.parametrize(
    ("op", "below", "equal", "above"),
    [
        (">=", False, True, True),
        (">", False, False, True),
        ("<=", True, True, False),
        ("<", True, False, False),
        ("==", False, True, False),
        ("!=", True, False, True),
        (" ≥ ", False, True, True),
        ("≤", True, True, False),
        ("≠", True, False, True),
        ("=", False, True, False),
    ],
)
def test_comparisons(op: str, below: bool, equal: bool, above: bool) -> None:
    condition = READ.validate_python(rule(op, 0.5))
    assert [condition.holds(value) for value in (0.4, 0.5, 0.6)] == [below, equal, above]


def test_values_are_compared_unrounded() -> None:
    assert not READ.validate_python(rule(">=", 0.8)).holds(0.7999999999)
    assert READ.validate_python(rule(">=", 1)).holds(1.0)


@pytest.mark.parametrize(
    "name", ["contextual_recall", "deepeval_contextual_recall", " Contextual Recall", "CONTEXTUAL-RECALL"]
)
def test_both_names_of_a_metric_are_understood(name: str) -> None:
    assert READ.validate_python(rule(">", 0.1, name)).metric == "contextual_recall"


@pytest.mark.parametrize("value", [True, "0.5", None, math.nan, math.inf, -math.inf, [0.5]])
def test_a_threshold_is_a_finite_number(value: Any) -> None:
    with pytest.raises(ValidationError):
        READ.validate_python({"metric": "m", "op": ">", "value": value})


@pytest.mark.parametrize(
    "condition",
    [
        {},
        [],
        3,
        None,
        {"and": []},
        {"or": []},
        {"not": []},
        {"not": {}},
        {"and": GOOD},
        {"and": [GOOD], "or": [GOOD]},
        {"metric": "m", "op": "~", "value": 1},
        {"metric": "m", "op": ">", "value": 1, "reason": "no_chunks"},
        {"metric": "", "op": ">", "value": 1},
        {"metric": "m", "op": ">"},
        {"metric": "m", "reason": ""},
    ],
)
def test_what_is_no_condition(condition: Any) -> None:
    with pytest.raises(ValidationError):
        READ.validate_python(condition)


def test_a_condition_is_data_there_and_back() -> None:
    written = {"and": [GOOD, {"not": {"or": [LOW, {"metric": "contextual_recall", "reason": "no_chunks"}]}}]}
    condition = READ.validate_python(written)
    assert condition == READ.validate_python(condition.model_dump(by_alias=True, mode="json"))
    assert READ.validate_python(condition) == condition
    assert [leaf.metric for leaf in leaves(condition)] == ["contextual_recall"] * 3


def holds(condition: Any, *found: Score) -> bool | None:
    return examine(READ.validate_python(condition), scores(*found)).holds


def may_hold(condition: Any, *found: Score) -> bool:
    return examine(READ.validate_python(condition), scores(*found)).may_hold


def test_a_missing_value_is_neither_low_nor_high() -> None:
    for condition in (GOOD, LOW, {"not": GOOD}, {"not": LOW}):
        assert holds(condition, failed()) is None
        assert holds(condition, missing()) is None
        assert may_hold(condition, failed())
        assert not may_hold(condition, missing())


def test_what_does_not_depend_on_the_missing_value_is_decided() -> None:
    high, low = measured(0.9, "contextual_precision"), measured(0.1, "contextual_precision")
    for lacking in (failed(), missing()):
        assert holds({"or": [GOOD, RANKED]}, lacking, high) is True
        assert holds({"or": [GOOD, RANKED]}, lacking, low) is None
        assert holds({"and": [GOOD, RANKED]}, lacking, low) is False
        assert holds({"and": [GOOD, RANKED]}, lacking, high) is None


def test_only_what_matters_leaves_a_condition_open() -> None:
    condition = READ.validate_python({"or": [{"and": [rule(">", 0.5, "a"), rule(">", 0.5, "b")]}, rule(">", 0.5, "c")]})
    found = examine(condition, scores(measured(0.1, "a"), failed(name="b"), failed(name="c")))
    assert [score.name for score in found.open_for] == ["c"]


def test_a_failure_that_what_does_not_apply_has_overtaken() -> None:
    both = {"and": [GOOD, RANKED]}
    assert not may_hold(both, missing(), failed(name="contextual_precision"))
    assert may_hold({"not": both}, missing(), failed(name="contextual_precision"))
    assert may_hold({"or": [GOOD, RANKED]}, missing(), failed(name="contextual_precision"))


def test_a_reason_can_be_asked_for() -> None:
    empty = {"metric": "contextual_recall", "reason": "no_chunks"}
    assert holds(empty, missing("no_chunks")) is True
    assert holds(empty, missing("no_gold_answer")) is False
    assert holds(empty, measured(0.0)) is False
    assert holds(empty, failed()) is None


NAMES = ("a", "b", "c")
SINGLE = st.builds(
    rule, st.sampled_from([">=", "<", "==", "!="]), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from(NAMES)
)
TREES = st.recursive(
    SINGLE,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"and": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"or": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"not": inner}),
    ),
    max_leaves=6,
)
VALUES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


def plainly(condition: Any, values: dict[str, float]) -> bool:
    """The condition in Python's own words."""
    if "and" in condition:
        return all(plainly(each, values) for each in condition["and"])
    if "or" in condition:
        return any(plainly(each, values) for each in condition["or"])
    if "not" in condition:
        return not plainly(condition["not"], values)
    value, threshold = values[condition["metric"]], float(condition["value"])
    found = {">=": value >= threshold, "<": value < threshold, "==": value == threshold, "!=": value != threshold}
    return found[condition["op"]]


@given(TREES, st.fixed_dictionaries(dict.fromkeys(NAMES, VALUES)))
def test_with_all_values_it_is_plain_logic(condition: Any, values: dict[str, float]) -> None:
    assert holds(condition, *(measured(value, name) for name, value in values.items())) is plainly(condition, values)


@given(TREES, st.fixed_dictionaries(dict.fromkeys(NAMES, st.none() | VALUES)))
def test_what_is_said_without_some_values_is_so_whatever_they_are(
    condition: Any, values: dict[str, float | None]
) -> None:
    given_scores = [failed(name=name) if value is None else measured(value, name) for name, value in values.items()]
    found = holds(condition, *given_scores)
    choices = [[0.0, 0.25, 0.5, 0.75, 1.0] if value is None else [value] for value in map(values.get, NAMES)]
    possible = {plainly(condition, dict(zip(NAMES, each, strict=True))) for each in itertools.product(*choices)}
    assert found is None or possible == {found}
