"""How often the matcher is right: by language, seed and kind of roughness, on scraps, and on articles of law.

    python benchmarks/matching_quality.py [--seeds 1 2 3 4 5] [--overlap-threshold 0.55] [--coverage-threshold 0.6]

Needs the real data (``MUFFAKIR_EVAL_DATA``, by default ``../shared/data``), the programs ``match_cases.py`` and
``legal_pairs.py`` in the folder ``tools`` beside it, and the package arabic-reshaper.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from muffakir_eval.config import MatchSettings
from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.records import ChunkMatch, RetrievedChunk, Sample

DATA = Path(os.environ.get("MUFFAKIR_EVAL_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
PASSAGES = {
    "Arabic (ARCD)": "arcd/arcd-train.json",
    "English (XQuAD)": "xquad/xquad.en.json",
    "Chinese (XQuAD)": "xquad/xquad.zh.json",
}
Verdict = Callable[[str, str], ChunkMatch]
Found = Counter[tuple[bool, bool]]
"""Pairs (holds the gold, is said to)."""


def tool(name: str) -> ModuleType:
    """A program beside the data."""
    spec = importlib.util.spec_from_file_location(name, DATA.parent / "tools" / f"{name}.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"no {name}.py beside {DATA}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def f1(found: Found) -> float:
    """F1 of the verdict yes."""
    right = 2 * found[True, True]
    return right / (right + found[True, False] + found[False, True]) if right else 0.0


def passages(name: str, path: Path, seeds: list[int], verdict: Verdict) -> None:
    """Print F1 by seed and by kind."""
    cases = tool("match_cases").cases
    by_kind: dict[str, Found] = {}
    scraps: Counter[bool] = Counter()
    by_seed = []
    for seed in seeds:
        found: Found = Counter()
        for gold, chunk, relevant, kind, _ in cases(path, seed):
            said = verdict(gold, chunk).relevant
            found[relevant, said] += 1
            if kind == "scrap":
                scraps[said] += 1
            else:
                by_kind.setdefault(kind, Counter())[relevant, said] += 1
        by_seed.append(f"{f1(found):.4f}")
    print(f"\n{name}: F1 by seed {' '.join(by_seed)}; scraps accepted {scraps[True]} of {scraps.total()}")
    for kind, found in sorted(by_kind.items()):
        print(f"  {kind:<14}F1 {f1(found):.4f}   missed {found[True, False]:>3}   wrong {found[False, True]:>3}")


def law(verdict: Verdict) -> None:
    """Print how many pairs of distinct articles are taken for the same evidence, by stage."""
    stages: Counter[str | None] = Counter()
    for gold, chunk in tool("legal_pairs").pairs(DATA / "wakili_legal" / "corpus"):
        stages[verdict(gold, chunk).stage] += 1
    accepted = stages.total() - stages[None]
    print(f"\npairs of distinct articles of law accepted: {accepted} of {stages.total()}", dict(stages))


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--overlap-threshold", type=float, default=MatchSettings().overlap_threshold)
    parser.add_argument("--coverage-threshold", type=float, default=MatchSettings().coverage_threshold)
    chosen = parser.parse_args()
    matcher = ChunkMatcher(
        MatchSettings(overlap_threshold=chosen.overlap_threshold, coverage_threshold=chosen.coverage_threshold)
    )

    def verdict(gold: str, chunk: str) -> ChunkMatch:
        sample = Sample(sample_id="1", question="", contexts=(gold,))
        return matcher.match([RetrievedChunk(text=chunk)], sample)[0]

    for name, path in PASSAGES.items():
        passages(name, DATA / path, chosen.seeds, verdict)
    law(verdict)


if __name__ == "__main__":
    main()
