from __future__ import annotations

import asyncio
import copy
import gc
import json
import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import (
    LMBasedRetrievalEvaluator,
    MuffakirEvaluation,
    RAGData,
    RetrievalRules,
    ScriptedModel,
    Trial,
    judge_metric,
)
from muffakir_eval.errors import ConfigError, DatasetError, JudgeError, JudgeKeyError, MetricError
from muffakir_eval.judges.protocol import ModelError, Prompt
from tests.lm_retrieval.cases import CAPITAL, attributed, block, judge, judged, rule, useful


def test_the_example_of_the_reference() -> None:
    precision = {
        "verdicts": [
            {"number": 1, "reason": "It is about Germany, not France.", "verdict": "no"},
            {"number": 2, "reason": "It states that Paris is the capital city of France.", "verdict": "yes"},
            {"number": 3, "reason": "It is about the United Kingdom.", "verdict": "no"},
        ]
    }
    evaluator = LMBasedRetrievalEvaluator(
        model=judge(precision, attributed(2, reason="Node 2 says so.")), cache_dir=None
    )
    result = asyncio.run(evaluator.evaluate(CAPITAL))
    assert result == {
        "lm_based_retrieval": {
            "global_explanation": "All metrics met the expected values.",
            "relevancy_rating": "good",
            "score": 1.0,
            "possible_issues": [],
            "deepeval_contextual_precision": {
                "score": 0.5,
                "explanation": "The score is 0.50 because the first useful node is only at rank 2. "
                "Node 1 is not useful: It is about Germany, not France. "
                "Node 2 is useful: It states that Paris is the capital city of France. "
                "Node 3 is not useful: It is about the United Kingdom.",
                "success": True,
            },
            "deepeval_contextual_recall": {
                "score": 1.0,
                "explanation": "The score is 1.00 because every statement of the expected response is supported by "
                "a node. Statement 1 (“Paris is the capital of France”) is supported by node 2: Node 2 says so.",
                "success": True,
            },
        }
    }
    assert list(result["lm_based_retrieval"])[:4] == [
        "global_explanation",
        "relevancy_rating",
        "score",
        "possible_issues",
    ]


# ------------------------------------------------------------------------------- Arabic, several levels

LEAVE = "يستحق الموظف إجازة سنوية مدتها ثلاثون يومًا. ولا تُرحَّل إلى السنة التالية؛ ويُصرف بدلها عند انتهاء الخدمة."
NODES = ["مدة الإجازة السنوية ثلاثون يومًا.", "مواعيد الدوام من الثامنة.", "يُصرف بدل الإجازة عند انتهاء الخدمة."]
LEVELS = {"good": rule(">=", 0.75), "bad": rule("<", 0.5), "scores": {"incomplete": 0.5}}

LEVEL_CASES: dict[str, tuple[Any, Any, str | None, float | None, list[str]]] = {
    "good": (useful("yes", "no", "yes"), attributed(1, 3, 3), "good", 1.0, []),
    "incomplete": (
        useful("no", "no", "yes"),
        attributed(1, None, 3),
        "incomplete",
        0.5,
        [
            "لا يغطي السياق المسترجع إلا جزءًا من الإجابة المتوقعة.",
            "الأدلة في مراتب متأخرة: معظم المقاطع التي تسبقها لا تعين على الإجابة.",
        ],
    ),
    "bad": (
        useful("yes", "no", "yes"),
        attributed(1, None, None),
        "bad",
        0.0,
        [
            "غابت الأدلة كلها أو معظمها: إما أنها ليست في الفهرس، وإما أنها لم تُسترجع.",
            "لا يغطي السياق المسترجع إلا جزءًا من الإجابة المتوقعة.",
            "تتقدم الضوضاء على الأدلة: مقاطع لا تعين على الإجابة تسبق مقاطع تعين عليها.",
        ],
    ),
    "not rated": (useful("yes", "no", "yes"), "لا أستطيع الحكم", None, None, []),
}


