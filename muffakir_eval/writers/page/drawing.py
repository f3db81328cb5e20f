"""Charts drawn by matplotlib: bars with intervals, columns, stacked bars, and percentiles."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from muffakir_eval.writers.page.bars import Bar, Row, Split
from muffakir_eval.writers.page.svg import COLOURS, Labels, svg_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Canvas", "can_draw", "warn_without_charts"]

_WIDTH = 340
_INK, _SOFT, _GRID, _TRACK, _CARD = "#101010", "#505050", "#c8c8c8", "#e8ecf0", "#fdfdfd"
_SERIES = ("#1f5fa8", "#c0562b", "#3f8f5f", "#8a6fb0", "#a08020", "#707880")
_BY_CLASS = {name: colour for colour, name in COLOURS.items()}
_FONT, _SMALL = 11, 10
_ROW, _SPLIT_ROW, _COLUMNS_HEIGHT = 38, 58, 170
_MARGIN, _FEWEST, _KEYS = 6, 3, 2
_LEADING, _LETTER = 14, 5.2


@cache
def can_draw() -> bool:
    """The plotting library is installed."""
    return find_spec("matplotlib") is not None


@cache
def warn_without_charts() -> None:
    """Say once that the pages have no charts, and how to have them."""
    warnings.warn(
        "the report page has no charts, since matplotlib is not installed: pip install 'muffakir-eval[report]'",
        stacklevel=4,
    )


@dataclass(frozen=True, slots=True)
class Canvas:
    """Where a chart is drawn.

    Attributes:
        name: Unique in the page.
        title: What the chart shows.
        says: The same in a sentence, for those who do not see it.
        rtl: Bars grow from right to left, as the page is read.
        width: In points; a narrow one is for charts that stand side by side.
    """

    name: str
    title: str
    says: str
    rtl: bool = False
    width: int = _WIDTH

    def bars(self, rows: Sequence[Bar], *, low: float = 0.0, high: float = 1.0, ticks: bool = True) -> str:
        """Horizontal bars from ``low`` to ``high``, each with its label above."""
        labels = Labels()
        axes = self._rows_axes(len(rows), labels, ticks=ticks)
        self._reach(axes, low, high)
        for place, row in enumerate(rows):
            axes.barh(place, high - low, left=low, height=0.3, color=_TRACK)
            axes.barh(place, row.value - low, left=low, height=0.3, color=_SERIES[0])
            if row.low is not None and row.high is not None:
                self._interval(axes, place, row.low, row.high)
            self._above(axes, place, labels.words(row.label), labels.figures(row.told, "bold"))
        if ticks:
            steps = [low + (high - low) * part / 4 for part in range(5)]
            self._ticks(axes, labels, steps, [f"{step:g}" for step in steps])
        return self._finish(axes, labels)

    def differences(self, rows: Sequence[Bar]) -> str:
        """Bars from a line in the middle to either side, each with its interval."""
        labels = Labels()
        axes = self._rows_axes(len(rows), labels, ticks=True)
        reach = max([abs(end) for row in rows for end in (row.value, row.low, row.high) if end is not None]) or 1.0
        self._reach(axes, -1.1 * reach, 1.1 * reach)
        for place, row in enumerate(rows):
            axes.barh(place, 2.2 * reach, left=-1.1 * reach, height=0.3, color=_TRACK)
            axes.barh(place, row.value, height=0.3, color=_SERIES[0] if row.value >= 0 else _SERIES[1])
            if row.low is not None and row.high is not None:
                self._interval(axes, place, row.low, row.high)
            self._above(axes, place, labels.words(row.label), labels.figures(row.told, "bold"))
        axes.axvline(0, color=_SOFT, linewidth=1.2, zorder=3)
        self._ticks(axes, labels, [-reach, 0, reach], [f"{end:+.2g}" if end else "0" for end in (-reach, 0, reach)])
        return self._finish(axes, labels)

    def _interval(self, axes: Axes, place: int, low: float, high: float) -> None:
        axes.plot([low, high], [place, place], color=_INK, linewidth=1.6, solid_capstyle="butt", clip_on=False)
        for end in (low, high):
            axes.plot([end, end], [place - 0.12, place + 0.12], color=_INK, linewidth=1.6, clip_on=False)

    def stacked(self, rows: Sequence[Split]) -> str:
        """Horizontal bars of shares that add up to the whole, each with its parts in words below it.

        A part is told by its name and its place as well as by its colour.
        """
        labels = Labels()
        legend = {part.name: part.colour for row in rows for part in row.parts}
        deepest = max(len(row.lines) for row in rows)
        axes = self._rows_axes(len(rows), labels, legend=legend, row=_SPLIT_ROW + _LEADING * (deepest - 1))
        self._reach(axes, 0, 1)
        for place, row in enumerate(rows):
            whole, left = sum(part.count for part in row.parts), 0.0
            for part in row.parts:
                share = part.count / whole
                # Its edge has the colour of the card behind it, so that neighbours stay apart.
                axes.barh(
                    place, share, left=left, height=0.24, color=_BY_CLASS[part.colour], edgecolor=_CARD, linewidth=1.5
                )
                left += share
            self._above(axes, place, labels.words(row.label), labels.figures(f"{whole:,}", "bold"), shift=0.2)
            for number, line in enumerate(row.lines):
                self._below(axes, place, labels.words(line), -_LEADING * number)
        return self._finish(axes, labels)

    def spans(self, rows: Sequence[Row]) -> str:
        """On a logarithmic scale, a line from the smallest to the largest figure of each row and a dot at each."""
        labels = Labels()
        axes = self._rows_axes(len(rows), labels, ticks=True)
        axes.set_xscale("log")
        every = [value for row in rows for value in row.values if value > 0]
        low, high = min(every), max(every)
        powers = [10.0**power for power in range(-9, 13) if low / 10 < 10.0**power < high * 10]
        self._reach(axes, powers[0], powers[-1])
        for place, row in enumerate(rows):
            values = [max(value, powers[0]) for value in row.values]
            axes.barh(place, powers[-1] - powers[0], left=powers[0], height=0.06, color=_TRACK)
            axes.plot([min(values), max(values)], [place, place], color=_SERIES[0], linewidth=4, clip_on=False)
            axes.plot(values, [place] * len(values), "o", color=_SERIES[0], markersize=7, clip_on=False)
            self._above(axes, place, labels.words(row.label), labels.figures(row.told, "bold"))
        self._ticks(axes, labels, powers, [f"{power:,.12g}" for power in powers])
        return self._finish(axes, labels)

    def columns(self, names: Sequence[str], values: Sequence[float], *, muted: int | None = None) -> str:
        """Vertical bars with their figure on top and their name below.

        Args:
            names: Of the columns.
            values: Their heights.
            muted: The column that stands apart, in another colour.
        """
        from matplotlib.figure import Figure

        labels = Labels()
        figure = Figure(figsize=(self.width / 72, _COLUMNS_HEIGHT / 72))
        axes = figure.add_axes((0.02, 0.16, 0.96, 0.72))
        axes.set_axis_off()
        colours = [_SERIES[1] if place == muted else _SERIES[0] for place in range(len(values))]
        axes.bar(range(len(values)), values, width=0.72, color=colours)
        room = max(0.0, (_FEWEST - len(values)) / 2)  # so that a single column does not fill the chart
        self._reach(axes, -0.5 - room, len(values) - 0.5 + room)
        axes.set_ylim(0, max(values) * 1.02 or 1)
        axes.axhline(0, color=_GRID, linewidth=1)
        named = _named(names, self.width)
        for place, (name, value) in enumerate(zip(names, values, strict=True)):
            if value:
                self._centred(axes, labels.figures(f"{value:g}"), (place, value), 3, _INK)
            if place in named:
                write = labels.words if any(map(str.isalpha, name)) else labels.figures
                self._centred(axes, write(name), (place, 0), -14, _SOFT)
        return self._finish(axes, labels)

    def _centred(self, axes: Axes, sign: str, at: tuple[float, float], shift: float, colour: str) -> None:
        axes.annotate(
            sign, at, xytext=(0, shift), textcoords="offset points", ha="center", fontsize=_SMALL, color=colour
        )

    def _rows_axes(
        self,
        count: int,
        labels: Labels,
        *,
        ticks: bool = False,
        legend: Mapping[str, str] | None = None,
        row: int = _ROW,
    ) -> Axes:
        from matplotlib.figure import Figure

        legend = legend or {}
        keys = _KEYS if max(map(len, legend), default=0) * _LETTER < self.width / _KEYS - 20 else 1
        lines = -(-len(legend) // keys)
        top, bottom = 4 + 18 * lines, 20 if ticks else 2
        height = top + round(row * (count + 0.22)) + bottom
        figure = Figure(figsize=(self.width / 72, height / 72))
        axes = figure.add_axes(
            (_MARGIN / self.width, bottom / height, 1 - 2 * _MARGIN / self.width, (height - top - bottom) / height)
        )
        axes.set_axis_off()
        axes.set_ylim(count - 0.5, -0.72)
        for number, (name, colour) in enumerate(legend.items()):
            across = _MARGIN + (number % keys) / keys * (self.width - 2 * _MARGIN)
            at = (across, height - 16 - 18 * (number // keys))
            self._key(figure, at, labels.words(name), _BY_CLASS[colour])
        return axes

    def _reach(self, axes: Axes, low: float, high: float) -> None:
        """From the side on which reading begins to the other."""
        axes.set_xlim(*((high, low) if self.rtl else (low, high)))

    def _key(self, figure: Figure, at: tuple[float, float], sign: str, colour: str) -> None:
        """One entry of the legend: a square and its name."""
        from matplotlib.lines import Line2D

        square, text = (self.width - at[0] - shift if self.rtl else at[0] + shift for shift in (4, 13))
        height = figure.get_figheight() * 72
        figure.add_artist(
            Line2D(
                [square / self.width], [(at[1] + 4) / height], marker="s", markersize=8, color=colour, linestyle="none"
            )
        )
        figure.text(
            text / self.width, at[1] / height, sign, ha="right" if self.rtl else "left", fontsize=_SMALL, color=_SOFT
        )

    def _above(self, axes: Axes, place: int, label: str, told: str, *, shift: float = 0.3) -> None:
        """The label of a row at its beginning, its figures at its end."""
        for text, at_start in ((label, True), (told, False)):
            left = at_start != self.rtl
            axes.annotate(
                text,
                (0.0 if left else 1.0, place - shift),
                xycoords=axes.get_yaxis_transform(),
                ha="left" if left else "right",
                fontsize=_FONT,
                color=_INK,
            )

    def _below(self, axes: Axes, place: int, told: str, shift: int) -> None:
        """What a row comes to, at its beginning."""
        axes.annotate(
            told,
            (1.0 if self.rtl else 0.0, place + 0.17),
            xycoords=axes.get_yaxis_transform(),
            xytext=(0, shift),
            textcoords="offset points",
            ha="right" if self.rtl else "left",
            va="top",
            fontsize=_SMALL,
            color=_SOFT,
        )

    def _ticks(self, axes: Axes, labels: Labels, places: Sequence[float], names: Sequence[str]) -> None:
        for number, (place, name) in enumerate(zip(places, names, strict=True)):
            axes.axvline(place, color=_GRID, linewidth=0.7, zorder=0, clip_on=False)
            ends = {0: "left", len(places) - 1: "right"}
            side = ends.get(number, "center") if len(places) > _FEWEST else "center"
            if self.rtl:
                side = {"left": "right", "right": "left"}.get(side, side)
            axes.annotate(
                labels.figures(name),
                (place, 0),
                xycoords=axes.get_xaxis_transform(),
                xytext=(0, -14),
                textcoords="offset points",
                ha=side,
                fontsize=_SMALL,
                color=_SOFT,
            )

    def _finish(self, axes: Axes, labels: Labels) -> str:
        from matplotlib.figure import Figure

        figure = axes.figure
        assert isinstance(figure, Figure)  # noqa: S101 - an axes of ours is in no subfigure
        return svg_of(figure, labels, rtl=self.rtl, name=self.name, title=self.title, says=self.says)


def _named(names: Sequence[str], width: int) -> set[int]:
    """The columns whose names have room below: all of them, or the first, the middle and the last."""
    if sum(len(name) + 1 for name in names) * _SMALL * 0.55 <= width:
        return set(range(len(names)))
    return {0, len(names) // 2, len(names) - 1}
