"""The same evaluation past one machine: rows in frames or files, scored by any engine that can call a function."""

from muffakir_eval.scale.auditing import audit_distributed
from muffakir_eval.scale.distributed import evaluate_distributed
from muffakir_eval.scale.frames import score_frame, score_schema
from muffakir_eval.scale.report import DistributedReport
from muffakir_eval.scale.settings import ScoreSettings

__all__ = [
    "DistributedReport",
    "ScoreSettings",
    "audit_distributed",
    "evaluate_distributed",
    "score_frame",
    "score_schema",
]
