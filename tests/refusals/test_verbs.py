"""Forms of spoken Arabic, made from stems."""

from __future__ import annotations

import pytest

from muffakir_eval.refusals import find_refusal


@pytest.mark.parametrize(
    "answer",
    [
        "النص ما ذكرش السعر.",
        "النص ما ذكر السعر.",
        "النص مابيذكرش السعر.",
        "النص مبيذكرش السعر.",
        "النصوص ما ذكروش السعر.",
        "النص ما حكاش عن السعر.",
        "النص مش راح يذكر السعر.",
        "النص ما كيذكرش السعر.",
    ],
)
def test_every_way_to_negate_a_verb_of_telling_is_known(answer: str) -> None:
    refusal = find_refusal(answer)
    assert refusal is not None
    assert (refusal.reason, refusal.partial) == ("insufficient_information", False)
