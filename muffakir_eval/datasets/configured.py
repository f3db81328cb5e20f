"""Question sets, read as the settings of a run say."""

from __future__ import annotations

from typing import Any

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.datasets.dataset import EvaluationDataset
from muffakir_eval.datasets.loading import load_evaluation_dataset

__all__ = ["read_questions"]


def read_questions(dataset: Any, config: EvaluationConfig) -> EvaluationDataset:
    """The questions of ``dataset``, read as ``config`` says.

    Raises:
        DatasetError: It cannot be read.
    """
    return load_evaluation_dataset(
        dataset,
        fail_fast=config.fail_fast_dataset,
        max_samples=config.max_samples,
        column_mapping=config.column_mapping,
        id_columns=config.id_columns,
        encoding=config.encoding,
        sheet=config.sheet,
        sample_seed=config.sample_seed,
    )
