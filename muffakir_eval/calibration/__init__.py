"""Thresholds of text matching, chosen on a user's own labelled pairs."""

from muffakir_eval.calibration.calibrate import calibrate_matching
from muffakir_eval.calibration.result import Calibration

__all__ = ["Calibration", "calibrate_matching"]
