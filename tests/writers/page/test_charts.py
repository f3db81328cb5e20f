"""Charts: what they hold, and that there is none where there is nothing to show."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from importlib import resources
from typing import Any

import pytest

from muffakir_eval.writers.page.bars import Bar
from muffakir_eval.writers.page.charts import Charts
from muffakir_eval.writers.page.collected import Collected
from muffakir_eval.writers.page.drawing import Canvas
from muffakir_eval.writers.page.wording import wording

USAGE = {"calls": 2, "input_tokens": 100, "output_tokens": 5, "cost_usd": None, "cost_estimate_usd": None}


def charts(summary: dict[str, Any], *rows: list[Any], language: str = "en") -> Charts:
    collected = Collected(list(summary.get("metrics") or {}))
    for row in rows:
        collected.add(row)
    return Charts(summary, collected, wording(language))


def row(rank: int | None, *values: float | None) -> list[Any]:
    return ["id", 1, "q", "a", "g", "answered", rank, 0, list(values)]


def test_no_chart_without_something_to_show() -> None:
    assert charts({}).all() == []
    nothing = {"refusals": {"n_answers": 0}, "latency_ms": {"total": {"n": 0}}, "usage": {"by_metric": {}}}
    assert charts(nothing).all() == []


def test_ranks_beyond_twenty_stand_together() -> None:
    chart = charts({"k": 5}, row(1), row(1), row(30), row(0)).ranks()
    assert chart is not None
    told = {name: (count, share) for name, count, share in chart.tables[0].rows}
    assert told["1"] == ("2", "50.0%")
    assert told["> 20"] == ("1", "25.0%")
    assert told["not found"] == ("1", "25.0%")
    assert "30" not in told


def test_a_rating_is_no_share_and_shows_its_whole_scale() -> None:
    block = {"mean": 4.0, "interval": [3.5, 4.5], "n_scored": 2, "n_total": 2}
    made = charts({"metrics": {"llm_judge_rating": block}}, row(None, 3.0), row(None, 5.0))
    assert made.metrics() is None
    chart = made.distributions()
    assert chart is not None
    assert [list(cells) for cells in chart.tables[0].rows] == [
        ["1", "0"],
        ["2", "0"],
        ["3", "1"],
        ["4", "0"],
        ["5", "1"],
    ]


@pytest.mark.parametrize(("key", "name"), [("cost_usd", "cost"), ("cost_estimate_usd", "cost"), (None, "tokens")])
def test_cost_or_else_tokens(key: str | None, name: str) -> None:
    usage = USAGE | ({key: 0.25} if key else {})
    chart = charts({"usage": {"calls": 2, "by_metric": {"faithfulness": usage, "mrr": {"calls": 0}}}}).cost()
    assert chart is not None and chart.name == name
    assert chart.tables[0].rows == [["Faithfulness", "2", "100", "5", "0.2500" if key else "–"]]
    assert ("0.2500" if key else "100") in chart.drawings[0]


def test_times_of_the_judge_are_calls() -> None:
    times = {"mean": 5.0, "p50": 5.0, "p95": 9.0, "max": 10.0}
    summary = {"usage": {"calls": 3, "latency_ms": times}, "latency_ms": {"total": {**times, "n": 3, "p50": 0.0}}}
    chart = charts(summary).latency()
    assert chart is not None
    assert [cells[0] for cells in chart.tables[0].rows] == ["In all", "The judge, per call"]
    zero = {"total": {"n": 1, "mean": 0.0, "p50": 0.0, "p90": 0.0, "p95": 0.0, "p99": 0.0, "max": 0.0}}
    chart = charts({"latency_ms": zero}).latency()
    assert chart is not None and not chart.drawings, "no logarithm of nothing"


@pytest.mark.parametrize("rtl", [False, True])
def test_a_drawing_is_text_in_the_direction_of_the_page(rtl: bool) -> None:
    made = Canvas("name", "العنوان <b>", "وصف & أرقام", rtl).bars(
        [Bar("صحة الإجابة <i>", 0.5, "0.500 [0.40–0.60]", 0.4, 0.6)]
    )
    root = ET.fromstring(made)
    texts = {text.text: text.attrib for text in root.iter("text")}
    assert root.attrib["role"] == "img"
    assert root.find("title").text == "العنوان <b>"  # type: ignore[union-attr]
    assert root.find("desc").text == "وصف & أرقام"  # type: ignore[union-attr]
    label, figures = texts["صحة الإجابة <i>"], texts["0.500 [0.40–0.60]"]
    assert label["direction"] == ("rtl" if rtl else "ltr") and label["text-anchor"] == "start"
    assert figures["direction"] == "ltr" and figures["text-anchor"] == ("start" if rtl else "end")
    assert (float(label["x"]) > float(figures["x"])) == rtl
    assert not any("style" in element.attrib for element in root.iter())
    assert all(element.attrib["id"].startswith("name-") for element in root.iter() if "id" in element.attrib)


def test_differences_lie_on_both_sides_of_the_middle() -> None:
    made = Canvas("d", "t", "s").differences([Bar("a", 0.2, "+0.2", 0.1, 0.3), Bar("b", -0.1, "-0.1")])
    assert "f-one" in made and "f-two" in made and ">+0.3<" in made and ">-0.3<" in made


def drawn_parts(table: dict[str, dict[str, int]], language: str = "en") -> ET.Element:
    chart = charts({"refusals": {"n_answers": 9, "table": table}}, language=language).refusals()
    assert chart is not None
    return ET.fromstring(chart.drawings[0])


@pytest.mark.parametrize(
    ("question", "state", "colour", "told"),
    [
        ("answerable", "answered", "f-one", "answered 4"),
        ("answerable", "refused", "f-five", "refused, though it can be answered 4"),
        ("answerable", "error", "f-fail", "error 4"),
        ("unanswerable", "refused", "f-three", "rightly refused 4"),
        ("unanswerable", "answered", "f-five", "answered, though it cannot be 4"),
        ("unanswerable", "error", "f-fail", "error 4"),
        ("unknown", "refused", "f-six", "refused 4"),
        ("answerable", "empty", "f-soft", "empty answer 4"),
    ],
)
def test_the_colour_of_an_outcome_says_what_it_means_and_words_say_it_too(
    question: str, state: str, colour: str, told: str
) -> None:
    root = drawn_parts({question: {state: 4}})
    fills = {name for element in root.iter() for name in element.attrib.get("class", "").split()}
    series = {"f-one", "f-two", "f-three", "f-four", "f-five", "f-six", "f-fail"}
    assert fills & series == {colour} & series
    assert told in [text.text for text in root.iter("text")]


def test_many_outcomes_take_more_lines_and_the_legend_has_each_once() -> None:
    counts = {"answered": 1, "partial": 2, "refused": 3, "empty": 4, "no_answer": 5, "error": 6}
    root = drawn_parts({"answerable": counts, "unanswerable": {"error": 1}})
    texts = [text.text or "" for text in root.iter("text")]
    assert texts.count("error") == 1
    lines = [text for text in texts if " · " in text or text.endswith((" 6", " 1"))]
    assert len(lines) >= 3 and max(map(len, lines)) <= 56
    assert " · ".join(lines[:-1]).endswith("error 6") and lines[-1] == "error 1"


def _light(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("dark", [False, True])
def test_what_is_drawn_stands_out_from_the_card(dark: bool) -> None:
    """WCAG asks for 3:1 of what is drawn; 4.5:1, as for text, is met by all."""
    css = (resources.files("muffakir_eval.resources") / "page" / "page.css").read_text(encoding="utf-8")
    block = css.split(":root {")[2 if dark else 1].partition("}")[0]
    colours = dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", block))
    card = _light(colours["card"])
    for name in ("one", "two", "three", "four", "five", "six", "soft", "fail"):
        low, high = sorted((_light(colours[name]), card))
        assert (high + 0.05) / (low + 0.05) >= 4.5, name
