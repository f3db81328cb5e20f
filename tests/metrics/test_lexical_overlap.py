"""Words in common: exact match, token F1, and the contexts against the accepted answer."""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.errors import ConfigError, DatasetError
from muffakir_eval.metrics.lexical import context_precision, context_recall, exact_match, token_f1
from muffakir_eval.metrics.lexical.overlap import context_overlap


def squad_words(text: str) -> list[str]:
    """Normalisation of SQuAD's evaluation: lower case, no punctuation, no articles, single spaces."""
    text = text.lower().translate(dict.fromkeys(map(ord, string.punctuation)))
    return re.sub(r"\b(a|an|the)\b", " ", text).split()


def squad_f1(prediction: str, truth: str) -> float:
    given, wanted = squad_words(prediction), squad_words(truth)
    if not given or not wanted:
        return float(given == wanted)
    same = sum((Counter(given) & Counter(wanted)).values())
    if same == 0:
        return 0.0
    precision, recall = same / len(given), same / len(wanted)
    return 2 * precision * recall / (precision + recall)


EQUAL = [
    ("The Eiffel Tower", "eiffel tower"),
    ("the quick brown fox.", "A quick brown fox"),
    ('a "big" house', "big house"),
    ("An apple, and the pear!", "apple and pear"),
    ("the well-known man", "well known man"),
    ("a café", "café"),
    ("the city of São Paulo", "city of São Paulo"),
    ("the U.S.", "US"),
    ("The Ｕ．Ｓ．Ａ．", "usa"),
    ("ص.ب ١٢", "ص ب 12"),
    ("at 5 p.m.", "At 5 PM"),
    ("1,234.5 km", "1234.5 km"),
    ("٢٠٢٤", "2024"),
    ("۲۰۲۴", "2024"),
    ("٣٫٥٪", "3.5%"),
    ("２０２４年", "2024年"),
    ("عامَ ١٩٧٣م.", "عام 1973م"),
    ("كـــتاب", "كتاب"),
    ("الرَّحْمَٰنُ", "الرحمن"),
    ("أحمد إلى المدرسة", "احمد الى المدرسه"),
    ("کتاب", "كتاب"),
    ("\u200fالرياض\u200e", "الرياض"),
    ("عبدالله، نعم؟", "عبدالله نعم"),
    ("東京 都", "東京都"),
    ("กรุงเทพ", "กรุงเทพ"),
    ("👍", "👍"),
    ("…", "..."),
    ("", ""),
    (" \u200f", ""),
    ("A", "a."),
    ("an A-level exam", "the A-level exam"),
    ("an MRI", "MRI"),
    ("Once Upon A Time", "once upon time"),
    ("THIS IS A TEST", "this is test"),
    ("a café", "café"),
    ("The", "the"),
]

DIFFERENT = [
    ("Paris", "London"),
    ("vitamin A", "vitamin"),
    ("plan a", "plan"),
    ("plan a.", "plan"),
    ("A", "B"),
    ("A", ""),
    ("فيتامين A ضروري", "فيتامين ضروري"),
    ("il a une maison", "il une maison"),
    ("Pierre a mangé", "Pierre mangé"),
    ("Er steht an der Wand", "Er steht der Wand"),
    ("an den Tagen", "den Tagen"),
    ("o an geldi", "o geldi"),
    ("hepatitis A virus", "hepatitis virus"),
    ("type A blood", "type blood"),
    ("a الرياض", "الرياض"),
    ("الكتاب", "كتاب"),
    ("والد", "الد"),
    ("القلم", "قلم"),
    ("ان", ""),
    ("أن الكتاب", "الكتاب"),
    ("شاهدت فيلم The Matrix أمس", "شاهدت فيلم Matrix أمس"),
    ("3.5", "35"),
    ("ق.م", "قم"),
    ("007", "7"),
    ("👍", "👎"),
    ("👍", ""),
    ("👍", "نعم"),
    ("?", "!"),
    ("one two", "two one"),
]


@pytest.mark.parametrize(("left", "right"), EQUAL)
def test_equal_texts(left: str, right: str) -> None:
    assert exact_match(left, right) == exact_match(right, left) == 1.0
    assert token_f1(left, right) == token_f1(right, left) == 1.0


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_different_texts(left: str, right: str) -> None:
    assert exact_match(left, right) == exact_match(right, left) == 0.0


