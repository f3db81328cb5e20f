from __future__ import annotations

import pytest

from muffakir_eval.lm_retrieval.speaking import in_its_language, language_of
from muffakir_eval.metrics import Metric
from muffakir_eval.records import PipelineOutput, Sample, Score, Trial


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("ما عاصمة فرنسا؟", "ar"),
        ("What is the capital of France?", "en"),
        ("ما معنى OpenAI؟", "ar"),
        ("What does كتاب mean in Arabic?", "en"),
        ("\ufee3\ufeae\ufea3\ufe92\ufe8e", "ar"),
        ("پایتخت کجاست؟", "ar"),
        ("Wie heißt die Hauptstadt?", "en"),
        ("2 + 2 = ?", "en"),
        ("", "en"),
    ],
)
def test_the_letters_of_the_question_tell(text: str, language: str) -> None:
    assert language_of(text) == language


def speaks(language: str) -> Metric:
    return Metric(
        name="m",
        requested_as="m",
        family="generation",
        needs=frozenset({"judge"}),
        compute=lambda trial: Score.measured("m", 1.0, {"language": language}),
    )


def test_each_trial_is_judged_in_the_language_of_its_question() -> None:
    (metric,) = in_its_language({"ar": [speaks("ar")], "en": [speaks("en")]})
    (only,) = in_its_language({"ar": [speaks("ar")]})
    for question, language in (("ما هي؟", "ar"), ("What?", "en")):
        trial = Trial(sample=Sample(sample_id="1", question=question), output=PipelineOutput())
        score, arabic = metric.compute(trial), only.compute(trial)
        assert isinstance(score, Score)
        assert isinstance(arabic, Score)
        assert score.details["language"] == language
        assert arabic.details["language"] == "ar"
