"""A small RAG system that the other examples evaluate: BM25 finds passages, the answers were recorded.

    muffakir-eval run examples/questions.jsonl --pipeline examples.example_system:rag --metrics recall,token_f1

Put a call of your own system in place of ``__call__``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from muffakir_eval import BM25Retriever, Sample, load_corpus, rechunk

__all__ = ["QUESTIONS", "ExampleSystem", "rag"]

HERE = Path(__file__).parent
QUESTIONS = HERE / "questions.jsonl"


class ExampleSystem:
    """Answers a question of ``questions.jsonl``."""

    def __init__(self) -> None:
        self.retriever = BM25Retriever(rechunk(load_corpus(HERE / "corpus.jsonl"), words=60, overlap=15))

    def __call__(self, sample: Sample, k: int) -> dict[str, Any]:
        """Retrieve now; the answer is the recorded one."""
        answer = sample.recorded.answer if sample.recorded else None
        return {"answer": answer, "retrieved_documents": self.retriever.search(sample.question, k=k)}


rag = ExampleSystem()
