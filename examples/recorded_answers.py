"""Answers that exist already, in a spreadsheet: nothing is asked. Offline.

    python examples/recorded_answers.py [FILE] [OUTPUT_DIR]

Without FILE, a workbook with Arabic headers is written first, as somebody might send it to you: question, right
answer, evidence, and what a system answered and retrieved. A list in a cell is written as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from example_system import QUESTIONS, rag
from openpyxl import Workbook

from muffakir_eval import MuffakirEvaluation, load_evaluation_dataset

HEADERS = ["م", "السؤال", "الجواب الصحيح", "نص الدليل", "رد النظام", "المقاطع المسترجعة"]
MAPPING = {"context": "نص الدليل"}  # the other headers are understood by themselves


def write_workbook(path: Path) -> None:
    """A workbook as an office would keep it."""
    book = Workbook()
    sheet = book.create_sheet("الأسئلة", 0)
    sheet.sheet_view.rightToLeft = True
    sheet.append(HEADERS)
    for sample in load_evaluation_dataset(QUESTIONS, max_samples=40):
        said = rag(sample, k=3)
        passages = [chunk.text for chunk in said["retrieved_documents"]]
        lists = [json.dumps(texts, ensure_ascii=False) for texts in (sample.answers, sample.contexts, passages)]
        sheet.append([sample.sample_id, sample.question, lists[0], lists[1], said["answer"], lists[2]])
    path.parent.mkdir(parents=True, exist_ok=True)
    book.save(path)


def main(file: str = "", output_dir: str = "eval_results/recorded_answers") -> None:
    """Evaluate and print."""
    path = Path(file or "eval_results/answers.xlsx")
    if not file:
        write_workbook(path)
    evaluator = MuffakirEvaluation(
        {
            "language": "ar",
            "metrics": ["recall", "mrr", "token_f1", "context_recall_lexical"],
            "k": 3,
            "column_mapping": MAPPING,
            "progress": False,
        }
    )
    print(evaluator.evaluate(None, path, save=True, output_dir=output_dir))


if __name__ == "__main__":
    main(*sys.argv[1:3])
