"""Figures as people read them: ``0.812 [0.77–0.85]``."""

from __future__ import annotations

from collections.abc import Sequence

from muffakir_eval.writers.terms import figure

__all__ = [
    "RATING",
    "between",
    "chance",
    "cost_text",
    "count_text",
    "ms_text",
    "percent",
    "signed",
    "span",
    "value_text",
]

RATING = "llm_judge_rating"


def value_text(name: str, value: float | None) -> str | None:
    """The value of a metric: three decimals, a rating of five, a user's own as many digits as show anything.

    >>> value_text("mrr", 0.8124), value_text("llm_judge_rating", 4.0), value_text("own", 0.00001)
    ('0.812', '4.00 / 5', '1e-05')
    """
    if value is None:
        return None
    if name == RATING:
        return f"{value:.2f} / 5"
    return f"{value:,.3f}" if value == 0 or 5e-4 <= abs(value) < 1e6 else figure(value)


def between(interval: Sequence[float] | None) -> str:
    """An interval in brackets, empty without one.

    >>> between((0.7712, 0.854)), between(None)
    ('[0.77–0.85]', '')
    """
    if not interval:
        return ""
    dash = "–" if interval[0] >= 0 else " to "
    return f"[{_short(interval[0])}{dash}{_short(interval[1])}]"


def _short(value: float) -> str:
    return f"{value:,.2f}" if value == 0 or 5e-3 <= abs(value) < 1e6 else f"{value:.2g}"


def percent(share: float | None) -> str:
    """A share as per cent, empty without one.

    >>> percent(0.125)
    '12.5%'
    """
    return "" if share is None else f"{share:.1%}"


def count_text(number: object) -> str:
    """A whole number with separators, empty without one.

    >>> count_text(148057), count_text(None)
    ('148,057', '')
    """
    return f"{number:,}" if isinstance(number, int) else ""


def ms_text(value: float | None) -> str:
    """Milliseconds: two digits at least.

    >>> ms_text(0.2507), ms_text(7.77), ms_text(317.7), ms_text(12345.6)
    ('0.25', '7.8', '318', '12,346')
    """
    if value is None:
        return ""
    return f"{value:,.2f}" if value < 1 else f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def cost_text(value: float | None) -> str:
    """US dollars.

    >>> cost_text(0.0012), cost_text(12.5)
    ('0.0012', '12.50')
    """
    return "" if value is None else f"{value:,.2f}" if value >= 1 else f"{value:.4f}"


def signed(value: float | None) -> str:
    """A difference with its sign.

    >>> signed(0.25), signed(0.0), signed(None)
    ('+0.250', '0', '–')
    """
    return "–" if value is None else f"{value:+.3f}" if value else "0"


def span(interval: Sequence[float] | None) -> str:
    """An interval of a difference."""
    return f"[{signed(interval[0])}, {signed(interval[1])}]" if interval else "–"


def chance(p_value: float | None) -> str:
    """A p-value."""
    if p_value is None:
        return "–"
    return "< 0.0001" if p_value < 0.0001 else f"{p_value:.4f}"
