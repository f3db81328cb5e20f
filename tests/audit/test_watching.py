"""What is noted of the index while it passes by."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from muffakir_eval.audit.records import CorpusChunk
from muffakir_eval.audit.watching import StoppedError, Watch


def batches() -> Generator[list[CorpusChunk], None, None]:
    yield [
        CorpusChunk(ordinal=0, text="أ", chunk_id="1", source="s3://x/Law.PDF"),
        CorpusChunk(ordinal=1, text="ب", source="unknown"),
    ]
    yield [CorpusChunk(ordinal=2, text="ج", chunk_id="3", source="law.pdf")]


def test_identifiers_and_documents_are_noted() -> None:
    watch = Watch({"3": 4, "9": 5})
    assert [len(batch) for batch in watch.passing(batches())] == [2, 1]
    assert (watch.n_chunks, watch.n_ids) == (3, 2)
    assert watch.sources == {"law.pdf"}
    assert watch.outside == {"9": 5}
    assert (watch.shared, watch.n_distinct) == (set(), 3)


def test_identifiers_of_several_chunks() -> None:
    watch = Watch({"b": 0, "c": 0})
    chunks = [CorpusChunk(ordinal=n, text="أ", chunk_id=name) for n, name in enumerate(["a", "a", "b", None, "b", "c"])]
    assert len(list(watch.passing(batch for batch in [chunks[:4], chunks[4:]]))) == 2
    assert (watch.shared, watch.n_distinct, watch.outside) == ({"b"}, 4, {})


def test_it_may_be_called_off() -> None:
    watch = Watch({})
    passing = watch.passing(batches())
    next(passing)
    watch.call_off()
    with pytest.raises(StoppedError):
        next(passing)
    assert watch.n_chunks == 2
