"""How long reading a JSONL question set takes, as a multiple of ``json.loads`` over the same lines.

Run ``python benchmarks/dataset_loading.py [rows]``. Both are timed in turn in one process, so that the
ratio does not depend on the machine; the bar is 6.
"""

from __future__ import annotations

import gc
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from muffakir_eval.datasets import load_evaluation_dataset

BAR = 6.0
ROUNDS = 5
PROSE = """
يستحق العامل إجازة سنوية بأجر كامل لا تقل عن واحد وعشرين يوما وتزيد إلى ثلاثين يوما إذا أمضى خمس سنوات متصلة لدى
صاحب العمل ولا يجوز له أن يتنازل عنها أو أن يتقاضى بدلا نقديا عوضا عن الحصول عليها أثناء فترة خدمته وعلى المحكمة
المختصة أن تفصل في الدعوى خلال مدة لا تجاوز ثلاثة أشهر من تاريخ رفعها ويكون حكمها قابلا للاستئناف
"""
WORDS = PROSE.split()


def text(chooser: random.Random, least: int, most: int) -> str:
    """Arabic words, between so many characters."""
    length = chooser.randint(least, most)
    words: list[str] = []
    size = 0
    while size < length:
        words.append(chooser.choice(WORDS))
        size += len(words[-1]) + 1
    return " ".join(words)


def row(number: int, chooser: random.Random, passage: tuple[int, int]) -> dict[str, object]:
    """One sample as a dataset holds it."""
    return {
        "question": text(chooser, 30, 80) + "؟",
        "answer": text(chooser, 40, 120),
        "context": text(chooser, *passage),
        "chunk_id": number,
        "source_file": f"law_{number % 40}.pdf",
        "category": chooser.choice(("labour", "civil", "criminal")),
    }


def short_row(number: int, chooser: random.Random) -> dict[str, object]:
    """A row of which little but the keys is left."""
    return {"question": text(chooser, 10, 20), "answer": "نعم", "context": text(chooser, 10, 20), "chunk_id": number}


def seconds(call: Callable[[], object]) -> float:
    """Wall-clock seconds of one call, without what the collector of the last one left."""
    gc.collect()
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def compare(name: str, lines: list[str], folder: Path) -> float:
    """Print and return the median of the paired ratios."""
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def plain() -> list[object]:
        return [json.loads(line) for line in lines]

    ratios, plains = [], []
    for _ in range(ROUNDS):
        plains.append(seconds(plain))
        ratios.append(seconds(lambda: load_evaluation_dataset(path)) / plains[-1])
    ratio = statistics.median(ratios)
    print(
        f"{name:<10} {len(lines):>7} rows, {statistics.mean(map(len, lines)):>4.0f} characters each: "
        f"json.loads {statistics.median(plains):.2f} s, loading {ratio:.2f} times that "
        f"({min(ratios):.2f} to {max(ratios):.2f})"
    )
    return ratio


def main() -> int:
    """Compare on rows of usual size and on short ones."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    chooser = random.Random(0)
    usual = [json.dumps(row(number, chooser, (300, 800)), ensure_ascii=False) for number in range(count)]
    short = [json.dumps(short_row(number, chooser), ensure_ascii=False) for number in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        ratios = [compare(name, lines, Path(folder)) for name, lines in (("usual", usual), ("short", short))]
    print(f"bar: {BAR:.0f}, {'met' if max(ratios) <= BAR else 'MISSED'}")
    return 0 if max(ratios) <= BAR else 1


if __name__ == "__main__":
    raise SystemExit(main())
