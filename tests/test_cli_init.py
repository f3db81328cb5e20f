"""``muffakir-eval init``: a settings file that can be used at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from muffakir_eval.cli import app
from muffakir_eval.config import EvaluationConfig, load_config


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["init", *arguments])


def test_a_file_is_written_that_loads_as_the_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = call()
    assert done.exit_code == 0
    assert "--config muffakir_eval.toml" in done.stdout
    assert load_config("muffakir_eval.toml") == EvaluationConfig()


def test_yaml_by_its_suffix_in_a_new_folder_with_arabic_comments(tmp_path: Path) -> None:
    path = tmp_path / "conf" / "s.yaml"
    assert call(str(path), "--language", "ar").exit_code == 0
    assert load_config(path) == EvaluationConfig()
    assert "مجموعة الأسئلة" in path.read_text(encoding="utf-8")


def test_a_file_that_is_there_is_replaced_only_on_demand(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text("k = 7\n", encoding="utf-8")
    done = call(str(path))
    assert (done.exit_code, "--force" in done.stderr) == (2, True)
    assert path.read_text(encoding="utf-8") == "k = 7\n"
    assert call(str(path), "--force").exit_code == 0
    assert load_config(path).k == 5


@pytest.mark.parametrize("name", ["s.json", "s", "s.ini"])
def test_an_unknown_suffix_is_an_error(tmp_path: Path, name: str) -> None:
    done = call(str(tmp_path / name))
    assert (done.exit_code, ".toml, .yaml, .yml" in done.stderr) == (2, True)


def test_the_command_that_uses_it_can_be_pasted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "--config 'my settings.toml'" in call("my settings.toml").stdout
    assert "[[" not in CliRunner().invoke(app, ["init", "--help"]).stdout
