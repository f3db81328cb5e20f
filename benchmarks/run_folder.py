"""Memory and disk of a large run: questions × chunks of 1,000 characters, every chunk new.

    python benchmarks/run_folder.py [QUESTIONS]

Prints peak memory, and the time per question beside that of the bare pipeline. Memory must not grow
with the text of the chunks: 100,000 questions × 10 chunks × 1,000 characters stay under 1 GiB.
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from muffakir_eval import MuffakirEvaluation, load_corpus

CORPUS = Path(__file__).parent.parent / "examples" / "corpus.jsonl"
K = 10


def main(questions: int = 100_000) -> None:
    """Run and print."""
    words = sorted({word for chunk in load_corpus(CORPUS) for word in chunk.text.split()})
    rng = random.Random(1)

    def text() -> str:
        return " ".join(rng.choices(words, k=190))[:1000]

    def rows() -> Iterator[dict[str, Any]]:
        for number in range(questions):
            yield {"question": f"ما جواب السؤال رقم {number}؟", "answer": "كذا", "context": text()}

    def pipeline(question: str, k: int) -> tuple[str, list[dict[str, Any]]]:
        return f"جواب {question}", [{"text": text(), "chunk_id": f"{question}-{rank}"} for rank in range(k)]

    started = time.perf_counter()
    for number in range(1000):
        pipeline(f"{number}", K)
    bare = (time.perf_counter() - started) / 1000
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        evaluator = MuffakirEvaluation({"k": K, "progress": False})
        report = evaluator.evaluate(pipeline, rows(), save=True, output_dir=folder)
        each = (time.perf_counter() - started) / questions
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{report.n_samples:,} questions x {K} chunks of 1,000 characters")
    print(f"peak memory {peak:,.0f} MiB; run folder {size / 2**20:,.0f} MiB")
    print(f"per question {each * 1000:.2f} ms, of which the pipeline {bare * 1000:.2f} ms")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
