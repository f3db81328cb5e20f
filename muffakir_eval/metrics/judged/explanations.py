"""Why a value came out as it did, in the language of the run, from numbered verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

__all__ = ["explain"]

What = Literal["precision", "recall", "claims", "relevancy"]

_SUMMARY: Mapping[str, Mapping[What, str]] = {
    "en": {
        "precision": "Useful passages: {yes} of {all}.",
        "recall": "Statements of the expected answer found in a passage: {yes} of {all}.",
        "claims": "Statements supported by the passages: {yes} of {all}.",
        "relevancy": "Statements that address the question: {yes} of {all}.",
    },
    "ar": {
        "precision": "المقاطع المفيدة: {yes} من {all}.",
        "recall": "عبارات الإجابة المتوقعة الموجودة في مقطع: {yes} من {all}.",
        "claims": "العبارات التي تسندها المقاطع: {yes} من {all}.",
        "relevancy": "العبارات المتصلة بالسؤال: {yes} من {all}.",
    },
}
_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {"chunk": "passage", "statement": "statement", "yes": "yes", "no": "no", "comma": ", "},
    "ar": {"chunk": "المقطع", "statement": "العبارة", "yes": "نعم", "no": "لا", "comma": "، "},
}


def explain(what: What, verdicts: Iterable[Mapping[str, Any]], language: str) -> str:
    """One line with the count, then one per verdict with its number, its chunks and its reason.

    >>> print(explain("precision", [{"number": 2, "verdict": "no", "reason": "عن برلين"}], "ar"))
    المقاطع المفيدة: 0 من 1.
    المقطع 2: لا، عن برلين
    """
    every = list(verdicts)
    yes = sum(item["verdict"] == "yes" for item in every)
    lines = [_SUMMARY[language][what].format(yes=yes, all=len(every))]
    words = _WORDS[language]
    label = words["chunk" if what == "precision" else "statement"]
    for item in every:
        line = f"{label} {item['number']}: {words[item['verdict']]}"
        chunks = item.get("chunks") or [chunk for chunk in [item.get("chunk")] if chunk]
        if chunks:
            line += f" ({words['chunk']} {words['comma'].join(map(str, chunks))})"
        lines.append(words["comma"].join(part for part in (line, item["reason"].strip()) if part))
    return "\n".join(lines)
