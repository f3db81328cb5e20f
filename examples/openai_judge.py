"""OpenAI judges the answers: first what it would cost, then the run, within a budget. Needs OPENAI_API_KEY.

    python examples/openai_judge.py [OUTPUT_DIR] [--model MODEL] [--questions N] [--dry-run]

With ``--dry-run`` nothing is asked, and no key is needed. The prices are those that you enter below, in US dollars per
million tokens: look them up. ``OPENAI_BASE_URL`` names another server that speaks OpenAI's protocol.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from example_system import QUESTIONS, rag

from muffakir_eval import MuffakirEvalError, MuffakirEvaluation


def main() -> None:
    """Plan, evaluate, print."""
    options = argparse.ArgumentParser(description="The example answers, judged by a model of OpenAI.")
    options.add_argument("output_dir", nargs="?", default="eval_results/openai_judge")
    options.add_argument("--model", default="gpt-4o-mini")
    options.add_argument("--questions", type=int, default=20, help="how many questions")
    options.add_argument("--dry-run", action="store_true", help="only say what it would cost")
    given = options.parse_args()

    config: dict[str, Any] = {
        "language": "ar",
        "metrics": ["faithfulness", "answer_correctness", "llm_judge_rating"],
        "max_samples": given.questions,
        "sample_seed": 1,  # drawn at random, the same ones every time
        "llm_provider": "openai",
        "llm_model": given.model,
        "prices": {"input": 0.15, "output": 0.60},
        "budget_usd": 0.50,  # once so much is spent, nothing more is asked
        "progress": False,
    }
    try:
        plan, evaluator = MuffakirEvaluation({**config, "dry_run": True}), MuffakirEvaluation(config)
        print(plan.evaluate(rag, QUESTIONS, save=True, output_dir=given.output_dir))
        if given.dry_run:
            return
        report = evaluator.evaluate(rag, QUESTIONS, save=True, output_dir=given.output_dir)
    except MuffakirEvalError as error:
        sys.exit(f"{error}")
    print(f"\n{report}")
    usage = report.to_dict()["usage"]
    print(f"\n{usage['calls']} calls, {usage['cost_usd']} USD")


if __name__ == "__main__":
    main()
