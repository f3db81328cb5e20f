"""``--log-file``: what the package logs, in a file and without secrets."""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from muffakir_eval.errors import StorageError
from muffakir_eval.redaction import redact, secrets_of_environment

__all__ = ["hide", "logging_to"]

_LOGGER = logging.getLogger("muffakir_eval")
_HIDDEN: set[str] = set()
"""Secrets of the settings that the command has read."""


class _Redacted(logging.Formatter):
    """Times in UTC; no key, token or password, wherever it comes from."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record), {*secrets_of_environment(), *_HIDDEN})

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802, ARG002
        import datetime

        return datetime.datetime.fromtimestamp(record.created, datetime.UTC).isoformat(timespec="milliseconds")


class _File(logging.FileHandler):
    """A disk that is full ends the log, and not the run."""

    def __init__(self, path: str) -> None:
        super().__init__(path, encoding="utf-8", errors="backslashreplace")
        self._has_failed = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802 - the names of logging
        """Say it once."""
        if not self._has_failed:
            self._has_failed = True
            with contextlib.suppress(OSError, ValueError, AttributeError):
                sys.stderr.write(f"the log {self.baseFilename} is not complete: {sys.exc_info()[1]}\n")

    def close(self) -> None:
        """What is still held back is lost where it cannot be written."""
        with contextlib.suppress(OSError):
            super().close()


class _Shown(_Redacted):
    """The same for the terminal, in characters that it can hold."""

    def format(self, record: logging.LogRecord) -> str:
        encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
        return super().format(record).encode(encoding, "replace").decode(encoding)


def hide(secrets: Iterable[str]) -> None:
    """Keep these out of the file, too."""
    _HIDDEN.update(secrets)


@contextlib.contextmanager
def logging_to(path: str | None) -> Iterator[None]:
    """Append what the package logs to a file while the command runs; warnings stay on standard error, too.

    Raises:
        StorageError: The file cannot be opened.
    """
    if path is None:
        yield
        return
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        file = _File(path)
    except (OSError, ValueError) as error:
        raise StorageError(
            f"the log cannot be written ({getattr(error, 'strerror', None) or error})",
            where=path,
            remedy="name another --log-file",
        ) from None
    file.setFormatter(_Redacted("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    shown = logging.StreamHandler(sys.stderr)
    shown.setLevel(logging.WARNING)
    shown.addFilter(lambda record: not record.name.startswith("muffakir_eval.cli"))  # shown anyway
    shown.setFormatter(_Shown("%(message)s"))
    before = _LOGGER.level
    _LOGGER.setLevel(logging.INFO)
    handlers: tuple[logging.Handler, ...] = (file, shown)
    for handler in handlers:
        _LOGGER.addHandler(handler)
    try:
        yield
    finally:
        for handler in handlers:
            _LOGGER.removeHandler(handler)
        file.close()
        _LOGGER.setLevel(before)
        _HIDDEN.clear()
