"""What is noticed in reading questions, texts and judges' ratings, in Arabic."""

from __future__ import annotations

__all__ = ["JUDGING", "READING"]

READING: tuple[tuple[str, str], ...] = (
    (
        r"(?P<where>.+), line (?P<line>\d+): (?P<value>.+) is no JSON and reads as missing",
        "في {where}، السطر {line}: القيمة {value} ليست من JSON، فعُدّت مفقودة.",
    ),
    (
        r"(?P<where>.+): (?P<n>\d+) times (?P<value>.+), which is no JSON and reads as missing",
        "في {where}: قيم ليست من JSON ({value}) عُدّت مفقودة، وعدد مرات ورودها {n}.",
    ),
    (
        r"(?P<where>.+): the last line is torn, as the run was killed, and is left out",
        "في {where}: السطر الأخير ناقص لأن التشغيل أُوقف قسرًا، فتُرك.",
    ),
    (
        (
            r"(?P<where>.+) belongs to the run '(?P<a>.*)', and (?P<file>.+) to '?(?P<b>.*?)'?: the "
            r"outputs are read "
            r"from the latter"
        ),
        "الملف {where} للتشغيل {a}، والملف {file} للتشغيل {b}؛ وقُرئت المخرجات من الثاني.",
    ),
    (
        r"(?P<where>.+): read as JSON Lines, which it is in spite of its suffix",
        "قُرئ {where} على أنه JSON Lines، فهذه صيغته وإن خالفها امتداد اسمه.",
    ),
    (
        (
            r"(?P<where>.+): it holds (?P<n>[\d,]+) characters, the most that a spreadsheet can; if the "
            r"text was longer, "
            r"its end was lost when the workbook was written"
        ),
        "في {where}: بلغ النص أقصى ما تسعه الخلية، وعدد محارفه {n}؛ فإن كان أطول فقد ضاع آخره عند كتابة الملف.",
    ),
    (
        r"(?P<where>.+): (?P<option>\w+)=(?P<value>.+) has no meaning here and is ignored",
        "في {where}: لا معنى هنا للخيار {option} بقيمته {value}، فتُرك.",
    ),
    (
        (
            r"(?P<where>.+): all (?P<n>\d+) retrieved chunks are without text and identifier, so what was "
            r"retrieved is not known"
        ),
        "في {where}: لا نص ولا معرّف لأي من المقاطع المسترجعة، وعددها {n}؛ فلا يُعرف ما الذي استُرجع.",
    ),
    (
        (
            r"(?P<where>.+): longer retrieved texts are cut in this file, so only identifiers are compared; pass "
            r"the run folder instead, which holds them whole"
        ),
        (
            "في {where}: النصوص المسترجعة الطويلة مقصوصة في هذا الملف، فلا تُقارن إلا المعرّفات؛ "
            "استعمل مجلد التشغيل، "
            "ففيه النصوص كاملة."
        ),
    ),
    (
        (
            r"(?P<where>.+): longer retrieved texts are cut in this file, so what was retrieved is not known; pass "
            r"the run folder instead, which holds them whole"
        ),
        (
            "في {where}: النصوص المسترجعة الطويلة مقصوصة في هذا الملف، فلا يُعرف ما الذي استُرجع؛ "
            "استعمل مجلد التشغيل، "
            "ففيه النصوص كاملة."
        ),
    ),
    (
        (
            r"(?P<where>.+): in (?P<n>\d+) of (?P<all>\d+) samples \(first: (?P<first>.+)\) the gold has only "
            r"(?P<_a>.+) and what was retrieved only (?P<_b>.+), so nothing can match; add a column of "
            r"one kind to both"
        ),
        (
            "في {where}: أسئلة في أحد طرفيها، المرجع أو المسترجع، معرّفات فقط وفي الآخر نصوص فقط، "
            "وعددها {n} من {all} "
            "(أولها {first})؛ فلا يمكن أن يتطابق فيها شيء. أضف إلى الطرفين عمودًا من نوع واحد."
        ),
    ),
    (r"(?P<where>.+): there is no judgement, so that no question has gold", "لا أحكام في {where}، فلا مرجع لأي سؤال."),
    (
        (
            r"(?P<where>.+): (?P<n>\d+) of (?P<all>\d+) relevant documents are not in the corpus "
            r"\(first: (?P<first>.+)\), "
            r"and cannot be found there"
        ),
        (
            "في {where}: مستندات ذات صلة ليست في مجموعة النصوص، وعددها {n} من {all} (أولها {first})؛ "
            "فلا يمكن العثور عليها."
        ),
    ),
    (
        (
            r"(?P<where>.+): the identifier (?P<value>.+) is a number of more than 15 digits, of which "
            r"the file keeps "
            r"only 15; enter it again, as text"
        ),
        "في {where}: المعرّف {value} عدد تزيد أرقامه على 15، ولا يحفظ الملف منها إلا 15؛ أدخله من جديد نصًّا.",
    ),
    (
        r"(?P<where>.+): no texts of queries were given, so each question is the identifier of its query",
        "في {where}: لم تُعطَ نصوص الأسئلة، فحلّ معرّف كل سؤال محلّ نصه.",
    ),
    (
        (
            r"(?P<where>.+): (?P<n>\d+) of (?P<all>\d+) judged queries \(first: (?P<first>.+)\) have no "
            r"document; they count "
            r"as an empty result, while trec_eval leaves them out unless it is called with -c"
        ),
        (
            "في {where}: أسئلة لها أحكام ولم يُسترجع لها مستند، وعددها {n} من {all} (أولها {first})؛ "
            "وتُعدّ نتائجها فارغة، "
            "أما trec_eval فيتركها ما لم يُستدعَ بالخيار {c}."
        ),
    ),
    (
        (
            r"(?P<where>.+): (?P<n>\d+) of (?P<all>\d+) queries \(first: (?P<first>.+)\) are not "
            r"judged, and are left out"
        ),
        "في {where}: أسئلة بلا أحكام تُركت، وعددها {n} من {all} (أولها {first}).",
    ),
    (
        (
            r"(?P<where>.+): points are listed in the order of their identifiers, which are random "
            r"here, so that chunks "
            r"that follow one another in a document are no neighbours in this corpus"
        ),
        (
            "في {where}: تُسرد المقاطع بترتيب معرّفاتها، وهي عشوائية هنا؛ فالمقاطع المتتالية في "
            "المستند لا تتجاور في هذه المجموعة."
        ),
    ),
    (r"(?P<where>.+): (?P<value>.+) is there too and is not read", "في {where}: يوجد {value} أيضًا، ولم يُقرأ."),
    (
        (
            r"(?P<where>.+): (?P<n>\d+) of (?P<all>\d+) judged queries are not among the queries "
            r"\(first: (?P<first>.+)\), "
            r"and cannot be asked"
        ),
        "في {where}: أسئلة لها أحكام وليست بين الأسئلة، وعددها {n} من {all} (أولها {first})؛ فلا يمكن طرحها.",
    ),
    (
        (
            r"(?P<where>.+): (?P<n>\d+) of (?P<all>\d+) judged documents are not in the corpus \(first: "
            r"(?P<first>.+)\), "
            r"and cannot be found"
        ),
        (
            "في {where}: مستندات لها أحكام وليست في مجموعة النصوص، وعددها {n} من {all} (أولها "
            "{first})؛ فلا يمكن العثور عليها."
        ),
    ),
    (
        (
            r"(?P<where>.+): (?P<n>\d+) of (?P<all>\d+) judged queries \(first: (?P<first>.+)\) are not "
            r"in (?P<file>.+), "
            r"and are left out"
        ),
        "في {where}: أسئلة لها أحكام وليست في {file} تُركت، وعددها {n} من {all} (أولها {first}).",
    ),
    (
        (
            r"(?P<where>.+): (?P<n>\d+) of (?P<all>\d+) judged queries \(first: (?P<first>.+)\) have no "
            r"text, and are left "
            r"out"
        ),
        "في {where}: أسئلة لها أحكام ولا نص لها تُركت، وعددها {n} من {all} (أولها {first}).",
    ),
    (
        (
            r"(?P<where>.+): of (?P<n>\d+) of (?P<all>\d+) judged queries \(first: (?P<first>.+)\) the "
            r"text is missing or "
            r"blank; (?P<english>.+)"
        ),
        "في {where}: أسئلة لها أحكام ونصها مفقود أو فارغ، وعددها {n} من {all} (أولها {first}): {english}",
    ),
)

