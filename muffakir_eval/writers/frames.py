"""Rows as a frame of pandas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["frame_of"]


def frame_of(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    r"""The rows as a frame, whatever texts they hold.

    >>> list(frame_of([{"question": "نصف حرف \ud83d"}], ["question", "answer"]))
    ['question', 'answer']
    """
    import pandas as pd

    listed = list(rows)
    try:
        return pd.DataFrame(listed, columns=list(columns))
    except UnicodeEncodeError:  # half of a surrogate pair, which a column of texts cannot hold
        return pd.DataFrame(listed, columns=list(columns), dtype=object)
