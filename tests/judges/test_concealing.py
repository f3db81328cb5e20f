"""No key, and no part of one, whatever a server makes of it."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.judges.concealing import conceal

KEY = "zx81AbCdEfGh3456"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"key {KEY}.", "key ***."),
        ("key zx***56 is wrong", "key *** is wrong"),
        ("key 'zx81…'", "key '***'"),
        ("key ending in 3456.", "key ending in ***"),
        ("key zx81AbCd", "key ***"),
        ("the middle CdEf shows", "the middle *** shows"),
        ("nothing to see... here", "nothing to see... here"),
        (f"two {KEY} and zxxxxx3456", "two *** and ***"),
    ],
)
def test_parts(text: str, shown: str) -> None:
    assert conceal(text, [KEY]) == shown


def test_plain_words_inside_a_key_are_words() -> None:
    key = "sk-proj-abcd1234"
    assert conceal("The project is gone", [key]) == "The project is gone"
    assert conceal("sk-proj-ab***", [key]) == "***"


@pytest.mark.parametrize("placeholder", ["ollama", "EMPTY", "", "x"])
def test_a_placeholder_is_no_secret_in_parts(placeholder: str) -> None:
    assert conceal("model llama3.2 not found", [placeholder]) == "model llama3.2 not found"


ALPHABET = string.ascii_letters + string.digits + "-_"


@settings(max_examples=100, deadline=None)
@given(
    key=st.text(ALPHABET, min_size=16, max_size=40).filter(lambda key: any(c.isdigit() for c in key[:8])),
    head=st.integers(6, 12),
    tail=st.integers(4, 6),
    gap=st.sampled_from(["", "***", "…", "...", "•••••", "XXXX"]),
)
def test_no_shortened_key_survives(key: str, head: int, tail: int, gap: str) -> None:
    shown = f"{key[:head]}{gap}{key[-tail:]}"
    hidden = conceal(f"Incorrect API key provided: {shown} (401)", [key])
    assert shown not in hidden
    assert key[:head] not in hidden
