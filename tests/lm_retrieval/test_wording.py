from __future__ import annotations

from typing import Any

import pytest

from muffakir_eval import Score
from muffakir_eval.lm_retrieval.rules import load_rules
from muffakir_eval.lm_retrieval.speaking import Language
from muffakir_eval.lm_retrieval.wording import explain_rating, explain_score, figure
from tests.lm_retrieval.cases import failed, measured, missing, rule, scores


def nodes(value: float, *words: str, reasons: tuple[str, ...] = (), **more: Any) -> Score:
    verdicts = [
        {"number": n, "verdict": word, "reason": reasons[n - 1] if reasons else ""} for n, word in enumerate(words, 1)
    ]
    return Score.measured("contextual_precision", value, {"verdicts": verdicts, **more})


def statements(value: float, *chunks: int | None, **more: Any) -> Score:
    texts = ("باريس عاصمة فرنسا.", "وهي كبيرة؛", "Third")
    verdicts = [
        {"number": n, "statement": texts[n - 1], "verdict": "yes" if chunk else "no", "chunk": chunk, "reason": ""}
        for n, chunk in enumerate(chunks, 1)
    ]
    return Score.measured("contextual_recall", value, {"verdicts": verdicts, **more})


def first(score: Score, language: Language) -> str:
    """The first sentence."""
    text = explain_score(score, language)
    return text[: text.index(". ") + 1]


@pytest.mark.parametrize(
    ("words", "english", "arabic"),
    [
        (("no", "yes", "no"), "the first useful node is only at rank 2", "أول مقطع مفيد لم يأتِ إلا في المرتبة 2"),
        (("no", "no"), "no retrieved node is useful", "المقاطع المسترجعة ليس فيها مقطع مفيد"),
        (("yes", "yes"), "every retrieved node is useful", "كل المقاطع المسترجعة مفيدة"),
        (
            ("yes", "yes", "no"),
            "every useful node is ranked ahead of every node that is not useful",
            "كل مقطع مفيد يسبق كل مقطع غير مفيد",
        ),
        (
            ("yes", "yes", "no", "no", "yes"),
            "node 3, which is not useful, is ranked ahead of node 5, which is",
            "المقطع 3 غير المفيد يسبق المقطع 5 المفيد",
        ),
    ],
)
def test_why_a_precision_is_what_it_is(words: tuple[str, ...], english: str, arabic: str) -> None:
    assert first(nodes(0.25, *words), "en") == f"The score is 0.25 because {english}."
    assert first(nodes(0.25, *words), "ar") == f"الدرجة 0.25 لأن {arabic}."


def test_every_node_is_named_with_the_judges_reason() -> None:
    score = nodes(0.5, "no", "yes", reasons=("About\n Germany.", "It names it"))
    assert explain_score(score, "en").endswith("Node 1 is not useful: About Germany. Node 2 is useful: It names it.")
    assert explain_score(nodes(1.0, "yes", reasons=("هل هي باريس؟",)), "ar").endswith("المقطع 1 مفيد: هل هي باريس؟")


@pytest.mark.parametrize(
    ("chunks", "english", "arabic"),
    [
        (
            (1, 2),
            "every statement of the expected response is supported by a node",
            "كل عبارة في الإجابة المتوقعة يسندها مقطع",
        ),
        (
            (None, None),
            "no statement of the expected response is supported by a node",
            "عبارات الإجابة المتوقعة لا يسندها أي مقطع",
        ),
        (
            (None, 3, None),
            "the nodes support 1 of the 3 statements of the expected response",
            "ما تسنده المقاطع من عبارات الإجابة المتوقعة هو 1 من 3",
        ),
    ],
)
def test_why_a_recall_is_what_it_is(chunks: tuple[int | None, ...], english: str, arabic: str) -> None:
    assert first(statements(0.25, *chunks), "en") == f"The score is 0.25 because {english}."
    assert first(statements(0.25, *chunks), "ar") == f"الدرجة 0.25 لأن {arabic}."


