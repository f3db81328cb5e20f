"""The page of an index audit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from muffakir_eval.writers.page.audit_findings import findings_section, outcome_name, questions_section
from muffakir_eval.writers.page.bars import Bar
from muffakir_eval.writers.page.drawing import Canvas, can_draw
from muffakir_eval.writers.page.figures import flat
from muffakir_eval.writers.page.numbers import between, count_text, percent, value_text
from muffakir_eval.writers.page.parts import Chart, Folded, Section, Table, sections_page, sentence
from muffakir_eval.writers.page.plain_text import brief
from muffakir_eval.writers.page.warning_words import warning_words
from muffakir_eval.writers.page.wording import Wording, language_of, wording

__all__ = ["audit_page"]


def audit_page(audit: Mapping[str, Any], *, language: str | None = None) -> Iterator[bytes]:
    """An index audit as one HTML file that needs nothing else.

    Args:
        audit: The content of ``audit.json``.
        language: ``ar`` or ``en``; ``None`` for that of the audit, English where it is neither.

    Yields:
        The file in pieces, UTF-8.
    """
    words = wording(language_of(language if language is not None else audit.get("language")))
    found = _Audit(audit, words)
    notes = [words.plain("audit.partial")] if audit.get("partial") else []
    notes += [warning_words(str(warning), words) for warning in audit.get("warnings") or ()]
    more = {"notes": notes, "version": (audit.get("versions") or {}).get("muffakir-eval", "")}
    return sections_page(words, words.plain("audit.title"), found.sections(), facts=found.facts(), more=more)


class _Audit:
    """The sections of an audit."""

    def __init__(self, audit: Mapping[str, Any], words: Wording) -> None:
        self._audit, self._words = audit, words

    def _say(self, key: str, **values: object) -> str:
        return self._words.plain(f"audit.{key}", **values)

    def facts(self) -> list[tuple[str, object]]:
        """What was audited."""
        audit = self._audit
        corpus, dataset, retriever = audit["corpus"], audit.get("dataset") or {}, audit.get("retriever") or {}
        return [
            (self._say("index"), corpus["name"]),
            (self._say("chunks"), count_text(corpus["n_chunks"])),
            (self._words.plain("page.dataset"), dataset.get("source")),
            (self._say("questions"), count_text(dataset.get("n_questions"))),
            (self._say("retriever"), retriever.get("pipeline_id")),
            (self._words.plain("page.cutoff"), audit.get("k")),
            (self._words.plain("page.run"), audit.get("audit_id")),
        ]

    def sections(self) -> list[Section]:
        """Reach, outcomes, metrics, findings, questions, settings."""
        words = self._words
        settings = [
            Folded(
                title=words.plain(key),
                tables=[Table(title=words.plain(key), columns=heads, rows=[list(row) for row in rows])],
            )
            for key, block in (
                ("settings.title", self._audit.get("config")),
                ("settings.matching", self._audit.get("matching")),
            )
            if (rows := list(flat(block or {})))
            for heads in [[words.plain("settings.setting"), words.plain("settings.value")]]
        ]
        return [
            *self._reach(),
            *self._outcomes(),
            *self._metrics(),
            findings_section(self._audit.get("findings") or (), words),
            *self._slices(),
            *questions_section(self._audit, words),
            Section(anchor="settings", title=words.plain("settings.title"), folded=settings),
        ]

    def _chart(self, name: str, title: str, says: str, bars: Sequence[Bar], table: Table) -> Chart:
        drawings = []
        if can_draw():
            told = sentence((bar.label, bar.told) for bar in bars)
            canvas = Canvas(f"chart-{name}", title, told, self._words.direction == "rtl")
            drawings = [Markup(canvas.bars(bars))]  # noqa: S704 - made by svg_of, which escapes the texts
        return Chart(name=name, title=title, says=says, drawings=drawings, tables=[table])

    def _reach(self) -> Iterator[Section]:
        index = self._audit.get("index") or {}
        total = index.get("n_golds")
        if not total:
            return
        title, reachable = self._say("reach"), index["reachable"]
        counts = [(self._say(name), count) for name, count in index["presence"].items() if count]
        bars = [Bar(name, count / total, f"{count_text(count)} ({percent(count / total)})") for name, count in counts]
        table = Table(
            title=title,
            columns=[self._say("place"), self._say("count"), self._say("share")],
            rows=[[name, count_text(count), percent(count / total)] for name, count in counts],
        )
        ceiling = index.get("ceiling") or ()
        cells = [value_text("recall", found["recall"]) or "–" for found in ceiling]
        heads = [self._words.plain("headline.metric"), *(f"k = {found['k']}" for found in ceiling)]
        best = Table(title=self._say("ceiling"), columns=heads, rows=[[self._words.metric("recall"), *cells]])
        share = reachable["share"]
        told = "" if share is None else f": \u2066{percent(share)}\u2069 \u2066{_shares(reachable['interval'])}\u2069"
        says = self._say("reach_says", n=total)
        yield Section(
            anchor="reach",
            title=title,
            lead=f"{self._say('reachable')}{told}" if told else "",
            charts=[self._chart("reach", title, says, bars, table)],
            beside=[best] if ceiling else [],
        )

    def _outcomes(self) -> Iterator[Section]:
        block = (self._audit.get("outcomes") or {}).get("questions") or {}
        rows = [row for row in block.get("rows") or () if row["n"]]
        if not rows:
            return
        title, words = self._say("outcomes"), self._words
        bars = [
            Bar(
                outcome_name(words, row["outcome"]),
                row["share"],
                f"{row['n']} ({percent(row['share'])})",
                *(row["interval"] or ()),
            )
            for row in rows
            if row["share"] is not None
        ]
        table = Table(
            title=title,
            columns=[
                self._say("outcome"),
                self._say("questions"),
                self._say("share"),
                self._words.plain("headline.interval", level=self._level()),
            ],
            rows=[
                [
                    outcome_name(words, row["outcome"]),
                    count_text(row["n"]),
                    percent(row["share"]) or "–",
                    _shares(row["interval"]) or "–",
                ]
                for row in rows
            ],
        )
        if not bars:  # no question has a gold
            yield Section(anchor="outcomes", title=title, tables=[table])
            return
        chart = self._chart("outcomes", title, self._say("outcomes_says"), bars, table)
        yield Section(anchor="outcomes", title=title, charts=[chart])

    def _level(self) -> str:
        return f"{100 * float(self._audit.get('confidence_level') or 0.95):.4g}"

    def _metrics(self) -> Iterator[Section]:
        """One row per metric, one column per cutoff."""
        metrics = self._audit.get("metrics") or {}
        if not metrics:
            return
        cutoffs = list(dict.fromkeys(block.get("k") for block in metrics.values()))
        cells: dict[str, dict[Any, str]] = {}
        for name, block in metrics.items():
            value = value_text(name, block["mean"])
            told = "–" if value is None else f"{value} {between(block.get('interval'))}".rstrip()
            cells.setdefault(name.partition("@")[0], {})[block.get("k")] = told
        rows = [[self._words.metric(name), *(row.get(k, "–") for k in cutoffs)] for name, row in cells.items()]
        covered = {(block["n_scored"], block["n_total"]) for block in metrics.values()}
        notes = [self._words.plain("page.of", n=n, total=total) for n, total in sorted(covered)]
        title = self._say("metrics")
        heads = [self._words.plain("headline.metric"), *(f"k = {k}" for k in cutoffs)]
        note = f"{self._words.plain('headline.covers')}: {'; '.join(notes)}"
        yield Section(anchor="metrics", title=title, tables=[Table(title=title, columns=heads, rows=rows, note=note)])

    def _slices(self) -> Iterator[Section]:
        tables = []
        for column, parts in (self._audit.get("slices") or {}).items():
            known = [part for part in parts if "outcomes" in part]
            names = list(dict.fromkeys(name for part in known for name in part["outcomes"]))
            rows = [
                [
                    self._words.plain("page.nothing") if part["value"] is None else brief(part["value"]),
                    count_text(part["n"]),
                    *(count_text(part["outcomes"].get(name, 0)) for name in names),
                ]
                for part in known
            ]
            columns = [self._say("value"), self._say("questions"), *(outcome_name(self._words, name) for name in names)]
            tables.append(Table(title=self._say("slices", column=column), columns=columns, rows=rows))
        yield Section(anchor="slices", title=self._words.plain("slices.title"), tables=tables)


def _shares(interval: Sequence[float] | None) -> str:
    return "" if not interval else f"[{percent(interval[0])}–{percent(interval[1])}]"
