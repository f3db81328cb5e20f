"""Strict JSON files: UTF-8 without a byte order mark, readable, and never ``NaN``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from muffakir_eval.atomic import replace_file
from muffakir_eval.records.codec import strict_json

__all__ = ["json_chunks", "write_json"]


def json_chunks(value: Any) -> list[bytes]:
    r"""``value`` as the content of a JSON file, indented by two, with a newline at the end.

    The whole text is made at once, so that whatever is wrong with it shows before a file is touched.

    Raises:
        ValueError: ``value`` holds NaN or an infinity; what has no value is ``None``.
        TypeError: ``value`` holds something that JSON has no form for.

    >>> json_chunks({"الاستدعاء": None})
    [b'{\n  "\xd8\xa7\xd9\x84\xd8\xa7\xd8\xb3\xd8\xaa\xd8\xaf\xd8\xb9\xd8\xa7\xd8\xa1": null\n}\n']
    """
    return [f"{strict_json(value, indent=2)}\n".encode()]


def write_json(path: str | Path, value: Any) -> None:
    """Write ``value`` to ``path`` as strict JSON, replacing the file in one step.

    Raises:
        ValueError: ``value`` holds NaN or an infinity; nothing was touched.
        TypeError: ``value`` holds something that JSON has no form for; nothing was touched.
        StorageError: The file cannot be written or replaced.
    """
    replace_file(path, json_chunks(value))
