"""The page of a comparison of runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from muffakir_eval.writers.page.bars import Bar
from muffakir_eval.writers.page.compared_scores import is_score, is_time, without_verdict
from muffakir_eval.writers.page.drawing import Canvas, can_draw
from muffakir_eval.writers.page.numbers import chance, count_text, signed, span, value_text
from muffakir_eval.writers.page.parts import Chart, Folded, Section, Table, sections_page, sentence
from muffakir_eval.writers.page.plain_text import brief, shown
from muffakir_eval.writers.page.warning_words import warning_words
from muffakir_eval.writers.page.wording import Wording, language_of, wording
from muffakir_eval.writers.terms import figure

__all__ = ["comparison_page"]

_SLICES_SHOWN, _MOVED_SHOWN = 30, 20


def comparison_page(comparison: Mapping[str, Any], *, language: str | None = None) -> Iterator[bytes]:
    """A comparison of runs as one HTML file that needs nothing else.

    Args:
        comparison: The content of ``comparison.json``.
        language: ``ar`` or ``en``; that of the runs by default, where they agree.

    Yields:
        The file in pieces, UTF-8.
    """
    spoken = {run.get("language") for run in comparison["runs"]}
    words = wording(language_of(language or (spoken.pop() if len(spoken) == 1 else None)))
    sections = [_runs(comparison, words)]
    for number, pair in enumerate(comparison["pairs"]):
        sections += _Pair(pair, comparison, words, number).sections()
    return sections_page(words, words.plain("comparison.title"), sections)


def _runs(comparison: Mapping[str, Any], words: Wording) -> Section:
    rows = [
        [
            run["label"],
            words("page.of", n=run["n_questions"], total=run["n_planned"]),
            shown(run["pipeline_id"] or ""),
            shown(run["run_id"]),
            shown(run["name"]),
        ]
        for run in comparison["runs"]
    ]
    heads = ("comparison.label", "comparison.questions", "page.pipeline", "page.run", "comparison.name")
    title = words.plain("comparison.runs")
    table = Table(title=title, columns=[words.plain(key) for key in heads], rows=rows)
    return Section(anchor="runs", title=title, tables=[table])


class _Pair:
    """What two of the runs come to."""

    def __init__(self, pair: Mapping[str, Any], comparison: Mapping[str, Any], words: Wording, number: int) -> None:
        self._pair, self._comparison, self._words, self._number = pair, comparison, words, number
        self._between = {"a": pair["a"], "b": pair["b"]}

    def _say(self, key: str, **values: object) -> str:
        return self._words.plain(f"comparison.{key}", **values)

    def _of(self, key: str) -> str:
        """A text with the two labels, which are single letters of ours."""
        return self._words.labelled(f"comparison.{key}", **self._between)

    def sections(self) -> list[Section]:
        """The differences and what explains them; slices; the questions that moved."""
        metrics = self._pair["metrics"]
        anchor, title = f"pair-{self._number}", self._of("pair")
        return [
            Section(
                anchor=anchor,
                title=title,
                lead=self._of("lead"),
                notes=list(self._notes()),
                charts=[chart] if (chart := self._chart()) is not None else [],
                tables=[*self._tables(metrics), *self._further(metrics)],
                folded=self._settings(),
            ),
            Section(
                anchor=f"{anchor}-slices",
                title=f"{self._words.plain('slices.title')} ({title})",
                tables=list(self._slices()),
            ),
            Section(anchor=f"{anchor}-moved", title=f"{self._say('moved')} ({title})", folded=list(self._moved())),
        ]

    def _notes(self) -> Iterator[str]:
        pair = self._pair
        yield self._say("common", n=pair["n_common"])
        if pair["cluster_column"]:
            yield self._say("together", column=pair["cluster_column"])
        yield from (warning_words(note, self._words) for note in pair["notes"])
        for direction, key in (("lower", "lower_is_better"), ("neutral", "neither")):
            names = [one["metric"] for one in pair["metrics"] if one["direction"] == direction]
            if names:
                yield self._say(key, names=self._names(names))
        yield from self._caveats()
        missing: dict[str, list[str]] = {}
        for one in pair["metrics"]:
            if one["reason"]:
                missing.setdefault(one["reason"], []).append(one["metric"])
        for reason, names in missing.items():
            yield self._say("why_not", names=self._names(names), why=self._words.either("comparison", reason))

    def _caveats(self) -> Iterator[str]:
        """What a verdict, or the want of one, does not say: as in the terminal."""
        metrics = self._pair["metrics"]
        if any(is_time(one["metric"]) and one["verdict"] in ("better", "worse") for one in metrics):
            yield self._say("latency")
        for key, found in without_verdict(metrics, self._comparison["confidence"]).items():
            if found:
                yield self._say(key, names=self._names(found))

    def _names(self, names: Sequence[str]) -> str:
        return ("، " if self._words.language == "ar" else ", ").join(map(self._words.metric, names))

    def _settings(self) -> list[Folded]:
        rows = [setting.partition(": ")[::2] for setting in self._pair["settings"]]
        left = [[self._words.metric(one["metric"]), shown(one["detail"])] for one in self._pair["not_compared"]]
        heads = [self._words.plain("settings.setting"), self._words.plain("settings.value")]
        folded = []
        if rows:
            told = [[shown(name), shown(value)] for name, value in rows]
            title = self._say("differs")
            folded.append(Folded(title=title, tables=[Table(title=title, columns=heads, rows=told)]))
        if left:
            heads = [self._words.plain("headline.metric"), self._words.plain("missing.why")]
            title = self._say("not_compared")
            folded.append(Folded(title=title, tables=[Table(title=title, columns=heads, rows=left, cards=True)]))
        return folded

    def _chart(self) -> Chart | None:
        """One bar per score from 0 to 1; what has another scale would stretch the axis."""
        bars = [
            Bar(self._words.metric(one["metric"]), one["difference"], signed(one["difference"]), *one["interval"])
            for one in self._pair["metrics"]
            if one["interval"] and is_score(one)
        ]
        if not bars:
            return None
        title, rtl = self._say("chart"), self._words.direction == "rtl"
        says = self._of("chart_says_rtl" if rtl else "chart_says")
        told = [[bar.label, f"{bar.told} [{signed(bar.low)}, {signed(bar.high)}]"] for bar in bars]
        drawings = []
        if can_draw():
            canvas = Canvas(f"chart-differences-{self._number}", title, sentence(told), rtl)
            drawings = [Markup(canvas.differences(bars))]  # noqa: S704 - made by svg_of, which escapes the texts
        heads = [self._words.plain("headline.metric"), self._of("difference")]
        table = Table(title=title, columns=heads, rows=told)
        return Chart(name=f"differences-{self._number}", title=title, says=says, drawings=drawings, tables=[table])

    def _tables(self, metrics: Sequence[Mapping[str, Any]]) -> Iterator[Table]:
        """The scores from 0 to 1; apart from them what has a scale of its own."""
        scores = [one for one in metrics if is_score(one)]
        others = [one for one in metrics if not is_score(one)]
        if scores or not others:
            yield self._table(scores, self._say("metrics"))
        if others:
            yield self._table(others, self._say("times"), self._say("times_note"))

    def _table(self, metrics: Sequence[Mapping[str, Any]], title: str, note: str = "") -> Table:
        level = f"{100 * self._comparison['confidence']:.4g}"
        columns = [self._words.plain("headline.metric"), self._pair["a"], self._pair["b"], self._of("difference")]
        columns += [self._say("interval", level=level), self._say("p"), self._of("counts"), self._say("n")]
        rows = [
            [
                self._words.metric(one["metric"]),
                value_text(one["metric"], one["mean_a"]) or "–",
                value_text(one["metric"], one["mean_b"]) or "–",
                signed(one["difference"]),
                span(one["interval"]),
                chance(one["p_adjusted"]),
                self._words.in_order(one["wins"], one["ties"], one["losses"]) if one["n"] else "–",
                self._words("page.of", n=one["n"], total=one["n_applicable"]),
                self._verdict(one["verdict"], plain=is_time(one["metric"])),
            ]
            for one in metrics
        ]
        return Table(title=title, columns=[*columns, self._say("verdict")], rows=rows, note=note, cards=True)

    def _verdict(self, verdict: str, *, plain: bool) -> Markup:
        """In colour for scores; a time differs with the machine, so that colour would promise too much."""
        kind = "" if plain else {"better": " good", "worse": " bad"}.get(verdict, "")
        return Markup('<span class="tag{}">{}</span>').format(kind, self._words.directed(self._of(verdict)))

    def _further(self, metrics: Sequence[Mapping[str, Any]]) -> Iterator[Table]:
        """With failures as the worst score; how many questions it would take; margins."""
        name, difference = self._words.plain("headline.metric"), self._of("difference")
        rows = [
            [
                self._words.metric(one["metric"]),
                signed(found["difference"]),
                span(found["interval"]),
                chance(found["p_adjusted"]),
                self._words.in_order(found["n_failed_a"], found["n_failed_b"]),
                count_text(found["n"]),
            ]
            for one in metrics
            if (found := one["with_failures"])
        ]
        level = f"{100 * self._comparison['confidence']:.4g}"
        heads = [
            name,
            difference,
            self._say("interval", level=level),
            self._say("p"),
            self._of("failed"),
            self._say("n"),
        ]
        if rows:
            yield Table(title=self._say("with_failures"), columns=heads, rows=rows)
        rows = [
            [
                self._words.metric(one["metric"]),
                count_text(one["n"]),
                figure(one["smallest_difference"]),
                count_text(one["questions_needed"]) or "–",
            ]
            for one in metrics
            if one["verdict"] == "not_distinguishable" and one["smallest_difference"]
        ]
        heads = [name, *map(self._say, ("n", "would_show", "needed"))]
        if rows:
            yield Table(title=self._say("sizes"), columns=heads, rows=rows, note=self._say("sizes_note"))
        verdicts = {True: "holds", False: "not_shown", None: "no_verdict"}
        rows = [
            [
                self._words.metric(one["metric"]),
                figure(found["margin"]),
                chance(found["p_adjusted"]),
                self._say(verdicts[found["holds"]]),
            ]
            for one in metrics
            if (found := one["non_inferiority"])
        ]
        if rows:
            heads = [name, *map(self._say, ("margin", "p", "verdict"))]
            yield Table(title=self._of("margins"), columns=heads, rows=rows)

    def _slices(self) -> Iterator[Table]:
        parts = self._pair["slices"]
        for column in dict.fromkeys(part["column"] for part in parts):
            here = [part for part in parts if part["column"] == column]
            names = list(dict.fromkeys(part["metric"] for part in here))
            values = list(dict.fromkeys(part["value"] for part in here))
            cells = {(part["value"], part["metric"]): part for part in here}
            rows = [
                [
                    self._words.plain("page.nothing") if value is None else brief(value),
                    *(self._slice_cell(cells.get((value, name))) for name in names),
                ]
                for value in values[:_SLICES_SHOWN]
            ]
            more = len(values) - _SLICES_SHOWN
            yield Table(
                title=self._say("slices", column=column),
                columns=[self._words.plain("slices.value"), *map(self._words.metric, names)],
                rows=rows,
                note=self._words.plain("slices.more", n=more).replace("summary.json", "comparison.json")
                if more > 0
                else "",
            )

    def _slice_cell(self, part: Mapping[str, Any] | None) -> str:
        """The difference, and a verdict where there is one."""
        if part is None or part["difference"] is None:
            return "–"
        told = f"{signed(part['difference'])} (n={part['n']})"
        said = part["verdict"] not in ("not_distinguishable", "identical", "no_verdict")
        if not said:
            return told
        return Markup('<bdi dir="ltr">{}</bdi> {}').format(told, self._words.directed(self._of(part["verdict"])))

    def _moved(self) -> Iterator[Folded]:
        a, b = self._pair["a"], self._pair["b"]
        for one in self._pair["metrics"]:
            if not one["moved"] or is_time(one["metric"]):
                continue
            name = self._words.metric(one["metric"])
            rows = [
                [
                    brief(moved["question"]),
                    value_text(one["metric"], moved["value_a"]),
                    value_text(one["metric"], moved["value_b"]),
                    signed(moved["difference"]),
                    brief(moved["sample_id"]),
                ]
                for moved in one["moved"][:_MOVED_SHOWN]
            ]
            columns = [self._say("sample"), a, b, self._of("difference"), self._words.plain("page.id")]
            title = self._say("moved_by", metric=name)
            yield Folded(title=title, tables=[Table(title=title, columns=columns, rows=rows, cards=True)])
