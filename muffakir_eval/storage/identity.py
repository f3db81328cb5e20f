"""Whether an unfinished run may be taken up with the settings of now."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from muffakir_eval.errors import RunMismatchError
from muffakir_eval.records.codec import strict_json

__all__ = ["differences", "refuse_other_settings"]


def differences(before: Mapping[str, Any], now: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Every setting that differs, as ``name: before -> now``.

    >>> list(differences({"k": 5, "judge": {"model": "a"}}, {"k": 5, "judge": {"model": "b"}}))
    ["judge.model: 'a' -> 'b'"]
    """
    for name in sorted({*before, *now}):
        old, new = before.get(name), now.get(name)
        if old == new:
            continue
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from differences(old, new, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}: {old!r} -> {new!r}"


def refuse_other_settings(
    found: Mapping[str, Any], now: Mapping[str, Any], path: Path, done: int, *, extend: bool
) -> None:
    """Compare the identities of two headers; with ``extend`` the dataset may differ.

    Raises:
        RunMismatchError: They differ; the message names every difference.
    """
    before, wanted = dict(found.get("identity") or {}), json.loads(strict_json(now.get("identity") or {}))
    if extend:
        before.pop("dataset", None)
        wanted.pop("dataset", None)
    changed = list(differences(before, wanted))
    if not changed:
        return
    only_data = all(change.startswith("dataset") for change in changed)
    remedy = "choose another output_dir, or set on_existing='overwrite' to throw the unfinished run away"
    if only_data:
        remedy += ", or on_existing='extend' to reuse the questions that have not changed"
    raise RunMismatchError(
        f"the folder holds an unfinished run ({done} questions done) that was made with other settings: "
        + "; ".join(changed),
        where=str(path),
        remedy=remedy,
    )
