"""The LM-based retrieval evaluator: contextual precision and recall, and rules that turn them into a rating."""

from muffakir_eval.lm_retrieval.evaluator import LMBasedRetrievalEvaluator
from muffakir_eval.lm_retrieval.records import RAGData
from muffakir_eval.lm_retrieval.rules import Rated, RetrievalRules, load_rules

__all__ = ["LMBasedRetrievalEvaluator", "RAGData", "Rated", "RetrievalRules", "load_rules"]
