"""The cascade on cases with known answers, and against a slow matcher that is obviously right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.config import MatchSettings
from muffakir_eval.errors import ConfigError
from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.matching.agreement import nearly_agree, pair_nearly
from muffakir_eval.matching.alignment import align
from muffakir_eval.matching.contradictions import at_odds
from muffakir_eval.records import ChunkMatch, RetrievedChunk, Sample
from muffakir_eval.text.normalize import normalize_text
from muffakir_eval.text.tokens import lettered, split_runs, tokenize

GOLD = "يستحق العامل إجازة سنوية مدتها ثلاثون يومًا بأجر كامل إذا أمضى في الخدمة سنة كاملة"


def sample(**fields: Any) -> Sample:
    return Sample(sample_id="1", question="؟", **fields)


def match(chunks: Sequence[RetrievedChunk | str], gold: Sample, **chosen: Any) -> tuple[ChunkMatch, ...]:
    made = [RetrievedChunk(text=chunk) if isinstance(chunk, str) else chunk for chunk in chunks]
    return ChunkMatcher(MatchSettings(**chosen)).match(made, gold)


def holds(chunk: str, gold: str, **chosen: Any) -> bool:
    return match([chunk], sample(contexts=(gold,)), **chosen)[0].relevant


# The cases of CASES.md ------------------------------------------------------------------------------


def test_p10_a_chunk_of_presentation_forms_matches() -> None:
    chunk = "\ufee3\ufeae\ufea3\ufe92\ufe8e \ufe91\ufe8e\ufedf\ufecc\ufe8e\ufedf\ufee2"
    found = match([chunk], sample(contexts=("مرحبا بالعالم",)))[0]
    assert (found.relevant, found.stage, found.score) == (True, "containment", 1.0)


def test_p10_visual_order_does_not_match() -> None:
    assert not holds(GOLD[::-1], GOLD)


@pytest.mark.parametrize(
    ("chunk", "gold"),
    [
        ("\u0643\u062a\u0627\u0628 القانون المدني", "کتاب القانون المدنی"),
        ("\u200fالرياض\u200e عاصمة المملكة", "الر\u00adياض عاصمة المملكة"),
        ("كـــتاب القانون المدني", "كِتَاب القانون المدنيّ"),
        ("الرَّحْمَٰن على العرش استوى", "الرحمن علي العرش استوي"),
        ("بلغ العدد ٢٠٢٤ نسمة", "بلغ العدد 2024 نسمة"),
        ("النسبة ٣٫٥٪ فقط", "النسبة 3.5% فقط"),
    ],
)
def test_p13_to_p16_other_spellings_match(chunk: str, gold: str) -> None:
    assert holds(chunk, gold)


def test_p26_a_row_without_identifier_does_not_match_chunk_0() -> None:
    chunk = RetrievedChunk(text="نص لا صلة له", chunk_id="0")
    assert not match([chunk], sample(contexts=("نص غائب عن الفهرس",)))[0].relevant
    assert not match([chunk], sample(contexts=("نص غائب عن الفهرس",), chunk_ids=("",)))[0].relevant


def test_p26_the_same_identifier_in_another_file_is_a_miss() -> None:
    gold = sample(chunk_ids=("3",), source_file="b.pdf")
    here = RetrievedChunk(chunk_id="3", source="C:\\docs\\B.PDF")
    elsewhere = RetrievedChunk(chunk_id="3", source="docs/a.pdf")
    assert [found.relevant for found in match([elsewhere, here], gold)] == [False, True]


@pytest.mark.parametrize("unnamed", [None, "", "unknown", "Unknown", " "])
def test_p26_a_missing_source_takes_no_part(unnamed: str | None) -> None:
    gold = sample(chunk_ids=("3",), source_file="b.pdf")
    assert match([RetrievedChunk(chunk_id="3", source=unnamed)], gold)[0].stage == "id"


def test_p26_a_chunk_without_identifier_and_text_matches_nothing() -> None:
    assert not match([RetrievedChunk()], sample(chunk_ids=("",), contexts=("",)))[0].relevant
    assert not match([RetrievedChunk()], sample(contexts=(GOLD,), chunk_ids=("1",)))[0].relevant


def test_p26_padded_identifiers_are_other_identifiers() -> None:
    assert not match([RetrievedChunk(chunk_id="7")], sample(chunk_ids=("007",)))[0].relevant


# Stages ---------------------------------------------------------------------------------------------


def test_the_identifier_decides_first() -> None:
    found = match([RetrievedChunk(text=GOLD, chunk_id="a")], sample(contexts=(GOLD,), chunk_ids=("a",)))[0]
    assert (found.stage, found.score, found.gold_indices) == ("id", 1.0, (0,))


def test_auto_falls_through_to_the_text() -> None:
    chunk = RetrievedChunk(text=GOLD, chunk_id="z")
    gold = sample(contexts=(GOLD,), chunk_ids=("a",))
    assert match([chunk], gold)[0].stage == "containment"
    assert not match([chunk], gold, match_by="id")[0].relevant
    assert match([chunk], gold, match_by="text")[0].stage == "containment"


def test_text_only_ignores_identifiers() -> None:
    gold = sample(contexts=(GOLD,), chunk_ids=("a",))
    assert not match([RetrievedChunk(text="نص", chunk_id="a")], gold, match_by="text")[0].relevant


def test_gold_inside_a_larger_chunk() -> None:
    assert match([f"مقدمة. {GOLD}؛ وخاتمة " + "حشو " * 300], sample(contexts=(GOLD,)))[0].stage == "containment"


def test_containment_ends_at_words() -> None:
    assert not holds("الرقم 3120 في السجل", "12")
    assert not holds("20 الرقم 3 والسجل القديم", "0 الرقم 3 والسجل")
    assert holds("في الرقم 3 والسجل القديم", "الرقم 3 والسجل")


def test_a_passage_of_twelve_tokens_may_be_cut_within_words() -> None:
    """Splitters that count characters or model tokens cut where they like; the reference finds their chunks."""
    words = [f"كلمة{letter}طويلة" for letter in "ابتثجحخدذرزسشصضطظعغف"]
    gold = " ".join(words)
    assert match([gold[3:-4]], sample(contexts=(gold,)))[0].stage == "containment"
    assert match([gold], sample(contexts=(gold[3:-4],)))[0].stage == "containment"
    for count, held in ((11, False), (12, True)):
        piece = " ".join(words[:count])[3:-3]
        long = gold + " حشو" * 30
        assert (match([long], sample(contexts=(piece,)))[0].stage == "containment") is held


def test_a_short_passage_and_a_number_are_never_cut() -> None:
    assert not holds("They were unable to vote", "able to vote")
    filler = " ".join(f"حشو{number}" for number in range(60))
    tail = "يعاقب كل من خالف أحكام هذه المادة بغرامة مالية لا يقل مقدارها عن "
    assert not holds(f"{tail}1000 جنيه {filler}", f"{tail}100")
    assert holds(f"{tail}100 جنيه {filler}", f"{tail}100")
    head = " ألف جنيه غرامة كل من خالف أحكام هذه المادة أو أحكام لائحتها التنفيذية"
    assert not holds(f"{filler} 15{head}", f"5{head}")
    assert holds(f"{filler} 5{head}", f"5{head}")


def test_a_share_of_the_gold_is_exact() -> None:
    words = [f"w{number}" for number in range(100)]
    chosen = {"min_gold_share": 0.55, "min_inside_tokens": 1000}  # 0.55 * 100 is 55.00000000000001
    assert holds(" ".join(words[:55]), " ".join(words), **chosen)
    assert not holds(" ".join(words[:54]), " ".join(words), **chosen)


def test_a_scrap_of_the_gold_is_no_evidence() -> None:
    assert not holds("إجازة سنوية", GOLD)
    assert not holds("إجازة سنوية مدتها ثلاثون يومًا", GOLD)  # 5 of 15 tokens
    assert holds("إجازة سنوية مدتها ثلاثون يومًا بأجر", GOLD)  # 6 of 15: the share of 0.4


def test_twelve_tokens_inside_a_long_gold_are_enough() -> None:
    words = [f"كلمة{number}" for number in range(200)]
    gold = " ".join(words)
    assert not holds(" ".join(words[50:61]), gold)
    assert holds(" ".join(words[50:62]), gold)


@pytest.mark.parametrize("gold", ["نعم", "المادة ١٢", "٢٠٢٤"])
def test_a_gold_of_one_or_two_tokens_matches_only_an_equal_text(gold: str) -> None:
    assert holds(f" {gold}. ", gold)
    assert not holds(f"{gold} وغيرها", gold)


@pytest.mark.parametrize("text", ["!؟", "👍", "— — —"])
def test_a_text_without_tokens_matches_only_its_like(text: str) -> None:
    assert match([text], sample(contexts=(text,)))[0].score == 1.0
    assert not holds("؛؛", text)
    assert not holds("كلمة", text)
    assert not holds(text, "كلمة أخرى هنا")


def test_nothing_visible_matches_nothing() -> None:
    assert not holds("\u200f", "\u200f")
    assert not holds(" ", " ")


@pytest.mark.parametrize(
    "text",
    [
        "نعم",
        "yes",
        "한국어 문장입니다",
        "北京",
        "日本語のテキスト",
        "ไทย",
        "ខ្មែរ",
        "မြန်မာ",
        "हिन्दी में",
        "עברית",
        "ελληνικά",
        "x = 3.5",
        "🙂",
    ],
)
def test_identical_texts_match_in_every_script(text: str) -> None:
    found = match([text], sample(contexts=(text,)))[0]
    assert (found.relevant, found.score) == (True, 1.0)


def test_a_cut_in_the_middle_of_a_chinese_run_is_still_contained() -> None:
    gold = "人工智能是计算机科学的一个分支，2024年发展很快。"
    assert match([gold[3:-4]], sample(contexts=(gold,)))[0].stage == "containment"
    until_year = gold[: gold.index("年") + 1]  # its last run is one character
    assert match([until_year], sample(contexts=(gold,)))[0].stage == "containment"
    assert match([gold], sample(contexts=(until_year[3:],)))[0].stage == "containment"


def test_token_jaccard_at_and_below_the_threshold() -> None:
    gold = sample(contexts=(" ".join(f"w{number}" for number in range(10)),))
    near = " ".join([*(f"w{number}" for number in range(9)), "x"])  # 9 of 11
    found = match([near], gold)[0]
    assert (found.stage, found.score) == ("jaccard", 9 / 11)
    assert match([near], gold, overlap_threshold=9 / 11)[0].relevant
    far = match([near], gold, overlap_threshold=0.82)[0]
    assert (far.relevant, far.stage, far.score) == (False, None, 9 / 11)


def test_a_low_threshold_still_needs_its_share_of_the_gold() -> None:
    gold = " ".join(f"w{number}" for number in range(10))
    chunk = "w1 w2 w3 x"  # 3 of 10, Jaccard 3/11
    assert not holds(chunk, gold, overlap_threshold=0.2)
    assert holds(chunk, gold, overlap_threshold=0.2, min_gold_share=0.3)


def test_a_score_far_from_a_match_is_not_reported() -> None:
    found = match(["كلام آخر تمامًا عن غير ذلك"], sample(contexts=(GOLD,)))[0]
    assert found == ChunkMatch(rank=1, relevant=False)


def test_no_gold_and_no_chunks() -> None:
    assert match([], sample(contexts=(GOLD,))) == ()
    assert match(["نص"], sample()) == (ChunkMatch(rank=1, relevant=False),)


# Other spellings, slips and larger chunks ----------------------------------------------------------

BEFORE = "وتسري أحكام الباب السابق على الموظفين في الدولة والهيئات والشركات العامة دون غيرهم. "
AFTER = " ولا يخل ذلك بما تقرره اللوائح الداخلية للمنشأة من مزايا أفضل للعاملين فيها."


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("کتاب", "كتاب"),
        ("الذی", "الذي"),
        ("اللہ", "الله"),
        ("رحمۃ", "رحمة"),
        ("تجرید", "تجريد"),
        ("\u200fالرياض\u200e", "الرياض"),
        ("\u2067الرياض\u2069", "الرياض"),
        ("الر\u00adياض", "الرياض"),
        ("\ufeffالرياض", "الرياض"),
        ("می\u200cخواهم", "میخواهم"),
        ("كـــتاب", "كتاب"),
        ("الرَّحْمَٰن", "الرحمن"),
        ("على", "علي"),
        ("٢٠٢٤", "2024"),
        ("۲۰۲۴", "2024"),
        ("٣٫٥", "3.5"),
    ],
)
def test_p13_to_p16_single_words_are_equal(written: str, meant: str) -> None:
    assert match([written], sample(contexts=(meant,)))[0].stage == "containment"


def test_p15_no_word_is_damaged() -> None:
    assert not holds("علا", "على")
    assert not holds("كتب", "كتاب")


def test_p16_a_year_among_words() -> None:
    assert match(["بلغ العدد ٢٠٢٤ نسمة"], sample(contexts=("بلغ العدد 2024 نسمة",)))[0].score == 1.0


def test_p10_a_larger_chunk_of_presentation_forms_with_a_slip() -> None:
    presented = (
        GOLD.replace("لا", "\ufefb").replace("سنوية", "\ufeb3\ufee8\ufeee\ufef3\ufe94").replace("مدتها", "مذتها")
    )
    assert match([BEFORE + presented + AFTER * 2], sample(contexts=(GOLD,)))[0].stage == "coverage"


def test_p19_clitics_are_other_words_unless_asked_for() -> None:
    gold, chunk = "كتاب القانون المدني", "والكتاب هو القانون المدني"
    keys = {"والكتاب": frozenset({"كتاب"}), "كتاب": frozenset({"كتاب", "كاتب"}), "والد": frozenset({"والد"})}
    plain = ChunkMatcher(MatchSettings(fuzzy=False, stages=("jaccard",)))
    light = ChunkMatcher(plain.settings, keys=lambda word: keys.get(word, frozenset({word})))
    chunks = [RetrievedChunk(text=chunk), RetrievedChunk(text="والد القانون المدني")]
    assert [found.score for found in plain.match(chunks, sample(contexts=(gold,)))] == [2 / 5, 2 / 4]
    assert [found.score for found in light.match(chunks, sample(contexts=(gold,)))] == [3 / 4, 2 / 4]
    assert light.explain(gold, chunk).shared_tokens == 3


def test_keys_count_in_the_overlap_too() -> None:
    """Every word of the chunk carries a clitic; without the keys nothing is shared."""
    chunk = " ".join(f"و{word}" for word in GOLD.split())
    matcher = ChunkMatcher(keys=lambda word: frozenset({word.removeprefix("و")}))
    found = matcher.match([RetrievedChunk(text=BEFORE + chunk + AFTER)], sample(contexts=(GOLD,)))[0]
    assert found.stage == "coverage"
    assert not holds(BEFORE + chunk + AFTER, GOLD, fuzzy=False)


def test_a_profile_keeps_what_its_language_tells_apart() -> None:
    assert holds("رحمة للعالمين جميعا", "رحمه للعالمين جميعا")
    assert match(["مدرسة", "مدرسه"], sample(contexts=("مدرسة",)), profile="none")[1].relevant is False
    assert match(["مدرسة", "مدرسه"], sample(contexts=("مدرسة",)), profile="none")[0].relevant
    with pytest.raises(ValueError, match="profile"):
        MatchSettings.model_validate({"profile": "klingon"})


def test_a_rough_gold_in_a_larger_chunk() -> None:
    rough = GOLD.replace("مدتها", "مذتها").replace("ثلاثون", "ثلالون")
    found = match([BEFORE + rough + AFTER * 3], sample(contexts=(GOLD,)))[0]
    assert found.stage == "coverage"
    assert not holds(BEFORE + rough + AFTER * 3, GOLD, stages=("containment", "jaccard"))
    assert found.score is not None
    assert not holds(BEFORE + rough + AFTER * 3, GOLD, coverage_threshold=found.score + 0.01)
    assert not holds(BEFORE + rough + AFTER * 3, GOLD, overlap_threshold=found.score + 0.01)


@pytest.mark.parametrize(
    ("gold", "chunk"),
    [
        ("لا يجوز لصاحب العمل فصل العامل أثناء إجازته", "يجوز لصاحب العمل فصل العامل أثناء إجازته"),
        ("يعاقب المخالف بغرامة مقدارها 100 جنيه عن كل يوم", "يعاقب المخالف بغرامة مقدارها 1000 جنيه عن كل يوم"),
        ("تسري أحكام المادة الرابعة على العقود كلها", "تسري أحكام المادة السابعة على العقود كلها"),
        ("the tenant must not sublet the flat without consent", "the tenant must sublet the flat without consent"),
    ],
)
def test_a_negation_or_another_number_is_no_slip(gold: str, chunk: str) -> None:
    """Every word agrees but one; in a larger chunk, where exact words alone say no, slips must not say yes."""
    more = " وذلك كله دون إخلال بالأحكام الواردة في القوانين الأخرى المنظمة لشؤون العاملين بالدولة وهيئاتها العامة"
    assert holds(gold + more, gold)
    assert not holds(chunk + more, gold)
    assert not holds(more + " " + chunk + more, gold)


def test_stages_can_be_switched_off() -> None:
    assert not holds(f"مقدمة {GOLD} {AFTER * 5}", GOLD, stages=("jaccard",))
    assert match([GOLD], sample(contexts=(GOLD,)), stages=("coverage",))[0].stage == "coverage"
    assert not holds(GOLD, GOLD, stages=())
    assert MatchSettings.model_validate({"stages": ["coverage", "containment"]}).stages == ("containment", "coverage")
    assert MatchSettings.model_validate({"stages": "jaccard"}).stages == ("jaccard",)
    for wrong in (["containmnt"], 7, None):
        with pytest.raises(ValueError, match="stages"):
            MatchSettings.model_validate({"stages": wrong})


def test_an_analyser_that_is_not_there_is_an_error_from_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(level: str, database: str | None) -> None:
        raise ConfigError(f"no analyser for {level} in {database}", expected="one")

    monkeypatch.setattr("muffakir_eval.matching.matcher.load_analyser", missing)
    with pytest.raises(ConfigError, match=r"no analyser for lemma in x\.db"):
        ChunkMatcher(MatchSettings.model_validate({"token_level": "lemma", "morphology_database": "x.db"}))


# Several golds --------------------------------------------------------------------------------------


def test_all_golds_of_a_chunk_are_listed_and_the_first_stage_counts() -> None:
    other = "تُصرف مكافأة نهاية الخدمة خلال سبعة أيام"
    gold = sample(contexts=(GOLD, other), chunk_ids=("a", "b"))
    found = match([RetrievedChunk(text=f"{GOLD}. {other}", chunk_id="b")], gold)[0]
    assert (found.gold_indices, found.stage) == ((0, 1), "id")


def test_any_alternative_of_a_group_finds_it() -> None:
    gold = sample(chunk_ids=("a", "b", "c"), groups=((0, 1), (2,)))
    chunks = [RetrievedChunk(chunk_id=name) for name in ("b", "a", "c")]
    assert [found.gold_indices for found in match(chunks, gold)] == [(0,), (0,), (1,)]


def test_the_best_of_several_alternatives_is_recorded() -> None:
    near = " ".join(GOLD.split()[:-1]) + " أخرى"
    for contexts in ((near, GOLD), (GOLD, near)):
        assert match([GOLD], sample(contexts=contexts, groups=((0, 1),)))[0].stage == "containment"


def test_a_gold_graded_zero_is_no_gold() -> None:
    gold = sample(chunk_ids=("a", "b"), grades=(0.0, 2.0))
    chunks = [RetrievedChunk(chunk_id=name) for name in ("a", "b")]
    assert [found.gold_indices for found in match(chunks, gold)] == [(), (1,)]


def test_sources_by_position() -> None:
    gold = sample(chunk_ids=("1", "1"), gold_sources=("a.pdf", "b.pdf"))
    chunks = [RetrievedChunk(chunk_id="1", source=name) for name in ("b.pdf", "c.pdf")]
    chunks.append(RetrievedChunk(chunk_id="1"))
    assert [found.gold_indices for found in match(chunks, gold)] == [(1,), (), (0, 1)]


def test_p20_a_gold_that_is_listed_twice_counts_once() -> None:
    gold = sample(chunk_ids=("a", "a", "b"))
    assert match([RetrievedChunk(chunk_id="a")], gold)[0].gold_indices == (0,)


# Repeats --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "repeat"),
    [
        (RetrievedChunk(chunk_id="a"), RetrievedChunk(chunk_id="a"), True),
        (RetrievedChunk(text="x", chunk_id="a"), RetrievedChunk(text="y", chunk_id="a"), True),
        (RetrievedChunk(chunk_id="a", source="1.pdf"), RetrievedChunk(chunk_id="a", source="2.pdf"), False),
        (RetrievedChunk(chunk_id="a", source="d/1.pdf"), RetrievedChunk(chunk_id="a", source="1.PDF"), True),
        (RetrievedChunk(chunk_id="a", source="1.pdf"), RetrievedChunk(chunk_id="a"), True),
        (RetrievedChunk(text="x", chunk_id="a"), RetrievedChunk(text="x", chunk_id="b"), False),
        (RetrievedChunk(text="x"), RetrievedChunk(text="x"), True),
        (RetrievedChunk(text="x"), RetrievedChunk(text="x", chunk_id="b"), True),
        (RetrievedChunk(text="x", chunk_id="a"), RetrievedChunk(text="x"), True),
        (RetrievedChunk(text="x"), RetrievedChunk(text="x."), False),
        (RetrievedChunk(), RetrievedChunk(), False),
        (RetrievedChunk(chunk_id="a"), RetrievedChunk(), False),
    ],
)
def test_p20_repeats(first: RetrievedChunk, second: RetrievedChunk, repeat: bool) -> None:
    assert [found.repeat for found in match([first, second], sample())] == [False, repeat]


def test_p20_a_repeat_is_seen_at_any_distance() -> None:
    chunks = [RetrievedChunk(chunk_id=name, source=source) for name, source in zip("abab", "1211", strict=True)]
    assert [found.repeat for found in match(chunks, sample())] == [False, False, True, False]


# Properties -----------------------------------------------------------------------------------------

WORDS = ["إجازة", "اجازه", "العمل", "سنة", "3.5", "٣٫٥", "中国", "中", "国", "law", "Ω", "،", "👍", "\u200f"]
ROUGH = [
    "إجازة",
    "إجازات",
    "العامل",
    "العمال",
    "العاملين",
    "سنوية",
    "السنوية",
    "لا",
    "30",
    "31",
    "بأجر",
    "كامل",
    "كاملة",
]
long_texts = st.tuples(st.permutations([*WORDS, *WORDS[:9]]).map(" ".join), st.integers(0, 3), st.integers(0, 3)).map(
    lambda made: made[0][made[1] : len(made[0]) - made[2]]
)
rough_texts = st.lists(st.sampled_from(ROUGH), min_size=3, max_size=20).map(" ".join)
texts = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join) | long_texts | rough_texts
chunks_of = st.lists(
    st.builds(
        RetrievedChunk,
        text=texts,
        chunk_id=st.sampled_from([None, "a", "b"]),
        source=st.sampled_from([None, "x", "y"]),
    ),
    max_size=5,
)
golds_of = st.lists(st.tuples(texts, st.sampled_from(["", "a", "b", "c"])), max_size=3).map(
    lambda pairs: sample(contexts=tuple(text for text, _ in pairs), chunk_ids=tuple(name for _, name in pairs))
)
chosen_settings = st.builds(
    MatchSettings,
    overlap_threshold=st.sampled_from([0.1, 0.3, 0.55, 1.0]),
    min_gold_share=st.sampled_from([0.0, 0.4, 1.0]),
    match_by=st.sampled_from(["auto", "id", "text"]),
    coverage_threshold=st.sampled_from([0.2, 0.6]),
    fuzzy=st.booleans(),
)


def _contains(outer: list[str], inner: list[str], tokens: int) -> bool:
    if tokens < 12:
        return any(outer[start : start + len(inner)] == inner for start in range(len(outer) - len(inner) + 1))
    before = " " if inner[0][0].isdecimal() else ""
    after = " " if inner[-1][-1].isdecimal() else ""
    return f"{before}{' '.join(inner)}{after}" in f" {' '.join(outer)} "


def _units(text: str) -> list[str]:
    """Words, with every Chinese character a word of its own."""
    return tokenize("".join(f" {char} x " if char in "中国" else char for char in normalize_text(text)))


def slow_verdict(chunk: RetrievedChunk, text: str, name: str, chosen: MatchSettings) -> str | None:
    """The cascade for one gold, word for word."""
    if chosen.match_by != "text" and name and chunk.chunk_id == name:
        return "id"
    if chosen.match_by == "id" or not text.strip():
        return None
    gold, found = tokenize(text), tokenize(chunk.text)
    if not gold or not found:
        same = not gold and not found and normalize_text(text) == normalize_text(chunk.text) != ""
        return "containment" if same else None
    if len(gold) < chosen.min_gold_tokens:
        return "containment" if _units(text) == _units(chunk.text) else None
    if _contains(_units(chunk.text), _units(text), len(gold)):
        return "containment"
    enough = len(found) / len(gold) >= chosen.min_gold_share or _weight(chunk.text) >= chosen.min_inside_tokens
    if enough and _contains(_units(text), _units(chunk.text), len(found)):
        return "containment"
    if _slow_jaccard(gold, found, chosen):
        return "jaccard"
    return "coverage" if _slow_coverage(text, chunk.text, chosen) else None


def _slow_jaccard(ours: list[str], theirs: list[str], chosen: MatchSettings) -> bool:
    gold, found = set(ours), set(theirs)

    def enough(shared: int, odds: int) -> bool:
        score = shared / (len(gold) + len(found) - shared + 6 * odds)
        return score >= chosen.overlap_threshold and shared / len(gold) >= chosen.min_gold_share

    shared, every = len(gold & found), len(gold | found)
    if enough(shared, 0):
        return True
    near = len(pair_nearly(gold - found, found - gold, chosen.fuzzy_similarity, chosen.fuzzy_min_letters))
    half = shared / every >= chosen.overlap_threshold / 2
    return (
        chosen.fuzzy
        and half
        and enough(
            shared + near,
            at_odds(
                [word for word in dict.fromkeys(ours) if word not in found],
                [word for word in dict.fromkeys(theirs) if word not in gold],
            ),
        )
    )


def _slow_coverage(gold: str, chunk: str, chosen: MatchSettings) -> bool:
    ours, theirs = set(tokenize(gold)), set(tokenize(chunk))
    if len(ours & theirs) < 0.3 * min(len(ours), len(theirs)):
        return False
    gold_words, chunk_words = _words(gold), _words(chunk)
    here, there = set(pairwise(gold_words)), set(pairwise(chunk_words))
    if not here & there or len(here & there) < 0.1 * min(len(here), len(there)):
        return False

    def near(ours: Sequence[str], theirs: Sequence[str]) -> Callable[[slice, slice], list[tuple[int, int]]]:
        return lambda here, there: [
            (one, other)
            for one in range(here.start, here.stop)
            for other in range(there.start, there.stop)
            if nearly_agree(ours[one], theirs[other], chosen.fuzzy_similarity, chosen.fuzzy_min_letters)
        ]

    fewest = min(len(gold_words), len(chunk_words))
    sides = (gold, gold_words), (chunk, chunk_words)
    per_word = max(len(words) / _weight(text) for text, words in sides if len(words) == fewest)
    found = align(gold_words, chunk_words, near if chosen.fuzzy else None, per_word=per_word)
    if found is None or found.score < max(chosen.coverage_threshold, chosen.overlap_threshold):
        return False
    weight = found.agreeing * _weight(chunk) / len(chunk_words)
    inside = found.chunk_words >= 0.8 * len(chunk_words) and weight >= chosen.min_inside_tokens
    return inside or found.gold_words / len(gold_words) >= chosen.min_gold_share


def _weight(text: str) -> float:
    """Two Chinese characters in a row count as one word."""
    runs, _ = split_runs(text)
    return sum(max(1.0, len(run) / 2) if run[0] in "中国" else 1.0 for run in runs)


def _words(text: str) -> list[str]:
    """The tokens, with each character of a run of Chinese for itself."""
    runs, spaceless = split_runs(text)
    return lettered(runs) if spaceless else runs


@given(chunks_of, golds_of, chosen_settings)
@settings(max_examples=200)
def test_fast_cascade_equals_slow_cascade(chunks: list[RetrievedChunk], gold: Sample, chosen: MatchSettings) -> None:
    matcher = ChunkMatcher(chosen)
    matcher.match(chunks, gold)  # the second time, texts are settled
    distinct: dict[tuple[str, str], int] = {}
    for index, (text, name) in enumerate(zip(gold.contexts, gold.chunk_ids, strict=True)):
        if text.strip() or name:
            distinct.setdefault((text.strip(), name), index)
    for found, chunk in zip(matcher.match(chunks, gold), chunks, strict=True):
        stages = {
            index: stage
            for (_, name), index in distinct.items()
            if (stage := slow_verdict(chunk, gold.contexts[index], name, chosen))
        }
        assert found.gold_indices == tuple(sorted(stages))
        assert found.relevant == bool(stages)
        assert found.stage == min(stages.values(), key=["id", "containment", "jaccard", "coverage"].index, default=None)
        assert found.score is None or 0.0 <= found.score <= 1.0


@given(st.lists(st.tuples(chunks_of, golds_of), max_size=4))
@settings(max_examples=60, deadline=None)
def test_verdicts_do_not_depend_on_what_was_matched_before(runs: list[tuple[list[RetrievedChunk], Sample]]) -> None:
    roomy, narrow = ChunkMatcher(), ChunkMatcher(capacity=10)
    for chunks, gold in [*runs, *runs]:
        fresh = ChunkMatcher().match(chunks, gold)
        assert roomy.match(chunks, gold) == narrow.match(chunks, gold) == fresh


@given(chunks_of, golds_of)
@settings(max_examples=100)
def test_every_rank_gets_its_verdict(chunks: list[RetrievedChunk], gold: Sample) -> None:
    found = ChunkMatcher().match(chunks, gold)
    assert [verdict.rank for verdict in found] == list(range(1, len(chunks) + 1))
    assert all(verdict.relevant == bool(verdict.gold_indices) == (verdict.stage is not None) for verdict in found)
