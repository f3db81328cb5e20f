"""The main job: a RAG system and a question set in, a report out. Wiring only."""

from muffakir_eval.evaluation.eval_runner import EvalRunner
from muffakir_eval.evaluation.suite import MuffakirEvaluation

__all__ = ["EvalRunner", "MuffakirEvaluation"]
