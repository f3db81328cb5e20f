"""A gate for CI: run the questions, hold the run against limits and against an earlier run. Offline.

    python examples/ci_gate.py [OUTPUT_DIR] [--baseline FOLDER]

The exit code is that of the gate: 0 good, 1 below a limit, 2 wrong use, 3 too little was measured. ``ci_gate.sh`` does
the same with the commands.
"""

from __future__ import annotations

import argparse
import sys

from example_system import QUESTIONS, rag

from muffakir_eval import MuffakirEvalError, MuffakirEvaluation, check_gate

LIMITS = ("recall_at_k >= 0.6", "token_f1 >= 0.3", "answer_refusal_rate_answerable <= 0.1", "n_samples >= 100")


def main() -> int:
    """Evaluate, check, print."""
    options = argparse.ArgumentParser(description="A gate for CI on the example data.")
    options.add_argument("output_dir", nargs="?", default="eval_results/ci_gate")
    options.add_argument("--baseline", help="folder of an earlier run, such as that of the main branch")
    given = options.parse_args()

    evaluator = MuffakirEvaluation({"metrics": ["recall", "mrr", "token_f1"], "pipeline_id": "ci", "progress": False})
    dropped = ["recall", "token_f1"] if given.baseline else []
    try:
        report = evaluator.evaluate(rag, QUESTIONS, save=True, output_dir=given.output_dir)
        result = check_gate(report, *LIMITS, baseline=given.baseline, no_significant_drop=dropped)
    except MuffakirEvalError as error:
        print(error, file=sys.stderr)
        return 2
    print(result)
    return result.exit_code


if __name__ == "__main__":
    sys.exit(main())
