"""A small labelled set written by hand, and what tests of calibration share."""

from __future__ import annotations

from muffakir_eval import MatchSettings
from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.records import RetrievedChunk, Sample

GOLDS = {
    "leave": "يستحق العامل إجازة سنوية مدتها ثلاثون يوما بأجر كامل بعد إتمام سنة من الخدمة",
    "wage": "تلتزم الشركة بدفع أجر العامل في موعده المحدد بالعقد وبالعملة الوطنية",
    "notice": "يجوز لأي من الطرفين إنهاء العقد غير محدد المدة بإشعار كتابي قبل ستين يوما",
    "hours": "لا تزيد ساعات العمل الفعلية على ثماني ساعات في اليوم أو ثمان وأربعين في الأسبوع",
    "rent": "يلتزم المستأجر برد العين المؤجرة عند انتهاء الإيجار بالحالة التي تسلمها عليها",
    "license": "تقدم طلبات الرخص إلى مكتب البلدية في أيام العمل بين الثامنة صباحا والثانية ظهرا",
}

PAIRS: list[tuple[str, str, str]] = [
    # The gold itself with other marks and in a larger chunk: containment.
    (
        GOLDS["leave"],
        "المادة ١٠٩: يَستحقّ العاملُ إجازةً سنويةً مدتها ثلاثون يومًا بأجر كامل بعد إتمام سنة من الخدمة.",
        "نعم",
    ),
    (GOLDS["wage"], "تلتزم الشركة بدفع أجر العامل في موعده المحدد بالعقد وبالعملة الوطنية.", "نعم"),
    # A slip of the scanner: the overlap.
    (GOLDS["notice"], "يجوز لأي من الطرفين إنهاء العقد غير محدد المدة باشعار كتايي قبل ستين يوما، وله تعويض", "نعم"),
    (GOLDS["hours"], "لا تزيد ساعات العمل الفعليه علي ثماني ساعات فى اليوم او ثمان واربعين في الاسبوع الواحد", "نعم"),
    (GOLDS["rent"], "يلتزم المستاجر برد العين الموجرة عند انتهاء الايجار بالحاله التي تسلمها عليه", "نعم"),
    # Reworded: only lower thresholds accept these.
    (
        GOLDS["leave"],
        "للعامل إجازة سنوية مدتها ثلاثون يوما بأجر كامل متى أتم سنة واحدة في الخدمة لدى صاحب العمل",
        "نعم",
    ),
    (GOLDS["wage"], "تدفع الشركة أجر العامل في موعده المحدد في العقد وتدفعه بالعملة الوطنية فقط دون غيرها", "نعم"),
    (GOLDS["notice"], "لأي من الطرفين أن ينهي العقد غير محدد المدة متى أشعر الآخر بإشعار كتابي قبل ستين يوما", "نعم"),
    (GOLDS["rent"], "على المستأجر عند انتهاء الإيجار رد العين المؤجرة إلى المؤجر بالحالة التي تسلمها عليها منه", "نعم"),
    (
        GOLDS["license"],
        "تقدم الطلبات إلى مكتب البلدية بين الثامنة صباحا والثانية ظهرا في أيام العمل الرسمية وحدها",
        "نعم",
    ),
    # Of the same matter, and not the evidence.
    (GOLDS["leave"], "يستحق العامل إجازة مرضية مدتها ثلاثون يوما بأجر كامل في السنة الواحدة إذا ثبت مرضه", "لا"),
    (GOLDS["wage"], "تلتزم الشركة بتوفير وسائل السلامة في مكان العمل", "لا"),
    (GOLDS["notice"], "ينتهي العقد محدد المدة بانقضاء مدته دون حاجة إلى إشعار", "لا"),
    (GOLDS["hours"], "تكون ساعات الراحة ساعة في اليوم على الأقل", "لا"),
    (GOLDS["rent"], "يلتزم المؤجر بصيانة العين المؤجرة مدة الإيجار", "لا"),
    (GOLDS["license"], "تدفع رسوم الرخص في البنك أو ببطاقة الائتمان", "لا"),
    (GOLDS["license"], "لا تقبل الطلبات الناقصة", "لا"),
    (GOLDS["hours"], "نص بعيد كل البعد عن هذا كله", "لا"),
]


def verdict(settings: MatchSettings, gold: str, chunk: str) -> bool:
    """What a run says."""
    sample = Sample(sample_id="1", question="؟", contexts=(gold,))
    return ChunkMatcher(settings).match([RetrievedChunk(text=chunk)], sample)[0].relevant