@pytest.mark.parametrize("level", LEVEL_CASES)
def test_arabic_with_several_levels(level: str) -> None:
    precision, recall, rating, score, issues = LEVEL_CASES[level]
    data = RAGData(query="ما مدة الإجازة السنوية؟", expected_response=LEAVE, retrieved_context=NODES)
    found = judged(data, precision, recall, rules=LEVELS)
    assert (found["relevancy_rating"], found["score"], found["possible_issues"]) == (rating, score, issues)
    texts = [found["global_explanation"], *(each["explanation"] for each in list(found.values())[4:])]
    assert all(text.startswith(("الدرجة", "تحققت", "لم تتحقق", "لا تقدير", "لا درجة", "بلغت")) for text in texts), texts


def test_arabic_statements_are_split_as_arabic_and_each_names_its_node() -> None:
    data = RAGData(query="ما مدة الإجازة السنوية؟", expected_response=LEAVE, retrieved_context=NODES)
    found = judged(data, useful("yes", "no", "yes"), attributed(1, None, 3), details=True)
    recall = found["deepeval_contextual_recall"]
    assert recall["score"] == pytest.approx(2 / 3)
    assert [(item["statement"], item["chunk"]) for item in recall["verdicts"]] == [
        ("يستحق الموظف إجازة سنوية مدتها ثلاثون يومًا.", 1),
        ("ولا تُرحَّل إلى السنة التالية؛", None),
        ("ويُصرف بدلها عند انتهاء الخدمة.", 3),
    ]
    assert "العبارة 3 («ويُصرف بدلها عند انتهاء الخدمة») يسندها المقطع 3." in recall["explanation"]


# -------------------------------------------------------------------------------- what there is to judge


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (("no", "no", "no"), 0.0),
        (("yes", "yes", "yes"), 1.0),
        (("yes", "no", "yes"), 5 / 6),
        (("no", "yes", "yes"), 7 / 12),
    ],
)
def test_contextual_precision(words: tuple[str, ...], value: float) -> None:
    assert block(judged(CAPITAL, useful(*words), attributed(2)), "precision")[0] == pytest.approx(value, abs=1e-12)


def test_the_last_bit_of_the_arithmetic_decides_nothing() -> None:
    data = RAGData(query="Who?", expected_response="She.", retrieved_context=[f"node {n}" for n in range(1, 10)])
    verdicts = useful(*("yes" if rank in {2, 3, 9} else "no" for rank in range(1, 10)))  # (1/2 + 2/3 + 3/9) / 3
    rules = {
        "good": {"and": [rule(">=", 0.5, "contextual_precision"), rule("==", 0.5, "contextual_precision")]},
        "bad": {"or": [rule("<", 0.5, "contextual_precision"), rule("!=", 0.5, "contextual_precision")]},
    }
    found = judged(data, verdicts, attributed(2), rules=rules)
    assert (found["relevancy_rating"], found["global_explanation"]) == ("good", "All metrics met the expected values.")
    assert block(found, "precision")[0] == pytest.approx(0.5)
    assert block(found, "precision")[1] is True
    found = judged(data, verdicts, attributed(None))
    assert [issue.partition(":")[0] for issue in found["possible_issues"]] == [
        "Most or all of the evidence was not found",
        "Noise stands ahead of evidence",
    ]
    assert "contextual precision 0.50," in found["global_explanation"]


def test_nothing_retrieved_is_not_applicable_and_nobody_is_asked() -> None:
    data = RAGData(query="ما عاصمة فرنسا؟", expected_response="باريس", retrieved_context=[])
    found = judged(data)
    assert block(found, "precision") == block(found, "recall") == (None, None)
    assert (found["relevancy_rating"], found["score"]) == ("incomplete", None)
    assert found["possible_issues"] == [
        "لم يُسترجع شيء: قد يكون الفهرس فارغًا، أو قد لا تُبقي المرشِّحات أو عتبة التشابه شيئًا."
    ]


def test_without_an_expected_response_nothing_can_be_compared() -> None:
    found = judged(RAGData(query="Who?", expected_response=" ", retrieved_context="x"))
    assert (found["relevancy_rating"], found["possible_issues"]) == ("incomplete", [])
    assert "there is no expected response" in found["global_explanation"]


