"""Runs that are judged, over HTTP and the real SDKs: what a judge says becomes a score, a reason, or an error."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import MuffakirEvaluation
from muffakir_eval.errors import ConfigError, RunMismatchError
from muffakir_eval.records.scores import FAILED_REASONS
from tests.evaluation.judged import KEY, asked_about, judges, metric_of, opinion, rows, score_of, suite, written
from tests.judges.answers import Says, Seen, fails, refuses_temperature
from tests.judges.server import JudgeServer


def rated(score: Any) -> dict[str, Any]:
    return {"reason": "", "score": score}


# -- P28: settings that the model refuses ----------------------------------------------------------


def test_p28_a_refused_temperature_is_left_out_once_and_for_all_and_named(server: JudgeServer) -> None:
    server.rules, server.answer = [refuses_temperature], rated(4)
    report = suite(server, max_concurrency=1).evaluate(None, rows(3))
    assert report.summary() == {"llm_judge_rating": 4.0}
    assert ["temperature" in seen.body for seen in server.requests] == [True, False, False, False]
    judge = report.to_dict()["judge"]
    assert judge["notes"] == ["temperature not sent: the model refuses it"]
    assert (judge["temperature"], judge["served_by"]) == (0.0, ["judge-1"])


def test_p28_anthropic_is_sent_a_temperature_only_where_it_was_set(server: JudgeServer) -> None:
    server.answer = rated(4)
    at = {"llm_provider": "anthropic", "base_url": server.url}
    first = suite(server, **at).evaluate(None, rows(1))
    second = suite(server, **at, llm_temperature=0.5).evaluate(None, rows(1))
    assert first.summary() == second.summary() == {"llm_judge_rating": 4.0}
    assert [seen.body.get("temperature") for seen in server.requests] == [None, 0.5]


# -- P29, P30, P31, P32: what a reply is worth -----------------------------------------------------

NO_SCORE: dict[str, tuple[Any, str]] = {
    "refused in a field of its own": (Says(None, refusal="I will not."), "judge_refused"),
    "eaten by reasoning": (Says("", finish="length", thinking="hm"), "judge_cut_off"),
    "cut off": (Says('{"score": ', finish="length"), "judge_cut_off"),
    "filtered": (Says("", finish="content_filter"), "judge_filtered"),
    "null": (Says(None), "judge_empty"),
    "a call of a tool": (Says(tool_only=True), "judge_empty"),
    "a brace is missing": ('{"reason": "", "score": 4', "judge_unparseable"),
    "words": ("I cannot evaluate this", "judge_unparseable"),
    "a number in a sentence": ("I would give this answer 4 points.", "judge_unparseable"),
    "8 out of 10": ("8 out of 10", "judge_invalid"),
    "0.9 out of 1": ("0.9 out of 1", "judge_invalid"),
    "between two steps": (rated(4.5), "judge_invalid"),
    "beyond the scale": (rated(85), "judge_invalid"),
    "true": (rated(True), "judge_invalid"),
    "NaN": ('{"reason": "", "score": NaN}', "judge_invalid"),
    "twice": ('{"reason": "", "score": 1, "score": 5}', "judge_invalid"),
}


def test_p29_p31_every_reply_without_a_score_has_its_reason_and_the_run_goes_on(
    server: JudgeServer, tmp_path: Path
) -> None:
    replies = [reply for reply, _ in NO_SCORE.values()]
    server.answer = judges(lambda number: replies[number] if number < len(replies) else rated(2))
    report = suite(server).evaluate(None, rows(len(replies) + 1), save=True, output_dir=tmp_path)
    found = {name: score_of(report, number).reason for number, name in enumerate(NO_SCORE)}
    assert found == {name: reason for name, (_, reason) in NO_SCORE.items()}
    block = written(tmp_path)["metrics"]["llm_judge_rating"]
    assert (block["mean"], block["n_scored"], block["n_failed"]) == (2.0, 1, len(replies))
    assert sum(block["reasons"].values()) == len(replies)
    calls = [sum(asked_about(seen) == number for seen in server.requests) for number in range(len(replies))]
    asked = dict(zip(NO_SCORE, calls, strict=True))
    assert (asked["refused in a field of its own"], asked["filtered"], asked["cut off"], asked["words"]) == (1, 1, 2, 2)


A_SCORE: dict[str, tuple[Any, float]] = {
    "a fence": ('```json\n{"reason": "", "score": 4}\n```', 4.0),
    "prose around it": ('Sure! {"reason": "جيد", "score": 3} I hope this helps.', 3.0),
    "thinking": ('<think>maybe {"score": 1}</think>{"reason": "", "score": 4}', 4.0),
    "the end of thinking": ('perhaps {"score": 1}</think>{"reason": "", "score": 5}', 5.0),
    "a raw newline in a text": ('{"reason": "سطر\nوسطر", "score": 2}', 2.0),
    "thinking as a text": ('{"reason": "كتب <think> في جوابه", "score": 2}', 2.0),
    "thinking in a field of its own": (Says('{"reason": "", "score": 3}', thinking='{"score": 1}'), 3.0),
    "a number in quotes": (rated("4"), 4.0),
    "a label": ("Score: 1/5", 1.0),
    "an Arabic label": ("التقييم: ٤/٥", 4.0),
}


def test_p30_p31_what_can_be_read_is_read_at_the_first_try(server: JudgeServer) -> None:
    replies = [reply for reply, _ in A_SCORE.values()]
    server.answer = judges(replies.__getitem__)
    report = suite(server).evaluate(None, rows(len(replies)))
    found = {name: score_of(report, number).value for number, name in enumerate(A_SCORE)}
    assert found == {name: value for name, (_, value) in A_SCORE.items()}
    assert server.count == len(replies)


def test_p29_thinking_blocks_and_refusals_of_anthropic(server: JudgeServer) -> None:
    said = [Says('{"reason": "", "score": 4}', thinking="لعلها ٢"), Says(None, finish="refusal")]
    server.answer = judges(said.__getitem__)
    report = suite(server, llm_provider="anthropic", base_url=server.url).evaluate(None, rows(2))
    assert [(score.value, score.reason) for score in (score_of(report, 0), score_of(report, 1))] == [
        (4.0, None),
        (None, "judge_refused"),
    ]


def test_p32_an_unreadable_verdict_is_neither_a_wrong_answer_nor_the_end(server: JudgeServer, tmp_path: Path) -> None:
    replies = [rated(5), "I cannot evaluate this", rated(1)]
    server.answer = judges(replies.__getitem__)
    report = suite(server).evaluate(None, rows(3), save=True, output_dir=tmp_path)
    block = report.metrics["llm_judge_rating"]
    assert (block["mean"], block["n_scored"], block["n_total"]) == (3.0, 2, 3)
    assert block["reasons"] == {"judge_unparseable": 1}
    failed = score_of(report, 1)
    assert (failed.state, failed.reason, failed.details["raw"]) == (
        "failed",
        "judge_unparseable",
        "I cannot evaluate this",
    )
    lines = [json.loads(line) for line in (tmp_path / "records.jsonl").read_text(encoding="utf-8").splitlines()]
    kept = [line["scores"]["llm_judge_rating"] for line in lines if line["kind"] == "result"]
    assert [score["details"]["raw"] for score in kept if score["state"] == "failed"] == ["I cannot evaluate this"]


# -- P34, P36 --------------------------------------------------------------------------------------

FIVE = [f"المقطع {number} من النص المسترجع" for number in range(1, 6)]


def verdicts(*numbers: int | None) -> dict[str, Any]:
    entries = [{"number": number, "reason": "", "verdict": "yes"} for number in numbers]
    return {"verdicts": [{k: v for k, v in entry.items() if v is not None} for entry in entries]}


@pytest.mark.parametrize(
    ("replies", "value", "reason"),
    [
        ([verdicts(1, 3, 5), verdicts(2, 4)], 1.0, None),
        ([verdicts(1, 3, 5), verdicts(2)], None, "judge_invalid"),
        ([verdicts(None, None, None)] * 2, None, "judge_invalid"),
        ([verdicts(1, 2, 3, 4, 5, 6)], None, "judge_invalid"),
    ],
    ids=["the missing ones are asked for", "missing again", "without numbers", "one too many"],
)
def test_p34_verdicts_carry_their_numbers(
    server: JudgeServer, replies: list[Any], value: float | None, reason: str | None
) -> None:
    server.script(*replies)
    report = suite(server, metrics=["contextual_precision"], k=5).evaluate(None, rows(1, retrieved_contexts=FIVE))
    score = score_of(report, 0, "contextual_precision")
    assert (score.value, score.reason, server.count) == (value, reason, len(replies))


def test_p36_arabic_sentences_are_all_examined_and_keys_are_not_translated(server: JudgeServer) -> None:
    answer = "هل تستحق الإجازة؟ نعم بعد سنة؛ ومدتها ثلاثون يومًا\nوتُصرف بأجر كامل"

    def said(seen: Seen) -> Any:
        items = [{"number": n, "reason": "وارد في النص", "chunks": [1], "verdict": "نعم"} for n in range(1, 5)]
        return {"verdicts": items}

    server.answer = said
    settings = {"metrics": ["faithfulness"], "faithfulness_mode": "claims"}
    report = suite(server, **settings).evaluate(None, rows(1, predicted_answer=answer))
    score = score_of(report, 0, "faithfulness")
    assert score.value == 1.0
    assert [item["statement"] for item in score.details["verdicts"]] == [
        "هل تستحق الإجازة؟",
        "نعم بعد سنة؛",
        "ومدتها ثلاثون يومًا",
        "وتُصرف بأجر كامل",
    ]
    assert score.details["verdicts"][0]["reason"] == "وارد في النص"


def test_p36_a_localised_key_is_an_error_that_shows_the_reply(server: JudgeServer) -> None:
    server.answer = {"الدرجة": 4}
    report = suite(server).evaluate(None, rows(1))
    score = score_of(report, 0)
    assert (score.reason, json.loads(score.details["raw"])) == ("judge_invalid", {"الدرجة": 4})


def test_p36_an_arabic_verdict_word_is_read(server: JudgeServer) -> None:
    server.answer = {"reason": "مطابق", "unsupported": [], "verdict": "صحيح"}
    assert suite(server, metrics=["faithfulness"]).evaluate(None, rows(1)).summary() == {"faithfulness": 1.0}


def test_p36_prompts_are_those_of_the_language_and_their_hashes_are_kept(server: JudgeServer) -> None:
    server.answer = rated(4)
    arabic = suite(server).evaluate(None, rows(1)).to_dict()["judge"]["prompts"]["llm_judge_rating"]
    english = suite(server, language="en").evaluate(None, rows(1)).to_dict()["judge"]["prompts"]["llm_judge_rating"]
    own = {"llm_judge_rating": "# system\nقيّم.\n# user\n{question} {gold_answer} {answer}"}
    mine = suite(server, prompt_overrides=own).evaluate(None, rows(1)).to_dict()["judge"]["prompts"]["llm_judge_rating"]
    assert len({arabic, english, mine}) == 3
    first, second, third = (seen.system for seen in server.requests)
    assert ("تقيّم" in first or "قيّم" in first, "You rate" in second, third.startswith("قيّم.")) == (True, True, True)


# -- P37, P39 --------------------------------------------------------------------------------------


class Rag:
    """A pipeline that counts its calls and may stop the run."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.asked: list[str] = []
        self.stop_at = stop_at

    def __call__(self, question: str, k: int) -> tuple[str, list[str]]:
        if len(self.asked) == self.stop_at:
            raise KeyboardInterrupt
        self.asked.append(question)
        return "مدتها ثلاثون يومًا.", ["يستحق الموظف إجازة سنوية مدتها ثلاثون يومًا بأجر كامل."]


