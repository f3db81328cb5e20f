"""The pages of comparisons, of judges and of audits: the same frame, their own figures."""

from __future__ import annotations

import copy
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import audit_index, compare_runs
from muffakir_eval.records import RetrievedChunk
from muffakir_eval.writers.page import audit_page, comparison_page, judge_comparison_page
from muffakir_eval.writers.page.drawing import can_draw, warn_without_charts
from muffakir_eval.writers.page.wording import wording
from tests.writers.page.other_runs import audited, compared, judged
from tests.writers.page.runs import LEAVE, NOTICE, OTHER, Parsed, evaluated

EMPTY = {"corpus": {"name": "index", "n_chunks": 1}, "partial": True, "warnings": ["slow <b>"]}
Page = Callable[..., Iterator[bytes]]


def parsed(made: Iterator[bytes]) -> Parsed:
    return Parsed(b"".join(made).decode("utf-8"))


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return compared(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def judges() -> dict[str, Any]:
    return judged()


@pytest.fixture(scope="module")
def audit() -> dict[str, Any]:
    return audited()


@pytest.mark.parametrize("language", ["ar", "en"])
@pytest.mark.parametrize(
    ("kind", "page"), [("comparison", comparison_page), ("judges", judge_comparison_page), ("audit", audit_page)]
)
def test_they_are_whole_and_self_contained(
    kind: str, page: Page, language: str, request: pytest.FixtureRequest
) -> None:
    found = request.getfixturevalue(kind)
    made = parsed(page(found, language=language))
    assert made.open == []
    assert made.all("html") == [{"lang": language, "dir": "rtl" if language == "ar" else "ltr"}]
    names = [attributes["id"] for _, attributes in made.elements if "id" in attributes]
    assert len(names) == len(set(names))
    assert {link["href"][1:] for link in made.all("a")} <= set(names)
    assert not made.all("script") and not made.all("b") and not made.all("i")
    levels = [int(tag[1]) for tag, _ in made.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and max(levels) <= 3
    assert all("scope" in head for head in made.all("th"))
    assert {drawing["role"] for drawing in made.all("svg")} == {"img"}
    assert "\u2068" not in made.scripts["style"]
    assert b"".join(page(found, language=language)) == b"".join(page(found, language=language))


def test_a_comparison_says_what_differs(comparison: Mapping[str, Any]) -> None:
    page = parsed(comparison_page(comparison, language="en"))
    recall = next(one for one in comparison["pairs"][0]["metrics"] if one["metric"] == "recall_at_k")
    assert "B against A" in page.text and "first <b>" in page.text
    assert f"{recall['mean_a']:.3f}" in page.text and f"{recall['difference']:+.3f}" in page.text
    assert "Questions that moved most" in page.text and "Difference by \u2068topic\u2069" in page.text
    assert "مقارنة التشغيلات" in parsed(comparison_page(comparison, language="ar")).text


def test_what_was_not_compared_and_which_settings_differ(tmp_path: Path) -> None:
    page = parsed(comparison_page(compared(tmp_path, second={"k": 2}), language="en"))
    assert "What differs in the settings" in page.text
    assert "Not compared" in page.text, "the cutoffs differ"


def test_what_explains_a_comparison(tmp_path: Path) -> None:
    found = compared(tmp_path, margin=0.1, cluster_column="topic", min_coverage=0.1)
    page = parsed(comparison_page(found, language="en"))
    assert "Questions with the same \u2068topic\u2069 count as one draw." in page.text
    assert "by no more than a margin?" in page.text
    verdicts = {one["verdict"] for one in found["pairs"][0]["metrics"]}
    assert ("not distinguishable" in page.text) == ("not_distinguishable" in verdicts)


def test_judges_without_people_are_compared_with_each_other() -> None:
    page = parsed(judge_comparison_page(judged(human_column=None), language="en"))
    assert "Agreement among the judges" in page.text and "Agreement with people" not in page.text
    assert "Read first: where they differ: one – two" in page.text
    assert "Agreement by \u2068kind\u2069" in page.text


def test_a_rehearsal_of_judges_says_so() -> None:
    found = judged() | {"dry_run": [], "metrics": [], "judges": []}
    assert "only a rehearsal" in parsed(judge_comparison_page(found, language="en")).text


def test_quality_against_cost(judges: Mapping[str, Any]) -> None:
    metric = dict(judges["metrics"][0])
    offer = {"quality_is": "kappa", "quality": 0.5, "n": 12, "beaten_by": None}
    metric["frontier_reason"] = None
    metric["frontier"] = [
        {**offer, "judge": "one", "cost_per_1000": 0.25, "on_frontier": True},
        {**offer, "judge": "two", "cost_per_1000": 2.0, "on_frontier": False, "beaten_by": "one"},
        {**offer, "judge": "three", "cost_per_1000": None, "on_frontier": None},
    ]
    text = parsed(judge_comparison_page({**judges, "metrics": [metric]}, language="en")).text
    assert "0.2500" in text and "no: \u2068one\u2069 agrees at least as well" in text
    assert "the cost is not known" in text


def test_judges_and_people(judges: Mapping[str, Any]) -> None:
    page = parsed(judge_comparison_page(judges, language="en"))
    kappa = judges["metrics"][0]["people"][0]["agreement"]["kappa"]["value"]
    assert f"{kappa:.3f}" in page.text
    assert "Agreement with people" in page.text and "one – two" in page.text
    assert "تعليل <i>" in page.text


def test_an_audit_names_what_is_not_there(audit: Mapping[str, Any]) -> None:
    page = parsed(audit_page(audit))
    english = parsed(audit_page(audit, language="en"))
    assert page.all("html")[0]["lang"] == "ar"
    assert "فحص الفهرس" in page.text and "ليس في الفهرس" in page.text
    assert "gold_not_in_index" in english.text and "breaks retrieval" in english.text
    assert "Questions to look at" in english.text
    assert "k = 2" in english.text
    assert "By \u2068topic\u2069" in english.text


def test_an_audit_of_an_index_alone() -> None:
    index = [RetrievedChunk(text=text, chunk_id=f"c{n}") for n, text in enumerate((LEAVE, NOTICE, OTHER))]
    page = parsed(audit_page(audit_index(index, progress=False).to_dict(), language="en"))
    sections = [section["id"] for section in page.all("section")]
    assert "Nothing was found." in parsed(audit_page({**EMPTY, "language": "en"})).text
    assert "findings" in sections and "outcomes" not in sections and "metrics" not in sections


def test_questions_without_any_gold_have_a_table_and_no_chart() -> None:
    rows = [{"outcome": "no_gold", "n": 3, "share": None, "interval": None}]
    page = parsed(audit_page({**EMPTY, "outcomes": {"questions": {"rows": rows}}}, language="en"))
    assert "no evidence known 3 – –" in page.text
    assert not page.all("figure")


def test_without_the_plotting_library(
    comparison: Mapping[str, Any], judges: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    can_draw.cache_clear()
    warn_without_charts.cache_clear()
    try:
        with pytest.warns(UserWarning, match="has no charts") as warned:
            pages = [parsed(comparison_page(comparison)), parsed(judge_comparison_page(judges))]
    finally:
        monkeypatch.undo()
        can_draw.cache_clear()
        warn_without_charts.cache_clear()
    assert len(warned) == 1, "once"
    for page in pages:
        assert not page.all("svg") and len(page.all("figure")) == 1
        assert 'pip install "muffakir-eval[report]"' in page.text


def test_counts_stand_in_the_order_of_their_heading(comparison: Mapping[str, Any]) -> None:
    page = parsed(comparison_page(comparison, language="ar"))
    turned = [attributes for attributes in page.all("span") if attributes.get("dir") == "rtl"]
    metrics = [one for one in comparison["pairs"][0]["metrics"] if one["n"]]
    assert len(turned) >= 2 * len(metrics), "the counts and the verdict of each"
    assert "B أفضل / تعادل / A أفضل" in page.text


def test_negative_figures_after_arabic_words_keep_their_sign(judges: Mapping[str, Any]) -> None:
    metric = copy.deepcopy(judges["metrics"][0])
    for one in metric["people"]:
        for part in one["slices"]:
            part["agreement"]["kappa"]["value"] = -0.25
    page = b"".join(judge_comparison_page({**judges, "metrics": [metric]}, language="ar")).decode()
    assert re.search(r'كابا <bdi dir="ltr">-0\.25 \(n=\d+\)</bdi>', page)


def test_long_texts_are_cut_in_tables(comparison: Mapping[str, Any]) -> None:
    found = copy.deepcopy(dict(comparison))
    for one in found["pairs"][0]["metrics"]:
        for moved in one["moved"]:
            moved["question"] = "س" * 100_000
    page = b"".join(comparison_page(found))
    assert len(page) < 200_000
    assert "س" * 600 + " …" in page.decode() and "س" * 601 not in page.decode()


def test_what_judges_and_the_audit_say_of_themselves_is_named_as_english(judges: Mapping[str, Any]) -> None:
    one = {**judges["judges"][0], "message": "it stopped <b>", "notes": ["slow"]}
    page = parsed(judge_comparison_page({**judges, "judges": [one], "notes": ["few answers"]}, language="ar"))
    assert "one : it stopped <b>" in page.text and "one : slow" in page.text
    assert len([attributes for attributes in page.all("span") if attributes.get("lang") == "en"]) == 3
    audit = parsed(audit_page({**EMPTY, "language": "ar"}))
    assert [attributes["lang"] for attributes in audit.all("span") if "lang" in attributes] == ["en"]


def test_what_is_known_of_judges_is_told_in_arabic(judges: Mapping[str, Any]) -> None:
    one = {**judges["judges"][0], "message": None, "notes": ["its run holds 3 of the 7 answers"]}
    found = {**judges, "judges": [one], "notes": ["no judge has rated anything"]}
    page = parsed(judge_comparison_page(found, language="ar"))
    assert "لم يُقيّم أي حَكَم شيئًا." in page.text and "في تشغيله من الإجابات" in page.text
    assert [attributes for attributes in page.all("span") if attributes.get("lang") == "en"] == []


def test_what_is_known_of_an_audit_is_told_in_arabic() -> None:
    told = "q.json: read as JSON Lines, which it is in spite of its suffix"
    page = parsed(audit_page({**EMPTY, "language": "ar", "warnings": [told]}))
    assert "فهذه صيغته" in page.text and "in spite of" not in page.text


def test_agreement_without_a_figure(judges: Mapping[str, Any]) -> None:
    metric = copy.deepcopy(judges["metrics"][0])
    nothing = {"value": None, "low": None, "high": None}
    for one in (
        metric,
        *metric["people"],
        *metric["pairs"],
        *(part for by in metric["people"] for part in by["slices"]),
    ):
        for name, found in (one.get("agreement") or {}).items():
            if isinstance(found, dict):
                one["agreement"][name] = {**found, **nothing}
    metric["alpha"] = {**metric["alpha"], **nothing}
    page = parsed(judge_comparison_page({**judges, "metrics": [metric]}, language="en"))
    assert "no figure: too few answers, or all alike" in page.text
    assert "– (n=6)" in page.text and not page.all("figure")


@pytest.mark.parametrize("language", ["ar", "en"])
def test_times_stand_apart_from_scores_and_say_what_their_verdict_is_worth(
    comparison: Mapping[str, Any], language: str
) -> None:
    found = copy.deepcopy(dict(comparison))
    for one in found["pairs"][0]["metrics"]:
        if one["metric"] == "pipeline_latency_ms":
            one.update(mean_a=0.4, mean_b=0.2, difference=-0.2, interval=(-0.3, -0.1), verdict="better", reason=None)
        else:
            one["verdict"] = "not_distinguishable"
    page = parsed(comparison_page(found, language=language))
    words = wording(language)
    time = words.metric("pipeline_latency_ms")
    (chart,) = re.findall("<svg.*?</svg>", b"".join(comparison_page(found, language=language)).decode(), re.DOTALL)
    assert time not in chart and words.metric("recall_at_k") in chart
    assert words.plain("comparison.times") in page.text and words.plain("comparison.latency") in page.text
    assert {attributes["class"] for attributes in page.all("span") if "tag" in attributes.get("class", "")} == {"tag"}


@pytest.mark.parametrize(("p_value", "key"), [(0.03, "among_many"), (0.2, "alone")])
def test_an_interval_that_leaves_out_0_without_a_verdict_is_explained(
    comparison: Mapping[str, Any], p_value: float, key: str
) -> None:
    found = copy.deepcopy(dict(comparison))
    plain = parsed(comparison_page(found, language="en")).text
    recall = next(one for one in found["pairs"][0]["metrics"] if one["metric"] == "recall_at_k")
    recall.update(interval=(-0.4, -0.1), difference=-0.2, p_value=p_value, verdict="not_distinguishable")
    for language in ("ar", "en"):
        words = wording(language)
        told = " ".join(words.plain(f"comparison.{key}", names=words.metric("recall_at_k")).split())
        assert told in parsed(comparison_page(found, language=language)).text
    assert "leaves out 0" not in plain


def test_notes_on_a_comparison_are_arabic_on_an_arabic_page(tmp_path: Path) -> None:
    evaluated(metrics=["recall"]).save(tmp_path / "a")
    found = compare_runs(tmp_path / "a", tmp_path / "a", n_resamples=500).to_dict()
    assert found["pairs"][0]["notes"] == ("A and B are the same run",)
    page = parsed(comparison_page(found, language="ar"))
    assert "تشغيل واحد." in page.text and "the same run" not in page.text