def test_all_nodes_are_judged_unless_k_says_otherwise() -> None:
    nodes = [f"node {number}" for number in range(12)]
    data = RAGData(query="Who?", expected_response="She.", retrieved_context=nodes)
    last = useful(*["no"] * 11, "yes")
    assert block(judged(data, last, attributed(12)), "precision")[0] == pytest.approx(1 / 12)
    assert block(judged(data, useful("no", "yes"), attributed(2), k=2), "precision")[0] == 0.5


def test_items_of_other_shapes() -> None:
    table = {"user_input": CAPITAL.query, "reference": CAPITAL.expected_response}
    script = (useful("no", "yes", "no"), attributed(2))
    expected = judged(CAPITAL, *script)
    assert judged({**table, "retrieved_contexts": CAPITAL.retrieved_context}, *script) == expected
    with pytest.raises(DatasetError, match="item 1, RAGData, field 'retrieved_context': the field is missing"):
        judged(table, *script)
    assert LMBasedRetrievalEvaluator(model=judge()).evaluate_batch_sync([]) == []


def test_the_values_are_those_of_a_run() -> None:
    def verdicts(prompt: Prompt) -> Any:
        shown = [f"<<<chunk {number} " in prompt.user for number in range(1, 5)]
        if prompt.metric == "contextual_precision":
            return useful(*(("yes", "no")[(len(prompt.user) + n) % 2] for n in range(sum(shown))))
        return attributed(1, None)

    rows = [
        {
            "question": f"ما المادة رقم {number}؟",
            "answer": "تنص على الإجازة. وعلى البدل.",
            "retrieved_contexts": [f"نص {n} {'س' * number}" for n in range(1 + number % 4)],
        }
        for number in range(12)
    ]
    settings: dict[str, Any] = {"cache_dir": None, "language": "ar"}
    metrics = ["contextual_precision", "contextual_recall"]

    class Recorded:
        llm_provider = ScriptedModel(verdicts)

        def __call__(self, sample: Any, k: int) -> list[str]:
            return [chunk.text for chunk in sample.recorded.chunks]

    report = MuffakirEvaluation({**settings, "metrics": metrics, "progress": False}).evaluate(Recorded(), rows)
    evaluator = LMBasedRetrievalEvaluator(model=ScriptedModel(verdicts), **settings)
    results = evaluator.evaluate_batch_sync(rows)
    for sample, result in zip(report.samples, results, strict=True):
        for name in metrics:
            assert sample.scores[name].value == result["lm_based_retrieval"][f"deepeval_{name}"]["score"]
    values = {result["lm_based_retrieval"]["deepeval_contextual_precision"]["score"] for result in results}
    assert len(values) >= 3


# -------------------------------------------------------------------------------------- metrics and rules


def words(trial: Trial) -> float:
    """A metric of the user's."""
    return float(len(trial.output.answer.split())) if trial.output.answer else 0.0


def test_further_metrics_of_the_run_have_blocks_and_may_be_named_by_rules() -> None:
    grounded = {"reason": "all there", "unsupported": [], "verdict": "yes"}
    tone = judge_metric("tone", "polite?", scale=(1, 5))
    model = judge(useful("no", "yes", "no"), attributed(2), faithfulness=grounded, tone={"reason": "fine", "score": 4})
    rules = {
        "good": {
            "and": [rule(">=", 0.5, "deepeval_contextual_recall"), rule("==", 1, "faithfulness"), rule(">=", 4, "tone")]
        },
        "bad": rule(">", 100, "words"),
        "issues": [{"when": rule("<", 3, "tone"), "text": "impolite"}],
    }
    evaluator = LMBasedRetrievalEvaluator(
        model=model,
        metrics=["deepeval_contextual_recall", "Faithfulness", tone, words],
        rules=rules,
        success_threshold={"tone": 5},
        cache_dir=None,
    )
    assert evaluator.metrics == ("contextual_recall", "faithfulness", "tone", "words")
    data = RAGData(**{**vars(CAPITAL), "generated_response": "It is Paris."})
    found = evaluator.evaluate_sync(data)["lm_based_retrieval"]
    assert list(found)[4:] == ["deepeval_contextual_recall", "faithfulness", "tone", "words"]
    assert (found["relevancy_rating"], found["score"]) == ("good", 1.0)
    assert found["faithfulness"] == {"score": 1.0, "explanation": "all there", "success": True}
    assert found["tone"] == {"score": 4.0, "explanation": "fine", "success": False}
    assert found["words"] == {"score": 3.0, "explanation": "The score is 3.00.", "success": True}
    assert "tone 4.00 (below 5.00)" in found["global_explanation"]

    unanswered = evaluator.evaluate_sync(CAPITAL)["lm_based_retrieval"]
    assert (unanswered["relevancy_rating"], unanswered["score"]) == ("incomplete", None)
    assert unanswered["faithfulness"]["explanation"] == "There is no score: there is no generated response (no_answer)."


