"""What exceptions of all kinds mean, and what is kept of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from muffakir_eval.judges.failures import error_part, explain
from muffakir_eval.judges.faults import OPENAI
from muffakir_eval.judges.protocol import Fault


class _Response:
    def __init__(self, status_code: int, headers: dict[str, str] | None = None) -> None:
        self.status_code = status_code
        self.headers = headers or {}


class HTTPStatusError(Exception):
    """As of httpx, in name and shape."""

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.response = _Response(status, {"retry-after": "7"})


class ResourceExhausted(Exception):  # noqa: N818
    """As of google.api_core."""

    code = 429


class ReadTimeout(TimeoutError):  # noqa: N818
    pass


@pytest.mark.parametrize(
    ("error", "fault", "status"),
    [
        (HTTPStatusError(503), "overloaded", 503),
        (HTTPStatusError(401), "rejected_key", 401),
        (ResourceExhausted("quota"), "rate_limited", 429),
        (ReadTimeout("slow"), "timeout", None),
        (ConnectionResetError("gone"), "connection", None),
        (KeyError("x"), "unknown", None),
    ],
)
def test_what_other_libraries_raise(error: Exception, fault: Fault, status: int | None) -> None:
    failure = explain(error, OPENAI)
    assert (failure.fault, failure.status) == (fault, status)
    assert type(error).__name__ in failure.message


def test_the_wait_of_another_library() -> None:
    assert explain(HTTPStatusError(429), OPENAI).retry_after_s == 7.0


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ({"error": {"message": "m"}}, {"message": "m"}),
        ([{"error": {"message": "m"}}], {"message": "m"}),
        ({"error": "m"}, {"message": "m"}),
        ({"message": "m"}, {"message": "m"}),
        ([], None),
        ("text", None),
        (None, None),
    ],
)
def test_error_bodies(body: object, part: Mapping[str, Any] | None) -> None:
    assert error_part(body) == part


class _Said(Exception):  # noqa: N818
    def __init__(self, status: int, body: object) -> None:
        super().__init__("error")
        self.status_code = status
        self.body = body


@pytest.mark.parametrize(
    ("parameter", "message", "refused"),
    [
        ("temperature", "Unsupported value: 'temperature' does not support 0.0. Only the default (1) does.", True),
        ("temperature", "invalid temperature: only 1 is allowed for this model", True),
        ("temperature", "`temperature` may only be set to 1 when thinking is enabled.", True),
        ("temperature", "temperature: Extra inputs are not permitted", True),
        ("temperature", "temperature must be between 0 and 2", False),
        ("temperature", "the model melted at this temperature", False),
        ("max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", True),
        ("max_tokens", "Unrecognized request argument supplied: max_completion_tokens", False),
        ("max_completion_tokens", "Unrecognized request argument supplied: max_completion_tokens", True),
    ],
)
def test_refused_parameters(parameter: str, message: str, refused: bool) -> None:
    assert explain(_Said(400, {"message": message}), OPENAI).refuses(parameter) is refused
    assert not explain(_Said(500, {"message": message}), OPENAI).refuses(parameter)


def test_a_long_page_is_cut() -> None:
    failure = explain(_Said(502, "<html>" + "x" * 9_000), OPENAI)
    assert len(failure.message) <= 301
    assert len(failure.said) <= 4_000


def test_a_validation_report_is_shown() -> None:
    detail = [{"loc": ["body", "top_k"], "msg": "Extra inputs are not permitted"}]
    assert "top_k" in explain(_Said(422, {"detail": detail}), OPENAI).message


@pytest.mark.parametrize(
    ("status", "body", "filtered"),
    [
        (400, {"code": "content_filter", "message": "m"}, True),
        (400, {"message": "m", "innererror": {"code": "ResponsibleAIPolicyViolation"}}, True),
        (403, {"message": "Your input was flagged by moderation"}, True),
        (429, {"message": "flagged; content_filter"}, False),
        (400, {"message": "filter the content"}, False),
    ],
)
def test_filtered_texts(status: int, body: object, filtered: bool) -> None:
    assert explain(_Said(status, body), OPENAI).filtered is filtered
