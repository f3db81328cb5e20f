"""The made parts of ``metrics.md``: from the definitions of the metrics, and from a run over every case there is."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from muffakir_eval import MuffakirEvaluation, Sample, ScriptedModel
from muffakir_eval.metrics.judged.kinds import JUDGED_KINDS
from muffakir_eval.metrics.lexical.scoring import LEXICAL_METRICS
from muffakir_eval.metrics.resolve import resolve_metrics
from muffakir_eval.metrics.trials import TRIAL_METRICS
from muffakir_eval.prompts.templates import PROMPTS
from muffakir_eval.writers.terms import REASONS


class Words(NamedTuple):
    """What the definitions do not say.

    Attributes:
        meaning: For a reader who has never heard of the metric.
        unit: Of the value.
        source: Where the formula comes from.
    """

    meaning: str
    unit: str
    source: str


TREC = "[trec_eval](https://github.com/usnistgov/trec_eval), whose values it equals with identifiers"
SQUAD = "Rajpurkar and others, [SQuAD](https://arxiv.org/abs/1606.05250) (2016)"
DEEPEVAL = "[DeepEval](https://deepeval.com/docs/metrics-introduction), whose value it equals under the same verdicts"

WORDS = {
    "recall": Words(
        "How much of the evidence stands among the first k chunks? With one gold, 0 or 1.", "share of golds", TREC
    ),
    "precision": Words(
        "How much of what was retrieved is evidence? With one gold it cannot exceed 1 / k.", "share of k ranks", TREC
    ),
    "mrr": Words(
        "How soon does the first piece of evidence come? 1 at rank 1, 0.5 at rank 2.",
        "reciprocal of a rank",
        f"Voorhees, TREC-8 question answering (1999); {TREC} (`recip_rank`)",
    ),
    "ndcg": Words(
        "Is the evidence there, and near the top? Every rank further down counts less.",
        "share of the best order",
        f"Järvelin and Kekäläinen (2002), discount of Burges and others (2005); {TREC} (`ndcg_cut`)",
    ),
    "map": Words(
        "Do all pieces of evidence come before what is none? For questions with several golds.",
        "mean of precisions",
        f"{TREC} (`map_cut`)",
    ),
    "hit_rate": Words("Was any piece of evidence found?", "share of questions", f"{TREC} (`success`)"),
    "exact_match": Words("Is the answer, word for word, a gold answer?", "0 or 1", SQUAD),
    "token_f1": Words("How many words have answer and gold answer in common?", "F1 of words", SQUAD),
    "context_recall_lexical": Words(
        "Do the retrieved chunks hold the words of the gold answer?", "share of words", "own, as in `ef.evaluation`"
    ),
    "context_precision_lexical": Words(
        "How many of the retrieved chunks hold any word of the gold answer?",
        "share of chunks",
        "own, as in `ef.evaluation`",
    ),
    "faithfulness": Words(
        "Does the answer say nothing that the chunks do not say? It may still be wrong: the chunks may be.",
        "0 or 1",
        "Muffakir's evaluation",
    ),
    "faithfulness_claims": Words(
        'How much of what the answer says do the chunks say? With `faithfulness_mode="claims"`, as `faithfulness`.',
        "share of statements",
        "Es and others, [Ragas](https://arxiv.org/abs/2309.15217) (2023)",
    ),
    "answer_correctness": Words(
        "Does the answer say what a gold answer says, in whatever words?", "degree", "Muffakir's evaluation"
    ),
    "llm_judge_rating": Words(
        "How good is the answer as a whole? 1 is wrong, 3 partly right, 5 right and complete.",
        "rating, whole number",
        "Muffakir's evaluation",
    ),
    "answer_relevancy": Words(
        "Does the answer stay with the question?", "share of statements", f"idea of {DEEPEVAL.split(',')[0]}"
    ),
    "contextual_precision": Words(
        "Do the chunks that help come before those that do not? Needs no gold evidence.", "mean of precisions", DEEPEVAL
    ),
    "contextual_recall": Words(
        "Do the chunks hold what the gold answer says? Needs no gold evidence.", "share of statements", DEEPEVAL
    ),
}

NEEDS = {
    "gold": "gold evidence (`context` or `chunk_id`)",
    "chunks": "retrieved chunks",
    "answer": "the system's answer",
    "gold_answer": "a gold answer",
    "judge": "a judge",
}


def _section(name: str, rows: dict[str, str]) -> str:
    words = WORDS[name]
    table = "\n".join(f"| {key} | {value} |" for key, value in rows.items())
    table += f"\n| unit | {words.unit} |\n| source | {words.source} |\n"
    return f"### `{name}`\n\n{words.meaning}\n\n| | |\n|---|---|\n{table}"


def _range(low: float | None, high: float | None, *, labels: bool) -> str:
    return f"{low:g} or {high:g}" if labels else f"{low:g} to {high:g}"


def _needs(needs: Any) -> str:
    return ", ".join(words for need, words in NEEDS.items() if need in needs)


def _of_run(names: list[str]) -> str:
    parts = []
    for name in names:
        (metric,) = resolve_metrics([name], k=5)
        rows = {
            "reported as": f"`{metric.name}`" + (f", at another cutoff `{name}@10`" if metric.k else ""),
            "formula": metric.definition.replace("k=5", "k").split("; words normalised")[0],
            "range": _range(metric.low, metric.high, labels=metric.binary),
            "needs": _needs(metric.needs),
        }
        parts.append(_section(name, rows))
    return "\n".join(parts)


def retrieval() -> str:
    """The metrics on ranks."""
    return _of_run(list(TRIAL_METRICS))


def lexical() -> str:
    """The metrics on words."""
    return _of_run(list(LEXICAL_METRICS))


def judged() -> str:
    """The metrics that a judge gives."""
    parts = []
    for name, kind in JUDGED_KINDS.items():
        shown = ", ".join(part.replace("_", " ") for part in kind.traits.shows)
        slots = ", ".join(f"`{{{slot}}}`" for slot in sorted(PROMPTS[kind.prompt].required))
        rows = {
            "reported as": f"`{name.removesuffix('_claims')}`",
            "formula": kind.formula.replace("k={k}", "k").partition(": ")[2],
            "range": _range(kind.low, kind.high, labels=kind.binary),
            "needs": _needs(kind.traits.needs),
            "the judge sees": shown,
            "prompt": f"`{kind.prompt}`, with {slots}",
        }
        parts.append(_section(name, rows))
    return "\n".join(parts)


GOLD = "تسري اللائحة على جميع العاملين في الشركة من تاريخ مباشرتهم العمل."
FULL: dict[str, Any] = {"answer": "على جميع العاملين", "context": GOLD}
SAID: dict[str, Any] = {"answer": "على جميع العاملين", "retrieved_documents": [GOLD]}
REFUSED = "لا تتوفر لدي معلومات كافية للإجابة."
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "all is there": (FULL, SAID),
    "the dataset has no gold evidence": ({"answer": FULL["answer"]}, SAID),
    "the dataset has no gold answer": ({"context": GOLD}, SAID),
    "nothing was retrieved": (FULL, SAID | {"retrieved_documents": []}),
    "the system does not tell what it retrieved": (FULL, {"answer": SAID["answer"]}),
    "the system only retrieves": (FULL, {"retrieved_documents": [GOLD]}),
    "gold has identifiers only, chunks texts only": ({"answer": FULL["answer"], "chunk_id": "7"}, SAID),
    "the answer declines, and there is one": (FULL, SAID | {"answer": REFUSED}),
    "the answer is empty": (FULL, SAID | {"answer": ""}),
    "there is no answer, and the system gives one": (FULL | {"answerable": False}, SAID),
    "there is no answer, and the system declines": (FULL | {"answerable": False}, SAID | {"answer": REFUSED}),
    "the system raised an exception": (FULL, {"error": "TimeoutError"}),
}
"""What the dataset holds, and what the system says."""


def _say(prompt: Any) -> dict[str, Any]:
    one = {"number": 1, "reason": "", "verdict": "yes"}
    replies: dict[str, dict[str, Any]] = {
        "faithfulness": {"reason": "", "unsupported": [], "verdict": "yes"},
        "answer_correctness": {"reason": "", "score": 0.7},
        "llm_judge_rating": {"reason": "", "score": 4},
        "contextual_recall": {"verdicts": [one | {"chunk": 1}]},
    }
    return replies.get(prompt.metric, {"verdicts": [one]})


class _System:
    llm_provider = ScriptedModel(_say)

    def __call__(self, sample: Sample) -> dict[str, Any]:
        return CASES[str(sample.metadata["case"])][1]


def _outcomes(metrics: list[str]) -> dict[str, tuple[str, ...]]:
    rows = [{"question": f"على من تسري اللائحة {n}؟", "case": case, **CASES[case][0]} for n, case in enumerate(CASES)]
    config = {"metrics": metrics, "cache_dir": None, "progress": False, "language": "en"}
    with tempfile.TemporaryDirectory() as folder:
        report = MuffakirEvaluation(config).evaluate(_System(), rows, save=True, output_dir=Path(folder) / "run")
        results = list(report.samples)
    columns = {}
    for name, column in zip(metrics, report.metrics, strict=True):
        cells = []
        for result in results:
            score = result.scores[column]
            decided = score.details.get("decided_by")
            value = "0" if score.value == 0 or decided else "scored"
            cells.append(value if score.reason is None else f"`{score.reason}`")
        columns[name] = tuple(cells)
    return columns


def cases() -> str:
    """Every case, and what each metric says of it: those that say the same stand in one column."""
    names = [*TRIAL_METRICS, *LEXICAL_METRICS, *(name for name in JUDGED_KINDS if name != "faithfulness_claims")]
    columns: dict[tuple[str, ...], list[str]] = {}
    for name, cells in _outcomes(names).items():
        columns.setdefault(cells, []).append(name)
    heads = ["<br>".join(f"`{name}`" for name in group) for group in columns.values()]
    lines = ["| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for row, case in enumerate(CASES):
        lines.append(f"| {case} | " + " | ".join(cells[row] for cells in columns) + " |")
    return "\n".join(lines) + "\n"


def reasons() -> str:
    """Every reason for which a score is missing."""
    return (
        "\n".join(["| reason | in words |", "|---|---|", *(f"| `{key}` | {word} |" for key, word in REASONS.items())])
        + "\n"
    )
