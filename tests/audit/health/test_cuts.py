"""A splitter that cuts words is found with its count, one that does not is not."""

from __future__ import annotations

import itertools
import unicodedata

import pytest

from muffakir_eval.audit.health import HealthCheck
from muffakir_eval.audit.health.cuts import cut_words
from muffakir_eval.text.sentences import split_sentences
from tests.audit.health.corpora import Examine, chunked


def in_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char) == "Mn"


def pieces(texts: tuple[str, ...], size: int, step: int) -> tuple[list[str], list[str], set[int]]:
    """Windows of characters, their sources, and which begin or end inside a word."""
    chunks: list[str] = []
    sources: list[str] = []
    cut: set[int] = set()
    for number, text in enumerate(texts):
        for first in range(0, len(text), step):
            last = min(len(text), first + size)
            if any(0 < at < len(text) and in_word(text[at - 1]) and in_word(text[at]) for at in (first, last)):
                cut.add(len(chunks))
            chunks.append(text[first:last])
            sources.append(f"{number}.txt")
            if last == len(text):
                break
    return chunks, sources, cut


def test_overlapping_windows_are_judged_exactly(clean: tuple[str, ...], examine: Examine) -> None:
    chunks, sources, cut = pieces(clean, 200, 150)
    found = examine(chunks, sources=sources).finding("cut_word")
    assert found is not None
    assert found.severity == "warning"
    assert found.count == len(cut)


def test_every_cut_of_a_known_word_is_counted(examine: Examine) -> None:
    sentence = "العقد شريعة المتعاقدين فلا يجوز نقضه ولا تعديله إلا باتفاق الطرفين أو للأسباب التي يقررها القانون"
    words = sentence.split()
    whole = " ".join(words) + "."
    halves = [f"{whole} {word[: len(word) // 2 + 1]}" for word in words if len(word) > 5]
    rests = [f"{word[len(word) // 2 + 1 :]} {whole}" for word in words if len(word) > 5]
    chunks = list(itertools.chain.from_iterable(zip(halves, rests, strict=True)))
    sources = [f"{row // 2}.txt" for row in range(len(chunks))]
    found = examine(chunks, sources=sources).finding("cut_word")
    assert found is not None
    assert found.count == len(chunks)
    assert "ends inside a word" in found.examples[0].detail
    assert "begins inside a word" in found.examples[1].detail


def test_a_splitter_that_counts_characters_is_judged_exactly(clean: tuple[str, ...], examine: Examine) -> None:
    chunks, sources, cut = pieces(clean, 150, 150)
    found = examine(chunks, sources=sources).finding("cut_word")
    assert found is not None
    numbers = {
        row
        for row in cut
        if chunks[row][0].isdigit() or chunks[row][-1].isdigit() or (chunks[row - 1][-1].isdigit() and row)
    }
    assert len(cut - numbers) <= found.count <= len(cut)
    assert {example.at.ordinal for example in found.examples} <= cut


@pytest.mark.parametrize("size", [100, 150, 200])
def test_touching_pieces_never_count_what_is_not_cut(size: int, clean: tuple[str, ...]) -> None:
    chunks, sources, cut = pieces(clean, size, size)
    check = HealthCheck()
    for strip in (False, True):
        texts = [chunk.strip() for chunk in chunks] if strip else chunks
        verdict = cut_words(check.scan(chunked(texts, sources=sources)))
        found = {row for row in range(len(chunks)) if verdict.begins[row] or verdict.ends[row]}
        assert found <= cut
        assert len(found) > len(cut) / 2


@pytest.mark.parametrize("size", [15, 40])
def test_pieces_of_whole_words_are_not_cut(size: int, clean: tuple[str, ...], examine: Examine) -> None:
    chunks, sources = [], []
    for number, text in enumerate(clean):
        words = text.split()
        for first in range(0, len(words), size):
            chunks.append(" ".join(words[first : first + size]))
            sources.append(f"{number}.txt")
    report = examine(chunks, sources=sources)
    assert report.finding("cut_word") is None
    assert report.finding("cut_sentence") is not None


def test_pieces_of_whole_sentences_are_not_cut_at_all(clean: tuple[str, ...], examine: Examine) -> None:
    chunks, sources = [], []
    for number, text in enumerate(clean):
        for sentence in split_sentences(text):
            chunks.append(sentence)
            sources.append(f"{number}.txt")
    report = examine(chunks, sources=sources)
    assert report.finding("cut_word") is None
    assert report.finding("cut_sentence") is None


def test_one_source_that_was_cut_badly_is_found_among_many(clean: tuple[str, ...], examine: Examine) -> None:
    words = [(text.split(), row) for row, text in enumerate(clean)]
    chunks = [" ".join(some[first : first + 12]) for some, _ in words for first in range(0, len(some), 12)]
    sources = [f"{row}.txt" for some, row in words for _ in range(0, len(some), 12)]
    long = " ".join(clean[:12])
    bad = [long[first : first + 150] for first in range(0, len(long), 150)]
    found = examine([*chunks, *bad], sources=[*sources, *["bad.txt"] * len(bad)]).finding("cut_word")
    assert found is not None
    assert {example.at.source for example in found.examples} == {"bad.txt"}


def test_once_a_splitter_cuts_words_pieces_of_one_length_show_where(clean: tuple[str, ...], examine: Examine) -> None:
    passages = [(" ".join(text.split()), row) for row, text in enumerate(clean)]
    long = " ".join(text for text, _ in passages[:12])
    bad = [long[first : first + 150] for first in range(0, len(long) - 150, 150)]
    names = "زنجبارستان كوالالمبورية دوسلدورفية قسطنطينوبوليس بلغرادستانية فلاديفوستوكية"
    rare = (f"{names} {names[::-1]} " * 3)[:236]
    apart = [rare[:59] + "س", "ص" + rare[60:118] + "ع", "غ" + rare[120:178] + "ف"]  # no word of the corpus tells
    chunks = [*(text for text, _ in passages), *bad, *apart]
    sources = [*(f"{row}.txt" for _, row in passages), *["bad.txt"] * len(bad), *["rare.txt"] * 3]
    verdict = cut_words(HealthCheck().scan(chunked(chunks, sources=sources)))
    assert [len(chunk) for chunk in apart] == [60, 60, 60]
    assert verdict.ends[-3:].tolist() == [True, True, False]
    alone = cut_words(
        HealthCheck().scan(chunked([*chunks[: len(clean)], *apart], sources=["all.txt"] * (len(clean) + 3)))
    )
    assert not alone.ends.any()  # where nothing else is cut, they may be records of one length


def test_a_mark_at_the_beginning_is_a_cut_by_itself(clean: tuple[str, ...], examine: Examine) -> None:
    found = examine([*clean, "\u064fكتب الرجل كتابًا في يوم واحد"]).finding("cut_word")
    assert found is not None
    assert found.count == 1
    assert found.examples[0].detail == "begins inside a word"


def test_neighbours_of_other_sources_are_not_compared(examine: Examine) -> None:
    assert examine(["هذا العقد شري", "عة المتعاقدين وشريعة الله"], sources=["a", "b"]).finding("cut_word") is None


def test_sentences_cut_by_a_splitter_of_words_are_a_warning(clean: tuple[str, ...], examine: Examine) -> None:
    words = " ".join(clean).split()
    chunks = [" ".join(words[first : first + 37]) for first in range(0, len(words), 37)]
    found = examine(chunks, sources=["all.txt"] * len(chunks)).finding("cut_sentence")
    assert found is not None
    assert found.severity == "warning"
    assert found.count > len(chunks) / 2
    assert found.examples[0].detail.startswith("the next begins: ")
