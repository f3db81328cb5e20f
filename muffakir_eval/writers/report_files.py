"""The further files of a run, by the name of their format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from muffakir_eval.errors import ConfigError
from muffakir_eval.records import SampleResult

__all__ = ["FORMATS", "format_names", "report_file"]

FORMATS: Mapping[str, str] = {
    "html": "report.html",
    "xlsx": "samples.xlsx",
    "md": "report.md",
    "jsonl": "samples.jsonl",
    "csv": "samples.csv",
}
"""File by format."""
_ALSO = {"markdown": "md", "excel": "xlsx", "json": "jsonl", "htm": "html"}


def format_names(names: Iterable[str], where: str = "formats") -> list[str]:
    """The formats as they are called here, each once.

    Raises:
        ConfigError: One is unknown.

    >>> format_names(["HTML", "markdown", "html"])
    ['html', 'md']
    """
    found = []
    for name in names:
        bare = name.strip().lower().lstrip(".")
        known = _ALSO.get(bare, bare)
        if known not in FORMATS:
            raise ConfigError(f"there is no format {name!r}", where=where, expected=f"one of {', '.join(FORMATS)}")
        found.append(known)
    return list(dict.fromkeys(found))


def report_file(
    name: str,
    summary: Mapping[str, Any],
    samples: Iterable[SampleResult],
    table: Callable[[], tuple[Iterable[Mapping[str, Any]], Sequence[str]]],
    *,
    language: str | None = None,
    page: str | None = None,
) -> Iterable[bytes]:
    """The content of the file of one format but for ``csv``; made while it is taken.

    Args:
        name: Of the format.
        summary: The content of ``summary.json``.
        samples: The finished samples; walked through when the file is made.
        table: The rows of ``samples.csv`` and their columns.
        language: ``ar`` or ``en``; that of the run by default.
        page: The page of the run, where it lies beside the file.
    """
    if name == "html":
        from muffakir_eval.writers.page import run_page

        return run_page(summary, samples, language=language)
    if name == "xlsx":
        from muffakir_eval.writers.samples_xlsx import xlsx_chunks

        return xlsx_chunks(*table(), summary, language=language)
    if name == "md":
        from muffakir_eval.writers.markdown_file import markdown_chunks

        return markdown_chunks(summary, samples, language=language, page=page)
    from muffakir_eval.writers.jsonl_file import jsonl_chunks

    return jsonl_chunks(samples, str(summary["run_id"]))
