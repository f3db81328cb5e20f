"""The key of the judge: in no file, log line, exception or report, and what happens when it is rejected."""

from __future__ import annotations

import asyncio
import json
import logging
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import MuffakirEvaluation
from muffakir_eval.errors import JudgeKeyError
from tests.evaluation.judged import KEY, asked_about, metric_of, opinion, rows, suite, written
from tests.judges.answers import Answer, Seen, fails, hangs, refuses_key
from tests.judges.server import JudgeServer

SHORTEST = 6
PARTS = {KEY[start : start + SHORTEST] for start in range(len(KEY) - SHORTEST + 1)}
"""Every part of the key of so many characters; a longer one holds one of these."""


def leaks(text: str) -> list[str]:
    return sorted(part for part in PARTS if part in text)


def everything_below(folder: Path) -> str:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in files)


def told(error: BaseException) -> str:
    """All that can be seen of an exception, and of those that hang on it."""
    lines = traceback.format_exception(error)
    seen: list[BaseException] = []
    while error not in seen:
        seen.append(error)
        lines += [repr(error), str(error), *getattr(error, "__notes__", ()), repr(vars(error))]
        error = error.__cause__ or error.__context__ or error
    return "\n".join(lines)


SHOWS: dict[str, Callable[[str], str]] = {
    "whole": str,
    "its beginning": lambda key: f"{key[:8]}…",
    "its end": lambda key: f"...{key[-6:]}",
    "starred": lambda key: f"{key[:4]}****{key[-4:]}",
    "without its ends": lambda key: key[2:-2],
    "in quotes": lambda key: f'"{key[:12]}"',
    "in an address": lambda key: f"https://host/v1?k={key}&x=1",
    "as a header": lambda key: f"Authorization: Bearer {key}",
    "glued to words": lambda key: f"key-{key}-suffix/{key[5:15]}",
}


def echoes(status: int, show: Callable[[str], str]) -> Callable[[Seen], Answer]:
    return lambda seen: fails(status, f"what was sent is {show(seen.key)} and it is of no use")


@pytest.fixture(params=["config", "environment"])
def keyed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Settings for a key that stands in the configuration or in the environment."""
    if request.param == "config":
        return {"api_key": KEY}
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    return {"api_key": None}


@pytest.fixture(autouse=True)
def everything_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Every logger, the SDKs' too, says all it can."""
    with caplog.at_level(logging.DEBUG):
        for name in ("muffakir_eval", "openai", "anthropic", "httpx2", "httpcore2"):
            caplog.set_level(logging.DEBUG, logger=name)
        yield


