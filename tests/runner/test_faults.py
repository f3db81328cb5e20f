"""What ends a run and what is only a fault of the user's code."""

from __future__ import annotations

import asyncio

import pytest

from muffakir_eval.errors import ConfigError
from muffakir_eval.redaction import redact
from muffakir_eval.runner.faults import describe, ends_the_run, shorten


class OwnError(BaseException):
    """As pyo3 raises for a panic in Rust."""


@pytest.mark.parametrize(
    ("error", "ends"),
    [
        (KeyboardInterrupt(), True),
        (BaseExceptionGroup("g", [ValueError(), BaseExceptionGroup("h", [KeyboardInterrupt()])]), True),
        (BaseExceptionGroup("g", [ValueError(), SystemExit(1)]), False),
        (SystemExit(3), False),
        (OwnError("panicked"), False),
        (ValueError("x"), False),
        (asyncio.CancelledError(), False),
        (GeneratorExit(), False),
    ],
)
def test_what_the_users_code_raises_inside_a_run(error: BaseException, ends: bool) -> None:
    async def main() -> bool:
        return ends_the_run(error)

    assert asyncio.run(main()) is ends


def test_a_cancellation_that_was_asked_of_the_run_ends_it() -> None:
    async def main() -> bool:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError as error:
            return ends_the_run(error)
        return False

    async def outer() -> bool:
        task = asyncio.create_task(main())
        await asyncio.sleep(0)
        task.cancel()
        return await task

    assert asyncio.run(outer()) is True


def test_a_coroutine_that_is_thrown_away_goes() -> None:
    assert ends_the_run(GeneratorExit()) is True


class UnreadableError(Exception):
    def __str__(self) -> str:
        raise LookupError("no text")


class NoTextError(Exception):
    def __str__(self) -> str:
        return 5  # type: ignore[return-value]  # noqa: PLE0307


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("a\n  b\tc"), "ValueError: a b c"),
        (ValueError(), "ValueError"),
        (KeyError("س"), "KeyError: 'س'"),
        (ValueError("half \ud83d"), "ValueError: half \ud83d"),
        (UnreadableError(), "UnreadableError: its text cannot be read (LookupError)"),
        (NoTextError(), "NoTextError: its text cannot be read (TypeError)"),
        (ValueError("401 sk-abcdefgh1234"), "ValueError: 401 ***"),
        (ConfigError("a key: sk-abcdefgh1234", where="x"), "x: a key: ***"),
    ],
)
def test_an_exception_in_one_line(error: BaseException, said: str) -> None:
    assert describe(error, redact).rstrip(".") == said


def test_a_huge_text_is_cut_and_a_secret_at_the_cut_stays_hidden() -> None:
    key = "sk-" + "abcdefgh" * 20
    said = describe(ValueError("x " * 980 + key + " y" * 1_000_000), redact)
    assert len(said) < 2_100
    assert "abcdefgh" not in said
    assert said.endswith("characters)")
    assert shorten("س" * 2_000, redact) == "س" * 2_000
    assert shorten("س" * 2_001, redact) == "س" * 2_000 + "… (2,001 characters)"
