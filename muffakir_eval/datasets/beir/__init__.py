"""BEIR folders: ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/*.tsv``, read and written."""

from muffakir_eval.datasets.beir.reading import read_beir
from muffakir_eval.datasets.beir.writing import write_beir

__all__ = ["read_beir", "write_beir"]
