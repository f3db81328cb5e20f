"""Speed of normalisation and matching, in one run with the rule that Muffakir documents.

    python benchmarks/matching.py [--questions 2000] [--corpus 2000] [--seed 0]

The texts are made up: Arabic words of a Zipf-like frequency, 1,000 characters a chunk. The documented
rule is NFKC, lower case, one space for every white space, five letters unified, substring, then the
Jaccard of white-space tokens, for every pair anew. Ratios count, not microseconds.
"""

from __future__ import annotations

import argparse
import random
import re
import time
import unicodedata
from collections.abc import Callable
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


def compare(name: str, questions: list[Question]) -> None:
    """Print what a pair costs here and by the documented rule."""
    prepared = [
        (Sample(sample_id=str(number), question="", contexts=(gold,)), [RetrievedChunk(text=text) for text in texts])
        for number, (gold, texts) in enumerate(questions)
    ]
    matcher = ChunkMatcher()
    ours = seconds(lambda: [matcher.match(chunks, sample) for sample, chunks in prepared])
    some = questions[: max(1, len(questions) // 10)]
    theirs = seconds(lambda: [[documented_rule(text, gold) for text in texts] for gold, texts in some])
    pairs = len(questions) * K
    theirs *= len(questions) / len(some)
    print(f"{name:<28}{ours / pairs * 1e6:>10.2f} µs{theirs / pairs * 1e6:>12.2f} µs{theirs / ours:>10.1f} ×")


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--questions", type=int, default=2000)
    parser.add_argument("--corpus", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
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
    print(f"\n{'matching, a pair':<28}{'here':>13}{'documented':>15}{'ratio':>12}")
    compare("chunks recur", writer.questions(chosen.questions, lambda: writer.rng.choice(corpus)))
    compare("every chunk new", writer.questions(max(1, chosen.questions // 10), writer.text))


if __name__ == "__main__":
    main()
