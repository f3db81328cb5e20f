"""Sends the requests that wait, follows their batches, and hands out what became of each."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from muffakir_eval.errors import JudgeError, StorageError
from muffakir_eval.judges.batch.carrier import (
    BatchState,
    Carrier,
    CarrierError,
    Outcome,
    Undone,
    custom_id,
    place_of,
)
from muffakir_eval.judges.batch.journal import Entry, Journal
from muffakir_eval.judges.batch.patience import BatchPolicy, PatientCarrier
from muffakir_eval.judges.batch.queue import BatchQueue, Request
from muffakir_eval.judges.batch.room import Room
from muffakir_eval.judges.batch.stops import unreachable, unsent
from muffakir_eval.judges.batch.under_way import BatchUnderWay
from muffakir_eval.judges.failures import Failure
from muffakir_eval.judges.protocol import Completion

__all__ = ["Collector"]

_log = logging.getLogger("muffakir_eval")

_TOO_LARGE = 413
_LOOKS = 4  # at results of which some are missing
_SOON = 30  # the first of these comes so many times sooner than the longest wait between two looks
_BREATH = 256  # results after which others get their turn
_LEFT: Mapping[str, Outcome] = {
    "ended": Failure(fault="server_error", message="the batch has ended without a result for this request"),
    "cancelled": Undone.CANCELLED,
    "expired": Undone.EXPIRED,
}
"""What becomes of a request without a result, by the end of its batch."""
_SAY_S = 3600.0  # at least between two words on how far the batches are
_FAREWELL_S = 30.0  # for one batch when the run is interrupted
_PATIENCE = (
    "Replies come within a day, often within an hour. You can stop meanwhile, and start the same run again: it goes on."
)
_ENDS = {"ended": "has ended", "cancelled": "was cancelled", "expired": "has expired"}


class Collector:
    """The batches of one judge.

    Args:
        carrier: Takes them to the provider.
        journal: Of the run; what stands there is not sent again.
        judge: Whose batches these are, in the journal.
        policy: How.
        say: Tells the user.
        where: Whose batches these are, for people.
    """

    def __init__(
        self,
        carrier: Carrier,
        journal: Journal,
        judge: str,
        policy: BatchPolicy,
        *,
        say: Callable[[str], None],
        where: str = "judge",
    ) -> None:
        self._carrier = carrier
        self._patient = PatientCarrier(carrier, journal, policy)
        self._journal = journal
        self._judge = judge
        self._policy = policy
        self._say = say
        self._where = where
        self._queue = BatchQueue(policy.limits, policy.settle_s)
        self._room = Room(self._queue, policy)
        self._batches: dict[str, BatchUnderWay] = {}
        self._recorded: dict[str, deque[tuple[BatchUnderWay, int]]] = defaultdict(deque)
        self._sender: asyncio.Task[None] | None = None
        self._in_hand: Sequence[Request] = ()
        self._said: set[str] = set()
        self._said_at: float | None = None
        self._why_stopped: Callable[[], Exception] | None = None
        for entry in journal.entries:
            if entry.judge == judge and entry.status != "void":
                self._take_up(entry)

    def _take_up(self, entry: Entry) -> None:
        batch = self._batches[entry.token] = BatchUnderWay(entry, earlier=True)
        for place, key in enumerate(entry.keys):
            self._recorded[key].append((batch, place))

    @property
    def has_recorded(self) -> bool:
        """There is something left of what an earlier part of the run has sent."""
        return bool(self._recorded)

    def is_recorded(self, key: str) -> bool:
        """An earlier part of the run has sent this, and nobody has taken the outcome yet."""
        return bool(self._recorded.get(key))

    def asking(self) -> AbstractContextManager[None]:
        """Around something that may lead to further requests."""
        return self._queue.asking()

    async def outcome(self, key: str, body: Callable[[], bytes]) -> Completion | Failure:
        """What becomes of a request: from a batch of an earlier part of the run, or from one that is still to go.

        Args:
            key: What it stands for.
            body: Makes it, as it goes over the wire; it is not kept while its batch is worked on.

        Raises:
            JudgeError: The provider takes no batches, or cannot be reached for too long.
            StorageError: A batch cannot be written down, and so is not sent.
        """
        while True:
            if self._why_stopped is not None:
                raise self._why_stopped()
            outcome = await self._next(key, body)
            if not isinstance(outcome, Undone):
                return outcome

    def _next(self, key: str, body: Callable[[], bytes]) -> asyncio.Future[Outcome]:
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        recorded = self._recorded.get(key)
        if recorded:
            batch, place = recorded.popleft()
            if not recorded:
                del self._recorded[key]
            batch.await_outcome(place, future)
            self._follow(batch)
            return future
        self._queue.put(Request(key, body(), future))
        if self._sender is None:
            self._sender = asyncio.create_task(self._guarded(self._send_when_due()))
        return future

    # -- sending -----------------------------------------------------------------------------------

    async def _send_when_due(self) -> None:
        while True:
            await self._room.wait(self._going)
            self._in_hand = await self._queue.due()
            await self._room.wait(self._going)
            await self._send(self._in_hand)
            self._in_hand = ()

    def _going(self, but: BatchUnderWay | None = None) -> bool:
        """Whether a batch is followed that has not ended."""
        return any(each is not but and each.task is not None and each.left is None for each in self._batches.values())

    async def _send(self, requests: Sequence[Request]) -> None:
        entry = self._journal.intend(self._judge, [request.key for request in requests])
        batch = self._batches[entry.token] = BatchUnderWay(
            entry, dict(enumerate(request.outcome for request in requests))
        )
        lines = [
            self._carrier.line(custom_id(entry.token, place), request.body) for place, request in enumerate(requests)
        ]
        sent = await self._patient.submit(entry, lines)
        if isinstance(sent, str):
            self._journal.sent(entry, sent)
            self._say(f"Batch {sent}: {len(requests):,} requests are sent.")
            self._say_once(_PATIENCE)
            self._follow(batch)
        elif sent.status == _TOO_LARGE:
            self._too_large(batch, requests, sent)
        else:
            if not sent.error().retriable:
                self._void(batch, settle=False)
            self._stop(functools.partial(unsent, sent, self._where))

    def _too_large(self, batch: BatchUnderWay, requests: Sequence[Request], why: Failure) -> None:
        """Smaller batches from now on; a request that is too large by itself fails, as it would alone."""
        if len(requests) > 1:
            size = sum(request.size for request in requests)
            self._queue.limits = replace(self._queue.limits, size=(size + 1) // 2)
            self._void(batch)
        else:
            self._void(batch, settle=False)
            batch.settle(why)

    def _void(self, batch: BatchUnderWay, *, settle: bool = True) -> None:
        """The provider does not have the batch: its requests are free to go into another."""
        self._journal.end(batch.entry, "void")
        if settle:
            batch.settle(Undone.UNSENT)

    # -- following ---------------------------------------------------------------------------------

    def _follow(self, batch: BatchUnderWay) -> None:
        if batch.task is None and batch.left is None:
            batch.task = asyncio.create_task(self._guarded(self._followed(batch)))

    async def _guarded(self, work: Awaitable[None]) -> None:
        """What goes wrong in the background is told to everybody who waits."""
        why: Callable[[], Exception] | None = None
        try:
            await work
        except CarrierError as error:
            why = functools.partial(unreachable, error.failure, self._where)
        except StorageError as error:
            why = functools.partial(StorageError, error.found, where=error.where, remedy=error.remedy)
        except Exception as error:  # noqa: BLE001 - rather than have everybody wait for ever
            _log.exception("judge: a batch could not be followed")
            why = functools.partial(JudgeError, f"a batch could not be followed ({error!r})", where=self._where)
        if why is not None:
            self._stop(why)

    def _stop(self, why: Callable[[], Exception]) -> None:
        if self._why_stopped is None:
            self._why_stopped = why
        for batch in self._batches.values():
            batch.fail(why)
        self._queue.fail(why)
        for request in self._in_hand:
            if not request.outcome.done():
                request.outcome.set_exception(why())

    async def _followed(self, batch: BatchUnderWay) -> None:
        entry = batch.entry
        if entry.batch is None and not await self._recovered(batch):
            return
        name = str(entry.batch)
        if batch.earlier and entry.status == "open":
            self._say(f"Batch {name}: {len(entry.keys):,} requests were sent before, and are waited for.")
            self._say_once(_PATIENCE)
        state = await self._patient.end_of(name, lambda state: self._looked(batch, state), earlier=batch.earlier)
        if state.status == "refused":
            self._refused(batch, state)
        else:
            await self._collected(batch, name)
            lost = batch.n_left
            batch.settle(self._told(batch, _LEFT[state.status]))
            self._journal.end(entry, state.status)
            self._say(f"Batch {name}: {_ENDS[state.status]}{f', {lost:,} requests without a result' if lost else ''}.")
            self._room.ended()
        self._room.moved()

    def _looked(self, batch: BatchUnderWay, state: BatchState) -> None:
        """Now and then, a word on how far a batch is."""
        count, now = len(batch.entry.keys), asyncio.get_running_loop().time()
        done = "its requests are worked on" if not state.done else f"{state.done:,} of {count:,} requests are done"
        _log.info("judge: batch %s: %s", batch.entry.batch, done)
        if self._said_at is None or now - self._said_at >= _SAY_S:
            if self._said_at is not None:
                self._say(f"Batch {batch.entry.batch}: {done}.")
            self._said_at = now

    def _say_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._say(text)

    async def _collected(self, batch: BatchUnderWay, name: str) -> None:
        """Hand out the results; where some are missing, look again: files may come later than the word of the end.

        What is given up here is asked, and billed, once more.
        """
        wait = self._policy.poll_s / _SOON
        for left in reversed(range(_LOOKS)):
            await self._patient.patiently(lambda: self._collect(batch, name))
            if not batch.n_left or not left:
                return
            _log.warning("judge: batch %s has ended and lacks %d results; looking again", name, batch.n_left)
            await asyncio.sleep(wait)
            wait *= 2

    def _refused(self, batch: BatchUnderWay, state: BatchState) -> None:
        """The provider has not begun: for want of room, or because of some requests, or of all."""
        why = state.why or Failure(fault="bad_request", message="the provider refused the batch and does not say why")
        entry, count = batch.entry, len(batch.entry.keys)
        how = self._room.refused(count, others=self._going(but=batch)) if state.crowded else None
        if how is not None:
            self._say(f"Batch {entry.batch} was refused for want of room ({why.message}), and {how}.")
            self._void(batch)
            return
        if batch.earlier:  # nothing of it was done or billed, and the cause may be mended by now
            self._void(batch)
            return
        blamed = [line for line in state.lines if line < count]
        for place in blamed:
            batch.put(place, why)
        batch.settle(Undone.UNSENT if blamed else why)
        self._journal.end(entry, state.status)

    async def _recovered(self, batch: BatchUnderWay) -> bool:
        """Whether a batch of which only the intent is written down was sent."""
        entry = batch.entry
        found = await self._patient.find(entry)
        if found is None:
            self._void(batch)
            return False
        self._journal.sent(entry, found)
        self._say(f"Batch {found}: had been sent before the run was cut off, and is used.")
        return True

    async def _collect(self, batch: BatchUnderWay, name: str) -> None:
        """Hand out the results; after a break, those that are left."""
        seen = 0
        async with contextlib.aclosing(self._carrier.results(name)) as results:
            async for request, outcome in results:
                place = place_of(request, batch.entry.token)
                if place is not None and place < len(batch.entry.keys):
                    batch.put(place, self._told(batch, outcome))
                seen += 1
                if seen % _BREATH == 0:
                    await asyncio.sleep(0)

    def _told(self, batch: BatchUnderWay, outcome: Outcome) -> Outcome:
        """A request that was not worked on, as what it is to whoever waits."""
        entry = batch.entry
        if outcome is Undone.CANCELLED:
            if entry.cancelled or batch.earlier:
                return Undone.UNSENT  # the run goes on after all
            return Failure(fault="unknown", message=f"the batch {entry.batch} was cancelled at the provider")
        if batch.earlier and isinstance(outcome, Failure) and outcome.fault == "rejected_key":
            return Undone.UNSENT  # there may be another key by now
        if outcome is Undone.EXPIRED:
            return Failure(fault="timeout", message=f"the batch {entry.batch} expired before it came to this request")
        return outcome

    # -- ending ------------------------------------------------------------------------------------

    async def interrupted(self, *, cancel: bool) -> list[str]:
        """Stop following; what becomes of the batches that are under way, in words.

        Args:
            cancel: Ask the provider to end them.
        """
        await self.aclose()
        going = [batch.entry for batch in self._batches.values() if batch.left is None and batch.entry.status == "open"]
        return [await self._let_go(entry, cancel=cancel) for entry in going]

    async def _let_go(self, entry: Entry, *, cancel: bool) -> str:
        if not cancel and entry.batch is None:
            return f"batch {entry.token} was about to be sent: the resumed run looks for it, and collects it"
        if not cancel:
            return f"batch {entry.batch} goes on at the provider, and the resumed run collects it"
        problem: str | None = None
        try:
            async with asyncio.timeout(_FAREWELL_S):
                name = entry.batch or await self._patient.find_once(entry)
                if name is None:
                    return f"batch {entry.token} had not been sent"
                if entry.batch is None:
                    self._journal.sent(entry, name)
                self._journal.cancel(entry)
                await self._carrier.cancel(name)
        except CarrierError as error:
            problem = error.failure.message
        except StorageError as error:
            problem = error.found
        except TimeoutError:
            problem = f"the provider did not answer within {_FAREWELL_S:g} s"
        if problem is not None:
            return f"batch {entry.batch or entry.token} could not be cancelled ({problem}), and goes on"
        return f"batch {entry.batch} is cancelled; what was done by then is billed, and the resumed run collects it"

    async def aclose(self) -> None:
        """Stop everything that runs in the background; called on its loop."""
        tasks = [task for task in (self._sender, *(batch.task for batch in self._batches.values())) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
