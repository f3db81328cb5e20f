"""Do the intervals hold what they promise, how often is chance taken for a difference, and how long does it take?

    python benchmarks/uncertainty.py [--runs 10000]

Prints, for scores as evaluations give them, how often the 95 % interval holds the true mean; how often two
identical systems are told apart at p < 0.05; and the time and memory of the intervals of eight metrics.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import numpy.typing as npt

from muffakir_eval.statistics.intervals import mean_interval, mean_intervals, wilson_interval
from muffakir_eval.statistics.paired import compare_paired

Floats = npt.NDArray[np.float64]

DISCRETE: dict[str, tuple[list[float], list[float]]] = {
    "reciprocal rank, good retriever": ([1, 1 / 2, 1 / 3, 0], [0.85, 0.08, 0.04, 0.03]),
    "reciprocal rank, fair retriever": ([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 0], [0.6, 0.15, 0.08, 0.04, 0.03, 0.1]),
    "rating 1 to 5, lenient judge": ([1, 2, 3, 4, 5], [0.05, 0.05, 0.1, 0.2, 0.6]),
}
BETA = {"share of claims, U-shaped": (0.5, 0.2), "similarity, skewed": (5.0, 1.0)}
SIZES = (30, 100, 300)
SHARES = (0.5, 0.7, 0.9, 0.95)


def draw(kind: str, n: int, rng: np.random.Generator) -> tuple[Floats, float]:
    """``n`` scores of a kind, and their true mean."""
    if kind in BETA:
        a, b = BETA[kind]
        return rng.beta(a, b, size=n), a / (a + b)
    values, shares = (np.asarray(column) for column in DISCRETE[kind])
    return rng.choice(values, p=shares, size=n), float(values @ shares)


def covered(task: tuple[str, int, int, int]) -> int:
    """In how many runs the interval holds the true mean."""
    kind, n, runs, seed = task
    rng = np.random.default_rng([seed, n])
    held = 0
    for _ in range(runs):
        sample, truth = draw(kind, n, rng)
        found = mean_interval(sample, rng=rng, n_resamples=1000)
        held += found.low is not None and found.high is not None and found.low <= truth <= found.high
    return held


def alarms(task: tuple[str, int, int, int]) -> int:
    """How many pairs of identical systems are told apart."""
    kind, n, runs, seed = task
    rng = np.random.default_rng([seed, n, 1])
    return sum(
        compare_paired(draw(kind, n, rng)[0], draw(kind, n, rng)[0], rng=rng, n_resamples=1000).p_value < 0.05
        for _ in range(runs)
    )


def wilson_coverage(n: int, share: float, runs: int) -> float:
    """How often Wilson's interval holds the true share."""
    successes = np.random.default_rng(n).binomial(n, share, size=runs)
    held = sum(low <= share <= high for low, high in (wilson_interval(int(count), n) for count in successes))
    return held / runs


def speed() -> None:
    """Time and memory of the intervals of eight metrics."""
    rng = np.random.default_rng(0)
    columns: dict[str, list[float | None]] = {f"metric {place}": rng.random(10_000).tolist() for place in range(8)}
    start = time.perf_counter()
    mean_intervals(columns, rng=rng, n_resamples=10_000)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\n10,000 resamples of 10,000 samples x 8 metrics: {seconds:.2f} s, peak {peak:.0f} MiB")


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10_000, help="simulated runs for each figure")
    runs: int = parser.parse_args().runs
    speed()
    kinds = [*DISCRETE, *BETA]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        print(f"\nshare of {runs:,} runs whose 95 % interval holds the true mean")
        tasks = [(kind, n, runs, 7) for kind in kinds for n in SIZES]
        for (kind, n, _, _), held in zip(tasks, pool.map(covered, tasks), strict=True):
            print(f"  {kind:34} n = {n:3}: {held / runs:.4f}", flush=True)
        for share in SHARES:
            for n in SIZES:
                print(f"  0/1 metric, true share {share:<11} n = {n:3}: {wilson_coverage(n, share, runs):.4f}")
        print(f"\nshare of {runs:,} pairs of identical systems that are told apart at p < 0.05")
        tasks = [(kind, n, runs, 8) for kind in kinds for n in (100, 300)]
        for (kind, n, _, _), told in zip(tasks, pool.map(alarms, tasks), strict=True):
            print(f"  {kind:34} n = {n:3}: {told / runs:.4f}", flush=True)


if __name__ == "__main__":
    main()
