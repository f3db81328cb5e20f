"""Which words of a chunk are marked."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.config import MatchSettings
from muffakir_eval.writers.page.marks import Marker, settings_of

GOLD = "يستحق الموظف إجازة سنوية مدتها ثلاثون يومًا بأجر كامل عن كل سنة"


def marked(chunk: str, *golds: str) -> list[str]:
    return [chunk[start:end] for start, end in Marker().marks(chunk, golds)]


def test_a_passage_inside_a_chunk_without_its_punctuation() -> None:
    assert marked(f"(مقدمة)، {GOLD}، ثم خاتمة.", GOLD) == [GOLD]


def test_vowel_marks_and_spellings_stay_inside_the_mark() -> None:
    assert marked("وقيل: يَسْتَحِقُّ الموظّفُ اجازة سنويه مدتها ثلاثونَ يومًا بأجرٍ كاملٍ.", GOLD) == [
        "يَسْتَحِقُّ الموظّفُ اجازة سنويه مدتها ثلاثونَ يومًا بأجرٍ كاملٍ"
    ]


def test_words_that_nearly_agree_are_marked_and_others_are_not() -> None:
    chunk = GOLD.replace("مدتها", "مذتها").replace("كامل", "زهيد")
    assert marked(chunk, GOLD) == [chunk.partition(" زهيد")[0], "عن كل سنة"]


def test_without_an_order_in_common_the_shared_words() -> None:
    assert marked("سنة كاملة وإجازة مرضية", "إجازة سنوية عن سنة") == ["سنة", "وإجازة"]


def test_several_golds() -> None:
    chunk = f"{GOLD}. وتفتح المكتبة أبوابها من الثامنة صباحا."
    assert marked(chunk, GOLD) == [GOLD]
    assert marked(chunk, GOLD, "تفتح المكتبة أبوابها من الثامنة صباحا") == [chunk.rstrip(".")], "neighbours join"


def test_scripts_without_spaces() -> None:
    assert marked("前言。东京大学图书馆每天开放。", "东京大学图书馆每天开放") == ["东京大学图书馆每天开放"]
    assert marked("第3章《东京》AI", "东京大学") == ["第3章《东京》AI"], (
        "a piece of several scripts is marked as a whole"
    )


def test_nothing_to_mark() -> None:
    assert marked("نص آخر تمامًا", GOLD) == []
    assert marked("… 👍", GOLD) == []
    assert marked(GOLD) == []
    assert marked("كلمة " * 9_000, "كلمة " * 9_000) == [], "too long to be laid on one another"


def test_settings_of_a_summary() -> None:
    assert settings_of(None) == MatchSettings()
    assert settings_of(
        {"overlap_threshold": 0.7, "profile": "urdu", "new": 1, "token_level": "lemma"}
    ) == MatchSettings(overlap_threshold=0.7, profile="urdu")
    assert settings_of({"overlap_threshold": -1}) == MatchSettings()


@settings(max_examples=60, deadline=None)
@given(
    st.text(alphabet="ابتكلمة يومأإ\u064b\u0651 .،٣3aB東京\n😀", max_size=60),
    st.text(alphabet="ابتكلمة يومأإ\u064b .3aB東京", max_size=60),
)
def test_marks_are_in_order_and_inside_the_text(chunk: str, gold: str) -> None:
    spans = Marker().marks(chunk, [gold])
    ends = [place for span in spans for place in span]
    assert ends == sorted(ends)
    assert all(0 <= start < end <= len(chunk) for start, end in spans)
    assert all(chunk[start:end].strip() for start, end in spans)
