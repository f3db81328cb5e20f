"""A model of Anthropic judges claim by claim, and says why. Needs ANTHROPIC_API_KEY.

    python examples/anthropic_judge.py [OUTPUT_DIR] [--model MODEL] [--questions N]

``faithfulness_mode="claims"`` cuts each answer into statements and asks for a verdict on each, with the chunks that
support it. The verdicts stand in the details of the score; the least faithful answers are printed.
"""

from __future__ import annotations

import argparse
import sys

from example_system import QUESTIONS, rag

from muffakir_eval import MuffakirEvalError, MuffakirEvaluation


def main() -> None:
    """Evaluate and print."""
    options = argparse.ArgumentParser(description="The example answers, judged claim by claim.")
    options.add_argument("output_dir", nargs="?", default="eval_results/anthropic_judge")
    options.add_argument("--model", default="claude-sonnet-5-5")
    options.add_argument("--questions", type=int, default=20, help="how many questions")
    given = options.parse_args()

    evaluator = MuffakirEvaluation(
        {
            "language": "ar",
            "metrics": ["faithfulness"],
            "faithfulness_mode": "claims",
            "max_samples": given.questions,
            "sample_seed": 1,
            "llm_provider": "anthropic",
            "llm_model": given.model,
            "llm_max_tokens": 2000,
            "progress": False,
        }
    )
    try:
        report = evaluator.evaluate(rag, QUESTIONS, save=True, output_dir=given.output_dir)
    except MuffakirEvalError as error:
        sys.exit(f"{error}")
    print(report)
    judged = [sample for sample in report.samples if sample.scores["faithfulness"].value is not None]
    judged.sort(key=lambda sample: float(sample.scores["faithfulness"].value or 0))
    for sample in judged[:3]:
        score = sample.scores["faithfulness"]
        print(f"\n{score.value:.2f}  {sample.sample.question}")
        for verdict in score.details["verdicts"]:
            print(f"  {verdict['verdict']:4}  {verdict['statement']}  {verdict['reason']}")


if __name__ == "__main__":
    main()
