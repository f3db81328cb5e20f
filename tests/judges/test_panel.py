"""What a panel takes together, and its one budget."""

from __future__ import annotations

import pytest

from muffakir_eval.errors import ConfigError
from muffakir_eval.judges.panel import PanelJudge, PanelMember, Purse, seats
from muffakir_eval.judges.prices import Meter, Price
from muffakir_eval.judges.protocol import Usage


class Seat:
    """A judge of which only the meter matters."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self.identity = {"provider": "x", "model": "m"}
        self.served_by = {"m-2026"}
        self.notes = {"temperature not sent"}


def spend(meter: Meter, metric: str, tokens: int | None, latency_ms: float = 10.0) -> None:
    used = Usage(calls=1, input_tokens=tokens, output_tokens=0, latency_ms=latency_ms)
    meter.add_call(metric, used, estimated=Usage(calls=1, input_tokens=1000, output_tokens=0))


def panel(*meters: Meter, budget: float | None = None) -> PanelJudge:
    members = [PanelMember(f"j{number}", Seat(meter)) for number, meter in enumerate(meters, 1)]
    return PanelJudge(members, method="mean", quorum=1, name="p", budget_usd=budget)


def test_the_figures_of_all_members_together() -> None:
    a, b = Meter(Price(input=1000.0, output=0.0)), Meter(Price(input=2000.0, output=0.0))
    spend(a, "rating", 100, 10.0)
    spend(b, "rating", 100, 30.0)
    spend(b, "faithfulness", 100, 50.0)
    meter = panel(a, b).meter
    total = meter.total()
    assert (total["calls"], total["input_tokens"], total["cost_usd"]) == (3, 300, pytest.approx(0.5))
    assert (total["latency_ms"]["mean"], total["latency_ms"]["max"]) == (30.0, 50.0)
    assert list(meter.by_metric()) == ["faithfulness", "rating"]
    assert meter.by_metric()["rating"]["calls"] == 2
    assert meter.by_member()["j2"]["calls"] == 2
    assert meter.spent_usd == pytest.approx(0.5)


def test_what_one_member_does_not_know_the_panel_does_not_know() -> None:
    a, b = Meter(Price(input=1000.0, output=0.0)), Meter()
    spend(a, "m", None)
    spend(b, "m", 5)
    total = panel(a, b).meter.total()
    assert (total["input_tokens"], total["cost_usd"], total["cost_estimate_usd"]) == (None, None, None)


def test_one_budget_for_members_of_different_prices() -> None:
    purse = Purse(1.0)
    cheap, dear = purse.meter(Price(input=1000.0, output=0.0), "c"), purse.meter(Price(input=9000.0, output=0.0), "d")
    spend(cheap, "m", 100)
    assert [meter.exhausted for meter in (cheap, dear)] == [False, False]
    spend(dear, "m", 100)
    assert purse.spent_usd == pytest.approx(1.0)
    assert [meter.exhausted for meter in (cheap, dear)] == [True, True]
    with pytest.raises(ConfigError, match="that of e is unknown"):
        purse.meter(None, "e")
    assert not Purse().meter(None, "e").exhausted


def test_who_sits_there() -> None:
    judge = panel(Meter(), Meter())
    assert judge.identity["members"][1] == {"label": "j2", "provider": "x", "model": "m"}
    assert (judge.identity["model"], judge.identity["method"], judge.identity["quorum"]) == ("p", "mean", 1)
    assert judge.served_by == {"m-2026"}
    assert judge.notes == {"j1: temperature not sent", "j2: temperature not sent"}


def test_the_parts_of_a_score_belong_to_the_members() -> None:
    judge = panel(Meter(), Meter())
    details = {"jury": {"members": [{"judge": "j2", "usage": 2}, {"judge": "gone", "usage": 9}]}}
    assert [(member is judge.members[1].judge, part["usage"]) for member, part in seats(judge, details)] == [(True, 2)]
    assert list(seats(judge, {"usage": 1})) == []
    alone = Seat(Meter())
    assert list(seats(alone, {"usage": 1})) == [(alone, {"usage": 1})]
