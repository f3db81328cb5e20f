"""Real text: clean where it is clean, garbled as its notes say, planted faults at their exact count."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval.audit.health import HealthCheck
from muffakir_eval.text.sentences import split_sentences
from tests.audit.health.corpora import Examine, chunked
from tests.audit.health.test_faults import PLANTS

GARBLED = {
    "mojibake",
    "replacement_character",
    "presentation_forms",
    "reversed_text",
    "letters_apart",
    "missing_spaces",
    "unmapped_glyphs",
    "mixed_code_points",
    "tatweel",
    "bidi_controls",
    "invisible_characters",
    "control_characters",
    "lone_surrogate",
    "unicode_not_nfc",
    "html_remains",
    "swapped_lam_alef",
    "reversed_digits",
}
Chunks = tuple[list[str], list[str]]


def passages(path: Path) -> list[str]:
    articles = json.loads(path.read_text(encoding="utf-8"))["data"]
    return [paragraph["context"] for article in articles for paragraph in article["paragraphs"]]


def whole(texts: list[str]) -> Chunks:
    return texts, [f"{row}.txt" for row in range(len(texts))]


def of_characters(size: int, step: int) -> Callable[[list[str]], Chunks]:
    def split(texts: list[str]) -> Chunks:
        found = [(text[at : at + size], row) for row, text in enumerate(texts) for at in range(0, len(text), step)]
        return [piece for piece, _ in found], [f"{row}.txt" for _, row in found]

    return split


def of_words(size: int, step: int) -> Callable[[list[str]], Chunks]:
    def split(texts: list[str]) -> Chunks:
        words = [text.split() for text in texts]
        found = [(some[at : at + size], row) for row, some in enumerate(words) for at in range(0, len(some), step)]
        return [" ".join(piece) for piece, _ in found], [f"{row}.txt" for _, row in found]

    return split


def of_sentences(texts: list[str]) -> Chunks:
    found = [(sentence, row) for row, text in enumerate(texts) for sentence in split_sentences(text)]
    return [piece for piece, _ in found], [f"{row}.txt" for _, row in found]


SPLITTERS = {
    "whole": whole,
    "characters": of_characters(400, 400),
    "windows": of_characters(400, 300),
    "words": of_words(60, 60),
    "sentences": of_sentences,
}
CUTTING = {"characters", "windows"}


@pytest.mark.parametrize("way", SPLITTERS)
def test_clean_passages_have_no_error_however_they_are_cut(way: str, data_dir: Path, examine: Examine) -> None:
    texts, sources = SPLITTERS[way](passages(data_dir / "arcd" / "arcd-train.json"))
    report = examine(texts, sources=sources)
    assert [found for found in report.findings if found.severity == "error"] == []
    assert (report.finding("cut_word") is not None) == (way in CUTTING)
    assert {found.code for found in report.findings} & GARBLED <= {"tatweel", "bidi_controls"}


@pytest.mark.parametrize("way", SPLITTERS)
def test_every_planted_fault_is_found_in_real_passages(way: str, data_dir: Path, examine: Examine) -> None:
    texts, sources = SPLITTERS[way](passages(data_dir / "arcd" / "arcd-train.json"))
    before = {found.code: found.count for found in examine(texts, sources=sources).findings}
    sound = [row for row, text in enumerate(texts) if len(text.split()) > 8 and not set(text) & set("ـ\u200fکی")]
    rows = iter(sound[:: max(1, len(sound) // (3 * len(PLANTS)))])
    planted: dict[str, list[int]] = {code: [next(rows) for _ in range(3)] for code in PLANTS}
    texts = list(texts)
    for code, places in planted.items():
        for row in places:
            texts[row] = PLANTS[code](texts[row])
    report = examine(texts, sources=sources)
    found = {finding.code: finding.count for finding in report.findings}
    # mojibake has control characters, too, and an empty chunk is made of invisible ones
    exact = PLANTS.keys() - {"control_characters", "invisible_characters", "bidi_controls"}
    assert {code: found.get(code, 0) - before.get(code, 0) for code in exact} == dict.fromkeys(exact, 3)
    assert all(found[code] >= before.get(code, 0) + 3 for code in PLANTS)


@pytest.mark.parametrize(("name", "language"), [("en", "en"), ("zh", "zh")])
def test_english_and_chinese_passages_have_no_error(name: str, language: str, data_dir: Path, examine: Examine) -> None:
    texts = passages(data_dir / "xquad" / f"xquad.{name}.json")
    report = examine(texts, check=HealthCheck(language=language))
    assert [found for found in report.findings if found.severity == "error"] == []
    # byte-order marks inside six Chinese passages
    expected = {"invisible_characters": 6} if name == "zh" else {}
    assert {found.code: found.count for found in report.findings if found.code in GARBLED} == expected


def test_articles_of_law_have_only_the_faults_that_they_have(data_dir: Path) -> None:
    texts, ids, sources = [], [], []
    for path in sorted((data_dir / "wakili_legal" / "corpus").glob("*.json")):
        laws = json.loads(path.read_text(encoding="utf-8-sig"))
        for law in laws if isinstance(laws, list) else [laws]:
            for article in law.get("data", [law]):
                texts.append(article["original_text"] or "")
                ids.append(article["article_id"])
                sources.append(path.name)
    check = HealthCheck()
    report = check.report(check.scan(chunked(texts, ids, sources)))
    assert len(texts) == 2378
    found = report.finding("duplicate_id")
    assert found is not None
    assert (found.count, found.examples[0].at.chunk_id) == (1, "EG-CRIM-PROC-ART-510")  # two different articles
    assert [other.code for other in report.findings if other.severity == "error"] == ["duplicate_id"]
    repealed = report.finding("exact_duplicate")
    assert repealed is not None
    assert repealed.examples[0].excerpt == "ملغاة."
    assert {other.code for other in report.findings} & GARBLED == {"tatweel"}
    assert report.finding("cut_word") is None
    assert report.finding("cut_sentence") is None


EXTRACTED: dict[str, set[str]] = {
    "pypdf": {"presentation_forms", "mixed_code_points", "tatweel", "unmapped_glyphs", "reversed_digits"},
    "pymupdf": {"presentation_forms", "mixed_code_points", "tatweel", "unmapped_glyphs", "reversed_digits"},
    "pdfminer": {"presentation_forms", "mixed_code_points", "tatweel", "unmapped_glyphs", "reversed_text"},
}


@pytest.mark.parametrize("extractor", EXTRACTED)
def test_one_document_by_three_extractors(extractor: str, data_dir: Path, examine: Examine) -> None:
    path = data_dir / "messy_text" / "arafix_pdf" / f"iraq_constitution.{extractor}.txt"
    texts, _ = of_words(60, 60)([path.read_text(encoding="utf-8")])
    report = examine(texts)
    assert {found.code for found in report.findings} & GARBLED == EXTRACTED[extractor]
    forms = report.finding("presentation_forms")
    assert forms is not None
    assert (forms.severity, forms.count) == ("error", len(texts))
    if extractor == "pdfminer":
        backwards = report.finding("reversed_text")
        assert backwards is not None
        assert (backwards.severity, backwards.count) == ("error", len(texts))
        assert "حقوق" in backwards.examples[0].detail


def test_its_true_text_has_none_of_this(data_dir: Path, examine: Examine) -> None:
    path = data_dir / "messy_text" / "arafix_pdf" / "iraq_constitution_original.txt"
    texts, _ = of_words(60, 60)([path.read_text(encoding="utf-8")])
    report = examine(texts)
    assert {found.code for found in report.findings} & GARBLED == set()
    assert all(found.severity == "info" for found in report.findings)


@pytest.mark.parametrize("spelling", ["simple-clean", "simple-minimal", "simple-plain", "simple", "uthmani"])
def test_the_same_verses_in_five_spellings(spelling: str, data_dir: Path, examine: Examine) -> None:
    texts = (data_dir / "messy_text" / f"quran_{spelling}_300.txt").read_text(encoding="utf-8").splitlines()
    report = examine(texts)
    # the Uthmanic spelling writes the maddah above an alef as a sign of its own
    assert {found.code for found in report.findings} & GARBLED == (
        {"unicode_not_nfc"} if spelling == "uthmani" else set()
    )
    assert [found for found in report.findings if found.severity == "error"] == []
    vowels = report.statistics["diacritics"]
    assert (vowels["chunks_with_any"] == 0) == (spelling == "simple-clean")
    assert (vowels["chunks_fully_vowelled"] > 250) == (spelling != "simple-clean")


def test_all_five_spellings_together_repeat_each_verse(data_dir: Path, examine: Examine) -> None:
    names = ("simple-clean", "simple-minimal", "simple-plain", "simple")
    files = [data_dir / "messy_text" / f"quran_{name}_300.txt" for name in names]
    report = examine([line for path in files for line in path.read_text(encoding="utf-8").splitlines()])
    same = report.finding("same_after_normalisation")
    assert same is not None
    assert same.count > 750
    assert report.finding("diacritics_mixed") is not None


def repair_cases(data_dir: Path) -> list[dict[str, Any]]:
    path = data_dir / "messy_text" / "arafix_pdf" / "stress_cases_slim.json"
    cases: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return cases


def test_every_mojibake_of_the_repair_cases_is_told_and_read(data_dir: Path, examine: Examine) -> None:
    cases = [case for case in repair_cases(data_dir) if {"mojibake", "cp1256"} & set(case["tags"])]
    assert len(cases) == 9
    for case in cases:
        found = examine([case["input"]]).finding("mojibake")
        assert found is not None, case["id"]
        # half a letter was lost before "Customer" in two of them
        assert found.examples[0].detail == f"should read: {case['expected']}".replace("المCustomer", "المÙCustomer")


def test_what_must_not_change_in_the_repair_cases_is_no_fault(data_dir: Path, examine: Examine) -> None:
    cases = repair_cases(data_dir)
    sound = [case["input"] for case in cases if case["must_not_change"]] + [case["expected"] for case in cases]
    for text in sound:
        expected = {"html_remains"} if "<div" in text else set()
        assert {found.code for found in examine([text]).findings} & GARBLED == expected, text


def test_presentation_forms_and_swapped_ligatures_of_the_repair_cases(data_dir: Path, examine: Examine) -> None:
    by_id = {case["id"]: examine([case["input"]]) for case in repair_cases(data_dir)}
    for case in ("A3-01", "A3-02", "A3-07"):
        assert by_id[case].finding("presentation_forms") is not None
    for case in ("A3-04", "A3-08"):
        assert by_id[case].finding("swapped_lam_alef") is not None
    for case in ("A2-07", "A5-01", "A5-05"):  # shorter ones give no evidence
        assert by_id[case].finding("reversed_text") is not None
