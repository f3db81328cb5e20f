"""The place in which pages are tried, and the models that they name: all on one loopback server."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from muffakir_eval.judges.providers import PROVIDERS
from tests.docs.judging import content_judge
from tests.docs.pages import ROOT
from tests.docs.running import Reader
from tests.judges.server import JudgeServer


@pytest.fixture(scope="session")
def judge_server() -> Iterator[JudgeServer]:
    """A model that is content with everything."""
    with JudgeServer(content_judge) as server:
        yield server


@pytest.fixture
def reader(tmp_path: Path, judge_server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Somebody in an empty folder with the example files, with a key for every provider."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__", ".*"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name, provider in PROVIDERS.items():
        address = judge_server.url if provider.sdk != "openai" else judge_server.openai_url
        monkeypatch.setitem(PROVIDERS, name, replace(provider, base_url=address))
        if provider.url_variable:
            monkeypatch.setenv(provider.url_variable, address)
        for variable in provider.keys:
            monkeypatch.setenv(variable, "key-of-the-pages")
    return Reader(tmp_path, judge_server.url)