def test_p37_after_a_hard_stop_only_the_remaining_calls_are_made(server: JudgeServer, tmp_path: Path) -> None:
    server.answer = opinion
    settings: dict[str, Any] = {"metrics": ["faithfulness", "llm_judge_rating"], "max_concurrency": 1}
    whole = suite(server, **settings).evaluate(Rag(), rows(20, recorded=False))
    server.forget()
    first, second = Rag(stop_at=14), Rag()
    with pytest.raises(KeyboardInterrupt):
        suite(server, **settings).evaluate(first, rows(20, recorded=False), save=True, output_dir=tmp_path)
    partial = written(tmp_path)
    scored = partial["n_samples"]
    assert (partial["partial"], 1 <= scored <= 14) == (True, True)
    before = server.count
    report = suite(server, **settings).evaluate(second, rows(20, recorded=False), save=True, output_dir=tmp_path)
    assert len(first.asked) + len(second.asked) == 20, "an answer that is there is not asked for again"
    assert server.count - before == 2 * (20 - scored)
    assert (report.partial, report.summary()) == (False, whole.summary())


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"llm_model": "judge-2"}, "judge.model: 'judge-1' -> 'judge-2'"),
        ({"llm_temperature": 0.5}, "judge.temperature"),
        ({"judge_repeats": 2}, "judge.repeats: 1 -> 2"),
        ({"k": 1}, "k: 2 -> 1"),
        ({"prompt_overrides": {"llm_judge_rating": "# user\n{answer} {gold_answer}"}}, "llm_judge_rating"),
        ({"language": "en"}, "language: 'ar' -> 'en'"),
    ],
)
def test_p39_another_judge_or_prompt_refuses_to_mix_and_is_named(
    server: JudgeServer, tmp_path: Path, change: dict[str, Any], named: str
) -> None:
    server.answer = opinion
    with pytest.raises(KeyboardInterrupt):
        suite(server).evaluate(Rag(stop_at=2), rows(3, recorded=False), save=True, output_dir=tmp_path)
    records = (tmp_path / "records.jsonl").read_bytes()
    before = server.count
    with pytest.raises(RunMismatchError) as caught:
        suite(server, **change).evaluate(Rag(), rows(3, recorded=False), save=True, output_dir=tmp_path)
    assert named in str(caught.value)
    assert (server.count, (tmp_path / "records.jsonl").read_bytes()) == (before, records)


