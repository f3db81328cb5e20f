"""Settings from a dict, or from a TOML, YAML or JSON file."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from muffakir_eval.config.settings import EvaluationConfig
from muffakir_eval.errors import ConfigError

__all__ = ["load_config", "read_settings"]

_SUFFIXES = (".toml", ".yaml", ".yml", ".json")


def load_config(source: str | Path | Mapping[str, Any] | EvaluationConfig | None) -> EvaluationConfig:
    """Read settings from a dict or from a ``.toml``, ``.yaml``, ``.yml`` or ``.json`` file.

    Raises:
        ConfigError: The file is missing, has another suffix or cannot be parsed, or a setting is wrong.
    """
    if isinstance(source, EvaluationConfig):
        return source
    if source is None or isinstance(source, Mapping):
        return EvaluationConfig.from_mapping(source)
    if not isinstance(source, (str, PurePath)):
        raise ConfigError(
            f"the configuration is of type {type(source).__name__}",
            where="config",
            expected="a dict, the path of a .toml, .yaml or .json file, or an EvaluationConfig",
        )
    path = Path(source)
    return EvaluationConfig.from_mapping(read_settings(path), where=str(path))


def read_settings(path: Path) -> dict[str, Any]:
    """The top-level table of a settings file, unchecked."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError("there is no such file", where=str(path), remedy="check the path") from None
    except (OSError, ValueError) as error:  # no UTF-8, or no path at all
        raise ConfigError(f"the file cannot be read ({error})", where=str(path), expected="UTF-8 text") from None
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        raise ConfigError(
            f"the suffix {suffix or '(none)'} is not known", where=str(path), expected=", ".join(_SUFFIXES)
        )
    try:
        values = _parse(text, suffix)
    except ValueError as error:
        raise ConfigError(
            f"the file does not parse: {error}", where=str(path), expected=f"valid {suffix[1:].upper()}"
        ) from None
    if not isinstance(values, dict):
        raise ConfigError(
            "the file holds no table of settings", where=str(path), expected="keys and values at the top level"
        )
    return values


def _parse(text: str, suffix: str) -> Any:
    if suffix == ".toml":
        return tomllib.loads(text)
    if suffix == ".json":
        return json.loads(text)
    import yaml

    try:
        return yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
