"""What samples are grouped by, whatever stands in the column."""

from __future__ import annotations

from typing import Any

import pytest

from muffakir_eval import Sample
from muffakir_eval.errors import ConfigError
from muffakir_eval.tally.groups import Groups, group_column, group_value


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("مصرية", "مصرية"),
        (" مصرية\n", "مصرية"),
        (3, "3"),
        (3.0, "3"),
        (3.5, "3.5"),
        (True, "true"),
        (["أ", "ب"], "أ, ب"),
        (["أ", None, ""], "أ"),
        ({"ب": 1, "أ": [2]}, '{"أ": [2], "ب": 1}'),
        (None, None),
        ("", None),
        ("  ", None),
        ([], None),
        (float("nan"), None),
        (0, "0"),
        (-0.0, "0"),
        (float("inf"), "inf"),
    ],
)
def test_what_a_cell_says(cell: Any, value: str | None) -> None:
    assert group_value(Sample(sample_id="1", question="س", metadata={"topic": cell}), "topic") == value


def test_groups_are_told_by_their_values_the_largest_first() -> None:
    groups = Groups()
    for value in ("b", None, "a", "a", None, None, "c"):
        groups.add(value)
    assert list(groups.members()) == [(None, [1, 4, 5]), ("a", [2, 3]), ("b", [0]), ("c", [6])]
    labels = groups.labels()
    assert labels[2] == labels[3]
    assert len({labels[place] for place in (1, 4, 5)}) == 3  # nothing belongs to nothing


def test_a_column_by_its_name_or_by_the_field_that_was_read_from_it() -> None:
    samples = [Sample(sample_id="1", question="؟", source_file="أ.pdf", metadata={"باب": "العمل"})]
    named = [group_column(name, samples, {"source_file": "المستند"}, where="slice_by") for name in ("باب", "المستند")]
    assert named == ["باب", "source_file"]


def test_a_column_that_nothing_stands_in() -> None:
    samples = [Sample(sample_id="1", question="؟", metadata={"dialect": "مصرية", "empty": ""})]
    with pytest.raises(ConfigError, match="no question has anything in the column 'dialekt'") as caught:
        group_column("dialekt", samples, {}, where="slice_by")
    assert (caught.value.where, caught.value.remedy) == ("slice_by", "did you mean 'dialect'?")
    with pytest.raises(ConfigError, match="check the name"):
        group_column("empty", [samples[0]], {}, where="slice_by")