def test_every_statement_is_named_with_its_node() -> None:
    text = explain_score(statements(0.5, 2, None), "en")
    assert text.endswith(
        "Statement 1 (“باريس عاصمة فرنسا”) is supported by node 2. Statement 2 (“وهي كبيرة”) is supported by no node."
    )
    text = explain_score(statements(0.5, 2, None), "ar")
    assert text.endswith("العبارة 1 («باريس عاصمة فرنسا») يسندها المقطع 2. العبارة 2 («وهي كبيرة») لا يسندها أي مقطع.")


def quoting(statement: str, reason: str = "", language: Language = "en") -> str:
    verdicts = [{"number": 1, "statement": statement, "verdict": "yes", "chunk": 1, "reason": reason}]
    return explain_score(Score.measured("contextual_recall", 1.0, {"verdicts": verdicts}), language)


@pytest.mark.parametrize(
    ("statement", "reason", "end"),
    [
        ("...", "", "Statement 1 (“...”) is supported by node 1."),
        ("巴黎是首都。", "是的。", "Statement 1 (“巴黎是首都”) is supported by node 1: 是的。"),
        ("Yes.", 'It says "yes."', 'Statement 1 (“Yes”) is supported by node 1: It says "yes."'),
        ("a\u202eb", "c\u2066d\x1be", "Statement 1 (“ab”) is supported by node 1: cd?e."),
        ("س" * 501, "ص " * 300_000, f"(“{'س' * 500}…”) is supported by node 1: {'ص ' * 249}ص…"),
    ],
)
def test_what_is_quoted_cannot_spoil_the_sentence(statement: str, reason: str, end: str) -> None:
    assert quoting(statement, reason).endswith(end)


def test_of_several_accepted_answers_the_best_one_is_explained() -> None:
    text = explain_score(statements(1.0, None, None, 1, counted=[3]), "en")
    assert "every statement" in text
    assert "Statement 3 (“Third”) is supported by node 1." in text
    assert "Statement 1" not in text


def test_a_mean_of_repeats_says_so() -> None:
    score = nodes(0.625, "no", "yes", repeats={"n": 3, "n_valid": 2})
    assert explain_score(score, "en").startswith(
        "The score is 0.62, the mean of 2 of 3 judgements. In the first of these, the first useful node is only at rank"
    )
    assert explain_score(score, "ar").startswith(
        "الدرجة 0.62، وهي متوسط الأحكام الصالحة، وعددها 2 من 3. وبحسب أولها فإن أول مقطع مفيد"
    )


def test_without_a_score_the_reason_is_given_in_words() -> None:
    broken = Score.failed("contextual_recall", "judge_invalid", {"message": "number 6\n was not asked for"})
    assert explain_score(broken, "en") == (
        "There is no score: the judge's reply is not what was asked for (judge_invalid: number 6 was not asked for)."
    )
    assert explain_score(missing(), "ar") == "لا درجة: لم يُسترجع شيء (no_chunks)."
    own = Score.not_applicable("mine", "too_short")
    assert explain_score(own, "en") == "There is no score: too short (too_short)."


def test_other_metrics_are_explained_in_their_own_words() -> None:
    assert explain_score(Score.measured("faithfulness", 1.0, {"explanation": "all there"}), "en") == "all there"
    assert explain_score(Score.measured("mine", 0.3), "en") == "The score is 0.30."
    assert explain_score(Score.measured("mine", 0.3, {"explanation": " "}), "ar") == "الدرجة 0.30."
    assert explain_score(Score.measured("contextual_recall", 0.3), "en") == "The score is 0.30."


