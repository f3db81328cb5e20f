"""What judging costs: prices, counts per metric, a ceiling, and about how many tokens a text has.

There are no built-in prices: they change, and a wrong one is worse than none. Where the price is
unknown, so is the cost.
"""

from __future__ import annotations

import difflib
import math
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from muffakir_eval.errors import ConfigError
from muffakir_eval.judges.protocol import Prompt, Usage
from muffakir_eval.statistics.quantiles import quantile

__all__ = ["ASSUMED_OUTPUT_TOKENS", "Meter", "Price", "estimate_tokens", "find_price", "latency_figures"]

ASSUMED_OUTPUT_TOKENS = 200
"""Tokens that a reply is assumed to have before there is one: a verdict with a reason of a few sentences."""

_SIDES = ("input", "output")


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars per million tokens.

    >>> Price(input=2.5, output=10.0).of(Usage(input_tokens=1_000_000, output_tokens=100_000))
    3.5
    """

    input: float
    output: float

    def of(self, usage: Usage) -> float | None:
        """US dollars, or ``None`` where the server did not count the tokens."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        return (usage.input_tokens * self.input + usage.output_tokens * self.output) / 1_000_000


def find_price(prices: Mapping[str, Any] | None, model: str | None) -> Price | None:
    """The price of ``model`` in the setting ``prices``.

    The setting is a table of models, or one price that holds for whatever model judges:

    >>> find_price({"gpt-4o": {"input": 2.5, "output": 10}}, "gpt-4o")
    Price(input=2.5, output=10.0)
    >>> find_price({"input": 2.5, "output": 10}, "gpt-4o")
    Price(input=2.5, output=10.0)
    >>> find_price({"gpt-4o": {"input": 2.5, "output": 10}}, "llama-3") is None
    True

    Raises:
        ConfigError: Not of this form; every entry is checked, that of another model too.
    """
    if prices is None:
        return None
    if not isinstance(prices, Mapping):
        raise _malformed(f"found {type(prices).__name__}", "prices")
    if not any(isinstance(value, Mapping) for value in prices.values()):
        return _price(prices, "prices") if prices else None
    known = {name: _price(value, f"prices[{name!r}]") for name, value in prices.items()}
    return known.get(model) if model is not None else None


def _price(value: Any, where: str) -> Price:
    if not isinstance(value, Mapping):
        raise _malformed(f"found {value!r}", where)
    for key in value:
        if key not in _SIDES:
            close = difflib.get_close_matches(str(key), _SIDES, n=1)
            raise _malformed(f"unknown key {key!r}" + (f", did you mean {close[0]!r}?" if close else ""), where)
    for side in _SIDES:
        if side not in value:
            raise _malformed(f"{side!r} is missing", where)
        amount = value[side]
        if isinstance(amount, bool) or not isinstance(amount, (int, float)):
            raise _malformed(f"{side} is {amount!r}, not a number", where)
        if not math.isfinite(amount) or amount < 0:
            raise _malformed(f"{side} is {amount!r}, not a price", where)
    return Price(input=float(value["input"]), output=float(value["output"]))


def _malformed(found: str, where: str) -> ConfigError:
    return ConfigError(
        found,
        where=where,
        expected='US dollars per million tokens, {"input": 2.5, "output": 10.0}, or a table of these by model name',
    )


