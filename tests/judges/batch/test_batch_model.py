"""Both batch interfaces through the real SDKs, against a server on this machine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.errors import ConfigError, JudgeError, JudgeKeyError
from muffakir_eval.judges.batch.journal import BATCHES, Journal
from muffakir_eval.judges.batch.making import batched
from muffakir_eval.judges.batch.model import BatchModel
from muffakir_eval.judges.judge import ModelJudge
from muffakir_eval.judges.making import make_judge
from muffakir_eval.judges.models import make_model
from muffakir_eval.judges.protocol import Prompt, Verdict
from muffakir_eval.judges.reply_models import RatingReply
from tests.judges.answers import Answer, Says, Seen, drops, fails, refuses_temperature
from tests.judges.batch.server import BatchServer, Fate

BOTH = pytest.mark.parametrize("provider", ["openai", "anthropic"])
KEY = "zq7Rk2Wm9Xv4Tb6Yn3Lp8Hd5"


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with BatchServer(lambda seen: {"reason": "ok", "score": int(seen.user.split()[1]) % 5 + 1}) as running:
        yield running


class Run:
    """One part of a run: a judge, its model and the folder of its batches."""

    def __init__(self, server: BatchServer, folder: Path, provider: str = "openai", **settings: Any) -> None:
        address = server.openai_url if provider == "openai" else server.url
        self.config = EvaluationConfig.from_mapping(
            {
                "judge_mode": "batch",
                "llm_provider": provider,
                "llm_model": "judge-1",
                "api_key": KEY,
                "llm_base_url": address,
                "batch_poll_s": 0.06,
                "cache_dir": None,
                **settings,
            }
        )
        self.folder = folder
        self.said: list[str] = []
        self.model: BatchModel = batched(self.config, make_model(self.config))
        self.judge: ModelJudge = make_judge(self.config, self.model, secrets=[KEY])

    def open(self, run_id: str = "run") -> Journal:
        journal = Journal(self.folder / BATCHES, run_id)
        self.model.open(journal, self.said.append)
        return journal

    async def ask(self, *numbers: int, repeat: int = 0) -> list[Verdict[Any]]:
        prompts = [Prompt(system="قيّم", user=f"السؤال {number}", metric="rating") for number in numbers]
        asked = (self.judge.ask(prompt, RatingReply, repeat=repeat) for prompt in prompts)
        return list(await asyncio.gather(*asked))

    def asked(self, *numbers: int) -> list[Verdict[Any]]:
        """Open, ask, close."""

        async def work() -> list[Verdict[Any]]:
            self.open()
            try:
                return await self.ask(*numbers)
            finally:
                await self.judge.aclose()

        return asyncio.run(work())


def scores(verdicts: list[Verdict[Any]]) -> list[int | None]:
    return [None if each.reply is None else each.reply.score for each in verdicts]


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / BATCHES).read_text(encoding="utf-8").splitlines()]


@BOTH
def test_requests_go_together_and_every_one_gets_its_reply(server: BatchServer, tmp_path: Path, provider: str) -> None:
    run = Run(server, tmp_path, provider)
    verdicts = run.asked(*range(12))
    assert scores(verdicts) == [number % 5 + 1 for number in range(12)]
    assert [len(batch.requests) for batch in server.batches] == [12]
    assert verdicts[0].served_by == "judge-1"
    total = run.judge.meter.total()
    assert (total["calls"], total["failed_calls"], total["input_tokens"], total["output_tokens"]) == (12, 0, 1200, 240)
    assert [line["kind"] for line in lines(tmp_path)] == ["batches", "intent", "sent", "end"]
    name = server.batches[0].name
    assert run.said[0] == f"Batch {name}: 12 requests are sent."
    assert "start the same run again" in run.said[1]
    assert run.said[2:] == [f"Batch {name}: has ended."]


@BOTH
def test_a_request_in_a_batch_is_the_one_that_is_sent_alone(server: BatchServer, tmp_path: Path, provider: str) -> None:
    settings = {"llm_temperature": 0.3, "llm_max_tokens": 300, "llm_parameters": {"metadata": {"a": "b"}, "seed": 7}}
    run = Run(server, tmp_path, provider, **settings)
    run.asked(3)
    live = run.config.model_copy(update={"judge_mode": "live"})
    server.forget()
    judge = make_judge(live, make_model(live))

    async def work() -> None:
        await judge.ask(Prompt(system="قيّم", user="السؤال 3", metric="rating"), RatingReply)
        await judge.aclose()

    asyncio.run(work())
    assert server.batches[0].requests[0]["params"] == server.requests[-1].body


@BOTH
def test_batches_are_split_at_the_number_of_requests(server: BatchServer, tmp_path: Path, provider: str) -> None:
    verdicts = Run(server, tmp_path, provider, batch_max_requests=5).asked(*range(12))
    assert sorted(len(batch.requests) for batch in server.batches) == [2, 5, 5]
    assert None not in scores(verdicts)


@BOTH
def test_batches_are_split_at_the_number_of_bytes(server: BatchServer, tmp_path: Path, provider: str) -> None:
    one = Run(server, tmp_path / "a", provider)
    one.folder.mkdir()
    one.asked(0)
    size = len(json.dumps(server.batches[0].requests[0]["params"], ensure_ascii=False).encode()) + 150
    server.most_bytes = 4 * size
    server.calls.clear()
    server.batches.clear()
    two = Run(server, tmp_path / "b", provider, batch_max_bytes=4 * size)
    two.folder.mkdir()
    assert None not in scores(two.asked(*range(10)))
    assert [len(batch.requests) for batch in server.batches] in ([3, 3, 3, 1], [4, 4, 2])
    assert sum(call.startswith("POST") for call in server.calls) == len(server.batches) * (1 + (provider == "openai"))


@BOTH
def test_a_server_that_takes_less_than_it_should_gets_smaller_batches(
    server: BatchServer, tmp_path: Path, provider: str
) -> None:
    server.most_bytes = 6_000
    assert None not in scores(Run(server, tmp_path, provider).asked(*range(20)))
    assert max(len(batch.requests) for batch in server.batches) < 20
    assert set(server.billed.values()) == {1}


FAULTS: dict[int, tuple[Any, str | None, int]] = {
    0: ({"reason": "", "score": 4}, None, 1),
    1: (fails(500), "judge_unavailable", 3),
    2: (fails(400, "the text is too odd"), "judge_bad_request", 1),
    3: (fails(429, "slow down"), "rate_limited", 3),
    4: (Says("", finish="refusal", refusal="لا أستطيع"), "judge_refused", 1),
    5: ("لا رأي لي", "judge_unparseable", 2),
    6: ({"score": 85}, "judge_invalid", 2),
    7: ("", "judge_empty", 1),
    8: (Says('{"reason": "', finish="length"), "judge_cut_off", 2),
    9: (fails(529, "overloaded"), "rate_limited", 3),
}
"""By number of the question: what the server says, the reason, and the calls that it takes."""


@BOTH
def test_every_failure_has_the_reason_that_it_would_have_alone(
    server: BatchServer, tmp_path: Path, provider: str
) -> None:
    server.answer = lambda seen: FAULTS[int(seen.user.split()[1])][0]
    verdicts = Run(server, tmp_path, provider).asked(*FAULTS)
    assert [each.reason for each in verdicts] == [reason for _, reason, _ in FAULTS.values()]
    assert [each.usage.calls for each in verdicts] == [calls for _, _, calls in FAULTS.values()]
    assert [len(batch.requests) for batch in server.batches] == [10, 6, 3]


@BOTH
def test_what_failed_once_is_asked_again_in_the_next_batch(server: BatchServer, tmp_path: Path, provider: str) -> None:
    failing = {2, 5}

    def answer(seen: Seen) -> Any:
        number = int(seen.user.split()[1])
        if number in failing:
            failing.discard(number)
            return fails(500)
        return {"reason": "", "score": 3}

    server.answer = answer
    run = Run(server, tmp_path, provider)
    assert scores(run.asked(*range(8))) == [3] * 8
    assert [len(batch.requests) for batch in server.batches] == [8, 2]
    assert run.judge.meter.total()["failed_calls"] == 2


@BOTH
def test_a_parameter_that_the_model_refuses_is_left_out_of_the_next_batch(
    server: BatchServer, tmp_path: Path, provider: str
) -> None:
    server.rules.append(refuses_temperature)
    run = Run(server, tmp_path, provider, llm_temperature=0.5)
    verdicts = run.asked(1, 2, 3)
    assert scores(verdicts) == [2, 3, 4]
    assert [len(batch.requests) for batch in server.batches] == [3, 3]
    assert run.judge.notes == {"temperature not sent: the model refuses it"}


@BOTH
def test_what_a_batch_did_not_come_to_before_it_expired_goes_into_the_next(
    server: BatchServer, tmp_path: Path, provider: str
) -> None:
    server.fates.append(Fate(done=4, end="expired"))
    assert None not in scores(Run(server, tmp_path, provider).asked(*range(10)))
    assert [len(batch.requests) for batch in server.batches] == [10, 6]
    assert set(server.billed.values()) == {1}


@BOTH
def test_what_always_expires_is_a_timeout(server: BatchServer, tmp_path: Path, provider: str) -> None:
    server.fates.extend([Fate(done=1, end="expired"), Fate(done=0, end="expired")])
    verdicts = Run(server, tmp_path, provider, batch_tries=2).asked(0, 1)
    assert [each.reason for each in verdicts] == [None, "timeout"]
    assert "expired" in str(verdicts[1].message)


@BOTH
def test_a_batch_that_somebody_cancelled_is_not_sent_again(server: BatchServer, tmp_path: Path, provider: str) -> None:
    server.fates.append(Fate(done=2, end="cancelled"))
    verdicts = Run(server, tmp_path, provider).asked(0, 1, 2, 3)
    assert [each.reason for each in verdicts] == [None, None, "judge_unavailable", "judge_unavailable"]
    assert "was cancelled at the provider" in str(verdicts[2].message)
    assert len(server.batches) == 1


@BOTH
def test_a_request_that_the_results_say_nothing_of_is_asked_again(
    server: BatchServer, tmp_path: Path, provider: str
) -> None:
    server.fates.append(Fate(lost=(1,)))
    assert scores(Run(server, tmp_path, provider).asked(0, 1, 2)) == [1, 2, 3]
    assert [len(batch.requests) for batch in server.batches] == [3, 1]


@BOTH
def test_polling_goes_on_through_faults(server: BatchServer, tmp_path: Path, provider: str) -> None:
    look = "GET /batches/" if provider == "openai" else "GET /messages/batches/"
    server.takes_s = 0.05
    server.hiccup(look, fails(429, retry_after="0.01"), fails(500), drops("before_headers"), fails(529))
    assert None not in scores(Run(server, tmp_path, provider).asked(0, 1, 2))
    assert len(server.batches) == 1
    assert not server.hiccups


@BOTH
def test_results_that_break_off_are_fetched_again(server: BatchServer, tmp_path: Path, provider: str) -> None:
    results = "GET /files/batch_0-output" if provider == "openai" else "GET /messages/batches/msgbatch_0/results"
    run = Run(server, tmp_path, provider)
    broken = Answer(body=b'{"custom_id": "me-x-1", "resu', drop="half_body")
    server.hiccup(results, broken, drops("after_headers"))
    assert None not in scores(run.asked(*range(6)))
    assert len(server.batches) == 1


@BOTH
def test_an_answer_that_is_lost_does_not_have_a_batch_sent_twice(
    server: BatchServer, tmp_path: Path, provider: str
) -> None:
    create = "POST /batches" if provider == "openai" else "POST /messages/batches"
    server.hiccup(create, drops("before_headers"))
    assert None not in scores(Run(server, tmp_path, provider).asked(*range(6)))
    assert len(server.batches) == 1
    assert set(server.billed.values()) == {1}


@BOTH
def test_sending_waits_where_the_server_is_busy(server: BatchServer, tmp_path: Path, provider: str) -> None:
    create = "POST /batches" if provider == "openai" else "POST /messages/batches"
    server.hiccup(create, fails(429, retry_after="0.02"), fails(503))
    assert None not in scores(Run(server, tmp_path, provider).asked(*range(3)))
    assert len(server.batches) == 1


@BOTH
def test_a_rejected_key_stops_the_run(server: BatchServer, tmp_path: Path, provider: str) -> None:
    server.hiccup("POST", fails(401, f"invalid api key {KEY}"))
    with pytest.raises(JudgeKeyError, match="rejects the key") as raised:
        Run(server, tmp_path, provider).asked(0, 1)
    assert KEY not in str(raised.value)
    assert server.batches == []


@BOTH
def test_a_server_without_batches_says_what_to_do(server: BatchServer, tmp_path: Path, provider: str) -> None:
    server.hiccup("POST", fails(404, "no such place"))
    with pytest.raises(JudgeError, match=r"takes no batches.*set judge_mode to 'live'"):
        Run(server, tmp_path, provider).asked(0)


def test_a_batch_that_openai_refuses_for_want_of_room_goes_later(server: BatchServer, tmp_path: Path) -> None:
    full = Fate(refusal=("token_limit_exceeded", "Enqueued token limit reached"))
    server.takes_s = 0.5
    server.fates.extend([Fate(), full])
    run = Run(server, tmp_path, batch_max_requests=6)
    assert None not in scores(run.asked(*range(12)))
    assert [len(batch.requests) for batch in server.batches] == [6, 6, 6]
    assert any("refused for want of room" in line for line in run.said)
    assert set(server.billed.values()) == {1}


def test_a_batch_that_is_too_much_by_itself_is_halved(server: BatchServer, tmp_path: Path) -> None:
    server.fates.append(Fate(refusal=("token_limit_exceeded", "Enqueued token limit reached")))
    assert None not in scores(Run(server, tmp_path).asked(*range(9)))
    assert [len(batch.requests) for batch in server.batches] == [9, 5, 4]


def test_lines_that_openai_finds_fault_with_fail_and_the_others_go_on(server: BatchServer, tmp_path: Path) -> None:
    server.fates.append(Fate(refusal=("invalid_value", "this line is odd"), lines=(2,)))
    verdicts = Run(server, tmp_path).asked(0, 1, 2)
    assert [each.reason for each in verdicts].count("judge_bad_request") == 1
    assert [len(batch.requests) for batch in server.batches] == [3, 2]


def test_a_batch_that_is_refused_as_a_whole_fails_as_a_whole(server: BatchServer, tmp_path: Path) -> None:
    server.fates.append(Fate(refusal=("model_not_found", "this model takes no batches")))
    verdicts = Run(server, tmp_path).asked(0, 1)
    assert [each.reason for each in verdicts] == ["judge_bad_request"] * 2
    assert "this model takes no batches" in str(verdicts[0].message)


def test_azure_is_spoken_to_as_it_wants_it(server: BatchServer, tmp_path: Path) -> None:
    run = Run(server, tmp_path, "azure_openai")
    assert scores(run.asked(1, 2)) == [2, 3]
    assert {seen.headers.get("api-key") for seen in server.requests} == {KEY}
    assert all("api-version=" in seen.path for seen in server.requests)


def test_a_model_that_no_run_has_opened_says_so(server: BatchServer, tmp_path: Path) -> None:
    run = Run(server, tmp_path)

    async def work() -> None:
        with run.model.asking():
            pass
        assert await run.model.interrupted(cancel=True) == []
        await run.ask(1)

    with pytest.raises(JudgeError, match="there is no run that could keep the batches"):
        asyncio.run(work())


def test_a_judge_that_is_asked_live_is_not_made_for_batches(server: BatchServer, tmp_path: Path) -> None:
    config = Run(server, tmp_path).config
    with pytest.raises(ConfigError, match="this judge is asked one question at a time"):
        make_judge(config, make_model(config))


@BOTH
def test_half_a_pair_of_surrogates_spoils_no_batch(server: BatchServer, tmp_path: Path, provider: str) -> None:
    run = Run(server, tmp_path, provider)

    async def work() -> list[Verdict[Any]]:
        run.open()
        odd = Prompt(system="قيّم", user="السؤال 1 \ud83d و\ud83d\ude00", metric="rating")
        whole = Prompt(system="قيّم", user="السؤال 2", metric="rating")
        found = await asyncio.gather(*(run.judge.ask(each, RatingReply) for each in (odd, whole)))
        await run.judge.aclose()
        return list(found)

    assert scores(asyncio.run(work())) == [2, 3]
    sent = json.dumps(server.batches[0].requests, ensure_ascii=False)
    assert "السؤال 1 \ufffd و\U0001f600" in sent


def test_azure_waits_until_a_file_is_processed(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("muffakir_eval.judges.batch.openai_carrier._FILE_POLL_S", 0.01)
    waiting = {"id": "file-0", "object": "file", "bytes": 1, "created_at": 0, "filename": "f", "purpose": "batch"}
    server.hiccup("GET /files/file-0", Answer(body=json.dumps({**waiting, "status": "pending"}).encode()))
    assert scores(Run(server, tmp_path, "azure_openai").asked(1)) == [2]
    assert server.calls.count("GET /files/file-0") == 2


@BOTH
@pytest.mark.parametrize("told", [{}, {"id": 7}])
def test_a_server_that_only_looks_like_one_is_found_out(
    server: BatchServer, tmp_path: Path, provider: str, told: dict[str, Any]
) -> None:
    server.hiccup("POST", Answer(body=json.dumps(told).encode()))
    with pytest.raises(JudgeError, match="does not speak"):
        Run(server, tmp_path, provider).asked(1)


@BOTH
def test_an_unknown_status_is_looked_at_again(server: BatchServer, tmp_path: Path, provider: str) -> None:
    server.odd_status = 2
    assert scores(Run(server, tmp_path, provider).asked(1)) == [2]
    assert server.odd_status == 0


def test_a_stranger_of_the_same_size_is_not_taken_for_ours(server: BatchServer, tmp_path: Path) -> None:
    """Anthropic's list says nothing of whose a batch is."""
    server.takes_s = 0.1
    strange, other = tmp_path / "strange", tmp_path / "own"
    strange.mkdir()
    other.mkdir()
    Run(server, strange, "anthropic").asked(1, 2)
    server.hiccup("POST /messages/batches", drops("before_headers"))
    server.batches[0].created += 1
    assert scores(Run(server, other, "anthropic").asked(3, 4)) == [4, 5]
    assert len(server.batches) == 2


