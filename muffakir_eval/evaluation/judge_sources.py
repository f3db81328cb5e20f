"""Who is compared: judges that are still to be asked, and runs that have been judged already."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from muffakir_eval.comparison.runs_folder import load_report
from muffakir_eval.config import EvaluationConfig
from muffakir_eval.config.panels import JudgeSpec, judge_spec, told_apart
from muffakir_eval.errors import ConfigError
from muffakir_eval.report import EvaluationReport
from muffakir_eval.storage import RECORDS

__all__ = ["Source", "common_settings", "folder_name", "sources"]

_NOT_COMMON = ("llm_provider", "llm_model", "api_key", "base_url", "llm_base_url", "jury")
_WHERE = "judges"
_ALONE = {"llm_provider", "llm_model", "jury"}
"""Keys that tell the settings of one judge from labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where the ratings of one judge come from.

    Attributes:
        spec: The judge, with the label that it has here.
        report: Of an earlier run; ``None`` where the judge is still to be asked.
    """

    spec: JudgeSpec
    report: EvaluationReport | None = None


def sources(judges: Any) -> list[Source]:
    """The judges as users name them.

    Args:
        judges: One, a list, or a mapping of labels to: ``"provider:model"``, a dict of settings, an object that
            answers, a panel, the folder of a finished run, or a report.

    Raises:
        ConfigError: There is none, or one is malformed.
        StorageError: A folder cannot be read.
    """
    if isinstance(judges, Iterator):
        judges = list(judges)
    one = not isinstance(judges, (Mapping, Sequence)) or isinstance(judges, (str, bytes))
    if one or (isinstance(judges, Mapping) and not _ALONE.isdisjoint(judges)):
        judges = [judges]
    if isinstance(judges, Mapping):
        named: list[tuple[str | None, Any]] = [(str(label), judge) for label, judge in judges.items()]
    else:
        named = [(None, judge) for judge in judges]
    if not named:
        raise ConfigError("there is no judge", where=_WHERE, remedy="name at least one")
    found = [_source(label, judge) for label, judge in named]
    _refuse_run_twice(found)
    specs = told_apart([source.spec for source in found])
    return [Source(spec=spec, report=source.report) for spec, source in zip(specs, found, strict=True)]


def _refuse_run_twice(found: Sequence[Source]) -> None:
    """A run agrees with itself, which says nothing about a judge."""
    runs: set[str] = set()
    for source in found:
        if source.report is None:
            continue
        if source.report.run_id in runs:
            raise ConfigError(f"the run of {source.spec.label} is there twice", where=_WHERE, remedy="name it once")
        runs.add(source.report.run_id)


def _source(label: str | None, judge: Any) -> Source:
    if isinstance(judge, EvaluationReport):
        name = label or (judge.folder.name if judge.folder is not None else judge.run_id)
        return Source(spec=JudgeSpec(label=name), report=judge)
    path = _run_folder(judge)
    if path is not None:
        return Source(spec=JudgeSpec(label=label or path.resolve().name), report=load_report(path))
    if isinstance(judge, PurePath) or (isinstance(judge, str) and ":" not in judge):
        raise ConfigError(
            f"{str(judge)!r} is neither a judge nor the folder of a finished run",
            where=_WHERE,
            expected="PROVIDER:MODEL, such as openai:gpt-4o, or a folder that holds a run",
        )
    spec = judge_spec(judge, where=_WHERE if label is None else f"{_WHERE}, {label!r}")
    return Source(spec=spec if label is None else JudgeSpec(label=label, settings=spec.settings, model=spec.model))


def _run_folder(judge: Any) -> Path | None:
    if not isinstance(judge, (str, PurePath)):
        return None
    try:
        path = Path(judge)
        place = path.parent if path.name in (RECORDS, "summary.json") else path
        return place if (place / RECORDS).is_file() or (place / "summary.json").is_file() else None
    except (OSError, ValueError):
        return None


def common_settings(config: EvaluationConfig) -> EvaluationConfig:
    """``config`` as all judges have it.

    Raises:
        ConfigError: It names a judge, whose key might be sent to the others.
    """
    named = [key for key in _NOT_COMMON if getattr(config, key) is not None]
    if named:
        raise ConfigError(
            f"the common settings have {', '.join(named)}",
            where="config",
            remedy='give each judge its own: judges=[{"llm_provider": …, "llm_model": …, "api_key": …}, …]',
        )
    return config


def folder_name(label: str, taken: set[str]) -> str:
    """A folder for the run of a judge, different from those in ``taken``, the same every time.

    >>> folder_name("openai/gpt-4o (2)", set()), folder_name("حَكَم", set())
    ('openai-gpt-4o-2', 'حكم')
    """
    plain = re.sub(r"[^\w.-]+", "-", re.sub(r"[\u064b-\u0652]", "", label)).strip("-.").lower()[:60] or "judge"
    name, number = plain, 1
    while name in taken:
        number += 1
        name = f"{plain}-{number}"
    taken.add(name)
    return name
