"""Why a run stops over its batches, and what to do."""

from __future__ import annotations

from muffakir_eval.errors import JudgeError, JudgeKeyError
from muffakir_eval.judges.failures import Failure

__all__ = ["unreachable", "unsent"]

_NO_INTERFACE = frozenset({404, 405, 501})
_KEPT = "start the same run again to go on: what was sent is not sent again"


def unsent(failure: Failure, where: str) -> JudgeError:
    """A batch could not be sent."""
    if failure.fault == "rejected_key":
        return _key_error(failure, where)
    if failure.status in _NO_INTERFACE:
        return JudgeError(
            f"the server takes no batches ({failure.message})",
            where=where,
            remedy="set judge_mode to 'live', or judge with a provider that has a batch interface",
        )
    remedy = _KEPT if failure.error().retriable else "mend the cause, or set judge_mode to 'live'"
    return JudgeError(f"a batch could not be sent ({failure.message})", where=where, remedy=remedy)


def unreachable(failure: Failure, where: str) -> JudgeError:
    """What became of a batch cannot be found out."""
    if failure.fault == "rejected_key":
        return _key_error(failure, where)
    remedy = _KEPT
    if not failure.error().retriable:
        remedy = (
            "see that the key is of the account that sent it; where its results are gone, on_existing='overwrite'"
            " asks anew, and pays anew, what is not in the cache"
        )
    return JudgeError(f"a batch that was sent cannot be collected ({failure.message})", where=where, remedy=remedy)


def _key_error(failure: Failure, where: str) -> JudgeKeyError:
    return JudgeKeyError(
        f"the provider rejects the key ({failure.message.rstrip('.')})",
        where=where,
        remedy="check api_key, or the provider's environment variable, and start the same run again:"
        " what was finished is kept",
    )
