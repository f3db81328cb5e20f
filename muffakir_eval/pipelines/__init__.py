"""Whatever the user has, turned into a pipeline; and an embedded retriever for those who have none."""

from muffakir_eval.pipelines.adapt import as_pipeline
from muffakir_eval.pipelines.bm25 import BM25Retriever
from muffakir_eval.pipelines.corpus import load_corpus
from muffakir_eval.pipelines.loading import load_pipeline
from muffakir_eval.pipelines.rechunk import rechunk

__all__ = ["BM25Retriever", "as_pipeline", "load_corpus", "load_pipeline", "rechunk"]
