"""What is made from the program is what the program says today."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest

from muffakir_eval.config import EvaluationConfig, MatchSettings
from muffakir_eval.metrics.names import JUDGED_METRICS
from muffakir_eval.metrics.trials import TRIAL_METRICS
from tests.docs.pages import PAGES, ROOT


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATE = load()


@pytest.mark.parametrize("page", GENERATE.PARTS)
def test_a_made_page_is_up_to_date(page: str) -> None:
    assert GENERATE.made(page) == PAGES[f"docs/{page}"].read_text(encoding="utf-8"), "run python docs/generate.py"


def test_every_part_that_a_page_marks_is_made() -> None:
    for page, path in PAGES.items():
        marked = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("<!-- begin: ")]
        made = GENERATE.PARTS.get(page.removeprefix("docs/"), {})
        assert marked == [f"<!-- begin: {name} -->" for name in made], page


@pytest.mark.parametrize("model", [EvaluationConfig, MatchSettings])
def test_every_key_says_what_it_means(model: type) -> None:
    said = GENERATE.descriptions(model)
    assert [key for key in model.model_fields if not said[key]] == []  # type: ignore[attr-defined]


def test_the_pages_name_every_key_and_every_metric() -> None:
    configuration = PAGES["docs/configuration.md"].read_text(encoding="utf-8")
    for key in [*EvaluationConfig.model_fields, *MatchSettings.model_fields]:
        assert f"| `{key}` |" in configuration
    metrics = PAGES["docs/metrics.md"].read_text(encoding="utf-8")
    for name in [*TRIAL_METRICS, *JUDGED_METRICS]:
        assert f"### `{name}`\n" in metrics


def test_check_says_what_has_changed_and_writes_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = PAGES["docs/index.md"].read_bytes()
    monkeypatch.setattr(GENERATE, "PARTS", {"index.md": {"map": lambda: "| nothing |"}})
    assert GENERATE.main(["--check"]) == 1
    assert capsys.readouterr().out == "docs/index.md has changed\n"
    assert PAGES["docs/index.md"].read_bytes() == before
