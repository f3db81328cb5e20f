"""Secrets reach no text that is written down."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import SecretStr

from muffakir_eval.redaction import is_secret_name, mask_settings, redact, secrets_in, secrets_of_environment


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Incorrect API key provided: sk-proj-abcDEF123456_x", "abcDEF123456"),
        ("Authorization: Bearer eyJhbGciOi.J9abc-_", "eyJhbGciOi"),
        ("GET http://user:hunter22@db.internal:6333/x failed", "hunter22"),
        ("url?api_key=9f8e7d6c5b&x=1", "9f8e7d6c5b"),
        ('{"OPENAI_API_KEY": "abcdef123456"}', "abcdef123456"),
        ("password: s3cr3tpass", "s3cr3tpass"),
        ("key AIzaSyD-1234567890abcdef rejected", "SyD-1234567890"),
        ("gsk_1234567890abcdef", "1234567890abcdef"),
        ("hf_abcdefghijkl", "abcdefghijkl"),
    ],
)
def test_what_looks_like_a_secret_is_taken_out(text: str, secret: str) -> None:
    assert secret not in redact(text)
    assert "***" in redact(text)


def test_a_known_secret_is_taken_out_whatever_it_looks_like() -> None:
    assert redact("رُفض المفتاح zebra99", ["zebra99"]) == "رُفض المفتاح ***"


@pytest.mark.parametrize("text", ["max_tokens=512 reached", "the key figure is 12", "ما مفتاح الحل؟", "skip-this-one"])
def test_harmless_text_stays(text: str) -> None:
    assert redact(text, ["", "ab"]) == text


@pytest.mark.parametrize(
    ("name", "secret"),
    [("api_key", True), ("Authorization", True), ("db_password", True), ("max_tokens", False), ("tokenizer", False)],
)
def test_names_of_secrets(name: str, secret: bool) -> None:
    assert is_secret_name(name) is secret


def test_settings_are_masked_at_every_depth() -> None:
    settings = {"k": 5, "llm": [{"api_key": "x", "model": "m"}], "token": None, "max_tokens": 5}
    assert mask_settings(settings) == {
        "k": 5,
        "llm": [{"api_key": "***", "model": "m"}],
        "token": None,
        "max_tokens": 5,
    }


def test_of_two_secrets_the_longer_one_goes_first() -> None:
    assert redact("key zebra-and-more here", ["zebra", "zebra-and-more"]) == "key *** here"


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({"api_key": "zebra", "model": "m"}, {"zebra"}),
        ({"llm": [{"auth": {"user": "me", "pass": "secret"}}]}, {"me", "secret"}),
        ({"headers": {"Authorization": "Bearer zebra"}}, {"Bearer zebra", "zebra"}),
        ({"url": "postgres://me:zebra@host/db"}, {"zebra"}),
        ({"key": SecretStr("zebra")}, {"zebra"}),
        (SecretStr("zebra"), {"zebra"}),
        ({"token": b"zebra"}, {"zebra"}),
        ({"max_tokens": "5", "k": 5, "none": None}, set()),
        ({"tokens_of_a_corpus": ["word"] * 5_000}, set()),
    ],
)
def test_secrets_are_found_by_name_and_in_addresses(settings: Any, found: set[str]) -> None:
    assert set(secrets_in(settings)) == found


def test_settings_that_hold_themselves_end_somewhere() -> None:
    settings: dict[str, Any] = {"api_key": "zebra"}
    settings["self"] = settings
    assert set(secrets_in(settings)) == {"zebra"}


def test_secrets_of_the_environment_go_by_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"X_API_KEY": "zq7Rk2Wm9", "X_TOKEN": "short", "X_REGION": "zq7Rk2Wm9Xv4"}.items():
        monkeypatch.setenv(name, value)
    found = set(secrets_of_environment())
    assert "zq7Rk2Wm9" in found
    assert not found & {"short", "zq7Rk2Wm9Xv4"}
