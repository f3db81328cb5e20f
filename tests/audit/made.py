"""Rankings and golds whose truth is known."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from muffakir_eval.audit.asking import Retrieval, Retrieved, audit_metrics
from muffakir_eval.audit.questions import QuestionFate, classify
from muffakir_eval.audit.records import GoldReach, Place, Presence, Sighting
from muffakir_eval.records import Pipeline, PipelineOutput, Sample
from muffakir_eval.tally import Tally

__all__ = ["NOUNS", "article", "at", "fates_of", "reach", "retrieval_of", "sample"]


_TEXT = (
    "الأرض البحر الجبل السماء النهر المدينة القرية السوق الميناء المطار الطريق الجسر القطار السفينة "
    "الطائرة المدرسة الجامعة الكتاب القلم الورقة المكتبة المعلم الطالب الامتحان الدرس المستشفى الطبيب "
    "المريض الدواء العملية المحكمة القاضي المحامي القانون العقد الشاهد الحكم الغرامة العامل الأجر الإجازة "
    "المصنع الآلة المنتج التاجر البضاعة السعر العملة المصرف القرض الحقل المزارع القمح التمر الزيتون الماء "
    "المطر الريح الشمس القمر النجم الصيف الشتاء الربيع الخريف "
)
NOUNS = tuple(_TEXT.split())


def article(number: int, words: int = 14) -> str:
    """A passage that no other number has, and none resembles."""
    return f"{' '.join(random.Random(number).sample(NOUNS, words))} رقم{number}"


def retrieval_of(
    questions: Mapping[int, Retrieved], *, top_n: int = 10, recorded: bool = False, ids: Mapping[str, int] | None = None
) -> Retrieval:
    """A retrieval with these rankings and no metrics."""
    return Retrieval(
        pipeline=Pipeline(pipeline_id="made", call=lambda *_: PipelineOutput(), execution="inline"),
        recorded=recorded,
        top_n=top_n,
        questions=questions,
        ids=ids or {},
        figures=Tally(audit_metrics([1])),
    )


def sample(number: int, n_golds: int = 1, **fields: object) -> Sample:
    """A question with so many golds, each an identifier."""
    ids = tuple(f"d{number}-{gold}" for gold in range(n_golds))
    return Sample(sample_id=str(number), question=f"السؤال رقم {number}", row=number + 2, chunk_ids=ids, **fields)  # type: ignore[arg-type]


def at(ordinal: int, chunk_id: str | None = None) -> Place:
    """A chunk of the index."""
    return Place(ordinal=ordinal, chunk_id=chunk_id, source="a.pdf", place=f"corpus.jsonl, line {ordinal + 1}")


def reach(question: int, gold: int = 0, presence: Presence = "whole", **fields: object) -> GoldReach:
    """Where a gold is; whole, it is in the chunk with the number of its question."""
    if presence == "whole":
        fields = {"sightings": (Sighting(at=at(question), stage="id"),), "n_chunks": 1, **fields}
    return GoldReach(sample=question, gold=gold, presence=presence, **fields)  # type: ignore[arg-type]


def fates_of(
    ranks: Sequence[Sequence[int | None]], *, k: int = 5, top_n: int = 10, absent: Sequence[int] = ()
) -> list[QuestionFate]:
    """Questions with these ranks of their golds (``None``: not retrieved); of some the golds are in no chunk."""
    samples = [sample(number, len(golds)) for number, golds in enumerate(ranks)]
    reaches = [
        reach(number, gold, "nowhere" if number in absent else "whole", covered=0.0)
        for number, golds in enumerate(ranks)
        for gold in range(len(golds))
    ]
    questions = {
        number: Retrieved(
            state="compared",
            ranks={gold: rank for gold, rank in enumerate(golds) if rank is not None},
            n_chunks=top_n,
        )
        for number, golds in enumerate(ranks)
    }
    return classify(samples, reaches, retrieval_of(questions, top_n=top_n), k=k)
