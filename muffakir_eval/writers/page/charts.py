"""The charts of a run, each with the table that says the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from muffakir_eval.writers.page.bars import Bar, Row, Split
from muffakir_eval.writers.page.collected import Collected
from muffakir_eval.writers.page.drawing import Canvas, can_draw
from muffakir_eval.writers.page.numbers import RATING, between, cost_text, count_text, ms_text, percent, value_text
from muffakir_eval.writers.page.parts import Chart, Table, sentence
from muffakir_eval.writers.page.refusal_parts import STATES, refusal_parts
from muffakir_eval.writers.page.wording import Wording

__all__ = ["Charts"]

_RANKS_SHOWN, _DISTRIBUTIONS, _BINS, _FEW, _NARROW = 20, 8, 10, 6, 230
_SCALES = {RATING: (1.0, 2.0, 3.0, 4.0, 5.0)}
_PERCENTILES = ("p50", "p90", "p95", "p99")


class Charts:
    """Makes the charts of one run.

    Args:
        summary: The content of ``summary.json``.
        collected: What was gathered of the samples.
        words: Of the page.
    """

    def __init__(self, summary: Mapping[str, Any], collected: Collected, words: Wording) -> None:
        self._summary, self._collected, self._words = summary, collected, words
        self._metrics: Mapping[str, Mapping[str, Any]] = summary.get("metrics") or {}

    def all(self) -> list[Chart]:
        """Every chart that has something to show."""
        made = (self.metrics(), self.ranks(), self.distributions(), self.refusals(), self.latency(), self.cost())
        return [chart for chart in made if chart is not None]

    def _canvas(self, name: str, title: str, says: str, width: int = 340) -> Canvas:
        return Canvas(f"chart-{name}", title, says, self._words.direction == "rtl", width)

    def _chart(
        self, name: str, drawings: Sequence[str], tables: Sequence[Table], says: Markup, title: str = ""
    ) -> Chart:
        drawn = [Markup(drawing) for drawing in drawings]  # noqa: S704 - made by svg_of, which escapes the texts
        title = title or self._words.plain(f"charts.{name}")
        return Chart(name=name, title=title, says=says, drawings=drawn, tables=tables)

    def metrics(self) -> Chart | None:
        """A bar per metric that runs from 0 to 1."""
        words, level = self._words, f"{100 * float(self._summary.get('confidence_level') or 0.95):.4g}"
        shares = {name: block for name, block in self._metrics.items() if self._is_share(name, block)}
        if not shares:
            return None
        told = {
            name: f"{value_text(name, block['mean'])} {between(block.get('interval'))}".rstrip()
            for name, block in shares.items()
        }
        bars = [
            Bar(words.metric(name), block["mean"], told[name], *(block.get("interval") or ()))
            for name, block in shares.items()
        ]
        says = words("charts.metrics_says", level=level)
        canvas = self._canvas("metrics", words.plain("charts.metrics"), sentence(_pairs(bars)))
        table = Table(
            title=words.plain("charts.metrics"),
            columns=[words.plain(f"headline.{key}") for key in ("metric", "value", "covers")],
            rows=[
                [words.metric(name), told[name], f"{block['n_scored']}/{block['n_total']}"]
                for name, block in shares.items()
            ],
        )
        return self._chart("metrics", [canvas.bars(bars)] if can_draw() else [], [table], says)

    def _is_share(self, name: str, block: Mapping[str, Any]) -> bool:
        values = self._collected.values.get(name) or ()
        ends = (*(block.get("interval") or ()), block.get("mean"))
        return name != RATING and all(end is not None and 0 <= end <= 1 for end in (*ends, *values))

    def ranks(self) -> Chart | None:
        """How many questions find their first evidence at each rank."""
        words, ranks = self._words, self._collected.ranks
        total = ranks.total()
        if not total:
            return None
        last = min(max([*ranks, int(self._summary.get("k") or 1)]), _RANKS_SHOWN)
        counts = [ranks[rank] for rank in range(1, last + 1)]
        names = [str(rank) for rank in range(1, last + 1)]
        beyond = sum(count for rank, count in ranks.items() if rank > last)
        if beyond:
            names, counts = [*names, f"> {last}"], [*counts, beyond]
        names, counts = [*names, words.plain("charts.not_found")], [*counts, ranks[0]]
        pairs = list(zip(names, counts, strict=True))
        canvas = self._canvas("ranks", words.plain("charts.ranks"), sentence(pairs))
        table = Table(
            title=words.plain("charts.ranks"),
            columns=[words.plain(f"charts.{key}") for key in ("rank", "count", "share")],
            rows=[[name, count_text(count), percent(count / total)] for name, count in pairs],
        )
        drawings = [canvas.columns(names, counts, muted=len(counts) - 1)] if can_draw() else []
        return self._chart("ranks", drawings, [table], words("charts.ranks_says", total=total))

    def distributions(self) -> Chart | None:
        """How many questions have which value, for each metric at the main cutoff that takes more than two."""
        words, drawings, tables = self._words, [], []
        chosen = [name for name, values in self._collected.values.items() if values and "@" not in name]
        for number, name in enumerate(chosen[:_DISTRIBUTIONS]):
            names, counts = _bins(self._collected.values[name], _SCALES.get(name))
            pairs = list(zip(names, counts, strict=True))
            label = words.metric(name)
            tables.append(
                Table(
                    title=label,
                    columns=[words.plain("charts.values"), words.plain("charts.count")],
                    rows=[[bin_name, count_text(count)] for bin_name, count in pairs],
                )
            )
            if can_draw():
                canvas = self._canvas(f"values-{number}", label, sentence(pairs), _NARROW)
                drawings.append(canvas.columns(names, counts))
        says = words("charts.distributions_says")
        return self._chart("distributions", drawings, tables, says) if tables else None

    def refusals(self) -> Chart | None:
        """Answered or refused, by whether the question can be answered and whether the evidence was there."""
        refusals, words = self._summary.get("refusals") or {}, self._words
        counts: Mapping[str, Mapping[str, int]] = refusals.get("table") or {}
        if not refusals.get("n_answers"):
            return None
        tables = [
            self._counts("question", ("answerable", "unanswerable", "unknown"), counts, "charts.refusals"),
            self._counts(
                "evidence",
                ("retrieved", "not_retrieved", "unknown"),
                refusals.get("by_evidence") or {},
                "charts.refusals_evidence",
            ),
        ]
        drawings = []
        if can_draw():
            drawn = [
                Split(words.plain(f"refusals.{name}"), refusal_parts(name, row, words))
                for name, row in counts.items()
                if sum(row.values())
            ]
            says = sentence((row.label, row.told) for row in drawn)
            drawings = [self._canvas("refusals", words.plain("charts.refusals"), says).stacked(drawn)]
        return self._chart("refusals", drawings, [one for one in tables if one.rows], words("charts.refusals_says"))

    def _counts(self, head: str, names: Sequence[str], counts: Mapping[str, Mapping[str, int]], title: str) -> Table:
        words = self._words
        states = [state for state in STATES if any(row.get(state) for row in counts.values())]
        return Table(
            title=words.plain(title),
            columns=[words.plain(f"refusals.{key}") for key in (head, *states)],
            rows=[
                [words.plain(f"refusals.{name}"), *(count_text(counts[name].get(state, 0)) for state in states)]
                for name in names
                if any((counts.get(name) or {}).values())
            ],
        )

    def latency(self) -> Chart | None:
        """Percentiles of the times."""
        words = self._words
        blocks = {name: block for name, block in self._times() if block.get("p50") is not None}
        if not blocks:
            return None
        rows = [
            Row(
                words.either("latency", name),
                [block[key] for key in _PERCENTILES if block.get(key) is not None],
                " · ".join(f"{key} {ms_text(block[key])}" for key in ("p50", "p95") if block.get(key) is not None),
            )
            for name, block in blocks.items()
        ]
        columns = ("mean", *_PERCENTILES, "max")
        heads = [words.plain("latency.mean"), *_PERCENTILES, words.plain("latency.max")]
        table = Table(
            title=f"{words.plain('charts.latency')} ({words.plain('charts.milliseconds')})",
            columns=[words.plain("latency.what"), *heads],
            rows=[
                [words.either("latency", name), *(ms_text(block.get(key)) for key in columns)]
                for name, block in blocks.items()
            ],
        )
        drawings = []
        if can_draw() and any(value > 0 for row in rows for value in row.values):
            canvas = self._canvas(
                "latency", words.plain("charts.latency"), sentence((row.label, row.told) for row in rows)
            )
            drawings = [canvas.spans(rows)]
        return self._chart("latency", drawings, [table], words("charts.latency_says"))

    def _times(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for name, block in (self._summary.get("latency_ms") or {}).items():
            if block.get("n"):
                yield name, block
        usage = self._summary.get("usage") or {}
        if usage.get("calls"):
            yield "judge", usage.get("latency_ms") or {}

    def cost(self) -> Chart | None:
        """What each judged metric cost; its tokens where no price is known."""
        words = self._words
        by_metric: Mapping[str, Mapping[str, Any]] = (self._summary.get("usage") or {}).get("by_metric") or {}
        asked = {name: block for name, block in by_metric.items() if block.get("calls")}
        for key, says in (("cost_usd", "cost_says"), ("cost_estimate_usd", "cost_estimated")):
            costs = {name: block[key] for name, block in asked.items() if block.get(key) is not None}
            if costs:
                bars = [Bar(words.metric(name), cost, cost_text(cost)) for name, cost in costs.items()]
                return self._amounts("cost", bars, asked, says)
        tokens = {name: block["input_tokens"] for name, block in asked.items() if block.get("input_tokens")}
        bars = [Bar(words.metric(name), count, count_text(count)) for name, count in tokens.items()]
        return self._amounts("tokens", bars, asked, "tokens_says") if bars else None

    def _amounts(self, name: str, bars: Sequence[Bar], asked: Mapping[str, Mapping[str, Any]], says: str) -> Chart:
        words = self._words
        table = Table(
            title=words.plain("judge.by_metric"),
            columns=[
                words.plain("headline.metric"),
                *(words.plain(f"judge.{key}") for key in ("calls", "tokens_in", "tokens_out", "cost")),
            ],
            rows=[
                [
                    words.metric(metric),
                    count_text(block.get("calls")),
                    count_text(block.get("input_tokens")),
                    count_text(block.get("output_tokens")),
                    cost_text(
                        block.get("cost_usd") if block.get("cost_usd") is not None else block.get("cost_estimate_usd")
                    )
                    or "–",
                ]
                for metric, block in asked.items()
            ],
        )
        drawings = []
        if can_draw():
            canvas = self._canvas(name, words.plain(f"charts.{name}"), sentence(_pairs(bars)))
            drawings = [canvas.bars(bars, high=max(bar.value for bar in bars) or 1.0, ticks=False)]
        return self._chart(name, drawings, [table], words(f"charts.{says}"))


def _pairs(bars: Sequence[Bar]) -> list[tuple[str, str]]:
    return [(bar.label, bar.told) for bar in bars]


def _bins(values: Sequence[float], scale: Sequence[float] | None = None) -> tuple[list[str], list[int]]:
    """Each value of the scale, or each that there is where there are few, else ranges of the same width.

    >>> _bins([1.0, 1.0]), _bins([0.5, 0.2])
    ((['0', '1'], [0, 2]), (['0.2', '0.5'], [1, 1]))
    >>> _bins([0.0, 0.05, 0.2, 0.31, 0.5, 0.77, 1.0])[1]
    [2, 0, 1, 1, 0, 1, 0, 1, 0, 1]
    """
    counts = Counter(values)
    for known in (scale, (0.0, 1.0), sorted(counts) if len(counts) <= _FEW else None):
        if known is not None and counts.keys() <= set(known):
            return [f"{value:.3g}" for value in known], [counts[value] for value in known]
    least, most = min(counts), max(counts)
    low, high = (0.0, 1.0) if least >= 0 and most <= 1 else (least, most)
    width = (high - low) / _BINS
    bins = Counter(dict.fromkeys(range(_BINS), 0))
    for value, count in counts.items():
        bins[min(int((value - low) / width + 1e-9), _BINS - 1)] += count
    ends = [f"{low + width * place:.3g}" for place in range(_BINS + 1)]
    return [f"{start}–{end}" for start, end in pairwise(ends)], [bins[place] for place in range(_BINS)]
