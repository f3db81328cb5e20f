"""The words of the page in Arabic and English, and figures among them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any, cast

from markupsafe import Markup, escape

from muffakir_eval.writers.page.plain_text import shown
from muffakir_eval.writers.terms import reason_words

__all__ = ["LANGUAGES", "Wording", "language_of", "wording"]

LANGUAGES = ("ar", "en")
_ISOLATE, _POP = "\u2068", "\u2069"


def language_of(language: object) -> str:
    """The language of the page for a run in ``language``.

    >>> language_of("ar-EG"), language_of("fr"), language_of(None)
    ('ar', 'en', 'en')
    """
    return "ar" if str(language or "").lower().partition("-")[0] == "ar" else "en"


@cache
def wording(language: str) -> Wording:
    """The words of ``ar`` or ``en``."""
    text = (resources.files("muffakir_eval.resources") / "page" / f"{language}.toml").read_text(encoding="utf-8")
    return Wording(language, tomllib.loads(text))


class Wording:
    """The words of one language.

    Args:
        language: ``ar`` or ``en``.
        table: Sections of texts; ``{name}`` in a text stands for a value.
    """

    def __init__(self, language: str, table: Mapping[str, Mapping[str, str]]) -> None:
        self.language = language
        self.direction = "rtl" if language == "ar" else "ltr"
        self._table = table

    def keys(self) -> Iterator[str]:
        """Every key, as ``section.name``."""
        return (f"{section}.{name}" for section, texts in self._table.items() for name in texts)

    def section(self, name: str) -> Mapping[str, str]:
        """The texts of one section, for the script in the page."""
        return self._table[name]

    def _text(self, key: str) -> str:
        section, _, name = key.partition(".")
        return self._table[section][name]

    def __call__(self, key: str, **values: object) -> Markup:
        """A text for the page; values stand apart from it, so that figures do not move among Arabic words."""
        marked = {name: Markup("<bdi>{}</bdi>").format(shown(value)) for name, value in values.items()}
        return escape(self._text(key)).format(**marked)

    def plain(self, key: str, **values: object) -> str:
        """The same without markup, for attributes."""
        return self._text(key).format(**{name: f"{_ISOLATE}{shown(value)}{_POP}" for name, value in values.items()})

    def labelled(self, key: str, **labels: str) -> str:
        """A text with the letters that name runs, which need not stand apart."""
        return self._text(key).format(**labels)

    def in_order(self, *figures: object) -> Markup:
        """Figures with strokes between them, in the direction in which the page is read."""
        joined = Markup(" / ").join(Markup("<bdi>{}</bdi>").format(figure) for figure in figures)
        return self.directed(joined)

    def directed(self, text: object) -> Markup:
        """A text of ours in the direction of the page, whatever its first letter."""
        return Markup('<span dir="{}">{}</span>').format(self.direction, text)

    def joined(self, figures: str, told: Markup) -> Markup:
        """Figures, a comma, and what belongs to them."""
        comma = "،" if self.language == "ar" else ","
        return Markup('<bdi dir="ltr">{}</bdi>{} {}').format(figures, comma, told)

    def known(self, section: str, name: object) -> str | None:
        """The text of a section, ``None`` where there is none."""
        return self._table.get(section, {}).get(str(name))

    def metric(self, name: str) -> str:
        """What a metric is called; the user's own as it stands.

        >>> wording("en").metric("recall_at_k"), wording("ar").metric("recall@10"), wording("en").metric("my own")
        ('Recall', 'الاستدعاء @10', 'my own')
        """
        base, _, cutoff = name.partition("@")
        known = self.known("metric", base.removesuffix("_at_k"))
        if known is None:
            return shown(name)
        return f"{known} @{cutoff}" if cutoff else known

    def metric_says(self, name: str) -> str:
        """What a metric tells, in one sentence; empty for the user's own."""
        return self.known("metric_says", name.partition("@")[0].removesuffix("_at_k")) or ""

    def reason(self, reason: object) -> str:
        """Why there is no value, in one sentence; one that is not known as it stands."""
        return self.known("reason_says", reason) or shown(reason_words(reason))

    def either(self, section: str, name: object) -> str:
        """The text of a section, or the name itself where there is none."""
        return self.known(section, name) or shown(name)

    def script_table(self, *sections: str) -> dict[str, Any]:
        """Sections for the script in the page."""
        return {name: cast("dict[str, str]", dict(self._table[name])) for name in sections}