def test_rules_from_a_file_replace_the_default_ones(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({"good": rule(">=", 0.9, "deepeval_contextual_precision")}), encoding="utf-8")
    found = judged(CAPITAL, useful("no", "yes", "no"), attributed(2), rules=path)
    assert (found["relevancy_rating"], found["possible_issues"]) == (
        "incomplete",
        ["Noise stands ahead of evidence: nodes that do not help are ranked before nodes that do."],
    )
    assert isinstance(LMBasedRetrievalEvaluator(model=judge(), rules=path).rules, RetrievalRules)


def test_a_rule_on_an_unknown_metric_is_refused_before_anything_runs() -> None:
    model = judge(useful("yes"), attributed(1))
    with pytest.raises(MetricError, match=r"did you mean 'contextual_recall'\?"):
        LMBasedRetrievalEvaluator(model=model, rules={"good": rule(">", 0.5, "contextual_recal")})
    assert model.calls == 0


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"output_dir": "x"}, "the setting 'output_dir' says nothing here. What to do: leave it out, or use Muffakir"),
        ({"max_concurency": 3}, "unknown argument 'max_concurency'. What to do: did you mean 'max_concurrency'?"),
        (
            {"zzz": 3},
            "unknown argument 'zzz'. What to do: known ones are model, model_credentials, base_url, metrics, ",
        ),
        ({"metrics": 5}, "key 'metrics"),
        ({"metrics": None, "modell": "x"}, "did you mean 'model'?"),
        ({"max_concurrency": 0}, "LMBasedRetrievalEvaluator, key 'max_concurrency'"),
        ({"language": "fr"}, "key 'language': input should be 'ar' or 'en', found 'fr'"),
        ({"metrics": ["nope"]}, "unknown metric 'nope'"),
        ({"metrics": []}, "name at least one metric"),
        ({"success_threshold": 50}, "the threshold is 50"),
        ({"prompt_overrides": {"nope": "x"}}, "there is no prompt 'nope'"),
        ({"budget_usd": 1}, "a budget needs a price"),
    ],
)
def test_settings_that_are_wrong(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        LMBasedRetrievalEvaluator(model=judge(), **settings)
    assert said in str(caught.value)


@pytest.mark.parametrize("name", ["score", "relevancy_rating", "deepeval_contextual_recall"])
def test_no_metric_takes_the_place_of_another_part_of_the_result(name: str) -> None:
    def mine(trial: Trial) -> float:
        return 1.0

    mine.__name__ = name
    orders: list[list[Any]] = [[mine, "contextual_recall"], ["contextual_recall", mine]]
    for metrics in orders:
        with pytest.raises(MetricError, match=f"the result has the key '{name}' already"):
            LMBasedRetrievalEvaluator(model=judge(), metrics=metrics)


def test_the_language_is_that_of_the_question_unless_it_is_set() -> None:
    model = judge(useful("yes"), attributed(1))
    arabic = RAGData(query="من كتبها؟", expected_response="نجيب محفوظ.", retrieved_context="كتبها نجيب محفوظ.")
    english = RAGData(query="Who wrote it?", expected_response="Naguib Mahfouz.", retrieved_context="By Mahfouz.")
    free = LMBasedRetrievalEvaluator(model=model, cache_dir=None).evaluate_batch_sync([arabic, english])
    assert [found["lm_based_retrieval"]["global_explanation"][:4] for found in free] == ["بلغت", "All "]
    asked = {prompt.user.partition("\n")[0] for prompt in model.prompts}
    assert "السؤال:" in asked
    assert "The question:" in asked
    for language, start in (("ar", "بلغت"), ("en", "All ")):
        fixed = LMBasedRetrievalEvaluator(model=model, cache_dir=None, language=language)
        results = fixed.evaluate_batch_sync([arabic, english])
        assert {found["lm_based_retrieval"]["global_explanation"][:4] for found in results} == {start}


# ------------------------------------------------------------------------------ one judge, many questions


def numbered(count: int) -> list[RAGData]:
    return [
        RAGData(query=f"ما المادة رقم {n}؟", expected_response=f"المادة {n}.", retrieved_context=[f"نص {n}", "آخر"])
        for n in range(count)
    ]


def slower_first(prompt: Prompt) -> Any:
    number = int(prompt.user.split("رقم ")[1].split("؟")[0])

    async def reply() -> Any:
        await asyncio.sleep((20 - number) / 1000)
        return (
            useful("yes" if number % 2 else "no", "yes") if prompt.metric == "contextual_precision" else attributed(1)
        )

    return reply()


def test_results_are_in_the_order_of_the_items_whoever_finishes_first() -> None:
    model = ScriptedModel(slower_first)
    evaluator = LMBasedRetrievalEvaluator(model=model, cache_dir=None, max_concurrency=6)
    results = evaluator.evaluate_batch_sync(numbered(20))
    assert [block(found["lm_based_retrieval"], "precision")[0] for found in results] == [0.5, 1.0] * 10
    assert 2 <= model.most_at_once <= 6
    assert evaluator.usage["calls"] == 40
    assert evaluator.usage["by_metric"].keys() == {"contextual_precision", "contextual_recall"}


def test_a_rerun_with_the_cache_asks_nobody(tmp_path: Path) -> None:
    model = judge(useful("no", "yes"), attributed(2))
    first = LMBasedRetrievalEvaluator(model=model, cache_dir=tmp_path).evaluate_batch_sync(numbered(5))
    assert model.calls == 10
    again = LMBasedRetrievalEvaluator(model=model, cache_dir=tmp_path)
    assert again.evaluate_batch_sync(numbered(5)) == first
    assert model.calls == 10
    assert again.usage["cached"] == 10


def test_it_works_wherever_it_is_called_from() -> None:
    model = judge(useful("no", "yes", "no"), attributed(2))
    evaluator = LMBasedRetrievalEvaluator(model=model, cache_dir=None)
    expected = evaluator.evaluate_sync(CAPITAL)

    async def inside_a_loop() -> list[Any]:
        by_the_door = [evaluator.evaluate_sync(CAPITAL), evaluator.evaluate_sync(CAPITAL)]
        together = await asyncio.gather(*(evaluator.evaluate(CAPITAL) for _ in range(4)))
        return [*by_the_door, *together]

    for _ in range(2):
        assert asyncio.run(inside_a_loop()) == [expected] * 6
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(evaluator.evaluate_sync(CAPITAL))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 3
    gc.collect()


def test_budgets_hold_for_all_calls_of_an_evaluator_together() -> None:
    model = judge(useful("no", "yes"), attributed(2))
    evaluator = LMBasedRetrievalEvaluator(
        model=model, cache_dir=None, budget_usd=0.001, prices={"input": 10.0, "output": 10.0}, max_concurrency=1
    )
    results = [evaluator.evaluate_sync(item)["lm_based_retrieval"] for item in numbered(4)]
    assert model.calls < 8
    assert results[-1]["relevancy_rating"] is None
    assert results[-1]["deepeval_contextual_recall"]["explanation"].startswith("لا درجة: نفدت الميزانية (over_budget")


def test_a_rejected_key_ends_the_batch_and_the_results_so_far_are_kept() -> None:
    model = ScriptedModel(
        {
            "contextual_precision": [useful("no", "yes")] * 3 + [ModelError("rejected_key", "401: no such key")] * 9,
            "contextual_recall": [attributed(2)] * 3 + [ModelError("rejected_key", "401: no such key")] * 9,
        }
    )
    evaluator = LMBasedRetrievalEvaluator(model=model, cache_dir=None, max_concurrency=1)
    with pytest.raises(JudgeKeyError, match="the provider rejects the key") as caught:
        evaluator.evaluate_batch_sync(numbered(6))
    kept = caught.value.report
    assert isinstance(kept, list)
    assert len(kept) == 6
    assert kept[0]["lm_based_retrieval"]["relevancy_rating"] == "good"
    assert kept[-1] is None


def test_one_failing_item_can_be_made_to_end_the_batch() -> None:
    model = judge(useful("no", "yes"), "nothing that could be read")
    evaluator = LMBasedRetrievalEvaluator(model=model, cache_dir=None, fail_on_judge_error=True)
    with pytest.raises(JudgeError, match="contextual_recall failed with judge_unparseable"):
        evaluator.evaluate_batch_sync(numbered(2))


def test_a_metric_of_the_users_that_raises_is_that_metrics_failure() -> None:
    def broken(trial: Trial) -> float:
        raise RuntimeError("no such table")

    model = judge(useful("no", "yes", "no"), attributed(2))
    evaluator = LMBasedRetrievalEvaluator(
        model=model, metrics=["contextual_recall", broken], cache_dir=None, language="en"
    )
    found = evaluator.evaluate_sync(CAPITAL)["lm_based_retrieval"]
    assert found["relevancy_rating"] == "good"
    assert found["broken"]["score"] is None
    assert "no such table" in found["broken"]["explanation"]


def test_an_interrupted_batch_says_what_was_done() -> None:
    async def forever(prompt: Prompt) -> Any:
        await asyncio.sleep(60)

    async def cancelled() -> None:
        evaluator = LMBasedRetrievalEvaluator(model=ScriptedModel(forever), cache_dir=None)
        task = asyncio.create_task(evaluator.evaluate_batch(numbered(3)))
        await asyncio.sleep(0.05)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError as error:
            assert error.__notes__ == ["0 of 3 questions were evaluated"]
            raise

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())


