"""Per-sample results to the figures of a report, one result at a time or in parts that merge."""

from muffakir_eval.tally.figures import Tally
from muffakir_eval.tally.groups import GroupBy, group_value
from muffakir_eval.tally.latencies import percentiles
from muffakir_eval.tally.partial import PartialTally

__all__ = ["GroupBy", "PartialTally", "Tally", "group_value", "percentiles"]
