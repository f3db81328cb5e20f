"""Refusals are found, in three languages and several dialects; answers that say no are not."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.refusals import detect_answer_refusal, find_refusal

REFUSALS = [
    "عذرًا، لا تتوفر معلومات كافية في السياق للإجابة.",
    "لا أستطـــيع الإجابَة بناءً على السياق المتاح",
    "\u200fلا أعلم.",
    "مش عارف",
    "I can’t answer that from the documents.",
    "Je ne peux pas répondre à cette question.",
    "لا تتوفر لدي معلومات كافية",
    "لا يمكنني الإجابة على هذا السؤال استناداً إلى السياق المتاح",
    "I cannot answer this question based on the provided context",
    "Insufficient information",
    "insufficient information.",
    "ما أدري",
    "ما بعرف",
    "ما أدري والله",
    "والله ما أعرف",
    "غير مذكور في النص",
    "غير مذكور في السياق المقدم.",
    "المعلومات غير متوفرة في المستندات.",
    "الإجابة غير موجودة في السياق.",
    "لم ترد أي معلومات عن هذا الموضوع في النص المقدم.",
    "السياق المقدم لا يحتوي على معلومات حول الموضوع.",
    "النص لا يذكر سنة الميلاد.",
    "بناءً على السياق المقدم، لا يمكن تحديد عدد السكان.",
    "بناء على السياق، لم أجد معلومات عن رسوم التسجيل.",
    "للأسف، لا أملك معلومات كافية للإجابة عن سؤالك.",
    "آسف، لكن السياق لا يتضمن الإجابة.",
    "أعتذر، ولكن لا يمكنني تقديم إجابة دقيقة.",
    "لا توجد إجابة في السياق.",
    "لا يوجد في السياق ما يشير إلى ذلك.",
    "لا يوجد أي ذكر للموضوع في النص.",
    "ليس لدي معلومات حول هذا الموضوع.",
    "ليست لدي معلومات كافية.",
    "لست متأكدًا من الإجابة.",
    "لا أدري.",
    "لا نعلم.",
    "لا أعرف الإجابة.",
    "**لا أعلم**",
    "الإجابة: لا أعرف",
    '"لا أعلم"',
    "«غير مذكور»",
    "لم يُذكر ذلك في السياق.",
    "لم يتم ذكر اسم المدير في الوثيقة.",
    "لم تذكر الوثائق المقدمة تاريخ التأسيس.",
    "تاريخ التأسيس غير مذكور في الوثيقة.",
    "لا يتضمن السياق المقدم أي إشارة إلى ذلك.",
    "لا يحتوي النص على إجابة لهذا السؤال.",
    "معنديش فكرة",
    "ما عندي علم",
    "ماعنديش معلومات",
    "مقدرش أجاوب على السؤال ده",
    "ما بقدر جاوب",
    "مفيش معلومات في النص عن كده",
    "ما في معلومات كافية",
    "ماكو معلومات عن هذا الموضوع",
    "ما لقيت شي عن الموضوع",
    "مدري",
    "هذا السؤال خارج نطاق المعلومات المتوفرة لدي.",
    "لا يمكنني مساعدتك في هذا الطلب.",
    "مرحبًا! شكرًا على سؤالك. للأسف لا أملك معلومات عن ذلك.",
    "ما هي عاصمة فرنسا؟ لا أعلم.",
    "السياق يتحدث عن مصر فقط. لذلك لا يمكنني تحديد عدد سكان السودان.",
    "I don't know.",
    "I do not know the answer.",
    "I'm sorry, but I don't have enough information to answer that.",
    "I’m not sure.",
    "Unfortunately, the context does not mention this.",
    "The provided context does not contain information about the price.",
    "The text doesn't specify the year.",
    "There is not enough information in the documents to answer.",
    "No information is available in the context.",
    "The answer is not found in the context.",
    "The question cannot be answered from the given context.",
    "Based on the context, I cannot determine the answer.",
    "I was unable to find any relevant documents.",
    "We could not find an answer to your question.",
    "As an AI language model, I don't have access to real-time data.",
    "This information is not provided in the text.",
    "Not mentioned in the context.",
    "Not enough information.",
    "Answer: Not mentioned",
    "N/A",
    "n/a.",
    "Sorry, I don't know",
    "I cannot provide an answer based on the available information.",
    "The documents provided do not include details on refunds.",
    "Nothing in the context mentions the price.",
    "The available information is insufficient to answer.",
    "After reviewing the documents you provided, I could not find the refund policy.",
    "I apologize, but I cannot find the answer in the text.",
    "Thank you for your question. I don't have information about that.",
    "Je ne sais pas.",
    "Désolé, je n'ai pas assez d'informations pour répondre.",
    "Le contexte fourni ne contient pas cette information.",
    "Cette information n'est pas mentionnée dans le document.",
    "Je n’ai pas trouvé la réponse dans le contexte.",
    "Malheureusement, je ne dispose pas de ces informations.",
    "D'après le contexte, il est impossible de déterminer la date.",
    "Aucune information n'est disponible à ce sujet.",
    "Désolée, je ne suis pas en mesure de répondre.",
    "Il n'y a pas d'information sur ce sujet dans le texte.",
    "Non mentionné.",
    "Je ne peux pas vous aider avec cela.",
    "I can't help with that.",
    "لا استطيع الاجابه",
    "لااعرف",
    "غير متوفر",
    "غير متوفرة.",
    "لا ينطبق",
    "Not applicable.",
    "Non applicable",
]

ANSWERS = [
    "لا، لا يمكن للطالب تأجيل الامتحان.",
    "لا يمكن للطالب تأجيل الامتحان إلا بعذر مقبول.",
    "لا يوجد وقت محدد لتقديم الطلب.",
    "لا يجوز للمؤجر إخلاء المستأجر قبل انتهاء العقد.",
    "لا.",
    "لا، لم يذكر القانون ذلك.",
    "نعم، يمكنك التقديم.",
    "لا توجد رسوم على التسجيل.",
    "لا يوجد حد أقصى لعدد المحاولات.",
    "لا تتوفر الخدمة يوم الجمعة.",
    "لا يتضمن العقد شرطًا جزائيًا.",
    "لم يحصل الفريق على أي بطولة.",
    "لم يذكر القانون عقوبة محددة لهذا الفعل.",
    "لا يعلم أحد متى بُني الهرم.",
    "غير مسموح بالتصوير داخل المتحف.",
    "غير قانوني.",
    'قال الوزير: "لا أعلم متى تنتهي الأزمة".',
    '"لا أعلم" عنوان أغنية لعبد الحليم حافظ.',
    "قال الشاهد إنه لا يعرف المتهم.",
    "لا يستطيع الموظف الجمع بين وظيفتين.",
    "لا يمكن تحديد جنس الجنين قبل الأسبوع الثامن.",
    "لا يشترط وجود معلومات مسبقة.",
    "لا بد من تقديم الطلب قبل نهاية الشهر.",
    "يحظر على الموظف إفشاء المعلومات.",
    "ما أعرفه هو أن القاهرة عاصمة مصر.",
    "ما نعرف عنه هو أنه ولد في دمشق.",
    "علي بن أبي طالب",
    "لا إله إلا الله",
    "الدار البيضاء",
    "لم يتزوج قط.",
    "ليس هناك فرق بينهما.",
    "لا توجد عاصمة رسمية لناورو.",
    "القاهرة، والله أعلم.",
    "عام 1990، ولا أعلم التفاصيل.",
    "السبب غير معروف حتى اليوم، لكن يعتقد العلماء أنه فيروس.",
    "المتهم غير موجود في مصر.",
    "الخدمة غير متوفرة في الإسكندرية.",
    "البضاعة غير متوفرة.",
    "No, the President cannot pardon himself.",
    "No.",
    "No, there is no information to support this.",
    "You cannot smoke in the building.",
    "There is no fixed time for the appointment.",
    "There is no fee.",
    "There is no evidence that vaccines cause autism.",
    "The law does not mention a penalty for this act.",
    "The law does not specify a time limit.",
    "It is not possible to travel faster than light.",
    "It is impossible to determine the sex of an embryo before week eight.",
    "The contract does not provide for damages.",
    'The witness said, "I don\'t know".',
    '"I Don\'t Know" is a song by Paul McCartney.',
    "He did not know the answer.",
    "The cause is unknown.",
    "Paris",
    "Nobody knows who built it.",
    "An employee can't be dismissed without notice.",
    "I Can't Get No Satisfaction was released in 1965.",
    "None of the documents are required.",
    "There is no information security department.",
    "Passage 3 says the treaty was signed in 1920, but the location is not mentioned.",
    "Unknown Pleasures",
    "Dr. No",
    "Not until 1990.",
    "Non, le locataire ne peut pas résilier.",
    "Il n'y a pas de frais.",
    "Le contrat ne prévoit pas de pénalité.",
    "Il ne peut pas être licencié.",
    "On ne peut pas fumer dans ce lieu.",
    "Je suis né en 1990.",
    "Aucun délai n'est prévu.",
    "The passport is not required.",
    "The documents you need are a passport and a photo.",
    "The information desk is on the first floor.",
    "Sorry is a song by Justin Bieber.",
    "I can see three reasons.",
    "Unfortunately for Napoleon, the battle was lost.",
    "Context matters.",
    "السياق التاريخي للمعركة هو الحرب العالمية الثانية.",
    "المعلومات السرية لا يجوز نشرها.",
    "البيانات الشخصية لا يجوز معالجتها دون موافقة.",
    "النص على ذلك في المادة الخامسة.",
]

PARTIAL = [
    "لا أعرف بالضبط، لكن أظن أنه ولد عام 1990.",
    "لا توجد معلومات كافية في السياق. ومع ذلك، يمكن القول إن القاهرة هي عاصمة مصر منذ عام 969.",
    "I don't know exactly, but I think it was 1990.",
    "The context does not state the date. However, it happened in 1990 according to historians.",
    "Je ne sais pas exactement, mais je pense que c'est en 1990.",
    "لم يذكر السياق ذلك، ولكن بشكل عام تبلغ المدة ثلاثين يوما من تاريخ الإخطار.",
]


@pytest.mark.parametrize("answer", REFUSALS)
def test_refusals_are_found(answer: str) -> None:
    refusal = find_refusal(answer)
    assert refusal is not None
    assert not refusal.partial
    assert detect_answer_refusal(answer) == refusal.reason


@pytest.mark.parametrize("answer", ANSWERS)
def test_answers_are_not_refusals(answer: str) -> None:
    assert find_refusal(answer) is None
    assert detect_answer_refusal(answer) is None


@pytest.mark.parametrize("answer", PARTIAL)
def test_a_hedge_before_content_is_partial_and_counts_as_an_answer(answer: str) -> None:
    refusal = find_refusal(answer)
    assert refusal is not None
    assert refusal.partial
    assert detect_answer_refusal(answer) is None


@pytest.mark.parametrize("answer", [None, "", " ", "\n\t", "\u200f\ufeff", "\u00ad", "...", "\u064b"])
def test_an_empty_answer_is_no_refusal(answer: str | None) -> None:
    assert find_refusal(answer) is None
    assert detect_answer_refusal(answer) is None


@pytest.mark.parametrize(
    ("answer", "reason", "kind", "phrase", "language"),
    [
        ("عذرًا، لا تتوفر معلومات كافية.", "insufficient_information", "insufficient", "لا تتوفر معلومات", "ar"),
        ("لا أستطـــيع الإجابَة الآن", "insufficient_information", "cannot_answer", "لا أستطـــيع الإجابَة", "ar"),
        ("\u200fلا أعلم.", "insufficient_information", "does_not_know", "لا أعلم", "ar"),
        ("مش عارف", "insufficient_information", "does_not_know", "مش عارف", "ar"),
        ("لم أجد شيئا عن ذلك", "insufficient_information", "not_found", "لم أجد شيئا", "ar"),
        ("**N/A**", "insufficient_information", "not_in_context", "N/A", "en"),
        ("I can\u2019t answer that.", "insufficient_information", "cannot_answer", "I can\u2019t answer", "en"),
        ("I couldn't find the document.", "insufficient_information", "not_found", "I couldn't find", "en"),
        ("Sorry, but I can't assist with that.", "policy", "policy", "I can't assist", "en"),
        ("آسف، لا يمكنني مساعدتك في ذلك.", "policy", "policy", "لا يمكنني مساعدتك", "ar"),
        ("Your question is unclear.", "unclear_question", "unclear_question", "Your question is unclear", "en"),
        ("This topic is outside the scope.", "insufficient_information", "out_of_scope", None, "en"),
        ("Je ne sais pas.", "insufficient_information", "does_not_know", "Je ne sais pas", "fr"),
    ],
)
def test_reason_kind_and_words_are_told(answer: str, reason: str, kind: str, phrase: str | None, language: str) -> None:
    refusal = find_refusal(answer)
    assert refusal is not None
    assert (refusal.reason, refusal.kind, refusal.language) == (reason, kind, language)
    assert answer[slice(*refusal.span)] == refusal.phrase
    if phrase is not None:
        assert refusal.phrase == phrase


P52 = {
    "عذرًا، لا تتوفر معلومات كافية في السياق للإجابة.": ("insufficient", "ar"),
    "لا أستطـــيع الإجابَة بناءً على السياق المتاح": ("cannot_answer", "ar"),
    "\u200fلا أعلم.": ("does_not_know", "ar"),
    "مش عارف": ("does_not_know", "ar"),
    "I can\u2019t answer that from the documents.": ("cannot_answer", "en"),
    "Je ne peux pas répondre à cette question.": ("cannot_answer", "fr"),
}


@pytest.mark.parametrize("answer", P52)
def test_p52_real_refusals_are_found_and_their_words_shown(answer: str) -> None:
    refusal = find_refusal(answer)
    assert refusal is not None
    assert (refusal.kind, refusal.language) == P52[answer]
    assert refusal.phrase == answer[slice(*refusal.span)] != ""
    assert not refusal.partial


@pytest.mark.parametrize("answer", P52)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("مرحبًا! ", " يرجى التواصل مع الإدارة."),
        ("Thank you for your question. ", " Please ask the library."),
        ("Bonjour, merci pour votre question. ", " N'hésitez pas à reformuler."),
        ("\ufeff**", "**"),
        ("\u202b", "\u202c"),
        ("\n\n", "\n"),
    ],
)
def test_p52_a_polite_opening_or_ending_hides_nothing(answer: str, before: str, after: str) -> None:
    assert detect_answer_refusal(f"{before}{answer}{after}") == "insufficient_information"


@pytest.mark.parametrize("answer", P52)
def test_p52_what_is_quoted_or_told_of_others_is_an_answer(answer: str) -> None:
    said = answer.strip(".")
    assert find_refusal(f"قال الشاهد: «{said}» ثم انصرف إلى بيته.") is None
    assert find_refusal(f"The witness said: \u201c{said}\u201d and went home.") is None


def test_help_offered_after_a_refusal_is_no_content() -> None:
    for answer in (
        "I can't answer that, but I can help you with other questions about the documents.",
        "I don't know. Please contact the library, it is open every day from nine to five.",
        "لا تتوفر لدي معلومات كافية. يرجى التواصل مع إدارة شؤون الطلاب في مبنى الكلية خلال ساعات العمل الرسمية.",
        "I don't know. None of the contexts say so. However, they do provide information about other discoveries.",
    ):
        assert detect_answer_refusal(answer) == "insufficient_information"


def test_much_content_without_a_but_is_partial_too() -> None:
    answer = "لا أعلم. " + "يحق للعامل أن يحصل على إجازة سنوية مدفوعة الأجر. " * 6
    refusal = find_refusal(answer)
    assert refusal is not None
    assert refusal.partial
    beyond = find_refusal("لا أعلم. " + "\n" * 4000 + "كلمة " * 50)
    assert beyond is not None
    assert beyond.partial


def test_what_is_offered_and_then_given_is_content() -> None:
    offer = "I cannot create pictures, but I can write one as a text:"
    given = find_refusal(f"{offer}\nA cat sits on a red mat.")
    assert given is not None
    assert given.partial
    alone = find_refusal("I cannot create pictures. I can help you with:\ntexts.")
    assert alone is not None
    assert not alone.partial


def test_a_refusal_after_content_is_an_answer() -> None:
    assert find_refusal("ولد الشاعر في دمشق عام 1923 ودرس الحقوق فيها. لا أعلم شيئا عن أسرته.") is None
    assert find_refusal("The capital is Paris. The context does not mention its population.") is None


def test_a_conclusion_from_the_material_alone_is_a_refusal() -> None:
    refusal = find_refusal("The contexts only discuss Egypt. They are old documents. Therefore, I cannot say.")
    assert refusal is not None
    assert refusal.phrase == "I cannot say"
    assert find_refusal("The capital is Paris. Therefore, I cannot say more.") is None
    assert find_refusal("The contexts discuss Egypt. It is large. Therefore, I cannot say.") is None
    assert find_refusal("The contexts discuss Egypt. Therefore, Egypt is large. Therefore") is None
    long = "The context is about Egypt. " + "The context " + "word " * 90 + ". Therefore, I cannot say."
    assert find_refusal(long) is None


def test_the_instruction_itself_is_no_refusal() -> None:
    assert find_refusal('Please respond with either "Yes, answer is present" or "I don\'t know".') is None
    assert find_refusal("أجب بعبارة «لا أعلم» إن لم تجد الإجابة.") is None


def test_quotes_around_the_whole_answer_do_not_hide_it() -> None:
    for answer in ('"I don\'t know."', "«لا أعلم»", "“لا أعلم”", "\"I don't know"):
        assert find_refusal(answer) is not None
    for answer in ('"I don\'t know," he said.', "«لا أعلم» هي أغنية.", "“لا أعلم” هي أغنية."):
        assert find_refusal(answer) is None


PIECES = [
    "لا",
    "يوجد",
    "ذكر",
    "في",
    "السياق",
    "،",
    ".",
    "not",
    "mentioned",
    "the context",
    "I",
    "can't",
    "answer",
    "but",
]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=30).map(" ".join))
def test_any_text_gives_a_span_that_holds_the_phrase(answer: str) -> None:
    refusal = find_refusal(answer)
    if refusal is not None:
        assert answer[slice(*refusal.span)] == refusal.phrase != ""


@pytest.mark.parametrize(
    "piece",
    [
        "لا يوجد ",
        "not ",
        "there is no ",
        "I cannot really ",
        "based on the context ",
        "،",
        '"',
        "a",
        "\u200b",
        "sorry, ",
        "我无法",
        "没有提到",
        "文中",
        "記載がありません",
        "در متن وجود ندارد ",
        "ich kann nicht ",
        "no se menciona ",
        "n'est pas ",
        "مفيش ",
        "ولا ",
        "संदर्भ में नहीं ",
        "it is important to ",
        "violence ",
        "<think>",
        "- ",
        "1. ",
        "tidak ada ",
        "olmadigi icin ",
        "\u064b",
        "\U0001f614",
    ],
)
def test_hostile_repetition_is_read_to_the_end_of_the_head_only(piece: str) -> None:
    refusal = find_refusal(piece * 100_000)
    assert refusal is None or refusal.span[1] < 4000


def _figures(path: Path, *, even: bool) -> tuple[float, float]:
    """Precision and F1 of finding refusals among the rows labelled refusal or answer."""
    counts: Counter[tuple[bool, bool]] = Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        is_even = int(hashlib.sha1(row["text"].encode(), usedforsecurity=False).hexdigest(), 16) % 2 == 0
        if row["label"] in {"refusal", "answer"} and is_even == even:
            counts[row["label"] == "refusal", detect_answer_refusal(row["text"]) is not None] += 1
    right, false, missed = counts[True, True], counts[False, True], counts[True, False]
    return right / (right + false), 2 * right / (2 * right + false + missed)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("There are two people of that name. Which one do you mean?", "unclear_question"),
        ("There are 2 people of that name. Which one do you mean?", None),
        ("There are two people of that name. Which one do you mean? Both lived in Rome.", None),
        ("There are two people of that name. Was it so?", None),
        ("There are two people of that name" + ", of whom one is a poet" * 12 + ". Which one do you mean?", None),
    ],
)
def test_a_short_answer_may_end_in_the_question_what_is_meant(answer: str, reason: str | None) -> None:
    assert detect_answer_refusal(answer) == reason


def test_what_is_said_after_a_semicolon_is_an_answer_with_a_gap() -> None:
    assert detect_answer_refusal("The bridge was opened by the king; the year is not stated in the text.") is None
    assert detect_answer_refusal("The year is not stated in the text; I am sorry.") is not None


@pytest.mark.parametrize("even", [True, False])
@pytest.mark.parametrize(("name", "least"), [("ar_labelled.jsonl", 0.95), ("en_labelled.jsonl", 0.93)])
def test_real_answers(data_dir: Path, name: str, least: float, even: bool) -> None:
    """The rules were written looking at the rows whose text has an even SHA-1 alone."""
    precision, f1 = _figures(data_dir / "refusals" / name, even=even)
    assert precision >= 0.93
    assert f1 >= least


def test_canned_arabic_refusals(data_dir: Path) -> None:
    rows = [
        json.loads(line) for line in (data_dir / "refusals" / "canned_strings_ar.jsonl").read_text("utf-8").splitlines()
    ]
    refusals = [row["text"] for row in rows if row["kind"] == "refusal"]
    errors = [row["text"] for row in rows if row["kind"] == "service_error"]
    found = sum(detect_answer_refusal(text) is not None for text in refusals)
    assert found / len(refusals) >= 0.9
    assert not any(map(detect_answer_refusal, errors))


@pytest.mark.parametrize(
    "name", ["Egyptian_Civil.json", "Egyptian_Labour_Law.json", "Egyptian_Personal_Status_Laws.json"]
)
def test_legal_text_is_never_a_refusal(data_dir: Path, name: str) -> None:
    def texts(value: object) -> list[str]:
        if isinstance(value, str):
            return [value]
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return [text for part in parts for text in texts(part)]

    law = json.loads((data_dir / "wakili_legal" / "corpus" / name).read_text(encoding="utf-8"))
    found = [text for text in texts(law) if find_refusal(text)]
    assert found == []
