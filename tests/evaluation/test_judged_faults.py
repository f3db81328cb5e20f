"""Runs against a server that fails: every sample is there once, with its score or with a reason."""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from muffakir_eval import EvaluationReport
from muffakir_eval.records.scores import FAILED_REASONS
from tests.evaluation.judged import asked_about, metric_of, opinion, rows, score_of, suite, worth
from tests.judges.answers import Answer, Says, Seen, drops, fails, garbage, hangs, overloaded_under_200
from tests.judges.server import JudgeServer

# -- P40: rate limits ------------------------------------------------------------------------------


def test_p40_the_servers_wait_is_honoured_and_the_score_is_there(server: JudgeServer) -> None:
    arrived: list[float] = []

    def said(seen: Seen) -> Any:
        arrived.append(time.monotonic())
        return fails(429, "slow down", retry_after=0.7) if len(arrived) < 3 else {"reason": "", "score": 4}

    server.answer = said
    report = suite(server).evaluate(None, rows(1))
    assert report.summary() == {"llm_judge_rating": 4.0}
    assert server.count == 3, "one retry layer: the SDK does not ask again by itself"
    assert min(later - sooner for sooner, later in itertools.pairwise(arrived)) >= 0.7
    usage = report.to_dict()["usage"]
    assert (usage["calls"], usage["failed_calls"]) == (3, 2)


def test_p40_all_workers_wait_together(server: JudgeServer) -> None:
    arrived: list[float] = []

    def said(seen: Seen) -> Any:
        arrived.append(time.monotonic())
        return fails(429, retry_after=0.6) if seen.number == 0 else Says('{"reason": "", "score": 4}', delay_s=0.15)

    server.answer = said
    report = suite(server, max_concurrency=4).evaluate(None, rows(8))
    assert report.metrics["llm_judge_rating"]["n_scored"] == 8
    assert all(moment - arrived[0] >= 0.6 for moment in arrived[4:])


@pytest.mark.parametrize(
    ("answer", "calls"),
    [(fails(429, retry_after=300), 1), (fails(529, "Overloaded"), None), (overloaded_under_200(), None)],
    ids=["429 for five minutes", "529 for ever", "overloaded under 200"],
)
def test_p40_a_wait_beyond_the_deadline_marks_the_sample(
    server: JudgeServer, answer: Answer, calls: int | None
) -> None:
    server.answer = answer
    report = suite(server, retry_deadline_s=1.0).evaluate(None, rows(1))
    score = score_of(report, 0)
    assert (score.state, score.reason) == ("failed", "rate_limited")
    assert server.count == calls if calls else 2 <= server.count <= 4
    assert "given up" in score.details["message"]


@pytest.mark.parametrize("answer", [fails(529, "Overloaded"), overloaded_under_200(), fails(500, "Overloaded")])
def test_p40_an_overload_that_passes_is_waited_out(server: JudgeServer, answer: Answer) -> None:
    server.answer = {"reason": "", "score": 4}
    server.script(answer)
    report = suite(server, llm_provider="anthropic", base_url=server.url).evaluate(None, rows(1))
    assert (report.summary(), server.count) == ({"llm_judge_rating": 4.0}, 2)


def test_p40_a_sample_that_was_marked_is_asked_for_by_the_next_run(server: JudgeServer, tmp_path: Any) -> None:
    server.answer = opinion
    server.script(fails(429, retry_after=300))
    settings = {"retry_deadline_s": 0.5, "max_concurrency": 1, "cache_dir": tmp_path / "cache"}
    first = suite(server, **settings).evaluate(None, rows(3))
    assert first.metrics["llm_judge_rating"]["reasons"] == {"rate_limited": 1}
    server.forget()
    second = suite(server, **settings).evaluate(None, rows(3))
    assert (second.metrics["llm_judge_rating"]["n_scored"], server.count) == (3, 1), "failures are never cached"


# -- the campaign ----------------------------------------------------------------------------------

SAMPLES = 200
FAULTY = 0.28
METRICS = ["faithfulness", "answer_correctness", "llm_judge_rating"]

