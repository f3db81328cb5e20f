"""What an exception of a call means, in our words and without any secret."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from muffakir_eval.judges.concealing import conceal
from muffakir_eval.judges.faults import BY_STATUS, OTHERS
from muffakir_eval.judges.protocol import Fault, ModelError
from muffakir_eval.judges.waits import retry_after

__all__ = ["Failure", "error_part", "explain", "explain_status", "fault_of_status", "says_overloaded"]

_NO_MONEY = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance", "billing_error"}
)
_BAD_KEY = re.compile(
    r"(?:api[ _-]?key|credentials?)\b.{0,40}\b(?:not valid|invalid|incorrect|expired|revoked)"
    r"|(?:invalid|incorrect|expired|revoked)\W{1,3}api[ _-]?key|credit balance is too low|insufficient balance"
)
_FILTERED = frozenset(
    {"content_filter", "content_policy_violation", "responsibleaipolicyviolation", "moderation_blocked"}
)
_OVERLOAD = re.compile(r"\boverloaded(?:_error)?\b")
_REFUSING = re.compile(
    r"unsupported|not support|n't support|unrecogni|unknown|unexpected|not permitted|not allowed|deprecated"
    r"|only the default|extra_forbidden|may only|only \d|cannot both|\binstead\b"
)
_SHOWN = 300
_KEPT = 4_000
_NAMES: Mapping[int, str] = {
    400: "BadRequestError",
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    409: "ConflictError",
    422: "UnprocessableEntityError",
    429: "RateLimitError",
}
"""What both SDKs call the error of a request that is sent alone, by its status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An exception of a call, in our words and without any secret.

    Attributes:
        fault: What went wrong.
        message: For people.
        retry_after_s: Seconds that the server asks to wait.
        status: Of HTTP, where there was an answer.
        code: The provider's own code, in lower case; may be empty.
        said: Everything the server said, in lower case, cut at 4,000 characters.
        made: What the model made before the server found fault with it.
    """

    fault: Fault
    message: str
    retry_after_s: float | None = None
    status: int | None = None
    code: str = ""
    said: str = ""
    made: str = ""

    @property
    def filtered(self) -> bool:
        """The provider would not have the text judged: no fault of the request's form."""
        return self.status in {200, 400, 403, 422} and (
            bool(_FILTERED & set(re.findall(r"[a-z_]+", self.said))) or (self.status != 200 and "flagged" in self.said)
        )

    def refuses(self, parameter: str) -> bool:
        """Whether the server says that it does not take this parameter, whatever its value."""
        named = re.search(rf"(?<![a-z_]){re.escape(parameter)}(?![a-z_])", self.said)
        return self.status in {400, 404, 422} and named is not None and _REFUSING.search(self.said) is not None

    def error(self, calls: int = 1) -> ModelError:
        """The exception for the judge, after so many requests."""
        return ModelError(self.fault, self.message, retry_after_s=self.retry_after_s, calls=calls)


def explain(error: BaseException, table: Mapping[str, Fault | None], secrets: Iterable[str] = ()) -> Failure:
    """What ``error`` means.

    Args:
        error: Anything a call raised.
        table: :data:`~muffakir_eval.judges.faults.OPENAI` or ``ANTHROPIC``; ``OTHERS`` serves what it does not know.
        secrets: Hidden wherever they, or parts of them, stand.

    >>> explain(TimeoutError("read"), {}).fault
    'timeout'
    """
    secrets = tuple(secrets)
    status = _status(error)
    body = getattr(error, "body", None)
    part = error_part(body)
    said = conceal(_everything(error, body), secrets).lower()[:_KEPT]
    code = str((part or {}).get("code") or (part or {}).get("type") or "").lower()
    fault = _refined(_looked_up(error, table, status), status, code, said)
    if status == 403 and isinstance(body, str):
        fault = "bad_request"  # a firewall on the way took offence at this one text
    text = _text(error, part)
    shown = f"{type(error).__name__}{f' (status {status})' if status else ''}{f': {text}' if text else ''}"
    return Failure(
        fault=fault,
        message=_cut(conceal(shown, secrets)),
        retry_after_s=retry_after(_headers(error), said),
        status=status,
        code=conceal(code, secrets),
        said=said,
        made=conceal(str((part or {}).get("failed_generation") or ""), secrets),
    )


