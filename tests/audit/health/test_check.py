"""The seam: scan, put parts together, report. Whatever the text, and however the corpus is cut."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.audit.health import HealthCheck, HealthPart, HealthReport
from muffakir_eval.audit.records import CorpusChunk
from muffakir_eval.errors import ConfigError
from tests.audit.health.corpora import Examine, chunked

ODD = (
    *(
        "",
        " ",
        "\ud83d",
        "\udfff\ud800",
        "\x00",
        "\ufffd",
        "\u200b",
        "\ufeff",
        "ال",
        "ـ",
        "\u064b",
        "لا",
        "؟",
        "?",
        ".",
    ),
    *(
        "\n",
        "Ø§Ù„",
        "ط§ظ„ط¹",
        "ãÑÍÈÇ",
        "中文",
        "ไทย",
        "ةمدقم",
        "األول",
        "<p>",
        "&nbsp;",
        "(cid:1)",
        "٢٠٠٥",
        "5002",
        "\u202b",
    ),
    *("\ufedf\ufe8e", "ی", "ك", "word", "العقد شريعة المتعاقدين", "e\u0301", "𝔘", "👍"),
)
TEXTS = st.lists(st.sampled_from(ODD) | st.text(max_size=8), max_size=12).map(" ".join)
IDS = st.none() | st.sampled_from(["1", "01", "a", "A", "", "12345678901234500"]) | st.text(max_size=3)
SOURCES = st.none() | st.sampled_from(["a.pdf", "b.pdf", ""])
CORPORA = st.lists(st.tuples(TEXTS, IDS, SOURCES), max_size=12)


def merged(check: HealthCheck, parts: list[HealthPart]) -> HealthReport:
    total = HealthPart()
    for part in parts:
        total.add(part)
    return check.report(total)


@settings(max_examples=80, deadline=None)
@given(CORPORA, st.lists(st.integers(0, 12), max_size=4))
def test_parts_in_any_split_give_the_report_of_the_whole(
    corpus: list[tuple[str, str | None, str | None]], cuts: list[int]
) -> None:
    check = HealthCheck()
    chunks = [
        CorpusChunk(ordinal=row, text=text, chunk_id=chunk_id, source=source, place=f"line {row}")
        for row, (text, chunk_id, source) in enumerate(corpus)
    ]
    bounds = [0, *sorted(min(cut, len(chunks)) for cut in cuts), len(chunks)]
    whole = check.report(check.scan(chunks))
    parts = [check.scan(chunks[first:last]) for first, last in pairwise(bounds)]
    assert merged(check, parts) == whole
    grouped = [HealthPart(), HealthPart()]
    for number, part in enumerate(parts):
        grouped[number > len(parts) // 2].add(part)
    assert merged(check, grouped) == whole
    json.dumps(whole.statistics, allow_nan=False)
    order = {"error": 0, "warning": 1, "info": 2}
    assert sorted(whole.findings, key=lambda found: order[found.severity]) == list(whole.findings)
    for found in whole.findings:
        assert 0 < found.count <= found.total
        assert 0 < len(found.examples) <= 5
        assert all(len(example.excerpt) <= 160 for example in found.examples)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=200), min_size=1, max_size=4), st.sampled_from(["ar", "fa", "ur", "zh"]))
def test_no_text_is_refused(texts: list[str], language: str) -> None:
    check = HealthCheck(language=language)
    report = check.report(check.scan(chunked(texts)))
    assert report.statistics["n_chunks"] == len(texts)


def test_a_split_of_clean_text_with_overlaps_changes_nothing(clean: tuple[str, ...]) -> None:
    text = " ".join(clean)
    chunks = chunked(
        [text[first : first + 300] for first in range(0, len(text), 250)], sources=["one.txt"] * -(-len(text) // 250)
    )
    check = HealthCheck()
    whole = check.report(check.scan(chunks))
    assert whole.finding("cut_word") is not None
    assert merged(check, [check.scan([chunk]) for chunk in chunks]) == whole
    assert merged(check, [pickle.loads(pickle.dumps(check.scan(chunks[:9]))), check.scan(chunks[9:])]) == whole


def test_more_chunks_than_one_window_holds(clean: tuple[str, ...]) -> None:
    chunks = chunked([f"{text} {turn}" for turn in range(9) for text in clean])
    check = HealthCheck()
    part = check.scan(chunks)
    assert len(part) == len(chunks) > 512
    assert merged(check, [check.scan(chunks[:100]), check.scan(chunks[100:])]) == check.report(part)


def test_one_chunk_longer_than_a_window(clean: tuple[str, ...]) -> None:
    check = HealthCheck()
    long = " ".join(clean) * 30
    part = check.scan(chunked([long, clean[0], long + "\x00"]))
    found = check.report(part).finding("control_characters")
    assert found is not None
    assert "\x00" in found.examples[0].excerpt


def test_a_part_goes_on_growing_after_a_report(clean: tuple[str, ...]) -> None:
    check = HealthCheck()
    chunks = chunked([*clean, clean[0]])
    part = check.scan(chunks[:-1])
    before = check.report(part)
    part.add(check.scan(chunks[-1:]))
    assert before.finding("exact_duplicate") is None
    assert check.report(part).finding("exact_duplicate") is not None


def test_an_added_part_is_left_as_it_was(clean: tuple[str, ...]) -> None:
    check = HealthCheck()
    other = check.scan(chunked(clean[:3]))
    before = check.report(other)
    part = check.scan(chunked(clean[3:5]))
    part.add(other)
    part.add(other)
    assert check.report(other) == before


def test_nothing_at_all_is_healthy() -> None:
    check = HealthCheck()
    report = check.report(check.scan([]))
    assert report.findings == ()
    assert report.statistics["n_chunks"] == 0
    json.dumps(report.statistics, allow_nan=False)


def test_the_check_can_be_sent_elsewhere(clean: tuple[str, ...]) -> None:
    check = HealthCheck(language="fa", min_words=2)
    assert pickle.loads(pickle.dumps(check)) == check


def test_options_are_heeded(clean: tuple[str, ...], examine: Examine) -> None:
    texts = ["قرار وزاري جديد", *clean]
    assert examine(texts, check=HealthCheck(min_words=3)).finding("tiny_chunk") is None
    assert examine(texts, check=HealthCheck(min_words=4)).finding("tiny_chunk") is not None
    found = examine(texts, check=HealthCheck(max_characters=100)).finding("oversized_chunk")
    assert found is not None
    assert found.severity == "warning"
    nearly = clean[4].replace("العامل", "الموظف")
    assert examine([*clean, nearly], check=HealthCheck(near_threshold=0.99)).finding("near_duplicate") is None
    assert examine([*clean, nearly], check=HealthCheck(near_threshold=0.6)).finding("near_duplicate") is not None


@pytest.mark.parametrize(
    "options", [{"near_threshold": 0.1}, {"near_threshold": 1.5}, {"min_words": 0}, {"max_characters": 0}]
)
def test_options_that_make_no_sense_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=next(iter(options))):
        HealthCheck(**options)  # type: ignore[arg-type]


def test_ordinals_and_places_are_those_of_the_chunks(clean: tuple[str, ...]) -> None:
    check = HealthCheck()
    chunks = [replace(chunk, ordinal=chunk.ordinal + 1000) for chunk in chunked([*clean[:3], ""])]
    found = check.report(check.scan(chunks)).finding("empty_chunk")
    assert found is not None
    assert (found.examples[0].at.ordinal, found.examples[0].at.place) == (1003, "item 3")
    assert (found.examples[0].at.chunk_id, found.examples[0].at.source) == ("c3", "document 3")


@pytest.mark.parametrize(
    "text",
    [
        "ي" * 200_000 + " ک",
        "Ж" * 200_000 + "ا",
        "ا ب " * 50_000,
        "Ø§" * 100_000,
        "ãÑÍ" * 50_000 + "a",
        "<a " * 60_000,
        "ـ" * 200_000,
        "?? " * 60_000,
        "\u202b" * 100_000,
        "a" * 200_000,
    ],
)
def test_text_made_to_be_slow_is_not(text: str) -> None:
    check = HealthCheck()
    assert check.report(check.scan(chunked([text, text]))).finding("exact_duplicate") is not None


def test_importing_loads_no_numpy() -> None:
    program = "import muffakir_eval.audit.health, sys; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_very_long_row_of_marks_takes_no_time() -> None:
    check = HealthCheck()
    report = check.report(check.scan(chunked(["ا" + "\u0651\u064e\u0655" * 20_000, "e" + "\u0301\u0323" * 20_000])))
    assert report.finding("unicode_not_nfc") is not None
