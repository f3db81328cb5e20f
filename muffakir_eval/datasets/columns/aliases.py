"""Column names and what they mean: the table behind the automatic mapping, as data.

Names are compared folded (:func:`fold_name`): case, spaces, hyphens, underscores, and in Arabic the
spelling of alef, hamza, teh marbuta and the vowel signs do not count. So ``Ground Truth``,
``ground-truth`` and ``groundTruth`` are one name, and so are ``الإجابة`` and ``الاجابه``.

Per field the names stand in tiers, and the first tier with a column in the file wins:

* names that say outright what they are (``gold_context``, ``reference_answer``);
* the plain names (``context``, ``chunk_id``);
* weak names, which mean this only where nothing better is there (``evidence``, ``source``). Two weak
  names in one file choose nothing.

Two columns of one tier are an error that names them, but for a name and its plural (``context`` and
``contexts``). Names that could mean several things (``documents`` retrieved or gold? ``doc_id`` of a
passage or of a file?) are weak or left out on purpose: such a column becomes metadata, and a
``column_mapping`` says what it is.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = [
    "ANSWER_NAMES",
    "ANSWER_SINGULAR",
    "FIELDS",
    "FIELD_KEYS",
    "INVERTED_NAMES",
    "LATENCY_NAMES",
    "SAMPLE_ID_NAMES",
    "TIERS",
    "fold_name",
]

FIELDS = (
    "question",
    "answers",
    "contexts",
    "chunk_ids",
    "grades",
    "source_file",
    "sample_id",
    "answerable",
    "metadata",
    "predicted_answer",
    "retrieved_contexts",
    "retrieved_chunk_ids",
    "retrieved_sources",
    "retrieved_scores",
    "pipeline_latency_ms",
)
"""What a column can be mapped to."""

FIELD_KEYS = {
    "question": "question",
    "answer": "answers",
    "answers": "answers",
    "context": "contexts",
    "contexts": "contexts",
    "chunk_id": "chunk_ids",
    "chunk_ids": "chunk_ids",
    "grades": "grades",
    "source_file": "source_file",
    "sample_id": "sample_id",
    "answerable": "answerable",
    "is_impossible": "answerable",
    "unanswerable": "answerable",
    "metadata": "metadata",
    "predicted_answer": "predicted_answer",
    "response": "predicted_answer",
    "retrieved_contexts": "retrieved_contexts",
    "retrieved_chunk_ids": "retrieved_chunk_ids",
    "retrieved_sources": "retrieved_sources",
    "retrieved_scores": "retrieved_scores",
    "latency": "pipeline_latency_ms",
    "latency_ms": "pipeline_latency_ms",
    "pipeline_latency_ms": "pipeline_latency_ms",
}
"""Names of fields in a ``column_mapping``. In one, ``answer`` is always the gold answer."""

_EXPLICIT_ANSWERS = """
    ground_truth  ground_truths  ground_truth_answer  reference  references  reference_answer  reference_answers
    expected_answer  expected_answers  expected_output  expected_response
    gold_answer  gold_answers  golden_answer  golden_answers  gold_standard_answer
    correct_answer  correct_answers  ideal_answer  target_answer  true_answer  accepted_answers
    الإجابة_النموذجية  الجواب_النموذجي  الإجابة_المرجعية  الجواب_المرجعي  الإجابة_المقترحة  الإجابة_الصحيحة
    الجواب_الصحيح  الإجابة_المتوقعة  الجواب_المتوقع  الإجابة_الذهبية  الجواب_الذهبي
    الإجابات_المقبولة  الإجابات_الصحيحة  الإجابات_المرجعية  الإجابات_النموذجية  الإجابات_المتوقعة
