"""How far a run is: a bar on a terminal, a line now and then elsewhere, and the notes that go with it."""

from __future__ import annotations

import contextlib
import logging
import re
import sys
import time
from collections.abc import Callable, Iterator
from typing import Protocol, TextIO

__all__ = ["Progress", "note", "progress_bar", "progress_line"]

_log = logging.getLogger("muffakir_eval.progress")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What would steer a terminal."""
_EVERY_S = 30.0
"""Seconds between two lines where there is no terminal."""
_NARROW = 60
"""Characters of a line below which only the figures fit."""

Cost = Callable[[], float | None]
"""US dollars so far, ``None`` where they are not known."""


class Progress(Protocol):
    """Told about every finished question."""

    def __call__(self, *, failed: bool) -> None:
        """One more question is finished."""
        ...


class _Count:
    """What is finished, and how fast."""

    def __init__(self, total: int, done: int, cost: Cost | None, clock: Callable[[], float]) -> None:
        self.total = total
        self.done = done
        self.failed = 0
        self._before = done
        self._cost = cost
        self._cost_known: float | None = None
        self._cost_asked: float | None = None
        self._clock = clock
        self._started = clock()

    def note(self, *, failed: bool) -> None:
        self.done += 1
        self.failed += failed

    @property
    def rate(self) -> float | None:
        """Questions a second in this part of the run."""
        seconds = self._clock() - self._started
        return (self.done - self._before) / seconds if seconds > 0 and self.done > self._before else None

    @property
    def left_s(self) -> float | None:
        return None if self.rate is None else (self.total - self.done) / self.rate

    def extras(self) -> list[str]:
        """What there is to say beside the count: failures, rate, cost."""
        cost = self._cost_so_far()
        told = [f"{self.failed} failed"] if self.failed else []
        told += [_rate(self.rate)] if self.rate else []
        return [*told, f"{cost:.2f} USD" if cost >= 0.1 else f"{cost:.4f} USD"] if cost else told

    def _cost_so_far(self) -> float | None:
        """Asked for once a second: adding it up takes time."""
        now = self._clock()
        if self._cost is not None and (self._cost_asked is None or now - self._cost_asked >= 1.0):
            self._cost_known, self._cost_asked = self._cost(), now
        return self._cost_known

    def line(self) -> str:
        told = [f"{self.done}/{self.total} questions", *self.extras()]
        if self.left_s and self.done < self.total:
            told.append(f"about {_span(self.left_s)} left")
        return ", ".join(told)


def progress_line(done: int, total: int, failed: int = 0, seconds: float | None = None) -> str:
    """One line about how far a run is.

    >>> progress_line(120, 500, failed=3, seconds=60)
    '120/500 questions, 3 failed, 2.0/s, about 3 min 10 s left'
    """
    times = iter((0.0,))
    count = _Count(total, 0, None, lambda: next(times, seconds or 0.0))
    count.done, count.failed = done, failed
    return count.line()


def _rate(rate: float) -> str:
    return f"{rate:.1f}/s" if rate >= 1 else f"{60 * rate:.1f}/min"


def _span(seconds: float) -> str:
    whole = max(round(seconds), 1)
    if whole >= 3600:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"


@contextlib.contextmanager
def progress_bar(
    total: int,
    done: int = 0,
    *,
    enabled: bool = True,
    cost: Cost | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Progress]:
    """Count finished questions on standard error, in whatever order they finish.

    On a terminal a bar with the finished and the failed, the rate, the cost so far and the time left; elsewhere a
    plain line every 30 seconds, so that a log shows that the run is alive. Nothing where ``enabled`` is false.

    Args:
        total: All questions.
        done: Those that an earlier part of the run has finished.
        enabled: Show something.
        cost: Says what judging has cost so far.
        clock: Seconds.
    """
    count = _Count(total, done, cost, clock)
    if not enabled:
        yield count.note
    elif _is_terminal(sys.stderr):
        with _bar(count) as advance:
            yield advance
    else:
        yield _lines(count, clock)


def _lines(count: _Count, clock: Callable[[], float]) -> Progress:
    said = clock()

    def advance(*, failed: bool) -> None:
        nonlocal said
        count.note(failed=failed)
        if clock() - said >= _EVERY_S:
            said = clock()
            note(count.line())

    return advance


@contextlib.contextmanager
def _bar(count: _Count) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    figures = (MofNCompleteColumn(), TextColumn("{task.fields[extras]}"))
    wide = (TextColumn("Evaluating"), BarColumn(), *figures, TimeElapsedColumn(), TimeRemainingColumn())
    with Bar(
        *(figures if console.width < _NARROW else wide),
        console=console,
        transient=True,
        redirect_stdout=_is_terminal(sys.stdout),  # what goes into a file stays on its way there
    ) as bar:
        task = bar.add_task("Evaluating", total=count.total, completed=count.done, extras="")

        def advance(*, failed: bool) -> None:
            count.note(failed=failed)
            bar.update(task, advance=1, extras=", ".join(count.extras()))

        yield advance


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def note(text: str, *, enabled: bool = True) -> None:
    """One line for the user on standard error, as plain text; silent where there is no such stream. Logged, too."""
    _log.info("%s", text)
    stream: TextIO | None = sys.stderr
    if not enabled or stream is None:
        return
    encoding = getattr(stream, "encoding", None) or "utf-8"
    plain = _CONTROLS.sub("?", text).encode(encoding, "replace").decode(encoding)
    with contextlib.suppress(OSError, ValueError):  # full, or closed: no reason to stop a run
        print(plain, file=stream)
