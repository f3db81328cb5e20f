"""The progress bar of a run, and the notes that go with it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

__all__ = ["Progress", "note", "progress_bar"]


class Progress(Protocol):
    """Told about every finished question."""

    def __call__(self, *, failed: bool) -> None:
        """One more question is finished."""
        ...


@contextmanager
def progress_bar(total: int, done: int = 0, *, enabled: bool = True) -> Iterator[Progress]:
    """A bar on standard error that counts finished questions, in whatever order they finish.

    Nothing is shown where ``enabled`` is false or standard error is no terminal.
    """
    if not enabled or not sys.stderr.isatty():
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
    ) as bar:
        task = bar.add_task("Evaluating", total=total, completed=done, failed="")

        def advance(*, failed: bool) -> None:
            nonlocal failures
            failures += failed
            bar.update(task, advance=1, failed=f"{failures} failed" if failures else "")

        yield advance


def _silent(*, failed: bool) -> None:  # noqa: ARG001 - the bar's signature
    return


def note(text: str, *, enabled: bool = True) -> None:
    """One line for the user on standard error."""
    if enabled:
        stream = sys.stderr
        encoding = getattr(stream, "encoding", None) or "utf-8"
        print(text.encode(encoding, "replace").decode(encoding), file=stream)
