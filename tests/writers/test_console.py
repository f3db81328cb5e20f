"""The report in a terminal: figures, words, and no crash whatever the terminal can show."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest
from rich.console import Console

from muffakir_eval.writers.console import print_report, print_text, report_text


def _block(mean: float | None, scored: int, total: int = 90, **more: Any) -> dict[str, Any]:
    return {
        "mean": mean,
        "n_scored": scored,
        "n_total": total,
        "reason": None,
        "reasons": {},
        "definition": "",
        "k": 5,
        "mean_failures_as_zero": mean,
        "interval": None,
        **more,
    }


def _summary(**more: Any) -> dict[str, Any]:
    return {
        "run_id": "20240506T070809Z-ab12cd34",
        "n_samples": 90,
        "k": 5,
        "language": "en",
        "metrics": {"recall_at_k": _block(0.94, 85, reasons={"no_gold": 5}), "mrr": _block(0.5, 90)},
        **more,
    }


def test_a_whole_report() -> None:
    text = report_text(
        _summary(
            language="ar",
            n_planned=100,
            partial=True,
            dataset={"source": "أسئلة.jsonl"},
            pipeline={"pipeline_id": "bm25"},
            metrics={
                "recall_at_k": _block(0.94, 85, reasons={"no_gold": 5}),
                "precision@10": _block(0.376, 85, reasons={"no_gold": 5}, mean_failures_as_zero=0.355),
                "faithfulness": _block(None, 0, reason="no_answer", reasons={"no_answer": 90}),
                "llm_judge_rating": _block(4.125, 40, interval=[3.9, 4.3]),
                "my_metric": _block(123.4, 90),
            },
            refusals={
                "rate": 0.15,
                "n_refused": 12,
                "n_answers": 80,
                "table": {"unanswerable": {"refused": 8, "no_answer": 1}, "answerable": {"answered": 68, "refused": 4}},
            },
            latency_ms={
                "pipeline": {"mean": 1234.56, "p50": 1000.0, "p90": 2000.0, "p95": 3000.0, "p99": 4000.0, "n": 80},
                "evaluation": {"mean": None, "n": 0},
            },
            errors={"pipeline_error": 5},
            warnings=["العمود فارغ in 5 rows"],
        )
    )
    assert text.split("\n") == [
        "Evaluation 20240506T070809Z-ab12cd34",
        "90 of 100 questions, k = 5, language ar, dataset أسئلة.jsonl, pipeline bm25",
        "The run stopped early: the figures cover only what was finished.",
        "",
        "metric                mean     95 % interval  failures as 0  scored  المقياس",
        "-" * 85,
        "recall_at_k         0.9400                                    85/90  الاستدعاء",
        "precision@10        0.3760                           0.3550   85/90  الدقة",
        "faithfulness          none                                     0/90  الالتزام بالسياق",
        "llm_judge_rating  4.12 / 5  3.9000 to 4.3000                  40/90  تقييم الحَكَم",
        "my_metric         123.4000                                    90/90",
        "",
        "Not scored",
        "  recall_at_k, precision@10: no gold evidence (5)",
        "  faithfulness: no answer from the pipeline (90)",
        "",
        "Refused 12 of 80 answers (15.0%)",
        "question      answered  refused  no answer",
        "------------------------------------------",
        "answerable          68        4          0",
        "unanswerable         0        8          1",
        "",
        "Milliseconds per question",
        "             mean      p50      p90      p95      p99   n",
        "---------------------------------------------------------",
        "pipeline  1,234.6  1,000.0  2,000.0  3,000.0  4,000.0  80",
        "",
        "Questions with errors",
        "  pipeline error: 5",
        "",
        "warning: العمود فارغ in 5 rows",
    ]


def test_what_is_not_there_is_left_out() -> None:
    assert report_text({}) == "Evaluation\n0 questions"
    assert "Refused" not in report_text(_summary(refusals={"rate": None, "n_answers": 0, "table": {}}))
    assert report_text(_summary(refusals={"n_refused": 0, "n_answers": 3})).endswith("Refused 0 of 3 answers")
    assert "questions, k = 5, language en\n" in report_text(_summary())


def test_arabic_names_only_for_arabic_runs() -> None:
    assert "الاستدعاء" in report_text(_summary(language="ar-EG"))
    assert report_text(_summary(language="en")).isascii()


def test_a_metric_without_counts_by_reason_still_says_why() -> None:
    text = report_text(_summary(metrics={"mrr": _block(None, 0, reason="no_samples")}))
    assert "  mrr: no questions" in text
    text = report_text(_summary(metrics={"mine": _block(None, 0, reasons={"my_own_reason": 2})}))
    assert "  mine: my own reason (2)" in text


def test_missing_values_never_become_numbers() -> None:
    text = report_text(_summary(metrics={"mrr": _block(None, 0)}, latency_ms={"total": {"mean": 1.0, "n": 1}}))
    assert "mrr     none    0/90" in text
    assert "nan" not in text.lower()
    assert text.splitlines()[-1].split() == ["total", "1.0", "1"]


def test_sentences_wrap_and_tables_do_not() -> None:
    lines = report_text(_summary(warnings=["كلمة " * 30], language="ar"), width=40).splitlines()
    assert max(len(line) for line in lines if "كلمة" in line) <= 40
    assert "recall_at_k  0.9400   85/90  الاستدعاء" in lines


def test_data_steers_neither_terminal_nor_markup() -> None:
    text = report_text(_summary(warnings=["[red]x[/red] \x1b[31m\x07\x9b"], metrics={"a\nb\x1b[2J": _block(0.5, 1)}))
    assert "warning: [red]x[/red] ?[31m??" in text
    assert "a b?[2J" in text
    assert "\x1b" not in text


def test_an_encoding_without_arabic_leaves_the_names_out() -> None:
    summary = _summary(language="ar", warnings=["سؤال \ud83d"])
    assert report_text(summary, encoding="cp1252").encode("cp1252")
    assert "الاستدعاء" not in report_text(summary, encoding="cp1252")
    assert "warning: ???? ?" in report_text(summary, encoding="cp1252")
    assert "الاستدعاء" in report_text(summary, encoding="cp1256")
    assert "warning: سؤال ?" in report_text(summary, encoding="utf-8")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp1256", "utf-8"])
def test_printing_survives_every_encoding(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    print_report(_summary(language="ar", warnings=["سؤال \ud83d 😀"]))
    print_text("نص \ud83d \x1b[31m")
    printed = raw.getvalue().decode(encoding)
    assert "recall_at_k" in printed
    assert "\x1b" not in printed
    assert ("الاستدعاء" in printed) == (encoding in {"cp1256", "utf-8"})
    assert printed.splitlines()[-1] == ("نص ? ?[31m" if encoding in {"cp1256", "utf-8"} else "?? ? ?[31m")


def test_printing_is_the_same_text_and_has_colours_only_on_a_terminal() -> None:
    summary = _summary(language="ar", partial=True, errors={"timeout": 1})
    plain, coloured = io.StringIO(), io.StringIO()
    print_report(summary, Console(file=plain))
    print_report(summary, Console(file=coloured, force_terminal=True, color_system="standard", width=100))
    assert plain.getvalue() == report_text(summary) + "\n"
    assert "\x1b[" in coloured.getvalue()
    assert "0.9400" in coloured.getvalue()


def test_a_narrow_terminal_cuts_no_figure() -> None:
    out = io.StringIO()
    print_report(_summary(), Console(file=out, force_terminal=True, color_system=None, width=10))
    assert "recall_at_k  0.9400   85/90" in out.getvalue()


def test_a_summary_from_disk_prints_the_same() -> None:
    summary = _summary(language="ar")
    assert report_text(json.loads(json.dumps(summary))) == report_text(summary)


def test_data_turns_no_line_round() -> None:
    text = report_text(_summary(pipeline={"pipeline_id": "a\u202eb\u2066c"}, metrics={"a\tb\u202e": _block(0.5, 1)}))
    assert "pipeline abc" in text
    assert "a b     0.5000" in text


@pytest.mark.parametrize(
    ("mean", "shown"),
    [
        (0.0, "0.0000"),
        (-0.25, "-0.2500"),
        (1e-9, "1e-09"),
        (-1e-9, "-1e-09"),
        (123456.5, "123456.5000"),
        (1e308, "1e+308"),
    ],
)
def test_a_user_s_metric_shows_figures_of_any_size(mean: float, shown: str) -> None:
    assert report_text(_summary(metrics={"cost": _block(mean, 1, interval=[mean, mean])})).count(shown) == 3


def test_hundreds_of_metrics_and_none() -> None:
    text = report_text(_summary(metrics={f"metric_{number}": _block(0.5, 1) for number in range(500)}))
    assert text.count("0.5000") == 500
    assert len({len(line) for line in text.splitlines() if line.startswith("metric_")}) == 1
    assert report_text({"metrics": {}, "warnings": [], "refusals": None}) == "Evaluation\n0 questions"
