"""No key, and no part of one, whatever a server makes of it."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.judges.concealing import conceal, part_masker

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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f'{{"reason": "{KEY}", "score": 4}}', '{"reason": "***", "score": 4}'),
        (f"{KEY}{KEY}", "***"),
        ("x81AbCdE is masked, 81AbC is too short", "*** is masked, 81AbC is too short"),
        ("before-zx81Ab-after", "before-***-after"),
        ("the word corrects is in no key", "the word corrects is in no key"),
        ("rrecthor in plain letters", "*** in plain letters"),
        ("none, **3456**, ...", "none, **3456**, ..."),
    ],
)
def test_a_reply_loses_the_secret_and_nothing_else(text: str, shown: str) -> None:
    assert part_masker([KEY, "correcthorsebattery", "none", ""])(text) == shown


@given(st.text("zx81AbCd \n", max_size=40), st.text(KEY, min_size=8, max_size=20))
def test_no_part_of_six_characters_is_left(text: str, secret: str) -> None:
    masked = part_masker([secret])(text + secret[:7] + text)
    for start in range(len(secret) - 5):
        part = secret[start : start + 6]
        assert part not in masked or (part.isalpha() and part.islower())
