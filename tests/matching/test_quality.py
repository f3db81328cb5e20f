"""How often the default settings are right: on real passages, on statutes, and on scripts that nothing was set by.

The bars hold for every language, corpus and seed; here a sample of them is taken. All figures are printed by
``benchmarks/matching_quality.py``.
"""

from __future__ import annotations

import importlib.util
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from types import ModuleType

import pytest

from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.records import RetrievedChunk, Sample

Case = tuple[str, str, bool, str]
"""Gold, chunk, whether the chunk holds it, and in which way the chunk is rough."""


def tool(data_dir: Path, name: str) -> ModuleType:
    """A program beside the real data."""
    path = data_dir.parent / "tools" / f"{name}.py"
    if not path.is_file():
        pytest.skip(f"no {path}")
    if name == "match_cases":
        pytest.importorskip("arabic_reshaper")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def verdicts(cases: Iterable[Case]) -> Iterator[tuple[Case, bool]]:
    matcher = ChunkMatcher()
    for case in cases:
        sample = Sample(sample_id="1", question="؟", contexts=(case[0],))
        yield case, matcher.match([RetrievedChunk(text=case[1])], sample)[0].relevant


def f1(found: Counter[tuple[bool, bool]]) -> float:
    """Of pairs (is relevant, is said to be)."""
    wrong = found[True, False] + found[False, True]
    return 2 * found[True, True] / (2 * found[True, True] + wrong)


def check(cases: Iterable[Case]) -> None:
    """F1 of 0.99 in all, 0.97 in each kind, and at most one scrap in 200."""
    overall: Counter[tuple[bool, bool]] = Counter()
    by_kind: dict[str, Counter[tuple[bool, bool]]] = {}
    scraps: Counter[bool] = Counter()
    for (_, _, relevant, kind), said in verdicts(cases):
        if kind == "scrap":
            scraps[said] += 1
        overall[relevant, said] += 1
        by_kind.setdefault(kind, Counter())[relevant, said] += 1
    by_kind.pop("scrap", None)
    assert overall[True, True] > 80
    assert f1(overall) >= 0.99
    assert {kind: f1(found) for kind, found in by_kind.items() if f1(found) < 0.97} == {}
    assert 200 * scraps[True] <= scraps[False]


@pytest.mark.parametrize(
    ("passages", "seed"),
    [
        ("arcd/arcd-train.json", 3),
        ("arcd/arcd-train.json", 14),
        ("xquad/xquad.en.json", 5),
        ("xquad/xquad.en.json", 13),
        ("xquad/xquad.zh.json", 2),
    ],
)
def test_real_passages(data_dir: Path, passages: str, seed: int) -> None:
    cases = tool(data_dir, "match_cases").cases(data_dir / passages, seed)
    check((gold, chunk, relevant, kind) for gold, chunk, relevant, kind, _ in islice(cases, 1000))


def test_articles_of_law_cut_into_chunks(data_dir: Path, tmp_path: Path) -> None:
    """Neighbouring articles as one text, cut anew: the same boilerplate on both sides."""
    folder = data_dir / "wakili_legal" / "corpus"
    articles = list(tool(data_dir, "legal_pairs").articles(folder).values())
    rng = random.Random(4)
    rng.shuffle(articles)
    groups = [articles[start : start + 60] for start in range(0, 360, 60)]
    squad = {"data": [{"paragraphs": [{"context": text} for text in group]} for group in groups]}
    (tmp_path / "law.json").write_text(json.dumps(squad), encoding="utf-8")
    cases = tool(data_dir, "match_cases").cases(tmp_path / "law.json", 21)
    check((gold, chunk, relevant, kind) for gold, chunk, relevant, kind, _ in cases)


def test_distinct_articles_of_law_do_not_match(data_dir: Path) -> None:
    pairs = tool(data_dir, "legal_pairs").pairs(data_dir / "wakili_legal" / "corpus")
    cases = [(gold, chunk, False, "") for gold, chunk in islice(pairs, 40_000)]
    accepted = sum(said for _, said in verdicts(cases))
    assert accepted <= len(cases) * 200 / 434_100


