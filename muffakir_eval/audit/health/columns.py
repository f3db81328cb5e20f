"""What is kept of each chunk, without an object for each: columns that grow and are put together."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Numbers", "Texts"]


class Numbers:
    """A column of numbers.

    Args:
        kind: Type code of :mod:`array`: ``Q`` 64 bits, ``I`` 32, ``H`` 16, ``B`` 8, ``q`` with sign.
    """

    __slots__ = ("values",)

    def __init__(self, kind: str) -> None:
        self.values = array(kind)

    def __len__(self) -> int:
        return len(self.values)

    def extend(self, numbers: NDArray[Any] | Iterable[int]) -> None:
        """Add at the end."""
        if hasattr(numbers, "tobytes"):
            self.values.frombytes(numbers.tobytes())
        else:
            self.values.extend(numbers)

    def add(self, other: Numbers) -> None:
        """Add another column at the end."""
        self.values.extend(other.values)

    def numpy(self) -> NDArray[Any]:
        """The numbers, without a copy; the column cannot grow while they are held."""
        import numpy as np

        return np.frombuffer(self.values, dtype=np.dtype(self.values.typecode))


class Texts:
    """A column of short texts, ``None`` where there is none.

    >>> column = Texts()
    >>> column.extend(["المادة 1", None, ""])
    >>> [column[row] for row in range(3)]
    ['المادة 1', None, '']
    """

    __slots__ = ("_data", "_ends", "_lengths")

    def __init__(self) -> None:
        self._data = bytearray()
        self._lengths = array("I")  # one more than the bytes; 0 for None
        self._ends: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self._lengths)

    def extend(self, texts: Iterable[str | None]) -> None:
        """Add at the end."""
        encoded = [None if text is None else text.encode("utf-8", "surrogatepass") for text in texts]
        self._data += b"".join(piece for piece in encoded if piece)
        self._lengths.extend([0 if piece is None else len(piece) + 1 for piece in encoded])
        self._ends = None

    def add(self, other: Texts) -> None:
        """Add another column at the end."""
        self._data += other._data
        self._lengths.extend(other._lengths)
        self._ends = None

    def present(self) -> NDArray[np.bool_]:
        """Where there is a text."""
        import numpy as np

        return np.array(self._lengths, np.uint32) > 0

    def __getitem__(self, row: int) -> str | None:
        if self._ends is None:
            import numpy as np

            lengths = np.frombuffer(self._lengths, dtype=np.uint32).astype(np.int64)
            self._ends = np.cumsum(np.maximum(lengths - 1, 0))
        if self._lengths[row] == 0:
            return None
        end = int(self._ends[row])
        return bytes(self._data[end - self._lengths[row] + 1 : end]).decode("utf-8", "surrogatepass")
