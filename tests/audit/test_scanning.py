"""One reading for several scanners, in one process and in several."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from muffakir_eval.audit.reach import GoldSearch
from muffakir_eval.audit.records import CorpusChunk
from muffakir_eval.audit.scanning import scan_corpus
from muffakir_eval.errors import ConfigError, MuffakirEvalError
from muffakir_eval.records import Sample
from tests.audit.scanners import Dying, Failing, Lister, Ordinals


@pytest.fixture(autouse=True)
def plain_main(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is spawned imports the main module of this one, which is all of pytest."""
    main = sys.modules["__main__"]
    monkeypatch.setattr(main, "__spec__", None)
    monkeypatch.delattr(main, "__file__", raising=False)


def corpus(n: int) -> list[CorpusChunk]:
    return [
        CorpusChunk(ordinal=place, text=f"نص رقم {place}", chunk_id=str(place), metadata={"open": iter(())})
        for place in range(n)
    ]


def batches(chunks: list[CorpusChunk], size: int = 2) -> Iterator[list[CorpusChunk]]:
    for first in range(0, len(chunks), size):
        yield chunks[first : first + size]


@pytest.mark.parametrize("workers", [1, 2])
def test_every_scanner_sees_every_chunk_in_order(workers: int) -> None:
    chunks = corpus(21)
    done: list[int] = []
    search = GoldSearch([Sample(sample_id="1", question="؟", contexts=("نص رقم 7",), chunk_ids=("20",))])
    ordinals, sightings = scan_corpus([Lister(), search], batches(chunks), workers=workers, progress=done.append)
    assert ordinals.seen == list(range(21))
    assert search.reaches(sightings) == search.reaches(search.scan(chunks))
    assert done == [*range(2, 21, 2), 21]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_empty_index(workers: int) -> None:
    assert scan_corpus([Lister()], batches([]), workers=workers) == [Ordinals()]


def test_batches_are_read_as_they_are_wanted() -> None:
    read: list[int] = []
    most = 0

    def counted() -> Iterator[list[CorpusChunk]]:
        for batch in batches(corpus(60)):
            read.append(batch[0].ordinal)
            yield batch

    def progress(done: int) -> None:
        nonlocal most
        most = max(most, len(read) - done // 2)

    scan_corpus([Lister()], counted(), workers=2, progress=progress)
    assert len(read) == 30
    assert most <= 6


def test_a_process_that_dies() -> None:
    with pytest.raises(MuffakirEvalError, match="workers=2: a process that scans the index has died"):
        scan_corpus([Dying()], batches(corpus(9)), workers=2)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_a_scanner(workers: int) -> None:
    with pytest.raises(ConfigError, match="the chunk is odd"):
        scan_corpus([Failing()], batches(corpus(9)), workers=workers)


def test_interrupted_while_reading() -> None:
    def interrupted() -> Iterator[list[CorpusChunk]]:
        yield from batches(corpus(8))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scan_corpus([Lister()], interrupted(), workers=2)


def test_no_process_at_all() -> None:
    with pytest.raises(ConfigError, match="workers is 0"):
        scan_corpus([Lister()], batches(corpus(2)), workers=0)
