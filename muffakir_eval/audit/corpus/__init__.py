"""The chunks of an index, streamed from whatever holds them."""

from muffakir_eval.audit.corpus.corpus import Corpus
from muffakir_eval.audit.corpus.opening import open_corpus

__all__ = ["Corpus", "open_corpus"]
