"""A model on your own machine judges: Ollama, vLLM, llama.cpp, LM Studio. No key, and nothing leaves the machine.

    python examples/local_judge.py [OUTPUT_DIR] [--provider NAME] [--model MODEL] [--base-url URL] [--questions N]

For Ollama: ``ollama pull qwen2.5:14b``, then run this. For vLLM: ``--provider vllm --model Qwen/Qwen2.5-14B-Instruct``.
``--base-url`` is needed where the server does not have its usual port, such as http://gpu-7:8000/v1.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from example_system import QUESTIONS, rag

from muffakir_eval import MuffakirEvalError, MuffakirEvaluation


def main() -> None:
    """Evaluate and print."""
    options = argparse.ArgumentParser(description="The example answers, judged by a model on this machine.")
    options.add_argument("output_dir", nargs="?", default="eval_results/local_judge")
    options.add_argument("--provider", default="ollama")
    options.add_argument("--model", default="qwen2.5:14b")
    options.add_argument("--base-url")
    options.add_argument("--questions", type=int, default=10, help="how many questions")
    given = options.parse_args()

    config: dict[str, Any] = {
        "language": "ar",
        "metrics": ["faithfulness", "answer_correctness"],
        "k": 3,  # fewer chunks are a shorter prompt
        "max_samples": given.questions,
        "llm_provider": given.provider,
        "llm_model": given.model,
        "llm_base_url": given.base_url,
        "max_concurrency": 2,  # as many as the server does at once
        "call_timeout_s": 600,  # small machines are slow
        "retry_deadline_s": 2,  # a server that is not there will not come up by itself
        "progress": False,
    }
    try:
        report = MuffakirEvaluation(config).evaluate(rag, QUESTIONS, save=True, output_dir=given.output_dir)
    except MuffakirEvalError as error:
        sys.exit(f"{error}")
    print(report)


if __name__ == "__main__":
    main()
