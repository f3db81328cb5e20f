"""Runs for the tests of the page: real evaluations of a few questions, with a scripted judge."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode
from collections.abc import Iterable, Mapping
from html.parser import HTMLParser
from typing import Any, ClassVar

from muffakir_eval import EvaluationReport, MuffakirEvaluation, Sample, ScriptedModel
from muffakir_eval.judges.protocol import Prompt
from muffakir_eval.writers.page import run_page

LEAVE = "يستحق الموظف إجازة سنوية مدتها ثلاثون يومًا بأجر كامل عن كل سنة من سنوات الخدمة."
NOTICE = "مدة الإخطار بإنهاء العقد ستون يومًا، ويُكتب الإخطار ويُسلَّم باليد."
OTHER = "تفتح المكتبة أبوابها من الثامنة صباحًا إلى العاشرة مساءً."
HOSTILE = (
    '<script>document.title="run"</script><img src=x onerror="document.title=\'run\'">',
    "</script><!-- <script>alert(1)</script>",
    "\u202eمقلوب\u202c نص \u2066معزول",
    "صفر\x00داخل\x1bالنص\x85",
    "نصف \ud800 زوج",
    "😀" * 3 + LEAVE,
    "طويل" * 25_000,
)
"""Texts that must be shown, and do nothing."""

ROWS: list[dict[str, Any]] = [
    {
        "id": "leave",
        "question": "كم مدة الإجازة السنوية؟",
        "answer": "ثلاثون يومًا",
        "context": LEAVE,
        "topic": "إجازات",
    },
    {
        "id": "notice",
        "question": "ما مدة الإخطار بإنهاء العقد؟",
        "answer": "ستون يومًا",
        "context": NOTICE,
        "topic": "عقود",
    },
    {
        "id": "missed",
        "question": "متى تُصرف العلاوة؟",
        "answer": "في يناير",
        "context": "تُصرف العلاوة في يناير من كل عام.",
        "topic": "أجور",
    },
    {
        "id": "refused",
        "question": "من يوقّع العقد؟",
        "answer": "المدير",
        "context": "يوقّع المدير العام العقد.",
        "topic": "عقود",
    },
    {"id": "abstained", "question": "ما سعر الذهب اليوم؟", "answerable": False, "topic": "أخرى"},
    {"id": "empty", "question": "ما عنوان الفرع؟", "answer": "شارع النيل", "context": LEAVE, "topic": "أخرى"},
    {"id": "broken", "question": "هل ينكسر النظام؟", "answer": "نعم", "context": OTHER, "topic": "أخرى"},
]
ANSWERS = {
    "leave": "مدة الإجازة السنوية ثلاثون يومًا.",
    "notice": "مدة الإخطار تسعون يومًا.",
    "missed": "تُصرف في مارس.",
    "refused": "عذرًا، لا أعرف الإجابة.",
    "abstained": "لا تتوفر لدي معلومات كافية للإجابة عن هذا السؤال.",
    "empty": "",
}


def taken_ms(sample: Sample) -> float:
    """A time that does not hang on the machine: what a page says of times must not change from run to run."""
    return 5.0 + zlib.crc32(sample.question.encode("utf-8", "surrogatepass")) % 40


class Rag:
    """Says what is written above, and finds three passages."""

    def __init__(self) -> None:
        self.llm_provider = ScriptedModel(_judged)

    def __call__(self, sample: Sample, k: int) -> dict[str, Any]:
        if sample.sample_id == "broken":
            raise RuntimeError("النظام <b>توقف</b>")
        found = [OTHER, NOTICE, LEAVE] if sample.sample_id == "notice" else [LEAVE, OTHER, NOTICE]
        documents = [{"page_content": text, "metadata": {"chunk_id": f"c{n}"}} for n, text in enumerate(found)]
        return {
            "answer": ANSWERS.get(sample.sample_id, "جواب"),
            "retrieved_documents": documents,
            "pipeline_latency_ms": taken_ms(sample),
        }


def _judged(prompt: Prompt) -> dict[str, Any]:
    wrong = "تسعون" in prompt.user or "مارس" in prompt.user
    if prompt.metric == "faithfulness":
        unsupported = ["مدة الإخطار تسعون يومًا"] if wrong else []
        reason, verdict = ("لا سند <b>له</b>.", "no") if wrong else ("له سند.", "yes")
        return {"reason": reason, "unsupported": unsupported, "verdict": verdict}
    return {"reason": "قارنت الإجابتين.", "score": 0.1 if wrong else 0.9}


def evaluated(rows: Iterable[Mapping[str, Any]] = ROWS, *, rag: Any = None, **settings: Any) -> EvaluationReport:
    """A run over ``rows``, with what :class:`Rag` says or ``rag``."""
    config = {
        "language": "ar",
        "metrics": ["recall", "mrr", "faithfulness", "answer_correctness"],
        "k": 3,
        "cache_dir": None,
        "progress": False,
        "slice_by": "topic",
        "pipeline_id": "tried",
        **settings,
    }
    return MuffakirEvaluation(config).evaluate(rag or Rag(), [dict(row) for row in rows])


def page_of(report: EvaluationReport, language: str | None = None) -> str:
    """The page of a run."""
    return b"".join(run_page(report.to_dict(), report.samples, language=language)).decode("utf-8")


class Parsed(HTMLParser):
    """A page as a parser sees it.

    Attributes:
        elements: Name and attributes of every element, in order.
        scripts: Content of the scripts, by identifier; the last one is under ``""``.
        text: Everything that is shown.
        open: Elements that were never closed.
    """

    VOID: ClassVar = {"meta", "link", "input", "br", "img", "hr"}

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.scripts: dict[str, str] = {}
        self.open: list[str] = []
        self._shown: list[str] = []
        self._script: str | None = None
        self.feed(page)
        self.close()
        self.text = " ".join(" ".join(self._shown).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.elements.append((tag, attributes))
        if tag in ("script", "style"):
            self._script = attributes.get("id", "") if tag == "script" else "style"
            self.scripts[self._script] = ""
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._script = None
        while self.open and self.open.pop() != tag:
            raise AssertionError(f"</{tag}> closes what is not its own")

    def handle_data(self, data: str) -> None:
        if self._script is not None:
            self.scripts[self._script] += data
        else:
            self._shown.append(data)

    def all(self, tag: str) -> list[dict[str, str]]:
        """Attributes of the elements of one name."""
        return [attributes for name, attributes in self.elements if name == tag]

    def unpacked(self, name: str) -> dict[str, Any]:
        """A data block."""
        raw = zlib.decompress(b64decode(self.scripts[f"data-{name}"], validate=True), 31)
        found: dict[str, Any] = json.loads(raw)
        return found

    def sample(self, place: int) -> dict[str, Any]:
        """Details of a sample."""
        starts = self.unpacked("index")["starts"]
        number = max(number for number, (first, _) in enumerate(starts) if first <= place)
        found: dict[str, Any] = self.unpacked(str(number))["samples"][place - starts[number][0]]
        return found
