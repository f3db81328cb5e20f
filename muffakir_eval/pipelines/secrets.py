"""The secrets that a pipeline carries with it, so that no error text can carry one out."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from muffakir_eval.pipelines.settings import config_of, fields_of
from muffakir_eval.redaction import is_secret_name, secrets_in, secrets_of_environment

__all__ = ["pipeline_secrets"]


def pipeline_secrets(rag: Any) -> frozenset[str]:
    """Keys and passwords in a pipeline's settings and attributes, and in the environment.

    >>> class Rag:
    ...     def __init__(self) -> None:
    ...         self.api_key = "zebra"
    >>> "zebra" in pipeline_secrets(Rag())
    True
    """
    found = set(secrets_of_environment())
    while isinstance(rag, functools.partial):
        found.update(secrets_in(rag.keywords))
        rag = rag.func
    for owner in (rag, getattr(rag, "__self__", None)):
        try:
            found.update(secrets_in(_named_values(config_of(owner))))
            # A pipeline may hold its whole corpus: only what is called a secret is looked into.
            found.update(secrets_in({name: value for name, value in _attributes(owner) if is_secret_name(name)}))
        except Exception:  # noqa: BLE001, S112 - settings of the user's may do anything when they are read
            continue
    return frozenset(found)


def _named_values(settings: Any) -> dict[str, Any]:
    fields = fields_of(settings)
    return dict(_attributes(settings)) if fields is None else dict(fields)


def _attributes(owner: Any) -> Iterator[tuple[str, Any]]:
    attributes = getattr(owner, "__dict__", None)
    if isinstance(attributes, dict) and not isinstance(owner, type):
        yield from ((name, value) for name, value in attributes.items() if isinstance(name, str))
