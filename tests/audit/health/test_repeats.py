"""Copies, other spellings, near duplicates, and what only overlaps."""

from __future__ import annotations

import random

import numpy as np
import pytest

from muffakir_eval.audit.health import HealthCheck
from tests.audit.health.corpora import Examine, chunked


def test_each_way_of_being_the_same_is_counted_once(clean: tuple[str, ...], examine: Examine) -> None:
    respelled = clean[2].replace("أ", "ا").replace("ة", "ه") + " ."
    nearly = clean[4].replace("العامل", "الموظف", 1)
    report = examine([*clean, clean[0], clean[1], clean[0], respelled, nearly])
    counts = {found.code: found.count for found in report.findings if found.code != "digits_mixed"}
    assert counts == {"exact_duplicate": 3, "same_after_normalisation": 1, "near_duplicate": 1}
    exact = report.finding("exact_duplicate")
    assert exact is not None
    assert "2 texts, the largest group 3 chunks from 'c0' (item 0)" in exact.message
    assert [example.at.ordinal for example in exact.examples] == [72, 73, 74]
    assert exact.examples[0].detail == "same as 'c0' (item 0)"
    repeats = report.statistics["repeats"]
    assert (repeats["redundant_chunks"], repeats["largest_group"]) == (5, 3)
    assert repeats["share_redundant"] == round(5 / 77, 6)


def test_a_near_duplicate_says_how_near(clean: tuple[str, ...], examine: Examine) -> None:
    words = clean[4].split()
    nearly = " ".join([*words[:-1], "غيره"])
    found = examine([clean[4], nearly]).finding("near_duplicate")
    assert found is not None
    assert found.examples[0].at.ordinal == 1
    assert found.examples[0].detail.endswith("alike: 'c0' (item 0)")
    assert 0.9 <= float(found.examples[0].detail.split()[0]) < 1


@pytest.mark.parametrize("step", [20, 50, 75])
def test_windows_that_overlap_are_no_near_duplicates(step: int, clean: tuple[str, ...], examine: Examine) -> None:
    words = " ".join(clean).split()
    windows = [" ".join(words[first : first + 100]) for first in range(0, len(words), step)]
    assert examine(windows).finding("near_duplicate") is None


def test_windows_that_hardly_move_are(clean: tuple[str, ...], examine: Examine) -> None:
    words = " ".join(clean).split()
    windows = [" ".join(words[first : first + 200]) for first in range(0, 40, 2)]
    found = examine(windows).finding("near_duplicate")
    assert found is not None
    assert found.count == len(windows) - 1


def test_one_changed_word_in_a_hundred_of_all_chunks_is_found() -> None:
    """Nearly every pair with a true similarity above the threshold, and none far below it."""
    rng = random.Random(7)
    vocabulary = [f"كلمة{number}" for number in range(4000)]
    texts = []
    for _ in range(200):
        words = rng.choices(vocabulary, k=120)
        texts.append(" ".join(words))
        words[60] = "بديل"
        texts.append(" ".join(words))  # 115 of 121 runs of three words are shared: 0.95
        for place in range(0, 120, 6):
            words[place] = "آخر"
        texts.append(" ".join(words))  # half of the runs: 0.3
    check = HealthCheck()
    found = check.report(check.scan(chunked(texts))).finding("near_duplicate")
    assert found is not None
    assert 190 <= found.count <= 200


def test_short_and_empty_texts_are_no_near_duplicates(examine: Examine) -> None:
    texts = ["", "", "المادة الأولى ملغاة", "المادة الثانية ملغاة", "...", "!!!"]
    assert not {found.code for found in examine(texts).findings} & {
        "exact_duplicate",
        "same_after_normalisation",
        "near_duplicate",
    }


def test_chinese_texts_are_compared_by_their_characters(examine: Examine) -> None:
    text = "北京是中华人民共和国的首都，也是全国的政治、文化和国际交往中心，拥有三千多年的建城历史和八百多年的建都史。"
    found = examine([text, text.replace("三千", "五千") + "谢"])
    assert found.finding("near_duplicate") is not None or found.statistics["repeats"]["redundant_chunks"] == 0
    assert examine([text, "。" + text]).finding("same_after_normalisation") is not None


def test_lines_that_many_chunks_share_are_boilerplate(clean: tuple[str, ...], examine: Examine) -> None:
    texts = [
        f"شركة الواحة - صفحة {row}\n{text}\nسري وغير قابل للنشر" if row < 30 else text for row, text in enumerate(clean)
    ]
    found = examine(texts).finding("boilerplate_line")
    assert found is not None
    assert (found.count, found.severity) == (30, "info")
    assert found.message.endswith("2 such lines")
    assert found.examples[0].at.ordinal == 0
    assert found.examples[0].detail == "the first line of 30 chunks (41.7 %)"
    assert found.examples[1].detail == "the last line of 30 chunks (41.7 %)"


def test_lines_without_letters_and_long_ones_are_no_boilerplate(clean: tuple[str, ...], examine: Examine) -> None:
    texts = [f"---\n{text}\n{'كلمة ' * 60}" for text in clean]
    assert examine(texts).finding("boilerplate_line") is None


def test_a_long_chunk_is_sketched_in_pieces_like_a_whole() -> None:
    from muffakir_eval.audit.health.sketches import jaccard, sketches
    from muffakir_eval.audit.health.words import WordRow

    rng = random.Random(3)
    words = [str(rng.random()) for _ in range(9000)]
    row = WordRow.of([" ".join(words), " ".join(words[:4500])], [9000, 4500])
    one, other = sketches(row)
    assert 0.35 < float(jaccard(one, other)) < 0.65
    assert float(jaccard(one, one)) == 1.0
    assert np.count_nonzero(one) > 100
