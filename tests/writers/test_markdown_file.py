"""``report.md``: what GitHub shows is what was found, and nothing in it comes alive."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from muffakir_eval.records import PipelineOutput, Sample, SampleResult, Score
from muffakir_eval.writers.lines import plain
from muffakir_eval.writers.markdown_file import escaped, markdown_chunks

SUMMARY: dict[str, Any] = {
    "n_samples": 3,
    "n_planned": 4,
    "k": 5,
    "run_id": "20260101T000000Z-ab",
    "partial": True,
    "language": "en",
    "confidence_level": 0.9,
    "dataset": {"source": "a|b.jsonl"},
    "pipeline": {"pipeline_id": "<script>rag"},
    "metrics": {
        "recall_at_k": {
            "mean": 0.5,
            "interval": [0.25, 0.75],
            "n_scored": 2,
            "n_total": 3,
            "reasons": {"no_gold": 1},
            "mean_failures_as_zero": 0.5,
        },
        "mine": {"mean": None, "reason": "metric_error", "n_scored": 0, "n_total": 3},
    },
    "slices": {
        "dialect": [
            {"value": None, "n_samples": 2, "metrics": {"recall_at_k": {"mean": 1.0}, "mine": {"mean": None}}},
            {"value": "مصري", "n_samples": 1, "metrics": {}},
            {"n_other_values": 4},
        ]
    },
    "refusals": {
        "n_answers": 3,
        "n_refused": 1,
        "rate": 1 / 3,
        "interval": [0.1, 0.8],
        "table": {"answerable": {"answered": 2, "refused": 1}, "unknown": {}},
    },
    "latency_ms": {"total": {"n": 3, "mean": 1234.56, "p50": 1.0, "p90": None, "p95": 2.0, "p99": 2.0}, "x": {"n": 0}},
    "judge": {"model": "gpt-4o"},
    "usage": {"calls": 3, "cached": 0, "input_tokens": 10, "output_tokens": None, "cost_usd": None},
    "errors": {"pipeline_error": 1},
    "error_examples": [{"message": "no\nroute", "n": 2}],
    "warnings": ["beware | of this"],
}


def result(n: int, value: float | None, **said: Any) -> SampleResult:
    score = Score.not_applicable("recall_at_k", "no_gold") if value is None else Score.measured("recall_at_k", value)
    sample = Sample(sample_id=f"q{n}", row=n + 1, question=said.pop("question", f"س{n}"))
    return SampleResult(key=str(n), sample=sample, output=PipelineOutput(**said), scores={"recall_at_k": score})


def text(*samples: SampleResult, language: str | None = None, **summary: Any) -> str:
    return b"".join(markdown_chunks({**SUMMARY, **summary}, samples, language=language)).decode("utf-8")


def test_figures_stand_with_interval_and_n_and_why_the_rest_is_missing() -> None:
    lines = text().splitlines()
    assert lines[0] == "<!-- muffakir-eval 20260101T000000Z-ab -->"
    assert "# Evaluation" in lines
    assert "- ⚠️ The run stopped early: the figures cover only what was finished." in lines
    assert "| Metric | Mean | 90 % interval | Scored | Not scored, and why |" in lines
    assert r"| recall\_at\_k | 0.5000 | \[0.2500, 0.7500\] | 2/3 | no gold evidence (1) |" in lines
    assert "| mine |  |  | 0/3 | error in the metric |" in lines
    assert "| Questions covered | 3 / 4 |" in lines
    assert r"- Share refused: 1 / 3 = 33.3% \[10.0%, 80.0%\]" in lines
    assert "| answerable | 2 | 1 |" in lines
    assert "| total | 1,234.6 | 1.0 | 2.0 | 2.0 | 3 |" in lines
    assert "| US dollars | not known: no price is set |" in lines
    assert "| pipeline error | 1 |" in lines
    assert "- ⚠️ 2 × no route" in lines
    assert "- ⚠️ beware &#124; of this" in lines
    assert "## By dialect" in lines
    assert "| (nothing) | 2 | 1.0000 |" in lines
    assert "- 4 more values stand in summary.json" in lines


def test_an_arabic_run_is_told_in_arabic_from_right_to_left() -> None:
    told = text(language="ar")
    assert told.splitlines()[1] == '<div dir="rtl">'
    assert told.rstrip().endswith("</div>")
    assert "# تقرير التقييم" in told
    assert r"| الاستدعاء (recall\_at\_k) | 0.5000 |" in told


def test_the_weakest_questions_are_named_with_their_rows() -> None:
    samples = [result(n, n / 20, answer=f"ج{n}") for n in range(15)] + [result(20, None), result(21, 1.0)]
    told = text(*reversed(samples))
    found = re.findall(r"^\| (\d+) \| (q\d+) \| ([\d.]+) \|", told, flags=re.MULTILINE)
    assert [int(row) for row, _, _ in found] == list(range(1, 11))
    assert found[1] == ("2", "q1", "0.0500")


def test_the_weakest_questions_are_linked_to_the_page_where_there_is_one() -> None:
    sample = Sample(sample_id="س (1)|<a>", row=7, question="س")
    one = replace(result(1, 0.0), sample=sample)
    told = b"".join(markdown_chunks(SUMMARY, [one], page="report.html")).decode("utf-8")
    (html,) = re.findall(r'<a href="([^"]*)">7</a>', MarkdownIt("commonmark").enable("table").render(told))
    assert html == "report.html#sample-%D8%B3%20(1)%7C%3Ca%3E"


def test_where_all_is_well_no_question_is_weak() -> None:
    assert "Weakest" not in text(result(1, 1.0), result(2, 1.0))


def test_by_a_metric_of_the_users_own_the_lowest_values_are_weakest() -> None:
    score = Score.measured("mine", 7.0)
    one = SampleResult(
        key="1", sample=Sample(sample_id="q", question="س"), output=PipelineOutput(), scores={"mine": score}
    )
    told = text(one, metrics={"mine": {"mean": 7.0, "n_scored": 1, "n_total": 1}})
    assert "| 0 | q | 7.0000 | س |" in told


def test_an_error_stands_in_the_place_of_the_answer_and_long_texts_are_cut() -> None:
    told = text(result(1, 0.0, error="ConnectionError: x"), result(2, 0.0, question="س" * 500, answer=""))
    assert "ConnectionError: x" in told
    assert f"{'س' * 120}…" in told
    assert "س" * 121 not in told


def test_a_run_without_metrics_says_so() -> None:
    assert "No metric was measured." in text(metrics={})


HOSTILE = [
    "a|b",
    "two\nlines\r\nthree\u2028four",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "[link](http://x.test) ![img](http://x.test)",
    "https://x.test www.x.test",
    "me@x.test GH-12 gh-7 owner/repo#3",
    "@team #1 **b** `c` ~~d~~ $e$ \\| &lt;",
    "\x1b[31m\u202e",
    "# heading",
    "- item",
    "\ud83d",
    "-->",
]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_nothing_of_the_data_comes_alive(hostile: str) -> None:
    told = text(result(1, 0.0, question=hostile, answer=hostile), warnings=[hostile], run_id=f"r {hostile}")
    rows = [line for line in told.splitlines() if line.startswith("| 2 |")]
    assert len(rows) == 1
    assert rows[0].count("|") == 6
    assert shown(escaped(hostile)) == as_one_line(hostile)


def as_one_line(text: str) -> str:
    """What is to be seen: one line, without what steers a terminal."""
    return " ".join(plain(text).split())


def shown(markdown: str) -> str:
    """The text that a Markdown parser sees in a cell of a table, once it has found nothing but text."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    (inline,) = [
        token for token in parser.parse(f"| x |\n|---|\n| {markdown} |\n") if token.map == [2, 3] and token.children
    ]
    assert {child.type for child in inline.children or ()} <= {"text", "text_special"}
    # Behind a sign that calls somebody, and in the number of an issue, stands a space of no width.
    text = "".join(child.content for child in inline.children or ())
    return re.sub("(?<=[@#])\u200b|(?i:(?<=gh-)\u200b(?=\\d))", "", text)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=30) | st.text("|<>&@#*_`[]()!~$\\-+=:/w.1\n ", max_size=20))
