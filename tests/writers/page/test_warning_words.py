"""Warnings in Arabic: the patterns are those of the sentences that the package really writes."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from muffakir_eval import MuffakirEvaluation
from muffakir_eval.writers.page import warning_words as module
from muffakir_eval.writers.page.warning_words import warning_words
from muffakir_eval.writers.page.wording import wording

ROW = {"id": "1", "question": "كم مدة الإجازة؟", "context": "ثلاثون يومًا", "answer": "ثلاثون"}


def told(text: str) -> str:
    """The Arabic without its markup; it fails where the sentence stayed English."""
    made = warning_words(text, wording("ar"))
    assert not made.startswith("<span"), text
    return re.sub("<[^>]+>", "", made)


def warned(rows: Any = None, rag: Any = None, **settings: Any) -> list[str]:
    """The warnings of a real run."""
    config = {"language": "ar", "cache_dir": None, "progress": False, "k": 3, **settings}
    found = MuffakirEvaluation(config).evaluate(rag or answer, [ROW] if rows is None else rows)
    lines: list[str] = found.to_dict()["warnings"]
    return lines


def answer(sample: Any, k: int) -> dict[str, Any]:
    return {"answer": "ثلاثون", "retrieved_documents": ["ثلاثون يومًا"]}


def test_no_judge_and_few_chunks() -> None:
    lines = [told(line) for line in warned()]
    assert any(line.startswith("لم تُقَس هذه المقاييس إذ لم يُحدَّد نموذج حَكَم: ") for line in lines)
    assert any("الالتزام بالسياق" in line and "llm_provider, llm_model" in line for line in lines)
    assert any("من المقاطع: 1؛" in line and "k = 3" in line for line in lines)


def test_gold_that_is_not_there() -> None:
    bare = [{"id": "1", "question": "كم؟"}]
    lines = [told(line) for line in warned(bare)]
    assert any("أدلة مرجعية، وهي في عمود context" in line for line in lines)


def test_what_cannot_be_compared() -> None:
    rows = [{"id": "1", "question": "كم؟", "chunk_id": "c1"}]
    lines = [told(line) for line in warned(rows, metrics=["recall"])]
    assert any("معرّفات فقط" in line and line.count("1") for line in lines)


def test_settings_without_effect() -> None:
    lines = [told(line) for line in warned(metrics=["recall"], llm_model="m", report_formats=["html"])]
    assert any("إذ لا يُحفظ شيء: report_formats" in line for line in lines)
    assert any("يحتاج إلى حَكَم: llm_model" in line for line in lines)


def test_a_formula_without_a_value(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["question", "context"])
    sheet.append(["كم؟", "ثلاثون يومًا"])
    sheet.append(["متى؟", "=B2"])
    book.save(tmp_path / "q.xlsx")
    lines = [told(line) for line in warned(str(tmp_path / "q.xlsx"), metrics=["recall"])]
    assert any("الخلية B3: لا يحفظ الملف قيمة" in line for line in lines)


EXAMPLES = [
    "left out: recall_at_k (needs an answer, and the pipeline only retrieves)",
    "left out: mrr (needs retrieved chunks, and the pipeline or the recorded outputs have none)",
    "left out: exact_match (needs gold answers: a column 'answer' (or a column_mapping to one))",
    "the column 'رقم' has more than 5,000 different values, too many for slices of their own",
    "without effect, since no judged metric is measured: llm_model, jury",
    "without effect, since the judge is asked one question at a time: batch_size",
    "without effect, since the judge is asked in batches: max_concurrency",
    "nothing is kept in out/a: output_dir was given without save=True",
    "dry run: no question was asked and nothing was written",
    "left out, bad row: no question (q.csv, row 3)",
    "left out, 12 more bad rows: `muffakir-eval validate` lists them",
    (
        "q.xlsx, sheet 'a', cells A2:A3: they are merged, so only the first holds the value and the others read as "
        "empty; unmerge them and fill each"
    ),
    "q.xlsx, cell B2: its formula failed, and #N/A is read as text",
    (
        "q.xlsx, cell F2: the text was too long for a spreadsheet, and was cut when the workbook was written; the "
        "folder of the run and its samples.jsonl hold it whole"
    ),
    "run/records.jsonl: the run was not finished; it holds 3 outputs",
    "q.xlsx: row 3 is the header; above it stood 'title' in row 1",
    "… and 4 more of the kind: merged cells",
    "the judge gpt-x is the model under test: models favour answers of their own kind",
    "the judge a is of the same family (f) as the model under test, b: models favour answers of their own kind",
    "A stopped early: 3 of 7 questions are done",
    "4 questions are only in B",
    "4 questions are only in B (1 stand in the other run with other gold)",
    "4 questions are only in B (2 were not finished in the other run)",
    "4 questions are only in B (1 stand in the other run with other gold; 2 were not finished in the other run)",
    "the datasets differ, so verdicts hold for the common questions only",
    "the datasets differ, so no verdict is given",
    "A and B are the same run",
    "judged in batches: costs are reckoned at 0.5 of the prices",
]
"""Sentences that take long to provoke, as they stand in the package."""

VALUES = "|".join(
    [
        *(r"[\d,]*\d", "'[^']*'", "recall_at_k", " (?:a|b|gpt-x|#N/A) ", r" [AB]\b|[AB] "),
        *("one question at a time", "in batches", "so (?=verdicts|no verdict)"),
    ]
)
"""What the package puts into its sentences."""


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_others_stay_in_step(text: str) -> None:
    assert re.search("[\u0621-\u064a]", told(text))


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_package_still_says_so(text: str) -> None:
    """The longest run of plain words of each sentence stands in the source of the package."""
    sources = _sources()
    words = re.split(rf"{VALUES}|[:();,.`]|left out", text)
    longest = max((part.strip() for part in words), key=len)
    assert longest in sources, longest


def _sources() -> str:
    root = Path(module.__file__).parents[2]
    folders = ("datasets", "evaluation", "tally", "comparison")
    files = [path for folder in folders for path in sorted((root / folder).rglob("*.py"))]
    joined = " ".join(path.read_text(encoding="utf-8") for path in files)
    return re.sub(r'"\s*f?"', "", joined)


def test_every_pattern_is_tried() -> None:
    lines = [*EXAMPLES, *warned(metrics=["recall"], report_formats=["html"]), *warned()]
    lines += warned([{"id": "1", "question": "كم؟"}])
    lines += warned([{"id": "1", "question": "كم؟", "chunk_id": "c1"}], metrics=["recall"])
    untried = [
        pattern
        for pattern, _ in module._PATTERNS
        if not any(re.fullmatch(pattern, text, re.DOTALL) for text in lines) and "its formula, so" not in pattern
    ]
    assert untried == [], "the formula has a workbook of its own above"


def test_values_stand_apart_and_are_escaped() -> None:
    made = warning_words("without effect, since nothing is saved: <b>{x}</b>", wording("ar"))
    assert "<bdi>&lt;b&gt;{x}&lt;/b&gt;</bdi>" in made


def test_one_that_is_not_known_stays_english_and_says_so() -> None:
    assert warning_words("my own <i>", wording("ar")) == '<span lang="en" dir="auto">my own &lt;i&gt;</span>'
    assert warning_words(EXAMPLES[0], wording("en")).startswith('<span lang="en"')


def test_nothing_here_warns_of_anything() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warning_words("x" * 100_000, wording("ar"))