@BOTH
def test_batches_from_long_ago_are_not_searched(server: BatchServer, tmp_path: Path, provider: str) -> None:
    create = "POST /batches" if provider == "openai" else "POST /messages/batches"
    old = tmp_path / "old"
    old.mkdir()
    Run(server, old, provider).asked(1, 2)
    server.batches[0].created -= 1e6
    server.hiccup(create, fails(500))
    assert scores(Run(server, tmp_path, provider).asked(1, 2)) == [2, 3]
    assert len(server.batches) == 2


@BOTH
def test_ctrl_c_can_cancel_the_batches(server: BatchServer, tmp_path: Path, provider: str) -> None:
    server.takes_s = 60.0
    run = Run(server, tmp_path, provider)

    async def interrupted() -> list[str]:
        run.open()
        task = asyncio.create_task(run.ask(*range(4)))
        while not any(call.startswith("GET") for call in server.calls):  # noqa: ASYNC110 - in another thread
            await asyncio.sleep(0.01)
        notes = await run.model.interrupted(cancel=True)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await run.judge.aclose()
        return notes

    assert [note.split(";")[0] for note in asyncio.run(interrupted())] == [
        f"batch {server.batches[0].name} is cancelled"
    ]
    assert server.batches[0].cancelled
    server.takes_s = 0.0
    assert scores(Run(server, tmp_path, provider).asked(*range(4))) == [1, 2, 3, 4]
    assert [len(batch.requests) for batch in server.batches] == [4, 2]
    assert set(server.billed.values()) == {1}


