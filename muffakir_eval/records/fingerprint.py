"""What a data set holds, as one short text that parts of it can be counted towards."""

from __future__ import annotations

import hashlib

__all__ = ["ContentSum"]

_MODULUS = 1 << 256


class ContentSum:
    """A hash of a multiset of keys: neither their order nor the parts that they come in play a role.

    The hashes of the keys are added up (Clarke et al., "Incremental Multiset Hash Functions and Their
    Application to Memory Integrity Checking", 2003, MSet-Add-Hash).

    >>> one, two = ContentSum(), ContentSum()
    >>> one.add("a"), one.add("b"), two.add("b"), two.add("a")
    (None, None, None, None)
    >>> str(one) == str(two)
    True
    """

    __slots__ = ("_total", "n")

    def __init__(self) -> None:
        self.n = 0
        self._total = 0

    def add(self, key: str) -> None:
        """Count one key; the same one may come several times."""
        self.n += 1
        self._total = (self._total + int.from_bytes(hashlib.sha256(key.encode()).digest(), "big")) % _MODULUS

    def merge(self, other: ContentSum) -> None:
        """Count all keys of another part."""
        self.n += other.n
        self._total = (self._total + other._total) % _MODULUS

    def __str__(self) -> str:
        return hashlib.sha256(f"{self.n} {self._total:x}".encode("ascii")).hexdigest()[:24]