class Evidence:
    """Collects whatever a run leaves or says."""

    def __init__(self, folder: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.texts: dict[str, str] = {}
        self._caplog = caplog
        self._capfd = capfd

    def run(self, evaluator: MuffakirEvaluation, count: int = 2) -> BaseException | None:
        error: BaseException | None = None
        report: Any = None
        try:
            report = evaluator.evaluate(None, rows(count), save=True, output_dir=self.folder / "run")
        except JudgeKeyError as caught:
            error, report = caught, caught.report
            self.texts["exception"] = told(caught)
        self.texts |= {
            "files": everything_below(self.folder),
            "log": "\n".join(logging.Formatter().format(record) for record in self._caplog.records),
            "repr of the log": "\n".join(repr(vars(record)) for record in self._caplog.records),
            "report": f"{report!r}\n{report}\n{report.to_dict()}\n{list(report.rows())}",
            "samples": "\n".join(map(repr, report.samples)),
            "evaluator": f"{evaluator!r}\n{evaluator.config!r}\n{evaluator.get_config()}\n{vars(evaluator)}",
        }
        out, err = self._capfd.readouterr()
        self.texts |= {"stdout": out, "stderr": err}
        return error

    def leaks(self) -> dict[str, list[str]]:
        return {name: found for name, text in self.texts.items() if (found := leaks(text))}


@pytest.fixture
def evidence(tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> Evidence:
    return Evidence(tmp_path, caplog, capfd)


def settings(server: JudgeServer, folder: Path, provider: str = "openai") -> dict[str, Any]:
    url = server.url if provider == "anthropic" else server.openai_url
    return {
        "llm_provider": provider,
        "base_url": url,
        "cache_dir": folder / "cache",
        "progress": True,
        "retry_deadline_s": 0.0,
        "output_dir": str(folder / "run"),
    }


def test_the_key_is_sent(server: JudgeServer, tmp_path: Path, keyed: dict[str, Any]) -> None:
    server.answer = opinion
    suite(server, **settings(server, tmp_path), **keyed).evaluate(None, rows(1))
    assert [seen.key for seen in server.requests] == [KEY]


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("status", [400, 401, 403, 500])
def test_a_key_that_the_server_echoes_in_an_error_is_nowhere(
    server: JudgeServer, evidence: Evidence, keyed: dict[str, Any], status: int, provider: str
) -> None:
    for number, (name, show) in enumerate(SHOWS.items()):
        server.answer = echoes(status, show)
        folder = evidence.folder / str(number)
        each = Evidence(folder, evidence._caplog, evidence._capfd)
        error = each.run(suite(server, **settings(server, folder, provider), **keyed))
        assert (error is not None) == (status in {401, 403})
        assert each.leaks() == {}, name
        evidence._caplog.clear()


def test_a_rejection_of_the_usual_form_says_which_key_it_means(
    server: JudgeServer, evidence: Evidence, keyed: dict[str, Any]
) -> None:
    server.answer = refuses_key
    error = evidence.run(suite(server, **settings(server, evidence.folder), **keyed))
    assert "Incorrect API key provided" in str(error)
    assert evidence.leaks() == {}


@pytest.mark.parametrize(
    "reply",
    [
        lambda key: {"reason": f"المفتاح {key} وارد", "score": 4},
        lambda key: {"reason": f"المفتاح {key[3:15]} وارد", "score": 4},
        lambda key: f"I was called with {key} and cannot judge",
        lambda key: f"I was called with {key[:10]} and cannot judge",
        lambda key: {"reason": key, "score": 70},
    ],
    ids=["in a reason", "in part in a reason", "in words", "in part in words", "off the scale"],
)
def test_a_key_that_the_judge_repeats_is_nowhere(
    server: JudgeServer, evidence: Evidence, keyed: dict[str, Any], reply: Callable[[str], Any]
) -> None:
    server.answer = lambda seen: reply(seen.key)
    evidence.run(suite(server, **settings(server, evidence.folder), **keyed))
    assert evidence.leaks() == {}


def test_a_key_in_the_name_of_the_model_that_answers_is_nowhere(
    server: JudgeServer, evidence: Evidence, keyed: dict[str, Any]
) -> None:
    def said(seen: Seen) -> Answer:
        message = {"role": "assistant", "content": '{"reason": "", "score": 4}'}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        body = {"id": "1", "object": "chat.completion", "created": 1, "model": f"m-{seen.key}", "choices": [choice]}
        return Answer(body=json.dumps(body).encode())

    server.answer = said
    evidence.run(suite(server, **settings(server, evidence.folder), **keyed))
    assert evidence.leaks() == {}


# -- a rejected key --------------------------------------------------------------------------------


class Rag:
    """A pipeline that counts its calls."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(self, question: str, k: int) -> tuple[str, list[str]]:
        self.asked.append(question)
        return "مدتها ثلاثون يومًا.", ["يستحق الموظف إجازة سنوية مدتها ثلاثون يومًا بأجر كامل."]


def test_a_rejected_key_stops_the_run_and_everything_finished_is_kept(server: JudgeServer, tmp_path: Path) -> None:
    server.answer = lambda seen: opinion(seen) if seen.number < 6 else refuses_key(seen)
    first, second, given = Rag(), Rag(), {"max_concurrency": 2, "pipeline_workers": 1}
    with pytest.raises(JudgeKeyError, match="start the same run again") as caught:
        suite(server, **given).evaluate(first, rows(30, recorded=False), save=True, output_dir=tmp_path)
    report: Any = caught.value.report
    assert (report.partial, report.n_samples, written(tmp_path)["n_samples"]) == (True, 6, 6)
    assert server.count <= 8, "calls that were on their way, and no more"
    assert len(first.asked) < 15
    server.forget()
    server.answer = opinion
    report = suite(server, **given, api_key="another").evaluate(
        second, rows(30, recorded=False), save=True, output_dir=tmp_path
    )
    assert (report.partial, report.n_samples, server.count) == (False, 30, 24)
    assert len(first.asked) + len(second.asked) == 30, "no answer is asked for twice"
    assert {asked_about(seen) for seen in server.requests} == set(range(6, 30))
    assert server.still_open == 0


def test_nothing_of_a_run_goes_on_once_the_key_was_rejected(server: JudgeServer, tmp_path: Path) -> None:
    server.answer = lambda seen: refuses_key(seen) if metric_of(seen) == "faithfulness" else hangs()

    async def main() -> int:
        with pytest.raises(JudgeKeyError):
            await suite(server, metrics=["faithfulness", "llm_judge_rating"], cache_dir=tmp_path).aevaluate(
                None, rows(10)
            )
        return len(asyncio.all_tasks())

    assert asyncio.run(main()) == 1, "nothing but the caller"
