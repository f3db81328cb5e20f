"""``--set KEY=VALUE``: any setting, and how it is laid over the settings file."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from muffakir_eval.cli.log_file import hide
from muffakir_eval.cli.setting_names import check_name
from muffakir_eval.redaction import is_secret_name, secrets_in

if TYPE_CHECKING:
    from muffakir_eval.config import EvaluationConfig

__all__ = ["laid_over", "resolved_settings", "set_values"]

_OPTION = "--set"
_COMMAND_LINE = "command line"
_QUOTED = ("[", "{", '"', "'")


def resolved_settings(
    config: str | None,
    given: Mapping[str, Any],
    set_by_key: Sequence[str] | None = None,
    *,
    switched_off: Sequence[str] = (),
) -> EvaluationConfig:
    """The settings file with the options laid over it, checked.

    Args:
        config: The file.
        given: Values of options; ``None`` where one was not given.
        set_by_key: The values of ``--set``.
        switched_off: Settings that are ``None`` whatever the file says.

    Raises:
        ConfigError: The file cannot be read, or a setting is unknown or malformed.
    """
    from muffakir_eval.config import EvaluationConfig

    values = laid_over(config, given, set_by_key, known=EvaluationConfig.model_fields, switched_off=switched_off)
    settings = EvaluationConfig.from_mapping(values, where=config or _COMMAND_LINE)
    hide(secrets_in(settings.model_dump(mode="python")))
    return settings


def laid_over(
    config: str | None,
    given: Mapping[str, Any],
    set_by_key: Sequence[str] | None,
    *,
    known: Collection[str],
    switched_off: Sequence[str] = (),
) -> dict[str, Any]:
    """The values of the settings file with the options laid over them, not yet checked.

    Args:
        config: The file.
        given: Values of options; ``None`` where one was not given.
        set_by_key: The values of ``--set``.
        known: The keys that there are.
        switched_off: Settings that are ``None`` whatever the file says.

    Raises:
        ConfigError: The file cannot be read, or a key of ``--set`` is clearly another one misspelt.
    """
    from muffakir_eval.config import read_settings

    options = {name: value for name, value in given.items() if value is not None} | dict.fromkeys(switched_off)
    by_key = set_values(set_by_key, known)
    values = read_settings(Path(config)) if config else {}
    values.update(options)
    _let_short_keys_win(values, {*options, *(path[0] for path, _ in by_key)})
    for path, value in by_key:
        if path[0] in options:
            raise typer.BadParameter(f"{path[0]} is given by an option of its own, too", param_hint=_OPTION)
        _put(values, path, value)
    return values


def set_values(pairs: Sequence[str] | None, known: Collection[str] | None = None) -> list[tuple[list[str], Any]]:
    """The paths of the keys and their values; a value is TOML, and a bare word is a text.

    Args:
        pairs: As they were typed.
        known: The keys that there are; ``None``: those of a run.

    Raises:
        BadParameter: A pair is malformed, or would put a secret on the command line.
        ConfigError: A key is clearly another one misspelt.

    >>> set_values(["judge_repeats=3", "matching.fuzzy=false", "faithfulness_mode=claims"])
    [(['judge_repeats'], 3), (['matching', 'fuzzy'], False), (['faithfulness_mode'], 'claims')]
    """
    from muffakir_eval.config import EvaluationConfig

    names = EvaluationConfig.model_fields if known is None else known
    found = []
    for pair in pairs or ():
        key, equals, text = pair.partition("=")
        path = [part.strip() for part in key.split(".")]
        if not equals or not all(path):
            raise typer.BadParameter(
                f"expected KEY=VALUE, such as judge_repeats=3, found {key if equals else pair!r}", param_hint=_OPTION
            )
        check_name(path, names)
        if any(is_secret_name(part) for part in path):
            raise typer.BadParameter(
                f"{key.strip()} is a secret, which other users of this machine could read on the command line; keep it "
                "in the variable of the environment or in the file for --config",
                param_hint=_OPTION,
            )
        found.append((path, _value(text.strip(), key.strip())))
    return found


def _value(text: str, key: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError as error:
        if text.startswith(_QUOTED) or "\n" in text:
            raise typer.BadParameter(f"the value of {key} is no TOML: {error}", param_hint=_OPTION) from None
        return text


def _let_short_keys_win(values: dict[str, Any], given: Set[str]) -> None:
    """Take out of the table ``matching`` of the file what the command line says by its short key."""
    finer = values.get("matching")
    if isinstance(finer, Mapping):
        values["matching"] = {name: value for name, value in finer.items() if name not in given}


def _put(values: dict[str, Any], path: Sequence[str], value: Any) -> None:
    *tables, last = path
    for name in tables:
        inner = values.get(name)
        values[name] = dict(inner) if isinstance(inner, Mapping) else {}
        values = values[name]
    values[last] = value
