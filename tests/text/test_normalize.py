"""Normalisation: the pairs of spellings that must meet, and those that must not."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.text import codepage
from muffakir_eval.text.folding import fold_character
from muffakir_eval.text.normalize import Normalizer, _composed, default_normalizer, normalize_text, normalizer_for
from muffakir_eval.text.profiles import ARABIC, ProfileName
from muffakir_eval.text.traps import TRAP_TABLE

ODD = (
    "aIiİıK\u212a\u0307\u0301\u0323\u0345ßﬁǆ1٢۳²½①…́ ؤأإآٱىيی\u06c0\u06d5\u0654\u0655\u0653\u0670\u0640"
    "\u064b\u0651\ufe70\ufe71\ufefb\ufdfa\ufdfd\ufc5e\u200c\u200d\u200f\u202b\u00ad\ufeff\u00a0\u2028\x85\x00\x1f"
    "中か゛\u3099ｶﾞไ\u0e33한ᄒ\u1160\ufe0f\U000e0101👍\U0001f1f8\ud83d,،٫٬٪’«\t\n.-_%"
)
odd_text = st.text(st.sampled_from(ODD) | st.characters(), max_size=20)


def test_nothing_stays_nothing() -> None:
    assert normalize_text("") == ""
    assert normalize_text(" \u200f\u00ad\ufeff\n") == ""


def test_p10_presentation_forms_equal_plain_letters() -> None:
    chunk = "\ufee3\ufeae\ufea3\ufe92\ufe8e \ufe91\ufe8e\ufedf\ufecc\ufe8e\ufedf\ufee2"
    assert normalize_text(chunk) == normalize_text("مرحبا بالعالم") == "مرحبا بالعالم"


def test_p10_reversed_text_does_not_match_by_accident() -> None:
    assert normalize_text("ابحرم") != normalize_text("مرحبا")


@pytest.mark.parametrize(
    ("form", "plain"),
    [
        ("\ufefb", "لا"),  # lam-alef ligatures, with madda, hamza above and below
        ("\ufef5\ufef7\ufef9", "لالالا"),
        ("\ufdf2", "الله"),
        ("\ufe8b\ufe94", "يه"),  # yeh with hamza, teh marbuta
        ("\ufbfd\ufb91", "يك"),  # Farsi yeh, keheh
        ("عمر\ufe77و", "عمرو"),  # marks that stand alone or on a tatweel
        ("عمر\ufe76و", "عمرو"),
        ("مُح\ufc60مّد", "محمد"),
        ("م\ufcf2حمد", "محمد"),
        ("النبي\ufdfaقال", "النبي صلي الله عليه وسلم قال"),
        ("\ufdfb\ufd47", "جل جلاله عليه السلام"),
        ("\ufdfd", "بسم الله الرحمن الرحيم"),
        ("100\ufdfc", "100 ريال"),
    ],
)
def test_p10_ligatures_and_lone_marks(form: str, plain: str) -> None:
    assert normalize_text(form) == plain


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("کتاب", "كتاب"),
        ("الذی", "الذي"),
        ("اللہ", "الله"),
        ("رحمۃ", "رحمة"),
        ("تجرید", "تجريد"),
        ("ھذا", "هذا"),
        ("ەم", "هم"),
        ("\u06c0", "ه"),
        ("\u06d5\u0654", "ه"),
        ("\u06c1\u0654", "\u06c2"),
        ("علے", "علي"),
        ("\u06d0", "ي"),
        ("\u06aaتب", "كتب"),
    ],
)
def test_p13_persian_urdu_and_kurdish_look_alikes(one: str, other: str) -> None:
    assert normalize_text(one) == normalize_text(other)


@pytest.mark.parametrize(("one", "other"), [("گ", "ك"), ("پ", "ب"), ("چ", "ج"), ("ژ", "ز"), ("ڤ", "ف"), ("ۆ", "و")])
def test_p13_letters_of_their_own_stay(one: str, other: str) -> None:
    assert normalize_text(one) == one != other


@pytest.mark.parametrize(
    "typed",
    [
        "\u200fالرياض\u200e",
        "\u2067الرياض\u2069",
        "\u202bالرياض\u202c",
        "الر\u00adياض",
        "\ufeffالرياض",
        "الر\u200bي\u200dا\u2060ض\u061c",
        "الرياض\ufe0f\u034f",
        "\u00a0الرياض\u3000\u2028",
        "ال\x00رياض",
    ],
)
def test_p14_invisible_characters_do_not_count(typed: str) -> None:
    assert normalize_text(typed) == "الرياض"


def test_p14_zwnj_is_dropped_and_no_space() -> None:
    assert normalize_text("می\u200cخواهم") == normalize_text("میخواهم") == "ميخواهم"
    assert normalize_text("می خواهم") == "مي خواهم"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("كـــتاب", "كتاب"),
        ("الرَّحْمَٰن", "الرحمن"),
        ("ٱلْحَمْدُ", "الحمد"),
        ("على", "علي"),
        ("مُؤْمِن", "مومن"),
        ("شَيْئًا", "شييا"),
        ("ٱللَّهِ\u06d6 \u06de", "الله \u06de"),
        ("يَـٰٓأَيُّهَا", "يايها"),
    ],
)
def test_p15_tatweel_and_marks(one: str, other: str) -> None:
    assert normalize_text(one) == normalize_text(other)


def test_p15_no_rule_damages_a_word() -> None:
    assert normalize_text("على") == "علي" != normalize_text("علا")
    assert normalize_text("ماء") == "ماء" != normalize_text("ما")
    assert normalize_text("قراءة") == "قراءه"


def test_p15_the_dagger_alef_is_dropped_and_never_an_alef() -> None:
    assert normalize_text("ٱلْكِتَٰب") == "الكتب" != normalize_text("الكتاب")


@pytest.mark.parametrize(
    ("composed", "decomposed"),
    [("أ", "ا\u0654"), ("إ", "ا\u0655"), ("آ", "ا\u0653"), ("ؤ", "و\u0654"), ("ئ", "ي\u0654")],
)
def test_p15_composed_and_decomposed_agree(composed: str, decomposed: str) -> None:
    assert normalize_text(composed) == normalize_text(decomposed) in {"ا", "و", "ي"}
    assert normalize_text(f"{composed}ب\u064e") == normalize_text(f"{decomposed}\u064e\u200fب")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("بلغ العدد ٢٠٢٤ نسمة", "بلغ العدد 2024 نسمة"),
        ("۲۰۲۴", "2024"),
        ("٣٫٥", "3.5"),
        ("١٬٢٣٤٫٥", "1,234.5"),
        ("٥٠٪", "50%"),
        ("२०२४", "2024"),
        ("２０２４", "2024"),
        ("𝟤𝟢𝟤𝟦", "2024"),
    ],
)
def test_p16_digits_of_all_scripts(one: str, other: str) -> None:
    assert normalize_text(one) == normalize_text(other) == normalize_text(f" {other} ")


@pytest.mark.parametrize(
    ("raw", "normal"),
    [
        ("2½", "2 1/2"),
        ("½", "1/2"),
        ("10²", "10 2"),
        ("10²³", "10 23"),
        ("م²", "م2"),
        ("H₂O", "h2o"),
        ("①البند ②البند", "1 البند 2 البند"),
        ("ⓐالبند Ⓑالبند ℡12 ₨5", "a البند b البند tel 12 rs 5"),
        ("❶البند ⒈5 ⑴", "1 البند 1. 5 (1)"),
        ("№5", "no 5"),
        ("Windows™", "windows"),
        ("don´t", "don't"),
        ("naïve ¨", "naïve"),
        ("‾x‾", "x"),
        ("か\u309b", "が"),
    ],
)
def test_the_traps_of_nfkc(raw: str, normal: str) -> None:
    assert normalize_text(raw) == normal


def test_no_character_but_the_trapped_ones_becomes_space_and_mark() -> None:
    """NFKC pulls words apart at such characters: all of them are known."""
    loose = {
        code
        for code in range(0x80, 0x110000)
        if (plain := unicodedata.normalize("NFKC", chr(code))).startswith(" ") and len(plain) > 1
    }
    assert loose <= TRAP_TABLE.keys()


@pytest.mark.parametrize(
    "spelling", ["İSTANBUL", "istanbul", "ISTANBUL", "ıstanbul", "i\u0307stanbul", "I\u0307stanbul"]
)
def test_turkish_i_in_all_its_forms(spelling: str) -> None:
    assert normalize_text(spelling) == "istanbul"


@pytest.mark.parametrize(
    ("one", "other"), [("STRASSE", "straße"), ("ΣΊΣΥΦΟΣ", "Σίσυφος"), ("É", "e\u0301"), ("Ǆ", "dž"), ("ﬁn", "FIN")]
)
def test_case_folding(one: str, other: str) -> None:
    assert normalize_text(one) == normalize_text(other)


def test_accents_are_part_of_the_letter() -> None:
    assert normalize_text("café") == "café" != normalize_text("cafe")


def test_punctuation_is_unified() -> None:
    assert normalize_text("نعم، لا؛ هل؟ «كذا»") == 'نعم, لا; هل? "كذا"'
    assert normalize_text("”كذا“ ‘x’ – — ۔ 。（﴿٣﴾）") == "\"كذا\" 'x' - - . .((3))"


def test_every_arabic_mark_is_dropped() -> None:
    blocks = [*range(0x0600, 0x0700), *range(0x0750, 0x0780), *range(0x0870, 0x0900), *range(0x10EC0, 0x10F00)]
    marks = [chr(code) for code in blocks if unicodedata.category(chr(code)) == "Mn"]
    assert len(marks) > 80
    assert [mark for mark in marks if fold_character(ord(mark), ARABIC)] == []


def test_every_digit_of_every_script_becomes_ascii() -> None:
    digits = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == "Nd"]
    assert [digit for digit in digits if normalize_text(digit) != str(unicodedata.decimal(digit))] == []


def test_idempotent_for_every_character_between_others() -> None:
    moving = []
    for code in [*range(0x4E00), *range(0xA000, 0xAC00), *range(0xD7A4, 0x20000)]:
        once = normalize_text(f"1{chr(code)}i\u0307")
        if normalize_text(once) != once:
            moving.append(hex(code))
    assert moving == []


@given(odd_text)
@settings(max_examples=300)
def test_idempotent(text: str) -> None:
    once = normalize_text(text)
    assert normalize_text(once) == once


@given(odd_text, odd_text)
@settings(max_examples=200)
def test_what_stands_apart_is_normalised_apart(one: str, other: str) -> None:
    parts = [normalize_text(one), normalize_text(other)]
    assert normalize_text(f"{one} {other}") == " ".join(part for part in parts if part)


class _WithoutPage(Normalizer):
    """The general rules alone."""

    def fold_bytes(self, text: str) -> bytes | None:
        return None


@given(st.text(st.sampled_from(codepage.PAGE.rstrip("\ufffe")), max_size=60) | odd_text)
@settings(max_examples=300)
def test_the_code_page_follows_the_general_rules(text: str) -> None:
    assert normalize_text(text) == _WithoutPage().normalize(text)


def test_every_character_of_the_code_page_alone() -> None:
    slow = _WithoutPage()
    for char in codepage.PAGE.rstrip("\ufffe"):
        assert normalize_text(char) == slow.normalize(char), hex(ord(char))


def test_the_default_profile_is_arabic() -> None:
    assert default_normalizer().profile is ARABIC
    assert ARABIC.name == "arabic"


@pytest.mark.parametrize("spelling", ["simple", "simple-plain", "simple-minimal"])
def test_vowelled_and_plain_verses_are_equal(data_dir: Path, spelling: str) -> None:
    """The same 300 verses by Tanzil with all marks, with fewer, and with none."""

    def verses(name: str) -> list[str]:
        lines = (data_dir / "messy_text" / f"quran_{name}_300.txt").read_text(encoding="utf-8-sig").splitlines()
        return [line.split("|", 2)[2] for line in lines if line[:1].isdigit()]

    plain, marked = verses("simple-clean"), verses(spelling)
    assert len(plain) == len(marked) == 300
    differing = [pair for pair in zip(plain, marked, strict=True) if normalize_text(pair[0]) != normalize_text(pair[1])]
    assert differing == []


@pytest.mark.parametrize("between", ["", "\u200b"])
def test_any_number_of_marks_in_any_order(between: str) -> None:
    """Python orders marks by insertion: without help, these would take minutes."""
    count = 100_000
    messy = "e" + f"\u0301{between}\u0323" * count + "x"
    folded = normalize_text(messy)
    assert folded == "\u1eb9" + "\u0323" * (count - 1) + "\u0301" * count + "x"
    assert normalize_text(folded) == folded


@given(
    st.lists(
        st.sampled_from("\u0301\u0323\u0327\u0345\u0344\u0f73\u064e\u0655\u3099\u1160.-\u20dd\ufe0f"),
        min_size=28,
        max_size=80,
    ).map("".join),
    st.sampled_from(["e", "é", "ب", "か", "", "1"]),
)
@settings(max_examples=100)
def test_ordering_marks_first_changes_nothing(marks: str, letter: str) -> None:
    assert _composed(f"{letter}{marks}{letter}") == unicodedata.normalize("NFKC", f"{letter}{marks}{letter}")


@pytest.mark.parametrize("between", ["", "\u200e", "\u200f\u2069", "\ufe0f"])
def test_a_power_is_no_digit_whatever_invisible_stands_between(between: str) -> None:
    assert normalize_text(f"10{between}²") == normalize_text(f"١٠{between}²") == "10 2"
    assert normalize_text(f"م{between}²") == "م2"
    assert normalize_text(f"{between}²") == "2"


def test_a_comma_that_only_lists_is_followed_by_a_space() -> None:
    assert normalize_text("100、200") == normalize_text("100\u1363 200") == "100, 200"
    assert normalize_text("1،234") == normalize_text("1\u066c234") == normalize_text("1，234") == "1,234"


@pytest.mark.parametrize("profile", ["arabic", "persian", "urdu", "none"])
def test_two_marks_on_one_letter(profile: ProfileName) -> None:
    """A hamza below comes before a madda in the canonical order, and takes the alef from it."""
    normalizer = normalizer_for(profile)
    for letter in codepage.PAGE.rstrip("\ufffe"):
        for mark in codepage.MARKS:
            text = f"{letter}{mark} b"
            assert normalizer.normalize(text) == normalizer.normalize(unicodedata.normalize("NFD", text)), ascii(text)
