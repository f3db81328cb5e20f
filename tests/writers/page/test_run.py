"""The page of a run, as a parser and a browser without scripts see it."""

from __future__ import annotations

import base64
import hashlib
import re
import sys
import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from muffakir_eval import EvaluationReport
from muffakir_eval.records import SampleResult
from muffakir_eval.writers.page import run_page
from muffakir_eval.writers.page.drawing import can_draw, warn_without_charts
from tests.writers.page.runs import ANSWERS, HOSTILE, LEAVE, OTHER, ROWS, Parsed, evaluated, page_of


@pytest.fixture(scope="module")
def report() -> EvaluationReport:
    return evaluated()


@pytest.fixture(scope="module")
def arabic(report: EvaluationReport) -> Parsed:
    return Parsed(page_of(report))


@pytest.fixture(scope="module")
def english(report: EvaluationReport) -> Parsed:
    return Parsed(page_of(report, "en"))


def test_the_language_of_the_run_or_the_one_asked_for(arabic: Parsed, english: Parsed) -> None:
    assert arabic.all("html") == [{"lang": "ar", "dir": "rtl"}]
    assert english.all("html") == [{"lang": "en", "dir": "ltr"}]
    assert "تقرير التقييم" in arabic.text and "Evaluation report" in english.text


def test_a_language_without_words_is_english(report: EvaluationReport) -> None:
    summary = report.to_dict() | {"language": "fr"}
    assert 'lang="en"' in b"".join(run_page(summary, report.samples)).decode()


def test_headline_with_interval_and_what_it_covers(english: Parsed) -> None:
    assert re.search(r"Recall 0\.\d{3} \[0\.\d\d–(0\.\d\d|1\.00)\] , \d of 7", english.text)
    assert "Answers refused" in english.text


def test_what_was_judged_is_said_first(arabic: Parsed, english: Parsed) -> None:
    assert next(attributes["class"] for attributes in english.all("p")) == "scope"
    assert "Measured: whether the evidence is retrieved, whether the answers are right, " in english.text
    assert "ما قيس: استرجاع الدليل، صحة الإجابات، " in arabic.text
    retrieval = page_of(evaluated(metrics=["recall"]))
    assert "قيس الاسترجاع وحده؛ ولم يُحكم على صحة الإجابات." in retrieval


def test_warnings_are_arabic_where_they_are_known(report: EvaluationReport) -> None:
    known, unknown = "dry run: no question was asked and nothing was written", "my <i> own"
    summary = report.to_dict() | {"warnings": [known, unknown]}
    page = Parsed(b"".join(run_page(summary, report.samples)).decode())
    assert "تشغيل تجريبي: لم يُطرح أي سؤال ولم يُكتب شيء." in page.text and known not in page.text
    assert [attributes["lang"] for attributes in page.all("span") if "lang" in attributes] == ["en"]
    assert unknown in page.text


def test_what_is_missing_is_told_in_plain_words(arabic: Parsed, english: Parsed) -> None:
    assert "The question cannot be answered, and the system rightly refused." in english.text
    assert "لا إجابة للسؤال، وقد أصاب النظام بامتناعه." in arabic.text
    assert "The system stopped with an error." in english.text


def test_every_section_that_has_something_is_there(english: Parsed) -> None:
    sections = [section["id"] for section in english.all("section")]
    assert sections == [
        "headline", "missing", "warnings", "charts", "slices", "judge", "samples", "settings",
    ]  # fmt: skip
    anchors = [link["href"] for link in english.all("a")]
    assert anchors[1:] == [f"#{section}" for section in sections]


def test_structure_is_sound(arabic: Parsed, english: Parsed) -> None:
    for page in (arabic, english):
        assert page.open == []
        names = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
        assert len(names) == len(set(names))
        levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
        assert levels[0] == 1 and levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        assert all("scope" in head for head in page.all("th"))
        assert [len(page.all(tag)) for tag in ("main", "header", "footer", "h1")] == [1, 1, 1, 1]
        for section in page.all("section"):
            assert section["aria-labelledby"] in names
        for label in page.all("label"):
            assert "for" not in label or label["for"] in names