def test_five_spellings_of_the_same_verses(data_dir: Path) -> None:
    spellings = ["simple", "uthmani", "simple-plain", "simple-clean", "simple-minimal"]
    verses = {
        name: (data_dir / "messy_text" / f"quran_{name}_300.txt").read_text(encoding="utf-8").splitlines()
        for name in spellings
    }

    def cases() -> Iterator[Case]:
        for name in spellings:
            for start in range(4, 280, 12):
                gold = " ".join(verses["uthmani"][start : start + 4])
                yield gold, " ".join(verses[name][start - 3 : start + 8]), True, name
                elsewhere = (start + 60) % 280
                yield gold, " ".join(verses[name][elsewhere : elsewhere + 8]), False, name

    check(cases())


def test_a_passage_across_two_pages(data_dir: Path) -> None:
    """The foot of a page and the head of the next one stand between two sentences, or within one."""
    data = json.loads((data_dir / "arcd" / "arcd-train.json").read_text(encoding="utf-8"))["data"]
    passages = [paragraph["context"].split() for article in data[:80] for paragraph in article["paragraphs"]]
    rng = random.Random(8)

    def cases() -> Iterator[Case]:
        for number, words in enumerate(passages):
            other = passages[(number + 40) % len(passages)]
            start = rng.randrange(max(1, len(words) - 40))
            gold = words[start : start + rng.randint(16, 40)]
            break_at = rng.randrange(3, len(gold) - 3)
            head = ["-", str(number), "-", *other[: rng.randint(3, 9)], "\n"]
            chunk = [*other[-30:], *gold[:break_at], *head, *gold[break_at:], *other[:20]]
            yield " ".join(gold), " ".join(chunk), True, "interrupted"
            yield " ".join(gold), " ".join([*other[-30:], *gold[:2], *head, *other[:50]]), False, "interrupted"

    check(cases())


SCRIPTS = {
    "russian": "абвгдежзийклмнопрстуфхцчшщъыьэюя",
    "greek": "αβγδεζηθικλμνξοπρστυφχψω",
    "hebrew": "אבגדהוזחטיכלמנסעפצקרשת",
    "hindi": "कखगघचछजझटठडढतथदधनपफबभमयरलवशषसह",
    "korean": "가나다라마바사아자차카타파하거너더러머버서어저처",
    "persian": "ابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهی",
    "thai": "กขคงจฉชซญดตถทธนบปผพฟมยรลวสหอ",
    "agglutinating": "çabcdefgğhıijklmnoöprsştuüvyz",
}


def words_of(letters: str, rng: random.Random) -> Callable[[int], list[str]]:
    """Makes so many words of a vocabulary in which few words are frequent."""
    sizes = {"가": (1, 3), "ç": (7, 15)}.get(letters[0], (2, 9))
    vocabulary = ["".join(rng.choices(letters, k=rng.randint(*sizes))) for _ in range(8000)]
    return lambda count: [vocabulary[int(8000 ** rng.random()) - 1] for _ in range(count)]


def slipped(text: str, letters: str, rate: float, rng: random.Random) -> str:
    """With letters changed, added and lost."""
    made = []
    for char in text:
        if char == " " or rng.random() >= rate:
            made.append(char)
        else:
            made.append(rng.choice(["", rng.choice(letters), char + rng.choice(letters)]))
    return "".join(made)


@pytest.mark.parametrize("script", SCRIPTS)
def test_made_up_text_in_other_scripts(script: str) -> None:
    letters, rng = SCRIPTS[script], random.Random(script)
    words = words_of(letters, rng)
    glue = "" if script == "thai" else " "

    def cases() -> Iterator[Case]:
        for _ in range(200):
            gold, before, after = words(rng.randint(30, 120)), words(200), words(200)
            whole = before + gold + after
            size = int(len(gold) * rng.choice([0.6, 0.8, 1, 1.5, 2, 3]))
            at = rng.randint(max(0, 200 - size), 200 + len(gold))
            window = whole[at : at + size]
            share = max(0, min(at + len(window), 200 + len(gold)) - max(at, 200)) / len(gold)
            rate = rng.choice([0.0, 0.03, 0.08])
            if share >= 0.5 or share < 0.1:
                yield glue.join(gold), slipped(glue.join(window), letters, rate, rng), share >= 0.5, f"{rate}"
            start = rng.randrange(len(gold) - 3)
            yield glue.join(gold), glue.join(gold[start : start + rng.randint(1, 2)]), False, "scrap"

    check(cases())