@BOTH
def test_what_is_in_a_batch_is_taken_though_the_budget_is_spent(
    server: BatchServer, tmp_path: Path, provider: str
) -> None:
    prices = {"input": 10.0, "output": 10.0}
    server.takes_s = 60.0
    first = Run(server, tmp_path, provider, prices=prices)

    async def killed() -> None:
        first.open()
        task = asyncio.create_task(first.ask(0, 1, 2))
        while not any(call.startswith("GET") for call in server.calls):  # noqa: ASYNC110 - in another thread
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await first.judge.aclose()

    async def resumed() -> list[Verdict[Any]]:
        second = Run(server, tmp_path, provider, prices=prices, budget_usd=1e-6)
        second.open()
        found = await second.ask(0) + await second.ask(1, 2) + await second.ask(3)
        await second.judge.aclose()
        return found

    asyncio.run(killed())
    server.takes_s = 0.0
    verdicts = asyncio.run(resumed())
    assert scores(verdicts) == [1, 2, 3, None]
    assert verdicts[3].reason == "over_budget"
    assert len(server.batches) == 1


def test_a_batch_that_was_refused_is_sent_anew_by_a_resumed_run(server: BatchServer, tmp_path: Path) -> None:
    """Nothing of it was billed, and the cause may be mended: an account without money, say."""
    server.fates.append(Fate(refusal=("billing_hard_limit_reached", "Billing hard limit has been reached.")))
    with pytest.raises(JudgeKeyError, match="Billing hard limit"):
        Run(server, tmp_path).asked(0, 1)
    assert scores(Run(server, tmp_path).asked(0, 1)) == [1, 2]
    assert set(server.billed.values()) == {1}