# -- P41, P42, P44 ---------------------------------------------------------------------------------


def test_p41_twice_inside_a_running_loop_and_twice_with_a_loop_of_their_own(server: JudgeServer) -> None:
    server.answer = rated(4)
    evaluator = suite(server)

    async def synchronous() -> list[dict[str, float]]:
        return [evaluator.evaluate(None, rows(2)).summary() for _ in range(2)]

    async def awaited() -> dict[str, float]:
        return (await evaluator.aevaluate(None, rows(2))).summary()

    found = asyncio.run(synchronous())
    found += [asyncio.run(awaited()), asyncio.run(awaited())]
    assert found == [{"llm_judge_rating": 4.0}] * 4
    assert server.count == 8


def test_p42_one_stuck_request_does_not_hold_the_run(server: JudgeServer) -> None:
    server.answer = judges(lambda number: Says('{"reason": "", "score": 4}', delay_s=3_600.0 if number == 9 else 0.0))
    report = suite(server, call_timeout_s=0.4, retry_deadline_s=0.0).evaluate(None, rows(10))
    assert [score_of(report, number).reason for number in range(10)] == [None] * 9 + ["timeout"]
    assert report.summary() == {"llm_judge_rating": 4.0}


def test_p42_a_sample_has_a_limit_too_whatever_the_retries(server: JudgeServer) -> None:
    server.answer = judges(lambda number: fails(500, "later") if number == 3 else {"reason": "", "score": 4})
    report = suite(server, sample_timeout_s=1.0).evaluate(None, rows(5))
    stuck = score_of(report, 3)
    assert (stuck.reason, report.metrics["llm_judge_rating"]["n_scored"]) == ("timeout", 4)
    assert "no verdict within 1 s; the last error" in stuck.details["message"]
    assert stuck.details["usage"]["calls"] >= 2


