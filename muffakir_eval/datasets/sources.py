"""Where a dataset comes from, as reports say it."""

from __future__ import annotations

from pathlib import Path

__all__ = ["shown_source"]


def shown_source(source: str) -> str:
    """The path of a file below the working folder without that folder: reports are passed on."""
    path = Path(source)
    try:
        return path.relative_to(Path.cwd()).as_posix() if path.is_absolute() else source
    except (OSError, ValueError):  # the working folder is gone, or the file lies elsewhere
        return source
