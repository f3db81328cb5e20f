"""Which column is what."""

from __future__ import annotations

import pytest

from muffakir_eval.calibration.columns import NAMES, label_columns, pair_columns
from muffakir_eval.datasets.columns.aliases import fold_name
from muffakir_eval.errors import ConfigError, DatasetColumnError


@pytest.mark.parametrize(
    "columns",
    [
        ("gold", "chunk", "label"),
        ("context", "retrieved", "relevant"),
        ("Gold Context", "Retrieved-Chunk", "IS_RELEVANT"),
        ("المرجع", "المقطع", "الصلة"),
        ("المَرجِع", "المقطع المسترجع", "ذو صلة"),
        ("السياق", "النص", "الحكم"),
        ("reference", "passage", "match"),
    ],
)
def test_known_names(columns: tuple[str, str, str]) -> None:
    found = pair_columns(["id", *columns, "note"], None, where="p.csv")
    assert found == {"gold": (columns[0],), "chunk": (columns[1],), "label": (columns[2],)}
    assert label_columns(["id", *columns], None) == [columns[2]]


def test_the_plainer_name_gives_way() -> None:
    found = pair_columns(["context", "gold_passage", "text", "chunk", "match", "label"], None, where="p.csv")
    assert found == {"gold": ("gold_passage",), "chunk": ("chunk",), "label": ("label",)}


def test_a_mapping_wins_and_knows_other_names_of_the_fields() -> None:
    found = pair_columns(["gold", "mine", "chunk", "label"], {"reference": "mine", "retrieved": "Chunk"}, where="p.csv")
    assert found == {"gold": ("mine",), "chunk": ("chunk",), "label": ("label",)}
    assert label_columns(["note", "label"], {"label": "Note"}) == ["note"]
    assert label_columns(["label"], {"label": "gone"}) == []
    assert label_columns(["label"], {"gold": "gone"}) == ["label"]


@pytest.mark.parametrize(
    ("columns", "mapping", "said"),
    [
        (["gold", "chunk"], None, "no column holds the label; the columns are 'gold', 'chunk'"),
        (["question", "answer"], None, "no column holds the gold"),
        (["gold", "reference", "chunk", "label"], None, "several columns could be the gold: 'gold', 'reference'"),
        (["gold", "chunk", "label"], {"gold": "golden"}, "did you mean 'gold'"),
        (["a", "b", "label"], {"gold": "a", "chunk": "a"}, "the column 'a' twice"),
        (["a", "b", "label"], {"gold": "a", "context": "b"}, "gives the gold or the column 'b' twice"),
    ],
)
def test_what_cannot_be_told_is_an_error(columns: list[str], mapping: dict[str, str] | None, said: str) -> None:
    with pytest.raises(DatasetColumnError, match=r"p\.csv: ") as caught:
        pair_columns(columns, mapping, where="p.csv")
    assert said in str(caught.value)


def test_a_field_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(ConfigError, match="did you mean 'label'"):
        pair_columns(["gold", "chunk", "label"], {"lable": "label"}, where="p.csv")
    with pytest.raises(ConfigError, match="the fields are gold, chunk, label"):
        pair_columns(["gold", "chunk", "label"], {"xyz": "label"}, where="p.csv")


def test_two_columns_of_one_name_are_an_error() -> None:
    with pytest.raises(DatasetColumnError, match="several columns are called 'label'"):
        pair_columns(["gold", "chunk", "label", "label_2"], None, where="p.csv", repeated=frozenset({"label"}))


def test_no_name_stands_for_two_fields() -> None:
    names = [fold_name(name) for tiers in NAMES.values() for tier in tiers for name in tier.split()]
    assert len(names) == len(set(names))
