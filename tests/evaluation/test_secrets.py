"""No file, message or report shows a secret that the run knows of."""

from __future__ import annotations

import functools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from muffakir_eval import MuffakirEvaluation, PipelineDownError
from muffakir_eval.config import EvaluationConfig
from muffakir_eval.evaluation.secrets import known_secrets

SECRET = "zebra-verysecret-77"
ROWS = [{"question": f"س{n}", "context": "نص من النصوص"} for n in range(3)]


class Rag:
    def __init__(self, config: Any = None, **attributes: Any) -> None:
        self.config = config
        self.__dict__.update(attributes)

    def ask(self, question: str, k: int) -> str:
        raise ConnectionError(f"the server does not accept {SECRET} today")


def asks(question: str, *, api_key: str) -> str:
    raise ConnectionError(f"the server does not accept {api_key} today")


@pytest.mark.parametrize(
    ("settings", "rag"),
    [
        ({"api_key": SECRET}, Rag()),
        ({"llm_parameters": {"extra_headers": {"Authorization": f"Bearer {SECRET}"}}}, Rag()),
        ({"base_url": f"https://me:{SECRET}@host/v1"}, Rag()),
        ({}, Rag({"api_key": SECRET})),
        ({}, Rag({"db": {"url": f"postgres://me:{SECRET}@host/db"}})),
        ({}, Rag(SimpleNamespace(token=SECRET))),
        ({}, Rag(password=SECRET)),
        ({}, Rag({"api_key": SECRET}).ask),
        ({}, functools.partial(asks, api_key=SECRET)),
    ],
)
def test_an_error_text_of_the_pipeline_carries_none_out(
    tmp_path: Path, settings: dict[str, Any], rag: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def also_says_it(trial: Any) -> float:
        raise ValueError(f"no {SECRET} here")

    evaluator = MuffakirEvaluation({"metrics": ["recall", also_says_it], "max_pipeline_errors": 2, **settings})
    with pytest.raises(PipelineDownError) as caught:
        evaluator.evaluate(rag, ROWS, save=True, output_dir=tmp_path)
    report: Any = caught.value.report
    shown = [str(caught.value), str(report), repr(report), repr(evaluator), str(evaluator.get_config())]
    shown += [str(list(report.samples)), *capsys.readouterr()]
    shown += [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()]
    assert not [text for text in shown if SECRET in text]
    assert "does not accept *** today" in (tmp_path / "samples.csv").read_text(encoding="utf-8")


def test_the_environment_is_looked_at_too(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("MY_SERVICE_TOKEN", SECRET), ("KEY", "short"), ("PLACE", "not-a-secret-at-all")):
        monkeypatch.setenv(name, value)
    found = known_secrets(EvaluationConfig(), None)
    assert SECRET in found
    assert found.isdisjoint({"short", "not-a-secret-at-all"})


class Broken:
    @property
    def config(self) -> Any:
        raise RuntimeError("not loaded yet")


class Hostile(dict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError("do not look")


@pytest.mark.parametrize("rag", [Broken(), Rag(Hostile(a=1)), Rag, len, None, 5])
def test_settings_that_cannot_be_read_stop_nothing(rag: Any) -> None:
    assert known_secrets(EvaluationConfig(api_key="zebra"), rag) >= {"zebra"}
