"""Recorded runs against each other, judges against each other, and runs against thresholds."""