@BOTH
def test_a_request_that_is_too_large_by_itself_fails_alone(server: BatchServer, tmp_path: Path, provider: str) -> None:
    server.most_bytes = 30_000
    run = Run(server, tmp_path, provider)

    async def work() -> list[Verdict[Any]]:
        run.open()
        users = [f"السؤال {number} {'x' * 40_000 if number == 7 else ''}" for number in range(20)]
        prompts = [Prompt(system="قيّم", user=user, metric="rating") for user in users]
        found = await asyncio.gather(*(run.judge.ask(prompt, RatingReply) for prompt in prompts))
        await run.judge.aclose()
        return list(found)

    verdicts = asyncio.run(work())
    assert verdicts[7].reason == "judge_bad_request"
    assert "413" in str(verdicts[7].message)
    assert scores(verdicts[:7] + verdicts[8:]) == [number % 5 + 1 for number in range(20) if number != 7]
    assert len(server.batches) <= 4  # and the others do not go one by one
    assert set(server.billed.values()) == {1}


@BOTH
def test_results_that_come_later_than_the_end_are_waited_for(
    server: BatchServer, tmp_path: Path, provider: str
) -> None:
    server.late_results = 3
    assert scores(Run(server, tmp_path, provider).asked(0, 1, 2)) == [1, 2, 3]
    assert server.late_results == 0
    assert len(server.batches) == 1


