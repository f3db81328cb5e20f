"""The settings of a run as a file that starts the same run again, without secrets."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from muffakir_eval.redaction import MASK, is_secret_name

__all__ = ["run_settings_text"]

_ONLY_IF_GIVEN = frozenset({"llm_temperature"})
"""Settings that mean something else where they are given, although with their default."""
_WITHOUT = frozenset({"dry_run"})
_SHORT = ("overlap_threshold", "match_by")
"""Settings of ``matching`` that stand above it, too. They are written there alone: inside they would win, also over
the options of a command."""


def run_settings_text(settings: Mapping[str, Any], run_id: str, given: Collection[str] = ()) -> str:
    """The content of ``run_config.yaml``, which ``--config`` and ``MuffakirEvaluation`` read.

    Args:
        settings: All of them, secrets masked (``EvaluationConfig.public_dict``).
        run_id: Of the run.
        given: Those that the user has set.

    >>> print(run_settings_text({"k": 5, "api_key": "***", "sheet": None}, "r1"))
    # Settings of the run r1 of muffakir-eval
    # Left out, since they hold secrets: api_key. Keys are best kept in variables of the environment.
    k: 5
    <BLANKLINE>
    """
    import yaml

    left_out: list[str] = []
    masked: list[str] = []
    kept: dict[str, Any] = {}
    for name, value in _with_short_keys(settings).items():
        skipped = name in _WITHOUT or (name in _ONLY_IF_GIVEN and name not in given)
        if skipped or (value is None and name != "cache_dir"):
            continue
        known = _without_secrets(value, name, left_out)
        if known is not _SECRET:
            kept[name] = known
            masked += _masked_in(known, name)
    lines = [f"# Settings of the run {run_id} of muffakir-eval"]
    if left_out:
        told = f"# Left out, since they hold secrets: {', '.join(left_out)}."
        lines.append(f"{told} Keys are best kept in variables of the environment.")
    if masked:
        lines.append(f"# {MASK} stands where something looked like a secret: {', '.join(masked)}.")
    body = yaml.safe_dump(kept, allow_unicode=True, sort_keys=False, width=1000, default_flow_style=False)
    return "\n".join([*lines, body])


def _masked_in(value: Any, name: str) -> Iterator[str]:
    """The names of the texts of which a part may be masked."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _masked_in(item, f"{name}.{key}")
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _masked_in(item, f"{name}[{at}]")
    elif isinstance(value, str) and MASK in value:
        yield name


def _with_short_keys(settings: Mapping[str, Any]) -> dict[str, Any]:
    """``settings`` with what holds in ``matching`` moved to its short key."""
    finer = settings.get("matching")
    if not isinstance(finer, Mapping):
        return dict(settings)
    short = {name: finer[name] for name in _SHORT if name in finer}
    return {**settings, **short, "matching": {name: value for name, value in finer.items() if name not in short}}


_SECRET = object()


def _without_secrets(value: Any, name: str, left_out: list[str]) -> Any:
    """``value`` without what is masked in it; the names of that go into ``left_out``."""
    if isinstance(value, Mapping):
        found = {str(key): _without_secrets(item, f"{name}.{key}", left_out) for key, item in value.items()}
        return {key: item for key, item in found.items() if item is not _SECRET}
    if isinstance(value, (list, tuple)):
        listed = [_without_secrets(item, f"{name}[{at}]", left_out) for at, item in enumerate(value)]
        return [item for item in listed if item is not _SECRET]
    if value == MASK or (isinstance(value, str) and MASK in value and (is_secret_name(name) or "://" in value)):
        left_out.append(name)
        return _SECRET
    return value
