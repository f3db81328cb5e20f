"""Speed of normalisation and matching, in one run with Muffakir 0.3.1 or the rule that it documents.

    python benchmarks/matching.py [--questions 10000] [--corpus 2000] [--seed 0] [--muffakir FOLDER] [--memory]

The texts are made up: Arabic words of a Zipf-like frequency, 1,000 characters a chunk. The documented
rule is NFKC, lower case, one space for every white space, five letters unified, substring, then the
Jaccard of white-space tokens, for every pair anew. With ``--muffakir``, the folder of the unpacked wheel
(``pip download --no-deps muffakir==0.3.1``), its own code is run in place of that. The two are timed by
turns. Ratios count, not microseconds. ``--memory`` matches 100,000 questions with 10 new chunks each and
prints how much memory that took at most.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import re
import resource
import sys
import time
import types
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.records import RetrievedChunk, Sample
from muffakir_eval.text.normalize import normalize_text
from muffakir_eval.text.tokens import tokenize

LETTERS = "ابتثجحخدذرزسشصضطظعغفقكلمنهويأإةى"
K = 10
Question = tuple[str, list[str]]


def documented_form(text: str) -> str:
    """The text as the documented rule compares it."""
    text = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).lower().strip())
    for letter, unified in (("أ", "ا"), ("إ", "ا"), ("آ", "ا"), ("ة", "ه"), ("ى", "ي")):
        text = text.replace(letter, unified)
    return text


def documented_rule(chunk: str, gold: str) -> bool:
    """The documented verdict on one pair."""
    one, other = documented_form(chunk), documented_form(gold)
    if one in other or other in one:
        return True
    ours, theirs = set(one.split()), set(other.split())
    return len(ours & theirs) / len(ours | theirs) >= 0.55


@dataclass
class Document:
    """What Muffakir's matcher takes."""

    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)


def muffakir_rule(folder: Path) -> Callable[[str, str], bool]:
    """The verdict on one pair by the matcher of an unpacked wheel; nothing else of it is imported."""
    if importlib.util.find_spec("langchain_core") is None:
        stand_in = types.ModuleType("langchain_core.documents")
        stand_in.Document = Document  # type: ignore[attr-defined]
        sys.modules["langchain_core"] = types.ModuleType("langchain_core")
        sys.modules["langchain_core.documents"] = stand_in
    spec = importlib.util.spec_from_file_location("muffakir_matching", folder / "Evaluation" / "matching.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"{folder}: no Evaluation/matching.py in it")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return lambda chunk, gold: bool(module.is_relevant_document(Document(chunk), gold))


class Writer:
    """Makes up text, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.words = ["".join(self.rng.choices(LETTERS, k=self.rng.randint(2, 8))) for _ in range(30_000)]

    def text(self, size: int = 1000) -> str:
        """So many characters."""
        words = (self.words[int(len(self.words) ** self.rng.random()) - 1] for _ in range(size // 4))
        return " ".join(word + self.rng.choice(["", "", "", "", "", "،", "."]) for word in words)[:size]

    def questions(self, count: int, chunk: Callable[[], str]) -> list[Question]:
        """Gold and ten retrieved chunks for each of so many questions."""
        return [(chunk(), [chunk() for _ in range(K)]) for _ in range(count)]


def seconds(work: Callable[[], Any]) -> float:
    """Seconds of this process that ``work`` takes."""
    started = time.process_time()
    work()
    return time.process_time() - started


def compare(name: str, questions: list[Question], rule: Callable[[str, str], bool]) -> None:
    """Print what a pair costs here and by the other rule, both in ten turns."""
    matcher, ours, theirs, compared = ChunkMatcher(), 0.0, 0.0, 0
    turn = max(1, len(questions) // 10)
    for first in range(0, len(questions), turn):
        now = questions[first : first + turn]
        prepared = [
            (Sample(sample_id=str(n), question="", contexts=(gold,)), [RetrievedChunk(text=text) for text in texts])
            for n, (gold, texts) in enumerate(now)
        ]
        ours += seconds(lambda made=prepared: [matcher.match(chunks, sample) for sample, chunks in made])  # type: ignore[misc]
        some = now[: max(1, len(now) // 10)]
        theirs += seconds(lambda made=some: [[rule(text, gold) for text in texts] for gold, texts in made])  # type: ignore[misc]
        compared += len(some)
    ours /= len(questions) * K
    theirs /= compared * K
    print(f"{name:<28}{ours * 1e6:>10.2f} µs{theirs * 1e6:>12.2f} µs{theirs / ours:>10.1f} ×")


def memory(writer: Writer, questions: int = 100_000) -> None:
    """Print how much memory the process has taken at most after so many questions with ten new chunks each."""
    matcher = ChunkMatcher()
    words = [writer.text(1000) for _ in range(500)]

    def chunk() -> str:
        return f"{writer.rng.random()} " + writer.rng.choice(words)[:500] + writer.rng.choice(words)[:480]

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(questions):
        sample = Sample(sample_id=str(number), question="", contexts=(chunk(),))
        matcher.match([RetrievedChunk(text=chunk()) for _ in range(K)], sample)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"\npeak memory after {questions:,} questions × {K} chunks: {peak / 1024:.0f} MiB, before: {before / 1024:.0f}"
    )


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--corpus", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--muffakir", type=Path, help="folder of the unpacked wheel")
    parser.add_argument("--memory", action="store_true")
    chosen = parser.parse_args()
    writer = Writer(chosen.seed)
    corpus = [writer.text() for _ in range(chosen.corpus)]
    forms: dict[str, Callable[[str], Any]] = {
        "normalize_text": normalize_text,
        "tokenize": tokenize,
        "documented form": documented_form,
    }
    for name, form in forms.items():
        cost = seconds(lambda form=form: [form(text) for text in corpus])  # type: ignore[misc]
        print(f"{name:<28}{cost / len(corpus) * 1e6:>10.2f} µs for 1,000 characters")
    rule = documented_rule if chosen.muffakir is None else muffakir_rule(chosen.muffakir)
    against = "documented" if chosen.muffakir is None else "Muffakir"
    print(f"\n{'matching, a pair':<28}{'here':>13}{against:>15}{'ratio':>12}")
    compare("chunks recur", writer.questions(chosen.questions, lambda: writer.rng.choice(corpus)), rule)
    compare("every chunk new", writer.questions(max(1, chosen.questions // 10), writer.text), rule)
    if chosen.memory:
        memory(writer)


if __name__ == "__main__":
    main()
