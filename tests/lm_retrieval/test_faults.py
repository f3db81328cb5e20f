"""A batch over HTTP and the real SDK, with everything that can go wrong on the wire and in a reply."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import LMBasedRetrievalEvaluator, RAGData
from muffakir_eval.errors import JudgeKeyError
from muffakir_eval.lm_retrieval.models import DEFAULT_MODEL
from muffakir_eval.metrics.judged.readings import ranked_precision
from tests.judges.answers import Says, Seen, drops, fails, refuses_key
from tests.judges.server import JudgeServer
from tests.lm_retrieval.cases import attributed, block, useful

KEY = "zq7Rk2Wm9Xv4Tb6Yn3Lp8Hd5"
COUNT = 200


def item(number: int) -> RAGData:
    """Question ``number``: 2 to 5 nodes, an expected response of two statements."""
    return RAGData(
        query=f"السؤال رقم {number}: ما مدة الإجازة؟",
        expected_response=f"مدتها {number + 10} يومًا. وهي بأجر كامل.",
        retrieved_context=[f"المقطع {node} عن السؤال {number}." for node in range(2 + number % 4)],
    )


def flags(number: int) -> list[bool]:
    """Which nodes this judge finds useful."""
    return [(number + node) % 3 == 0 for node in range(2 + number % 4)]


def supporting(number: int) -> list[int | None]:
    """The nodes to which this judge attributes the statements."""
    return [1 if number % 5 else None, 2 if number % 2 else None]


def asked(seen: Seen) -> tuple[int, str]:
    """The number of the question, and the metric that asks."""
    found = re.search(r"السؤال رقم (\d+)", seen.user)
    assert found is not None
    schema = json.dumps(seen.body["response_format"])
    return int(found[1]), "recall" if '"chunk"' in schema else "precision"


def opinion(number: int, metric: str) -> dict[str, Any]:
    if metric == "precision":
        return useful(*("yes" if flag else "no" for flag in flags(number)))
    return attributed(*supporting(number))


def value(number: int, metric: str) -> float:
    if metric == "precision":
        return ranked_precision(flags(number))
    return sum(node is not None for node in supporting(number)) / 2


def reply(verdicts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"verdicts": verdicts}


def broken(change: Callable[[list[dict[str, Any]]], Any]) -> Callable[[int, str], Any]:
    """A reply whose verdicts were spoilt."""
    return lambda number, metric: reply(change(opinion(number, metric)["verdicts"]))


HEALED: dict[str, Callable[[int, str], Any]] = {
    "rate limit": lambda *_: fails(429, "slow down", retry_after=0.01),
    "server error": lambda *_: fails(500, "it failed"),
    "dropped": lambda *_: drops("half_body"),
    "broken once": lambda *_: '{"verdicts": [',
    "out of order": broken(lambda verdicts: verdicts[::-1]),
    "in a fence": lambda number, metric: f"```json\n{json.dumps(opinion(number, metric))}\n```",
    "one missing": broken(lambda verdicts: verdicts[1:]),
}
"""What goes wrong at the first call about a metric, and comes right; of these the value is the true one."""

LOST: dict[str, tuple[Callable[[int, str], Any], str]] = {
    "prose": (lambda *_: "I think the second passage is the best one.", "judge_unparseable"),
    "half an object": (lambda *_: '{"verdicts": [{"number": 1, "reason": "", "verdict": "yes"', "judge_unparseable"),
    "refused": (lambda *_: Says(None, refusal="I will not."), "judge_refused"),
    "filtered": (lambda *_: Says("", finish="content_filter"), "judge_filtered"),
    "cut off": (lambda *_: Says('{"verdicts": [', finish="length"), "judge_cut_off"),
    "empty": (lambda *_: Says(None), "judge_empty"),
    "bad request": (lambda *_: fails(400, "the prompt is too long"), "judge_bad_request"),
    "always one missing": (broken(lambda verdicts: verdicts[:1]), "judge_invalid"),
    "too many": (broken(lambda verdicts: [*verdicts, {**verdicts[0], "number": 9}]), "judge_invalid"),
    "one twice": (broken(lambda verdicts: [*verdicts, verdicts[0]]), "judge_invalid"),
    "counted from 0": (
        broken(lambda verdicts: [{**verdict, "number": verdict["number"] - 1} for verdict in verdicts]),
        "judge_invalid",
    ),
    "without numbers": (
        broken(
            lambda verdicts: [{key: each for key, each in verdict.items() if key != "number"} for verdict in verdicts]
        ),
        "judge_invalid",
    ),
    "another word": (
        broken(lambda verdicts: [{**verdict, "verdict": "maybe"} for verdict in verdicts]),
        "judge_invalid",
    ),
    "a number for a word": (
        broken(lambda verdicts: [{**verdict, "verdict": 1} for verdict in verdicts]),
        "judge_invalid",
    ),
    "texts for objects": (lambda *_: {"verdicts": ["yes", "no"]}, "judge_invalid"),
    "an object for a list": (lambda *_: {"verdicts": {"1": "yes", "2": "no"}}, "judge_invalid"),
    "keys in Arabic": (lambda *_: {"الأحكام": [{"الرقم": 1, "الحكم": "نعم"}]}, "judge_invalid"),
}
"""What stays wrong, and the reason under which it is recorded."""


def fate(number: int) -> str:
    """What befalls the question: every second goes well, a quarter heals, a quarter is lost."""
    if number % 2 == 0:
        return "well"
    names = list(HEALED) if number % 4 == 1 else list(LOST)
    return names[number // 4 % len(names)]


@pytest.fixture(scope="module")
def batch() -> tuple[list[dict[str, Any]], JudgeServer]:
    """The results of 200 questions, and the server that was asked."""
    seen_before: Counter[tuple[int, str]] = Counter()

    def behaves(seen: Seen) -> Any:
        number, metric = asked(seen)
        seen_before[number, metric] += 1
        if (number % 8 == 5 or number % 8 == 7) and metric == "precision":
            return opinion(number, metric)  # of these, only recall goes wrong
        name, turn = fate(number), seen_before[number, metric]
        if name in LOST:
            return LOST[name][0](number, metric)
        if name in HEALED and turn == 1:
            return HEALED[name](number, metric)
        if name == "one missing":  # the second time only what is missing is asked for
            return reply(opinion(number, metric)["verdicts"][:1])
        return opinion(number, metric)

    with JudgeServer(behaves, latency_s=0.005) as server:
        evaluator = LMBasedRetrievalEvaluator(
            model="openai/gpt-4o",
            model_credentials=KEY,
            llm_base_url=server.openai_url,
            llm_provider="openai",
            cache_dir=None,
            details=True,
            language="ar",
            max_concurrency=16,
        )
        results = evaluator.evaluate_batch_sync([item(number) for number in range(COUNT)])
    return [result["lm_based_retrieval"] for result in results], server


Batch = tuple[list[dict[str, Any]], JudgeServer]


def test_every_question_has_its_result_in_its_place(batch: Batch) -> None:
    results, _ = batch
    assert len(results) == COUNT
    for number, found in enumerate(results):
        if fate(number) not in LOST:
            for metric in ("precision", "recall"):
                assert block(found, metric)[0] == pytest.approx(value(number, metric), abs=1e-12), (
                    number,
                    fate(number),
                )
            assert found["relevancy_rating"] == ("good" if value(number, "recall") >= 0.5 else "bad")


def test_what_is_lost_is_failed_with_its_reason_and_never_bad(batch: Batch) -> None:
    results, _ = batch
    lost = [(number, found) for number, found in enumerate(results) if fate(number) in LOST]
    assert {fate(number) for number, _ in lost} == LOST.keys()
    for number, found in lost:
        reason = LOST[fate(number)][1]
        recall = found["deepeval_contextual_recall"]
        assert (recall["score"], recall["success"], recall["state"], recall["reason"]) == (None, None, "failed", reason)
        assert reason in recall["explanation"]
        assert (found["relevancy_rating"], found["score"], found["possible_issues"]) == (None, None, [])
        assert found["global_explanation"].startswith("لا تقدير، لأن ما يلي تعذّر قياسه: استدعاء السياق")


def test_one_metric_that_is_lost_does_not_take_the_other_with_it(batch: Batch) -> None:
    results, _ = batch
    alone = [number for number in range(COUNT) if number % 8 == 7 and fate(number) in LOST]
    assert len(alone) >= 20
    for number in alone:
        assert block(results[number], "precision")[0] == pytest.approx(value(number, "precision"))


def test_what_heals_was_asked_again_and_what_is_final_was_not(batch: Batch) -> None:
    _, server = batch
    calls: dict[str, set[int]] = defaultdict(set)
    for (number, metric), count in Counter(asked(seen) for seen in server.requests).items():
        if metric == "recall":
            calls[fate(number)].add(count)
    assert calls["well"] == calls["out of order"] == calls["in a fence"] == {1}
    assert calls["refused"] == calls["filtered"] == calls["bad request"] == {1}
    for name in ("rate limit", "server error", "dropped", "broken once", "one missing", "prose", "cut off"):
        assert calls[name] == {2}, name
    assert {seen.key for seen in server.requests} == {KEY}
    assert 2 <= server.most_at_once <= 16


def test_the_key_stands_in_no_result(batch: Batch) -> None:
    assert KEY not in json.dumps(batch[0])


def test_a_rejected_key_stops_at_once_and_is_not_shown() -> None:
    with JudgeServer("{}", rules=[refuses_key]) as server:
        evaluator = LMBasedRetrievalEvaluator("gpt-4o", KEY, server.openai_url, cache_dir=None)
        with pytest.raises(JudgeKeyError) as caught:
            evaluator.evaluate_batch_sync([item(number) for number in range(50)])
        assert server.count <= 16
        assert KEY not in str(caught.value)
        assert caught.value.report == [None] * 50


def test_the_default_model_is_asked_with_the_key_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", KEY)
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    with JudgeServer(lambda seen: opinion(*asked(seen))) as server:
        evaluator = LMBasedRetrievalEvaluator(
            llm_provider="google", llm_model=DEFAULT_MODEL, llm_base_url=server.openai_url, cache_dir=None
        )
        found = asyncio.run(evaluator.evaluate(item(1)))["lm_based_retrieval"]
        assert block(found, "recall")[0] == value(1, "recall")
        assert {(seen.key, seen.body["model"]) for seen in server.requests} == {(KEY, DEFAULT_MODEL)}


def test_a_batch_goes_on_from_the_cache(tmp_path: Path) -> None:
    def first_half(seen: Seen) -> Any:
        number, metric = asked(seen)
        return opinion(number, metric) if number < 10 else fails(400, "not now")

    items = [item(number) for number in range(20)]
    with JudgeServer(first_half) as server:
        settings: dict[str, Any] = {"base_url": server.openai_url, "model_credentials": KEY, "cache_dir": tmp_path}
        some = LMBasedRetrievalEvaluator("judge-1", **settings).evaluate_batch_sync(items)
        server.forget()
        server.answer = lambda seen: opinion(*asked(seen))
        every = LMBasedRetrievalEvaluator("judge-1", **settings).evaluate_batch_sync(items)
        assert server.count == 20  # two for each of the ten that had failed
    assert every[:10] == some[:10]
    assert all(found["lm_based_retrieval"]["relevancy_rating"] in {"good", "bad"} for found in every)


def test_no_connection_outlives_its_loop() -> None:
    with JudgeServer(lambda seen: opinion(*asked(seen))) as server:
        evaluator = LMBasedRetrievalEvaluator("judge-1", KEY, server.openai_url, cache_dir=None)
        for number in range(3):
            assert asyncio.run(evaluator.evaluate(item(number)))
            assert evaluator.evaluate_sync(item(number))
        assert server.still_open == 0
