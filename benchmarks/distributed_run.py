"""A million recorded answers on a cluster of two processes, against one process.

    python benchmarks/distributed_run.py [--samples 1000000] [--parts 40] [--folder FOLDER]

Writes JSONL partitions, then scores them

1. with ``MuffakirEvaluation.evaluate``, the ordinary run, and with ``evaluate_distributed``: the first 50,000;
2. on one worker and on two: a tenth of the files, to have the ratio of throughputs;
3. on two workers of which one is killed in the middle: all files;
4. all files part after part in this very process, without Dask: what the whole must add up to.

Prints whether the summaries are equal (timings aside, numbers to 1e-12), and the peak memory of each process.
Needs the extra ``dask``.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import resource
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

TEXT = """
    المدينة تقع على ساحل البحر وتشتهر بصناعة السفن والأسواق القديمة وفيها جامعة كبيرة ومكتبة عامة بنيت في القرن
    الماضي ويزورها آلاف السياح كل عام من أنحاء العالم ويعمل أهلها في الزراعة والتجارة والصيد وقد عرفت منذ العصور
    الوسطى طريقا للقوافل بين الشمال والجنوب ثم صارت عاصمة للإقليم بعد توحيد البلاد وفيها متحف يضم آثارا نادرة
    ومخطوطات في الطب والفلك والرياضيات كتبها علماء عاشوا فيها وتعلموا على أيدي شيوخها ومناخها معتدل صيفا وماطر شتاء
"""
WORDS = TEXT.split()
NAMES = "مسقط صنعاء القاهرة دمشق بغداد تونس الرباط الجزائر الدوحة المنامة عمان بيروت الخرطوم طرابلس نواكشوط"
CITIES = NAMES.split()
DIALECTS = ("فصحى", "مصرية", "خليجية", "مغاربية", None)
CONFIG = {
    "metrics": ["recall", "precision", "mrr", "ndcg", "token_f1", "recall@1"],
    "k": 3,
    "slice_by": ["dialect"],
    "progress": False,
}
LIMIT_GIB = 1.5


def corpus(passages: int = 5_000) -> list[str]:
    """Short passages; questions are asked about them again and again, as in a log."""
    rng = random.Random(7)
    return [" ".join([rng.choice(CITIES), *rng.sample(WORDS, 9), str(number)]) for number in range(passages)]


def rows(seed: int, start: int, count: int) -> Iterator[dict[str, Any]]:
    """Recorded outputs of a retriever that is right now and then, and of a model that sometimes declines."""
    rng, passages = random.Random(seed * 1_000_003 + start), corpus()
    for number in range(start, start + count):
        numbers = rng.sample(range(len(passages)), 4)
        gold, *retrieved = (passages[each] for each in numbers)
        ids = numbers[1:]
        place = rng.choice((0, 0, 0, 1, 2, None))
        if place is not None:
            retrieved[place] = gold if rng.random() < 0.7 else gold.rsplit(" ", 3)[0]
            ids[place] = numbers[0]
        evidence: dict[str, Any]
        if number % 10:  # most of a log has identifiers, the rest only texts
            evidence = {"chunk_id": f"c{numbers[0]}", "retrieved_chunk_ids": [f"c{each}" for each in ids]}
        else:
            evidence = {"context": None if number % 100 == 50 else gold, "retrieved_contexts": retrieved}
        answer = " ".join(gold.split()[: rng.randint(2, 5)])
        wrong = " ".join(rng.sample(WORDS, 4))
        yield {
            "sample_id": f"q{number}",
            "question": f"ما الذي تشتهر به مدينة {gold.split()[0]} ({number})؟",
            "answer": answer,
            **evidence,
            "response": rng.choice((answer, wrong, f"{answer} {wrong}", "لا أعرف الإجابة", "")),
            "dialect": rng.choice(DIALECTS),
        }


def write_parts(folder: Path, samples: int, parts: int, seed: int = 1) -> list[Path]:
    """JSONL files of nearly equal size."""
    paths = []
    for number in range(parts):
        start, stop = samples * number // parts, samples * (number + 1) // parts
        path = folder / f"log-{number:03d}.jsonl"
        if not path.exists():
            with path.open("w", encoding="utf-8") as file:
                for row in rows(seed, start, stop - start):
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
        paths.append(path)
    return paths


TIMINGS = ("run_id", "started_at", "finished_at", "latency_ms", "pipeline", "dataset", "config", "warnings")


def differences(one: Any, other: Any, at: str = "") -> list[str]:
    """Where two summaries differ: numbers by more than 1e-12 of their size, everything else at all."""
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return [f"{at}: {sorted(one.keys() ^ other.keys())}"]
        return [found for key in one for found in differences(one[key], other[key], f"{at}/{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [
            found
            for place, pair in enumerate(zip(one, other, strict=True))
            for found in differences(*pair, f"{at}/{place}")
        ]
    if isinstance(one, float) and isinstance(other, float):
        return [] if math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-15) else [f"{at}: {one!r} and {other!r}"]
    return [] if one == other else [f"{at}: {one!r} and {other!r}"]


def figures(summary: dict[str, Any]) -> dict[str, Any]:
    """A summary without its timings, and without where it was read from."""
    kept = {key: value for key, value in summary.items() if key not in TIMINGS}
    return kept | {"fingerprint": summary["dataset"]["fingerprint"], "mapping": summary["dataset"]["mapping"]}


def compared(name: str, one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Say whether two summaries are equal."""
    found = differences(figures(one), figures(other))
    print(f"{name}: {'equal' if not found else f'{len(found)} differences, such as {found[:3]}'}", flush=True)
    return not found


