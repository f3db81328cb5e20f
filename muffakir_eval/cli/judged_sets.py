"""Question sets that are made of relevance judgements: BEIR folders and TREC files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from muffakir_eval.errors import ConfigError

__all__ = ["folder_of_passages", "question_set"]

_JUDGEMENT = re.compile(rb"\S+\s+\S+\s+\S+\s+-?\d+\s*")


def question_set(dataset: str, run_file: str | None, queries: str | None) -> Any:
    """What is evaluated: the samples of TREC files where one of the options for them was given."""
    if run_file is None and queries is None:
        _refuse_bare_judgements(Path(dataset))
        return dataset
    from muffakir_eval.datasets.trec import load_trec

    return load_trec(dataset, run_file, queries)


def _refuse_bare_judgements(path: Path) -> None:
    """Judgements of TREC, which hold no question and nothing that was retrieved."""
    from muffakir_eval.datasets.reading.files import SUFFIXES

    try:
        if path.suffix.lower() in {*SUFFIXES, ".gz"} or not path.is_file():
            return
        with path.open("rb") as lines:
            first = lines.readline(1000)
    except (OSError, ValueError):
        return
    if _JUDGEMENT.fullmatch(first) is None:
        return
    raise ConfigError(
        "this is a file of TREC judgements, which says what is relevant, but neither what was asked nor what was found",
        where=str(path),
        remedy="add --run-file RUN to measure the rankings of a TREC run, or --queries FILE with the texts of the "
        "queries to ask a retriever or a pipeline",
    )


def folder_of_passages(dataset: str) -> str | None:
    """The BEIR folder that a question set belongs to, where its corpus is there."""
    from muffakir_eval.datasets.beir.files import beir_folder, has_corpus

    found = beir_folder(Path(dataset))
    return str(found[0]) if found is not None and has_corpus(found[0]) else None