def test_any_text_becomes_plain(random: str) -> None:
    if as_one_line(random):
        assert shown(escaped(random)) == as_one_line(random)
    as_item = MarkdownIt("commonmark").parse(f"- {escaped(random)}\n")
    assert not {"heading_open", "html_block", "fence", "hr"} & {token.type for token in as_item}
    assert [token.type for token in as_item].count("list_item_open") == 1
    # What GitHub adds to Markdown: mentions, issues, formulas, addresses.
    assert not re.search(r"(?<!&)[@#]|(?<!\\)\$|://|www\.", escaped(random))
    # GitHub looks for mentions and issues in the text that is left when the escapes are gone.
    seen = html.unescape(escaped(random))
    assert not re.search(r"@(?!\u200b)|#(?!\u200b)|\bgh-\d", seen, re.IGNORECASE)


def test_a_run_with_many_slices_and_metrics_still_fits_into_a_comment() -> None:
    names = [f"metric_{at}@10" for at in range(12)]
    figures = {name: {"mean": 0.123, "interval": [0.1, 0.2], "n_scored": 9, "n_total": 9} for name in names}
    parts = [{"value": f"قيمة {at}", "n_samples": 9, "metrics": figures} for at in range(100)]
    told = text(
        *(result(at, 0.1, question="س" * 900, answer="ج" * 900) for at in range(50)),
        metrics=figures,
        slices={column: [*parts, {"n_other_values": 5}] for column in ("topic", "dialect", "source_file")},
    )
    assert len(told) < 40_000
    assert told.count("- 85 more values stand in summary.json") == 3
