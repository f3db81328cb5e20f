"""Settings: what is accepted, and how they are shown."""

from __future__ import annotations

import datetime
import decimal
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from muffakir_eval.config import load_config


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


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("recall, MRR", ("recall", "MRR")),
        (["recall ", "mrr,ndcg@3"], ("recall", "mrr", "ndcg@3")),
        ({"recall", "mrr", "ndcg"}, ("mrr", "ndcg", "recall")),
    ],
)
def test_names_of_metrics_are_taken_as_people_write_them(given: Any, names: tuple[str, ...]) -> None:
    assert load_config({"metrics": given}).metrics == names


def test_a_set_of_functions_has_one_order() -> None:
    def b(trial: object) -> float:
        return 1.0

    def a(trial: object) -> float:
        return 1.0

    assert load_config({"metrics": {b, a, "c"}}).metrics in ((a, b, "c"), ("c", a, b))
    assert load_config({"metrics": {b, a}}).metrics == (a, b)


def test_paths_may_be_paths() -> None:
    config = load_config({"output_dir": Path("runs") / "today", "cache_dir": Path("cache")})
    assert (config.output_dir, config.cache_dir) == (str(Path("runs") / "today"), "cache")


SECRET = "zebra-verysecret-77"


def test_no_way_of_showing_the_settings_shows_a_secret() -> None:
    config = load_config(
        {
            "api_key": SECRET,
            "base_url": f"https://user:{SECRET}@host/v1",
            "llm_parameters": {"api_key": SECRET, "extra": {"Authorization": f"Bearer {SECRET}"}},
            "judge_llm_parameters": {"headers": [{"x-api-key": SECRET}], "key": SecretStr(SECRET)},
        }
    )
    for shown in (repr(config), str(config), f"{config}", str(config.public_dict())):
        assert SECRET not in shown
    assert repr(load_config({"k": 3, "metrics": ["mrr"]})) == "EvaluationConfig(metrics=['mrr'], k=3)"


def test_public_settings_are_plain_whatever_was_given() -> None:
    odd = {
        "date": datetime.date(2026, 1, 5),
        "nan": float("nan"),
        "set": {"b", "a"},
        "object": object(),
        "bytes": b"zebra",
        "price": decimal.Decimal("1.5"),
        "path": Path("a"),
        "pair": (1, None),
    }
    public = load_config({"llm_parameters": odd}).public_dict()
    assert json.loads(json.dumps(public, allow_nan=False))["llm_parameters"] == {
        "date": "2026-01-05",
        "nan": "nan",
        "set": ["a", "b"],
        "object": "builtins.object",
        "bytes": "builtins.bytes",
        "price": "1.5",
        "path": "a",
        "pair": [1, None],
    }


def test_public_settings_are_settings_again() -> None:
    public = load_config(
        {"k": 7, "k_values": [1], "matching": {"min_gold_share": 0.3}, "metrics": ["mrr"]}
    ).public_dict()
    assert load_config(public).public_dict() == public
