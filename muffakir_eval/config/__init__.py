"""Settings of an evaluation, checked at the border.

An unknown key is an error that suggests the nearest known one. A configuration comes from a dict, or
from a TOML, YAML or JSON file.
"""

from muffakir_eval.config.panels import Jury, jury
from muffakir_eval.config.reading import load_config, read_settings
from muffakir_eval.config.settings import EvaluationConfig, MatchSettings, metric_name

__all__ = ["EvaluationConfig", "Jury", "MatchSettings", "jury", "load_config", "metric_name", "read_settings"]
