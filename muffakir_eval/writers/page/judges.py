"""The page of a comparison of judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from muffakir_eval.writers.page.bars import Bar
from muffakir_eval.writers.page.drawing import Canvas, can_draw
from muffakir_eval.writers.page.numbers import cost_text, count_text, ms_text, value_text
from muffakir_eval.writers.page.parts import Chart, Folded, Section, Table, sections_page, sentence
from muffakir_eval.writers.page.plain_text import brief, shown
from muffakir_eval.writers.page.warning_words import warning_words
from muffakir_eval.writers.page.wording import Wording, language_of, wording

__all__ = ["judge_comparison_page"]

_MEASURES = ("raw", "kappa", "gwet", "concordance", "spearman", "auc")
_BEST = ("kappa", "concordance", "spearman")
"""Agreement beyond chance: the first that is defined is drawn."""
_DISAGREEMENTS, _SLICES_SHOWN = 10, 30


def judge_comparison_page(found: Mapping[str, Any], *, language: str | None = None) -> Iterator[bytes]:
    """A comparison of judges as one HTML file that needs nothing else.

    Args:
        found: The content of ``judges.json``.
        language: ``ar``, or English.

    Yields:
        The file in pieces, UTF-8.
    """
    words = wording(language_of(language))
    title = words.plain("judges.title")
    judges = Section(
        anchor="judges",
        title=words.plain("judges.judges"),
        lead=words.plain("judges.lead"),
        notes=[*(warning_words(str(note), words) for note in found["notes"]), *_messages(found["judges"], words)],
        tables=[_judges(found["judges"], words)],
    )
    sections = [judges]
    for number, metric in enumerate(found["metrics"]):
        sections.append(_Metric(metric, found, words, number).section())
    facts = [(words.plain("judges.answers"), found["n_answers"]), (words.plain("judges.source"), found["source"])]
    notes = [words.plain("page.rehearsal")] if found["dry_run"] is not None else []
    return sections_page(words, title, sections, facts=facts, more={"notes": notes})


def _messages(judges: Sequence[Mapping[str, Any]], words: Wording) -> Iterator[str]:
    for judge in judges:
        label = Markup("<bdi>{}</bdi>").format(shown(judge["label"]))
        for text in (judge["message"], *judge["notes"]):
            if text:
                yield words.directed(Markup("{}: {}").format(label, warning_words(str(text), words)))


def _judges(judges: Sequence[Mapping[str, Any]], words: Wording) -> Table:
    rows = []
    for judge in judges:
        usage = judge["usage"] or {}
        cost = usage.get("cost_usd") if usage.get("cost_usd") is not None else usage.get("cost_estimate_usd")
        figures = [count_text(usage.get(key)) or "–" for key in ("calls", "cached", "input_tokens", "output_tokens")]
        model = judge["identity"].get("model") or judge["identity"].get("provider") or ""
        rows.append(
            [
                shown(judge["label"]),
                words.plain(f"judges.{judge['status']}"),
                *figures,
                cost_text(cost) or "–",
                shown(model),
            ]
        )
    heads = ["judges.judge", "judges.status"]
    heads += [f"judge.{key}" for key in ("calls", "cached", "tokens_in", "tokens_out", "cost", "model")]
    columns = [words.plain(key) for key in heads]
    return Table(title=words.plain("judges.judges"), columns=columns, rows=rows, cards=True)


class _Metric:
    """One metric as all judges see it."""

    def __init__(self, metric: Mapping[str, Any], found: Mapping[str, Any], words: Wording, number: int) -> None:
        self._metric, self._found, self._words, self._number = metric, found, words, number
        self._level = f"{100 * found['confidence']:.4g}"

    def _say(self, key: str, **values: object) -> str:
        return self._words.plain(f"judges.{key}", **values)

    def section(self) -> Section:
        """Agreement first, then the means, and what to read."""
        metric = self._metric
        scale = self._say("scale", low=f"{metric['low']:g}", high=f"{metric['high']:g}")
        alpha = metric["alpha"]
        told = self._say("no_figure") if alpha["value"] is None else f"{alpha['value']:.3f} {_interval(alpha)}"
        tables = [self._means(), *self._agreement(), *self._frontier()]
        charts = [chart for chart in (self._chart(),) if chart is not None]
        return Section(
            anchor=f"metric-{self._number}",
            title=f"{self._words.metric(metric['metric'])} ({scale})",
            lead=f"{self._say('alpha')}: \u2066{told.strip()}\u2069" if metric["pairs"] else "",
            charts=charts,
            tables=tables,
            folded=[*self._slices(), *self._disagreements()],
        )

    def _chart(self) -> Chart | None:
        """Agreement of each judge with people, where people judged."""
        bars = []
        for one in self._metric["people"]:
            best = next((one["agreement"][name] for name in _BEST if one["agreement"][name]["value"] is not None), None)
            if best is not None:
                ends = [max(0.0, best[end]) for end in ("low", "high")] if best["low"] is not None else ()
                told = f"{best['value']:.3f} {_interval(best)}".rstrip()
                bars.append(Bar(shown(one["judge"]), max(0.0, best["value"]), told, *ends))
        if not bars:
            return None
        title, rows = self._say("people"), [[bar.label, bar.told] for bar in bars]
        drawings = []
        if can_draw():
            canvas = Canvas(f"chart-people-{self._number}", title, sentence(rows), self._words.direction == "rtl")
            drawings = [Markup(canvas.bars(bars))]  # noqa: S704 - texts are escaped by svg_of
        table = Table(title=title, columns=[self._say("judge"), title], rows=rows)
        return Chart(
            name=f"people-{self._number}",
            title=title,
            says=self._say("people_says"),
            drawings=drawings,
            tables=[table],
        )

    def _means(self) -> Table:
        name, rows = self._metric["metric"], []
        for judge in self._found["judges"]:
            one = judge["metrics"].get(name)
            if one is None:
                continue
            latency = one["latency_ms"] or {}
            rows.append(
                [
                    shown(judge["label"]),
                    value_text(name, one["mean"]["value"]) or "–",
                    _interval(one["mean"]) or "–",
                    self._words("page.of", n=one["n_scored"], total=one["n_total"]),
                    ms_text(latency.get("p50")) or "–",
                    ms_text(latency.get("p95")) or "–",
                    cost_text(one["cost_per_1000"]) or "–",
                ]
            )
        milliseconds = self._words.plain("charts.milliseconds")
        columns = [self._say("judge"), self._say("mean"), self._say("interval", level=self._level), self._say("covers")]
        columns += [f"p50 {milliseconds}", f"p95 {milliseconds}", self._say("cost_per_1000")]
        return Table(title=self._say("means"), columns=columns, rows=rows, cards=True)

    def _agreement(self) -> Iterator[Table]:
        people = [(shown(one["judge"]), one["agreement"]) for one in self._metric["people"]]
        pairs = [(f"{shown(pair['a'])} – {shown(pair['b'])}", pair["agreement"]) for pair in self._metric["pairs"]]
        for key, head, bias, compared in (
            ("people", "judge", "bias", people),
            ("among", "pair", "difference", pairs),
        ):
            measures = [
                name for name in _MEASURES if any(agreement[name]["value"] is not None for _, agreement in compared)
            ]
            if "kappa" in measures and "concordance" in measures:
                measures.remove("concordance")  # the same for the same weights
            rows = [
                [
                    name,
                    count_text(agreement["n"]),
                    *(_figure(agreement[measure]) for measure in measures),
                    _figure(agreement["mae"]),
                    _figure(agreement["bias"], signed=True),
                ]
                for name, agreement in compared
            ]
            if rows:
                columns = [self._say(name) for name in (head, "n", *measures, "mae", bias)]
                yield Table(title=self._say(key), columns=columns, rows=rows, cards=True)

    def _frontier(self) -> Iterator[Table]:
        offers = self._metric["frontier"]
        if not offers or self._metric["frontier_reason"] is not None:
            return
        worth = {True: "worth_yes", False: "worth_no", None: "worth_unknown"}
        rows = [
            [
                shown(offer["judge"]),
                cost_text(offer["cost_per_1000"]) or "–",
                f"{offer['quality']:.3f}",
                self._say(worth[offer["on_frontier"]], judge=offer["beaten_by"] or ""),
            ]
            for offer in offers
        ]
        columns = [self._say(key) for key in ("judge", "cost_per_1000", "quality", "worth")]
        yield Table(title=self._say("frontier"), columns=columns, rows=rows)

    def _slices(self) -> Iterator[Folded]:
        compared = [(shown(one["judge"]), one["slices"]) for one in self._metric["people"]]
        compared = compared or [
            (f"{shown(pair['a'])} – {shown(pair['b'])}", pair["slices"]) for pair in self._metric["pairs"]
        ]
        for column in dict.fromkeys(part["column"] for _, parts in compared for part in parts):
            cells = {
                (part["value"], name): part["agreement"]
                for name, parts in compared
                for part in parts
                if part["column"] == column
            }
            values = list(dict.fromkeys(value for value, _ in cells))[:_SLICES_SHOWN]
            rows = [
                [
                    self._words.plain("page.nothing") if value is None else brief(value),
                    *(self._best(cells.get((value, name))) for name, _ in compared),
                ]
                for value in values
            ]
            title = self._say("slices", column=column)
            columns = [self._words.plain("slices.value"), *(name for name, _ in compared)]
            yield Folded(title=title, tables=[Table(title=title, columns=columns, rows=rows)])

    def _best(self, agreement: Mapping[str, Any] | None) -> str:
        if agreement is None:
            return "–"
        known = next((name for name in _BEST if agreement[name]["value"] is not None), None)
        if known is None:
            return f"– (n={agreement['n']})"
        figures = f"{agreement[known]['value']:.2f} (n={agreement['n']})"
        return Markup('{} <bdi dir="ltr">{}</bdi>').format(self._say(known), figures)

    def _disagreements(self) -> Iterator[Folded]:
        people = self._say("people_label")
        compared = [(one["judge"], people, one["disagreements"]) for one in self._metric["people"]]
        compared = compared or [(pair["a"], pair["b"], pair["disagreements"]) for pair in self._metric["pairs"]]
        for a, b, those in compared:
            if not those:
                continue
            labels = {"a": a, "b": b}
            said = [side for side in labels if any(one[f"reason_{side}"] for one in those)]
            rows = [
                [
                    brief(one["question"]),
                    f"{one['value_a']:g}",
                    f"{one['value_b']:g}",
                    brief(one["answer"] or ""),
                    *(brief(one[f"reason_{side}"] or "") for side in said),
                ]
                for one in those[:_DISAGREEMENTS]
            ]
            columns = [self._words.plain("samples.question"), shown(a), shown(b), self._words.plain("samples.answer")]
            columns += [self._say("says", judge=labels[side]) for side in said]
            title = f"{self._say('disagreements')}: {shown(a)} – {shown(b)}"
            yield Folded(title=title, tables=[Table(title=title, columns=columns, rows=rows, cards=True)])


def _figure(found: Mapping[str, Any], *, signed: bool = False) -> str:
    if found["value"] is None:
        return "–"
    value = f"{found['value']:+.3f}" if signed else f"{found['value']:.3f}"
    return f"{value} {_interval(found)}".rstrip()


def _interval(found: Mapping[str, Any]) -> str:
    return "" if found["low"] is None else f"[{found['low']:.2f}, {found['high']:.2f}]"
