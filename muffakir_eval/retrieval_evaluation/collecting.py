"""The garbage collector, put off while much is made and nothing is thrown away."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["collecting_later"]


@contextmanager
def collecting_later() -> Iterator[None]:
    """Without automatic collections inside; as before afterwards.

    Reading many judgements and rankings makes objects that all stay. Each full collection in between
    would look through them, and through everything of the caller's, and find nothing.

    >>> with collecting_later():
    ...     gc.isenabled()
    False
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