@pytest.mark.parametrize(
    ("value", "threshold", "shown"),
    [
        (0.5, None, "0.50"),
        (0.4999, 0.5, "0.4999"),
        (0.4, 0.5, "0.40"),
        (0.5, 0.5, "0.50"),
        (0.5 - 1e-12, 0.5, "0.500000"),
        (399 / 400, None, "0.998"),
        (1 / 250, 0.5, "0.004"),
        (1.0, 0.5, "1.00"),
        (0.0, None, "0.00"),
    ],
)
def test_a_figure_is_never_shown_as_the_threshold_that_it_misses(
    value: float, threshold: float | None, shown: str
) -> None:
    assert figure(value, threshold) == shown


HALF = {"contextual_recall": 0.5, "contextual_precision": 0.5}


def rating(*given: Score, rules: Any = None, language: Language = "en") -> str:
    found = scores(*given)
    return explain_rating(load_rules(rules).rate(found), found, HALF, language)


def test_why_a_rating_is_what_it_is() -> None:
    high, low = measured(0.75, "contextual_precision"), measured(0.4999, "contextual_precision")
    assert rating(high, measured(1.0)) == "All metrics met the expected values."
    assert rating(low, measured(1.0)) == (
        "The rule for good holds. Metrics: contextual precision 0.4999 (below 0.50), contextual recall 1.00."
    )
    assert rating(high, measured(0.25)) == (
        "The rule for bad holds. Metrics: contextual precision 0.75, contextual recall 0.25 (below 0.50)."
    )
    assert rating(high, measured(0.6), rules={"good": rule(">", 0.8)}) == (
        "Neither the rule for good nor the rule for bad holds. "
        "Metrics: contextual precision 0.75, contextual recall 0.60."
    )
    assert rating(high, failed("timeout")) == (
        "There is no rating, because contextual recall could not be measured: the judge did not reply in time. "
        "Metrics: contextual precision 0.75, contextual recall without a score (timeout)."
    )
    assert rating(high, missing("no_gold_answer")).startswith(
        "Neither rule can hold, because there is no value of contextual recall: there is no expected response."
    )


def test_failures_come_before_what_does_not_apply() -> None:
    rules = {"good": {"or": [rule(">", 0.5), rule(">", 0.5, "contextual_precision")]}}
    said = rating(missing(), failed("timeout", "contextual_precision"), rules=rules)
    assert said.startswith("There is no rating, because contextual precision could not be measured: ")


def test_several_metrics_without_a_value_are_spoken_of_in_the_plural() -> None:
    both = {"good": {"and": [rule(">", 0.5), rule(">", 0.5, "contextual_precision")]}}
    empty = (missing(), missing("no_chunks", "contextual_precision"))
    lost = (failed("timeout"), failed("timeout", "contextual_precision"))
    said: list[tuple[tuple[Score, Score], Language, str]] = [
        (empty, "en", "Neither rule can hold, because there is no value of contextual recall, contextual precision: "),
        (empty, "ar", "لا يمكن أن تتحقق أي قاعدة، لأن ما يلي لا ينطبق هنا: استدعاء السياق، دقة السياق (لم يُسترجع"),
        (lost, "en", "There is no rating, because contextual recall, contextual precision could not be measured: the "),
        (lost, "ar", "لا تقدير، لأن ما يلي تعذّر قياسه: استدعاء السياق، دقة السياق (لم يردّ الحَكَم في الوقت المحدد)."),
    ]
    for given, language, start in said:
        assert rating(*given, rules=both, language=language).startswith(start)


def test_why_in_arabic() -> None:
    high = measured(0.75, "contextual_precision")
    assert rating(high, measured(1.0), language="ar") == "بلغت جميع المقاييس القيم المتوقعة."
    assert rating(high, measured(0.25), language="ar") == (
        "تحققت قاعدة التقدير «سيئ». المقاييس: دقة السياق 0.75، استدعاء السياق 0.25 (دون 0.50)."
    )
    assert rating(high, failed("timeout"), language="ar") == (
        "لا تقدير، لأن ما يلي تعذّر قياسه: استدعاء السياق (لم يردّ الحَكَم في الوقت المحدد). "
        "المقاييس: دقة السياق 0.75، استدعاء السياق بلا درجة (timeout)."
    )
