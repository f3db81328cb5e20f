"""Judges and panels as users write them."""

from __future__ import annotations

from typing import Any

import pytest

from muffakir_eval import ConfigError, EvaluationConfig, Jury, ScriptedModel, jury
from muffakir_eval.config import load_config
from muffakir_eval.config.panels import as_jury, judge_spec, told_apart
from muffakir_eval.evaluation.secrets import known_secrets

KEY = "zq7Rk2Wm9Xv4Tb6Yn3Lp8Hd5"


def test_a_judge_in_short() -> None:
    spec = judge_spec(" ollama : qwen2.5:14b ", where="judges")
    assert spec.settings == {"llm_provider": "ollama", "llm_model": "qwen2.5:14b"}
    assert spec.label == "qwen2.5:14b"


def test_a_judge_by_its_settings() -> None:
    spec = judge_spec(
        {"llm_provider": "openai", "llm_model": "gpt-4o", "label": "كبير", "budget_usd": 1}, where="judges"
    )
    assert (spec.label, spec.settings["budget_usd"], spec.model) == ("كبير", 1, None)
    model = ScriptedModel("x", name="me")
    assert judge_spec({"llm_provider": model}, where="judges").label == "me"
    assert judge_spec(model, where="judges").model is model
    assert judge_spec(judge_spec(model, where="x"), where="y").model is model


def test_objects_are_called_by_what_they_are() -> None:
    class Model:
        model_name = "local-7b"

    class Broken:
        @property
        def identity(self) -> Any:
            raise RuntimeError("no")

    assert judge_spec(Model(), where="x").label == "local-7b"
    assert judge_spec(Broken(), where="x").label == "Broken"
    assert judge_spec(lambda prompt: prompt, where="x").label == "<lambda>"


def test_equal_names_are_told_apart() -> None:
    specs = [judge_spec("openai:a", where="x"), judge_spec("groq:a", where="x"), judge_spec("x:a (2)", where="x")]
    assert [spec.label for spec in told_apart(specs)] == ["a (openai)", "a (groq)", "a (2)"]


@pytest.mark.parametrize(
    ("members", "options", "found"),
    [
        (["openai:a"], {}, "at least two members"),
        ("openai:a", {}, "at least two members"),
        ({"a": "openai:a", "b": "openai:b"}, {}, "at least two members"),
        (["openai:a", "openai:b"], {"method": "vote"}, "one of median, majority, mean"),
        (["openai:a", "openai:b"], {"quorum": 3}, "from 1 to 2"),
        (["openai:a", "openai:b"], {"quorum": 0}, "from 1 to 2"),
        (["openai:a", "openai:b"], {"quorum": True}, "from 1 to 2"),
        (["openai:a", "b"], {}, "names no judge"),
        (["openai:a", None], {}, "NoneType is no judge"),
        (["openai:a", {"llm_model": "b", "budget_usd": 1}], {}, "unknown key 'budget_usd'"),
        (["openai:a", jury(["x:a", "x:b"])], {}, "cannot sit in a panel"),
        (["openai:a", {"jury": ["x:a", "x:b"]}], {}, "cannot sit in a panel"),
    ],
)
def test_a_panel_that_cannot_be(members: Any, options: dict[str, Any], found: str) -> None:
    with pytest.raises(ConfigError, match=found):
        jury(members, **options)


def test_a_panel_in_the_settings() -> None:
    config = EvaluationConfig.from_mapping({"jury": {"members": ["openai:a", "groq:b"], "method": "mean", "quorum": 1}})
    assert isinstance(config.jury, Jury)
    assert (config.jury.method, config.jury.quorum, len(config.jury.members)) == ("mean", 1, 2)
    assert EvaluationConfig.from_mapping({"jury": ["openai:a", "groq:b", "x:c"]}).jury.quorum == 2
    assert EvaluationConfig.from_mapping({"jury": None}).jury is None
    made = jury(["x:a", "x:b"])
    assert EvaluationConfig.from_mapping({"jury": made}).jury is made
    with pytest.raises(ConfigError, match=r"config, key 'jury'.*did you mean 'method'"):
        EvaluationConfig.from_mapping({"jury": {"members": ["x:a", "x:b"], "methid": "mean"}})
    with pytest.raises(ConfigError, match="key 'jury'"):
        EvaluationConfig.from_mapping({"jury": ["x:a"]})


def test_a_panel_in_a_settings_file(tmp_path: Any) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(
        'metrics = ["llm_judge_rating"]\n[jury]\nmethod = "majority"\n'
        'members = ["openai:gpt-4o", {llm_provider = "anthropic", llm_model = "claude", label = "c"}]\n',
        encoding="utf-8",
    )
    panel = load_config(file).jury
    assert (panel.name, panel.members[1].label) == ("majority of gpt-4o, c", "c")


def test_no_key_of_a_member_is_shown() -> None:
    member = {"llm_provider": "openai", "llm_model": "a", "api_key": KEY}
    config = EvaluationConfig.from_mapping({"jury": [member, ScriptedModel("x")]})
    assert KEY not in repr(config) and KEY not in str(config.public_dict())
    assert config.public_dict()["jury"]["members"][1] == {"label": "scripted", "model": "ScriptedModel"}
    assert KEY in known_secrets(config, None)


def test_a_table_of_a_comparison_may_be_a_panel() -> None:
    spec = judge_spec({"jury": ["x:a", "x:b"], "method": "mean", "label": "p", "judge_repeats": 2}, where="judges")
    assert isinstance(spec.model, Jury) and spec.model.method == "mean"
    assert (spec.label, spec.settings) == ("p", {"judge_repeats": 2})
    assert as_jury(spec.model) is spec.model
    with pytest.raises(ConfigError, match="unknown key 'llm_model'"):
        judge_spec({"jury": ["x:a", "x:b"], "llm_model": "c"}, where="judges")


def test_the_same_judge_twice_is_refused() -> None:
    """Its replies would come from the cache, and it would agree with itself perfectly."""
    with pytest.raises(ConfigError, match="x is there twice with the same settings"):
        jury(["openai:x", {"llm_provider": "openai", "llm_model": "x"}])
    model = ScriptedModel({"*": {"reason": "", "score": 1}})
    with pytest.raises(ConfigError, match=r"there twice.*judge_repeats"):
        jury([model, {"llm_provider": model, "label": "other"}])
    warm = {"llm_provider": "openai", "llm_model": "x", "llm_temperature": 0.7}
    assert [member.label for member in jury(["openai:x", warm]).members] == ["x (openai)", "x (openai) (2)"]


def test_no_secret_stands_in_a_repr() -> None:
    keyed = {"llm_provider": "openai", "llm_model": "x", "api_key": "zq7Rk2Wm9Xv4"}
    assert "zq7Rk2Wm9Xv4" not in repr(jury([keyed, "ollama:y"])) + repr(judge_spec(keyed, where="judges"))
    assert "llm_model='x'" in repr(judge_spec(keyed, where="judges"))


@pytest.mark.parametrize(
    ("judge", "found"),
    [("openai:a,groq:b", "names several judges"), (ScriptedModel, "ScriptedModel is a class")],
)
def test_what_looks_like_a_judge(judge: Any, found: str) -> None:
    with pytest.raises(ConfigError, match=found):
        judge_spec(judge, where="judges")
