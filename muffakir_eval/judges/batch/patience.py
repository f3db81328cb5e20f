"""A provider that may be out of reach for a while, asked until it answers."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from muffakir_eval.judges.batch.carrier import BatchLimits, BatchState, Carrier, CarrierError
from muffakir_eval.judges.batch.journal import Entry, Journal
from muffakir_eval.judges.failures import Failure

__all__ = ["BatchPolicy", "PatientCarrier"]

_log = logging.getLogger("muffakir_eval")
T = TypeVar("T")

_GROWTH = 1.5
_TOO_MANY = 429
_SOONEST = 30  # the first wait is so many times shorter than the longest


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPolicy:
    """How batches are made and followed.

    Attributes:
        limits: Of one batch.
        settle_s: Seconds without a new request after which those that wait are sent.
        poll_s: Longest wait between two looks at a batch.
        submit_patience_s: Seconds within which sending is tried again.
        poll_patience_s: Seconds for which a batch may stay out of reach: it goes on at the provider meanwhile.
        doubt_s: Seconds within which a batch that may have been sent may still be missing in the provider's list.
    """

    limits: BatchLimits
    settle_s: float = 1.0
    poll_s: float = 300.0
    submit_patience_s: float = 300.0
    poll_patience_s: float = 86_400.0
    doubt_s: float = 10.0


class PatientCarrier:
    """Calls of a carrier, again and again where they fail for a reason that may pass.

    Args:
        carrier: Does the work.
        journal: Knows the batches that are accounted for.
        policy: How long to be patient.
    """

    def __init__(self, carrier: Carrier, journal: Journal, policy: BatchPolicy) -> None:
        self._carrier = carrier
        self._journal = journal
        self._policy = policy

    async def submit(self, entry: Entry, lines: Sequence[bytes]) -> str | Failure:
        """The provider's name for the batch, or why it has none.

        Where the answer was lost on the way, the batch may be there: it is looked for before it is sent again.
        """
        loop = asyncio.get_running_loop()
        ends, wait = loop.time() + self._policy.submit_patience_s, self._policy.poll_s / _SOONEST
        while True:
            failure = None
            try:
                return await self._carrier.submit(entry.token, lines)
            except CarrierError as error:
                failure = error.failure
            if not failure.error().retriable:
                return failure
            wait = max(wait, failure.retry_after_s or 0.0)
            if loop.time() + wait >= ends:
                return failure
            _log.warning("judge: a batch could not be sent: %s; again in %.1f s", failure.message, wait)
            await asyncio.sleep(wait)
            if failure.status != _TOO_MANY:  # any other word, a gateway's 503 too, may come after the batch was made
                found = await self.find(entry)
                if found is not None:
                    return found
            wait = min(wait * 2, self._policy.poll_s)

    async def find_once(self, entry: Entry) -> str | None:
        """The provider's name for a batch that may have been sent; ``None`` where it has none."""
        known = {each.batch for each in self._journal.entries if each.batch is not None}
        return await self._carrier.find(entry.token, len(entry.keys), entry.at, known)

    async def find(self, entry: Entry) -> str | None:
        """The same, until it is sure."""
        found = await self.patiently(functools.partial(self.find_once, entry))
        if found is None:
            await asyncio.sleep(self._policy.doubt_s)
            found = await self.patiently(functools.partial(self.find_once, entry))
        return found

    async def end_of(self, name: str, looked: Callable[[BatchState], None], *, earlier: bool) -> BatchState:
        """How a batch ended, once it has.

        Args:
            name: The provider's.
            looked: Is told what was seen, as long as it goes on.
            earlier: It was sent a while ago. Otherwise a moment is waited first: its provider may not find it yet.
        """
        wait = self._policy.poll_s / _SOONEST
        if not earlier:
            await asyncio.sleep(wait)
        while True:
            state = await self.patiently(lambda: self._carrier.state(name))
            if state.status != "running":
                return state
            looked(state)
            await asyncio.sleep(wait)
            wait = min(wait * _GROWTH, self._policy.poll_s)

    async def patiently(self, work: Callable[[], Awaitable[T]]) -> T:
        """Until it succeeds: a batch goes on, whether the provider can be reached or not.

        Raises:
            CarrierError: It will never succeed, or was out of reach for too long.
        """
        loop = asyncio.get_running_loop()
        ends, wait = loop.time() + self._policy.poll_patience_s, self._policy.poll_s / _SOONEST
        while True:
            try:
                return await work()
            except CarrierError as error:
                wait = max(wait, error.failure.retry_after_s or 0.0)
                if not error.retriable or loop.time() + wait >= ends:
                    raise
                _log.warning("judge: a batch is out of reach: %s; again in %.1f s", error, wait)
            await asyncio.sleep(wait)
            wait = min(wait * _GROWTH, self._policy.poll_s)
