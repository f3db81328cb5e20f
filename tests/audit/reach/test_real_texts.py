"""Every pair of real passages and chunks: the search finds what comparing all of them finds."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from muffakir_eval.audit.reach import GoldSearch
from muffakir_eval.audit.reach.sightings import KEPT
from muffakir_eval.audit.records import CorpusChunk
from muffakir_eval.config import MatchSettings
from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.records import RetrievedChunk, Sample


def passages(file: Path) -> list[str]:
    found = json.loads(file.read_text(encoding="utf-8"))["data"]
    return [paragraph["context"] for article in found for paragraph in article["paragraphs"]]


def cut(text: str, size: int, overlap: int) -> Iterator[str]:
    words = text.split() if " " in text else list(text)
    for first in range(0, len(words), size - overlap):
        yield (" " if " " in text else "").join(words[first : first + size])


def garbled(text: str, random: random.Random) -> str:
    words = text.split()
    for place in random.sample(range(len(words)), len(words) // 12):
        word = words[place]
        at = random.randrange(len(word))
        words[place] = word[:at] + "x" + word[at + 1 :]
    return " ".join(words)


def by_all_pairs(golds: list[str], chunks: list[str], settings: MatchSettings) -> set[tuple[int, int]]:
    matcher = ChunkMatcher(settings)
    retrieved = [RetrievedChunk(text=chunk) for chunk in chunks]
    return {
        (place, match.rank - 1)
        for place, gold in enumerate(golds)
        for match in matcher.match(retrieved, Sample(sample_id="1", question="?", contexts=(gold,)))
        if match.relevant
    }


def by_search(golds: list[str], chunks: list[str], settings: MatchSettings) -> set[tuple[int, int]]:
    samples = [Sample(sample_id=str(place), question="?", contexts=(gold,)) for place, gold in enumerate(golds)]
    search = GoldSearch(samples, settings)
    found = set()
    corpus = [CorpusChunk(ordinal=place, text=chunk) for place, chunk in enumerate(chunks)]
    for first in range(0, len(corpus), KEPT):  # so many of each gold are kept
        reaches = search.reaches(search.scan(corpus[first : first + KEPT]))
        found |= {
            (reach.sample, sighting.at.ordinal)
            for reach in reaches
            if reach.presence == "whole"
            for sighting in reach.sightings
        }
    return found


@pytest.mark.parametrize(("size", "overlap"), [(60, 10), (9, 0)])
def test_arcd_cut_into_chunks(data_dir: Path, size: int, overlap: int) -> None:
    golds = passages(data_dir / "arcd" / "arcd-train.json")[:60]
    chunks = [chunk for gold in golds for chunk in cut(gold, size, overlap)]
    chunks = chunks[::2] + [garbled(chunk, random.Random(3)) for chunk in chunks[1::2]]
    golds += [" ".join(gold.split()[3:8]) for gold in golds[:15]]
    found = by_search(golds, chunks, MatchSettings())
    assert len(found) > 20
    assert found == by_all_pairs(golds, chunks, MatchSettings())


def test_chinese_cut_into_chunks(data_dir: Path) -> None:
    golds = passages(data_dir / "xquad" / "xquad.zh.json")[:24]
    chunks = [chunk for gold in golds for chunk in cut(gold, 90, 10)]
    found = by_search(golds, chunks, MatchSettings())
    assert len(found) > 20
    assert found == by_all_pairs(golds, chunks, MatchSettings())
