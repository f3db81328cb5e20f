"""The outcome of a run: figures, samples, files."""

from muffakir_eval.report.evaluation_report import EvaluationReport
from muffakir_eval.report.figures import RunFigures
from muffakir_eval.report.results import Results
from muffakir_eval.report.summary import build_summary, error_rates

__all__ = ["EvaluationReport", "Results", "RunFigures", "build_summary", "error_rates"]
