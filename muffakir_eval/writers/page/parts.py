"""What a page is made of: sections with tables and charts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from muffakir_eval.writers.page.document import document
from muffakir_eval.writers.page.drawing import warn_without_charts
from muffakir_eval.writers.page.plain_text import shown
from muffakir_eval.writers.page.wording import Wording

__all__ = ["Chart", "Folded", "Section", "Table", "english", "sections_page", "sentence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of figures.

    Attributes:
        title: Its caption.
        columns: Heads of the columns.
        rows: The first cell of each is its head.
        note: What stands below it.
        cards: On a phone each row is a card, so that nothing has to be scrolled sideways.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""
    cards: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A figure with its text alternative.

    Attributes:
        name: Unique in the page.
        title: What it shows.
        says: How to read it.
        drawings: As SVG; empty where the plotting library is missing.
        tables: The same in figures.
    """

    name: str
    title: str
    says: str
    drawings: Sequence[Markup]
    tables: Sequence[Table]


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """What is shown when asked for.

    Attributes:
        title: What it is called.
        says: Paragraphs above the tables.
        tables: The tables; those without rows are left out.
    """

    title: str
    says: Sequence[str] = ()
    tables: Sequence[Table] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a page that has no template of its own.

    Attributes:
        anchor: Unique in the page.
        title: Its heading.
        lead: What it is about.
        notes: What the reader should know.
        charts: Drawn first; one alone has its table beside it, unfolded.
        beside: Small tables beside the chart.
        tables: Shown.
        folded: Shown when asked for.
    """

    anchor: str
    title: str
    lead: str = ""
    notes: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    beside: Sequence[Table] = ()
    tables: Sequence[Table] = ()
    folded: Sequence[Folded] = ()


def english(text: object) -> Markup:
    """A message of this package, which is English whatever the language of the page.

    >>> english("<b> at line 7")
    Markup('<span lang="en" dir="auto">&lt;b&gt; at line 7</span>')
    """
    return Markup('<span lang="en" dir="auto">{}</span>').format(shown(text)) if text else Markup("")


def sentence(pairs: Any) -> str:
    """What a chart shows, for those who do not see it: names and values."""
    return "; ".join(f"{name}: {value}" for name, value in pairs)


def sections_page(
    words: Wording,
    heading: str,
    sections: Sequence[Section],
    *,
    facts: Sequence[tuple[str, object]] = (),
    more: Mapping[str, Any] | None = None,
) -> Iterator[bytes]:
    """A page of sections.

    Args:
        words: Of the page.
        heading: Its title.
        sections: Those with nothing to say are left out.
        facts: What stands at the top.
        more: ``version`` of this package, and ``notes`` that stand above the first section.
    """
    told = [section for section in sections if section.tables or section.charts or section.notes or section.folded]
    undrawn = any(not chart.drawings for section in told for chart in section.charts)
    if undrawn:
        warn_without_charts()
    context: dict[str, Any] = {
        "t": words,
        "title": heading,
        "heading": heading,
        "facts": [
            (name, value if isinstance(value, Markup) else shown(value))
            for name, value in facts
            if value not in (None, "")
        ],
        "contents": [(section.anchor, section.title) for section in told],
        "version": "",
        "notes": [],
        **(more or {}),
        "sections": told,
    }
    if undrawn:
        context["notes"] = [*context["notes"], words.plain("page.no_charts")]
    return document("sections.html.j2", context)
