"""``report.md``: a run in GitHub's Markdown, for a pull request or a wiki.

Whatever comes from the data or the settings is escaped: no pipe ends a cell, no line break a row, and neither
HTML nor Markdown in it takes effect; nor does a name with an at sign or a number with a hash call anybody: GitHub
looks for these once the escapes are gone, so that a space of no width stands after the sign.
"""

from __future__ import annotations

import heapq
import re
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from muffakir_eval.records import SampleResult
from muffakir_eval.writers.lines import plain
from muffakir_eval.writers.outline import Cell, Section, outline
from muffakir_eval.writers.terms import figure
from muffakir_eval.writers.words import Words, words_of

__all__ = ["escaped", "markdown_chunks"]

_WORST = 10
_SHOWN = 120
_VALUES = 20
"""Of each column of slices; a comment on GitHub holds 65,536 characters."""
_ACTIVE = re.compile(r"[\\`*_\[\]<>&@#|~$]|:(?=//)|(?<=www)\.|^[-+=]")
_ISSUE = re.compile(r"(?<=\bgh-)(?=\d)", re.IGNORECASE)
_NUMBERED = re.compile(r"^(\d+)([.)])")
_ENTITIES = {
    "<": "&lt;",
    ">": "&gt;",
    "&": "&amp;",
    "@": "&#64;&#8203;",
    "#": "&#35;&#8203;",
    "|": "&#124;",
    ":": "&#58;",
}
_PREFERRED = ("answer_correctness", "faithfulness", "llm_judge_rating", "token_f1", "recall_at_k", "ndcg_at_k", "mrr")
"""By which metric the weakest questions are sorted: the first of these that the run has."""
_FULL = {"llm_judge_rating": 5.0}
"""What is no weakness, where it is not 1."""


def markdown_chunks(
    summary: Mapping[str, Any],
    samples: Iterable[SampleResult],
    *,
    language: str | None = None,
    page: str | None = None,
) -> Iterator[bytes]:
    """The content of ``report.md``.

    Args:
        summary: The content of ``summary.json``.
        samples: The finished samples; only the weakest are kept in memory.
        language: ``ar`` or ``en``; that of the run by default.
        page: Where the page of the run lies; the weakest questions are linked to it.
    """
    words = words_of(summary, language)
    lines = [f"<!-- muffakir-eval {re.sub('[^A-Za-z0-9-]', '', str(summary['run_id']))} -->"]
    lines += ['<div dir="rtl">', ""] if words.arabic else [""]
    for number, section in enumerate(outline(summary, words, most_values=_VALUES)):
        lines += _section(section, level=1 if number == 0 else 2)
    lines += _worst(summary, samples, words, page)
    lines += [words["files"], ""]
    lines += ["</div>", ""] if words.arabic else []
    yield "\n".join(lines).encode("utf-8", "replace")


def escaped(text: str) -> str:
    r"""``text`` on one line, such that GitHub shows it as it stands.

    >>> escaped("a|b\n<script>")
    'a&#124;b &lt;script&gt;'
    >>> escaped("**bold** @user #1")
    '\\*\\*bold\\*\\* &#64;&#8203;user &#35;&#8203;1'
    """
    line = " ".join(plain(text).split())
    quiet = _ACTIVE.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), line)
    return _NUMBERED.sub(r"\1\\\2", _ISSUE.sub("&#8203;", quiet))


def _section(section: Section, level: int) -> Iterator[str]:
    yield f"{'#' * level} {escaped(section.title)}"
    yield ""
    mark = "⚠️ " if section.warning else ""
    for line in section.lines:
        yield f"- {mark}{escaped(line)}"
    if section.lines:
        yield ""
    if section.rows:
        yield from _table(section)


def _table(section: Section) -> Iterator[str]:
    """A table; columns of numbers stand on the right, and empty columns are left out."""
    columns, rows = section.columns or ("", ""), section.rows
    kept = [at for at in range(len(columns)) if any(row[at] not in (None, "") for row in rows)]
    numeric = {at for at in kept if all(isinstance(row[at], (int, float)) or row[at] is None for row in rows)}
    yield _row(escaped(columns[at]) for at in kept)
    yield _row("---:" if at in numeric else "---" for at in kept)
    for row in rows:
        yield _row(_cell(row[at], section.decimals) for at in kept)
    yield ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell, decimals: int) -> str:
    if isinstance(cell, float):
        return figure(cell) if decimals == 4 else f"{cell:,.{decimals}f}"
    return "" if cell is None else escaped(str(cell))


def _worst(
    summary: Mapping[str, Any], samples: Iterable[SampleResult], words: Words, page: str | None
) -> Iterator[str]:
    """The questions with the lowest scores, with row and identifier so that they are found in the files."""
    name = _metric_to_sort_by(summary)
    if name is None:
        return
    scored = ((value, place, result) for place, result in enumerate(samples) if (value := _value(result, name)))
    found = heapq.nsmallest(_WORST, scored, key=lambda one: (one[0][0], one[1]))
    found = [one for one in found if one[0][0] < _FULL.get(name, 1.0) or name not in _PREFERRED]
    if not found:
        return
    yield f"## {escaped(words['worst'])}"
    yield ""
    yield f"- {escaped(words['worst_by'].format(metric=name))}"
    yield ""
    columns = [words["row"], words["id"], name, words["the_question"], words["its_answer"]]
    yield _row(map(escaped, columns))
    yield _row(("---:", "---", "---:", "---", "---"))
    for value, _, result in found:
        sample = result.sample
        shown = map(escaped, (_short(sample.question), _short(_said(result))))
        yield _row(
            (_linked(str(sample.row), sample.sample_id, page), escaped(sample.sample_id), figure(value[0]), *shown)
        )
    yield ""


def _linked(text: str, sample_id: str, page: str | None) -> str:
    """A link that opens the sample in the page."""
    if page is None:
        return text
    anchor = urllib.parse.quote(sample_id.encode("utf-8", "replace"), safe="!'()*~")
    return f"[{text}](<{page}#sample-{anchor}>)"


def _metric_to_sort_by(summary: Mapping[str, Any]) -> str | None:
    scored = [name for name, block in (summary.get("metrics") or {}).items() if block.get("n_scored")]
    return next((name for name in (*_PREFERRED, *scored) if name in scored), None)


def _value(result: SampleResult, name: str) -> tuple[float] | None:
    """In a tuple, since 0 is a value."""
    score = result.scores.get(name)
    return None if score is None or score.value is None else (score.value,)


def _said(result: SampleResult) -> str:
    return result.output.error or result.output.answer or ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