"""

TIERS: dict[str, tuple[str, ...]] = {
    "question": (
        "question  query  user_input  user_query  user_question  question_text  query_text  السؤال  سؤال  نص_السؤال",
        # the pair input / expected_output is handled in the mapping: `input` alone can be anything
        "questions  question_msa  الأسئلة  الاستفسار  الاستعلام",
    ),
    # `answer` and its kin are handled in the mapping: their meaning depends on what stands beside them
    "answers": (_EXPLICIT_ANSWERS,),
    "contexts": (
        """gold_context  gold_contexts  golden_context  golden_contexts  reference_context  reference_contexts
           ground_truth_context  ground_truth_contexts  expected_context  expected_contexts
           gold_passage  gold_passages  gold_chunk  gold_chunks  gold_document  gold_documents  gold_evidence
           السياق_المرجعي  السياق_الذهبي  السياق_الصحيح  السياقات_المرجعية  النص_المرجعي  النصوص_المرجعية
           المقطع_المرجعي  المقاطع_المرجعية  المقطع_الذهبي  المقطع_الصحيح  الفقرة_المرجعية""",
        "context  contexts  السياق  سياق  السياقات",
        """evidence  evidences  passage  passages  paragraph  documents  relevant_sentences  cleaned_context
           context_text  المقطع  المقاطع  الفقرة  النص  الدليل  الشاهد""",
    ),
    "chunk_ids": (
        """gold_chunk_id  gold_chunk_ids  gold_id  gold_ids  gold_doc_id  gold_doc_ids  gold_document_id
           gold_document_ids  gold_passage_id  gold_passage_ids  reference_chunk_id  reference_chunk_ids
           reference_context_id  reference_context_ids  relevant_chunk_id  relevant_chunk_ids  relevant_id
           relevant_ids  relevant_doc_id  relevant_doc_ids  relevant_document_ids  relevant_passage_ids
           expected_chunk_id  expected_chunk_ids  expected_doc_ids
           معرف_المقطع_المرجعي  معرفات_المقاطع_المرجعية  رقم_المقطع_المرجعي  أرقام_المقاطع_المرجعية""",
        """chunk_id  chunk_ids  passage_id  passage_ids  context_id  context_ids  source_article_id
           معرف_المقطع  رقم_المقطع  معرف_القطعة  رقم_القطعة  معرفات_المقاطع  أرقام_المقاطع  معرف_الفقرة  رقم_الفقرة
           معرف_السياق  رقم_السياق""",
        # only where the file has no gold passages either: then they are the one thing to look for
        """doc_id  doc_ids  docid  docids  document_id  document_ids  article_id  expected_sources  expected_source_ids
           evidence_ids  cited_evidence_ids  gold_doc_index
           معرف_المستند  رقم_المستند  معرف_الوثيقة  رقم_الوثيقة  معرف_المادة  رقم_المادة""",
    ),
    "grades": ("grades  gold_grades  relevance_grades  relevances  درجة_الصلة  درجات_الصلة",),
    "source_file": (
        """source_file  source_files  gold_source  gold_sources  gold_file  source_document  source_filename
           source_path  file_name  filename  document_name  doc_name  اسم_الملف  ملف_المصدر  الملف_المصدر
           اسم_المستند  اسم_الوثيقة  اسم_المصدر""",
        "source  document  file  المصدر  الملف  المستند  الوثيقة",
    ),
    "answerable": (
        """answerable  is_answerable  has_answer  has_answer_in_context  قابل_للإجابة
           is_impossible  unanswerable  is_unanswerable  غير_قابل_للإجابة""",
    ),
    "metadata": ("metadata",),
    "predicted_answer": (
        """predicted_answer  prediction  response  generated_answer  generated_response  system_answer  system_response
           model_answer  model_response  model_output  rag_answer  rag_response  llm_answer  llm_response
           response_text  actual_output  candidate_answer  cand_answer
           الإجابة_المولدة  الجواب_المولد  إجابة_النموذج  إجابة_النظام  جواب_النموذج  جواب_النظام
           الرد  رد_النموذج  رد_النظام  الاستجابة  استجابة_النموذج  استجابة_النظام""",
    ),
    "retrieved_contexts": (
        """retrieved_context  retrieved_contexts  retrieved_documents  retrieved_docs  retrieved_chunks
           retrieved_passages  retrieved_texts  retrieval_context
           السياقات_المسترجعة  المقاطع_المسترجعة  السياق_المسترجع  المقطع_المسترجع
           النص_المسترجع  النصوص_المسترجعة  المستندات_المسترجعة  الوثائق_المسترجعة""",
    ),
    "retrieved_chunk_ids": (
        """retrieved_chunk_id  retrieved_chunk_ids  retrieved_ids  retrieved_doc_ids  retrieved_document_ids
           retrieved_passage_ids  retrieved_context_ids
           معرف_المقطع_المسترجع  معرفات_المقاطع_المسترجعة  أرقام_المقاطع_المسترجعة  المعرفات_المسترجعة""",
    ),
    "retrieved_sources": (
        "retrieved_sources  retrieved_source_files  retrieved_files  المصادر_المسترجعة  الملفات_المسترجعة",
    ),
    "retrieved_scores": ("retrieved_scores  retrieval_scores  درجات_الاسترجاع",),
}
"""Names by field and tier."""

SAMPLE_ID_NAMES = """
    sample_id  id  _id  qid  question_id  query_id  item_id  test_id  case_id  example_id  record_id  row_id  seed_id
    row_idx  uid  uuid  #  معرف_العينة  رقم_العينة  معرف_السؤال  رقم_السؤال  المعرف  معرف  الرقم  رقم
    الرقم_التسلسلي  الرقم_المتسلسل  مسلسل  التسلسل  م  ت  no  no.  sn  serial
"""
"""Names of the row's own identifier, the first of them in the file wins: ``id`` and ``question_id`` are
by convention different things, and the one nearer to the row counts."""

LATENCY_NAMES = "pipeline_latency_ms  latency_ms  latency"
"""Milliseconds; the first of them in the file wins."""

ANSWER_NAMES = "answer  answers  الإجابة  إجابة  الجواب  جواب  الإجابات  الأجوبة"
"""Gold answer, or the system's where a reference column stands beside it."""

ANSWER_SINGULAR = "answer  الإجابة  إجابة  الجواب  جواب"
"""Those of them that can be the system's: several answers are always gold."""

INVERTED_NAMES = "is_impossible  unanswerable  is_unanswerable  غير_قابل_للإجابة"
"""Columns whose ``true`` means that the question can *not* be answered."""

_IGNORED = re.compile(r"[\s_\-\u0640\u061c\u200b-\u200f\u2066-\u2069\ufeff]+")
_ARABIC = str.maketrans("أإآٱةىؤئی\u06a9", "اااا\u0647ي\u0648ييك", "ء")


@lru_cache(maxsize=4096)
def fold_name(name: str) -> str:
    """``name`` without what does not count when column names are compared.

    >>> fold_name("Ground-Truth ") == fold_name("groundTruth") == fold_name("ground_truth")
    True
    >>> fold_name("الإجَابة") == fold_name("الاجابه")
    True
    """
    decomposed = unicodedata.normalize("NFKC", name).casefold().translate(_ARABIC)
    bare = "".join(char for char in decomposed if unicodedata.category(char) != "Mn")
    return _IGNORED.sub("", bare).rstrip(":؟?*")
