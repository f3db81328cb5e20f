"""Does a retrieved chunk hold the gold evidence? Identifiers first, then the texts themselves.

Pure: no file, no network, no clock.
"""

from muffakir_eval.matching.documents import chunk_from
from muffakir_eval.matching.explain import Explanation
from muffakir_eval.matching.golds import distinct_golds
from muffakir_eval.matching.matcher import ChunkMatcher, explain_match
from muffakir_eval.matching.relevance import build_relevance_list, is_relevant_document

__all__ = [
    "ChunkMatcher",
    "Explanation",
    "build_relevance_list",
    "chunk_from",
    "distinct_golds",
    "explain_match",
    "is_relevant_document",
]
