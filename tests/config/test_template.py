"""The settings file of ``muffakir-eval init``: complete, true, and harmless as it stands."""

from __future__ import annotations

import functools
import re
import tomllib
from typing import Any, Literal

import pytest
import yaml

from muffakir_eval.config import EvaluationConfig, MatchSettings
from muffakir_eval.config.arabic_meanings import ARABIC_GROUPS, ARABIC_MEANINGS
from muffakir_eval.config.template import GROUPS, settings_template

STYLES: list[Literal["toml", "yaml"]] = ["toml", "yaml"]
KEYS = [*EvaluationConfig.model_fields, *MatchSettings.model_fields]
ALONE = {"sample_seed": "max_samples"}


@functools.cache
def template(style: Literal["toml", "yaml"]) -> str:
    return settings_template(style)


def parsed(text: str, style: str) -> dict[str, Any]:
    return dict(tomllib.loads(text) if style == "toml" else yaml.safe_load(text) or {})


def lines_of_keys(text: str, style: str) -> dict[str, list[str]]:
    """The lines that set a key, commented or not, by key."""
    sign = "=" if style == "toml" else ":"
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        match = re.match(rf"(?:# )?\s*([a-z_0-9]+) ?{sign} \S", line)
        if match and match[1] in KEYS:
            found.setdefault(match[1], []).append(line)
    return found


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("language", ["en", "ar"])
def test_as_it_stands_it_is_the_defaults(style: Literal["toml", "yaml"], language: str) -> None:
    config = EvaluationConfig.from_mapping(parsed(settings_template(style, language), style))
    assert config == EvaluationConfig()
    assert not {"match_by", "llm_temperature", "matching", "api_key"} & config.model_fields_set


@pytest.mark.parametrize("style", STYLES)
def test_every_key_is_there_once_with_its_default_or_an_example(style: Literal["toml", "yaml"]) -> None:
    lines = lines_of_keys(settings_template(style), style)
    assert set(lines) == set(KEYS) - {"matching"}
    assert {name: len(found) for name, found in lines.items() if len(found) != 1} == {}
    for name, field in EvaluationConfig.model_fields.items():
        if field.default is not None:
            assert parsed(lines[name][0].removeprefix("# "), style)[name] == field.default


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", [name for name in KEYS if name != "matching"])
def test_every_line_loads_by_itself_once_it_is_used(style: Literal["toml", "yaml"], name: str) -> None:
    lines = lines_of_keys(template(style), style)
    used = [lines[each][0].removeprefix("# ").strip() for each in (name, ALONE.get(name, name))]
    values = parsed("\n".join(dict.fromkeys(used)), style)
    finer = name in MatchSettings.model_fields and name not in EvaluationConfig.model_fields
    config = EvaluationConfig.from_mapping({"matching": values} if finer else values)
    assert name in (config.match_settings if finer else config).model_fields_set


@pytest.mark.parametrize("style", STYLES)
def test_the_table_of_finer_settings_can_be_used_as_it_stands(style: Literal["toml", "yaml"]) -> None:
    head, _, table = settings_template(style).partition("# [matching]" if style == "toml" else "# matching:")
    lines = [line for found in lines_of_keys(table, style).values() for line in found]
    title = "[matching]" if style == "toml" else "matching:"
    values = parsed("\n".join([title, *(line.removeprefix("# ") for line in lines)]), style)
    config = EvaluationConfig.from_mapping(values)
    assert config.match_settings.model_copy(update={"morphology_database": None}) == MatchSettings()
    assert "k = 5" in head or "k: 5" in head


def test_every_key_stands_in_one_group_and_has_a_meaning_in_both_languages() -> None:
    grouped = [name for names in GROUPS.values() for name in names.split()]
    assert len(grouped) == len(set(grouped))
    assert set(ARABIC_MEANINGS) == set(KEYS)
    assert {*GROUPS, "Further settings"} == set(ARABIC_GROUPS)
    english, arabic = settings_template(), settings_template(language="ar")
    for name in KEYS:
        assert f"# {name}\n" not in english, f"{name} has no docstring"
    assert "الإعداد" in arabic
    assert "Main cutoff" not in arabic


def test_a_key_that_stands_in_no_group_is_there_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GROUPS, "What is measured", "metrics")
    text = settings_template()
    assert text.index("# ---- Further settings ----") < text.index("k = 5")


def test_without_its_source_a_key_is_its_own_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(_: object) -> str:
        raise OSError("could not get source code")

    monkeypatch.setattr("inspect.getsource", gone)
    assert EvaluationConfig.from_mapping(tomllib.loads(settings_template())) == EvaluationConfig()