class BatchedRequestError(Exception):
    """An error that stands in the results of a batch, where no SDK raises it."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(status)
        self.status_code = status
        self.body = body


def explain_status(status: int, body: Any, secrets: Iterable[str] = ()) -> Failure:
    """What an error means that came as a status and a body, as in the results of a batch.

    >>> explain_status(429, {"error": {"message": "slow down"}}).fault
    'rate_limited'
    """
    failure = explain(BatchedRequestError(status, body), {}, secrets)
    name = _NAMES.get(status, "InternalServerError" if status >= 500 else "APIStatusError")
    return replace(failure, message=failure.message.replace("BatchedRequestError", name, 1))


def fault_of_status(status: int) -> Fault:
    """What an HTTP status means by itself.

    >>> fault_of_status(529), fault_of_status(402), fault_of_status(418)
    ('overloaded', 'rejected_key', 'bad_request')
    """
    return BY_STATUS.get(status, "server_error" if status >= 500 else "bad_request")


def says_overloaded(text: str) -> bool:
    """Whether a server says that it has too much to do.

    >>> says_overloaded("overloaded_error"), says_overloaded("Overloaded"), says_overloaded("it failed")
    (True, True, False)
    """
    return _OVERLOAD.search(text.lower()) is not None


def _looked_up(error: BaseException, table: Mapping[str, Fault | None], status: int | None) -> Fault:
    for kind in type(error).__mro__:
        for known in (table, OTHERS):
            if kind.__name__ in known:
                return known[kind.__name__] or (fault_of_status(status) if status else "unknown")
    return fault_of_status(status) if status else "unknown"


def _refined(fault: Fault, status: int | None, code: str, said: str) -> Fault:
    """Some providers say under one status what belongs under another."""
    if code in _NO_MONEY or (status in {400, 401, 403} and _BAD_KEY.search(said)):
        return "rejected_key"
    where = said[:_SHOWN] if fault in {"unknown", "server_error"} else code  # a 400 may quote the question
    if fault in {"unknown", "bad_request", "server_error"} and says_overloaded(where):
        return "overloaded"
    return fault


def _status(error: BaseException) -> int | None:
    for holder in (error, getattr(error, "response", None)):
        for name in ("status_code", "code", "status"):
            value = getattr(holder, name, None)
            if isinstance(value, int) and not isinstance(value, bool) and 100 <= value <= 599:
                return int(value)
    return None


def _headers(error: BaseException) -> Mapping[str, str]:
    headers = getattr(getattr(error, "response", None), "headers", None)
    return headers if isinstance(headers, Mapping) else {}


def error_part(body: object) -> Mapping[str, Any] | None:
    """The error object inside a body; some servers wrap it in a list, some give a bare text.

    >>> error_part([{"error": {"code": 400}}]), error_part({"error": "no such model"}), error_part("<html>")
    ({'code': 400}, {'message': 'no such model'}, None)
    """
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, Mapping):
        return None
    inner = body.get("error")
    if isinstance(inner, Mapping):
        return inner
    return {"message": inner} if isinstance(inner, str) else body


def _everything(error: BaseException, body: object) -> str:
    if body is None:
        return str(error)
    return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, default=str)


def _text(error: BaseException, part: Mapping[str, Any] | None) -> str:
    if part is not None:
        said = part.get("message") or part.get("detail") or part
        return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False, default=str)
    if isinstance(error, ValueError):
        return "the answer is no JSON"
    cause = error.__cause__
    if cause is not None:
        return f"{type(cause).__name__}: {cause}".rstrip(": ")
    return " ".join(str(error).split())


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
