"""Scanners for tests. They have a module of their own, which a process that is started for them imports quickly."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass, field

from muffakir_eval.audit.records import CorpusChunk
from muffakir_eval.errors import ConfigError

__all__ = ["Dying", "Failing", "Lister", "Ordinals"]


@dataclass
class Ordinals:
    """Chunks seen, in the order in which their parts came."""

    seen: list[int] = field(default_factory=list)

    def add(self, other: Ordinals) -> None:
        self.seen += other.seen


class Lister:
    """Sees which chunks there are, and whether their metadata came along."""

    def scan(self, batch: Sequence[CorpusChunk]) -> Ordinals:
        return Ordinals([chunk.ordinal for chunk in batch])


class Dying:
    """Ends its process at a chunk."""

    def scan(self, batch: Sequence[CorpusChunk]) -> Ordinals:
        if any(chunk.ordinal == 3 for chunk in batch):
            os.kill(os.getpid(), signal.SIGKILL)
        return Ordinals()


class Failing:
    """Cannot read a chunk."""

    def scan(self, batch: Sequence[CorpusChunk]) -> Ordinals:
        if any(chunk.ordinal == 3 for chunk in batch):
            raise ConfigError("the chunk is odd")
        return Ordinals()
