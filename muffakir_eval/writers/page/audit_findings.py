"""What an audit found, and the questions to look at, as sections of its page.

The audit itself speaks English. In Arabic the page says the same from its own table: titles and remedies by the code
of the finding or the outcome of the question, and figures from the fields of the audit. The English message stands
beside the examples.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from muffakir_eval.writers.page.numbers import count_text, percent
from muffakir_eval.writers.page.parts import Folded, Section, Table, english
from muffakir_eval.writers.page.plain_text import brief, shown
from muffakir_eval.writers.page.wording import Wording

__all__ = ["findings_section", "outcome_name", "questions_section"]

_KINDS = {"error": " bad"}
_OUTCOME_KEYS = {"split": "outcome_split"}
_PLACE = re.compile(r"(?:(?P<file>.+), )?(?P<kind>line|row|item|chunk|question) (?P<n>\d+)", re.DOTALL)
_TOLD_BY_FIELDS = ("below_k", "not_retrieved", "split", "not_in_index")
_PLACE_KEYS = {"question": "the_question"}


def outcome_name(words: Wording, outcome: object) -> str:
    """What an outcome is called."""
    return words.either("audit", _OUTCOME_KEYS.get(str(outcome), outcome))


def findings_section(findings: Sequence[Mapping[str, Any]], words: Wording) -> Section:
    """What is wrong, worst first; the English message and examples of each when asked for.

    Args:
        findings: The block of ``audit.json``.
        words: Of the page.
    """
    title = words.plain("audit.findings")
    if not findings:
        return Section(anchor="findings", title=title, notes=[words.plain("audit.no_findings")])
    rows = [
        [
            Markup('{}<br><code class="soft small" dir="ltr">{}</code>').format(
                _finding_title(found, words), shown(found["code"])
            ),
            Markup('<span class="tag{}">{}</span>').format(
                _KINDS.get(found["severity"], ""), words.either("audit", found["severity"])
            ),
            words("page.of", n=count_text(found["count"]), total=count_text(found["total"])),
            words.known("finding_remedy", found["code"]) or english(found["remedy"]),
        ]
        for found in findings
    ]
    columns = [words.plain(f"audit.{key}") for key in ("finding", "severity", "count", "remedy")]
    return Section(
        anchor="findings",
        title=title,
        tables=[Table(title=title, columns=columns, rows=rows, cards=True)],
        folded=[_examples(found, words) for found in findings if found["examples"] or found["message"]],
    )


def _finding_title(found: Mapping[str, Any], words: Wording) -> str:
    """One that is not known says what the audit says."""
    return words.known("finding", found["code"]) or english(found["message"] or found["code"])


def _examples(found: Mapping[str, Any], words: Wording) -> Folded:
    name = words.known("finding", found["code"]) or shown(found["code"])
    title = f"{words.plain('audit.examples')}: {name}" if found["examples"] else name
    rows = [
        [_place(example["at"], words), brief(example["excerpt"]), english(brief(example["detail"]))]
        for example in found["examples"]
    ]
    columns = [words.plain(f"audit.{key}") for key in ("place", "excerpt", "detail")]
    return Folded(
        title=title,
        says=[_original(words, found["message"], found["remedy"])],
        tables=[Table(title=title, columns=columns, rows=rows, cards=True)],
    )


def _original(words: Wording, message: str, remedy: str) -> Markup:
    """The message as the audit gives it; on an Arabic page it is named as English."""
    told = english(f"{message}. {remedy[:1].upper()}{remedy[1:]}." if remedy else message)
    return told if words.language == "en" else Markup("{}: {}").format(words.plain("audit.original"), told)


def questions_section(audit: Mapping[str, Any], words: Wording) -> Iterator[Section]:
    """The questions that did not fare well, by what became of them.

    Args:
        audit: The content of ``audit.json``.
        words: Of the page.
    """
    by_outcome: dict[str, list[Mapping[str, Any]]] = {}
    for row in audit.get("questions") or ():
        by_outcome.setdefault(row["outcome"], []).append(row)
    block = (audit.get("outcomes") or {}).get("questions") or {}
    totals = {row["outcome"]: row["n"] for row in block.get("rows") or ()}
    folded = [
        _questions(outcome, rows, totals.get(outcome, len(rows)), audit.get("k"), words)
        for outcome, rows in by_outcome.items()
    ]
    yield Section(anchor="look-at", title=words.plain("audit.look_at"), folded=folded)


def _questions(outcome: str, rows: Sequence[Mapping[str, Any]], total: int, k: object, words: Wording) -> Folded:
    name = outcome_name(words, outcome)
    says = [text.format(k=k) for text in [words.known("outcome_says", outcome)] if text]
    remedy = words.known("outcome_remedy", outcome)
    cells = [
        [
            brief(row["question"]),
            brief(row["sample_id"]),
            _told(row, words),
            *(() if remedy else [english(row["remedy"])]),
            Markup("; ").join(_place(place, words) for place in row.get("places") or ()),
        ]
        for row in rows
    ]
    keys = ("message", "place") if remedy else ("message", "remedy", "place")
    columns = [words.plain("audit.question"), words.plain("page.id"), *(words.plain(f"audit.{key}") for key in keys)]
    note = words.plain("audit.more_questions", n=len(rows), total=count_text(total)) if total > len(rows) else ""
    title = f"{name} ({count_text(total)})"
    return Folded(
        title=title,
        says=[*says, *([f"{words.plain('audit.remedy')}: {remedy}"] if remedy else [])],
        tables=[Table(title=title, columns=columns, rows=cells, note=note, cards=True)],
    )


def _told(row: Mapping[str, Any], words: Wording) -> Markup:
    """What was found for one question: on an Arabic page from the fields of the audit where they say it all."""
    figures = list(_figures(row, words)) if words.language == "ar" else []
    return Markup("، ").join(figures) if figures else english(row["message"])


def _figures(row: Mapping[str, Any], words: Wording) -> Iterator[Markup]:
    outcome, outcomes, ranks = row["outcome"], row.get("gold_outcomes") or (), row.get("gold_ranks") or ()
    if len(outcomes) > 1 and outcome in _TOLD_BY_FIELDS:
        yield words("audit.golds", n=list(outcomes).count(outcome), total=len(outcomes))
    known = [rank for one, rank in zip(outcomes, ranks, strict=False) if one == outcome and rank is not None]
    if outcome == "below_k" and known:
        yield words("audit.rank", n=", ".join(map(str, known)))
    if outcome == "not_retrieved" and row.get("n_retrieved") is not None:
        yield words("audit.returned", n=count_text(row["n_retrieved"]))
    if outcome in ("split", "not_in_index") and row.get("covered") is not None:
        yield words("audit.covered", share=percent(row["covered"]))


def _place(at: Mapping[str, Any], words: Wording) -> Markup:
    """Where a chunk or a question stands, in the words of the page; names of files and identifiers as they are."""
    told = str(at.get("place") or at.get("source") or "")
    found = _PLACE.fullmatch(told)
    if found is None:
        place = Markup("<bdi>{}</bdi>").format(shown(told))
    else:
        kind = words(f"audit.{_PLACE_KEYS.get(found['kind'], found['kind'])}", n=found["n"])
        file = words.plain("audit.dataset") if found["file"] == "dataset" else shown(found["file"] or "")
        comma = "، " if words.language == "ar" else ", "
        place = Markup("<bdi>{}</bdi>{}{}").format(file, comma, kind) if file else kind
    chunk_id = at.get("chunk_id")
    return Markup("{} <bdi>({})</bdi>").format(place, shown(chunk_id)) if chunk_id else place
