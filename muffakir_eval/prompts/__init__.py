"""What judges are asked: prompt files in Arabic and English, checked overrides, and frames for untrusted text."""

from muffakir_eval.prompts.framing import frame, make_marker
from muffakir_eval.prompts.templates import PROMPTS, FilledPrompt, PromptSet, PromptTemplate, load_prompts

__all__ = ["PROMPTS", "FilledPrompt", "PromptSet", "PromptTemplate", "frame", "load_prompts", "make_marker"]
