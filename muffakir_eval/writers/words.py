"""The words of the report files, in the languages that a run may have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muffakir_eval.writers.terms import ARABIC_NAMES, reason_words

__all__ = ["Words", "words_of"]

_ENGLISH = {
    "title": "Evaluation",
    "run": "Run",
    "date": "Finished at",
    "covered": "Questions covered",
    "dataset": "Dataset",
    "pipeline": "Pipeline",
    "k": "Cutoff k",
    "language": "Language",
    "partial": "The run stopped early: the figures cover only what was finished.",
    "dry_run": "A dry run: nothing was asked.",
    "metrics": "Metrics",
    "metric": "Metric",
    "mean": "Mean",
    "low": "Interval from",
    "high": "Interval to",
    "interval": "{level} % interval",
    "scored": "Scored",
    "of": "Out of",
    "as_zero": "Failures as 0",
    "why": "Not scored, and why",
    "definition": "Definition",
    "slices": "By {column}",
    "value": "Value",
    "nothing": "(nothing)",
    "other_values": "{n} more values stand in summary.json",
    "refusals": "Refusals",
    "refused": "Refused",
    "answers_given": "Answers",
    "refusal_rate": "Share refused",
    "state": "Question is",
    "answerable": "answerable",
    "unanswerable": "unanswerable",
    "unknown": "not known",
    "answered": "answered",
    "partial_refusal": "refused in part",
    "empty": "empty",
    "no_answer": "no answer",
    "error": "error",
    "latency": "Milliseconds per question",
    "what": "What",
    "total": "total",
    "in_pipeline": "in the pipeline",
    "in_evaluation": "in the evaluation",
    "n": "n",
    "judge": "Judge",
    "model": "Model",
    "calls": "Calls",
    "cached": "Replies from the cache",
    "tokens_in": "Tokens in",
    "tokens_out": "Tokens out",
    "cost": "US dollars",
    "cost_unknown": "not known: no price is set",
    "errors": "Questions with errors",
    "reason": "Reason",
    "count": "Number",
    "message": "Message",
    "warnings": "Warnings",
    "settings": "Settings",
    "setting": "Setting",
    "worst": "Weakest questions",
    "worst_by": "Lowest {metric} first.",
    "row": "Row",
    "id": "Sample",
    "the_question": "Asked",
    "its_answer": "Answer of the system",
    "samples_sheet": "Samples",
    "summary_sheet": "Summary",
    "cut": "Cells that were too long for a spreadsheet and were cut",
    "cut_mark": " … [cut: {n} of {all} characters are shown]",
    "cut_where": "The first of them",
    "cut_remedy": "samples.csv and samples.jsonl hold these texts whole.",
    "files": "Every question stands in samples.csv, everything that is known in records.jsonl.",
    "no_metrics": "No metric was measured.",
}

_ARABIC = {
    "title": "تقرير التقييم",
    "run": "التشغيل",
    "date": "وقت الانتهاء",
    "covered": "عدد الأسئلة المشمولة",
    "dataset": "مجموعة الأسئلة",
    "pipeline": "النظام المُقيَّم",
    "k": "عدد النتائج الأولى المعتبرة (k)",
    "language": "اللغة",
    "partial": "توقّف التشغيل قبل نهايته: لا تشمل الأرقام إلا ما اكتمل.",
    "dry_run": "تشغيل تجريبي: لم يُطرح أي سؤال.",
    "metrics": "المقاييس",
    "metric": "المقياس",
    "mean": "المتوسط",
    "low": "فترة الثقة من",
    "high": "فترة الثقة إلى",
    "interval": "فترة الثقة {level}٪",
    "scored": "ما قيس",
    "of": "من أصل",
    "as_zero": "باحتساب الإخفاق صفرًا",
    "why": "ما لم يُقَس وسببه",
    "definition": "التعريف",
    "slices": "بحسب {column}",
    "value": "القيمة",
    "nothing": "(لا شيء)",
    "other_values": "بقية القيم، وعددها {n}، في summary.json",
    "refusals": "الامتناع عن الإجابة",
    "refused": "امتنع",
    "answers_given": "عدد الإجابات",
    "refusal_rate": "نسبة الامتناع",
    "state": "حال السؤال",
    "answerable": "له إجابة",
    "unanswerable": "لا إجابة له",
    "unknown": "غير معروف",
    "answered": "أجاب",
    "partial_refusal": "امتنع جزئيًّا",
    "empty": "إجابة فارغة",
    "no_answer": "بلا إجابة",
    "error": "خطأ",
    "latency": "الزمن لكل سؤال بالمللي ثانية",
    "what": "البيان",
    "total": "الإجمالي",
    "in_pipeline": "في النظام",
    "in_evaluation": "في التقييم",
    "n": "العدد",
    "judge": "النموذج الحَكَم",
    "model": "النموذج",
    "calls": "عدد الاستدعاءات",
    "cached": "ردود من الذاكرة المؤقتة",
    "tokens_in": "الرموز المُرسَلة",
    "tokens_out": "الرموز المُستلَمة",
    "cost": "الكلفة بالدولار الأمريكي",
    "cost_unknown": "غير معروفة: لم يُحدَّد سعر",
    "errors": "أسئلة وقع فيها خطأ",
    "reason": "السبب",
    "count": "العدد",
    "message": "الرسالة",
    "warnings": "تنبيهات",
    "settings": "الإعدادات",
    "setting": "الإعداد",
    "worst": "أضعف الأسئلة",
    "worst_by": "مرتّبة من الأدنى في {metric}.",
    "row": "الصف",
    "id": "المعرّف",
    "the_question": "نص السؤال المطروح",
    "its_answer": "إجابة النظام",
    "samples_sheet": "العينات",
    "summary_sheet": "الملخص",
    "cut": "خلايا أطول مما يسعه الجدول وقد قُصّت",
    "cut_mark": " … [مقتطع: يظهر {n} من {all} حرفًا]",
    "cut_where": "أولها",
    "cut_remedy": "النصوص كاملة في samples.csv و samples.jsonl.",
    "files": "كل الأسئلة في samples.csv، وكل ما يُعرف عنها في records.jsonl.",
    "no_metrics": "لم يُقَس أي مقياس.",
}

_ARABIC_REASONS = {
    "no_gold": "لا دليل مرجعي",
    "no_gold_answer": "لا إجابة مرجعية",
    "no_answer": "لم يُجب النظام",
    "no_chunks": "لا مقاطع مسترجعة",
    "not_comparable": "لا شيء يُقارَن بين المرجع والمقاطع",
    "answer_refused": "امتنع عن الإجابة",
    "empty_answer": "إجابة فارغة",
    "unanswerable": "سؤال لا إجابة له",
    "correct_abstention": "امتناع صحيح",
    "pipeline_error": "خطأ في النظام",
    "metric_error": "خطأ في المقياس",
    "no_value": "لم يعطِ المقياس قيمة",
    "judge_unparseable": "رد الحَكَم ليس JSON",
    "judge_invalid": "رد الحَكَم يخالف الصيغة المطلوبة",
    "judge_cut_off": "انقطع رد الحَكَم",
    "judge_refused": "امتنع الحَكَم",
    "judge_filtered": "حجب المزوّد رد الحَكَم",
    "judge_empty": "رد الحَكَم فارغ",
    "judge_unavailable": "تعذّر الوصول إلى الحَكَم",
    "judge_bad_request": "رفض خادم الحَكَم الطلب",
    "timeout": "انتهت المهلة",
    "rate_limited": "تجاوز حد الطلبات",
    "over_budget": "تجاوز الميزانية",
    "interrupted": "قُطع التشغيل",
    "no_samples": "لا أسئلة",
}


class Words:
    """The words of one language.

    Args:
        language: ``ar``; any other is English.

    >>> Words("en")["interval"].format(level=95), Words("ar").reason("timeout")
    ('95 % interval', 'انتهت المهلة')
    """

    def __init__(self, language: str) -> None:
        self.arabic = language.startswith("ar")
        self._words = _ARABIC if self.arabic else _ENGLISH

    def __getitem__(self, name: str) -> str:
        return self._words[name]

    def reason(self, reason: object) -> str:
        """Why a score is missing; one that is not known as it stands."""
        return (self.arabic and _ARABIC_REASONS.get(str(reason))) or reason_words(reason)

    def metric(self, name: str) -> str:
        """The name of a metric as it stands in the files, in Arabic with its Arabic name.

        >>> Words("en").metric("recall_at_k"), Words("ar").metric("recall@10")
        ('recall_at_k', 'الاستدعاء (recall@10)')
        """
        known = ARABIC_NAMES.get(name.split("@")[0].removesuffix("_at_k")) if self.arabic else None
        return f"{known} ({name})" if known else name


def words_of(summary: Mapping[str, Any], language: str | None = None) -> Words:
    """The words of ``language``, or else of the run."""
    return Words(language or str(summary.get("language") or "en"))
