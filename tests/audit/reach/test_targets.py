"""What is looked for."""

from __future__ import annotations

import pytest

from muffakir_eval.audit.reach.targets import Alternative, Targets, loose_id
from muffakir_eval.records import Sample


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("007", "7", True),
        ("A-07", "a-7", True),
        (" 7 ", "7", True),
        ("7.0", "7", True),
        ("７", "7", True),
        ("٧", "7", True),
        ("doc 1", "doc1", True),
        ("0", "00", True),
        ("1.05", "1.5", False),
        ("10", "1", False),
        ("a-b", "ab", False),
    ],
)
def test_loose_ids(one: str, other: str, same: bool) -> None:
    assert (loose_id(one) == loose_id(other)) is same


def test_targets() -> None:
    samples = [
        Sample(sample_id="1", question="؟", contexts=("أ", "ب"), chunk_ids=("1", "2.0"), source_file="x/A.pdf"),
        Sample(sample_id="2", question="؟", contexts=(" أ ", ""), chunk_ids=("1", ""), source_file="a.pdf"),
        Sample(sample_id="3", question="؟", contexts=("أ", "ج"), groups=((0, 1),)),
        Sample(sample_id="4", question="؟"),
    ]
    found = Targets(samples)
    assert found.texts == ["أ", "ب", "ج"]
    assert found.targets == [
        (Alternative("1", "a.pdf", 0),),
        (Alternative("2", "a.pdf", 1),),
        (Alternative(None, None, 0), Alternative(None, None, 2)),
    ]
    assert found.golds == [(0, 0, 0), (0, 1, 1), (1, 0, 0), (2, 0, 2)]
    assert found.by_text == [[(0, 0), (2, 0)], [(1, 0)], [(2, 1)]]
    assert found.by_id == found.by_loose_id == {"1": [(0, 0)], "2": [(1, 0)]}
