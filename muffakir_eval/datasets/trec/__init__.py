"""TREC files: judgements (qrels), runs, and the two together as a data set."""

from muffakir_eval.datasets.trec.loading import load_trec
from muffakir_eval.datasets.trec.qrels import read_qrels, write_qrels
from muffakir_eval.datasets.trec.runs import read_run, write_run

__all__ = ["load_trec", "read_qrels", "read_run", "write_qrels", "write_run"]
