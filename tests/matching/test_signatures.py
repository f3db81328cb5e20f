"""Signatures are those of the tokens, whichever way they are computed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.matching.signatures import Signature, Signer, signer_for
from muffakir_eval.text.codepage import PAGE
from muffakir_eval.text.normalize import normalizer_for
from muffakir_eval.text.tokens import tokenize

PROFILES = ["arabic", "persian", "urdu", "none"]
SIGNS = "aب1٣.,٫٬،_ -/\u064e\u0640\u200c\u200f\u0653\u0654ي中国🙂\u0301é\u2028\udc00𝐀"
page = st.text(st.sampled_from(PAGE.rstrip("\ufffe")), max_size=30)
odd = st.text(st.sampled_from(SIGNS), max_size=20)


def obvious(text: str, profile: str) -> set[str]:
    return set(tokenize(text, normalizer_for(profile)))


def mean_length(text: str, profile: str) -> float:
    """In units of UTF-16."""
    tokens = tokenize(text, normalizer_for(profile))
    return sum(len(token.encode("utf-16-le", "surrogatepass")) // 2 for token in tokens) / max(len(tokens), 1)


def bucket_of(token: str, signer: Signer) -> int:
    [signature] = signer.sign([token])
    return signature.bits


@given(st.lists(page | odd | st.text(max_size=12), min_size=1, max_size=5), st.sampled_from(PROFILES))
@settings(max_examples=400, deadline=None)
def test_a_signature_is_that_of_the_tokens(texts: list[str], profile: str) -> None:
    signer = signer_for(normalizer_for(profile))
    for text, signature in zip(texts, signer.sign(texts), strict=True):
        tokens = obvious(text, profile)
        bits = 0
        for token in tokens:
            bits |= bucket_of(token, signer)
        assert signature == Signature(bits, len(tokens), mean_length(text, profile), len(tokens) - bits.bit_count())


@given(page | odd, page | odd)
@settings(max_examples=200, deadline=None)
def test_no_more_tokens_are_shared_than_bits_and_hidden_ones(one: str, other: str) -> None:
    ours, theirs = signer_for(normalizer_for("arabic")).sign([one, other])
    shared = len(obvious(one, "arabic") & obvious(other, "arabic"))
    assert shared <= (ours.bits & theirs.bits).bit_count() + min(ours.hidden, theirs.hidden)


def test_the_order_of_letters_and_the_place_in_the_batch() -> None:
    signer = signer_for(normalizer_for("arabic"))
    made = signer.sign(["abc", "cba", "x abc", "", "abc"])
    assert made[0] == made[4] != made[1]
    assert made[2].bits & made[0].bits == made[0].bits
    assert made[3] == Signature(0, 0, 0.0, 0)
    assert signer.sign([]) == []


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("3.5", 1),
        ("1,234", 1),
        ("1,23", 2),
        ("3 . 5", 2),
        ("3\u200f.5", 1),
        ("1.2.3 و 4", 3),
        ("a.b", 2),
        ("_x_ y_", 2),
    ],
)
def test_numbers_and_names_with_signs_inside(text: str, size: int) -> None:
    [signature] = signer_for(normalizer_for("arabic")).sign([text])
    assert signature.size == size == len(obvious(text, "arabic"))


def test_a_long_text_and_one_after_it() -> None:
    long = " ".join(f"w{number}" for number in range(30_000))
    made = signer_for(normalizer_for("arabic")).sign(["abc", long, "abc", "中国" * 20_000])
    assert made[0] == made[2]
    assert made[1].size == 30_000
    assert 4000 < made[1].bits.bit_count() <= 4096
    assert made[3].size == 2


def test_hidden_tokens_are_counted() -> None:
    [signature] = signer_for(normalizer_for("arabic")).sign([" ".join(f"w{number}" for number in range(500))])
    assert signature.size == 500
    assert signature.hidden == 500 - signature.bits.bit_count() > 0


def test_real_passages(data_dir: Path) -> None:
    passages = []
    for name in ("arcd/arcd-train.json", "xquad/xquad.en.json", "xquad/xquad.zh.json"):
        data = json.loads((data_dir / name).read_text(encoding="utf-8"))["data"]
        passages += [paragraph["context"] for article in data[:12] for paragraph in article["paragraphs"]]
    signatures = signer_for(normalizer_for("arabic")).sign(passages)
    assert [signature.size for signature in signatures] == [len(obvious(text, "arabic")) for text in passages]
