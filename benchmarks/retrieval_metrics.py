"""Speed of the retrieval metrics, in one run with trec_eval's own code (pytrec_eval-terrier).

    python benchmarks/retrieval_metrics.py [--queries 5000] [--documents 100] [--rounds 7] [--seed 0]

The five measures nDCG, recall, precision, MRR and MAP at k = 10 and 100, over made-up rankings. Both sides
get their judgements and rankings as Python objects and give a value per query and measure; ours also
checks the judgements, cleans the identifiers and computes the means. The rounds alternate; medians of the
seconds are printed, with their ratio: above 1 we are faster. MRR has one cutoff there and two here.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import pytrec_eval

from muffakir_eval import evaluate_retrieval
from muffakir_eval.metrics import resolve_metrics
from muffakir_eval.records import ChunkMatch, PipelineOutput, RetrievedChunk, Sample, Trial

CUTOFFS = (10, 100)
MEASURES = {f"{name}.{','.join(map(str, CUTOFFS))}" for name in ("ndcg_cut", "recall", "P", "map_cut")} | {"recip_rank"}
NAMES = ("ndcg", "recall", "precision", "mrr", "map")


class Case(NamedTuple):
    """Rankings and judgements as each side wants them."""

    rankings: dict[str, list[str]]
    scores: dict[str, dict[str, float]]
    qrels: dict[str, dict[str, int]]


def make_case(rng: random.Random, sizes: tuple[int, int, int], *, graded: bool) -> Case:
    """So many queries, documents each, and relevant documents each, half of which are ranked."""
    queries, documents, relevant = sizes
    rankings, scores, qrels = {}, {}, {}
    for number in range(queries):
        ranked = [f"doc{name}" for name in rng.sample(range(1_000_000), documents)]
        found = rng.sample(ranked, (relevant + 1) // 2)
        missed = [f"doc{name}" for name in rng.sample(range(1_000_000, 2_000_000), relevant - len(found))]
        judged = {name: rng.randint(1, 3) if graded else 1 for name in (*found, *missed)}
        judged |= dict.fromkeys(rng.sample(ranked, 5), 0) | judged
        rankings[f"q{number}"], qrels[f"q{number}"] = ranked, judged
        scores[f"q{number}"] = {name: float(documents - rank) for rank, name in enumerate(ranked)}
    return Case(rankings, scores, qrels)


def make_trials(case: Case) -> list[Trial]:
    """The same as trials of a run, already matched."""
    trials = []
    for query, ranked in case.rankings.items():
        golds = [name for name, grade in case.qrels[query].items() if grade > 0]
        place = {name: index for index, name in enumerate(golds)}
        sample = Sample(
            sample_id=query,
            question="",
            chunk_ids=tuple(golds),
            grades=tuple(float(case.qrels[query][name]) for name in golds),
        )
        matches = tuple(
            ChunkMatch(rank=rank, relevant=name in place, gold_indices=(place[name],) if name in place else ())
            for rank, name in enumerate(ranked, 1)
        )
        output = PipelineOutput(chunks=tuple(RetrievedChunk(chunk_id=name) for name in ranked))
        trials.append(Trial(sample=sample, output=output, matches=matches))
    return trials


def seconds(work: Callable[[], Any]) -> float:
    """Seconds of this process that ``work`` takes."""
    started = time.process_time()
    work()
    return time.process_time() - started


def compare(name: str, case: Case, rounds: int) -> None:
    """Print the medians of alternating rounds."""
    trials = make_trials(case)
    metrics = resolve_metrics(NAMES, k=CUTOFFS[0], k_values=CUTOFFS[1:])
    ways: dict[str, Callable[[], Any]] = {
        "pytrec_eval": lambda: pytrec_eval.RelevanceEvaluator(case.qrels, MEASURES).evaluate(case.scores),
        "rankings": lambda: evaluate_retrieval(case.rankings, case.qrels, k_values=CUTOFFS),
        "scores": lambda: evaluate_retrieval(case.scores, case.qrels, k_values=CUTOFFS),
        "trials": lambda: [[metric.compute(trial) for metric in metrics] for trial in trials],
    }
    spent: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, work in ways.items():
            spent[way].append(seconds(work))
    medians = {way: statistics.median(values) for way, values in spent.items()}
    theirs = medians.pop("pytrec_eval")
    cells = "".join(f"{ours:>9.3f} s {theirs / ours:>5.2f} x" for ours in medians.values())
    print(f"{name:<34}{theirs:>9.3f} s{cells}")


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--queries", type=int, default=5000)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    rng = random.Random(chosen.seed)
    print(f"{chosen.queries} queries x {chosen.documents} documents, k = {CUTOFFS}, median of {chosen.rounds} rounds\n")
    print(f"{'':<34}{'pytrec_eval':>11}{'ranked lists':>19}{'scored dicts':>19}{'trials of a run':>19}")
    for relevant in (1, 2, 10, 50):
        for graded in (False, True):
            case = make_case(rng, (chosen.queries, chosen.documents, relevant), graded=graded)
            compare(f"{relevant} relevant{', graded' if graded else ''}", case, chosen.rounds)


if __name__ == "__main__":
    main()
