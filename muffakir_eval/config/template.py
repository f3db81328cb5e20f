"""A settings file with every key, its meaning and its default, made from the settings themselves."""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from muffakir_eval.config.arabic_meanings import ARABIC_GROUPS, ARABIC_INTRODUCTION, ARABIC_MEANINGS
from muffakir_eval.config.settings import EvaluationConfig, MatchSettings

__all__ = ["GROUPS", "settings_template"]

GROUPS: Mapping[str, str] = {
    "What is measured": "metrics k k_values language slice_by cluster_column confidence_level seed",
    "The question set": "column_mapping id_columns encoding sheet fail_fast_dataset max_samples sample_seed",
    "The system under test": "pipeline_mode pipeline_workers pipeline_id max_pipeline_errors sample_timeout_s",
    "The run folder": "output_dir on_existing csv_bom report_formats progress dry_run",
    "Matching": "overlap_threshold match_by",
    "Refusals": "refusal_phrases not_refusal_phrases refusal_judge",
    "The judge": "llm_provider llm_model api_key base_url llm_base_url jury llm_temperature llm_max_tokens "
    "llm_parameters judge_llm_parameters prompt_overrides faithfulness_mode judge_repeats fail_on_judge_error",
    "Cost and patience": "cache_dir prices budget_usd max_concurrency requests_per_minute tokens_per_minute "
    "call_timeout_s retry_deadline_s",
    "Judging in batches": "judge_mode batch_price_factor batch_max_requests batch_max_bytes batch_tries batch_poll_s "
    "batch_max_waiting batch_cancel_on_interrupt",
}
"""The keys as a reader looks for them; what stands in none of them comes under "Further settings"."""
_REST = "Further settings"

_EXAMPLES: Mapping[str, Any] = {
    "metrics": ["recall", "mrr", "ndcg@10"],
    "k_values": [1, 3, 10],
    "slice_by": ["topic"],
    "cluster_column": "source_file",
    "column_mapping": {"question": "السؤال", "answer": "الإجابة"},
    "id_columns": ["file", "number"],
    "encoding": "cp1256",
    "sheet": "Sheet1",
    "max_samples": 100,
    "sample_seed": 1,
    "pipeline_mode": "retrieval_only",
    "pipeline_workers": 4,
    "pipeline_id": "my-rag-2",
    "sample_timeout_s": 120.0,
    "report_formats": ["html", "xlsx"],
    "refusal_phrases": ["لا أملك هذه المعلومة"],
    "not_refusal_phrases": ["لا يوجد حد أقصى"],
    "llm_provider": "openai",
    "llm_model": "gpt-4o",
    "api_key": "…",
    "base_url": "http://localhost:11434/v1",
    "llm_base_url": "http://localhost:11434/v1",
    "jury": {"members": ["openai:gpt-4o", "anthropic:claude-haiku-4-5"], "method": "median"},
    "llm_max_tokens": 1024,
    "llm_parameters": {"top_p": 1.0},
    "judge_llm_parameters": {"seed": 1},
    "prompt_overrides": {"faithfulness": "prompts/faithfulness.md"},
    "prices": {"gpt-4o": {"input": 2.5, "output": 10.0}},
    "budget_usd": 5.0,
    "requests_per_minute": 500.0,
    "tokens_per_minute": 200000.0,
    "call_timeout_s": 120.0,
    "retry_deadline_s": 300.0,
    "batch_max_requests": 1000,
    "batch_max_bytes": 100_000_000,
    "morphology_database": "calima-msa-r13.db",
}
"""What a key may hold that has no default."""

_ONLY_BY_HAND = frozenset({"match_by", "llm_temperature"})
"""To set these to their default is not the same as to leave them out."""
_WIDTH = 100
_INTRODUCTION = (
    "Settings of muffakir-eval, for: muffakir-eval run DATASET --config FILE. As it stands, the file says what holds "
    "without it. A line that begins with '# ' and a key is an example, or means the default: take the '# ' away to use "
    "it. 'none' in a comment means: leave the key out. Options on the command line win over the file. Keys of "
    "providers are best kept in variables of the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY, …)."
)


class _Style(NamedTuple):
    """How a format writes a key with its value."""

    line: Callable[[str, Any], str]
    table: str
    indent: str


def settings_template(style: Literal["toml", "yaml"] = "toml", language: str = "en") -> str:
    """A commented settings file with every key; it loads as it stands, and changes nothing.

    Args:
        style: ``toml`` or ``yaml``.
        language: Of the comments, ``en`` or ``ar``.

    >>> "k = 5" in settings_template().splitlines()
    True
    """
    form = _TOML if style == "toml" else _YAML
    arabic = language == "ar"
    meanings = {**_meanings(MatchSettings), **_meanings(EvaluationConfig), **(ARABIC_MEANINGS if arabic else {})}
    lines = [*_comment(ARABIC_INTRODUCTION if arabic else _INTRODUCTION), ""]
    for title, names in _grouped():
        lines += [f"# ---- {ARABIC_GROUPS[title] if arabic else title} ----", ""]
        for name in names:
            default = EvaluationConfig.model_fields[name].default
            line = _line(name, default, form)
            by_hand = default is None or name in _ONLY_BY_HAND
            lines += [*_comment(meanings.get(name, name)), f"# {line}" if by_hand else line, ""]
    lines += [*_comment(meanings.get("matching", "")), f"# {form.table}"]
    for name, field in MatchSettings.model_fields.items():
        if name not in EvaluationConfig.model_fields:
            lines += [*_comment(meanings.get(name, name)), f"# {form.indent}{_line(name, field.default, form)}"]
    return "\n".join([*lines, ""])


def _line(name: str, default: Any, form: _Style) -> str:
    return form.line(name, _EXAMPLES[name] if default is None else default)


def _grouped() -> Iterator[tuple[str, list[str]]]:
    named = {"matching"}
    for title, names in GROUPS.items():
        known = [name for name in names.split() if name in EvaluationConfig.model_fields]
        named.update(known)
        yield title, known
    rest = [name for name in EvaluationConfig.model_fields if name not in named]
    if rest:
        yield _REST, rest


def _meanings(model: type[Any]) -> dict[str, str]:
    """Key to the docstring under it; none where the source is not there."""
    try:
        (tree,) = ast.parse(inspect.getsource(model)).body
    except (OSError, TypeError):
        return {}
    body = getattr(tree, "body", [])
    found = {}
    for line, below in itertools.pairwise(body):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and isinstance(below, ast.Expr):
            found[line.target.id] = _readable(ast.literal_eval(below.value))
    return found


def _readable(docstring: str) -> str:
    """A docstring as a settings file speaks."""
    text = " ".join(docstring.split())
    text = re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`", r"\1", text).replace("``", "")
    return re.sub(r"\b(None|True|False)\b", lambda found: found[0].lower(), text)


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)]


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_toml_name(key)} = {_toml(item)}' for key, item in value.items())} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


def _toml_name(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _yaml(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


_TOML = _Style(lambda name, value: f"{name} = {_toml(value)}", "[matching]", "")
_YAML = _Style(lambda name, value: f"{name}: {_yaml(value)}", "matching:", "  ")