def estimate_tokens(text: str) -> int:
    """About how many tokens a model makes of ``text``.

    A quarter of the characters, and a fifth of the UTF-8 bytes beyond one per character: 4 characters
    of English, 2.2 of Arabic, 1.5 of Chinese to the token. Measured against ``o200k_base`` this is 1.0
    times the true number for English prose, 1.25 for Arabic, 0.75 for fully vowelled Arabic, 0.6 for
    JSON; older vocabularies (``cl100k_base``) need almost twice as many tokens for Arabic.

    >>> estimate_tokens("a question of thirty-two letters"), estimate_tokens("ما هي عاصمة المملكة؟")
    (8, 9)
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    return math.ceil(len(text) / 4 + (size - len(text)) / 5)


@dataclass(slots=True)
class _Count:
    """What one metric has taken."""

    usage: Usage = field(default_factory=Usage)
    failed_calls: int = 0
    uncounted_calls: int = 0
    spent_usd: float = 0.0
    latencies_ms: array[float] = field(default_factory=lambda: array("d"))


class Meter:
    """Counts calls, tokens, time and money, per metric and in total.

    Args:
        price: Of the judge model; ``None`` where it is unknown.
        budget_usd: Once so much is spent, no further call is made; those that are running end.

    Raises:
        ConfigError: There is a budget and no price.
    """

    def __init__(self, price: Price | None = None, budget_usd: float | None = None) -> None:
        if budget_usd is not None and price is None:
            raise ConfigError(
                "a budget needs a price and the price of the judge model is unknown",
                where="budget_usd",
                expected='prices = {"<model>": {"input": USD per million tokens, "output": USD per million tokens}}',
                remedy="set prices, or leave budget_usd out",
            )
        self.price = price
        self.budget_usd = budget_usd
        self.reserved_usd = 0.0
        self._counts: dict[str, _Count] = {}

    @property
    def spent_usd(self) -> float:
        """What the calls have cost so far, where the tokens of calls that the server does not count are estimated."""
        return sum(count.spent_usd for count in self._counts.values())

    @property
    def exhausted(self) -> bool:
        """Whether no further call may be made."""
        return self.budget_usd is not None and self.spent_usd >= self.budget_usd

    def reserve(self, expected: Usage) -> float | None:
        """Set aside what a request will probably cost; ``None`` where the budget has no room for it.

        Only requests that go out long before they are billed need it.
        """
        cost = 0.0 if self.price is None else self.price.of(expected) or 0.0
        if self.budget_usd is not None and self.committed_usd() + cost > self.budget_usd:
            return None
        self.reserved_usd += cost
        return cost

    def release(self, reserved: float) -> None:
        """Give back what :meth:`reserve` set aside: by now the request is billed, or never will be."""
        self.reserved_usd -= reserved

    def committed_usd(self) -> float:
        """What is spent or set aside."""
        return self.spent_usd + self.reserved_usd

    def add_call(self, metric: str, usage: Usage, *, estimated: Usage, failed: bool = False) -> None:
        """Count a call.

        Args:
            metric: Who asked.
            usage: What it took.
            estimated: Its tokens as far as they can be told without the server.
            failed: It brought no completion.
        """
        count = self._counts.setdefault(metric, _Count())
        count.usage += usage
        count.failed_calls += failed
        count.latencies_ms.append(usage.latency_ms)
        counted = usage.input_tokens is not None and usage.output_tokens is not None
        count.uncounted_calls += not counted
        if self.price is not None:
            count.spent_usd += self.price.of(usage if counted else estimated) or 0.0

    def add_earlier(self, metric: str, usage: Usage) -> None:
        """Count what an earlier part of the run has taken; the latencies of its single calls are not known."""
        count = self._counts.setdefault(metric, _Count())
        count.usage += usage
        if self.price is not None:
            count.spent_usd += self.price.of(usage) or 0.0

    def add_cached(self, metric: str) -> None:
        """Count a reply that came from the cache."""
        count = self._counts.setdefault(metric, _Count())
        count.usage += Usage(cached=1)

    def latencies(self, metric: str | None = None) -> list[float]:
        """Milliseconds of every call, of one metric or of all."""
        counts = self._counts.values() if metric is None else [self._counts[metric]] if metric in self._counts else []
        return [value for count in counts for value in count.latencies_ms]

    def by_metric(self) -> dict[str, dict[str, Any]]:
        """The figures of :meth:`total` for every metric that asked."""
        return {metric: self._figures([count]) for metric, count in sorted(self._counts.items())}

    def total(self) -> dict[str, Any]:
        """Plain figures for the summary.

        ``calls`` and ``failed_calls`` (those that brought no completion, retried or not), ``cached``
        replies, ``input_tokens`` and ``output_tokens`` (``None`` where the server left one uncounted),
        ``uncounted_calls``, ``cost_usd`` (``None`` where price or tokens are unknown; a failed call
        counts as free), ``cost_estimate_usd`` (the same, with the tokens of uncounted calls estimated) and
        ``latency_ms`` of a call with ``mean``, ``p50``, ``p95`` and ``max``.
        """
        return self._figures(list(self._counts.values()))

    def _figures(self, counts: list[_Count]) -> dict[str, Any]:
        usage = Usage()
        latencies: list[float] = []
        for count in counts:
            usage += count.usage
            latencies.extend(count.latencies_ms)
        return {
            "calls": usage.calls,
            "failed_calls": sum(count.failed_calls for count in counts),
            "cached": usage.cached,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "uncounted_calls": sum(count.uncounted_calls for count in counts),
            "cost_usd": None if self.price is None else self.price.of(usage),
            "cost_estimate_usd": None if self.price is None else math.fsum(count.spent_usd for count in counts),
            "latency_ms": latency_figures(latencies),
        }


def latency_figures(latencies: Iterable[float]) -> dict[str, float | None]:
    """Mean, median, 95th percentile and maximum, in the unit of ``latencies``; ``None`` without any."""
    ordered = sorted(latencies)
    if not ordered:
        return {"mean": None, "p50": None, "p95": None, "max": None}
    return {
        "mean": math.fsum(ordered) / len(ordered),
        "p50": quantile(ordered, 0.50),
        "p95": quantile(ordered, 0.95),
        "max": ordered[-1],
    }


def prompt_tokens(prompt: Prompt, output_tokens: int = ASSUMED_OUTPUT_TOKENS) -> Usage:
    """One call with ``prompt``, estimated."""
    return Usage(
        calls=1,
        input_tokens=estimate_tokens(prompt.system) + estimate_tokens(prompt.user),
        output_tokens=output_tokens,
    )
