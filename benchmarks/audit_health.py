"""Speed and memory of the health check: chunks of 1,000 characters, every chunk new, some with faults.

    python benchmarks/audit_health.py [CHUNKS]

Prints microseconds per chunk, of the whole scan and of its steps, each check by itself among them; then the time
of the report and the peak memory. A million chunks must stay under 150 µs each and under 1 GiB.
"""

from __future__ import annotations

import random
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from muffakir_eval import load_corpus
from muffakir_eval.audit.health import HealthCheck, HealthPart
from muffakir_eval.audit.health.batches import Batch
from muffakir_eval.audit.health.borders import border
from muffakir_eval.audit.health.faults import CHECKS, TEXT_CHECKS
from muffakir_eval.audit.health.sketches import sketches
from muffakir_eval.audit.health.traits import see_traits
from muffakir_eval.audit.health.words import WordRow
from muffakir_eval.audit.records import CorpusChunk
from muffakir_eval.text.tokens import split_runs

CORPUS = Path(__file__).parent.parent / "examples" / "corpus.jsonl"
BATCH = 1000
CHARACTERS = 1000


def batches(chunks: int) -> Iterator[list[CorpusChunk]]:
    """Chunks of words of the example corpus; one in a hundred is a copy, one in a thousand garbled."""
    words = sorted({word for chunk in load_corpus(CORPUS) for word in chunk.text.split()})
    rng = random.Random(1)
    text = ""
    for first in range(0, chunks, BATCH):
        batch = []
        for number in range(first, min(first + BATCH, chunks)):
            if number % 100 or not text:
                text = " ".join(rng.choices(words, k=CHARACTERS // 4))[:CHARACTERS]
            if number % 1000 == 999:
                text = text.encode("utf-8").decode("cp1252", "replace")[:CHARACTERS]
            place = f"corpus.jsonl, line {number + 1}"
            batch.append(
                CorpusChunk(
                    ordinal=number, text=text, chunk_id=f"doc-{number}", source=f"{number // 50}.pdf", place=place
                )
            )
        yield batch


def timed(chunks: int, work: Callable[[], object]) -> float:
    """Microseconds per chunk, the best of three."""
    best = float("inf")
    for _ in range(3):
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return best / chunks * 1e6


def steps(batch: Sequence[CorpusChunk]) -> Iterator[tuple[str, float]]:
    """The time of each step by itself."""
    texts = [chunk.text for chunk in batch]
    n = len(texts)
    words = [split_runs(text)[0] for text in texts]
    joined = [" ".join(found) for found in words]
    row = WordRow.of(joined, list(map(len, words)))
    counted = Batch.count(texts)
    letters = counted.letters.tolist()
    yield "words", timed(n, lambda: [split_runs(text) for text in texts])
    yield "numbers of words", timed(n, lambda: WordRow.of(joined, list(map(len, words))))
    yield "sketches", timed(n, lambda: sketches(row))
    yield "kinds of characters", timed(n, lambda: Batch.count(texts))
    yield "traits", timed(n, lambda: see_traits(HealthPart(), batch, counted))
    yield "borders", timed(n, lambda: [border(one, other) for one, other in pairwise(texts)])
    for check in CHECKS:
        rows = check.gate(counted).nonzero()[0].tolist()

        def look(check: object = check, rows: list[int] = rows) -> None:
            counted_check = check
            counted_check.gate(counted)  # type: ignore[attr-defined]
            for place in rows:
                counted_check.look(texts[place], letters[place])  # type: ignore[attr-defined]

        yield f"check {check.code}", timed(n, look)
    for code, gate, _ in TEXT_CHECKS:
        yield f"check {code} (text)", timed(n, lambda gate=gate: list(map(gate, texts)))  # type: ignore[misc]


def main(chunks: int = 20_000) -> None:
    """Scan, report, print."""
    check = HealthCheck()
    first = next(batches(BATCH))
    for name, microseconds in steps(first):
        print(f"{microseconds:8.2f} µs  {name}")
    part = HealthPart()
    spent = 0.0
    for batch in batches(chunks):
        started = time.perf_counter()
        part.add(check.scan(batch))
        spent += time.perf_counter() - started
    started = time.perf_counter()
    report = check.report(part)
    reported = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{chunks:,} chunks of {CHARACTERS:,} characters: scan {spent / chunks * 1e6:.1f} µs per chunk")
    print(f"report {reported:.1f} s ({reported / chunks * 1e6:.1f} µs per chunk), peak memory {peak:,.0f} MiB")
    for found in report.findings:
        print(f"{found.severity:8} {found.code:26} {found.message}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