ON_THE_WIRE: dict[str, tuple[Callable[[], Any], str]] = {
    "429": (lambda: fails(429), "rate_limited"),
    "529": (lambda: fails(529, "Overloaded"), "rate_limited"),
    "overloaded under 200": (overloaded_under_200, "rate_limited"),
    "500": (lambda: fails(500), "judge_unavailable"),
    "dropped before the headers": (lambda: drops("before_headers"), "judge_unavailable"),
    "dropped after the headers": (lambda: drops("after_headers"), "judge_unavailable"),
    "half a body": (lambda: drops("half_body"), "judge_unavailable"),
    "garbage": (garbage, "judge_unavailable"),
    "nothing": (lambda: garbage(b""), "judge_unavailable"),
    "hangs": (hangs, "timeout"),
    "drips": (lambda: hangs(dripping=True), "timeout"),
}
IN_THE_REPLY: dict[str, tuple[Callable[[], Any], str]] = {
    "refused": (lambda: Says(None, finish="refusal", refusal="no"), "judge_refused"),
    "filtered": (lambda: Says("", finish="content_filter"), "judge_filtered"),
    "empty": (lambda: Says(""), "judge_empty"),
    "cut off": (lambda: Says('{"reason": "', finish="length"), "judge_cut_off"),
    "words": (lambda: "I cannot tell.", "judge_unparseable"),
    "off the scale": (lambda: {"reason": "", "verdict": "maybe", "score": 70}, "judge_invalid"),
}
FAULTS = ON_THE_WIRE | IN_THE_REPLY
ASKED_TWICE = {"cut off", "words", "off the scale"}


class Campaign:
    """A server's behaviour: three calls in ten fail, each in its own way, whatever the order of the calls.

    A judge that could not put its reply into the right form cannot do it at the second attempt either.
    """

    def __init__(self) -> None:
        self.fates: dict[tuple[int, str], list[str]] = {}

    def __call__(self, seen: Seen) -> Any:
        number, metric = asked_about(seen), metric_of(seen)
        fates = self.fates.setdefault((number, metric), [])
        rng = random.Random(f"{number} {metric} {len(fates)}")
        if fates and fates[-1] in ASKED_TWICE:
            fates.append(fates[-1])
        else:
            fates.append(rng.choice(sorted(FAULTS)) if rng.random() < FAULTY else "")
        return FAULTS[fates[-1]][0]() if fates[-1] else opinion(seen)

    @property
    def share(self) -> float:
        """How many of the calls failed."""
        every = [fate for fates in self.fates.values() for fate in fates]
        return sum(map(bool, every)) / len(every)


def check(report: EvaluationReport, campaign: Campaign) -> Counter[str]:
    """What holds of every campaign; returns the failures by reason."""
    assert [result.sample.question for result in report.samples] == [row["question"] for row in rows(SAMPLES)]
    assert 0.25 <= campaign.share <= 0.35
    reasons: Counter[str] = Counter()
    for number, result in enumerate(report.samples):
        for metric, score in result.scores.items():
            if score.state == "measured":
                assert score.value == worth(number, metric)
                continue
            assert (score.state, score.reason in FAILED_REASONS) == ("failed", True)
            assert score.details["message"]
            reasons[str(score.reason)] += 1
    counted = (Counter(block["reasons"]) for block in report.metrics.values())
    assert sum(counted, Counter()) == reasons
    return reasons


def test_without_faults_every_score_is_what_the_judge_thinks(server: JudgeServer) -> None:
    server.answer = opinion
    report = suite(server, metrics=METRICS, max_concurrency=32).evaluate(None, rows(SAMPLES))
    found = [{metric: score.value for metric, score in result.scores.items()} for result in report.samples]
    assert found == [{metric: worth(number, metric) for metric in METRICS} for number in range(SAMPLES)]
    assert (server.count, server.most_at_once <= 32) == (len(METRICS) * SAMPLES, True)


@pytest.mark.parametrize(("provider", "metrics"), [("openai", METRICS), ("anthropic", METRICS[2:])])
def test_campaign_without_patience_every_fault_has_its_own_reason(
    server: JudgeServer, provider: str, metrics: list[str]
) -> None:
    url = server.url if provider == "anthropic" else server.openai_url
    settings: dict[str, Any] = {"llm_provider": provider, "base_url": url, "max_concurrency": 32}
    server.answer = campaign = Campaign()
    impatient = suite(server, metrics=metrics, retry_deadline_s=0.0, call_timeout_s=2.0, **settings)
    report = impatient.evaluate(None, rows(SAMPLES))
    reasons = check(report, campaign)
    meant = {name: reason for name, (_, reason) in FAULTS.items()}
    if provider == "anthropic":
        meant["filtered"] = "judge_refused"  # its protocol has one word for both
    assert set(reasons) == set(meant.values())
    for number, result in enumerate(report.samples):
        for metric, score in result.scores.items():
            fate = campaign.fates[number, metric][-1]
            assert score.reason == (meant[fate] if fate else None)


def test_campaign_with_patience_only_what_the_judge_itself_said_is_lost(server: JudgeServer) -> None:
    server.answer = campaign = Campaign()
    patient = suite(server, max_concurrency=32, call_timeout_s=0.6)
    report = patient.evaluate(None, rows(SAMPLES))
    reasons = check(report, campaign)
    assert set(reasons) <= {reason for _, reason in IN_THE_REPLY.values()} | {"timeout"}
    said = sum(fates[-1] in IN_THE_REPLY for fates in campaign.fates.values())
    assert said <= sum(reasons.values()) <= said + reasons["timeout"]
