"""What the user's code raises, told apart from the end of the run, and put into words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from muffakir_eval.errors import MuffakirEvalError

__all__ = ["describe", "ends_the_run", "shorten"]

_LONGEST = 2_000
_LOOKED_AT = 20_000


def ends_the_run(error: BaseException) -> bool:
    """``error`` is an interruption of the run itself; anything else that user code raises is a fault of its own.

    Ctrl-C ends a run, also inside a group of exceptions. A cancellation does if it was asked of the
    current task; code that cancels something of its own may let one slip. ``GeneratorExit`` outside of
    a running task says that the coroutine is being thrown away.
    """
    if isinstance(error, BaseExceptionGroup):
        return error.subgroup(KeyboardInterrupt) is not None
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is None or task.cancelling() > 0
    if isinstance(error, GeneratorExit):
        return not _in_a_task()
    return isinstance(error, KeyboardInterrupt)


def _in_a_task() -> bool:
    try:
        return asyncio.current_task() is not None
    except RuntimeError:  # no loop
        return False


def describe(error: BaseException, redact: Callable[[str], str]) -> str:
    """Type and text in one line, without secrets, at a readable length."""
    try:
        text = str(error)
    except Exception as fault:  # noqa: BLE001 - an exception may fail to say what it is
        text = f"its text cannot be read ({type(fault).__name__})"
    if isinstance(error, MuffakirEvalError):
        return shorten(text, redact)
    text = " ".join(text[:_LOOKED_AT].split())
    return shorten(f"{type(error).__name__}: {text}" if text else type(error).__name__, redact)


def shorten(text: str, redact: Callable[[str], str]) -> str:
    """The beginning of ``text``, without secrets."""
    shown = redact(text[:_LOOKED_AT])
    if len(text) <= _LOOKED_AT and len(shown) <= _LONGEST:
        return shown
    return f"{shown[:_LONGEST]}… ({len(text):,} characters)"