@pytest.mark.parametrize(
    ("response", "reference", "value"),
    [
        ("quick brown fox", "quick brown dog", 2 / 3),
        ("الرياض هي عاصمة السعودية", "الرياض", 2 / 5),
        ("يبلغ عددهم ٢٠٢٤ نسمة", "2024 نسمة", 4 / 6),
        ("to be or not to be", "to be", 4 / 8),
        ("to be", "to to", 2 / 4),
        ("كتاب", "الكتاب", 0.0),
        ("东京都", "东京", 2 / 3),
        ("北京大学", "清华大学", 2 / 6),
        ("", "الرياض", 0.0),
        ("👍", "الرياض", 0.0),
        ("vitamin A is a vitamin", "vitamin A", 4 / 7),
        ("the capital of the UK is London", "London", 2 / 6),
    ],
)
def test_token_f1_counts_each_word_as_often_as_it_stands_there(response: str, reference: str, value: float) -> None:
    assert token_f1(response, reference) == pytest.approx(value, abs=1e-15)
    assert token_f1(reference, response) == token_f1(response, reference)


def test_the_letters_of_another_language_can_be_told_apart() -> None:
    assert exact_match("آب", "اب") == token_f1("آب", "اب") == 1.0
    assert exact_match("آب", "اب", profile="persian") == token_f1("آب", "اب", profile="persian") == 0.0
    assert context_recall("آب", ["اب"]) == context_precision("آب", ["اب"]) == 1.0
    assert context_recall("آب", ["اب"], profile="persian") == context_precision("آب", ["اب"], profile="persian") == 0.0
    with pytest.raises(ConfigError, match="unknown profile 'klingon'"):
        token_f1("a b", "c", profile="klingon")


ENGLISH = [
    ("The Eiffel Tower", "eiffel tower"),
    ("a dog and the cat", "The cat, and a dog!"),
    ("It was built in 1889.", "1889"),
    ("an answer", "the answer is an answer"),
    ("New York City", "the city of New York"),
    ("Denver Broncos", "Carolina Panthers"),
    ("", "something"),
]
word = st.sampled_from(["the", "a", "an hour", "house", "Paris", "is", "in", "of", "1889", "big", "dog", "and"])
sentence = st.lists(word, max_size=8).map(lambda words: " ".join([*words, "end"]))


@pytest.mark.parametrize(("left", "right"), ENGLISH)
def test_english_agrees_with_the_formula_of_squad(left: str, right: str) -> None:
    assert token_f1(left, right) == pytest.approx(squad_f1(left, right), abs=1e-12)
    assert exact_match(left, right) == float(squad_words(left) == squad_words(right))


@given(sentence, sentence)
@settings(max_examples=200, deadline=None)
def test_english_sentences_agree_with_the_formula_of_squad(left: str, right: str) -> None:
    assert token_f1(left, right) == pytest.approx(squad_f1(left, right), abs=1e-12)
    assert exact_match(left, right) == float(squad_words(left) == squad_words(right))


def test_real_english_answers_agree_with_squad_and_with_people(data_dir: Path) -> None:
    """EVOUNA: answers of five systems with human verdicts."""
    rows = json.loads((data_dir / "evouna" / "TQ_sample.json").read_text(encoding="utf-8"))
    systems = [key.removeprefix("answer_") for key in rows[0] if key.startswith("answer_")]
    near = 0
    by_verdict: dict[Any, list[float]] = {True: [], False: [], "nan": []}
    for row in rows:
        golds = [gold for gold in row["golden_answer"].split("/") if gold]
        for system in systems:
            ours, squads = (max(f1(row[f"answer_{system}"], gold) for gold in golds) for f1 in (token_f1, squad_f1))
            near += abs(ours - squads) < 0.05
            by_verdict[row[f"judge_{system}"]].append(ours)
    right, wrong = by_verdict[True], by_verdict[False]
    assert len(right) + len(wrong) > 1900
    assert near > 0.9 * (len(right) + len(wrong))
    assert fmean(right) > 2 * fmean(wrong)


