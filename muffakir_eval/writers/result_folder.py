"""The files of a result in a folder, with its page where one is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from muffakir_eval.atomic import make_folder, replace_file
from muffakir_eval.storage import refuse_foreign_report

__all__ = ["write_result"]

_PAGE = "report.html"


def write_result(
    output_dir: str | Path, files: Mapping[str, Iterable[bytes]], page: Callable[[], Iterable[bytes]] | None = None
) -> Path:
    """Write the files, each replaced in one step, into a folder that is made where it does not exist.

    Args:
        output_dir: The folder.
        files: Content by name.
        page: Makes ``report.html``, ``None`` for none.

    Raises:
        StorageError: A file cannot be written.
        RunExistsError: There is a ``report.html`` of somebody else's.
    """
    folder = make_folder(output_dir)
    if page is not None:
        refuse_foreign_report(folder / _PAGE)
    for name, content in files.items():
        replace_file(folder / name, content)
    if page is not None:
        replace_file(folder / _PAGE, page())
    return folder
