from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from muffakir_eval.config import MatchSettings
from muffakir_eval.matching.agreement import pair_nearly
from muffakir_eval.matching.rules import Rules
from muffakir_eval.matching.stages import TEXT_STAGES, aligned, contradictions, coverage, jaccard, too_different
from tests.matching.prepared_texts import prepared

tokens = st.sampled_from(["a", "b", "c", "d", "e", "f", "g", "中", "国", "中国人", "1", "."])
texts = st.lists(tokens, max_size=12).map(" ".join)
cut_texts = st.tuples(
    st.lists(st.sampled_from(["alpha", "beta", "gamma", "中国人民", "15"]), min_size=11, max_size=16).map(" ".join),
    st.integers(0, 8),
    st.integers(0, 8),
).map(lambda made: made[0][made[1] : len(made[0]) - made[2]])
many_words = [f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
long_texts = st.tuples(st.permutations(many_words), st.integers(8, 26)).map(lambda made: " ".join(made[0][: made[1]]))
slices = st.tuples(st.integers(0, 26), st.integers(8, 26)).map(
    lambda cut: " ".join((many_words * 3)[cut[0] : cut[0] + cut[1]])
)


def rules(**chosen: object) -> Rules:
    return Rules(MatchSettings.model_validate(chosen))


@given(
    texts | cut_texts | long_texts | slices,
    texts | cut_texts | long_texts | slices,
    st.sampled_from([0.05, 0.275, 0.55, 1.0]),
    st.sampled_from([("containment", "jaccard", "coverage"), ("containment", "jaccard"), ("coverage",)]),
)
@example(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa la mu nu",
    "lpha beta gamma delta epsilon zeta eta theta iota kappa la mu n",
    1.0,
    ("containment", "jaccard"),
)
@settings(max_examples=300, deadline=None)
def test_the_bound_never_hides_a_match_or_a_near_one(
    one: str, other: str, threshold: float, stages: tuple[str, ...]
) -> None:
    chosen = rules(
        overlap_threshold=threshold,
        coverage_threshold=0.01,
        min_gold_share=0.0,
        min_gold_tokens=1,
        min_inside_tokens=1,
        stages=stages,
    )
    gold, chunk = prepared(one, least=chosen.least), prepared(other, least=chosen.least)
    if too_different(gold, chunk, chosen):
        for stage in chosen.settings.stages:
            assert not TEXT_STAGES[stage](gold, chunk, chosen).relevant
        score = jaccard(gold, chunk, chosen).score
        assert score is None or score < chosen.floor


@given(long_texts | slices | texts, long_texts | slices | texts, st.sampled_from([0.2, 0.55, 1.0]))
@settings(max_examples=200, deadline=None)
def test_the_bound_never_hides_a_match_by_keys(one: str, other: str, threshold: float) -> None:
    """Words are forms of one another by their last letter: four of them by each key."""
    settings = MatchSettings(overlap_threshold=threshold, coverage_threshold=0.01, min_gold_share=0.0)
    chosen = Rules(
        settings, lambda word: frozenset({str(ord(word[-1]) % 6), word[:2]}) if len(word) > 2 else frozenset()
    )
    gold, chunk = prepared(one, least=chosen.least), prepared(other, least=chosen.least)
    if too_different(gold, chunk, chosen):
        assert not any(stage(gold, chunk, chosen).relevant for stage in TEXT_STAGES.values())
        score = jaccard(gold, chunk, chosen).score
        assert score is None or score < chosen.floor


def test_the_bound_excludes_by_keys_too() -> None:
    asked: list[str] = []

    def keys(word: str) -> frozenset[str]:
        asked.append(word)
        return frozenset({word[1:]})

    chosen = Rules(MatchSettings(), keys)
    forms = ["".join((prefix, word)) for prefix in "xy" for word in many_words]
    gold, chunk = prepared(" ".join(forms[:20]), least=chosen.least), prepared(" ".join(forms[26:]), least=chosen.least)
    assert not too_different(gold, chunk, chosen)
    other = prepared(" ".join(f"{word}s" for word in many_words), least=chosen.least)
    assert too_different(gold, other, chosen)
    asked.clear()
    assert too_different(gold, other, chosen)
    assert len(asked) == 20  # those of the chunk are kept


def test_the_bound_does_exclude() -> None:
    chosen = rules()
    gold, chunk = " ".join(f"g{n}" for n in range(50)), " ".join(f"c{n}" for n in range(50))
    assert too_different(prepared(gold, least=chosen.least), prepared(chunk, least=chosen.least), chosen)


def test_the_bound_looks_at_the_tokens_where_the_bits_cannot_tell() -> None:
    chosen = rules()
    long = " ".join(f"c{n}" for n in range(9000))  # nearly every bucket is filled
    gold = prepared(" ".join(f"g{n}" for n in range(50)), least=chosen.least)
    chunk = prepared(long, least=chosen.least)
    assert (gold.bits & chunk.bits).bit_count() >= gold.limit
    assert too_different(gold, chunk, chosen)


@given(texts, texts)
@settings(max_examples=150)
def test_jaccard_is_symmetric_and_bounded(one: str, other: str) -> None:
    chosen = rules(min_gold_tokens=1, min_gold_share=0.0)
    forth, back = jaccard(prepared(one), prepared(other), chosen), jaccard(prepared(other), prepared(one), chosen)
    if forth.score is not None and back.score is not None:
        assert forth == back
        assert 0.0 <= forth.score <= 1.0


slips = st.sampled_from(
    ["alphabet", "alphabat", "alphabets", "gamma", "gama", "gammas", "delta", "delto", "2024", "2025"]
)
slipped = st.lists(slips, max_size=10).map(" ".join)


@given(slipped, slipped)
@settings(max_examples=200)
def test_fuzzy_jaccard_is_symmetric_and_never_takes_a_match_away(one: str, other: str) -> None:
    exact, fuzzy = rules(min_gold_tokens=1, min_gold_share=0.0, fuzzy=False), rules(min_gold_tokens=1, min_gold_share=0)
    forth = jaccard(prepared(one), prepared(other), fuzzy)
    back = jaccard(prepared(other), prepared(one), fuzzy)
    plain = jaccard(prepared(one), prepared(other), exact)
    if plain.relevant:
        assert forth == plain
    if forth.score is not None and back.score is not None:
        assert forth == back
        assert 0.0 <= forth.score <= 1.0
    if forth.relevant and not plain.relevant:
        ours, theirs = set(one.split()), set(other.split())
        paired = pair_nearly(ours - theirs, theirs - ours, 0.8, 4)
        both = len(ours & theirs) + len(paired)
        assert forth.score == both / (len(ours) + len(theirs) - both)


@given(texts | slipped, texts | slipped, st.floats(0.01, 1.0), st.floats(0.01, 1.0))
@settings(max_examples=200)
def test_a_higher_threshold_never_adds_a_match(one: str, other: str, first: float, second: float) -> None:
    low, high = sorted((first, second))
    gold, chunk = prepared(one), prepared(other)
    for stage, name in ((jaccard, "overlap_threshold"), (coverage, "coverage_threshold")):
        if stage(gold, chunk, rules(**{name: high})).relevant:
            assert stage(gold, chunk, rules(**{name: low})).relevant


@given(slices | long_texts, slices | long_texts)
@settings(max_examples=150)
def test_the_score_of_the_coverage_is_symmetric_and_bounded(one: str, other: str) -> None:
    forth, back = coverage(prepared(one), prepared(other), rules()), coverage(prepared(other), prepared(one), rules())
    assert forth.score == back.score
    assert forth.score is None or 0.0 < forth.score < 1.0


def test_the_floor_is_half_the_threshold() -> None:
    assert rules(overlap_threshold=0.6).floor == 0.3


GOLD = (
    "يعاقب بالحبس مدة لا تجاوز ستة أشهر وبغرامة لا تقل عن خمسين ألف جنيه كل من أتلف عمدا مستندا رسميا "
    "محفوظا لدى إحدى الجهات الحكومية وترتب على فعله ضياع حق من حقوق الغير"
)


def said(gold: str, chunk: str, **chosen: object) -> tuple[bool, float | None]:
    return coverage(prepared(gold), prepared(chunk), rules(**chosen))


def test_coverage_of_a_rough_gold_in_a_larger_chunk() -> None:
    rough = GOLD.replace("تجاوز", "تجاور").replace("مستندا", "مسنندا").replace("كل من", "كل")
    before, after = "وتسري أحكام الباب السابق على الموظفين " * 3, " ولا يخل ذلك بحق المضرور في التعويض المناسب"
    relevant, score = said(GOLD, before + rough + after)
    assert relevant
    assert score is not None
    assert score > 0.85


def test_coverage_where_the_chunk_ends_within_the_gold() -> None:
    words = GOLD.split()
    chunk = "وتسري أحكام الباب السابق على الموظفين العموميين ومن في حكمهم " + " ".join(words[: len(words) // 2])
    assert said(GOLD, chunk)[0]
    chunk = " ".join(words[len(words) // 2 :]) + " ولا يخل ذلك بحق المضرور في التعويض المناسب أمام المحكمة المختصة"
    assert said(GOLD, chunk)[0]
    assert not said(GOLD, "وتسري أحكام الباب السابق على الموظفين " * 2 + " ".join(words[:8]))[0]


def test_boilerplate_is_no_evidence() -> None:
    """The same beginning, another deed: what differs is one block, not single slips."""
    other = (
        "يعاقب بالحبس مدة لا تجاوز ستة أشهر وبغرامة لا تقل عن خمسين ألف جنيه كل من زرع أو حاز نباتا من النباتات "
        "الممنوعة المبينة في الجدول المرفق دون ترخيص سابق من الوزير المختص"
    )
    assert said(GOLD, other) == (False, None)
    found = aligned(prepared(GOLD), prepared(other), rules())
    assert found is not None
    assert 0.3 < found.score < 0.6
    assert aligned(prepared(GOLD), prepared(other), rules(), least=found.score) == found
    assert aligned(prepared(GOLD), prepared(other), rules(), least=found.score + 0.001) is None
    assert not jaccard(prepared(GOLD), prepared(other), rules()).relevant


def test_scattered_words_are_no_evidence() -> None:
    words = GOLD.split()
    scattered = " ".join(f"{word} كلام آخر طويل" for word in words)
    assert not said(GOLD, scattered)[0]
    assert not said(GOLD, " ".join(reversed(words)))[0]


def test_nearly_all_of_a_chunk_of_twelve_words_is_enough() -> None:
    words = [f"كلمة{letter}" for letter in "ابتثجحخدذرزسشصضطظعغفقكلمنهوي"]
    gold = " ".join([first + second for first in words for second in ("سابقة", "لاحقة")])
    inside = gold.split()[10:26]
    inside[7] = "غلط"
    assert said(gold, " ".join(inside))[0]
    assert not said(gold, " ".join(inside[:10]))[0]


def test_a_slip_of_ocr_in_chinese() -> None:
    gold = "人工智能是计算机科学的一个分支，旨在研究如何使机器模拟人类的学习、推理和自我改进的能力。"
    rough = gold.replace("计算", "计ا算").replace("模拟", "模ب").replace("推理", "推م理")
    assert said(gold, "前言部分与此无关的内容很多。" + rough + "后面还有别的内容。")[0]
    assert not said(gold, "机器学习是统计学的一个方向，人类的语言能力与推理无关，计算机科学家研究分支预测。")[0]


@pytest.mark.parametrize(
    ("gold", "chunk"),
    [
        ("تسري أحكام المادة 12 وحدها", "تسري احكام الماده 13 وحدها وغيرها مما لم يذكر هنا"),
        ("The fee is 100 dollars", "the fees are 1000 dollars or more each"),
    ],
)
def test_numbers_never_nearly_agree(gold: str, chunk: str) -> None:
    pairs = pair_nearly(prepared(gold).distinct, prepared(chunk).distinct, 0.5, 1)
    assert not any(char.isdecimal() for pair in pairs for char in pair[0] + pair[1])


def test_a_gold_of_two_words_has_no_coverage() -> None:
    assert coverage(prepared("المادة الأولى"), prepared("المادة الأولى من القانون"), rules()) == (False, None)
    assert coverage(prepared("المادة الأولى من"), prepared("؟"), rules()) == (False, None)


def test_texts_without_order_in_common() -> None:
    one = " ".join(many_words)
    assert coverage(prepared(one), prepared(" ".join(many_words[::2] + many_words[1::2])), rules()).score is None


def test_contradictions_are_asked_in_the_order_of_the_text() -> None:
    """The order of a set is another one in each process, and digits that lie across spaces have one."""
    gold = prepared("يدفع 31 41 59 26 53 58 97 93 مرة")
    assert contradictions(gold, prepared("يدفع 314159265358979.3 مرة")) == 0
    assert contradictions(gold, prepared("يدفع 314159265358979.4 مرة")) == 1
    assert contradictions(gold, gold) == 0


@pytest.mark.parametrize(
    ("gold", "chunk", "holds"),
    [
        ("公司应当在2019年之前向全体员工支付加班工资", "公司应当在2020年之前向全体员工支付加班工资", False),
        ("公司应当在三年之内向全体员工支付所有的加班工资", "公司应当在五年之内向全体员工支付所有的加班工资", False),
        ("公司不得向全体员工收取任何形式的培训费用", "公司得向全体员工收取任何形式的培训费用", False),
        ("公司应当在三年之内向全体员工支付所有的加班工资", "公司应当在3年之内向全体员工支付所有的加班工资", True),
        ("公司应当在三年之内向全体员工支付所有的加班工资", "公司应当在三年之内向全体员エ支付所有的加斑工资", True),
        ("เขาไม่ชอบกินแอปเปิ้ลและกล้วย", "เขาชอบกินแอปเปิ้ลและกล้วย", False),
        (
            "Chapter II of the treaty lists the duties of each party",
            "Chapter IV of the treaty lists the duties of each party",
            False,
        ),
        ("you can't dismiss a worker during sick leave", "you can dismiss a worker during sick leave", False),
        ("غرامة قدرها خمسون مليونًا تدفع عند طلبها فورا", "غرامة قدرها خمسون مليون تدفع عند طلبها فورا", True),
        ("يبدأ العمل به في 5/3/2020 في كل مناطق البلد", "يبدأ العمل به في 05/03/2020 في كل مناطق البلد", True),
        ("بلغ عمره خمسة وعشرين عاما عند توليه الحكم", "بلغ عمره 25 عاما عند توليه الحكم", True),
        ("المادة ١٤٧ من القانون المدني في نظرية العقد", "المادة١٤٧ من القانون المدني في نظرية العقد", True),
    ],
)
def test_contradictions_decide_a_sentence(gold: str, chunk: str, holds: bool) -> None:
    for one, other in ((gold, chunk), (chunk, gold)):
        assert coverage(prepared(one), prepared(other), rules()).relevant == holds
