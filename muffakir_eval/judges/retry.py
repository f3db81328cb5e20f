"""When a failed call is tried again, and how a failure is named once it is not.

There is one retry layer, this one: the SDKs' own retries are switched off.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from muffakir_eval.judges.protocol import Fault, ModelError

__all__ = ["DEFAULT_RETRY_DEADLINE_S", "Outage", "Retries", "RetryPolicy", "failure_reason", "is_shared"]

DEFAULT_RETRY_DEADLINE_S = 300.0
"""Rate-limit windows last minutes; a shorter patience marks samples that a little waiting would have saved."""

_REASONS: dict[Fault, str] = {
    "rate_limited": "rate_limited",
    "overloaded": "rate_limited",
    "timeout": "timeout",
    "connection": "judge_unavailable",
    "server_error": "judge_unavailable",
    "bad_request": "judge_bad_request",
    "unknown": "judge_unavailable",
}


def failure_reason(fault: Fault) -> str:
    """The reason code of a score that was given up for ``fault``; a rejected key is no reason but an error.

    An overloaded server counts as a rate limit: both mean "later, and slower".

    >>> failure_reason("overloaded"), failure_reason("connection")
    ('rate_limited', 'judge_unavailable')
    """
    return _REASONS[fault]


def is_shared(fault: Fault) -> bool:
    """Whether all callers should slow down, and not only the one that met the fault.

    A rate limit or an overload is about all of them. A call that got stuck or a dropped connection
    is about itself: holding up the others for it would let one bad request stop the run.
    """
    return fault in {"rate_limited", "overloaded"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How long to wait between tries.

    Attributes:
        deadline_s: Seconds after the first failure of an ask within which it may be tried again; 0 never retries.
        base_s: Longest wait after the first failure; it doubles with every further one.
        cap_s: Longest wait without a word from the server.
        most_timeouts: Calls of one ask that may time out: each has taken long, and is likely to be billed.
        most_tries: Where it is set, tries are counted instead of seconds, and nobody waits in between: for
            requests that go out together and wait for hours anyway.
    """

    deadline_s: float = DEFAULT_RETRY_DEADLINE_S
    base_s: float = 0.5
    cap_s: float = 30.0
    most_timeouts: int = 2
    most_tries: int | None = None

    def backoff_s(self, failures: int, rng: random.Random) -> float:
        """Seconds to wait after so many failures: exponential, the upper half of it drawn at random.

        >>> RetryPolicy(base_s=8).backoff_s(2, random.Random(1)) <= 16
        True
        """
        # 2.0**1024 is too large for a float; the cap is long reached by then.
        longest = min(self.cap_s, self.base_s * 2.0 ** min(failures - 1, 64))
        return rng.uniform(longest / 2, longest)


class Outage:
    """How long nothing has come back, for all asks of a judge together.

    Without it, every ask of a run would wait out a dead server on its own.
    """

    def __init__(self) -> None:
        self.since: float | None = None
        """Time of the first failure after the last answer; ``None`` while the server answers."""

    def answered(self) -> None:
        """A call brought something."""
        self.since = None

    def failed(self, now: float) -> None:
        """A call brought nothing."""
        if self.since is None:
            self.since = now


class Retries:
    """The failures of one ask.

    Args:
        policy: How long to wait.
        outage: Of the judge that asks.
        rng: Draws the jitter.
    """

    def __init__(self, policy: RetryPolicy, outage: Outage, rng: random.Random) -> None:
        self._policy = policy
        self._outage = outage
        self._rng = rng
        self._failures = 0
        self._timeouts = 0
        self.deadline: float | None = None
        """Time on the caller's clock from which nothing is tried again; ``None`` before the first failure."""

    def wait_s(self, error: ModelError, now: float) -> float | None:
        """Seconds to wait before the next try, or ``None`` to give up.

        The server's own wait is honoured, and an exponential back-off is waited at least. A wait
        that reaches the deadline is not begun. Where nothing has been answered at all for the time
        of the deadline, nobody waits any more.

        Args:
            error: What went wrong.
            now: On a clock that never goes back.
        """
        if not error.retriable:
            if error.fault == "bad_request":
                self._outage.answered()
            return None
        self._outage.failed(now)
        self._failures += 1
        if self._policy.most_tries is not None:
            return 0.0 if self._failures < self._policy.most_tries else None
        self._timeouts += error.fault == "timeout"
        if self.deadline is None:
            self.deadline = now + self._policy.deadline_s
        ends = self.deadline
        if self._outage.since is not None:
            ends = min(ends, self._outage.since + self._policy.deadline_s)
        wait = max(error.retry_after_s or 0.0, self._policy.backoff_s(self._failures, self._rng))
        # Written so that a wait that is no number gives up too.
        return wait if now + wait < ends and self._timeouts < self._policy.most_timeouts else None
