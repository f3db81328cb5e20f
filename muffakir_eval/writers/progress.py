"""The progress bar of a run, and the notes that go with it."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator
from typing import Protocol, TextIO

__all__ = ["Progress", "note", "progress_bar"]

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What would steer a terminal."""


class Progress(Protocol):
    """Told about every finished question."""

    def __call__(self, *, failed: bool) -> None:
        """One more question is finished."""
        ...


@contextlib.contextmanager
def progress_bar(total: int, done: int = 0, *, enabled: bool = True) -> Iterator[Progress]:
    """A bar on standard error that counts finished questions, in whatever order they finish.

    Nothing is shown where ``enabled`` is false or standard error is no terminal.
    """
    if not enabled or not _is_terminal(sys.stderr):
        yield _silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    failures = 0
    with Bar(
        TextColumn("Evaluating"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[failed]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=_is_terminal(sys.stdout),  # what goes into a file stays on its way there
    ) as bar:
        task = bar.add_task("Evaluating", total=total, completed=done, failed="")

        def advance(*, failed: bool) -> None:
            nonlocal failures
            failures += failed
            bar.update(task, advance=1, failed=f"{failures} failed" if failures else "")

        yield advance


def _silent(*, failed: bool) -> None:  # noqa: ARG001 - the bar's signature
    return


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def note(text: str, *, enabled: bool = True) -> None:
    """One line for the user on standard error, as plain text; silent where there is no such stream."""
    stream: TextIO | None = sys.stderr
    if not enabled or stream is None:
        return
    encoding = getattr(stream, "encoding", None) or "utf-8"
    plain = _CONTROLS.sub("?", text).encode(encoding, "replace").decode(encoding)
    with contextlib.suppress(OSError, ValueError):  # full, or closed: no reason to stop a run
        print(plain, file=stream)
