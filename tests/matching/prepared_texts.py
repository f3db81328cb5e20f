"""Prepared texts for tests."""

from __future__ import annotations

from muffakir_eval.matching.prepared import Least, PreparedText, PreparedTexts

__all__ = ["prepared"]


def prepared(text: str, *, least: Least | None = None) -> PreparedText:
    """``text``, prepared by itself."""
    return PreparedTexts(least=least).get(text)