@pytest.mark.parametrize(
    ("reference", "contexts", "recall", "precision"),
    [
        ("paris france", ["Paris is the capital of France."], 1.0, 1.0),
        ("paris france", ["London is in England."], 0.0, 0.0),
        ("paris", ["Paris is in France.", "Unrelated text."], 1.0, 0.5),
        ("paris france", ["Paris.", "France."], 1.0, 1.0),
        ("paris paris france", ["Paris."], 0.5, 1.0),
        ("the house", ["The cat sat."], 0.0, 0.0),
        ("vitamin A", ["Vitamin A is soluble.", "vitamin C"], 1.0, 1.0),
        ("vitamin A", ["vitamin C"], 0.5, 1.0),
        ("il a raison", ["a b"], 1 / 3, 1.0),
        ("القاهرة ١٩٦٩", ["تأسَّست القاهرةُ", "عام 1969", "نص آخر"], 1.0, 2 / 3),
        ("الكتاب", ["كتاب"], 0.0, 0.0),
        ("东京都", ["东京", "京都"], 1.0, 1.0),
        ("الرياض", [], 0.0, 0.0),
        ("الرياض", ["", "👍"], 0.0, 0.0),
        ("👍", ["أحسنت 👍", "لا"], 1.0, 0.5),
        ("👍", ["👎"], 0.0, 0.0),
        ("", ["نص"], 0.0, 0.0),
    ],
)
def test_contexts(reference: str, contexts: list[str], recall: float, precision: float) -> None:
    assert context_recall(reference, contexts) == pytest.approx(recall, abs=1e-15)
    assert context_precision(reference, contexts) == pytest.approx(precision, abs=1e-15)


def test_contexts_may_be_any_iterable() -> None:
    assert context_recall("الرياض", ("الرياض",)) == 1.0
    assert context_precision("الرياض", (text for text in ["الرياض", "جدة"])) == 0.5  # type: ignore[arg-type]


def test_contexts_are_cut_into_words_once_for_both_metrics() -> None:
    context_overlap.cache_clear()
    contexts = ["نص طويل عن الرياض"]
    context_recall("الرياض", contexts)
    context_precision("الرياض", contexts)
    assert (context_overlap.cache_info().misses, context_overlap.cache_info().hits) == (1, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: exact_match(None, "x"), "response is of type NoneType"),  # type: ignore[arg-type]
        (lambda: exact_match("x", 5), "reference is of type int"),  # type: ignore[arg-type]
        (lambda: token_f1(float("nan"), "x"), "response is of type float"),  # type: ignore[arg-type]
        (lambda: token_f1("x", ["x"]), "reference is of type list"),  # type: ignore[arg-type]
        (lambda: context_recall("x", "x y"), r"retrieved_contexts is of type str.*a list of texts"),
        (lambda: context_recall("x", None), "retrieved_contexts is of type NoneType"),  # type: ignore[arg-type]
        (lambda: context_precision("x", ["x", None]), "context 2 is of type NoneType"),  # type: ignore[list-item]
        (lambda: context_precision(None, ["x"]), "reference is of type NoneType"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_text_is_refused(call: Callable[[], float], message: str) -> None:
    with pytest.raises(DatasetError, match=message) as caught:
        call()
    assert isinstance(caught.value, ValueError)


TEXT = st.text(alphabet="ابتة أإىكـَُّۀ 东京ก the a an A. é ٣3٫.,-_’'\"(👍\u200fI", max_size=20) | st.text(max_size=20)


@given(TEXT, TEXT)
@settings(max_examples=300, deadline=None)
def test_symmetric_and_between_zero_and_one(left: str, right: str) -> None:
    for metric in (exact_match, token_f1):
        assert 0.0 <= metric(left, right) <= 1.0
        assert metric(left, right) == metric(right, left)
    assert exact_match(left, right) <= token_f1(left, right)


@given(TEXT)
@settings(max_examples=300, deadline=None)
def test_a_text_equals_itself_in_every_spelling(text: str) -> None:
    for spelling in (text, text.upper().lower(), f" {text}\n", text.replace("ا", "اـ"), text.replace("ب", "ب\u064e")):
        assert exact_match(text, spelling) == 1.0
        assert token_f1(text, spelling) == 1.0


@given(TEXT, st.lists(TEXT, max_size=4))
@settings(max_examples=200, deadline=None)
def test_contexts_between_zero_and_one(reference: str, contexts: list[str]) -> None:
    recall, precision = context_recall(reference, contexts), context_precision(reference, contexts)
    assert 0.0 <= recall <= 1.0
    assert 0.0 <= precision <= 1.0
    assert (recall > 0) == (precision > 0)
    assert context_recall(reference, [*contexts, "نص"]) >= recall


@given(TEXT, TEXT)
@settings(max_examples=200, deadline=None)
def test_a_context_that_is_the_reference_holds_all_of_it(reference: str, context: str) -> None:
    found: Any = exact_match(reference, "") == 1.0
    assert context_recall(reference, [context, reference]) == (0.0 if found else 1.0)


@pytest.mark.parametrize("contexts", [{"Paris": 1}, "Paris", b"Paris", None, 5, ["Paris", None]])
def test_contexts_are_a_list_of_texts(contexts: Any) -> None:
    for metric in (context_recall, context_precision):
        with pytest.raises(DatasetError, match="text"):
            metric("Paris", contexts)
