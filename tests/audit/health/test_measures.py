"""Figures of the corpus, and findings on parts of it that differ from the rest."""

from __future__ import annotations

from muffakir_eval.audit.health import HealthCheck
from tests.audit.health.corpora import Examine

VOWELLED = "صَدَرَتِ الدِّرَاسَةُ الْعِلْمِيَّةُ عَامَ أَلْفَيْنِ فِي مَدِينَةِ الْقَاهِرَةِ"


def test_lengths_and_sources_by_hand(examine: Examine) -> None:
    texts = ["أ" * 10, "ب" * 20, "ج" * 30, "د" * 40]
    figures = examine(texts, sources=["a", "a", "b", None]).statistics
    assert (figures["n_chunks"], figures["n_sources"], figures["n_chunks_without_source"]) == (4, 2, 1)
    assert figures["chunks_per_source"]["max"] == 2
    lengths = figures["characters"]
    assert (lengths["total"], lengths["min"], lengths["p25"], lengths["p50"], lengths["p75"]) == (100, 10, 10, 20, 30)
    assert (lengths["max"], lengths["mean"]) == (40, 25.0)
    assert sum(bar["count"] for bar in lengths["histogram"]) == 4
    assert [bar for bar in lengths["histogram"] if bar["count"]] == [{"from": 1, "to": 49, "count": 4}]
    assert figures["words"]["total"] == 4


def test_empty_and_huge_chunks_have_their_own_bars(examine: Examine) -> None:
    bars = examine(["", "كلمة " * 2000]).statistics["characters"]["histogram"]
    assert bars[0] == {"from": 0, "to": 0, "count": 1}
    assert bars[-1] == {"from": 8000, "to": None, "count": 1}


def test_scripts_digits_and_vowels_are_counted(examine: Examine) -> None:
    texts = [
        VOWELLED,
        "في عام ٢٠٢٤ صدر القانون الجديد",
        "in the year 2024 it was",
        "۲۰۲۴ و 2024",
        "...",
        "在法国的首都",
    ]
    figures = examine(texts).statistics
    assert figures["scripts"]["main_script_of_chunks"] == {"arabic": 3, "latin": 1, "han": 1}
    assert figures["scripts"]["chunks_without_letters"] == 1
    assert figures["digits"] == {
        "digits": {"european": 8, "arabic": 4, "persian": 4},
        "chunks": {"european": 2, "arabic": 1, "persian": 1, "several": 1},
    }
    vowels = figures["diacritics"]
    assert (vowels["chunks_with_any"], vowels["chunks_fully_vowelled"], vowels["share_of_chunks_with_any"]) == (
        1,
        1,
        round(1 / 6, 6),
    )
    assert vowels["arabic_chunks_not_fully_vowelled"] == 1  # the other has too few letters


def test_other_scripts_digits_and_vowels_are_worth_knowing(clean: tuple[str, ...], examine: Examine) -> None:
    report = examine([*clean, VOWELLED, "An English passage among the Arabic ones"])
    mix = report.finding("language_mix")
    assert mix is not None
    assert (mix.severity, mix.count, mix.examples[0].at.ordinal) == ("info", 1, 73)
    assert mix.message.endswith(": arabic 73, latin 1")
    vowels = report.finding("diacritics_mixed")
    assert vowels is not None
    assert (vowels.severity, vowels.count, vowels.examples[0].at.ordinal) == ("info", 1, 72)
    digits = report.finding("digits_mixed")
    assert digits is not None
    assert digits.severity == "info"


def test_one_vowelled_verse_in_a_large_corpus_is_not(clean: tuple[str, ...], examine: Examine) -> None:
    texts = [f"{text} {turn}" for turn in range(3) for text in clean]
    assert examine([*texts, VOWELLED]).finding("diacritics_mixed") is None


def test_digits_that_make_years_only_backwards(clean: tuple[str, ...], examine: Examine) -> None:
    texts = [*clean, "صدر القانون في عام 5002 وعدل في عام 8102 في البلاد", "وألغي في عام ٩١٠٢ بقرار من المحكمة العليا"]
    found = examine(texts).finding("reversed_digits")
    assert found is not None
    assert (found.severity, found.count, found.examples[0].at.ordinal) == ("warning", 1, 72)
    found = examine(texts[-2:]).finding("reversed_digits")
    assert found is not None
    assert found.count == 2
    assert "3 numbers are years only when read backwards, 0 as they stand" in found.message
    assert examine(["بلغ العدد 5002 نسمة في عام 2005 في المدينة"]).finding("reversed_digits") is None


def test_a_corpus_typed_on_another_keyboard(examine: Examine) -> None:
    persian_keys = "هذا الکتاب الذی صدر فی القاهرة عن القانون المدنی"
    arabic_keys = "هذا الكتاب الذي صدر في القاهرة عن القانون المدني"
    report = examine([arabic_keys, persian_keys])
    found = report.finding("mixed_code_points")
    assert found is not None
    assert (found.count, found.examples[0].at.ordinal) == (1, 1)
    assert report.statistics["keyboards"]["persian_kaf_yeh"] == 4
    assert examine([persian_keys], check=HealthCheck(language="ur")).finding("mixed_code_points") is None


def test_arabic_with_foreign_names_is_no_persian(examine: Examine) -> None:
    text = "سافر پیتر گرین إلى مدینة پراغ فی العام الماضی، وزار المتحف والمکتبة والجامعة القدیمة"
    report = examine([text])
    assert report.statistics["keyboards"]["chunks_in_persian_or_urdu"] == 0
    found = report.finding("mixed_code_points")
    assert found is not None
    assert found.count == 1


def test_persian_typed_on_an_arabic_keyboard(examine: Examine) -> None:
    persian = "من می‌خواهم کتابی دربارهٔ گذشتهٔ ایران بخوانم و چند پرسش دارم"
    typed = persian.replace("ی", "ي").replace("ک", "ك")
    check = HealthCheck(language="fa")
    assert examine([persian] * 2, check=check).finding("mixed_code_points") is None
    found = examine([persian, typed], check=check).finding("mixed_code_points")
    assert found is not None
    assert [example.at.ordinal for example in found.examples] == [1]


def test_chunks_far_longer_than_the_rest(clean: tuple[str, ...], examine: Examine) -> None:
    found = examine([*clean, " ".join(clean[:12])]).finding("oversized_chunk")
    assert found is not None
    assert (found.severity, found.count, found.examples[0].at.ordinal) == ("info", 1, 72)
    found = examine([*clean, "\n".join(f"{text} {row}" for row, text in enumerate(clean))]).finding("oversized_chunk")
    assert found is not None
    assert found.severity == "warning"
    assert found.examples[0].detail.endswith(" characters")
