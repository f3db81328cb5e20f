"""Was the right context retrieved? A language model judges it, and rules make a rating of it.

    python examples/lm_retrieval.py [--judge MODEL] [--json]

Without ``--judge`` no model is asked: the verdicts below are scripted, so that you see what a result looks
like. With it, for example ``--judge openai/gpt-4o`` or ``--judge google/gemini-3.8-flash``, the key is read from
the provider's environment variable, and two short calls are made for each question.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from muffakir_eval import LMBasedRetrievalEvaluator, RAGData, ScriptedModel

QUESTIONS = [
    RAGData(
        query="What is the capital of France?",
        expected_response="Paris is the capital of France.",
        retrieved_context=[
            "Berlin is the capital of Germany.",
            "Paris is the capital city of France with a population of over 2 million people.",
            "London is the capital of the United Kingdom.",
        ],
    ),
    RAGData(
        query="ما مدة الإجازة السنوية في شركة الواحة للخدمات؟",
        expected_response="مدتها ثلاثون يومًا. ولا تُرحَّل إلى السنة التالية؛ ويُصرف بدلها عند انتهاء الخدمة.",
        retrieved_context=[
            "يبدأ الدوام في شركة الواحة للخدمات في الثامنة صباحًا.",
            "يُصرف للموظف عند انتهاء خدمته بدلٌ عن رصيد إجازاته.",
        ],
    ),
    RAGData(
        query="متى تُفتح مكتبة جامعة الساحل يوم الجمعة؟",
        expected_response="تُفتح من الثانية ظهرًا. وتُغلق في الثامنة مساءً.",
        retrieved_context=[
            "تُفتح المكتبة يوم الجمعة من الثانية ظهرًا.",
            "رسوم تجديد بطاقة المكتبة عشرون ريالًا.",
            "تُغلق المكتبة يوم الجمعة في الثامنة مساءً.",
        ],
    ),
    RAGData(
        query="كم رسوم الاعتراض على مخالفة في بلدية النخيل؟",
        expected_response="الاعتراض بلا رسوم.",
        retrieved_context=[],
    ),
]

VERDICTS: dict[str, dict[str, list[tuple[str, str]]]] = {
    QUESTIONS[0].query: {
        "contextual_precision": [
            ("no", "It is about the capital of Germany, not France."),
            ("yes", "It says that Paris is the capital city of France."),
            ("no", "It is about the capital of the United Kingdom."),
        ],
        "contextual_recall": [("2", "The node says the same.")],
    },
    QUESTIONS[1].query: {
        "contextual_precision": [("no", "يتناول مواعيد الدوام."), ("yes", "يذكر بدل الإجازة عند انتهاء الخدمة.")],
        "contextual_recall": [("-", "لا يذكر أي مقطع المدة."), ("-", "لا يذكر أي مقطع الترحيل."), ("2", "ورد فيه.")],
    },
    QUESTIONS[2].query: {
        "contextual_precision": [("yes", "يذكر وقت الفتح."), ("no", "يتناول الرسوم."), ("yes", "يذكر وقت الإغلاق.")],
        "contextual_recall": [("1", "ورد فيه."), ("3", "ورد فيه.")],
    },
}
"""What the scripted judge thinks: of each node whether it is useful, of each statement which node supports it."""


def scripted(prompt: Any) -> dict[str, Any]:
    """The reply of the scripted judge."""
    query = next(query for query in VERDICTS if query in prompt.user)
    verdicts = []
    for number, (word, reason) in enumerate(VERDICTS[query][prompt.metric], 1):
        verdict: dict[str, Any] = {"number": number, "reason": reason, "verdict": word}
        if prompt.metric == "contextual_recall":
            verdict |= {"verdict": "no" if word == "-" else "yes", "chunk": None if word == "-" else int(word)}
        verdicts.append(verdict)
    return {"verdicts": verdicts}


def main() -> None:
    """Evaluate and print."""
    options = argparse.ArgumentParser(description="The LM-based retrieval evaluator on a few questions.")
    options.add_argument("--judge", metavar="MODEL", help="a real judge; without it the verdicts are scripted")
    options.add_argument("--json", action="store_true", help="print the results as they are")
    given = options.parse_args()

    if given.judge:
        evaluator = LMBasedRetrievalEvaluator(model=given.judge)
    else:
        print("The verdicts of the judge are scripted.\n")
        evaluator = LMBasedRetrievalEvaluator(model=ScriptedModel(scripted), cache_dir=None)

    results = evaluator.evaluate_batch_sync(QUESTIONS)  # or: await evaluator.evaluate_batch(QUESTIONS)
    if given.json:
        print(json.dumps(results, ensure_ascii=False, indent=2))
        return
    for question, result in zip(QUESTIONS, results, strict=True):
        found = result["lm_based_retrieval"]
        print(question.query)
        print(f"  {found['relevancy_rating']}, score {found['score']}: {found['global_explanation']}")
        for name in ("deepeval_contextual_precision", "deepeval_contextual_recall"):
            print(f"  {name}: {found[name]['explanation']}")
        for issue in found["possible_issues"]:
            print(f"  - {issue}")
        print()
    print(f"Calls of the judge: {evaluator.usage['calls']}")


if __name__ == "__main__":
    main()
