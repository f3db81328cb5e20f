"""Gathering, following and handing out, in virtual time, with a provider that keeps everything in memory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval.errors import JudgeError, JudgeKeyError, StorageError
from muffakir_eval.judges.batch.carrier import BatchLimits, BatchState, CarrierError, Outcome, Undone
from muffakir_eval.judges.batch.collector import Collector
from muffakir_eval.judges.batch.journal import BATCHES, Entry, Journal
from muffakir_eval.judges.batch.patience import BatchPolicy
from muffakir_eval.judges.failures import Failure
from muffakir_eval.judges.protocol import Completion, Fault
from tests.judges.virtual_time import now, run_virtual


class Provider:
    """Batches that take ``takes_s``; every request is answered with its own body.

    Attributes:
        faults: Raised by the next calls, by the name of the call; ``sent`` raises once the batch is there.
        looks: When a batch was looked at.
    """

    limits = BatchLimits(requests=1_000, size=1_000_000)

    def __init__(self, takes_s: float = 3600.0) -> None:
        self.says: Outcome | None = None
        self.takes_s = takes_s
        self.batches: dict[str, tuple[str, list[bytes], float]] = {}
        self.faults: dict[str, list[Fault]] = {}
        self.ends: dict[str, BatchState] = {}
        self.looks: list[float] = []
        self.searches = 0
        self.cancelled: list[str] = []

    def line(self, name: str, body: bytes) -> bytes:
        return name.encode() + b" " + body

    async def submit(self, token: str, lines: Sequence[bytes]) -> str:
        self._fail("submit")
        name = f"b{len(self.batches)}"
        self.batches[name] = (token, list(lines), now())
        self._fail("sent")
        return name

    async def find(self, token: str, count: int, since: float, known: Collection[str]) -> str | None:
        self.searches += 1
        self._fail("find")
        return next((name for name, (own, lines, _) in self.batches.items() if own == token), None)

    async def state(self, batch: str) -> BatchState:
        self.looks.append(now())
        self._fail("state")
        if batch in self.cancelled:
            return BatchState(status="cancelled")
        if now() < self.batches[batch][2] + self.takes_s:
            return BatchState(status="running")
        return self.ends.get(batch, BatchState(status="ended"))

    async def results(self, batch: str) -> AsyncGenerator[tuple[str, Outcome], None]:
        for number, line in enumerate(self.batches[batch][1]):
            if number == 1:
                self._fail("results")
            name, _, body = line.decode().partition(" ")
            yield name, Undone.CANCELLED if batch in self.cancelled else self.says or Completion(text=body)
        yield "somebody-elses-1", Completion(text="no")

    async def cancel(self, batch: str) -> None:
        self._fail("cancel")
        self.cancelled.append(batch)

    def _fail(self, call: str) -> None:
        if self.faults.get(call):
            fault = self.faults[call].pop(0)
            raise CarrierError(Failure(fault=fault, message=f"{call}: {fault}", status=400))

    @property
    def sizes(self) -> list[int]:
        return [len(lines) for _, lines, _ in self.batches.values()]


def policy(**more: Any) -> BatchPolicy:
    return BatchPolicy(**{"limits": BatchLimits(requests=100, size=100_000), **more})


def collector(provider: Provider, folder: Path, **more: Any) -> Collector:
    return Collector(provider, Journal(folder / BATCHES, "r"), "j", policy(**more), say=lambda text: None)


async def ask(one: Collector, *numbers: int) -> list[Any]:
    def wire(number: int) -> Callable[[], bytes]:
        return f"body {number}".encode

    asked = (one.outcome(f"key {number}", wire(number)) for number in numbers)
    found = await asyncio.gather(*asked, return_exceptions=True)
    return [each.text if isinstance(each, Completion) else each for each in found]


def texts(*numbers: int) -> list[str]:
    return [f"body {number}" for number in numbers]


def test_polling_waits_longer_and_longer(tmp_path: Path) -> None:
    provider = Provider()

    async def main() -> None:
        assert await ask(collector(provider, tmp_path), 1, 2) == texts(1, 2)

    run_virtual(main())
    gaps = [after - before for before, after in zip(provider.looks, provider.looks[1:], strict=False)]
    assert gaps[:3] == pytest.approx([10.0, 15.0, 22.5])
    assert gaps == sorted(gaps)
    assert gaps[-1] == 300.0
    assert len(provider.looks) < 25
    assert provider.looks[0] >= 10.0  # a provider may not find a batch at once


def test_nothing_goes_while_something_may_still_come(tmp_path: Path) -> None:
    provider = Provider()

    async def main() -> None:
        one = collector(provider, tmp_path)
        with one.asking():
            first = asyncio.create_task(ask(one, 1))
            await asyncio.sleep(10_000)
            assert provider.batches == {}
        second = asyncio.create_task(ask(one, 2))
        assert await first + await second == texts(1, 2)
        assert provider.sizes == [2]
        await one.aclose()

    run_virtual(main())


def test_a_full_batch_goes_all_the_same(tmp_path: Path) -> None:
    provider = Provider()

    async def main() -> None:
        one = collector(provider, tmp_path, limits=BatchLimits(requests=3, size=10_000))
        with one.asking():
            assert await asyncio.wait_for(ask(one, *range(3)), 4_000) == texts(*range(3))
        large = Collector(
            provider, Journal(tmp_path / "x", "r"), "j", policy(limits=BatchLimits(requests=9, size=400)), say=print
        )
        assert await ask(large, *range(4)) == texts(*range(4))
        await one.aclose()
        await large.aclose()

    run_virtual(main())
    assert provider.sizes == [3, 2, 2]


def test_whoever_is_gone_is_not_asked_for(tmp_path: Path) -> None:
    provider = Provider()

    async def main() -> None:
        one = collector(provider, tmp_path)
        with one.asking():
            tasks = [asyncio.create_task(ask(one, number)) for number in range(3)]
            await asyncio.sleep(1)
            tasks[1].cancel()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert [found[0], found[2]] == [texts(0), texts(2)]
        await one.aclose()

    run_virtual(main())
    assert provider.sizes == [2]


def test_an_outage_of_hours_is_waited_out(tmp_path: Path) -> None:
    provider = Provider()
    provider.faults["state"] = ["connection"] * 100
    provider.faults["results"] = ["server_error"] * 3

    async def main() -> None:
        one = collector(provider, tmp_path)
        assert await ask(one, 1, 2, 3) == texts(1, 2, 3)
        assert now() > 20_000
        await one.aclose()

    run_virtual(main())
    assert provider.sizes == [3]


def test_an_outage_of_more_than_a_day_stops_the_run_and_says_that_it_can_go_on(tmp_path: Path) -> None:
    provider = Provider()
    provider.faults["state"] = ["connection"] * 10_000

    async def main() -> None:
        one = collector(provider, tmp_path)
        found = await ask(one, 1, 2)
        assert [type(each) for each in found] == [JudgeError, JudgeError]
        assert "start the same run again" in str(found[0])
        assert [type(each) for each in await ask(one, 3)] == [JudgeError]
        await one.aclose()
        provider.faults.clear()
        two = collector(provider, tmp_path)
        assert await ask(two, 1, 2) == texts(1, 2)
        await two.aclose()

    run_virtual(main())
    assert provider.sizes == [2]


@pytest.mark.parametrize("call", ["submit", "state"])
def test_a_rejected_key_is_told_to_all(tmp_path: Path, call: str) -> None:
    provider = Provider()
    provider.faults[call] = ["rejected_key"]

    async def main() -> None:
        one = collector(provider, tmp_path)
        assert [type(each) for each in await ask(one, 1, 2)] == [JudgeKeyError] * 2
        await one.aclose()

    run_virtual(main())


def test_a_batch_that_the_provider_does_not_know_any_more_stops_the_run(tmp_path: Path) -> None:
    provider = Provider()
    provider.faults["state"] = ["bad_request"]

    async def main() -> None:
        one = collector(provider, tmp_path)
        (found,) = await ask(one, 1)
        assert "see that the key is of the account that sent it" in str(found)
        await one.aclose()

    run_virtual(main())


def test_sending_is_given_up_after_a_while_and_looked_for_by_the_next_part_of_the_run(tmp_path: Path) -> None:
    provider = Provider()
    provider.faults["submit"] = ["server_error"] * 1_000

    async def main() -> None:
        one = collector(provider, tmp_path)
        (found,) = await ask(one, 1)
        assert isinstance(found, JudgeError)
        assert now() < 400
        await one.aclose()
        provider.faults.clear()
        provider.searches = 0
        two = collector(provider, tmp_path)
        assert two.is_recorded("key 1")
        assert await ask(two, 1) == texts(1)
        assert provider.searches == 2  # once more after a moment: the list may lag behind
        await two.aclose()

    run_virtual(main())
    assert provider.sizes == [1]
    assert [each.status for each in Journal(tmp_path / BATCHES, "r").entries] == ["void", "ended"]


def test_an_intent_without_a_name_is_found_at_the_provider(tmp_path: Path) -> None:
    provider = Provider()
    provider.faults["sent"] = ["unknown"]

    async def main() -> None:
        one = collector(provider, tmp_path)
        assert isinstance((await ask(one, 1, 2))[0], JudgeError)
        await one.aclose()

    run_virtual(main())
    # As a kill between the two lines leaves it.
    path = tmp_path / BATCHES
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if json.loads(line)["kind"] in {"batches", "intent"}))

    async def again() -> None:
        provider.batches = {name: (*batch[:2], now()) for name, batch in provider.batches.items()}
        two = collector(provider, tmp_path)
        assert await ask(two, 2, 3, 1) == texts(2, 3, 1)
        await two.aclose()

    run_virtual(again())
    assert provider.sizes == [2, 1]


def test_outcomes_are_kept_for_whoever_asks_later_in_the_order_of_the_tries(tmp_path: Path) -> None:
    provider = Provider()

    async def main() -> None:
        one = collector(provider, tmp_path)
        assert await ask(one, 1, 2) == texts(1, 2)
        assert await ask(one, 1) == texts(1)
        await one.aclose()
        two = collector(provider, tmp_path)
        assert two.is_recorded("key 1")
        assert await ask(two, 1) == texts(1)
        assert await ask(two, 2, 1) == texts(2, 1)
        assert not two.is_recorded("key 1")
        await two.aclose()

    run_virtual(main())
    assert provider.sizes == [2, 1]


def test_a_failure_is_the_same_to_a_resumed_run(tmp_path: Path) -> None:
    provider = Provider()
    provider.says = Failure(fault="server_error", message="it broke")

    async def main() -> None:
        one = collector(provider, tmp_path)
        first = await ask(one, 1)
        await one.aclose()
        two = collector(provider, tmp_path)
        assert await ask(two, 1) == first
        await two.aclose()

    run_virtual(main())
    assert provider.sizes == [1]


def test_what_we_cancelled_ourselves_is_sent_again(tmp_path: Path) -> None:
    provider = Provider()

    async def main() -> None:
        one = collector(provider, tmp_path)
        task = asyncio.create_task(ask(one, 1, 2))
        await asyncio.sleep(100)
        assert await one.interrupted(cancel=True) == [
            "batch b0 is cancelled; what was done by then is billed, and the resumed run collects it"
        ]
        task.cancel()
        two = collector(provider, tmp_path)
        assert await ask(two, 1, 2) == texts(1, 2)
        await two.aclose()

    run_virtual(main())
    assert (provider.cancelled, provider.sizes) == (["b0"], [2, 2])


@pytest.mark.parametrize(
    "outcome", [Undone.CANCELLED, Failure(fault="rejected_key", message="no such key")], ids=["cancelled", "key"]
)
def test_what_may_be_otherwise_by_now_is_asked_anew_by_a_resumed_run(tmp_path: Path, outcome: Outcome) -> None:
    provider = Provider()
    provider.says = outcome

    async def main() -> None:
        one = collector(provider, tmp_path)
        found = await ask(one, 1, 2)
        assert [each.fault for each in found] == [outcome.fault if isinstance(outcome, Failure) else "unknown"] * 2
        await one.aclose()
        two = collector(provider, tmp_path)
        asked = asyncio.create_task(ask(two, 1, 2))
        await asyncio.sleep(100)
        provider.says = None
        assert await asked == texts(1, 2)
        await two.aclose()

    run_virtual(main())
    assert provider.sizes == [2, 2]


def test_an_interruption_while_sending_looks_for_the_batch(tmp_path: Path) -> None:
    class Slow(Provider):
        async def submit(self, token: str, lines: Sequence[bytes]) -> str:
            name = await super().submit(token, lines)
            await asyncio.sleep(3600)
            return name

    provider = Slow()

    async def interrupted(folder: Path, *, cancel: bool, there: bool = True) -> list[str]:
        one = collector(provider, folder)
        task = asyncio.create_task(ask(one, 1))
        await asyncio.sleep(10)
        if not there:
            provider.batches.clear()
        notes = await one.interrupted(cancel=cancel)
        task.cancel()
        return notes

    async def main() -> None:
        for name in "abcd":
            (tmp_path / name).mkdir()
        assert "the resumed run looks for it" in (await interrupted(tmp_path / "a", cancel=False))[0]
        assert (await interrupted(tmp_path / "b", cancel=True))[0].startswith("batch b1 is cancelled")
        assert (await interrupted(tmp_path / "c", cancel=True, there=False))[0].endswith("had not been sent")
        provider.faults["cancel"] = ["server_error"]
        assert "could not be cancelled (cancel: server_error)" in (await interrupted(tmp_path / "d", cancel=True))[0]

    run_virtual(main())


def test_a_batch_that_cannot_be_written_down_is_not_sent(tmp_path: Path) -> None:
    provider = Provider()

    async def main() -> None:
        one = collector(provider, tmp_path)
        (tmp_path / BATCHES).mkdir()
        assert [type(each) for each in await ask(one, 1, 2)] == [StorageError] * 2
        await one.aclose()

    run_virtual(main())
    assert provider.batches == {}


def test_a_mistake_of_our_own_keeps_nobody_waiting(tmp_path: Path) -> None:
    class Broken(Provider):
        async def state(self, batch: str) -> BatchState:
            raise ZeroDivisionError("oops")

    async def main() -> None:
        one = collector(Broken(), tmp_path)
        (found,) = await ask(one, 1)
        assert isinstance(found, JudgeError)
        assert "oops" in str(found)
        await one.aclose()

    run_virtual(main())


def test_batches_of_another_judge_are_left_alone(tmp_path: Path) -> None:
    provider = Provider()
    journal = Journal(tmp_path / BATCHES, "r")
    entry: Entry = journal.intend("another", ["key 1"])
    journal.sent(entry, "b9")

    async def main() -> None:
        one = collector(provider, tmp_path)
        assert await ask(one, 1) == texts(1)
        assert await one.interrupted(cancel=False) == []

    run_virtual(main())
    assert provider.sizes == [1]


NO_ROOM = BatchState(status="refused", why=Failure(fault="rate_limited", message="no room"))


class Crowded(Provider):
    """Batches whose number is in ``refused`` are refused as soon as they are looked at."""

    def __init__(self, refused: Callable[[int], bool], takes_s: float = 3600.0) -> None:
        super().__init__(takes_s)
        self.refused = refused

    async def state(self, batch: str) -> BatchState:
        return NO_ROOM if self.refused(int(batch[1:])) else await super().state(batch)


def test_batches_grow_again_once_there_is_room(tmp_path: Path) -> None:
    provider = Crowded(lambda number: number == 0)

    async def main() -> None:
        one = collector(provider, tmp_path, limits=BatchLimits(requests=8, size=10_000))
        assert await ask(one, *range(8)) == texts(*range(8))
        assert await ask(one, *range(8, 16)) == texts(*range(8, 16))
        await one.aclose()

    run_virtual(main())
    assert provider.sizes == [8, 4, 4, 8]


def test_where_there_is_no_room_sending_is_tried_less_and_less_often(tmp_path: Path) -> None:
    """Each try carries the whole batch, and its record."""
    provider = Crowded(lambda number: number > 0 and "b0" in waiting, takes_s=86_000.0)
    waiting = {"b0"}

    async def main() -> None:
        one = collector(provider, tmp_path, limits=BatchLimits(requests=4, size=10_000))
        first = asyncio.create_task(ask(one, *range(8)))
        await asyncio.sleep(86_000)
        waiting.clear()
        assert await first == texts(*range(8))
        await one.aclose()

    run_virtual(main())
    assert 5 < len(provider.sizes) < 35


def test_where_others_take_all_the_room_it_is_waited_for(tmp_path: Path) -> None:
    provider = Crowded(lambda number: now() < 40_000)

    async def main() -> None:
        one = collector(provider, tmp_path)
        assert await ask(one, *range(6)) == texts(*range(6))
        await one.aclose()

    run_virtual(main())
    assert len(provider.sizes) < 40


def test_one_request_that_is_too_much_by_itself_fails_after_a_day(tmp_path: Path) -> None:
    provider = Crowded(lambda number: True)

    async def main() -> None:
        one = collector(provider, tmp_path)
        (found,) = await ask(one, 1)
        assert isinstance(found, Failure)
        assert found.fault == "rate_limited"
        assert 86_400 <= now() < 100_000
        await one.aclose()

    run_virtual(main())
    assert len(provider.sizes) < 40


def test_a_day_of_waiting_is_not_silent(tmp_path: Path) -> None:
    provider = Provider(takes_s=20_000.0)
    said: list[str] = []

    async def main() -> None:
        one = Collector(provider, Journal(tmp_path / BATCHES, "r"), "j", policy(), say=said.append)
        first = asyncio.create_task(ask(one, 1, 2))
        await asyncio.sleep(10_000)
        assert await one.interrupted(cancel=False) == [
            "batch b0 goes on at the provider, and the resumed run collects it"
        ]
        first.cancel()
        two = Collector(provider, Journal(tmp_path / BATCHES, "r"), "j", policy(), say=said.append)
        assert await ask(two, 1, 2) == texts(1, 2)
        await two.aclose()

    run_virtual(main())
    going, patience = "Batch b0: its requests are worked on.", said[1]
    assert "start the same run again" in patience
    assert said == [
        "Batch b0: 2 requests are sent.",
        patience,
        going,
        going,
        "Batch b0: 2 requests were sent before, and are waited for.",
        patience,
        going,
        going,
        "Batch b0: has ended.",
    ]


def test_an_interruption_does_not_wait_for_a_search_of_hours(tmp_path: Path) -> None:
    class Slow(Provider):
        async def submit(self, token: str, lines: Sequence[bytes]) -> str:
            await asyncio.sleep(3600)
            return "b0"

        async def find(self, token: str, count: int, since: float, known: Collection[str]) -> str | None:
            await asyncio.sleep(36_000)
            return None

    async def main() -> None:
        one = collector(Slow(), tmp_path)
        task = asyncio.create_task(ask(one, 1))
        await asyncio.sleep(10)
        (note,) = await one.interrupted(cancel=True)
        assert "could not be cancelled (the provider did not answer within 30 s), and goes on" in note
        assert now() < 60
        task.cancel()

    run_virtual(main())


def test_an_interruption_on_a_full_disk_still_says_what_goes_on(tmp_path: Path) -> None:
    provider = Provider()

    async def main() -> None:
        one = collector(provider, tmp_path)
        task = asyncio.create_task(ask(one, 1))
        await asyncio.sleep(100)
        (tmp_path / BATCHES).unlink()
        (tmp_path / BATCHES).mkdir()
        (note,) = await one.interrupted(cancel=True)
        assert note.startswith("batch b0 could not be cancelled (a batch of the judge cannot be written down")
        task.cancel()

    run_virtual(main())


def test_a_kill_at_any_moment_costs_nothing(tmp_path: Path) -> None:
    """Every state of the file and of the provider that a run comes through, and every torn last line."""
    path = tmp_path / BATCHES
    moments: list[tuple[bytes, dict[str, tuple[str, list[bytes], float]]]] = []

    class Watched(Provider):
        async def submit(self, token: str, lines: Sequence[bytes]) -> str:
            note()
            name = await super().submit(token, lines)
            note()
            return name

        async def state(self, batch: str) -> BatchState:
            note()
            return await super().state(batch)

        async def results(self, batch: str) -> AsyncGenerator[tuple[str, Outcome], None]:
            async for each in super().results(batch):
                note()
                yield each

    provider = Watched(takes_s=100.0)

    def note() -> None:
        content = path.read_bytes()
        if not moments or moments[-1] != (content, provider.batches):
            moments.append((content, dict(provider.batches)))

    async def whole() -> None:
        one = collector(provider, tmp_path, limits=BatchLimits(requests=3, size=10_000))
        assert await ask(one, *range(7)) == texts(*range(7))
        note()
        await one.aclose()

    run_virtual(whole())
    assert provider.sizes == [3, 3, 1]
    torn = [(content[:-9], batches) for content, batches in moments if _intents(content[:-9]) >= len(batches)]
    for content, batches in moments + torn:
        path.write_bytes(content)
        after = Provider(takes_s=100.0)
        after.batches = {name: (token, lines, 0.0) for name, (token, lines, _) in batches.items()}
        run_virtual(_asked_again(after, tmp_path))
        sent = [line.split(b" ", 1)[1] for _, lines, _ in after.batches.values() for line in lines]
        assert sorted(sent) == [f"body {number}".encode() for number in range(7)]
    assert len(torn) > 4
    assert len(moments) > 8


def _intents(content: bytes) -> int:
    """How many are whole: an intent is on the disk before its batch is sent."""
    return content[: content.rfind(b"\n") + 1].count(b'"intent"')


async def _asked_again(provider: Provider, folder: Path) -> None:
    two = collector(provider, folder, limits=BatchLimits(requests=3, size=10_000))
    assert await ask(two, *range(7)) == texts(*range(7))
    await two.aclose()
