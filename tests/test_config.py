"""Settings: checked at the border, with the nearest known key where one is misspelt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from muffakir_eval.config import EvaluationConfig, load_config
from muffakir_eval.errors import ConfigError


def test_the_example_of_the_reference_is_accepted() -> None:
    config = load_config(
        {
            "language": "ar",
            "metrics": ["recall", "precision", "mrr", "ndcg", "faithfulness", "answer_correctness", "llm_judge_rating"],
            "k": 5,
            "llm_provider": "openai",
            "llm_model": "gpt-4o",
            "api_key": "sk-something",
            "llm_temperature": 0.0,
        }
    )
    assert config.k == 5
    assert "sk-something" not in f"{config!r}{config.public_dict()}"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"metrcs": ["recall"]}, "unknown key 'metrcs'.*did you mean 'metrics'"),
        ({"matching": {"min_gold": 1}}, "unknown key 'matching.min_gold'.*min_gold_share"),
        ({"zzz": 1}, "unknown key 'zzz'.*known keys are"),
        ({"k": 0}, "key 'k'.*greater than or equal to 1, found 0"),
        ({"k": True}, "key 'k'.*whole number"),
        ({"k_values": [1, 0]}, "key 'k_values'.*at least 1"),
        ({"language": "fr"}, "key 'language'.*'ar' or 'en', found 'fr'"),
        ({"overlap_threshold": 1.5}, "overlap_threshold"),
        ({"overlap_threshold": float("nan")}, "overlap_threshold"),
        ({"sample_seed": 1}, "max_samples"),
        ({"metrics": [5]}, "metrics"),
    ],
)
def test_a_wrong_setting_is_named(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(values)


def test_a_config_error_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="unknown key"):
        EvaluationConfig.from_mapping({"nonsense": 1})


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


def test_one_metric_and_one_cutoff_need_no_list() -> None:
    config = load_config({"metrics": "recall", "k_values": 3})
    assert (config.metrics, config.k_values) == (("recall",), (3,))


def test_cutoffs_are_taken_once() -> None:
    assert load_config({"k_values": [3, 1, 3]}).k_values == (3, 1)


def test_the_short_keys_reach_the_matcher_and_the_finer_ones_win() -> None:
    assert load_config({"overlap_threshold": 0.7}).match_settings.overlap_threshold == 0.7
    finer = load_config({"overlap_threshold": 0.7, "matching": {"overlap_threshold": 0.6}, "match_by": "text"})
    assert (finer.match_settings.overlap_threshold, finer.match_settings.match_by) == (0.6, "text")


def test_public_settings_name_functions_and_mask_secrets() -> None:
    def my_metric(trial: object) -> float:
        return 1.0

    public = load_config(
        {"metrics": ["mrr", my_metric], "api_key": "sk-x", "llm_parameters": {"auth_token": "y"}}
    ).public_dict()
    assert public["metrics"] == ["mrr", "my_metric"]
    assert public["api_key"] == "***"
    assert public["llm_parameters"] == {"auth_token": "***"}


def test_checked_settings_pass_through() -> None:
    config = EvaluationConfig(k=3)
    assert load_config(config) is config
    assert load_config(None) == EvaluationConfig()
