"""Question sets that are made of relevance judgements: BEIR folders and TREC files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["folder_of_passages", "question_set"]


def question_set(dataset: str, run_file: str | None, queries: str | None) -> Any:
    """What is evaluated: the samples of TREC files where one of the options for them was given."""
    if run_file is None and queries is None:
        return dataset
    from muffakir_eval.datasets.trec import load_trec

    return load_trec(dataset, run_file, queries)


def folder_of_passages(dataset: str) -> str | None:
    """The BEIR folder that a question set belongs to, where its corpus is there."""
    from muffakir_eval.datasets.beir.files import beir_folder, has_corpus

    found = beir_folder(Path(dataset))
    return str(found[0]) if found is not None and has_corpus(found[0]) else None
