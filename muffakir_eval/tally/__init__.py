"""Per-sample results to the figures of a report, one result at a time."""

from muffakir_eval.tally.figures import Tally
from muffakir_eval.tally.groups import GroupBy, group_value
from muffakir_eval.tally.latencies import percentiles

__all__ = ["GroupBy", "Tally", "group_value", "percentiles"]
