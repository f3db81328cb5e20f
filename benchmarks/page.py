"""How long the report page of many questions takes to be made, how large it is, and how fast a browser opens it.

    python benchmarks/page.py [N]

Every question has five retrieved chunks of about 600 characters that nobody else has. The browser part needs
playwright and Chromium (``MUFFAKIR_EVAL_CHROMIUM``, or on the path), and is left out without them.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from muffakir_eval import load_corpus
from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.records import PipelineOutput, RetrievedChunk, Sample, SampleResult, Score
from muffakir_eval.writers.page import run_page

WORDS = sorted(
    {
        word
        for chunk in load_corpus(Path(__file__).parent.parent / "examples" / "corpus.jsonl")
        for word in chunk.text.split()
    }
)
METRICS = ("recall_at_k", "precision_at_k", "mrr", "ndcg_at_k", "faithfulness", "answer_correctness")


def text(draw: random.Random, words: int) -> str:
    """Words in any order."""
    return " ".join(draw.choices(WORDS, k=words))


def results(count: int) -> Iterator[SampleResult]:
    """Finished samples, one after the other; two of three find their evidence."""
    draw, matcher = random.Random(0), ChunkMatcher()
    for number in range(count):
        gold = text(draw, 40)
        chunks = [RetrievedChunk(text=text(draw, 100), chunk_id=f"{number}-{rank}") for rank in range(5)]
        if number % 3:
            place = number % 5
            chunks[place] = RetrievedChunk(
                text=f"{text(draw, 30)} {gold} {text(draw, 30)}", chunk_id=f"{number}-{place}"
            )
        sample = Sample(
            sample_id=f"q{number}", row=number + 2, question=text(draw, 12), answers=(text(draw, 10),), contexts=(gold,)
        )
        scores = {name: Score.measured(name, round(draw.random(), 3), _said(name)) for name in METRICS}
        yield SampleResult(
            key=str(number),
            sample=sample,
            output=PipelineOutput(answer=text(draw, 40), chunks=tuple(chunks)),
            matches=matcher.match(chunks, sample),
            scores=scores,
            latency_ms=draw.expovariate(0.01),
        )


def _said(name: str) -> dict[str, Any]:
    return {"explanation": "الإجابة مسندة إلى المقطع الأول."} if name == "faithfulness" else {}


def summary(count: int) -> dict[str, Any]:
    """What the page needs of the summary."""
    block = {"mean": 0.5, "interval": [0.48, 0.52], "n_scored": count, "n_total": count, "reasons": {}}
    return {
        "n_samples": count,
        "k": 5,
        "language": "ar",
        "run_id": "benchmark",
        "metrics": dict.fromkeys(METRICS, block),
    }


def opened(file: Path) -> tuple[float, float] | None:
    """Seconds until the table can be used, as the page tells, and until a search over all questions is done."""
    chromium = os.environ.get("MUFFAKIR_EVAL_CHROMIUM") or shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    if chromium is None:
        return None
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-ready]")
        ready = float(page.evaluate("document.documentElement.dataset.ready")) / 1000
        begun = time.perf_counter()
        page.fill("#search", "q4")
        page.wait_for_selector("#line-0", state="detached")
        searched = time.perf_counter() - begun
        browser.close()
    return ready, searched


def main(count: int = 5_000) -> None:
    """Measure and print."""
    made = list(results(count))
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        with file.open("wb") as out:
            out.writelines(run_page(summary(count), made))
        took = time.perf_counter() - begun
        size = file.stat().st_size
        data = sum(map(len, re.findall(rb'<script type="application/gzip" id="data-[^>]*>([^<]*)', file.read_bytes())))
        print(f"{count:,} questions: made in {took:.1f} s ({1000 * took / count:.2f} ms each)")
        print(f"{size / 1e6:.2f} MB, of these {(size - data) / 1e6:.2f} MB beyond the compressed data")
        found = opened(file)
        if found is None:
            print("no browser to open it with")
        else:
            print(f"table ready after {found[0]:.2f} s, first search over all questions {found[1]:.2f} s")
    tracemalloc.start()
    for _ in run_page(summary(count), made):
        pass
    print(f"at most {tracemalloc.get_traced_memory()[1] / 2**20:.0f} MiB taken while it is made")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
