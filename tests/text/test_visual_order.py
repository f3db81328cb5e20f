"""Arabic in visual order is told from Arabic, Persian and Urdu in logical order."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.text.visual_order import order_evidence, visual_to_logical

ARABIC = (
    "يضمن الدستور العراقي النافذ المساواة بين جميع العراقيين من دون تمييز، وتقوم الدولة على حماية الحقوق والحريات",
    "هل يجوز للعامل أن يطلب إجازة؟ نعم، في كل سنة من سنوات الخدمة",
    "كلا، قليلًا ومثلًا واستقلالًا وإجمالًا وأولًا فضلًا عن ذلك",
    "يلا بينا نروح، مش عايز كلا ولا سلا",
    "والله لا إله إلا الله",
)
PERSIAN = "من کتابی را که از بازار خریدم به دوستم دادم و او بسیار خوشحال شد زیرا بالا و والا بود، نیمی از آن را خواند"
URDU = "یہ کتاب بہت اچھی ہے اور میں نے اسے پہلا والا حصہ پڑھ کر نکالا، ڈالا اور سنبھالا ہے"


@pytest.mark.parametrize("text", [*ARABIC, PERSIAN, URDU, "", "abc 123", "\ud83d"])
def test_logical_order_is_no_reversed_text(text: str) -> None:
    assert not order_evidence(text).reversed


@pytest.mark.parametrize("text", [ARABIC[0], ARABIC[1], URDU])
def test_the_same_text_backwards_is(text: str) -> None:
    assert order_evidence(text[::-1]).reversed


def test_presentation_forms_are_read_as_their_letters() -> None:
    visual = (
        "\ufe94\ufed8\ufe98\u0641\u0645 \ufeb0\u0646 \ufefb\ufe87 \ufe94\ufee8\ufeb3"  # words that begin with a final ة
    )
    assert order_evidence(visual).reversed


def test_one_slipped_space_reverses_nothing() -> None:
    assert not order_evidence("الجامع ةالعربية في المدينة القديمة").reversed


def test_a_lone_word_is_enough_where_it_can_be_nothing_else() -> None:
    found = order_evidence("(ةمدقم)")
    assert found.reversed
    assert (found.first, found.words, found.firm) == ("ةمدقم", 1, 1)


def test_marks_and_tatweel_hide_nothing() -> None:
    assert order_evidence("ةـــسردملا يـــف َبَّلاطلا نـِم").reversed


def test_a_line_is_shown_as_it_reads() -> None:
    assert visual_to_logical("(140-125 .ص) ثحبلا عجرم") == "مرجع البحث (ص. 140-125)"
    assert visual_to_logical("Ever ماع\nيف") == "عام Ever\nفي"


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80))
def test_any_text_can_be_judged(text: str) -> None:
    found = order_evidence(text)
    assert 0 <= found.firm <= found.backwards
    assert isinstance(visual_to_logical(text), str)
