"""Datasets: whatever holds questions, turned into samples."""

from muffakir_eval.datasets.dataset import EvaluationDataset
from muffakir_eval.datasets.loading import load_evaluation_dataset

__all__ = ["EvaluationDataset", "load_evaluation_dataset"]
