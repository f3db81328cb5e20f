"""What is wrong with a setting, in words, and never with a secret in them."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from muffakir_eval.config import EvaluationConfig, load_config
from muffakir_eval.errors import ConfigError


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
        ({"encoding": datetime.date(2024, 1, 5)}, "valid string, found the date 2024-01-05"),
        ({"metrics": [5]}, "metrics"),
    ],
)
def test_a_wrong_setting_is_named(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(values)


def test_a_config_error_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="unknown key"):
        EvaluationConfig.from_mapping({"nonsense": 1})


SECRET = "zebra-verysecret-77"


@pytest.mark.parametrize(
    "values",
    [
        {"api_key": 1234567890},
        {"api_key": [SECRET]},
        {"base_url": [f"http://u:{SECRET}@host"]},
        {"base_url": b"\xff", "api_key": SECRET},
        {"llm_parameters": [("api_key", SECRET)]},
        {"llm_parameters": {"api_key": SECRET}, "surprise": 1},
        {"prompt_overrides": {"api_key": 5, "x": f"http://u:{SECRET}@host"}},
        {"language": f"http://u:{SECRET}@host"},
        {"metrics": [{"api_key": SECRET}]},
    ],
)
def test_no_message_shows_a_secret(values: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(values)
    assert SECRET not in str(caught.value)
    assert "1234567890" not in str(caught.value)


def test_a_long_value_is_shown_in_part() -> None:
    with pytest.raises(ConfigError) as caught:
        load_config({"language": "س" * 10_000})
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("metrics", [[], "", " , ", ["", " "], ()])
def test_no_metric_at_all_is_an_error(metrics: Any) -> None:
    with pytest.raises(ConfigError, match="key 'metrics': name at least one metric"):
        load_config({"metrics": metrics})
