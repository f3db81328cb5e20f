"""Settings from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from muffakir_eval.config import EvaluationConfig, load_config
from muffakir_eval.errors import ConfigError


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.toml", 'k = 7\nmetrics = ["mrr"]\n[matching]\nmin_gold_share = 0.5\n'),
        ("c.yaml", "k: 7\nmetrics: [mrr]\nmatching:\n  min_gold_share: 0.5\n"),
        ("c.yml", "k: 7\nmetrics: [mrr]\nmatching: {min_gold_share: 0.5}\n"),
        ("c.json", '\ufeff{"k": 7, "metrics": ["mrr"], "matching": {"min_gold_share": 0.5}}'),
    ],
)
def test_settings_come_from_files(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    config = load_config(path)
    assert (config.k, config.metrics, config.match_settings.min_gold_share) == (7, ("mrr",), 0.5)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("c.toml", b"k = ", "does not parse"),
        ("c.yaml", b"k: [", "does not parse"),
        ("c.json", b"{", "does not parse"),
        ("c.json", b"[1]", "no table of settings"),
        ("c.ini", b"k = 1", "suffix .ini"),
        ("c.toml", b"\xff\xfe", "UTF-8"),
    ],
)
def test_an_unreadable_file_is_named(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=message) as caught:
        load_config(path)
    assert name in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone\.toml: there is no such file"):
        load_config(tmp_path / "gone.toml")


def test_an_empty_yaml_file_holds_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("", encoding="utf-8")
    assert load_config(tmp_path / "c.yaml") == EvaluationConfig()


def test_checked_settings_pass_through() -> None:
    config = EvaluationConfig(k=3)
    assert load_config(config) is config
    assert load_config(None) == EvaluationConfig()


@pytest.mark.parametrize("source", [5, ["k"], b"settings.toml", object(), lambda: None])
def test_a_configuration_of_another_kind_is_refused(source: Any) -> None:
    with pytest.raises(ConfigError, match=rf"of type {type(source).__name__}.*a dict"):
        load_config(source)


def test_a_path_that_is_none_is_an_error_of_ours(tmp_path: Path) -> None:
    for source in (tmp_path, "a\0b.toml", ""):
        with pytest.raises(ConfigError, match="cannot be read"):
            load_config(source)


def test_values_of_yaml_that_are_no_text_are_named(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    for line, message in (
        ("output_dir: 2024-01-05", r"output_dir.*valid string, found the date 2024-01-05"),
        ("language: no", "language.*found False"),
        ("1: 2", "key '1'.*keys should be strings"),
        ("sheet: true", "sheet.*true or false"),
        ("metrics: {recall: 1}", "metrics.*valid list, found a dict"),
    ):
        path.write_text(line, encoding="utf-8")
        with pytest.raises(ConfigError, match=message):
            load_config(path)


def test_a_table_of_toml_that_is_no_setting_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text('[judges]\nllm_model = "m"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="unknown key 'judges'"):
        load_config(tmp_path / "c.toml")
