"""Quick start: an Arabic RAG evaluation, offline, in a few seconds.

    python examples/quickstart.py [OUTPUT_DIR]

A small collection of passages is cut into chunks, BM25 retrieves them, and the answers are those that
a RAG system gave earlier. The run shows how well the evidence is retrieved and how often the system
declined to answer, prints a table, and writes ``summary.json``, ``samples.csv`` and the records.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from muffakir_eval import BM25Retriever, MuffakirEvaluation, Sample, load_corpus, rechunk

HERE = Path(__file__).parent


def main(output_dir: str = "eval_results/quickstart") -> None:
    """Evaluate and print."""
    passages = load_corpus(HERE / "corpus.jsonl")
    retriever = BM25Retriever(rechunk(passages, words=60, overlap=15))

    def rag(sample: Sample, k: int) -> dict[str, Any]:
        """Retrieve now; the answer was recorded. Put a call of your own system here."""
        answer = sample.recorded.answer if sample.recorded else None
        return {"answer": answer, "retrieved_documents": retriever.search(sample.question, k=k)}

    evaluator = MuffakirEvaluation(
        config={
            "language": "ar",
            "metrics": ["recall", "precision", "mrr", "ndcg", "map", "hit_rate"],
            "k": 5,
            "pipeline_id": "bm25-60-words",
        }
    )
    report = evaluator.evaluate(rag=rag, dataset=HERE / "questions.jsonl", save=True, output_dir=output_dir)
    print(report)
    print(f"\nWritten to {report.folder}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
