"""Signs, points and double spellings, for every language profile alike."""

from __future__ import annotations

import unicodedata

import pytest

from muffakir_eval.text.folding import INVISIBLE, POINTS, PUNCTUATION, TWO_CODES, fold_character
from muffakir_eval.text.normalize import normalize_text
from muffakir_eval.text.profiles import ARABIC, NONE, PROFILES


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("שָׁלוֹם עֲלֵיכֶם", "שלום עליכם"),
        ("\ufb2aלום", "שלום"),  # shin with its dot in one code
        ("אײַנס װאָס", "איינס וואס"),
        ("ի՞նչ է սա", "ինչ է սա"),  # the question mark stands inside the word
        ("Եւրոպա և", "եւրոպա եւ"),
        ("അവൻ", "അവന\u0d4d\u200d"),  # chillu, before and since Unicode 5.1
        ("হঠাৎ", "হঠাত\u09cd\u200d"),
        ("क़लम", "क\u093cलम"),  # nukta composed and not
        ("বড়", "বড\u09bc"),
        ("\u0219tiin\u021b\u0103", "\u015ftiin\u0163\u0103"),
        ("s\u0326tiint\u0326\u0103", "ştiinţă"),
        ("o\u02bbzbek", "o'zbek"),
        ("п\u02bcять", "п’ять"),
        ("Qur\u02be\u0101n", "Qur'\u0101n"),
        ("Tiê\u0301ng Viê\u0323t", "Tiếng Việt"),
        ("ᲥᲐᲠᲗᲣᲚᲘ", "ქართული"),
        ("한국어", "\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165"),
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("አማርኛ፡ቋንቋ", "አማርኛ ቋንቋ"),
        ("\U0001ee00\U0001ee01\U0001ee1c", "اب\u066e"),  # Arabic letters of mathematics, the last one dotless
        ("\u06ddقل", "قل"),
        ("\u06e5\u06e6له", "له"),  # small waw and yeh
    ],
)
def test_two_spellings_of_one_word(one: str, other: str) -> None:
    for name in ("arabic", "persian", "urdu"):
        assert normalize_text(one, name) == normalize_text(other, name), name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("má", "ma"),
        ("Việt", "Viet"),
        ("ё", "е"),
        ("й", "и"),
        ("क़", "क"),
        ("কি", "কী"),
        ("か", "が"),
        ("ด้า", "ดา"),
        ("ދި", "ދު"),  # the vowels of Thaana are always written
        ("ή", "η"),
        ("ñ", "n"),
        ("ś", "ş"),
    ],
)
def test_marks_of_other_scripts_are_part_of_the_word(one: str, other: str) -> None:
    for name in PROFILES:
        assert normalize_text(one, name) != normalize_text(other, name), name


@pytest.mark.parametrize(
    ("signs", "plain"),
    [
        ("،؛؟٪٫٬٭۔", ",;?%.,*."),
        ("。、！？：；（）「」『』【】《》〈〉・〜～", '., !?:;()""""[]""""·~~'),
        ("।॥", ".."),
        ("։՝", "., "),
        ("׃־׳״", ":-'\""),
        ("፣፤፥፦፧።፨", ", ;::?.."),
        ("၊။", ", ."),
        ("។៕", ".."),
        ("༎།", ".."),
        ("᠂᠃᠄᠈᠉", ", ..:, .".replace("..", ".")),
        ("߸߹", ", !"),
        ("܀܁܂܃܄", "܀..::"),
        ("‐‑‒–—―−⁃", "--------"),
        ("⁄∕∶∼⋅·", "//:~··"),
        ("؉؊", "‰‱"),
        ("﴾﴿", ")("),
    ],
)
def test_punctuation_of_all_scripts(signs: str, plain: str) -> None:
    assert normalize_text(signs) == normalize_text(plain) == " ".join(plain.split())
    assert normalize_text(signs, "none") == " ".join(unicodedata.normalize("NFKC", signs).split())


def test_every_target_stays_as_it_is() -> None:
    """What a rule makes is touched by no other rule: the table is applied once."""
    for table in (PUNCTUATION, TWO_CODES):
        for code, target in table.items():
            assert normalize_text(f"x{target}x") == f"x{target}x", hex(code)
    for profile in PROFILES.values():
        for code, target in profile.letters.items():
            assert normalize_text(target, profile.name) == target, (profile.name, hex(code))


def test_what_is_dropped_is_a_sign_and_no_letter() -> None:
    kinds = {unicodedata.category(chr(code)) for code in POINTS}
    assert kinds == {"Mn", "Po"}
    dropped = {code for code in ARABIC.dropped if unicodedata.category(chr(code)) not in {"Mn", "Cn", "Sk"}}
    # tatweel and its kin, small letters that stand above a word, high hamza
    assert dropped <= {0x0640, 0x0674, 0x06E5, 0x06E6, 0x0883, 0x0884, 0x0885, 0x08C9, 0x08E2, 0x10EC5}


def test_no_visible_character_is_invisible() -> None:
    shown = {code for code in INVISIBLE if unicodedata.category(chr(code)) in {"Lu", "Ll", "Nd", "Po", "Sm", "So"}}
    assert shown == set()


@pytest.mark.parametrize("char", ["\u00ad", "\u200b", "\u200d", "\u2066", "\ufeff", "\u0600", "\U000e0041", "\x07"])
def test_what_cannot_be_seen_is_dropped_in_every_profile(char: str) -> None:
    assert [fold_character(ord(char), profile) for profile in PROFILES.values()] == [""] * 4


def test_none_folds_no_sign() -> None:
    signs = [*PUNCTUATION, *POINTS, *TWO_CODES, ord("٣"), ord("३")]
    assert {fold_character(code, NONE) for code in signs if not chr(code).isspace()} == set(map(chr, signs))
