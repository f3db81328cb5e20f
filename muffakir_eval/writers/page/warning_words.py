"""The warnings of a run, and the notes on a comparison, in Arabic.

This package writes them in English, each after a fixed pattern.
"""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from muffakir_eval.writers.page.parts import english
from muffakir_eval.writers.page.plain_text import shown
from muffakir_eval.writers.page.reading_words import JUDGING, READING
from muffakir_eval.writers.page.wording import Wording, wording

__all__ = ["warning_text", "warning_words"]

_LEFT_OUT = r"left out: (?P<metrics>.+) \(needs "
_ONLY = r"(?P<n>\d+) questions are only in (?P<a>[A-Z]+) "
_PATTERNS: tuple[tuple[str, str], ...] = (
    (
        r"left out: (?P<metrics>.+) \(there is no judge: set llm_provider and llm_model\)",
        "لم تُقَس هذه المقاييس إذ لم يُحدَّد نموذج حَكَم: {metrics}. لقياسها حدِّد {set}.",
    ),
    (
        _LEFT_OUT + r"an answer, and the pipeline only retrieves\)",
        "لم تُقَس هذه المقاييس لأنها تحتاج إلى إجابة، والنظام يسترجع ولا يجيب: {metrics}.",
    ),
    (
        _LEFT_OUT + r"retrieved chunks, and the pipeline or the recorded outputs have none\)",
        "لم تُقَس هذه المقاييس لأنها تحتاج إلى مقاطع مسترجعة، ولا مقاطع في النظام أو في المخرجات المسجّلة: {metrics}.",
    ),
    (
        _LEFT_OUT + r"gold answers: a column 'answer' \(or a column_mapping to one\)\)",
        "لم تُقَس هذه المقاييس لأنها تحتاج إلى إجابات مرجعية، وهي في عمود {answer} أو ما يقابله: {metrics}.",
    ),
    (
        _LEFT_OUT + r"gold evidence: a column 'context' or 'chunk_id' \(or a column_mapping to one\)\)",
        (
            "لم تُقَس هذه المقاييس لأنها تحتاج إلى أدلة مرجعية، وهي في عمود {context} أو {chunk_id} أو ما يقابلهما: "
            "{metrics}."
        ),
    ),
    (
        (
            r"no question got more than (?P<most>\d+) chunks: what is reported at k=(?P<k>\d+) is what those hold, "
            r"and precision still divides by \d+"
        ),
        (
            "لم يُسترجع لأي سؤال أكثر من هذا العدد من المقاطع: {most}؛ فالقيم المذكورة عند k = {k} تخص هذه المقاطع "
            "وحدها، أما الدقة فما زالت تُقسم على {k}."
        ),
    ),
    (
        (
            r"for (?P<n>\d+) questions nothing could be compared: the gold evidence has only identifiers and the "
            r"chunks only texts, or the other way round"
        ),
        "أسئلة لم يمكن فيها مقارنة شيء: {n}؛ ففي الأدلة المرجعية معرّفات فقط وفي المقاطع نصوص فقط، أو العكس.",
    ),
    (
        (
            r"the column ['\"](?P<column>.+)['\"] has more than (?P<most>[\d,]+) different values, too many for slices "
            r"of their own"
        ),
        "في العمود {column} قيم مختلفة تزيد على {most}، وهي أكثر من أن تُعرض نتيجة كل منها على حدة.",
    ),
    (
        r"without effect, since no judged metric is measured: (?P<settings>.+)",
        "إعدادات بلا أثر، إذ لا يقاس أي مقياس يحتاج إلى حَكَم: {settings}.",
    ),
    (
        r"without effect, since the judge is asked (?:one question at a time|in batches): (?P<settings>.+)",
        "إعدادات بلا أثر في طريقة سؤال الحَكَم المختارة: {settings}.",
    ),
    (
        r"without effect, since nothing is saved: (?P<settings>.+)",
        "إعدادات بلا أثر، إذ لا يُحفظ شيء: {settings}.",
    ),
    (
        r"nothing is kept in (?P<folder>.+): output_dir was given without save=True",
        "لم يُحفظ شيء في {folder}، إذ حُدِّد المجلد ولم يُطلب الحفظ.",
    ),
    (
        r"dry run: no question was asked and nothing was written",
        "تشغيل تجريبي: لم يُطرح أي سؤال ولم يُكتب شيء.",
    ),
    (r"left out, bad row: (?P<english>.+)", "صف لم يُقرأ لخلل فيه: {english}"),
    (
        r"left out, (?P<n>\d+) more bad rows: `muffakir-eval validate` lists them",
        "وصفوف أخرى لم تُقرأ لخلل فيها، عددها {n}؛ ويسردها الأمر {command}.",
    ),
    (
        (
            r"(?P<where>.+), cell (?P<cell>[A-Z]+\d+): the file holds no value for its formula, so that the text of "
            r"the formula itself, as in =A1, is now what the cell says; open the file in a spreadsheet and save it"
        ),
        (
            "في {where}، الخلية {cell}: لا يحفظ الملف قيمة للصيغة التي فيها، فقُرئ نص الصيغة نفسها؛ افتح الملف في "
            "برنامج الجداول ثم احفظه."
        ),
    ),
    (
        (
            r"(?P<where>.+), cells (?P<cell>[A-Z]+\d+:[A-Z]+\d+): they are merged, so only the first holds the value "
            r"and the others read as empty; unmerge them and fill each"
        ),
        "في {where}، الخلايا {cell}: هي مدمجة، فلا قيمة إلا في أولها ويُقرأ غيرها فارغًا؛ ألغِ الدمج واملأ كل خلية.",
    ),
    (
        r"(?P<where>.+), cell (?P<cell>[A-Z]+\d+): its formula failed, and (?P<value>.+) is read as text",
        "في {where}، الخلية {cell}: أخفقت الصيغة التي فيها، فقُرئت {value} نصًّا.",
    ),
    (
        (
            r"(?P<where>.+): the text was too long for a spreadsheet, and was cut when the workbook was written; the "
            r"folder of the run and its samples\.jsonl hold it whole"
        ),
        "في {where}: كان النص أطول مما تسعه الخلية فقُصّ عند كتابة الملف؛ وهو كامل في مجلد التشغيل.",
    ),
    (
        r"(?P<where>.+): the run was not finished; it holds (?P<n>\d+) outputs",
        "في {where}: لم يكتمل التشغيل؛ وفيه من المخرجات {n}.",
    ),
    (
        r"(?P<where>.+): row (?P<n>\d+) is the header; above it stood (?P<english>.+)",
        "في {where}: الصف {n} هو صف العناوين؛ وفوقه: {english}",
    ),
    (r"… and (?P<n>\d+) more of the kind: (?P<english>.+)", "… وغيرها من النوع نفسه ({english}): {n}."),
    (
        r"the judge (?P<judge>.+) is the model under test: models favour answers of their own kind",
        "الحَكَم {judge} هو النموذج المُقيَّم نفسه، والنماذج تميل إلى ما يشبه إجاباتها.",
    ),
    (
        (
            r"the judge (?P<judge>.+) is of the same family \((?P<family>.+)\) as the model under test, "
            r"(?P<model>.+): models favour answers of their own kind"
        ),
        "الحَكَم {judge} من عائلة النموذج المُقيَّم {model} نفسها ({family})، والنماذج تميل إلى ما يشبه إجاباتها.",
    ),
    (
        r"judged in batches: costs are reckoned at (?P<factor>[\d.e+-]+) of the prices",
        "حُكم على دفعات: حُسبت الكلفة بضرب الأسعار في {factor}.",
    ),
    (
        r"(?P<a>[A-Z]+) stopped early: (?P<n>\d+) of (?P<all>\d+) questions are done",
        "توقّف {a} قبل نهايته: اكتمل من أسئلته {n} من {all}.",
    ),
    (r"(?P<n>\d+) questions are only in (?P<a>[A-Z]+)", "أسئلة في {a} وحده: {n}."),
    (
        _ONLY + r"\((?P<gold>\d+) stand in the other run with other gold\)",
        "أسئلة في {a} وحده: {n}؛ منها {gold} في التشغيل الآخر بمرجع مختلف.",
    ),
    (
        _ONLY + r"\((?P<left>\d+) were not finished in the other run\)",
        "أسئلة في {a} وحده: {n}؛ منها {left} لم تكتمل في التشغيل الآخر.",
    ),
    (
        _ONLY + r"\((?P<gold>\d+) stand in the other run with other gold; (?P<left>\d+) were not finished in the other "
        r"run\)",
        "أسئلة في {a} وحده: {n}؛ منها {gold} في التشغيل الآخر بمرجع مختلف، و{left} لم تكتمل فيه.",
    ),
    (
        r"the datasets differ, so verdicts hold for the common questions only",
        "مجموعتا الأسئلة مختلفتان، فلا تصح الأحكام إلا في الأسئلة المشتركة.",
    ),
    (r"the datasets differ, so no verdict is given", "مجموعتا الأسئلة مختلفتان، فلا حكم."),
    (r"(?P<a>[A-Z]+) and (?P<b>[A-Z]+) are the same run", "{a} و{b} تشغيل واحد."),
)
_COMPILED = tuple((re.compile(pattern, re.DOTALL), told) for pattern, told in (*_PATTERNS, *READING, *JUDGING))
_FIXED = {
    "c": "-c",
    "set": "llm_provider, llm_model",
    "answer": "answer",
    "context": "context",
    "chunk_id": "chunk_id",
    "command": "muffakir-eval validate",
}


