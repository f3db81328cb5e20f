"""Question sets with recorded outputs, made for the tests."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

TEXT = "عاصمة عمان مسقط تقع على البحر وفيها سوق قديم ومتحف كبير وميناء ومكتبة عامة وقلعة بناها القدماء"
WORDS = TEXT.split()
CONFIG: dict[str, Any] = {
    "metrics": ["recall", "mrr", "ndcg", "hit_rate", "token_f1"],
    "k": 3,
    "progress": False,
    "slice_by": ["dialect"],
}
ASIDE = ("run_id", "started_at", "finished_at", "latency_ms", "dataset", "warnings")
"""What of a summary depends on the clock, or on where the data lies."""


def rows(count: int, seed: int = 1) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    made = []
    for number in range(count):
        gold = " ".join([*rng.sample(WORDS, 6), str(number % 50)])
        retrieved = [" ".join(rng.sample(WORDS, 6)) for _ in range(3)]
        if rng.random() < 0.6:
            retrieved[rng.randrange(3)] = gold
        row: dict[str, Any] = {
            "id": f"q{number}",
            "question": f"سؤال {number}",
            "answer": " ".join(rng.sample(WORDS, 3)),
            "response": rng.choice([" ".join(rng.sample(WORDS, 3)), "لا أعرف", ""]),
            "retrieved_contexts": retrieved,
            "dialect": rng.choice(["فصحى", "مصرية", None]),
            "doc": f"d{number % 7}",
        }
        if rng.random() < 0.9:
            row["context"] = gold
        made.append(row)
    return made


def write_jsonl(path: Path, lines: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def uneven(folder: Path, lines: Sequence[dict[str, Any]]) -> list[Path]:
    """Seven files of very different sizes, one of them empty of rows but for a blank line."""
    n = len(lines)
    cuts = [0, 1, n // 10, n // 10 + 2, n // 2, n // 2, n - 3, n]
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number, (start, stop) in enumerate(pairwise(cuts)):
        paths.append(write_jsonl(folder / f"log-{number}.jsonl", lines[start:stop]))
        if start == stop:
            paths[-1].write_text("\n", encoding="utf-8")
    return paths


def figures(summary: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in summary.items() if key not in ASIDE}
    dataset = summary["dataset"]
    return kept | {key: dataset[key] for key in ("fingerprint", "n_samples", "mapping", "n_bad_rows")}


def differences(one: Any, other: Any, at: str = "") -> list[str]:
    """Where two summaries differ by more than 1e-12."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [found for key in one for found in differences(one[key], other[key], f"{at}/{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [found for place, pair in pairs for found in differences(*pair, f"{at}/{place}")]
    if isinstance(one, float) and isinstance(other, float):
        return [] if math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-15) else [f"{at}: {one!r} {other!r}"]
    return [] if one == other else [f"{at}: {one!r} {other!r}"]
