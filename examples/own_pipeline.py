"""Your own system: an object with ``ask``, and a coroutine function. Offline.

    python examples/own_pipeline.py [OUTPUT_DIR]

Both are evaluated on the same questions, and then compared. The first takes the answer from the best passage,
the second looks for the passage by the rarest words of the question.
"""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

from muffakir_eval import BM25Retriever, MuffakirEvaluation, RetrievedChunk, compare_runs, load_corpus

HERE = Path(__file__).parent
PASSAGES = load_corpus(HERE / "corpus.jsonl")


class MyRag:
    """An object with ``ask``: it is called with the question and with ``k``."""

    def __init__(self) -> None:
        self.index = BM25Retriever(PASSAGES)

    def ask(self, question: str, k: int = 5) -> dict[str, Any]:
        """Answer with the first sentence of the best passage."""
        found = self.index.search(question, k=k)
        answer = re.split(r"(?<=[.؟])\s", found[0].text)[0] if found else "لا تتوفر لدي معلومات كافية."
        return {"answer": answer, "retrieved_documents": found}


async def my_async_rag(question: str, k: int = 5) -> tuple[str, list[RetrievedChunk]]:
    """A coroutine function: up to 16 questions are asked at once. It returns the answer and the passages."""
    await asyncio.sleep(0.001)  # a call over the network would stand here
    words = {word for word in re.findall(r"\w+", question) if len(word) > 4}
    found = sorted(PASSAGES, key=lambda passage: -sum(word in passage.text for word in words))[:k]
    return re.split(r"(?<=[.؟])\s", found[0].text)[0], found


def main(output_dir: str = "eval_results/own_pipeline") -> None:
    """Evaluate both, and compare."""
    metrics = ["recall", "mrr", "token_f1"]
    config = {"language": "ar", "metrics": metrics, "progress": False}
    folders = []
    for name, rag in (("ask", MyRag()), ("async", my_async_rag)):
        folders.append(Path(output_dir) / name)
        report = MuffakirEvaluation({**config, "pipeline_id": name}).evaluate(
            rag, HERE / "questions.jsonl", save=True, output_dir=str(folders[-1])
        )
        print(report, end="\n\n")
    print(compare_runs(*folders, metrics=metrics, n_moved=2))


if __name__ == "__main__":
    main(*sys.argv[1:2])