def warning_words(warning: str, words: Wording) -> Markup:
    """A warning in the language of the page; one that follows no pattern stays English and is marked as such.

    >>> from muffakir_eval.writers.page.wording import wording
    >>> print(warning_words("without effect, since nothing is saved: report_formats", wording("ar")))
    إعدادات بلا أثر، إذ لا يُحفظ شيء: <bdi>report_formats</bdi>.
    >>> warning_words("something else", wording("ar"))
    Markup('<span lang="en" dir="auto">something else</span>')
    """
    told, values = _translated(warning) if words.language == "ar" else (None, {})
    if told is None:
        return english(warning)
    return escape(told).format(**{name: _value(name, value, words) for name, value in values.items()})


def warning_text(warning: str, *, arabic: bool) -> str:
    r"""The same without markup, for Markdown and sheets; values stand apart by invisible marks.

    >>> warning_text("without effect, since nothing is saved: report_formats", arabic=True)
    'إعدادات بلا أثر، إذ لا يُحفظ شيء: \u2068report_formats\u2069.'
    >>> warning_text("something else", arabic=True)
    'something else'
    """
    told, values = _translated(warning) if arabic else (None, {})
    if told is None:
        return warning
    words = wording("ar")
    return told.format(**{name: _plain_value(name, value, words) for name, value in values.items()})


def _translated(warning: str) -> tuple[str | None, dict[str, str]]:
    """The Arabic sentence for a warning and what stands in its gaps; ``None`` where there is none."""
    for pattern, told in _COMPILED:
        if found := pattern.fullmatch(warning):
            return told, {**_FIXED, **found.groupdict()}
    return None, {}


def _plain_value(name: str, value: str, words: Wording) -> str:
    parts = [words.metric(one) for one in value.split(", ")] if name == "metrics" else [value]
    return "، ".join(f"\u2068{part}\u2069" for part in parts)


def _value(name: str, value: str, words: Wording) -> Markup:
    """What stands in a sentence, apart from its direction; metrics by their names for people."""
    if name == "metrics":
        return Markup("، ").join(Markup("<bdi>{}</bdi>").format(words.metric(one)) for one in value.split(", "))
    return english(value) if name == "english" else Markup("<bdi>{}</bdi>").format(shown(value))