@BOTH
@pytest.mark.parametrize("spoilt", [b"no JSON at all\n", b'{"custom_id": "me-', b"[1]\n\n7\n", b""])
def test_results_that_cannot_be_read_are_fetched_again(
    server: BatchServer, tmp_path: Path, provider: str, spoilt: bytes
) -> None:
    results = "GET /files/batch_0-output" if provider == "openai" else "GET /messages/batches/msgbatch_0/results"
    server.hiccup(results, *[Answer(body=spoilt, content_type="application/x-jsonl")] * 2)
    assert scores(Run(server, tmp_path, provider).asked(0, 1, 2)) == [1, 2, 3]
    assert not server.hiccups
    assert len(server.batches) == 1


@BOTH
def test_results_that_can_never_be_read_are_asked_for_once_more(
    server: BatchServer, tmp_path: Path, provider: str
) -> None:
    results = "GET /files/batch_0-output" if provider == "openai" else "GET /messages/batches/msgbatch_0/results"
    server.hiccup(results, *[Answer(body=b"spoilt\n", content_type="application/x-jsonl")] * 4)
    run = Run(server, tmp_path, provider)
    assert scores(run.asked(0, 1, 2)) == [1, 2, 3]
    assert len(server.batches) == 2
    assert any("3 requests without a result" in line for line in run.said)


