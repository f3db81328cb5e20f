"""How far do lexical metrics say what people say? Offline, on public answers that people have judged.

    python examples/lexical_against_people.py [DATA_DIR]

``DATA_DIR`` (or the environment variable ``MUFFAKIR_EVAL_DATA``) holds two public data sets: ``evouna`` (EVOUNA,
answers of five systems to open questions, each judged right or wrong by people) and
``crosslingual_rag_ar_ms`` (Arabic and Malay answers with ratings of faithfulness and adequacy from 1 to 5).
Without them the script says so and ends. ``exact_match`` and ``token_f1`` are measured against the accepted
answers; for the second set, which has none, the share of the answer's words that stand in its context is.
"""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from muffakir_eval import context_recall, exact_match, token_f1
from muffakir_eval.comparison.judges.comparison import judge_comparison
from muffakir_eval.comparison.judges.inputs import Answer, Answers, Judged, People, Rating, Settings
from muffakir_eval.comparison.judges.result import JudgeComparison
from muffakir_eval.comparison.judges.scale import Scale

SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
UNIT = Scale(low=0, high=1)


def comparison(
    source: str,
    answers: Sequence[Answer],
    human: Sequence[float | None],
    scores: dict[str, Sequence[float]],
    *,
    same_scale: bool = True,
    threshold: float | None = None,
) -> JudgeComparison:
    """Each lexical metric as if it were a judge."""
    judges = [
        Judged(label=name, ratings={"correctness": [Rating(value=value) for value in values]})
        for name, values in scores.items()
    ]
    return judge_comparison(
        Answers(
            answers=answers,
            judges=judges,
            scales={"correctness": UNIT},
            people={"correctness": People(column="human", values=human, same_scale=same_scale)},
            source=source,
            clustered="question",
        ),
        Settings(
            thresholds={} if threshold is None else {"correctness": threshold},
            slice_by=("system",),
            n_disagreements=0,
            n_resamples=1_000,
        ),
    )


def evouna(folder: Path) -> JudgeComparison:
    """Answers to open questions; the answers to one question belong together."""
    rows = json.loads((folder / "TQ_sample.json").read_text(encoding="utf-8"))
    answers: list[Answer] = []
    human: list[float | None] = []
    scores: dict[str, list[float]] = {"exact_match": [], "token_f1": []}
    for number, row in enumerate(rows, start=1):
        if row["improper"]:
            continue
        golds = [gold for gold in row["golden_answer"].split("/") if gold.strip()]
        for system in SYSTEMS:
            said = row[f"answer_{system}"]
            answers.append(
                Answer(
                    sample_id=f"{number}-{system}",
                    row=number,
                    question=row["question"],
                    answer=said,
                    groups={"system": system},
                    cluster=str(number),
                )
            )
            human.append(float(row[f"judge_{system}"]))
            for name, metric in (("exact_match", exact_match), ("token_f1", token_f1)):
                scores[name].append(max(metric(said, gold) for gold in golds))
    return comparison("EVOUNA (TriviaQA part)", answers, human, scores, threshold=0.5)  # type: ignore[arg-type]


def crosslingual(folder: Path, language: str, rated: str) -> JudgeComparison:
    """Answers with ratings from 1 to 5; a rating that is always the same leaves nothing to agree with."""
    with (folder / f"human_eval_{language}.csv").open(encoding="utf-8-sig", newline="") as file:
        contexts = {row["item_id"]: row["context"] for row in csv.DictReader(file)}
    rows = json.loads((folder / f"annotations_{language}.json").read_text(encoding="utf-8"))
    answers = [
        Answer(
            sample_id=str(row["item_id"]),
            row=number,
            question=row["query"],
            answer=row["answer"],
            groups={"system": row["exp_name"]},
            cluster=str(row["item_id"]),
        )
        for number, row in enumerate(rows, start=1)
    ]
    overlap = [context_recall(row["answer"], [contexts.get(str(row["item_id"])) or ""]) for row in rows]
    human = [float(row[rated]) for row in rows]
    return comparison(
        f"cross-lingual RAG, {language}, {rated}", answers, human, {"words in context": overlap}, same_scale=False
    )


def report(found: JudgeComparison) -> None:
    """The figures in a few lines; ``print(found)`` would show all of them."""
    print(f"\n{found.source}: {found.n_answers} answers")
    for one in found.metric("correctness").people:
        agreement = one.agreement
        shown = ("raw", "kappa", "gwet", "auc", "spearman", "bias")
        for name in shown:
            figure = agreement.figures()[name]
            value = f"none ({figure.reason})" if figure.value is None else f"{figure.value:.3f}"
            ends = "" if figure.low is None else f"  {figure.low:.3f} to {figure.high:.3f}"
            print(f"  {one.judge:<17} {name:<9} {value:<22}{ends}  n = {figure.n}")


def main() -> None:
    """Compare and print."""
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MUFFAKIR_EVAL_DATA", "../shared/data")
    data = Path(given)
    sets: list[tuple[str, Callable[..., Any], tuple[str, ...]]] = [("evouna", evouna, ())]
    sets += [
        ("crosslingual_rag_ar_ms", crosslingual, (language, rated))
        for language in ("ar", "ms")
        for rated in ("faithfulness", "adequacy")
    ]
    missing = {name for name, _, _ in sets if not (data / name).is_dir()}
    for name in sorted(missing):
        print(f"There is no {name} in {data}: it is left out. Name the folder with the public data sets.")
    for name, compare, options in sets:
        if name not in missing:
            report(compare(data / name, *options))


if __name__ == "__main__":
    main()
