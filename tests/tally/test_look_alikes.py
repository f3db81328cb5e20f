"""Passages of one template: a wrong one may count as found, and the report says so."""

from __future__ import annotations

import pytest

from muffakir_eval import MuffakirEvaluation

TOWNS = ["الرياض", "جدة", "الدمام", "أبها", "تبوك", "حائل"]
TEMPLATE = (
    "يستحق موظف فرع {} إجازة سنوية مدتها {} يومًا بأجر كامل بعد سنة من العمل، ويقدم طلبه إلى مدير الفرع كتابةً "
    "قبل موعدها بأسبوعين على الأقل"
)
PASSAGES = [TEMPLATE.format(town, 20 + number) for number, town in enumerate(TOWNS)]
WARNING = "different chunks count as the same evidence because their words are similar"


@pytest.mark.parametrize(("further", "told"), [({}, True), ({"overlap_threshold": 0.95}, False)])
def test_passages_of_one_template_are_told_of(further: dict[str, object], told: bool) -> None:
    questions = [
        {"question": f"كم إجازة فرع {town}؟", "context": text} for town, text in zip(TOWNS, PASSAGES, strict=True)
    ]
    evaluator = MuffakirEvaluation({"metrics": ["precision"], "progress": False, **further})
    report = evaluator.evaluate(lambda question: PASSAGES[:5], questions)
    assert any(WARNING in note for note in report.notes) is told
    if told:
        assert any(note.startswith("for 6 of 6 questions") for note in report.notes)


def test_copies_that_hold_the_gold_are_not_meant() -> None:
    questions = [{"question": f"س{number}", "context": text} for number, text in enumerate(PASSAGES)]
    texts = {row["question"]: [f"{word} {row['context']}" for word in ("أولا", "ثانيا", "ثالثا")] for row in questions}
    report = MuffakirEvaluation({"metrics": ["recall"], "progress": False}).evaluate(
        lambda question: texts[question], questions
    )
    assert not any(WARNING in note for note in report.notes)
