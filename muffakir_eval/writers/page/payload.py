"""The samples inside the page: compressed while they come, unpacked by the browser when it needs them.

::

    index     one row per sample, for the table        unpacked when the page opens
    blocks    details of some samples, and the texts   each unpacked when one of its samples is opened
              that nobody before them had

A text that many samples retrieve is kept once, in the block that meets it first.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import IO, Any

from muffakir_eval.records import SampleResult
from muffakir_eval.records.codec import strict_json
from muffakir_eval.writers.page.marks import Marker
from muffakir_eval.writers.page.sample_rows import Details, index_row

__all__ = ["Payload"]

_BLOCK_SAMPLES, _BLOCK_CHARACTERS = 50, 400_000
_IN_MEMORY = 16 * 2**20
_PIECE = 3 * 2**14  # a multiple of 3, so that pieces of base64 can follow one another


class _Packed:
    """JSON as gzip, written piece by piece; on disk once it is large."""

    def __init__(self) -> None:
        self._file: IO[bytes] = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed by Payload
        self._pack = zlib.compressobj(6, zlib.DEFLATED, 31)

    def write(self, text: str) -> None:
        self._file.write(self._pack.compress(text.encode()))

    def finish(self) -> None:
        self._file.write(self._pack.flush())

    def pieces(self) -> Iterator[str]:
        """As base64."""
        self._file.seek(0)
        while data := self._file.read(_PIECE):
            yield base64.b64encode(data).decode("ascii")

    def close(self) -> None:
        self._file.close()


class Payload:
    """Takes samples one after the other, and gives the scripts that hold them.

    Args:
        names: The metrics whose values stand in the table.
        k: Main cutoff.
        marker: Finds the words that agree with the evidence.
    """

    def __init__(self, names: Sequence[str], k: int, marker: Marker) -> None:
        self._names, self._k = names, k
        self._index = _Packed()
        self._index.write('{"rows":[')
        self._blocks: IO[str] = SpooledTemporaryFile(_IN_MEMORY, mode="w+", encoding="ascii", newline="")  # noqa: SIM115
        self._known: dict[bytes, int] = {}
        self._texts: list[str] = []
        self._waiting: list[dict[str, Any]] = []
        self._characters = 0
        self._starts: list[list[int]] = []
        self._details = Details(marker, self._text_id)
        self.count = 0

    def __enter__(self) -> Payload:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._index.close()
        self._blocks.close()

    def add(self, result: SampleResult) -> list[Any]:
        """Take one sample; its row of the table."""
        row = index_row(result, self._names, self._k)
        self._index.write(("," if self.count else "") + strict_json(row))
        self._waiting.append(self._details.of(result))
        self._characters += sum(map(_length, (result.output.answer, result.sample.question, *result.sample.answers)))
        self.count += 1
        if len(self._waiting) >= _BLOCK_SAMPLES or self._characters >= _BLOCK_CHARACTERS:
            self._close_block()
        return row

    def finish(self) -> None:
        """No sample comes any more."""
        if self._waiting:
            self._close_block()
        self._index.write(f'],"starts":{strict_json(self._starts)}}}')
        self._index.finish()

    def pieces(self) -> Iterator[str]:
        """The scripts, as HTML: base64 in data blocks, which no browser runs."""
        yield '<script type="application/gzip" id="data-index">'
        yield from self._index.pieces()
        yield "</script>\n"
        self._blocks.seek(0)
        while piece := self._blocks.read(_PIECE):
            yield piece

    def _text_id(self, text: str) -> int:
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = len(self._known)
            self._texts.append(text)
            self._characters += len(text)
        return number

    def _close_block(self) -> None:
        number = len(self._starts)
        first_text = len(self._known) - len(self._texts)
        self._starts.append([self.count - len(self._waiting), first_text])
        packed = _gzip(strict_json({"samples": self._waiting, "texts": self._texts}))
        self._blocks.write(f'<script type="application/gzip" id="data-{number}">')
        self._blocks.write(base64.b64encode(packed).decode("ascii"))
        self._blocks.write("</script>\n")
        self._waiting, self._texts, self._characters = [], [], 0


def _length(text: str | None) -> int:
    return len(text or "")


def _gzip(text: str) -> bytes:
    pack = zlib.compressobj(6, zlib.DEFLATED, 31)
    return pack.compress(text.encode()) + pack.flush()
