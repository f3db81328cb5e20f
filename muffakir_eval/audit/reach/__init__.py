"""Where the golds of a dataset are in an index: whole, split over neighbours, in part, or nowhere."""

from muffakir_eval.audit.reach.ceiling import Ceiling, ceiling_at
from muffakir_eval.audit.reach.search import GoldSearch
from muffakir_eval.audit.reach.sightings import Sightings

__all__ = ["Ceiling", "GoldSearch", "Sightings", "ceiling_at"]
