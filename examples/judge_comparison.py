"""May I believe this judge? Several judges of the same recorded answers. Offline, or with judges of your own.

    python examples/judge_comparison.py [OUTPUT_DIR] [--judge PROVIDER:MODEL]... [--dry-run]

Without ``--judge`` no model is asked: three scripted judges with known faults look at the example answers, one
that is sound, one that is a point too kind, and one that rates by length; and a panel of the three. The labels
of people are invented, too: the figures show that each fault is found, and mean nothing else. With ``--judge``,
given once for each judge, real ones are asked about the same answers; their keys are read from the providers'
environment variables.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

from muffakir_eval import ScriptedModel, compare_judges, jury, token_f1
from muffakir_eval.judges.protocol import Prompt

HERE = Path(__file__).parent


def recorded_answers() -> list[dict[str, Any]]:
    """The example questions that have an answer, each with an invented label of a reader from 1 to 5."""
    lines = (HERE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["answerable"] and row["predicted_answer"]]
    for row in rows:
        golds = row.get("answers") or [row["answer"]]
        likeness = max(token_f1(row["predicted_answer"], gold) for gold in golds)
        row["reader"] = 1 + round(4 * likeness)
    return rows


def scripted_judges(rows: list[dict[str, Any]]) -> list[Any]:
    """Three judges that know the reader's label, with a fault each, and a panel of them."""
    known = {row["question"]: row for row in rows}

    def row_of(prompt: Prompt) -> dict[str, Any]:
        return next(row for question, row in known.items() if question in prompt.user)

    def rating(value: float, reason: str) -> dict[str, Any]:
        return {"reason": reason, "score": int(min(5, max(1, round(value))))}

    def sound(prompt: Prompt) -> dict[str, Any]:
        row = row_of(prompt)
        slip = random.Random(row["sample_id"]).choice([0, 0, 0, 0, 0, 1, -1])  # noqa: S311 - not for secrets
        return rating(row["reader"] + slip, "قورن بالجواب المقبول.")

    def kind(prompt: Prompt) -> dict[str, Any]:
        return rating(row_of(prompt)["reader"] + 1, "جواب حسن في جملته.")

    def lengthy(prompt: Prompt) -> dict[str, Any]:
        return rating(len(row_of(prompt)["predicted_answer"].split()) / 4, "جواب مفصّل.")

    judges = [ScriptedModel({"*": reply}, name=reply.__name__) for reply in (sound, kind, lengthy)]
    return [*judges, jury(judges, name="panel")]


def main() -> None:
    """Compare and print."""
    options = argparse.ArgumentParser(description="Several judges of the example answers.")
    options.add_argument("output_dir", nargs="?", default="eval_results/judge_comparison")
    options.add_argument("--judge", action="append", metavar="PROVIDER:MODEL", help="a real judge; may be repeated")
    options.add_argument("--dry-run", action="store_true", help="only count the calls of the judges")
    given = options.parse_args()

    rows = recorded_answers()
    config: dict[str, Any] = {"language": "ar", "progress": False, "dry_run": given.dry_run}
    if not given.judge:
        print("Judges and labels are scripted: the figures show the form of a comparison and mean nothing.\n")
        config["cache_dir"] = None  # nothing here is worth keeping
    found = compare_judges(
        rows,
        given.judge or scripted_judges(rows),
        metrics="llm_judge_rating",
        human_column="reader",
        slice_by="subject",
        config=config,
        output_dir=given.output_dir,
    )
    print(found)
    if found.folder:
        print(f"\nWritten to {found.folder}")


if __name__ == "__main__":
    main()
