"""``run_config.yaml``: the same run again, and no secret."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from muffakir_eval.config import EvaluationConfig, load_config
from muffakir_eval.config.run_settings import run_settings_text
from muffakir_eval.errors import ConfigError


def written(config: EvaluationConfig) -> str:
    settings = {**config.public_dict(), "matching": config.match_settings.model_dump()}
    return run_settings_text(settings, "r1", config.model_fields_set)


def again(config: EvaluationConfig, folder: Path) -> EvaluationConfig:
    path = folder / "run_config.yaml"
    path.write_text(written(config), encoding="utf-8")
    return load_config(path)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"k": 3, "metrics": ["recall", "ndcg@10"], "k_values": [1, 3], "slice_by": "dialect", "cache_dir": None},
        {"match_by": "auto"},
        {"match_by": "id", "overlap_threshold": 0.7},
        {"matching": {"match_by": "text", "fuzzy": False, "profile": "none"}, "match_by": "id"},
        {"llm_temperature": 0.0, "llm_provider": "anthropic", "llm_model": "m"},
        {
            "llm_parameters": {"stop": None, "top_p": 1e-05, "note": "سطر\nآخر: #1"},
            "prices": {"m": {"input": 1, "output": 2}},
        },
        {"sheet": "2024", "encoding": "no", "column_mapping": {"question": "السؤال", "answer": ["a", "b"]}},
        {"refusal_phrases": ["yes", {"phrase": "لا", "language": "ar"}], "on_existing": "overwrite"},
        {"jury": ["openai:gpt-4o", {"llm_provider": "groq", "llm_model": "m", "label": "x"}]},
        {"report_formats": ["html", "md"], "max_samples": 3, "sample_seed": 1},
    ],
)
def test_what_is_written_reads_back_as_the_same_settings(values: dict[str, Any], tmp_path: Path) -> None:
    before = EvaluationConfig.from_mapping(values)
    after = again(before, tmp_path)
    assert after.match_settings == before.match_settings
    for name in EvaluationConfig.model_fields:
        if name not in ("matching", "match_by", "overlap_threshold"):  # the same in another place
            assert getattr(after, name) == getattr(before, name), name
    assert ("llm_temperature" in after.model_fields_set) is ("llm_temperature" in before.model_fields_set)


def test_a_rehearsal_is_not_part_of_it(tmp_path: Path) -> None:
    assert again(EvaluationConfig(dry_run=True), tmp_path).dry_run is False


def test_secrets_are_left_out_and_named(tmp_path: Path) -> None:
    config = EvaluationConfig.from_mapping(
        {
            "api_key": "sk-proj-0123456789abcdef",
            "base_url": "http://me:hunter22@host/v1",
            "llm_parameters": {"extra_headers": {"Authorization": "Bearer zebra-zebra", "X-Team": "a"}},
            "jury": None,
        }
    )
    text = written(config)
    assert not any(secret in text for secret in ("0123456789", "hunter22", "zebra", "***"))
    told = text.splitlines()[1]
    assert all(name in told for name in ("api_key", "base_url", "llm_parameters.extra_headers.Authorization"))
    assert again(config, tmp_path).llm_parameters == {"extra_headers": {"X-Team": "a"}}


def test_a_secret_in_a_list_is_left_out() -> None:
    text = run_settings_text({"jury": {"members": [{"label": "a", "api_key": "***"}, {"label": "b"}]}}, "r1")
    assert yaml.safe_load(text) == {"jury": {"members": [{"label": "a"}, {"label": "b"}]}}
    assert "jury.members[0].api_key" in text
    assert yaml.safe_load(run_settings_text({"x": ["***", "b"]}, "r1")) == {"x": ["b"]}


def test_a_judge_that_is_an_object_is_not_left_out_in_silence(tmp_path: Path) -> None:
    class Mine:
        model = "mine"

        def complete(self) -> None: ...

    with pytest.raises(ConfigError):
        again(EvaluationConfig.from_mapping({"jury": [Mine(), "openai:gpt-4o"]}), tmp_path)


def test_the_run_is_named_in_the_first_line() -> None:
    assert written(EvaluationConfig()).splitlines()[0] == "# Settings of the run r1 of muffakir-eval"


def test_what_has_a_short_key_stands_there_alone_so_that_it_can_be_changed(tmp_path: Path) -> None:
    config = EvaluationConfig.from_mapping({"matching": {"match_by": "text", "overlap_threshold": 0.7, "fuzzy": False}})
    found = yaml.safe_load(written(config))
    assert (found["match_by"], found["overlap_threshold"]) == ("text", 0.7)
    assert not {"match_by", "overlap_threshold"} & found["matching"].keys()
    assert again(config, tmp_path).match_settings == config.match_settings


def test_a_text_that_is_masked_in_part_is_kept_and_named() -> None:
    config = EvaluationConfig.from_mapping(
        {"llm_parameters": {"extra_body": {"note": "see sk-proj-0123456789abcdef", "stop": ["a", "key=zebrazebra"]}}}
    )
    told = written(config)
    assert yaml.safe_load(told)["llm_parameters"]["extra_body"]["note"] == "see ***"
    line = told.splitlines()[1]
    assert line.startswith("# *** stands where something looked like a secret: llm_parameters.extra_body.note, ")
    assert "llm_parameters.extra_body.stop[1]" in line
