"""Keys of ``--set`` that are no settings, and which ones are meant."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Sequence

from muffakir_eval.errors import ConfigError
from muffakir_eval.redaction import is_secret_name

__all__ = ["check_name"]

_ALIKE, _PART_ALIKE = 0.6, 0.8
_SECRETS = ("api_key", "_key", "password", "secret", "token", "credential", "authorization")
"""What a key is called that is meant for a secret, whether or not there is such a setting."""


def check_name(path: Sequence[str], known: Collection[str]) -> None:
    """Refuse an unknown key whose meaning can be told. Others are left to the check of all settings.

    Args:
        path: The parts of the key.
        known: The keys that there are; those of the table ``matching`` are known anyway.

    Raises:
        ConfigError: The key is unknown, and another one is meant or it only looks like the name of a secret.

    >>> check_name(["coverage_threshold"], ["k", "overlap_threshold"])
    Traceback (most recent call last):
    ...
    muffakir_eval.errors.ConfigError: --set: unknown key 'coverage_threshold'. What to do: did you mean \
'matching.coverage_threshold'?
    """
    from muffakir_eval.config import MatchSettings

    finer = MatchSettings.model_fields
    *tables, name = path
    if tables == ["matching"] and name not in finer:
        meant = _meant(name, finer)
        _refuse(path, None if meant is None else f"matching.{meant}")
    if tables or name in known or (is_secret_name(name) and _is_called_like_a_secret(name)):
        return
    if name in finer:
        _refuse(path, f"matching.{name}")
    if difflib.get_close_matches(name.lower(), known, n=1, cutoff=_ALIKE) and not is_secret_name(name):
        return  # the check of all settings knows it, too, and what people write who come from elsewhere
    _refuse(path, _meant(name, known) or next((f"matching.{one}" for one in [_meant(name, finer)] if one), None))


def _is_called_like_a_secret(name: str) -> bool:
    low = name.lower().replace("-", "_")
    return bool(difflib.get_close_matches(low, _SECRETS, n=1, cutoff=_PART_ALIKE)) or any(
        word in low for word in _SECRETS
    )


def _meant(name: str, known: Iterable[str]) -> str | None:
    """The known name that is like ``name``, as a whole or in one of its words."""
    names = sorted(known)
    whole = difflib.get_close_matches(name.lower(), names, n=1, cutoff=_ALIKE)
    if whole:
        return whole[0]
    words = {word: one for one in reversed(names) for word in one.split("_") if len(word) > 2}
    near = difflib.get_close_matches(name.lower(), sorted(words), n=1, cutoff=_PART_ALIKE)
    return words[near[0]] if near else None


def _refuse(path: Sequence[str], meant: str | None) -> None:
    key = ".".join(path)
    if meant is not None:
        raise ConfigError(f"unknown key {key!r}", where="--set", remedy=f"did you mean {meant!r}?")
    if is_secret_name(path[-1]):
        raise ConfigError(
            f"unknown key {key!r}", where="--set", remedy="check how it is spelt; muffakir-eval init lists all settings"
        )
