"""Which answers a judge would be asked about."""

from __future__ import annotations

import pytest

from muffakir_eval.refusals import is_unsure, lexicon_with


@pytest.mark.parametrize(
    "answer",
    [
        "لا أعرف بالضبط، لكن أظن أنه ولد عام 1990.",
        "I'm not sure.",
        "Je ne suis pas sûr.",
        "The capital is Paris. The context does not mention its population.",
        "ولد الشاعر في دمشق عام 1923 ودرس الحقوق فيها. لا يذكر النص شيئا عن أسرته.",
        "Violence is never the answer. It is important to treat others with respect and dignity.",
        "I cannot answer that. The committee met in the old town hall and discussed the matter.",
        "文章介绍了合同的期限为三年。文中没有提到违约金。",
    ],
)
def test_these_are_in_doubt(answer: str) -> None:
    assert is_unsure(answer)


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "",
        "\u200f",
        "لا أعلم.",
        "I'm sorry, but I can't assist with that.",
        "القاهرة",
        "No, the law does not say so.",
        "لا، لا يمكن للطالب تأجيل الامتحان.",
        'The witness said: "I don\'t know."',
        "There is no fee.",
        "The treaty was signed in 1920.",
        "我不知道。",
    ],
)
def test_these_are_not(answer: str | None) -> None:
    assert not is_unsure(answer)


def test_words_that_the_user_took_out_leave_no_doubt() -> None:
    answer = "The capital is Paris. The context does not mention its population."
    assert not is_unsure(answer, lexicon_with([], ["the context does not mention its population"]))