JUDGING: tuple[tuple[str, str], ...] = (
    (r"a run would stop here: (?P<english>.+)", "سيتوقف التشغيل هنا: {english}"),
    (
        r"an earlier run of this judge over the same answers was taken as it is",
        "أُخذ كما هو تشغيل سابق لهذا الحَكَم على الإجابات نفسها.",
    ),
    (
        r"(?P<n>\d+) ratings? (?:is|are) missing for reasons that may pass: start again to ask for these only",
        "تقييمات مفقودة لأسباب قد تزول: {n}؛ أعد التشغيل لتُطلب وحدها.",
    ),
    (r"no judge has rated anything", "لم يُقيّم أي حَكَم شيئًا."),
    (r"(?P<judge>.+) did not measure (?P<metrics>.+)", "لم يقس الحَكَم {judge} هذه المقاييس: {metrics}."),
    (
        r"(?P<n>\d+) answers of its run are others than those compared here, and are left out",
        "في تشغيله إجابات غير التي تُقارن هنا، وعددها {n}؛ فتُركت.",
    ),
    (r"its run holds (?P<n>\d+) of the (?P<all>\d+) answers", "في تشغيله من الإجابات {n} من {all}."),
    (
        (
            r"one of the two gave the same value to every answer: kappa and correlations say nothing "
            r"then, and agreement "
            r"says only how often the other did so too"
        ),
        (
            "أعطى أحد الطرفين كل إجابة القيمة نفسها؛ فلا دلالة لمعامل كابا ولا لمعاملات الارتباط، ولا "
            "تدل نسبة الاتفاق إلا على عدد المرات التي وافقه فيها الآخر."
        ),
    ),
    (
        (
            r"the labels in '(?P<column>.+)' are on another scale than the metric: only ranks are compared; "
            r"human_scale=\(low, high\) moves them onto its scale"
        ),
        (
            "الأحكام البشرية في العمود {column} على سلّم غير سلّم المقياس، فلا تُقارن إلا الرتب؛ "
            "ولتحويلها إلى سلّمه حدِّد human_scale."
        ),
    ),
    (
        (r"the labels in '(?P<column>.+)' were moved from (?P<low>\S+) to (?P<high>\S+) onto the scale of the metric"),
        "حُوّلت الأحكام البشرية في العمود {column} من سلّم بين {low} و{high} إلى سلّم المقياس.",
    ),
)