def test_waiting_for_a_free_place_is_not_the_time_of_a_sample(server: JudgeServer) -> None:
    server.answer = judges(lambda number: Says('{"reason": "", "score": 4}', delay_s=0.3))
    report = suite(server, sample_timeout_s=1.0, max_concurrency=1).evaluate(None, rows(6))
    assert report.metrics["llm_judge_rating"]["n_scored"] == 6


def test_p44_what_is_not_judged_needs_no_key(tmp_path: Path) -> None:
    report = suite(metrics=["recall", "mrr"], llm_provider="openai", llm_model="gpt-4o").evaluate(Rag(), rows(2))
    assert report.n_samples == 2
    assert report.to_dict()["judge"] is None


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({}, "llm_provider"),
        ({"llm_provider": "openai", "llm_model": "gpt-4o"}, "OPENAI_API_KEY"),
        ({"llm_provider": "anthropic", "llm_model": "claude-sonnet-4-5"}, "ANTHROPIC_API_KEY"),
        ({"llm_provider": "openai", "api_key": KEY}, "llm_model"),
    ],
)
def test_p44_a_missing_key_is_reported_before_the_first_call(settings: dict[str, Any], says: str) -> None:
    rag = Rag()
    with pytest.raises(ConfigError, match=says):
        suite(**settings).evaluate(rag, rows(2, recorded=False))
    assert rag.asked == []


# -- P53, P56 --------------------------------------------------------------------------------------

