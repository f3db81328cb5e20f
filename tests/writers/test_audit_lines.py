"""An audit in a terminal: what is said, and what a hostile corpus cannot do to it."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from muffakir_eval import audit_index
from muffakir_eval.audit.records import Outcome
from muffakir_eval.writers.audit_lines import OUTCOMES, audit_text
from tests.audit.made import article

CORPUS = [{"chunk_id": f"م{n}", "text": article(n), "source": "b.pdf" if n < 6 else "a.pdf"} for n in range(2, 31)]
QUESTIONS = [
    {"question": f"سؤال {n}", "contexts": [article(n), article(n + 20)], "source_file": "b.pdf" if n < 6 else "a.pdf"}
    for n in range(1, 11)
]


def summary(rag: Any = None, dataset: Any = QUESTIONS, corpus: Any = CORPUS, **settings: Any) -> dict[str, Any]:
    return audit_index(corpus, dataset, rag, progress=False, **settings).to_dict()


def capped(question: str, k: int) -> list[dict[str, str]]:
    return CORPUS[:8]


@pytest.fixture(scope="module")
def full() -> str:
    return audit_text(summary(capped, top_n=12))


@pytest.mark.parametrize(
    "said",
    [
        "corpus iterable of 29 chunks: 29 chunks",
        "10 questions with 20 golds",
        "the first 12 chunks, k = 5",
        "not in the index",
        "in the index, not retrieved",
        "95 % interval",
        "Recall at k = 5 is 0.2500; missing: 0.1500 retrieved below k, 0.5500 in the index, not retrieved, 0.0500",
        "ceiling",
        "per chunk more",
        "n = 10 of 10 questions. After rank 8 nothing new comes.",
        "The retriever never returns more than 8 chunks.",
        "not in 12",
        "By source_file: where most is missing",
        "Latency of the retriever in milliseconds: p50",
        "error     gold_not_in_index",
        "to do: load the documents that hold them",
        "Questions to look at (audit_questions.csv lists all)",
        "row 1, سؤال 1:",
    ],
)
def test_everything_is_said(full: str, said: str) -> None:
    assert said in " ".join(full.split()) or said in full


def test_lines_are_plain_and_end_in_nothing(full: str) -> None:
    ours = "".join(line for line in full.splitlines() if not any("\u0600" <= char <= "\u06ff" for char in line))
    assert ours.isascii()
    assert all(line == line.rstrip() for line in full.splitlines())


def test_only_the_texts() -> None:
    text = audit_text(summary(dataset=None))
    assert "no questions: only the texts were audited" in text
    for heading in ("Where the evidence is", "What k buys", "At which rank", "Questions to look at", "Latency"):
        assert heading not in text
    assert "Findings" in text


def test_without_a_retriever() -> None:
    text = audit_text(summary())
    assert "no retriever was asked" in " ".join(text.split())
    assert "The share of golds in one chunk is 0.9500; missing: 0.0500 not in the index (n = 10)." in text
    assert "What k buys" not in text


def test_nothing_is_missing_and_nothing_is_wrong() -> None:
    questions = [{"question": "سؤال", "context": article(9)}]
    told = summary(dataset=questions)
    told["findings"] = []
    text = audit_text(told)
    assert "The share of golds in one chunk is 1.0000; missing: nothing (n = 1)." in text
    assert "Findings\nnone" in text


def test_what_lies_beyond_the_last_rank_is_not_known() -> None:
    text = audit_text(summary(capped, top_n=8))
    assert "nothing new comes" not in text
    assert "At rank 8, the last that was looked at, something new still comes: ask for more." in " ".join(text.split())


def test_nothing_was_measured() -> None:
    text = audit_text(summary(capped, [{"question": "سؤال بلا دليل"}]))
    assert "Nothing was measured: no gold evidence." in text
    assert "no gold evidence" in text


def test_a_text_cannot_steer_the_terminal() -> None:
    corpus = [{"text": f"\x1b[31m\u202e{article(1)}"}, {"text": f"\x1b[31m\u202e{article(1)}"}]
    questions = [{"question": "\x1b]0;x\x07\u202eسؤال\nثان", "context": article(5)}]
    text = audit_text(summary(None, questions, corpus))
    assert not {"\x1b", "\x07", "\u202e"} & set(text)


def test_a_terminal_without_arabic(full: str) -> None:
    told = summary(capped, top_n=12)
    text = audit_text(told, encoding="ascii")
    assert text.isascii()
    assert "????" in text
    assert audit_text(told, encoding="utf-8") == audit_text(told)


def test_warnings_stand_at_the_end() -> None:
    told = summary(dataset=None)
    told["warnings"] = ["column 'x' was passed over"]
    assert audit_text(told).endswith("warning: column 'x' was passed over")


def test_every_outcome_has_words() -> None:
    assert set(OUTCOMES) == set(get_args(Outcome))
