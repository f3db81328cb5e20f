"""Datasets: whatever holds questions, turned into samples."""

from muffakir_eval.datasets.dataset import EvaluationDataset
from muffakir_eval.datasets.loading import load_evaluation_dataset
from muffakir_eval.datasets.reading.table import read_table
from muffakir_eval.datasets.tables import RawTable, ReadOptions

__all__ = ["EvaluationDataset", "RawTable", "ReadOptions", "load_evaluation_dataset", "read_table"]
