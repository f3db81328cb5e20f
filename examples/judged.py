"""Judged metrics: are the answers grounded, correct, and how good? Offline, or with a judge of your own.

    python examples/judged.py [OUTPUT_DIR] [--judge PROVIDER:MODEL] [--dry-run]

Without ``--judge`` no model is asked: the replies of the judge are scripted, always the same, and show
only what a run looks like. With it, for example ``--judge openai:gpt-4o-mini``, the key is read from the
provider's environment variable (``OPENAI_API_KEY``), and about 280 short calls are made; ``--dry-run``
counts them first. ``--judge ollama:qwen2.5:14b`` asks a model on this machine and needs no key.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from muffakir_eval import BM25Retriever, MuffakirEvaluation, Sample, ScriptedModel, load_corpus, rechunk

HERE = Path(__file__).parent

SCRIPT = {
    "faithfulness": {"reason": "ردّ مكتوب مسبقًا.", "unsupported": [], "verdict": "yes"},
    "answer_correctness": {"reason": "ردّ مكتوب مسبقًا.", "score": 0.8},
    "llm_judge_rating": {"reason": "ردّ مكتوب مسبقًا.", "score": 4},
}
"""What the scripted judge replies to each metric, whatever the answer."""


class Rag:
    """Retrieves now and takes the answers that were recorded. Put a call of your own system here."""

    llm_provider = ScriptedModel(SCRIPT)
    """A judge where the settings name none: here a script, in a system of your own the model that it answers with."""

    def __init__(self) -> None:
        passages = load_corpus(HERE / "corpus.jsonl")
        self.retriever = BM25Retriever(rechunk(passages, words=60, overlap=15))

    def __call__(self, sample: Sample, k: int) -> dict[str, Any]:
        """Answer one question."""
        answer = sample.recorded.answer if sample.recorded else None
        return {"answer": answer, "retrieved_documents": self.retriever.search(sample.question, k=k)}


def main() -> None:
    """Evaluate and print."""
    options = argparse.ArgumentParser(description="Judged metrics on the example data.")
    options.add_argument("output_dir", nargs="?", default="eval_results/judged")
    options.add_argument("--judge", metavar="PROVIDER:MODEL", help="a real judge; without it the replies are scripted")
    options.add_argument("--dry-run", action="store_true", help="only count the calls of the judge")
    given = options.parse_args()

    config: dict[str, Any] = {
        "language": "ar",
        "metrics": ["faithfulness", "answer_correctness", "llm_judge_rating"],
        "k": 5,
        "pipeline_id": "bm25-60-words",
        "dry_run": given.dry_run,
        "progress": False,
    }
    if given.judge:
        provider, _, model = given.judge.partition(":")
        config |= {"llm_provider": provider, "llm_model": model}
    else:
        print("The replies of the judge are scripted: the figures show the form of a report and mean nothing.\n")
        config["cache_dir"] = None  # nothing here is worth keeping
    report = MuffakirEvaluation(config).evaluate(
        rag=Rag(), dataset=HERE / "questions.jsonl", save=True, output_dir=given.output_dir
    )
    print(report)
    if report.folder:
        print(f"\nWritten to {report.folder}")


if __name__ == "__main__":
    main()
