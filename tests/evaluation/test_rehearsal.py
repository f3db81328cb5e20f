"""What a dry run says about the judge is what a run then does."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import MuffakirEvaluation, Sample, ScriptedModel, judge_metric
from muffakir_eval.evaluation.rehearsal import ASSUMED_ANSWER_WORDS, ASSUMED_CHUNK_WORDS
from muffakir_eval.judges.prices import ASSUMED_OUTPUT_TOKENS, estimate_tokens
from muffakir_eval.judges.protocol import Prompt

CHUNK = "عاصمة المملكة العربية السعودية هي مدينة الرياض، وهي أكبر مدنها."
ROWS: list[dict[str, Any]] = [
    {"question": "ما عاصمة السعودية؟", "ground_truth": "الرياض", "response": "عاصمتها الرياض."},
    {"question": "كم عدد سكانها؟", "ground_truth": "لا أعرف", "response": "سبعة ملايين."},
    {"question": "من أسسها؟", "ground_truth": "الملك عبد العزيز", "response": "عذرًا، لا أستطيع الإجابة عن هذا السؤال."},
    {"question": "أين تقع؟", "ground_truth": "في وسط البلاد", "response": ""},
    {"question": "ما مساحتها؟", "response": "ألفا كيلومتر. وهي واسعة!"},
    {"question": "متى تأسست؟", "ground_truth": ["قديمًا", "منذ قرون"], "response": "منذ قرون."},
]
ROWS = [{"sample_id": str(number), "retrieved_contexts": [CHUNK], **row} for number, row in enumerate(ROWS)]
ANSWERS = {row["question"]: row["response"] for row in ROWS}
POLITE = judge_metric("politeness", "هل الإجابة مهذبة؟")
METRICS: list[Any] = ["faithfulness", "answer_correctness", "llm_judge_rating", "contextual_recall", POLITE]
PRICES = {"input": 2.0, "output": 8.0}


def replies(prompt: Prompt) -> dict[str, Any]:
    """A full verdict for every metric, whatever the case."""
    if prompt.metric == "faithfulness":
        return {"reason": "", "unsupported": [], "verdict": "yes"}
    if prompt.metric == "contextual_recall":
        numbers = prompt.user.strip().splitlines()[-1].rpartition(":")[2].split(",")
        return {"verdicts": [{"number": int(n), "reason": "", "chunk": 1, "verdict": "yes"} for n in numbers]}
    return {"reason": "", "score": 1}


class Rag:
    """Answers what was recorded; its model is the judge."""

    def __init__(self, model: Any = None, stop_after: int | None = None) -> None:
        self.llm_provider = ScriptedModel(replies) if model is None else model
        self.asked: list[str] = []
        self.stop_after = stop_after

    def ask(self, question: str, k: int = 5) -> dict[str, Any]:
        if len(self.asked) == self.stop_after:
            raise KeyboardInterrupt
        self.asked.append(question)
        return {"answer": ANSWERS[question], "retrieved_documents": [CHUNK]}


def suite(**settings: Any) -> MuffakirEvaluation:
    given = {"metrics": METRICS, "progress": False, "pipeline_id": "rag", "cache_dir": None, "prices": PRICES}
    return MuffakirEvaluation({**given, **settings})


def plan(rag: Any, dataset: Any = ROWS, *, folder: Path | None = None, **settings: Any) -> dict[str, Any]:
    report = suite(dry_run=True, **settings).evaluate(rag, dataset, save=folder is not None, output_dir=folder)
    return dict(report.to_dict()["dry_run"])


class Recorded:
    """Stands for recorded outputs that are judged by a model of their own."""

    def __init__(self, **settings: Any) -> None:
        from muffakir_eval.evaluation import EvalRunner

        self.model = ScriptedModel(replies)
        given = {"metrics": METRICS, "progress": False, "cache_dir": None, "prices": PRICES, **settings}
        metrics = given.pop("metrics")
        self.dry = EvalRunner(None, self.model, metrics=metrics, dry_run=True, **given)
        self.wet = EvalRunner(None, self.model, metrics=metrics, **given)

    def plan(self) -> dict[str, Any]:
        return dict(self.dry.run(ROWS).to_dict()["dry_run"]["judge"])


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"judge_repeats": 3},
        {"language": "en"},
        {"k": 1},
        {"metrics": ["answer_correctness"]},
        {"metrics": [POLITE]},
    ],
)
def test_for_recorded_outputs_calls_and_tokens_are_those_of_the_run(settings: dict[str, Any]) -> None:
    recorded = Recorded(**settings)
    expected = recorded.plan()
    assert recorded.model.calls == 0, "a dry run asks nothing"
    recorded.wet.run(ROWS)
    calls = Counter(prompt.metric for prompt in recorded.model.prompts)
    tokens = sum(estimate_tokens(p.system) + estimate_tokens(p.user) for p in recorded.model.prompts)
    assert {name: figures["calls"] for name, figures in expected["by_metric"].items()} == dict(calls)
    assert (expected["calls"], expected["input_tokens"]) == (calls.total(), tokens)
    assert expected["output_tokens"] == calls.total() * ASSUMED_OUTPUT_TOKENS
    assert expected["cost_usd"] == pytest.approx((tokens * 2.0 + expected["output_tokens"] * 8.0) / 1e6)
    assert expected["assumed"] == {
        "reply_tokens": ASSUMED_OUTPUT_TOKENS,
        "n_outputs": 0,
        "answer_words": None,
        "chunks": None,
        "chunk_words": None,
    }


def test_the_judge_is_not_counted_where_the_table_gives_the_value() -> None:
    # Judged: 0 answered, 1 unanswerable (faithfulness, politeness), 4 without gold answer, 5; not 2 refused, 3 empty.
    found = {name: figures["calls"] for name, figures in Recorded().plan()["by_metric"].items()}
    assert found == {
        "faithfulness": 4,
        "answer_correctness": 2,
        "llm_judge_rating": 2,
        "contextual_recall": 4,
        "politeness": 4,
    }


def test_every_repeat_is_a_call() -> None:
    once, thrice = (Recorded(judge_repeats=n, metrics=["faithfulness"]).plan() for n in (1, 3))
    assert thrice["calls"] == 3 * once["calls"] == 12


def test_claims_are_one_call_for_an_answer() -> None:
    assert Recorded(faithfulness_mode="claims", metrics=["faithfulness"]).plan()["calls"] == 4


def test_replies_in_the_cache_are_no_calls_and_the_cache_is_left_as_it_is(tmp_path: Path) -> None:
    recorded = Recorded(cache_dir=str(tmp_path))
    first = recorded.plan()
    assert list(tmp_path.iterdir()) == [], "looking makes no cache"
    recorded.wet.run(ROWS)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    again = recorded.plan()
    assert (first["calls"], first["cached"], again["calls"], again["cached"]) == (16, 0, 0, 16)
    assert (again["cost_usd"], again["by_metric"]["faithfulness"]["cached"]) == (0.0, 4)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


def test_a_pipeline_is_not_called_and_stated_lengths_stand_in_for_its_answers() -> None:
    rag = Rag()
    found = plan(rag, metrics=["faithfulness"], k=3)
    assert (rag.asked, rag.llm_provider.calls) == ([], 0)
    assert (found["n_to_ask"], found["n_done"]) == (6, 0)
    judged = found["judge"]
    assert judged["calls"] == 6
    assert judged["assumed"] == {
        "reply_tokens": 200,
        "n_outputs": 6,
        "answer_words": ASSUMED_ANSWER_WORDS,
        "chunks": 3,
        "chunk_words": ASSUMED_CHUNK_WORDS,
    }


@pytest.mark.parametrize("language", ["ar", "en"])
def test_what_stands_in_is_as_long_as_stated_and_judged_like_an_answer(language: str) -> None:
    asked = plan(Rag(), metrics=["faithfulness"], language=language, k=1)["judge"]

    def real(question: str, k: int) -> dict[str, Any]:
        text = "كلمة " if language == "ar" else "a word "
        words = 1 if language == "ar" else 2
        return {"answer": text * (60 // words), "retrieved_documents": [text * (120 // words)]}

    model = ScriptedModel(replies)
    real.llm_provider = model  # type: ignore[attr-defined]
    suite(metrics=["faithfulness"], language=language, k=1).evaluate(real, ROWS)
    tokens = sum(estimate_tokens(p.system) + estimate_tokens(p.user) for p in model.prompts)
    assert asked["calls"] == model.calls == len(ROWS), "no stand-in is taken for a refusal"
    assert asked["input_tokens"] == pytest.approx(tokens, rel=0.25)


def test_a_retriever_is_assumed_to_give_chunks_and_no_answer() -> None:
    class Index:
        llm_provider = ScriptedModel(replies)

        def search(self, query: str, k: int) -> list[str]:
            raise AssertionError("a dry run asks nothing")

    rows = [{"question": "س", "answer": "ج"}]
    judged = plan(Index(), rows, metrics=["contextual_precision"])["judge"]
    assert (judged["calls"], judged["assumed"]["answer_words"], judged["assumed"]["chunks"]) == (1, None, 5)


def test_a_recording_with_holes_counts_what_is_there() -> None:
    rows: list[Any] = [*ROWS[:1], {"sample_id": "x", "question": "بلا", "ground_truth": "ج"}]
    report = suite(
        dry_run=True, metrics=["answer_correctness"], llm_provider="own", llm_model="m", base_url="http://127.0.0.1:9"
    ).evaluate(None, rows)
    assert report.to_dict()["dry_run"]["judge"]["calls"] == 1


def test_what_an_unfinished_run_has_judged_is_not_counted(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        suite(metrics=["faithfulness"], max_concurrency=1).evaluate(
            Rag(stop_after=2), ROWS, save=True, output_dir=tmp_path
        )
    done = sum(json.loads(line)["kind"] == "result" for line in (tmp_path / "records.jsonl").read_bytes().splitlines())
    found = plan(Rag(), metrics=["faithfulness"], folder=tmp_path)
    assert (found["n_done"], found["n_to_ask"]) == (done, 4)
    assert found["judge"]["calls"] == 6 - done
    assert found["judge"]["assumed"]["n_outputs"] == 4


def test_a_failed_verdict_is_asked_for_again_but_not_the_pipeline(tmp_path: Path) -> None:
    def out_of_order(prompt: Prompt) -> Any:
        return "no JSON" if ANSWERS["كم عدد سكانها؟"] in prompt.user else replies(prompt)

    model = ScriptedModel(out_of_order)
    rag = Rag(model, stop_after=5)
    with pytest.raises(KeyboardInterrupt):
        suite(metrics=["faithfulness"]).evaluate(rag, ROWS, save=True, output_dir=tmp_path)
    lines = (json.loads(line) for line in (tmp_path / "records.jsonl").read_bytes().splitlines())
    results = [line for line in lines if line["kind"] == "result"]
    failed = [line for line in results if line["scores"]["faithfulness"]["state"] == "failed"]
    found = plan(Rag(model), metrics=["faithfulness"], folder=tmp_path)
    assert found["n_done"] == len(results) - len(failed)
    assert found["n_to_ask"] == 1


def test_a_question_whose_pipeline_failed_is_asked_again(tmp_path: Path) -> None:
    class Shaky(Rag):
        def ask(self, question: str, k: int = 5) -> dict[str, Any]:
            if not self.asked:
                self.asked.append(question)
                raise ConnectionError("down")
            return super().ask(question, k)

    with pytest.raises(KeyboardInterrupt):
        suite(metrics=["recall", "faithfulness"]).evaluate(
            Shaky(stop_after=3), [{**row, "context": CHUNK} for row in ROWS], save=True, output_dir=tmp_path
        )
    rows = [{**row, "context": CHUNK} for row in ROWS]
    found = plan(Rag(), rows, metrics=["recall", "faithfulness"], folder=tmp_path)
    assert found["n_to_ask"] == 4


def test_no_key_is_needed_and_the_plan_says_that_a_run_needs_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    settings = {"metrics": ["answer_correctness"], "llm_provider": "openai", "llm_model": "gpt-4o"}
    report = suite(dry_run=True, **settings).evaluate(None, ROWS)
    assert report.to_dict()["dry_run"]["judge"]["model"] == "gpt-4o"
    assert any("a run would stop here" in note and "OPENAI_API_KEY" in note for note in report.notes)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-testtesttesttest")
    report = suite(dry_run=True, **settings).evaluate(None, ROWS)
    assert not any("a run would stop" in note for note in report.notes)
    assert "sk-test" not in json.dumps(report.to_dict())


def test_other_faults_of_the_settings_are_found() -> None:
    with pytest.raises(ValueError, match="no model is named"):
        suite(dry_run=True, llm_provider="openai").evaluate(None, ROWS)


def test_the_printed_plan() -> None:
    printed = str(suite(dry_run=True, metrics=["faithfulness"], budget_usd=0.001, k=2).evaluate(Rag(), ROWS))
    assert "\n  judge      scripted, 6 calls\n" in printed
    assert "of a budget of 0.0010 USD; the run would stop early" in printed
    assert "answers of 60 words and 2 chunks of 120 words for 6 questions, since the pipeline is not asked" in printed
    unpriced = suite(dry_run=True, metrics=["faithfulness"], prices=None).evaluate(Rag(), ROWS)
    assert "cost       unknown: set prices" in str(unpriced)


def test_without_a_judge_there_is_no_plan_for_one() -> None:
    report = MuffakirEvaluation({"metrics": ["recall"], "dry_run": True, "progress": False}).evaluate(
        lambda question: [CHUNK], [Sample(sample_id="1", question="س", contexts=(CHUNK,))]
    )
    assert report.to_dict()["dry_run"]["judge"] is None
    assert "\n  judge " not in str(report)
