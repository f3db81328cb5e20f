"""Settings as TOML, and where they are written."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from muffakir_eval import MatchSettings, load_config
from muffakir_eval.calibration.snippet import matching_toml, write_matching_toml
from muffakir_eval.errors import StorageError

SETTINGS = MatchSettings(
    overlap_threshold=0.1 + 0.2,
    coverage_threshold=1.0,
    fuzzy=False,
    profile="urdu",
    stages=("jaccard", "coverage"),
    morphology_database='C:\\data\\"db".db',
)


def test_it_is_read_back_equal(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    write_matching_toml(path, matching_toml(SETTINGS, ["two\nlines", "كلام"]))
    assert load_config(path).match_settings == SETTINGS
    assert tomllib.loads(matching_toml(MatchSettings()))["matching"] == {
        "overlap_threshold": 0.55,
        "coverage_threshold": 0.6,
        "fuzzy": True,
    }


def test_only_what_calibrate_wrote_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    for settings in (SETTINGS, MatchSettings()):
        write_matching_toml(path, matching_toml(settings))
    assert load_config(path).match_settings == MatchSettings()
    path.write_text("k = 10\n", encoding="utf-8")
    with pytest.raises(StorageError, match="has not written it"):
        write_matching_toml(path, matching_toml(SETTINGS))
    assert path.read_text(encoding="utf-8") == "k = 10\n"
    path.write_bytes(b"\xff\xfe not ours")
    with pytest.raises(StorageError):
        write_matching_toml(path, matching_toml(SETTINGS))
    path.write_bytes(b"\n")
    write_matching_toml(path, matching_toml(SETTINGS))
    with pytest.raises(StorageError, match="folder"):
        write_matching_toml(tmp_path, "")