@BOTH
def test_a_gateway_that_fails_after_the_batch_was_made_does_not_have_it_sent_twice(
    server: BatchServer, tmp_path: Path, provider: str
) -> None:
    create = "POST /batches" if provider == "openai" else "POST /messages/batches"
    server.hiccup(create, fails(503), after=True)
    assert scores(Run(server, tmp_path, provider).asked(0, 1, 2)) == [1, 2, 3]
    assert len(server.batches) == 1


@BOTH
@pytest.mark.parametrize("clock_s", [80_000.0, -80_000.0])
@pytest.mark.parametrize("oldest_first", [False, True])
def test_a_batch_is_found_among_many_whatever_the_clocks_say(
    server: BatchServer, tmp_path: Path, provider: str, clock_s: float, *, oldest_first: bool
) -> None:
    create = "POST /batches" if provider == "openai" else "POST /messages/batches"
    server.clock_s, server.oldest_first = clock_s, oldest_first
    others, kept = tmp_path / "others", tmp_path / "own"
    others.mkdir()
    kept.mkdir()
    Run(server, others, provider).asked(5)
    other = server.batches[0]
    ages = [1e7] * 50 if oldest_first else [-10.0] * 130
    server.batches += [
        replace(other, name=f"{other.name}_{number}", created=other.created - age) for number, age in enumerate(ages)
    ]
    server.hiccup(create, drops("before_headers"))
    assert scores(Run(server, kept, provider).asked(0, 1, 2)) == [1, 2, 3]
    assert len(server.batches) == len(ages) + 2
    assert set(server.billed.values()) == {1}


def test_results_that_are_not_kept_any_more_stop_the_run(server: BatchServer, tmp_path: Path) -> None:
    run = Run(server, tmp_path, "anthropic")
    asked = server._anthropic
    server._anthropic = lambda batch: {  # type: ignore[method-assign]
        **asked(batch),
        "results_url": None,
        "archived_at": "2026-01-01T00:00:00Z",
    }
    with pytest.raises(JudgeError, match="are not kept any more"):
        run.asked(1)
