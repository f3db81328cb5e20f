"""The exception tables: complete for the installed SDKs, most specific class first."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType

import anthropic
import openai
import pytest

from muffakir_eval.judges.failures import explain
from muffakir_eval.judges.faults import ANTHROPIC, NEVER_RAISED, OPENAI, OTHERS
from muffakir_eval.judges.protocol import Fault

SDKS: list[tuple[ModuleType, Mapping[str, Fault | None]]] = [(openai, OPENAI), (anthropic, ANTHROPIC)]


def public_exceptions(sdk: ModuleType) -> set[str]:
    """Of the package itself, and whatever its module of exceptions exports."""
    found = {
        name
        for name, value in list(vars(sdk).items())
        if isinstance(value, type) and issubclass(value, BaseException) and not name.startswith("_")
    }
    return found | set(sdk._exceptions.__all__)


@pytest.mark.parametrize(("sdk", "table"), SDKS, ids=["openai", "anthropic"])
def test_the_table_knows_every_public_exception(sdk: ModuleType, table: Mapping[str, Fault | None]) -> None:
    never = NEVER_RAISED[sdk.__name__]
    public = public_exceptions(sdk)
    assert len(public) > 15
    assert public - table.keys() - never.keys() == set(), "new exceptions: give each a fault or a reason"
    assert table.keys() - public == set(), "the table names exceptions that are gone"
    assert not table.keys() & never.keys()
    assert all(never.values())


@pytest.mark.parametrize(("sdk", "table"), SDKS, ids=["openai", "anthropic"])
def test_a_class_of_tomorrow_is_read_by_its_parent(sdk: ModuleType, table: Mapping[str, Fault | None]) -> None:
    class QuotaOfTomorrowError(sdk.RateLimitError):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            Exception.__init__(self, "wait")

    assert explain(QuotaOfTomorrowError(), table).fault == "rate_limited"


@pytest.mark.parametrize("table", [OPENAI, ANTHROPIC, OTHERS])
def test_faults_are_faults(table: Mapping[str, Fault | None]) -> None:
    known = {"rate_limited", "overloaded", "timeout", "connection", "server_error", "rejected_key", "bad_request"}
    assert set(table.values()) <= known | {"unknown", None}