def test_nothing_is_asked_of_the_network_and_only_our_script_may_run(english: Parsed, report: EvaluationReport) -> None:
    policy = next(meta["content"] for meta in english.all("meta") if "http-equiv" in meta)
    assert policy.startswith("default-src 'none'; ")
    for kind, name in (("style-src", "style"), ("script-src", "")):
        digest = base64.b64encode(hashlib.sha256(english.scripts[name].encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert [script.get("type") for script in english.all("script")].count(None) == 1
    for tag, attributes in english.elements:
        assert "style" not in attributes and "src" not in attributes, tag
        assert not any(name.startswith("on") for name in attributes), tag
        if tag in ("a", "use"):
            assert attributes["href"].startswith("#")
    assert english.all("link") == [{"rel": "icon", "href": "data:,"}]
    assert "http://" not in page_of(report) and "https://" not in page_of(report)


def test_the_same_run_gives_the_same_page(report: EvaluationReport) -> None:
    assert page_of(report) == page_of(report)


def test_charts_are_drawn_with_titles_and_a_table_each(arabic: Parsed, english: Parsed) -> None:
    figures = [figure["id"] for figure in english.all("figure")]
    assert figures == [
        f"chart-{name}" for name in ("metrics", "ranks", "distributions", "refusals", "latency", "tokens")
    ]
    for page in (arabic, english):
        drawings = page.all("svg")
        assert len(drawings) >= 9
        assert {drawing["role"] for drawing in drawings} == {"img"}
        assert len(page.all("desc")) == len(page.all("title")) - 1 == len(drawings)
    assert "الالتزام بالسياق" in arabic.text, "labels stay text, for the browser to shape"
    assert "§" not in arabic.text


def test_rank_of_the_first_evidence(english: Parsed) -> None:
    index = english.unpacked("index")["rows"]
    ranks = {row[0]: row[6] for row in index}
    assert ranks == {
        "leave": 1, "notice": 2, "missed": 0, "refused": 0, "abstained": None, "empty": 1, "broken": None,
    }  # fmt: skip
    assert "Of 6 questions" not in english.text and "Of 5 questions" in english.text


def test_flags_of_the_filters(english: Parsed) -> None:
    names = ("failed", "refused", "hallucinated", "missed", "incorrect")
    found = {
        row[0]: {name for place, name in enumerate(names) if row[7] >> place & 1}
        for row in english.unpacked("index")["rows"]
    }
    assert found == {
        "leave": set(),
        "notice": {"hallucinated", "incorrect"},
        "missed": {"hallucinated", "incorrect", "missed"},
        "refused": {"refused", "incorrect", "missed"},
        "abstained": {"refused"},
        "empty": {"incorrect"},
        "broken": {"failed"},
    }
    assert [row[5] for row in english.unpacked("index")["rows"]] == [
        "answered", "answered", "answered", "refused", "refused", "empty", "error",
    ]  # fmt: skip


def test_details_of_a_sample(english: Parsed) -> None:
    found = english.sample(1)
    texts = english.unpacked("0")["texts"]
    assert found["answer"] == ANSWERS["notice"]
    assert found["answers"] == ["ستون يومًا"]
    assert [texts[chunk["text"]] for chunk in found["chunks"]] == [OTHER, ROWS[1]["context"], LEAVE]
    hit = found["chunks"][1]
    assert (hit["hit"], hit["stage"], hit["score"], hit["golds"], hit["id"]) == (True, "containment", 1.0, [1], "c1")
    assert [ROWS[1]["context"][start:end] for start, end in hit["marks"]] == [ROWS[1]["context"].rstrip(".")]
    assert found["golds"] == [{"n": 1, "found": True, "any": [{"text": hit["text"]}]}]
    faithful = next(score for score in found["scores"] if score["name"] == "faithfulness")
    assert faithful["value"] == 0.0
    assert faithful["says"] == "لا سند <b>له</b>."
    assert faithful["unsupported"] == ["مدة الإخطار تسعون يومًا"]
    assert found["metadata"] == {"topic": "عقود"}


def test_refusal_and_error_of_a_sample(english: Parsed) -> None:
    refused = english.sample(3)
    start, end = refused["refusal"]["span"]
    assert refused["answer"][start:end] == refused["refusal"]["phrase"]
    broken = english.sample(6)
    assert "النظام <b>توقف</b>" in broken["error"]
    assert "chunks" not in broken
    assert "golds" not in english.sample(4)


def test_a_text_that_many_samples_share_is_kept_once(english: Parsed) -> None:
    texts = english.unpacked("0")["texts"]
    assert len(texts) == len(set(texts))


def test_the_first_rows_need_no_script(english: Parsed) -> None:
    assert "كم مدة الإجازة السنوية؟" in english.text
    assert "The first 7 of 7 questions" in english.text
    assert len(english.all("noscript")) == 1


def test_hostile_text_is_text() -> None:
    rows = [{"id": text, "question": text, "answer": text, "context": text, "topic": text} for text in HOSTILE]
    rows[-1]["id"] = "long"
    report = evaluated(rows, metrics=["recall"], pipeline_id="<b>mine</b>")
    page = Parsed(page_of(report, "en"))
    assert page.open == []
    assert not page.all("img") and not page.all("b")
    assert len(page.all("script")) == 4  # settings of the page, table, one block of details, the script
    assert "<script>document.title" in page.text
    assert "صفر␀داخل␛النص\ufffd" in page.text
    rows_there = page.unpacked("index")["rows"]
    assert rows_there[1][2] == HOSTILE[1]
    assert rows_there[4][2] == HOSTILE[4], "half of a pair survives"
    assert page.sample(6)["question"] == HOSTILE[6]
    assert len(rows_there[6][2]) == 600


def test_marks_count_as_a_browser_does() -> None:
    text = "😀" * 3 + " " + LEAVE
    report = evaluated(ROWS[:1], rag=lambda question: ("جواب", [text]), metrics=["recall"])
    start, end = Parsed(page_of(report)).sample(0)["chunks"][0]["marks"][0]
    assert text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le") == LEAVE.rstrip(".")


def test_samples_are_taken_one_after_the_other(report: EvaluationReport) -> None:
    taken: list[str] = []

    def one_by_one() -> Iterator[SampleResult]:
        for result in report.samples:
            taken.append(result.key)
            yield result

    page = run_page(report.to_dict(), one_by_one())
    assert taken == []
    list(page)
    assert len(taken) == len(ROWS)


def test_an_empty_run_and_a_summary_with_little(report: EvaluationReport) -> None:
    page = Parsed(b"".join(run_page({"language": "en", "partial": True}, [])).decode())
    assert "The run stopped early" in page.text
    assert "No question was evaluated" in page.text
    assert [section["id"] for section in page.all("section")] == ["settings"]
    assert not page.all("script") and not page.all("svg")
    rehearsal = Parsed(b"".join(run_page({"dry_run": {}}, [])).decode())
    assert "only a rehearsal" in rehearsal.text


def test_size_beyond_the_data(report: EvaluationReport) -> None:
    page = page_of(report)
    parsed = Parsed(page)
    data = sum(len(text) for name, text in parsed.scripts.items() if name.startswith("data-"))
    assert len(page.encode()) - data < 300_000


def test_without_the_plotting_library(report: EvaluationReport, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    can_draw.cache_clear()
    warn_without_charts.cache_clear()
    try:
        with pytest.warns(UserWarning, match=r"pip install 'muffakir-eval\[report\]'"):
            page = Parsed(page_of(report, "en"))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            page_of(report, "en")
    finally:
        monkeypatch.undo()
        can_draw.cache_clear()
        warn_without_charts.cache_clear()
    assert not page.all("svg")
    assert 'pip install "muffakir-eval[report]"' in page.text
    assert len(page.all("figure")) == 6, "the tables stay"
    figures = [details for details in page.all("details") if "open" in details]
    assert len(figures) == 6


@pytest.mark.parametrize(("metric", "value"), [("own", 12.5), ("own", 0.0)])
def test_a_metric_of_the_users_own(report: EvaluationReport, metric: str, value: float) -> None:
    def own(trial: Any) -> float:
        return value

    made = evaluated(ROWS[:2], metrics=["recall", own])
    page = Parsed(page_of(made, "en"))
    assert metric in page.text
    assert f"{value:.3f}" in page.text
    assert len([code for code in page.all("code") if code.get("dir") == "ltr"]) == 1, "the name of recall in the files"


def test_a_rehearsal_has_settings_and_no_figures() -> None:
    page = Parsed(page_of(evaluated(dry_run=True), "en"))
    assert "only a rehearsal" in page.text and "not measured" not in page.text
    assert {"headline", "missing", "slices", "samples"}.isdisjoint(section["id"] for section in page.all("section"))
