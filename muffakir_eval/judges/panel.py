"""Several judges that are used like one: who sits on the panel, and what they take together."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from muffakir_eval.errors import ConfigError
from muffakir_eval.judges.prices import Meter, Price, latency_figures

__all__ = ["PanelJudge", "PanelMember", "PanelMeter", "Purse", "seats"]


@dataclass(frozen=True, slots=True)
class PanelMember:
    """One judge of a panel.

    Attributes:
        label: What it is called.
        judge: Is asked: a ``ModelJudge``, or what stands for one in a dry run, which costs nothing.
    """

    label: str
    judge: Any


class Purse:
    """One budget for several judges with prices of their own.

    Args:
        budget_usd: ``None`` is no limit.
    """

    def __init__(self, budget_usd: float | None = None) -> None:
        self.budget_usd = budget_usd
        self._meters: list[Meter] = []

    @property
    def spent_usd(self) -> float:
        """What all of them have spent."""
        return math.fsum(meter.spent_usd for meter in self._meters)

    @property
    def committed_usd(self) -> float:
        """What all of them have spent or set aside."""
        return self.spent_usd + math.fsum(meter.reserved_usd for meter in self._meters)

    def meter(self, price: Price | None, model: str) -> Meter:
        """A meter that stops when the purse is empty.

        Raises:
            ConfigError: There is a budget and no price.
        """
        if self.budget_usd is not None and price is None:
            raise ConfigError(
                f"a budget needs a price, and that of {model} is unknown",
                where="budget_usd",
                expected='prices = {"<model>": {"input": USD per million tokens, "output": USD per million tokens}}',
                remedy="set a price for every member, or leave budget_usd out",
            )
        made = _MemberMeter(price, self)
        self._meters.append(made)
        return made


class _MemberMeter(Meter):
    """Counts for one member; the budget is everybody's."""

    def __init__(self, price: Price | None, purse: Purse) -> None:
        super().__init__(price)
        self._purse = purse
        self.budget_usd = purse.budget_usd

    def committed_usd(self) -> float:
        """What the whole panel has spent or set aside."""
        return self._purse.committed_usd

    @property
    def exhausted(self) -> bool:
        """Whether the panel may make no further call."""
        return self._purse.budget_usd is not None and self._purse.spent_usd >= self._purse.budget_usd


class PanelMeter:
    """The meters of the members as one; see :class:`~muffakir_eval.judges.prices.Meter`."""

    def __init__(self, members: Sequence[PanelMember], budget_usd: float | None) -> None:
        self._members = members
        self.budget_usd = budget_usd
        self.price = None
        """Each member has its own."""

    @property
    def spent_usd(self) -> float:
        """What all of them have spent."""
        return math.fsum(member.judge.meter.spent_usd for member in self._members)

    def total(self) -> dict[str, Any]:
        """The figures of all members together."""
        return _joined([member.judge.meter for member in self._members], None)

    def by_metric(self) -> dict[str, dict[str, Any]]:
        """The same for every metric that asked."""
        meters = [member.judge.meter for member in self._members]
        names = sorted({name for meter in meters for name in meter.by_metric()})
        return {name: _joined(meters, name) for name in names}

    def by_member(self) -> dict[str, dict[str, Any]]:
        """What each member has taken."""
        return {member.label: member.judge.meter.total() for member in self._members}


def _joined(meters: Sequence[Meter], metric: str | None) -> dict[str, Any]:
    totals = [meter.total() if metric is None else meter.by_metric().get(metric) for meter in meters]
    known = [total for total in totals if total is not None]
    figures: dict[str, Any] = {
        name: sum(total[name] for total in known) for name in ("calls", "failed_calls", "cached", "uncounted_calls")
    }
    for name in ("input_tokens", "output_tokens", "cost_usd", "cost_estimate_usd"):
        amounts = [total[name] for total in known]
        figures[name] = None if any(amount is None for amount in amounts) else sum(amounts)
    figures["latency_ms"] = latency_figures(value for meter in meters for value in meter.latencies(metric))
    return figures


class PanelJudge:
    """A panel that is bound to a metric like one judge; the metric asks every member and joins their values.

    Args:
        members: At least two.
        method: How their values become one.
        quorum: So many of them must have given a value.
        name: What the panel is called.
        budget_usd: Of all of them together.
    """

    def __init__(
        self,
        members: Sequence[PanelMember],
        *,
        method: Literal["median", "majority", "mean"],
        quorum: int,
        name: str,
        budget_usd: float | None = None,
    ) -> None:
        self.members = tuple(members)
        self.method = method
        self.quorum = quorum
        self.name = name
        self.meter = PanelMeter(self.members, budget_usd)

    @property
    def identity(self) -> Mapping[str, Any]:
        """The panel and everything that changes its values."""
        members = [{"label": member.label, **member.judge.identity} for member in self.members]
        return {
            "provider": "jury",
            "model": self.name,
            "method": self.method,
            "quorum": self.quorum,
            "members": members,
        }

    @property
    def served_by(self) -> set[str]:
        """Names under which servers answered."""
        return {name for member in self.members for name in member.judge.served_by}

    @property
    def notes(self) -> set[str]:
        """Settings that could not be applied, with the member that could not be told them."""
        return {f"{member.label}: {note}" for member in self.members for note in member.judge.notes}

    def seated(self, members: Sequence[PanelMember]) -> PanelJudge:
        """The same panel with other members."""
        budget = self.meter.budget_usd
        return PanelJudge(members, method=self.method, quorum=self.quorum, name=self.name, budget_usd=budget)

    async def aclose(self) -> None:
        """Close the connections of all members."""
        await asyncio.gather(*(member.judge.aclose() for member in self.members))


def seats(judge: Any, details: Mapping[str, Any]) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Who gave a score: the judge with the details of the score, or every member with its part of them.

    Args:
        judge: One judge, or a panel.
        details: Of a score.
    """
    if not isinstance(judge, PanelJudge):
        yield judge, details
        return
    told = {part["judge"]: part for part in (details.get("jury") or {}).get("members", ())}
    for member in judge.members:
        if member.label in told:
            yield member.judge, told[member.label]