def peak_gib() -> float:
    """The most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What ``work`` gives, and the seconds that it takes."""
    started = time.perf_counter()
    result = work()
    return result, time.perf_counter() - started


def distributed(
    paths: list[Path], workers: int, output: Path, kill: float | None = None
) -> tuple[dict[str, Any], float, float]:
    """Summary, seconds and the peak memory of a worker; ``kill``: seconds after which a worker is killed."""
    from distributed import Client, LocalCluster

    from muffakir_eval import evaluate_distributed

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        if kill is not None:  # the nanny starts another one in its place
            victim = next(iter(client.run(os.getpid).values()))
            threading.Timer(kill, os.kill, (victim, signal.SIGKILL)).start()
        report, seconds = timed(lambda: evaluate_distributed(paths, CONFIG, client=client, output_dir=output))
        peak = max(client.run(peak_gib).values())
    return report.to_dict(), seconds, peak


def in_this_process(paths: list[Path]) -> dict[str, Any]:
    """Part after part, without Dask: what the whole must add up to."""
    from muffakir_eval.scale.distributed import evaluate_here

    return evaluate_here(paths, CONFIG).to_dict()


def main() -> int:
    """Run everything; 1 where something is not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--parts", type=int, default=40)
    parser.add_argument("--folder", type=Path, default=None)
    given = parser.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp(prefix="distributed-"))
    folder.mkdir(parents=True, exist_ok=True)
    paths, seconds = timed(lambda: write_parts(folder, given.samples, given.parts))
    print(f"{given.samples:,} samples in {given.parts} files, written in {seconds:.0f} s", flush=True)
    good = [_ordinary(paths, folder, min(50_000, given.samples) * given.parts // given.samples)]

    rates = {}
    some = paths[: max(2, given.parts // 10)]
    for workers in (1, 2):
        summary, seconds, _ = distributed(some, workers, folder / f"out-{workers}")
        rates[workers] = summary["n_samples"] / seconds
        print(f"{workers} worker(s), {summary['n_samples']:,}: {rates[workers]:,.0f} samples/s", flush=True)
    print(f"throughput of two workers / of one: {rates[2] / rates[1]:.2f} on {os.cpu_count()} cores", flush=True)
    summary, seconds, worker = distributed(paths, 2, folder / "out-all", kill=given.samples / rates[2] / 2)
    print(f"2 workers, one killed in the middle: {given.samples / seconds:,.0f} samples/s", flush=True)
    alone, seconds = timed(lambda: in_this_process(paths))
    print(f"one process without Dask: {given.samples / seconds:,.0f} samples/s", flush=True)
    good.append(compared("two workers, one killed, and one process", summary, alone))
    peak = max(worker, peak_gib())
    print(f"peak memory: of a worker {worker:.2f} GiB, of this process {peak_gib():.2f} GiB (limit {LIMIT_GIB})")
    return 0 if all(good) and peak < LIMIT_GIB else 1


def _ordinary(paths: list[Path], folder: Path, count: int) -> bool:
    """The ordinary run over the first files, put together into one, and the distributed one over the same files."""
    from muffakir_eval import MuffakirEvaluation

    first = paths[: max(1, count)]
    joined = folder / "joined.jsonl"
    joined.write_bytes(b"".join(path.read_bytes() for path in first))
    ordinary, seconds = timed(lambda: MuffakirEvaluation(CONFIG).evaluate(None, joined).to_dict())
    print(f"ordinary run of {ordinary['n_samples']:,}: {ordinary['n_samples'] / seconds:,.0f} samples/s", flush=True)
    summary, _, _ = distributed(first, 2, folder / "out-first")
    return compared("two workers and the ordinary run", summary, ordinary)


if __name__ == "__main__":
    sys.exit(main())