KEY = "zq7Rk2Wm9Xv4Tb6Yn3Lp8Hd5"


def test_the_key_is_shown_nowhere() -> None:
    evaluator = LMBasedRetrievalEvaluator(model="gpt-4o", model_credentials=KEY)
    assert repr(evaluator).startswith("LMBasedRetrievalEvaluator(model='gpt-4o', language=None, metrics=['contextual_")
    assert KEY not in repr(evaluator.config)
    assert KEY not in str(evaluator.usage)


def test_a_key_in_the_place_of_the_model_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", KEY)
    with pytest.raises(ConfigError, match="nothing says who serves the model") as caught:
        LMBasedRetrievalEvaluator(KEY)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("write", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_key_is_neither_pickled_nor_copied(write: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match="make one in each process"):
        write(LMBasedRetrievalEvaluator(model="gpt-4o", model_credentials=KEY))


def test_the_key_in_a_model_of_the_users_own_is_kept_out_of_what_is_said() -> None:
    class Model:
        api_key = KEY

        def __init__(self) -> None:
            self.api_key = KEY

        def invoke(self, prompt: str) -> str:
            raise RuntimeError(f"401 for {self.api_key}")

    found = LMBasedRetrievalEvaluator(model=Model(), cache_dir=None, retry_deadline_s=0).evaluate_sync(CAPITAL)
    assert KEY not in json.dumps(found)
    assert found["lm_based_retrieval"]["relevancy_rating"] is None


def test_a_plain_function_may_judge() -> None:
    def ask(prompt: str) -> str:
        return json.dumps(attributed(2) if "statement" in prompt else useful("no", "yes", "no"))

    found = LMBasedRetrievalEvaluator(model=ask, cache_dir=None).evaluate_sync(CAPITAL)["lm_based_retrieval"]
    assert (block(found, "precision"), block(found, "recall")) == ((0.5, True), (1.0, True))
