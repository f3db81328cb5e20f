"""Many identifiers at once."""

from __future__ import annotations

from typing import Any

from muffakir_eval.text.identifiers import clean_id

__all__ = ["are_clean", "clean_ids"]

_ASCII_SPACES = "\t\n\v\f\r\x1c\x1d\x1e\x1f"


def clean_ids(values: list[Any]) -> list[str] | None:
    """Each of ``values`` as :func:`~muffakir_eval.text.identifiers.clean_id` has it; ``None`` where one is none.

    Where nothing changes it is the same list.

    >>> clean_ids([12, "007", " a "]), clean_ids(["a", None])
    (['12', '007', 'a'], None)
    """
    if are_clean(values):
        return values
    names = [clean_id(value) for value in values]
    return None if None in names else names  # type: ignore[return-value]


def are_clean(values: list[Any]) -> bool:
    """All of ``values`` are texts that stay as they are, as a few looks at their joined text tell; no means perhaps.

    >>> are_clean(["a", "007"]), are_clean(["a "]), are_clean([7])
    (True, False, False)
    """
    try:
        text = "".join(values)
    except TypeError:
        return False
    if " " in text or ("." in text and ".0" in text) or "" in values:
        return False
    # What is cut off at the ends is nowhere printable, but for the space; among ASCII it is these.
    return text.isprintable() if not text.isascii() else not any(map(text.__contains__, _ASCII_SPACES))
