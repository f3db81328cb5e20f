"""What is wrong with a setting, in words."""

from __future__ import annotations

import datetime
import difflib
from collections.abc import Iterable, Mapping

from pydantic import SecretStr, ValidationError

from muffakir_eval.errors import ConfigError
from muffakir_eval.redaction import is_secret_name, redact

__all__ = ["explained"]

_LONGEST = 200
_MEANT = {
    "top_k": "k",
    "n": "max_samples",
    "limit": "max_samples",
    "cutoffs": "k_values",
    "threshold": "overlap_threshold",
    "model": "llm_model",
    "judge": "llm_model",
    "judge_model": "llm_model",
    "provider": "llm_provider",
    "temperature": "llm_temperature",
    "max_tokens": "llm_max_tokens",
    "openai_api_key": "api_key",
    "workers": "pipeline_workers",
    "max_workers": "pipeline_workers",
    "concurrency": "max_concurrency",
    "timeout": "call_timeout_s",
    "output": "output_dir",
    "out_dir": "output_dir",
    "folder": "output_dir",
    "columns": "column_mapping",
    "mapping": "column_mapping",
    "budget": "budget_usd",
    "lang": "language",
}
"""What people write who come from elsewhere."""


def explained(error: ValidationError, known: Mapping[str, Iterable[str]], where: str) -> ConfigError:
    """The first problem of ``error``, an unknown key before anything else; a value that may be secret is not shown.

    Args:
        error: What pydantic found.
        known: The known keys: of the top level under ``""``, of a table under its name.
        where: The file, or what else held the settings.
    """
    problems = error.errors(include_url=False, include_context=False)
    unknown = next((problem for problem in problems if problem["type"] == "extra_forbidden"), None)
    if unknown is not None:
        path = [str(part) for part in unknown["loc"]]
        names = sorted(known.get(path[0] if len(path) > 1 else "", ()))
        meant = _MEANT.get(path[-1].lower()) if len(path) == 1 else None
        near = [meant] if meant else difflib.get_close_matches(path[-1].lower(), names, n=1, cutoff=0.6)
        remedy = f"did you mean {near[0]!r}?" if near else f"known keys are {', '.join(names)}"
        return ConfigError(f"unknown key {'.'.join(path)!r}", where=where, remedy=remedy)
    first = problems[0]
    path = [str(part) for part in first["loc"] if not _is_internal(str(part))]
    message = first["msg"].removeprefix("Value error, ").replace("valid tuple", "valid list")
    found = "" if first["type"] == "value_error" and not _is_plain(first["input"]) else _found(path, first["input"])
    return ConfigError(
        f"{message[0].lower()}{message[1:]}{found}",
        where=f"{where}, key {'.'.join(path)!r}" if path else where,
    )


def _is_internal(part: str) -> bool:
    """How pydantic names the branch of a union, or a key itself."""
    return part in {"str", "callable", "[key]"} or part.startswith(("function-", "list["))


def _found(path: Iterable[str], value: object) -> str:
    if isinstance(value, SecretStr) or any(is_secret_name(part) for part in path):
        return ""
    if not _is_plain(value):
        return f", found a {type(value).__name__}"
    if isinstance(value, (datetime.date, datetime.time)):  # what TOML and YAML make of an unquoted 2024-01-05
        return f", found the {type(value).__name__} {value.isoformat()}"
    shown = repr(value)
    return f", found {redact(shown if len(shown) <= _LONGEST else f'{shown[:_LONGEST]}…')}"


def _is_plain(value: object) -> bool:
    return not isinstance(value, (dict, list, tuple, set, frozenset))
