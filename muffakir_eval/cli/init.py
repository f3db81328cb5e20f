"""``muffakir-eval init``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Literal

import typer

from muffakir_eval.cli.outcome import exit_codes
from muffakir_eval.errors import ConfigError

__all__ = ["init"]

_STYLES: dict[str, Literal["toml", "yaml"]] = {".toml": "toml", ".yaml": "yaml", ".yml": "yaml"}


def init(
    path: Annotated[
        str, typer.Argument(help="The file to write: .toml, .yaml or .yml.", metavar="PATH")
    ] = "muffakir_eval.toml",
    language: Annotated[Literal["en", "ar"], typer.Option(help="Of the comments in it.")] = "en",
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Write a settings file with every key, what it means, and its default.

    Examples:
      muffakir-eval init

      muffakir-eval init settings.yaml --language ar
    """
    with exit_codes():
        from muffakir_eval.atomic import make_folder, replace_file
        from muffakir_eval.config.template import settings_template
        from muffakir_eval.writers.console import print_text

        file = Path(path)
        style = _STYLES.get(file.suffix.lower())
        if style is None:
            raise ConfigError(
                f"the suffix {file.suffix or '(none)'} is not known", where=path, expected=", ".join(_STYLES)
            )
        if file.exists() and not force:
            raise ConfigError("there is a file already", where=path, remedy="name another one, or add --force")
        make_folder(file.parent)
        replace_file(file, [settings_template(style, language).encode()])
        print_text(f"Written to {file}\nUse it: muffakir-eval run DATASET --config {shlex.quote(str(file))}")
