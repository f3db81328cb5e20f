"""The page on matching says what is so."""

from __future__ import annotations

import re
import tomllib
from typing import get_args

from muffakir_eval import MatchSettings
from muffakir_eval.calibration.advice import SMALL
from muffakir_eval.calibration.columns import NAMES
from muffakir_eval.calibration.pairs import read_label
from muffakir_eval.cli.calibrate import calibrate
from muffakir_eval.config import EvaluationConfig
from muffakir_eval.datasets.columns.aliases import fold_name
from muffakir_eval.matching.contradictions import CONTRADICTION
from muffakir_eval.records import Stage
from tests.docs.pages import blocks, content, table
from tests.docs.running import Reader

PAGE = "docs/matching.md"
GUIDE = content(PAGE)


def rows(heading: str) -> list[list[str]]:
    """The rows of the first table under a heading."""
    return table(PAGE, heading)


def test_what_is_recommended_can_be_used(reader: Reader) -> None:
    for block in blocks(PAGE):
        reader.read(block)
    assert "Keep the present settings" in reader.printed
    assert reader.names["settings"] == MatchSettings()
    EvaluationConfig.from_mapping({"matching": reader.names["settings"]})


def test_every_setting_is_explained_with_its_default() -> None:
    table = {row[0].strip("`"): row[1].strip("`") for row in rows("Settings")}
    assert list(table) == list(MatchSettings.model_fields)
    for name, default in MatchSettings().model_dump().items():
        if default is None:
            assert table[name] == "none"
        else:
            assert tomllib.loads(f"x = {table[name]}")["x"] == (list(default) if name == "stages" else default)


def test_the_stages_are_those_of_the_cascade() -> None:
    assert [row[0].strip("`") for row in rows("The cascade")] == list(get_args(Stage))
    assert CONTRADICTION == 6
    assert "counts as six places" in GUIDE


def test_the_settings_that_are_shown_can_be_used() -> None:
    (shown,) = [block.text for block in blocks(PAGE) if block.language == "toml"]
    settings = EvaluationConfig.from_mapping(tomllib.loads(shown)).match_settings
    assert settings == MatchSettings(overlap_threshold=0.5, profile="persian")


def test_every_option_that_is_named_exists() -> None:
    text = GUIDE.split("## Setting the thresholds")[1]
    options = {f"--{name.replace('_', '-')}" for name in calibrate.__annotations__} | {"--map"}
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))
    assert len(named) > 5
    assert named <= options


def test_the_columns_that_are_named_are_known() -> None:
    known = {fold_name(name) for tiers in NAMES.values() for tier in tiers for name in tier.split()}
    assert {fold_name(name) for name in ("gold", "context", "reference", "chunk", "retrieved", "relevant")} <= known
    head = re.search(r"^\| (\S+) \| (\S+) \| (\S+) \|\n\|---\|---\|---\|\n\| ي", GUIDE, flags=re.MULTILINE)
    assert head is not None
    assert {fold_name(name) for name in head.groups()} <= known
    assert [read_label(row[2].strip(" |")) for row in rows("Setting the thresholds by your own pairs")] == [True, False]


def test_the_figures_are_those_of_the_package() -> None:
    assert f"fewer than {SMALL} pairs" in GUIDE
    assert [row[0] for row in rows("What it does, and what its figures mean")] == ["0", "1", "2", "3"]
