"""Results as one page for a browser: self-contained, offline, in Arabic or English."""

from muffakir_eval.writers.page.audit import audit_page
from muffakir_eval.writers.page.comparison import comparison_page
from muffakir_eval.writers.page.judges import judge_comparison_page
from muffakir_eval.writers.page.run import run_page

__all__ = ["audit_page", "comparison_page", "judge_comparison_page", "run_page"]
