"""How long the search of the golds takes, how much memory, and whether it misses any.

    python benchmarks/audit_reach.py [--chunks 20000 100000] [--golds 1000] [--workers 1 2] [--pairs 300] [--seed 0]

An index of chunks of 1,000 characters is written to a JSONL file, the words of the real Arabic passages of
``MUFFAKIR_EVAL_DATA`` in sentences of their own where that folder is present, else made-up words of a Zipf-like
frequency. Of the gold passages, a fifth each is planted whole; with the slips of a scan; cut in two; in chunks of
nine words, so that only neighbours hold it together; and not at all. Timed is everything from the file to the places
of the golds. Then ``--pairs`` chunks, those with a gold among them, are compared with every gold by the cascade: the
share of the pairs found so that the search found too. At the end, where the folder has them, 800 articles of Egyptian
laws are looked for in these laws: nearly every chunk has the turns of phrase of several.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from muffakir_eval.audit.reach import GoldSearch, Sightings
from muffakir_eval.audit.records import CorpusChunk, GoldReach
from muffakir_eval.audit.scanning import scan_corpus
from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.records import RetrievedChunk, Sample

CHARACTERS, BATCH = 1000, 500
KINDS = ("whole", "scanned", "cut in two", "in small pieces", "absent")
LETTERS = "ابتثجحخدذرزسشصضطظعغفقكلمنهويأإةى"


class Writer:
    """Makes up text of real words, or of made-up ones; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.words = _real_words() or self._made_up()
        self.real = bool(_real_words())

    def _made_up(self) -> list[str]:
        words = ["".join(self.random.choices(LETTERS, k=self.random.randint(2, 8))) for _ in range(40_000)]
        return self.random.choices(words, [1 / (rank + 3) for rank in range(len(words))], k=300_000)

    def text(self, n_words: int) -> str:
        """Words of the frequency of the language, in turns of phrase of one to four words that are real."""
        words: list[str] = []
        while len(words) < n_words:
            first = self.random.randrange(len(self.words) - 4)
            words += self.words[first : first + self.random.choice((1, 1, 1, 2, 2, 3, 4))]
        return " ".join(words[:n_words])

    def scanned(self, text: str) -> str:
        """The text with a slip in every tenth word."""
        words = text.split()
        for place in self.random.sample(range(len(words)), len(words) // 10):
            at = self.random.randrange(len(words[place]))
            words[place] = words[place][:at] + self.random.choice(LETTERS) + words[place][at + 1 :]
        return " ".join(words)


def _real_words() -> list[str]:
    file = Path(os.environ.get("MUFFAKIR_EVAL_DATA", "../shared/data")) / "arcd" / "arcd-train.json"
    if not file.is_file():
        return []
    found = json.loads(file.read_text(encoding="utf-8"))["data"]
    return " ".join(passage["context"] for article in found for passage in article["paragraphs"]).split()


@dataclass(frozen=True)
class Made:
    """An index in a file, and what was planted in it."""

    file: Path
    golds: list[str]
    planted: dict[int, int]
    """First chunk of each gold that is in the index."""


def make(folder: Path, n_chunks: int, n_golds: int, seed: int) -> Made:
    """Write the index."""
    writer = Writer(seed)
    golds = [writer.text(writer.random.randint(60, 110)) for _ in range(n_golds)]
    places = sorted(writer.random.sample(range(n_chunks // 16), n_golds))
    starts = {
        16 * place: gold for place, gold in zip(places, writer.random.sample(range(n_golds), n_golds), strict=True)
    }
    file = folder / f"index-{n_chunks}.jsonl"
    ordinal, planted = 0, {}
    with file.open("w", encoding="utf-8") as out:
        while ordinal < n_chunks:
            gold = starts.get(ordinal)
            pieces = _pieces(writer, golds[gold], KINDS[gold % len(KINDS)]) if gold is not None else [("", "")]
            if gold is not None and KINDS[gold % len(KINDS)] != "absent":
                planted[gold] = ordinal
            for before, after in pieces:
                missing = max(CHARACTERS - len(before) - len(after), 0)
                alone = before == after != ""
                text = before if alone else f"{before} {writer.text(missing // 4)[:missing]} {after}".strip()
                out.write(json.dumps({"id": f"c{ordinal}", "text": text}, ensure_ascii=False) + "\n")
                ordinal += 1
    return Made(file, golds, planted)


def _pieces(writer: Writer, gold: str, kind: str) -> list[tuple[str, str]]:
    """How the chunks of a gold begin and end; a chunk that is nothing else begins and ends with the same."""
    words = gold.split()
    if kind == "whole":
        return [("", gold)]
    if kind == "scanned":
        return [("", writer.scanned(gold))]
    if kind == "cut in two":
        return [("", " ".join(words[: len(words) // 2])), (" ".join(words[len(words) // 2 :]), "")]
    if kind == "in small pieces":
        return [(piece, piece) for first in range(0, len(words), 9) if (piece := " ".join(words[first : first + 9]))]
    return [("", "")]


def batches(file: Path) -> Iterator[list[CorpusChunk]]:
    """The chunks of the file."""
    with file.open(encoding="utf-8") as lines:
        numbered = enumerate(map(json.loads, lines))
        while batch := [
            CorpusChunk(ordinal=place, text=row["text"], chunk_id=row["id"]) for place, row in islice(numbered, BATCH)
        ]:
            yield batch


def processor_seconds() -> float:
    """Those that this process and the workers that have ended took; they tell more on a machine that is shared."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def search_in(made: Made, workers: int) -> tuple[list[GoldReach], float, float]:
    """Where the golds are, the seconds from file to result, and those of the processors."""
    begin, used = time.perf_counter(), processor_seconds()
    search = GoldSearch([Sample(sample_id=str(n), question="؟", contexts=(gold,)) for n, gold in enumerate(made.golds)])
    [seen] = scan_corpus([search], batches(made.file), workers=workers)
    assert isinstance(seen, Sightings)
    reaches = search.reaches(seen)
    return reaches, time.perf_counter() - begin, processor_seconds() - used


def candidate_recall(made: Made, n_chunks: int, seed: int) -> tuple[int, int, int]:
    """Pairs compared, pairs that match, and how many of these the search finds in the same chunks."""
    everything = {chunk.ordinal: chunk for batch in batches(made.file) for chunk in batch}
    some = set(random.Random(seed).sample(sorted(everything), n_chunks // 2))
    some |= set(random.Random(seed).sample(sorted(made.planted.values()), min(len(made.planted), n_chunks // 2)))
    chunks = [everything[ordinal] for ordinal in sorted(some)]
    samples = [Sample(sample_id=str(n), question="؟", contexts=(gold,)) for n, gold in enumerate(made.golds)]
    search, matcher = GoldSearch(samples), ChunkMatcher()
    retrieved = [RetrievedChunk(text=chunk.text) for chunk in chunks]
    by_all = {
        (place, match.rank - 1)
        for place, sample in enumerate(samples)
        for match in matcher.match(retrieved, sample)
        if match.relevant
    }
    found = set()
    for place, chunk in enumerate(chunks):
        reaches = search.reaches(search.scan([chunk]))
        found |= {(reach.sample, place) for reach in reaches if reach.presence == "whole"}
    assert found <= by_all, "the search found a pair that the cascade does not accept"
    return len(chunks) * len(samples), len(by_all), len(found)


def of_law() -> str:
    """What articles cost in chunks of their laws, in a line; empty where the texts are absent."""
    folder = Path(os.environ.get("MUFFAKIR_EVAL_DATA", "../shared/data")) / "wakili_legal" / "corpus"
    articles = [
        text
        for file in sorted(folder.glob("*.json"))
        for text in _long(json.loads(file.read_text(encoding="utf-8-sig")))
    ]
    if not articles:
        return ""
    law, golds = "\n".join(articles), articles[::3][:800]
    cuts = [law[first : first + CHARACTERS] for first in range(0, len(law), CHARACTERS)]
    chunks = [CorpusChunk(ordinal=place, text=text) for place, text in enumerate(cuts)]
    search = GoldSearch([Sample(sample_id=str(n), question="؟", contexts=(gold,)) for n, gold in enumerate(golds)])
    used = processor_seconds()
    counts = Counter(reach.presence for reach in search.reaches(search.scan(chunks)))
    each = 1e6 * (processor_seconds() - used) / len(chunks)
    what = f"{len(golds)} articles in {len(chunks)} chunks of laws"
    return f"{what}: of the processors {each:.0f} µs a chunk; {dict(counts)}"


def _long(found: object) -> Iterator[str]:
    """The longer texts in a JSON value."""
    if isinstance(found, str):
        yield from [found] if len(found) > 80 else []
    elif isinstance(found, dict | list):
        for value in found.values() if isinstance(found, dict) else found:
            yield from _long(value)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, nargs="+", default=[20_000, 100_000])
    parser.add_argument("--golds", type=int, default=1000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--pairs", type=int, default=300, help="chunks that are compared with every gold")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print(f"{given.golds} golds; words: {'real' if Writer(given.seed).real else 'made up'}; {os.cpu_count()} cores")
    for n_chunks in given.chunks:
        with tempfile.TemporaryDirectory() as folder:
            made = make(Path(folder), n_chunks, given.golds, given.seed)
            for workers in given.workers:
                reaches, seconds, used = search_in(made, workers)
                peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                workers_peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
                each = 1e6 * seconds / n_chunks
                total = 1e6 * used / n_chunks
                print(
                    f"{n_chunks:>9} chunks, {workers} worker(s): {seconds:7.1f} s, {each:5.0f} µs a chunk, "
                    f"a million in {each / 60:.1f} min; of the processors {total:.0f} µs a chunk; "
                    f"memory {peak:.0f} MiB" + (f", the largest worker {workers_peak:.0f} MiB" if workers > 1 else "")
                )
            for kind in KINDS:
                of_kind = [reach for reach in reaches if KINDS[reach.sample % len(KINDS)] == kind]
                counts = Counter(reach.presence for reach in of_kind)
                right = sum(
                    bool(reach.sightings and reach.sightings[0].at.ordinal == made.planted.get(reach.sample))
                    for reach in of_kind
                )
                print(f"    {kind:<16} {dict(counts)}, first seen where it was planted: {right} of {len(of_kind)}")
            if n_chunks == min(given.chunks):
                compared, matching, found = candidate_recall(made, given.pairs, given.seed)
                share = f"{found / matching:.4f}" if matching else "none"
                print(f"    of {compared} pairs, {matching} match; the search finds {found}: recall {share}")
    if line := of_law():
        print(line)


if __name__ == "__main__":
    main()