REFUSAL = "لا تتوفر معلومات كافية في السياق."
JUDGED = ["faithfulness", "answer_correctness", "llm_judge_rating"]
N_A = "not_applicable"
TABLE: dict[str, tuple[dict[str, Any], list[tuple[str, Any]]]] = {
    "answerable, answered": (
        {"answerable": True},
        [("measured", 1.0), ("measured", 0.5), ("measured", 3.0)],
    ),
    "answerable, refused": (
        {"answerable": True, "predicted_answer": REFUSAL},
        [(N_A, "answer_refused"), ("measured", 0.0), (N_A, "answer_refused")],
    ),
    "answerable, empty": (
        {"answerable": True, "predicted_answer": " "},
        [(N_A, "empty_answer"), ("measured", 0.0), (N_A, "empty_answer")],
    ),
    "unanswerable, answered": (
        {"answerable": False},
        [("measured", 1.0), (N_A, "unanswerable"), (N_A, "unanswerable")],
    ),
    "unanswerable, refused": (
        {"answerable": False, "predicted_answer": REFUSAL},
        [(N_A, "correct_abstention")] * 3,
    ),
    "unanswerable, by its gold answer": (
        {"answer": "غير مذكور في النص", "predicted_answer": REFUSAL},
        [(N_A, "correct_abstention")] * 3,
    ),
    "unanswerable, empty": (
        {"answerable": False, "predicted_answer": ""},
        [(N_A, "empty_answer")] * 3,
    ),
}


def test_p53_the_table_and_no_call_where_it_decides(server: JudgeServer) -> None:
    said: dict[str, dict[str, Any]] = {
        "faithfulness": {"reason": "", "unsupported": [], "verdict": "yes"},
        "answer_correctness": {"reason": "", "score": 0.5},
        "llm_judge_rating": {"reason": "", "score": 3},
    }
    server.answer = lambda seen: said[metric_of(seen)]
    asked = rows(len(TABLE))
    for row, (cells, _) in zip(asked, TABLE.values(), strict=True):
        row.update({"answerable": None, **cells})
    report = suite(server, metrics=JUDGED).evaluate(None, asked)
    found = {
        name: [
            (score.state, score.value if score.state == "measured" else score.reason)
            for score in result.scores.values()
        ]
        for name, result in zip(TABLE, report.samples, strict=True)
    }
    assert found == {name: expected for name, (_, expected) in TABLE.items()}
    calls = sorted((asked_about(seen), metric_of(seen)) for seen in server.requests)
    assert calls == [
        *((0, metric) for metric in ("answer_correctness", "faithfulness", "llm_judge_rating")),
        (3, "faithfulness"),
    ]
    assert report.summary() == pytest.approx(
        {"faithfulness": 1.0, "answer_correctness": 0.5 / 3, "llm_judge_rating": 3}
    )


def test_p56_repeats_are_calls_of_their_own_and_their_spread_is_shown(server: JudgeServer, tmp_path: Path) -> None:
    server.answer = lambda seen: rated(2 if seen.number % 2 == 0 else 4)
    evaluator = suite(server, judge_repeats=4, cache_dir=tmp_path / "cache")
    score = score_of(evaluator.evaluate(None, rows(1)), 0)
    assert (score.value, server.count) == (3.0, 4)
    spread = score.details["repeats"]
    assert (spread["values"], spread["n"], spread["n_valid"]) == ([2.0, 4.0, 2.0, 4.0], 4, 4)
    assert (spread["min"], spread["max"], spread["sd"]) == (2.0, 4.0, pytest.approx(2 / 3**0.5))
    again = evaluator.evaluate(None, rows(1))
    assert (score_of(again, 0).value, server.count) == (3.0, 4), "each repeat has a reply of its own in the cache"
    assert (again.to_dict()["usage"]["calls"], again.to_dict()["usage"]["cached"]) == (0, 4)
    evaluator.evaluate(None, rows(1, predicted_answer="مدتها سنة."))
    assert server.count == 8, "another answer is another question"


def test_failures_have_only_the_documented_reasons() -> None:
    assert {reason for _, reason in NO_SCORE.values()} <= FAILED_REASONS


def test_the_evaluator_itself_holds_no_connection(server: JudgeServer) -> None:
    server.answer = rated(4)
    evaluator: MuffakirEvaluation = suite(server)
    evaluator.evaluate(None, rows(3))
    assert server.still_open == 0
