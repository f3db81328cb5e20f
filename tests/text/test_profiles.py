"""Profiles: what each language counts as the same letter, and what it tells apart."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.errors import ConfigError
from muffakir_eval.text import codepage
from muffakir_eval.text.folding import fold_character
from muffakir_eval.text.normalize import Normalizer, normalize_text, normalizer_for
from muffakir_eval.text.profiles import ARABIC, NONE, PERSIAN, PROFILES, URDU
from muffakir_eval.text.tokens import split_runs, tokenize

LANGUAGES = ["arabic", "persian", "urdu"]
BLOCKS = [*range(0x0600, 0x0700), *range(0x0750, 0x0780), *range(0x0870, 0x0900), *range(0xFB50, 0xFE00)]
BLOCKS += [*range(0xFE70, 0xFF00), *range(0x10EC0, 0x10F00), *range(0x1EE00, 0x1EF00)]

LETTERS_OF_THEIR_OWN = {
    "Persian": "پچژگ",
    "Urdu": "ٹڈڑں",
    "Kurdish": "ڕڵۆێڤۊ",
    "Sindhi": "ٻڀٺٿٽڃڄڇڏڌڊڍڙڦڱڻڳ",
    "Pashto": "ټډړږښځڅڼګ",
    "Uyghur": "ڭۇۈۋۅ",
    "Malay": "ڠݢڽۏ",
    "Maghribi": "ڨڭڥ",
    "Kashmiri": "ۄۍۆ",
    "Hausa and Fulani": "ࢨࢩݣ",
}


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("language", [*LETTERS_OF_THEIR_OWN])
def test_a_letter_of_another_language_is_never_folded(name: str, language: str) -> None:
    letters = LETTERS_OF_THEIR_OWN[language]
    if name == "arabic":
        letters = letters.replace("ۍ", "")  # a form of yeh to an Arabic reader
    assert [normalize_text(letter, name) for letter in letters] == list(letters)


@pytest.mark.parametrize(
    ("one", "other", "meet_in"),
    [
        ("کتاب", "كتاب", LANGUAGES),
        ("الذی", "الذي", LANGUAGES),
        ("على", "علي", LANGUAGES),
        ("اللہ", "الله", LANGUAGES),
        ("رحمۃ", "رحمة", LANGUAGES),
        ("رحمة", "رحمه", LANGUAGES),
        ("تأثير", "تاثیر", LANGUAGES),
        ("مؤثر", "موثر", LANGUAGES),
        ("مسئله", "مسیله", LANGUAGES),
        ("خانهٔ", "خانه", LANGUAGES),
        ("خانۀ", "خانه", LANGUAGES),
        ("می\u200cخواهم", "میخواهم", [*LANGUAGES, "none"]),
        ("آب", "اب", ["arabic"]),
        ("آم", "ام", ["arabic"]),
        ("ا\u0653ب", "اب", ["arabic"]),
        ("ا\u0653ب", "آب", [*LANGUAGES, "none"]),
        ("بھی", "بہی", ["arabic", "persian"]),
        ("پڑھنے", "پڑھنی", ["arabic", "persian"]),
        ("گئے", "گیے", LANGUAGES),
        ("میں", "مین", []),
        ("\u06a2\u06a7\u0629", "فقه", LANGUAGES),
        ("۲۰۲۴", "2024", LANGUAGES),
        ("؟", "?", LANGUAGES),
        ("كِتَاب", "كتاب", LANGUAGES),
        ("كـتاب", "كتاب", LANGUAGES),
        ("عيسىٰ", "عيسى", LANGUAGES),
        ("\ufedbتاب", "كتاب", [*LANGUAGES, "none"]),
        ("\u200fكتاب\ufeff", "كتاب", [*LANGUAGES, "none"]),
        ("Café  NOIR", "cafe\u0301 noir", [*LANGUAGES, "none"]),
        ("کړې", "کړی", ["arabic"]),
        ("אָב", "אב", LANGUAGES),
        ("STRASSE", "straße", [*LANGUAGES, "none"]),
        ("ISPARTA", "ısparta", LANGUAGES),
    ],
)
def test_pairs(one: str, other: str, meet_in: list[str]) -> None:
    assert [name for name in PROFILES if normalize_text(one, name) == normalize_text(other, name)] == meet_in


@pytest.mark.parametrize(
    ("name", "text", "normal"),
    [
        ("arabic", "أنا ﻻ أعرف ٣٫٥ کتاب", "انا لا اعرف 3.5 كتاب"),
        ("persian", "آنها می‌خواهند ۳٫۵ كتاب", "آنها میخواهند 3.5 کتاب"),
        ("urdu", "یہ کتابیں پڑھنے كے لئے ہیں۔ آمدنی ۲۰٪", "یہ کتابیں پڑھنے کے لیے ہیں. آمدنی 20%"),
        ("urdu", "رحمة الله عليه", "رحمہ اللہ علیہ"),
        ("none", "أنا ﻻ أعرف ٣٫٥ کِتاب؟ ـ İ «x»", "أنا لا أعرف ٣٫٥ کِتاب؟ ـ i\u0307 «x»"),
        ("none", "10² ①البند ﷺ ´", "10 2 1 البند صلى الله عليه وسلم '"),
    ],
)
def test_what_a_profile_makes_of_a_text(name: str, text: str, normal: str) -> None:
    assert normalize_text(text, name) == normal


def test_what_none_folds_is_nfkc_case_spaces_and_what_cannot_be_seen() -> None:
    unchanged = [code for code in BLOCKS if unicodedata.category(chr(code)) in {"Lo", "Lm", "Mn", "Nd", "Po", "Sc"}]
    wrong = [
        hex(code)
        for code in unchanged
        if unicodedata.is_normalized("NFKC", chr(code)) and normalize_text(f"ب{chr(code)}", "none") != f"ب{chr(code)}"
    ]
    known = {hex(code) for code in (0x0653, 0x0654, 0x0655)}  # none of them composes with beh
    assert set(wrong) - known == set()


@pytest.mark.parametrize("name", LANGUAGES)
def test_no_mark_of_the_arabic_blocks_is_left(name: str) -> None:
    profile = PROFILES[name]
    left = [hex(code) for code in BLOCKS if unicodedata.category(chr(code)) == "Mn" and fold_character(code, profile)]
    assert left == []


@pytest.mark.parametrize("name", PROFILES)
def test_idempotent_and_the_same_decomposed_for_every_arabic_character(name: str) -> None:
    normalizer = normalizer_for(name)
    for code in [*BLOCKS, *range(0x0590, 0x0600), *range(0x0300, 0x0370), *range(0x1F00, 0x2000)]:
        for text in (chr(code), f"ا{chr(code)}بي", f"1{chr(code)}\u0301{chr(code)}\u0651"):
            once = normalizer.normalize(text)
            assert normalizer.normalize(once) == once, hex(code)
            assert normalizer.normalize(unicodedata.normalize("NFD", text)) == once, hex(code)


any_text = st.text(
    st.sampled_from(
        "آأؤئيىیےہھەة\u0653\u0654\u0655\u064b\u0651\u0670\u0640كک٣۳٫،؟ aİıé\u0307\u0301´¨½²①\u200c\u00a0ﷺﻼ中ไ"
    )
    | st.characters(exclude_categories=["Cs"]),
    max_size=24,
)


@pytest.mark.parametrize("name", PROFILES)
@given(any_text)
@settings(max_examples=150)
def test_any_text_is_normalised_once_and_for_all(name: str, text: str) -> None:
    normalizer = normalizer_for(name)
    once = normalizer.normalize(text)
    assert normalizer.normalize(once) == once
    assert normalizer.normalize(unicodedata.normalize("NFD", text)) == once
    assert normalizer.normalize(unicodedata.normalize("NFC", text)) == once
    assert tokenize(text, normalizer) == tokenize(once, normalizer)


class _WithoutPage(Normalizer):
    """The general rules alone."""

    def fold_bytes(self, text: str) -> bytes | None:
        return None


@pytest.mark.parametrize("name", PROFILES)
@given(st.text(st.sampled_from(codepage.PAGE.rstrip("\ufffe")), max_size=60) | any_text)
@settings(max_examples=150)
def test_the_code_page_follows_the_rules_of_the_profile(name: str, text: str) -> None:
    slow = _WithoutPage(PROFILES[name])
    assert normalizer_for(name).normalize(text) == slow.normalize(text)
    assert split_runs(text, normalizer_for(name)) == split_runs(text, slow)


def test_only_marks_that_count_keep_a_text_from_the_code_page() -> None:
    plain, madda, vowelled = "كتاب", "ا\u0653ب", "كِتاب"
    through = {
        name: [normalizer_for(name).fold_bytes(text) is not None for text in (plain, madda, vowelled)]
        for name in PROFILES
    }
    assert through == {
        "arabic": [True, True, True],
        "persian": [True, False, True],
        "urdu": [True, False, True],
        "none": [True, False, False],
    }


def test_one_normaliser_per_name() -> None:
    assert normalizer_for("urdu") is normalizer_for("urdu")
    assert [normalizer_for(name).profile for name in PROFILES] == [ARABIC, PERSIAN, URDU, NONE]
    assert normalize_text("أ") == normalize_text("أ", "arabic") == "ا"


def test_an_unknown_profile_is_named_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"unknown profile 'farsi'.*'arabic', 'persian', 'urdu', 'none'"):
        normalizer_for("farsi")
    with pytest.raises(ConfigError):
        normalize_text("نص", "Arabic ")
