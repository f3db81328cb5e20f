"""The judge: one verdict for every ask, whatever the model does."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from muffakir_eval.errors import JudgeKeyError
from muffakir_eval.judges.cache import ReplyCache
from muffakir_eval.judges.judge import ModelJudge
from muffakir_eval.judges.limits import Limiter
from muffakir_eval.judges.prices import Meter, Price
from muffakir_eval.judges.protocol import Completion, Fault, Finish, Judge, ModelError, Prompt, Usage, Verdict
from muffakir_eval.judges.repair import RAW_LIMIT
from muffakir_eval.judges.replies import parse_reply
from muffakir_eval.judges.retry import RetryPolicy
from muffakir_eval.judges.verdicts import AskSettings
from muffakir_eval.records import FAILED_REASONS
from tests.judges.virtual_time import now, run_virtual

SECRET = "zx81-abcdefgh-3456"


class Rating(BaseModel):
    reason: str
    score: int


GOOD = '{"reason": "واضح", "score": 4}'
RATING = Rating(reason="واضح", score=4)


def said(text: str = GOOD, finish: Finish = "stop", **rest: Any) -> Completion:
    usage = rest.pop("usage", Usage(calls=1, input_tokens=100, output_tokens=10))
    return Completion(text=text, finish=finish, usage=usage, **rest)


def fault(name: Fault, retry_after_s: float | None = None) -> ModelError:
    return ModelError(name, f"it said {name}", retry_after_s=retry_after_s)


class Stuck:
    """Never answers."""


Step = Completion | Exception | Stuck


class Scripted:
    """Answers what it was given, in order, the last for ever; each answer takes a second."""

    def __init__(self, *steps: Step, lasts: float = 1.0, identity: Mapping[str, Any] | None = None) -> None:
        self.steps = steps or (said(),)
        self.lasts = lasts
        self.identity: Mapping[str, Any] = identity or {"provider": "openai", "model": "gpt-4o"}
        self.asked: list[tuple[float, Prompt, int | None]] = []
        self.running = self.peak = 0
        self.closed = False

    async def complete(self, prompt: Prompt, schema: type[BaseModel], *, max_tokens: int | None = None) -> Completion:
        self.asked.append((now(), prompt, max_tokens))
        step = self.steps[min(len(self.asked), len(self.steps)) - 1]
        self.running += 1
        self.peak = max(self.peak, self.running)
        try:
            await asyncio.sleep(math.inf if isinstance(step, Stuck) else self.lasts)
        finally:
            self.running -= 1
        if isinstance(step, Exception):
            raise step
        assert isinstance(step, Completion)
        return step

    async def aclose(self) -> None:
        self.closed = True

    @property
    def times(self) -> list[float]:
        return [time for time, _, _ in self.asked]


OpenCache = Callable[[], ReplyCache]


@pytest.fixture
def open_cache(tmp_path: Path) -> Iterator[OpenCache]:
    """Opens the one cache of a test anew, as another run would."""
    opened: list[ReplyCache] = []

    def _open() -> ReplyCache:
        opened.append(ReplyCache(tmp_path))
        return opened[-1]

    yield _open
    for cache in opened:
        cache.close()


def judge_of(model: Scripted, **rest: Any) -> ModelJudge:
    return ModelJudge(model, parse=parse_reply, **rest)


def prompt(number: int = 0, metric: str = "llm_judge_rating") -> Prompt:
    return Prompt(system="احكم", user=f"السؤال رقم {number}", metric=metric)


def ask(judge: Judge, number: int = 0) -> Verdict[Rating]:
    return run_virtual(judge.ask(prompt(number), Rating))


async def ask_all(judge: Judge, count: int) -> list[Verdict[Rating]]:
    return list(await asyncio.gather(*(judge.ask(prompt(number), Rating) for number in range(count))))


# --- replies ---


def test_a_reply() -> None:
    model = Scripted()
    judge = judge_of(model)
    verdict = ask(judge)
    assert verdict == Verdict(reply=RATING, usage=Usage(calls=1, input_tokens=100, output_tokens=10, latency_ms=1000.0))
    assert judge.meter.total()["calls"] == 1
    assert judge.identity == {"provider": "openai", "model": "gpt-4o"}
    run_virtual(judge.aclose())
    assert model.closed


@pytest.mark.parametrize(
    ("completion", "reason"),
    [
        (said("لا أستطيع", "refusal"), "judge_refused"),
        (said("", "refusal"), "judge_refused"),
        (said("", "content_filter"), "judge_filtered"),
        (said(GOOD, "content_filter"), "judge_filtered"),
        (said(""), "judge_empty"),
        (said(" \n"), "judge_empty"),
        (said("<think>لعلّه ٣</think>"), "judge_empty"),
    ],
)
def test_p29_no_usable_reply_is_not_asked_for_again(completion: Completion, reason: str, open_cache: OpenCache) -> None:
    model = Scripted(completion, said())
    verdict = ask(judge_of(model, cache=open_cache()))
    assert (verdict.reply, verdict.reason, verdict.raw) == (None, reason, completion.text)
    assert verdict.message
    assert len(model.asked) == 1


@pytest.mark.parametrize("text", ["", '{"score": ', GOOD])
def test_p29_cut_off_is_asked_once_more_with_more_room(text: str) -> None:
    model = Scripted(said(text, "length"), said())
    verdict = ask(judge_of(model, settings=AskSettings(max_tokens=500)))
    assert verdict.reply == RATING
    assert [max_tokens for _, _, max_tokens in model.asked] == [500, 2000]
    assert model.asked[0][1] == model.asked[1][1]
    assert verdict.usage.calls == 2
    assert verdict.usage.input_tokens == 200


def test_p29_cut_off_twice_is_the_end() -> None:
    model = Scripted(said('{"score": ', "length"))
    verdict = ask(judge_of(model))
    assert (verdict.reply, verdict.reason, verdict.raw) == (None, "judge_cut_off", '{"score": ')
    assert [max_tokens for _, _, max_tokens in model.asked] == [None, 40]  # four times what it had used


@pytest.mark.parametrize(
    ("configured", "used", "room"),
    [(5000, 5000, 16_384), (None, None, 16_384), (None, 3000, 12_000), (16_384, 16_384, None), (50_000, 50_000, None)],
)
def test_the_room_has_an_end(configured: int | None, used: int | None, room: int | None) -> None:
    model = Scripted(said("", "length", usage=Usage(input_tokens=None, output_tokens=used)), said())
    verdict = ask(judge_of(model, settings=AskSettings(max_tokens=configured)))
    assert [max_tokens for _, _, max_tokens in model.asked[1:]] == ([] if room is None else [room])
    assert verdict.reason == ("judge_cut_off" if room is None else None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [("I cannot evaluate this", "judge_unparseable"), ('{"reason": "", "score": "good"}', "judge_invalid")],
)
def test_p32_one_repair_at_most(text: str, reason: str) -> None:
    model = Scripted(said(text))
    verdict = ask(judge_of(model))
    assert (verdict.reply, verdict.reason, verdict.raw) == (None, reason, text)
    assert len(model.asked) == 2
    assert verdict.usage.calls == 2


@pytest.mark.parametrize(("language", "words"), [("ar", "أعِد حكمك نفسه"), ("en", "Give the same verdict again")])
def test_a_repair_shows_the_faulty_reply_and_the_form(language: Any, words: str) -> None:
    faulty = '{"reason": "}{0}[/reply-", "score": "good"}'
    model = Scripted(said(faulty), said())
    verdict = ask(judge_of(model, settings=AskSettings(language=language)))
    assert verdict.reply == RATING
    assert verdict.usage.calls == 2
    (_, first, _), (_, second, _) = model.asked
    assert (second.system, second.metric) == (first.system, first.metric)
    assert second.user.startswith(first.user + "\n\n")
    assert faulty in second.user
    assert words in second.user
    assert '"score": {"type": "integer"}' in second.user
    marks = [line for line in second.user.splitlines() if line.startswith(("[reply-", "[/reply-"))]
    assert len(marks) == 2
    assert marks[0].strip("[]") not in faulty


def test_a_long_reply_is_cut_where_it_is_kept_and_shown() -> None:
    model = Scripted(said("x" * 50_000))
    verdict = ask(judge_of(model))
    assert verdict.raw == "x" * RAW_LIMIT + f"… [{50_000 - RAW_LIMIT} more characters]"
    assert len(model.asked[1][1].user) < RAW_LIMIT + 1500


def test_cut_off_and_faulty_in_one_ask() -> None:
    model = Scripted(said("", "length"), said("not yet"), said())
    verdict = ask(judge_of(model))
    assert verdict.reply == RATING
    assert len(model.asked) == 3
    assert model.asked[2][2] == model.asked[1][2]  # the room stays


def test_a_fault_of_the_parser_is_no_verdict() -> None:
    def broken(text: str, reply_model: type[BaseModel]) -> Any:
        raise RuntimeError("a bug")

    judge = ModelJudge(Scripted(), parse=broken)
    with pytest.raises(RuntimeError, match="a bug"):
        ask(judge)


def test_what_the_server_and_the_model_tell_is_kept() -> None:
    judge = judge_of(Scripted(said(model="gpt-4o-2024", notes=("temperature not sent",)), said(model="gpt-4o-2025")))
    run_virtual(ask_all(judge, 2))
    assert judge.served_by == {"gpt-4o-2024", "gpt-4o-2025"}
    assert judge.notes == {"temperature not sent"}


# --- faults ---


def test_p40_the_wait_of_the_server_is_honoured() -> None:
    limited = fault("rate_limited", retry_after_s=7.0)
    model = Scripted(limited, limited, said(), lasts=0.0)
    verdict = ask(judge_of(model))
    assert verdict.reply == RATING
    assert model.times == [0.0, 7.0, 14.0]
    assert verdict.usage.calls == 3
    assert verdict.usage.latency_ms == 0.0  # waiting is no latency


def test_p40_all_workers_slow_down_together(caplog: pytest.LogCaptureFixture) -> None:
    model = Scripted(fault("rate_limited", retry_after_s=20.0), said(), lasts=1.0)
    with caplog.at_level(logging.WARNING, "muffakir_eval"):
        verdicts = run_virtual(ask_all(judge_of(model, limiter=Limiter(max_concurrency=4)), 12))
    assert all(verdict.reply == RATING for verdict in verdicts)
    assert model.times[:4] == [0.0] * 4
    assert min(model.times[4:]) == 21.0
    assert caplog.messages == [
        "judge: it said rate_limited; all calls wait 20.0 s (the server asks for 20 s)",
    ]


def test_p40_a_wait_beyond_the_deadline_gives_up_at_once_and_the_others_go_on() -> None:
    async def main() -> tuple[list[Verdict[Rating]], float]:
        return await ask_all(judge_of(model), 3), now()

    model = Scripted(fault("rate_limited", retry_after_s=300.0), said(), lasts=1.0)
    verdicts, ended = run_virtual(main())
    assert [verdict.reason for verdict in verdicts] == ["rate_limited", None, None]
    assert "asks for 300 s" in (verdicts[0].message or "")
    assert ended == 1.0


def test_p40_overloaded_five_times() -> None:
    model = Scripted(*[fault("overloaded")] * 5, said())
    assert ask(judge_of(model)).reply == RATING


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("rate_limited", "rate_limited"),
        ("overloaded", "rate_limited"),
        ("timeout", "timeout"),
        ("connection", "judge_unavailable"),
        ("server_error", "judge_unavailable"),
    ],
)
def test_patience_has_an_end(name: Fault, reason: str) -> None:
    async def main() -> float:
        verdict = await judge_of(model, retry=RetryPolicy(deadline_s=100.0)).ask(prompt(), Rating)
        assert (verdict.reply, verdict.reason) == (None, reason)
        assert "given up" in (verdict.message or "")
        assert verdict.usage.calls == len(model.asked) > 1
        return now()

    model = Scripted(fault(name))
    assert run_virtual(main()) <= 102.0


@pytest.mark.parametrize(("name", "reason"), [("bad_request", "judge_bad_request"), ("unknown", "judge_unavailable")])
def test_what_will_not_get_better_is_not_tried_again(name: Fault, reason: str) -> None:
    model = Scripted(fault(name))
    verdict = ask(judge_of(model))
    assert (verdict.reason, verdict.message) == (reason, f"it said {name}")
    assert len(model.asked) == 1


def test_a_dropped_connection_holds_up_nobody_else() -> None:
    model = Scripted(fault("connection"), said(), lasts=0.0)
    run_virtual(ask_all(judge_of(model, retry=RetryPolicy(base_s=50.0)), 3))
    assert model.times[:3] == [0.0] * 3
    assert 25.0 <= model.times[3] <= 50.0


def test_a_dead_server_is_waited_for_once_and_not_by_every_ask() -> None:
    async def main() -> float:
        judge = judge_of(model, limiter=Limiter(max_concurrency=2), retry=RetryPolicy(deadline_s=100.0))
        verdicts = await ask_all(judge, 40)
        assert {verdict.reason for verdict in verdicts} == {"judge_unavailable"}
        return now()

    model = Scripted(fault("connection"), lasts=0.1)
    assert run_virtual(main()) < 110.0


def test_p42_one_stuck_call_ends_and_holds_up_nobody() -> None:
    async def main() -> tuple[list[Verdict[Rating]], float]:
        judge = judge_of(model, limiter=Limiter(max_concurrency=2), settings=AskSettings(call_timeout_s=30.0))
        return await ask_all(judge, 10), now()

    model = StuckOn("السؤال رقم 9")
    verdicts, ended = run_virtual(main())
    assert [verdict.reason for verdict in verdicts] == [None] * 9 + ["timeout"]
    assert verdicts[9].message == "no reply within 30 s; given up after 2 calls"
    assert ended < 70.0


class StuckOn(Scripted):
    def __init__(self, user: str) -> None:
        super().__init__()
        self.user = user

    async def complete(self, prompt: Prompt, schema: type[BaseModel], *, max_tokens: int | None = None) -> Completion:
        if prompt.user == self.user:
            await asyncio.sleep(math.inf)
        return await super().complete(prompt, schema, max_tokens=max_tokens)


def test_the_deadline_also_ends_waiting_for_the_allowance() -> None:
    judge = judge_of(
        Scripted(fault("connection"), said()),
        limiter=Limiter(requests_per_minute=1),
        retry=RetryPolicy(deadline_s=20.0),
    )
    assert ask(judge).reason == "judge_unavailable"


def test_a_time_out_inside_the_model_is_the_models() -> None:
    judge = judge_of(Scripted(TimeoutError("not ours")))
    with pytest.raises(TimeoutError, match="not ours"):
        ask(judge)
    assert judge.meter.total()["failed_calls"] == 1


def test_the_calls_behind_an_error_are_counted() -> None:
    model = Scripted(ModelError("bad_request", "no", calls=3))
    assert ask(judge_of(model)).usage.calls == 3


# --- the key of the provider ---


def test_a_rejected_key_ends_everything_at_once() -> None:
    async def main() -> list[BaseException | Verdict[Rating]]:
        judge = judge_of(model, limiter=Limiter(max_concurrency=3, requests_per_minute=60))
        ended = await asyncio.gather(
            *(judge.ask(prompt(number), Rating) for number in range(20)), return_exceptions=True
        )
        assert now() == 1.5
        with pytest.raises(JudgeKeyError):
            await judge.ask(prompt(99), Rating)
        return ended

    model = Scripted(said(), ModelError("rejected_key", "401: invalid key."), lasts=0.5)
    done, *ended = run_virtual(main())
    assert isinstance(done, Verdict)
    assert done.reply == RATING
    assert len(ended) == 19
    assert all(isinstance(error, JudgeKeyError) for error in ended)
    assert len({id(error) for error in ended}) == 19
    assert str(ended[0]).startswith("judge openai gpt-4o: the provider rejects the key (401: invalid key).")
    assert len(model.asked) == 2


def test_no_secret_in_a_verdict_a_message_or_the_log(caplog: pytest.LogCaptureFixture) -> None:
    echo = f"Incorrect API key provided: {SECRET}, that is zx81****3456"
    options = AskSettings(secrets=(SECRET, ""))
    with caplog.at_level(logging.DEBUG, "muffakir_eval"):
        verdicts = [
            ask(judge_of(Scripted(step), settings=options, retry=RetryPolicy(deadline_s=3.0)))
            for step in (
                said(echo),
                ModelError("bad_request", echo),
                ModelError("connection", echo),
                ModelError("rate_limited", echo),
            )
        ]
        with pytest.raises(JudgeKeyError) as caught:
            ask(judge_of(Scripted(ModelError("rejected_key", echo)), settings=options))
    shown = "\n".join([*map(repr, verdicts), *caplog.messages, str(caught.value), repr(caught.value.__dict__)])
    assert "Incorrect API key provided" in shown
    for part in (SECRET, "zx81", "3456", "abcdefgh"):
        assert part not in shown
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


# --- the cache ---


def test_a_second_run_makes_no_call(open_cache: OpenCache) -> None:
    first, second = Scripted(), Scripted(fault("unknown"))
    run_virtual(ask_all(judge_of(first, cache=open_cache()), 5))
    judge = judge_of(second, cache=open_cache())
    assert judge.is_cached(prompt(4), Rating)
    assert not judge.is_cached(prompt(4), Rating, repeat=1)
    assert not judge.is_cached(prompt(5), Rating)
    verdicts = run_virtual(ask_all(judge, 5))
    assert verdicts == [Verdict(reply=RATING, usage=Usage(cached=1))] * 5
    assert (len(first.asked), len(second.asked)) == (5, 0)
    total = judge.meter.total()
    assert (total["calls"], total["cached"], total["input_tokens"]) == (0, 5, 0)
    run_virtual(judge.aclose())


def test_without_a_cache_nothing_is_cached() -> None:
    assert not judge_of(Scripted()).is_cached(prompt(), Rating)


def test_another_judge_is_never_answered_from_the_cache(open_cache: OpenCache) -> None:
    ask(judge_of(Scripted(), cache=open_cache()))
    other = Scripted(identity={"provider": "openai", "model": "gpt-4o-mini"})
    ask(judge_of(other, cache=open_cache()))
    assert len(other.asked) == 1


@pytest.mark.parametrize(
    "completion",
    [said("", "refusal"), said(GOOD, "length"), said("", "content_filter"), said(""), said("no"), said('{"score": 9}')],
)
def test_p56_no_failure_is_kept(completion: Completion, open_cache: OpenCache) -> None:
    assert ask(judge_of(Scripted(completion), cache=open_cache())).reply is None
    again = Scripted()
    assert ask(judge_of(again, cache=open_cache())).reply == RATING
    assert len(again.asked) == 1


def test_p56_repeats_are_real_calls(open_cache: OpenCache) -> None:
    def rating(score: int) -> Completion:
        return said(json.dumps({"reason": "", "score": score}))

    async def repeats(judge: ModelJudge) -> list[int]:
        verdicts = [await judge.ask(prompt(), Rating, repeat=repeat) for repeat in range(4)]
        return [verdict.reply.score for verdict in verdicts if verdict.reply is not None]

    model = Scripted(rating(2), rating(4), rating(2), rating(4))
    assert run_virtual(repeats(judge_of(model, cache=open_cache()))) == [2, 4, 2, 4]
    assert len(model.asked) == 4
    again = Scripted()
    assert run_virtual(repeats(judge_of(again, cache=open_cache()))) == [2, 4, 2, 4]
    assert again.asked == []


def test_a_mended_reply_is_kept_under_the_first_request(open_cache: OpenCache) -> None:
    ask(judge_of(Scripted(said("no"), said()), cache=open_cache()))
    again = Scripted()
    assert ask(judge_of(again, cache=open_cache())).reply == RATING
    assert again.asked == []


def test_a_kept_reply_that_can_no_longer_be_read_is_asked_for_anew(open_cache: OpenCache) -> None:
    def strict(text: str, reply_model: type[BaseModel]) -> Any:
        if text == GOOD:
            error = ValueError("stricter now")
            error.reason = "judge_invalid"  # type: ignore[attr-defined]
            raise error
        return parse_reply(text, reply_model)

    ask(judge_of(Scripted(), cache=open_cache()))
    model = Scripted(said('{"reason": "", "score": 1}'))
    judge = ModelJudge(model, parse=strict, cache=open_cache())
    assert ask(judge).reply == Rating(reason="", score=1)
    assert len(model.asked) == 1


def test_a_reply_that_holds_a_secret_is_used_and_kept_without_it(tmp_path: Path, open_cache: OpenCache) -> None:
    cache = open_cache()
    leaking = said(json.dumps({"reason": f"المفتاح {SECRET}", "score": 4}))
    judge = judge_of(Scripted(leaking), cache=cache, settings=AskSettings(secrets=(SECRET,)))
    assert ask(judge).reply == Rating(reason="المفتاح ***", score=4)
    assert ask(judge).usage.cached == 1
    cache.close()
    assert not any(SECRET.encode() in path.read_bytes() for path in tmp_path.iterdir())


def test_a_placeholder_for_a_key_is_no_secret(open_cache: OpenCache) -> None:
    judge = judge_of(
        Scripted(said('{"reason": "none", "score": 4}')), cache=open_cache(), settings=AskSettings(secrets=("none",))
    )
    assert ask(judge).reply == Rating(reason="none", score=4)
    assert ask(judge).usage.cached == 1


def test_what_a_model_learns_on_the_way_does_not_change_the_keys(open_cache: OpenCache) -> None:
    first = Scripted(identity={"model": "o", "temperature": 0.0})
    judge = judge_of(first, cache=open_cache())
    ask(judge)
    first.identity = {"model": "o", "temperature": None}
    ask(judge, 1)
    again = Scripted(identity={"model": "o", "temperature": 0.0})
    run_virtual(ask_all(judge_of(again, cache=open_cache()), 2))
    assert again.asked == []


# --- the ceiling ---


def dear(budget_usd: float) -> Meter:
    """A call costs 110 dollars."""
    return Meter(Price(input=1e6, output=1e6), budget_usd=budget_usd)


def test_the_ceiling_stops_cleanly() -> None:
    judge = judge_of(Scripted(), meter=dear(330.0), limiter=Limiter(max_concurrency=1))
    verdicts = run_virtual(ask_all(judge, 6))
    assert [verdict.reason for verdict in verdicts] == [None] * 3 + ["over_budget"] * 3
    assert verdicts[3].message == "330.0000 of 330.0000 USD are spent"
    assert judge.meter.total()["cost_usd"] == 330.0
    assert ask(judge, 7).reason == "over_budget"


def test_calls_that_are_running_end() -> None:
    judge = judge_of(Scripted(), meter=dear(110.0), limiter=Limiter(max_concurrency=4))
    verdicts = run_virtual(ask_all(judge, 6))
    assert [verdict.reason for verdict in verdicts] == [None] * 4 + ["over_budget"] * 2


def test_no_repair_over_the_ceiling() -> None:
    model = Scripted(said("no"))
    verdict = ask(judge_of(model, meter=dear(100.0)))
    assert (verdict.reason, verdict.raw, verdict.usage.calls) == ("over_budget", "no", 1)


def test_what_is_cached_is_free_over_the_ceiling(open_cache: OpenCache) -> None:
    ask(judge_of(Scripted(), cache=open_cache()))
    judge = judge_of(Scripted(), cache=open_cache(), meter=dear(10.0))
    assert ask(judge, 1).reply == RATING
    assert ask(judge, 2).reason == "over_budget"
    assert ask(judge).reply == RATING


def test_calls_are_counted_by_metric() -> None:
    async def main() -> None:
        await judge.ask(prompt(metric="faithfulness"), Rating)
        await judge.ask(prompt(metric="llm_judge_rating"), Rating)

    judge = judge_of(Scripted(said("no"), said()))
    run_virtual(main())
    assert {name: figures["calls"] for name, figures in judge.meter.by_metric().items()} == {
        "faithfulness": 2,
        "llm_judge_rating": 1,
    }


def test_tokens_per_minute_reckon_with_what_the_server_counted() -> None:
    model = Scripted(said(usage=Usage(input_tokens=1900, output_tokens=100)), lasts=0.0)
    run_virtual(ask_all(judge_of(model, limiter=Limiter(max_concurrency=1, tokens_per_minute=6000)), 4))
    # The first leaves a debt of 1,900 in a bucket of 100 that fills by 100 a second.
    assert model.times == pytest.approx([0.0, 20.0, 40.0, 60.0])


# --- the end ---


def test_cancelled_asks_leave_nothing_behind(open_cache: OpenCache) -> None:
    async def main() -> float:
        judge = judge_of(model, cache=open_cache(), limiter=Limiter(max_concurrency=2))
        tasks = [asyncio.create_task(judge.ask(prompt(number), Rating)) for number in range(6)]
        await asyncio.sleep(1.5)
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert [isinstance(end, Verdict) for end in ended] == [True] * 2 + [False] * 4
        assert model.running == 0
        started = now()
        await ask_all(judge, 4)
        await judge.aclose()
        return now() - started

    model = Scripted()
    assert run_virtual(main()) == 1.0  # two from the cache, two at once
    assert len(model.asked) == 6


STEPS: Sequence[Callable[[], Step]] = (
    said,
    lambda: said("", "length"),
    lambda: said("", "refusal"),
    lambda: said("", "content_filter"),
    lambda: said(""),
    lambda: said("I cannot evaluate this"),
    lambda: said('{"reason": "", "score": null}'),
    lambda: fault("rate_limited", 3.0),
    lambda: fault("rate_limited"),
    lambda: fault("rate_limited", 3000.0),
    lambda: fault("overloaded"),
    lambda: fault("timeout"),
    lambda: fault("connection"),
    lambda: fault("server_error"),
    lambda: fault("bad_request"),
    lambda: fault("unknown"),
    Stuck,
)


class Moody(Scripted):
    """Draws its answers; what it answers well is always the same."""

    def __init__(self, seed: int, share: float) -> None:
        super().__init__()
        self.rng = random.Random(seed)
        self.share = share

    async def complete(self, prompt: Prompt, schema: type[BaseModel], *, max_tokens: int | None = None) -> Completion:
        bad = self.rng.random() < self.share
        step = self.rng.choice(STEPS)() if bad else said()
        self.steps = (step,)
        return await super().complete(prompt, schema, max_tokens=max_tokens)


@given(st.integers(0, 2**32), st.floats(0.0, 1.0), st.integers(1, 6), st.sampled_from([None, 30.0]))
@settings(max_examples=60, deadline=None)
def test_every_ask_ends_in_one_verdict(seed: int, share: float, places: int, requests_per_minute: float | None) -> None:
    model = Moody(seed, share)
    judge = judge_of(
        model,
        limiter=Limiter(max_concurrency=places, requests_per_minute=requests_per_minute),
        retry=RetryPolicy(deadline_s=60.0),
        settings=AskSettings(call_timeout_s=20.0),
    )
    verdicts = run_virtual(ask_all(judge, 25))
    assert len(verdicts) == 25
    assert model.peak <= places
    assert model.running == 0
    for verdict in verdicts:
        assert (verdict.reply is None) != (verdict.reason is None)
        assert verdict.reason is None or verdict.reason in FAILED_REASONS
        assert verdict.reply is None or verdict.reply == RATING
        assert verdict.reply is None or verdict.raw is None
        assert verdict.reply is not None or verdict.message
    assert sum(verdict.usage.calls for verdict in verdicts) == len(model.asked) == judge.meter.total()["calls"]


@given(st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_the_same_seed_takes_the_same_course(seed: int) -> None:
    def course() -> list[float]:
        model = Moody(seed, 0.5)
        run_virtual(ask_all(judge_of(model, limiter=Limiter(max_concurrency=3)), 10))
        return model.times

    assert course() == course()
