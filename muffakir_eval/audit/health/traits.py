"""What kind of text each chunk is: script, digits, vowels, keyboard. Counted per chunk, judged for the corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from muffakir_eval.audit.health.batches import Batch
from muffakir_eval.audit.health.characters import SCRIPTS, Kind
from muffakir_eval.audit.health.faults import excerpt
from muffakir_eval.audit.health.part import HealthPart
from muffakir_eval.audit.records import CorpusChunk, FindingExample, Place

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["see_traits"]

_VOWELLED = 0.3
"""Vowel signs per Arabic letter from which a chunk is written with its vowels."""
_SOME_ARABIC = 20
"""Arabic letters from which a chunk says something about vowels and keyboards."""
_LETTERS_PER_SIGN = 40
"""Arabic has an article or a ``ة`` more often than once in so many letters; in Persian both are rare."""


def see_traits(part: HealthPart, chunks: Sequence[CorpusChunk], batch: Batch) -> None:
    """Count the traits of a batch."""
    import numpy as np

    totals = batch.kinds.sum(axis=0).tolist()
    part.totals.update({f"kind:{kind.name}": totals[kind] for kind in Kind if totals[kind]})
    for name, rows in _traits(batch):
        tally = part.tally(name)
        places = np.flatnonzero(rows).tolist()
        for row in places[: max(0, 5 - len(tally.examples))]:
            chunk = chunks[row]
            place = Place(ordinal=chunk.ordinal, chunk_id=chunk.chunk_id, source=chunk.source, place=chunk.place)
            tally.examples.append(FindingExample(at=place, excerpt=excerpt(chunk.text, 0)))
        tally.count += len(places)
    part.totals["years"] += int(batch.years.sum())
    part.totals["years_backwards"] += int(batch.years_backwards.sum())


def _traits(batch: Batch) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    import numpy as np

    scripts = np.stack([batch.of(*kinds) for kinds in SCRIPTS.values()], axis=1)
    main = np.where(batch.letters > 0, scripts.argmax(axis=1), -1)
    for place, name in enumerate(SCRIPTS):
        yield f"script:{name}", main == place
    yield "script:none", main == -1
    arabic = (main == 0) & (batch.arabic >= _SOME_ARABIC)
    vowels = batch.of(Kind.VOWELS)
    yield "vowels:any", vowels > 0
    yield "vowels:full", arabic & (vowels >= _VOWELLED * batch.arabic)
    yield "vowels:not_full", arabic & (vowels < _VOWELLED * batch.arabic)
    yield from _digits(batch)
    yield from _keys(batch, arabic)
    backwards = batch.years_backwards
    yield "years:backwards", (main == 0) & (backwards > batch.years)
    yield "years:surely_backwards", (main == 0) & (backwards > 1) & (batch.years == 0)


def _digits(batch: Batch) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    european = batch.of(Kind.DIGITS) > 0
    arabic = batch.of(Kind.ARABIC_DIGITS) > 0
    persian = batch.of(Kind.PERSIAN_DIGITS) > 0
    yield "digits:european", european
    yield "digits:arabic", arabic
    yield "digits:persian", persian
    yield "digits:several", european.astype(int) + arabic + persian > 1


def _keys(batch: Batch, arabic: NDArray[np.bool_]) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Which keyboard typed kaf and yeh, by the language that the other letters show."""
    signs = batch.of(Kind.TEH_MARBUTA, Kind.FORMS_TEH_MARBUTA) + batch.articles
    neighbours = batch.of(Kind.NEIGHBOURS)
    is_neighbour = arabic & (neighbours * 100 >= batch.arabic) & (neighbours >= signs)  # Arabic has them in names
    is_arabic = arabic & ~is_neighbour & (signs * _LETTERS_PER_SIGN >= batch.arabic)
    persian_keys = batch.of(Kind.PERSIAN_KEYS, Kind.FORMS_PERSIAN_KEYS) > 0
    arabic_keys = batch.of(Kind.ARABIC_KEYS, Kind.FORMS_ARABIC_KEYS) > 0
    yield "language:arabic", is_arabic
    yield "language:persian_or_urdu", is_neighbour
    yield "keys:arabic_text_persian_keys", is_arabic & persian_keys & ~arabic_keys
    yield "keys:persian_text_arabic_keys", is_neighbour & arabic_keys & ~persian_keys
