"""The gold side of a row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from muffakir_eval.datasets.cells.golds import (
    GoldIds,
    Golds,
    answer_texts,
    assemble,
    check_sample,
    gold_ids,
    grade_numbers,
    source_names,
)
from muffakir_eval.datasets.cells.passages import Passage
from muffakir_eval.datasets.cells.text import CellError
from muffakir_eval.records import Sample

TRUTH = ("true", "false")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([["a", "b"]], GoldIds(("a", "b"))),
        (["a", "b"], GoldIds(("a", "b"))),
        ([7.0, "007"], GoldIds(("7", "007"))),
        ([[["a", "b"], ["c"]]], GoldIds(("a", "b", "c"), ((0, 1), (2,)))),
        ([{"a": 3, 2: "0"}], GoldIds(("a", "2"), (), (3.0, 0.0))),
        (['{"a": 3, "b": 1.5}'], GoldIds(("a", "b"), (), (3.0, 1.5))),
        ([[None, ""]], GoldIds()),
        ([{}], GoldIds()),
        ([], GoldIds()),
        ([np.array([1, 2])], GoldIds(("1", "2"))),
    ],
)
def test_gold_ids(values: list[Any], expected: GoldIds) -> None:
    assert gold_ids(values) == expected


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([["a", None]], "identifier 2 of 2 is None"),
        ([["a", b"x"]], "identifier 2 of 2 is b'x'"),
        ([[{"a": 1}, "b"]], "identifier 1 of 2 is {'a': 1}"),
        ([[["a", ["b"]]]], r"identifier 2 of 2 is \['b'\]"),
        ([{"a": "high"}], "the cell says 'high'"),
        ([{"a": None}], "'a' has the grade None"),
        ([{"": 1}], "'' has the grade 1"),
        ([{"a": 1}, "b"], "an object of grades stands beside other identifiers"),
    ],
)
def test_gold_ids_that_are_none(values: list[Any], message: str) -> None:
    with pytest.raises(CellError, match=message):
        gold_ids(values)


@pytest.mark.parametrize(
    ("value", "expected"),
    [("[3, 1]", (3.0, 1.0)), ([3, 0.5], (3.0, 0.5)), ("2", (2.0,)), (1, (1.0,)), (None, ()), ("", ())],
)
def test_grades(value: Any, expected: tuple[float, ...]) -> None:
    assert grade_numbers(value) == expected


@pytest.mark.parametrize(
    ("value", "message"),
    [("[3, x]", "does not parse"), ([1, None], "grade 2 of 2 is empty"), ("high", "'high'"), ([True], "True")],
)
def test_grades_that_are_none(value: Any, message: str) -> None:
    with pytest.raises(CellError, match=message):
        grade_numbers(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a.pdf", ["a.pdf"]),
        ("[مسودة].pdf", ["[مسودة].pdf"]),
        ("[2024]", ["[2024]"]),
        ('["a.pdf", "b.pdf"]', ["a.pdf", "b.pdf"]),
        (["a.pdf", None], ["a.pdf", ""]),
        ([None, ""], []),
        ("", []),
        (None, []),
        (7, ["7"]),
    ],
)
def test_sources(value: Any, expected: list[str]) -> None:
    assert source_names(value) == expected


@pytest.mark.parametrize(
    ("values", "plural", "expected"),
    [
        (["الرياض"], False, ("الرياض",)),
        (["الرياض", "مدينة الرياض"], False, ("الرياض", "مدينة الرياض")),
        ([["الرياض", "الرياض", "جدة"]], False, ("الرياض", "جدة")),
        (['["الرياض", "جدة"]'], False, ("الرياض", "جدة")),
        (["['الرياض', 'جدة']"], False, ("الرياض", "جدة")),
        (["David Seville/Ross Bagdasarian"], False, ("David Seville/Ross Bagdasarian",)),
        (["[5]"], False, ("[5]",)),
        (["[5]"], True, ("5",)),
        (["[1968, 1969]"], True, ("1968", "1969")),
        (["[غير مذكور في النص]"], True, ("[غير مذكور في النص]",)),
        ([{"text": ["أ", "ب"], "answer_start": [0, 3]}], False, ("أ", "ب")),
        ([{"text": "أ"}], False, ("أ",)),
        (['{"text": ["أ"], "answer_start": [3]}'], False, ("أ",)),
        ([[{"text": "أ", "answer_start": 1}, {"text": "ب"}]], False, ("أ", "ب")),
        ([["", None]], False, ()),
        ([True], False, ("true",)),
        ([7.5], False, ("7.5",)),
        ([], False, ()),
        (["{نص}"], False, ("{نص}",)),
    ],
)
def test_answers(values: list[Any], plural: bool, expected: tuple[str, ...]) -> None:
    assert answer_texts(values, TRUTH, plural=plural) == expected


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"value": "x"}, "the answer is an object"),
        ([["a", "b"]], "the cell holds a list"),
        ("['a' 'b']", "does not parse"),
        ("{'text': array(['a'], dtype=object), 'answer_start': array([1])}", "the answer is an object"),
    ],
)
def test_answers_that_are_none(value: Any, message: str) -> None:
    with pytest.raises(CellError, match=message):
        answer_texts([value], TRUTH, plural=False)


def passages(*items: Any) -> list[Passage]:
    return [Passage(*item) if isinstance(item, tuple) else Passage(item) for item in items]


def test_passages_and_identifiers_pair_by_position() -> None:
    assert assemble(passages("أ", "ب"), (), GoldIds(("1", "2")), (), ["a.pdf"]) == Golds(
        ("أ", "ب"), ("1", "2"), (), (), "a.pdf", ()
    )


def test_one_side_may_be_empty() -> None:
    assert assemble([], (), GoldIds(("1", "2")), (), []).chunk_ids == ("1", "2")
    assert assemble(passages("أ", "ب"), (), GoldIds(), (), []).contexts == ("أ", "ب")


@pytest.mark.parametrize(
    ("left", "ids", "groups", "expected"),
    [
        (((0, 1), (2,)), GoldIds(("a", "b", "c")), (), ((0, 1), (2,))),
        ((), GoldIds(("a", "b", "c"), ((0, 1), (2,))), (), ((0, 1), (2,))),
        (((0, 1), (2,)), GoldIds(("a", "b", "c"), ((0, 1), (2,))), (), ((0, 1), (2,))),
    ],
)
def test_groups_of_either_side_hold_for_both(left: Any, ids: GoldIds, groups: Any, expected: Any) -> None:
    assert assemble(passages("أ", "ب", "ج"), left, ids, groups, []).groups == expected


def test_identifiers_that_the_passages_carry() -> None:
    golds = assemble(passages(("أ", "1", "a.pdf"), ("ب", "2", "b.pdf")), (), GoldIds(), (), [])
    assert (golds.chunk_ids, golds.source_file, golds.gold_sources) == (("1", "2"), None, ("a.pdf", "b.pdf"))


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        (["a.pdf"], ("a.pdf", ())),
        (["a.pdf", "a.pdf"], ("a.pdf", ())),
        (["a.pdf", "b.pdf"], (None, ("a.pdf", "b.pdf"))),
        ([], (None, ())),
        ([""], (None, ())),
    ],
)
def test_one_source_or_one_per_gold(sources: list[str], expected: Any) -> None:
    golds = assemble(passages("أ", "ب"), (), GoldIds(), (), sources)
    assert (golds.source_file, golds.gold_sources) == expected


def test_sources_without_golds_are_kept() -> None:
    assert assemble([], (), GoldIds(), (), ["a", "b"]).gold_sources == ("a", "b")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((passages("أ", "ب"), (), GoldIds(("1",)), (), []), "2 gold passages and 1 gold identifier$"),
        ((passages(("أ", "1"), "ب"), (), GoldIds(), (), []), "passage 2 of 2 carries no identifier"),
        ((passages(("أ", "1")), (), GoldIds(("2",)), (), []), "the passages carry the identifiers"),
        ((passages("أ", "ب"), ((0, 1),), GoldIds(("1", "2", "3"), ((0, 1), (2,))), (), []), "2 gold passages and 3"),
        (
            (passages("أ", "ب", "ج"), ((0, 1), (2,)), GoldIds(("1", "2", "3"), ((0,), (1, 2))), (), []),
            "grouped differently",
        ),
        ((passages("أ", "ب"), (), GoldIds(), (1.0,), []), "1 grade for 2 golds"),
        ((passages("أ", "ب", "ج"), ((0, 1), (2,)), GoldIds(), (1.0, 1.0, 1.0), []), "3 grades for 2 golds"),
        (([], (), GoldIds(("1",), (), (2.0,)), (1.0,), []), "grades stand in two columns"),
        ((passages("أ", "ب"), (), GoldIds(), (), ["a", "b", "c"]), "3 sources for 2 golds"),
    ],
)
def test_counts_that_do_not_fit(arguments: Any, message: str) -> None:
    with pytest.raises(CellError, match=message):
        assemble(*arguments)


def test_one_grade_per_group() -> None:
    golds = assemble(passages("أ", "ب", "ج"), ((0, 1), (2,)), GoldIds(), (3.0, 1.0), [])
    assert golds.grades == (3.0, 1.0)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"contexts": ("a", "b"), "chunk_ids": ("1",)}, "2 gold passages and 1 gold identifier"),
        ({"contexts": ("a",), "grades": (1.0, 2.0)}, "2 grades for 1 golds"),
        ({"contexts": ("a", "b"), "groups": ((0,),)}, "the groups are"),
        ({"contexts": ("a", "b"), "gold_sources": ("x",)}, "1 source for 2 golds"),
        ({"question": " "}, "the question is missing"),
    ],
)
def test_samples_that_users_build_are_checked(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(CellError, match=message):
        check_sample(Sample(**{"sample_id": "1", "question": "س", **fields}))


def test_a_good_sample_is_itself() -> None:
    sample = Sample(sample_id="1", question="س", contexts=("a", "b", "c"), groups=((0, 2), (1,)), grades=(1.0, 2.0))
    assert check_sample(sample) is sample


def test_something_else_among_samples() -> None:
    with pytest.raises(CellError, match=r"the item is {'question': 'س'}"):
        check_sample({"question": "س"})
