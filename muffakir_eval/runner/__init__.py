"""The run itself: question by question through the pipeline, the matcher and the metrics.

The only place that decides what happens at the same time as what. Whatever the user's code raises is
that question's error, or that score's; only an interruption ends the run.
"""

from muffakir_eval.runner.plan import Item, RunPlan
from muffakir_eval.runner.store import MemoryStore, Store
from muffakir_eval.runner.work import run_items

__all__ = ["Item", "MemoryStore", "RunPlan", "Store", "run_items"]
