"""Pages of what is no run: comparisons of runs, comparisons of judges, audits."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from muffakir_eval.errors import ConfigError, StorageError

__all__ = ["other_page", "result_file"]

_KINDS: Mapping[str, str] = {
    "comparison.json": "comparison_page",
    "judges.json": "judge_comparison_page",
    "audit.json": "audit_page",
}
"""By the file that holds the result, the function that makes its page."""


def result_file(named: Path) -> Path | None:
    """The file of a comparison or an audit that is meant by its own name or by that of its folder."""
    if named.name in _KINDS and named.is_file():
        return named
    if (named / "summary.json").exists():  # a run
        return None
    return next((named / name for name in _KINDS if (named / name).is_file()), None)


def other_page(result: Path, formats: list[str], output: str | None, language: str | None) -> Path:
    """Write ``report.html`` of a comparison or an audit.

    Args:
        result: ``comparison.json``, ``judges.json`` or ``audit.json``.
        formats: What is asked for; only a page can be made.
        output: The folder; that of the result by default.
        language: Of the page.

    Raises:
        ConfigError: Another format is asked for.
        StorageError: The result cannot be read, or the page cannot be written.
        RunExistsError: There is a ``report.html`` of somebody else's.
    """
    from muffakir_eval.atomic import make_folder, replace_file
    from muffakir_eval.storage import refuse_foreign_report
    from muffakir_eval.writers import page

    if formats != ["html"]:
        raise ConfigError(
            f"of {result.name} only a page can be made", where="--format", expected="html", remedy="leave --format out"
        )
    make: Callable[..., Iterable[bytes]] = getattr(page, _KINDS[result.name])
    found = _read(result)
    path = make_folder(result.parent if output is None else output) / "report.html"
    refuse_foreign_report(path)
    try:
        content = list(make(found, language=language))
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        raise StorageError(
            f"the content cannot be understood ({type(error).__name__}: {error})",
            where=str(result),
            remedy="make it again with this version",
        ) from error
    replace_file(path, content)
    return path


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise StorageError(f"the file cannot be read ({error})", where=str(path), remedy="make it again") from error
    if not isinstance(found, dict):
        raise StorageError("the file holds no object", where=str(path), remedy="make it again")
    return found
