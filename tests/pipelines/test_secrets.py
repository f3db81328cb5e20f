"""What a pipeline carries that must not be written down."""

from __future__ import annotations

import functools

import pytest

from muffakir_eval.pipelines.secrets import pipeline_secrets


class Store:
    def __init__(self) -> None:
        self.api_key = "zebra-one"
        self.corpus = ["zebra-text"]
        self.config = {"llm": {"token": "zebra-two"}}

    def retrieve(self, question: str, api_key: str = "") -> list[str]:
        return []


class Broken:
    def __getattribute__(self, name: str) -> object:
        if name in ("config", "__dict__"):
            raise RuntimeError("not connected")
        return super().__getattribute__(name)


def test_attributes_and_settings_of_an_object_and_of_its_method() -> None:
    for rag in (Store(), Store().retrieve):
        found = pipeline_secrets(rag)
        assert {"zebra-one", "zebra-two"} <= found
        assert "zebra-text" not in found


def test_what_is_bound_beforehand() -> None:
    assert {"zebra-three", "zebra-one"} <= pipeline_secrets(
        functools.partial(functools.partial(Store().retrieve, api_key="zebra-three"), "سؤال")
    )


def test_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "zebra-four-four")
    assert "zebra-four-four" in pipeline_secrets(None)


def test_settings_that_cannot_be_read_are_no_end() -> None:
    assert pipeline_secrets(Broken()) == pipeline_secrets(None)
