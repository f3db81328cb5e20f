"""The wait that a server asks for."""

from __future__ import annotations

import datetime
import email.utils

import pytest

from muffakir_eval.judges.waits import retry_after


@pytest.mark.parametrize(
    ("headers", "said", "seconds"),
    [
        ({"retry-after": "300"}, "", 300.0),
        ({"retry-after": "-5"}, "", 0.0),
        ({"retry-after": "nan"}, "", None),
        ({"retry-after": "soon"}, "", None),
        ({"retry-after-ms": "1500", "retry-after": "9"}, "", 1.5),
        ({"retry-after-ms": "soon", "retry-after": "9"}, "", 9.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, "", 0.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 -0000"}, "", 0.0),
        ({}, "Rate limit reached. Please try again in 6m0s.", 360.0),
        ({}, "try again in 1h2m3.5s", 3723.5),
        ({}, "Try again in 20ms", 0.02),
        ({}, "please retry after 20 seconds", 20.0),
        ({}, '{"retryDelay": "38s"}', 38.0),
        ({}, "please retry in 12.5s.", 12.5),
        ({}, "retry in a while", None),
        ({}, "", None),
        ({"retry-after": "3"}, "try again in 6m0s", 3.0),
    ],
)
def test_waits(headers: dict[str, str], said: str, seconds: float | None) -> None:
    assert retry_after(headers, said) == seconds


def test_a_date_to_come() -> None:
    moment = datetime.datetime.now(datetime.UTC) + datetime.timedelta(minutes=5)
    wait = retry_after({"retry-after": email.utils.format_datetime(moment, usegmt=True)})
    assert wait is not None
    assert 290 < wait <= 300
