"""End-to-end RAG samples scored without a judge, and the way to Ragas."""

from muffakir_eval.rag_evaluation.evaluate import RAG_METRICS, evaluate_rag
from muffakir_eval.rag_evaluation.ragas_dataset import as_ragas_dataset
from muffakir_eval.rag_evaluation.report import RagEvalReport
from muffakir_eval.rag_evaluation.samples import RagSample

__all__ = ["RAG_METRICS", "RagEvalReport", "RagSample", "as_ragas_dataset", "evaluate_rag"]
