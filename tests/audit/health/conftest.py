"""What the tests of the health check share: clean text, and a way to have it checked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from muffakir_eval import load_corpus
from muffakir_eval.audit.health import HealthCheck, HealthReport
from tests.audit.health.corpora import Examine, chunked

CORPUS = Path(__file__).resolve().parents[3] / "examples" / "corpus.jsonl"


@pytest.fixture(scope="session")
def clean() -> tuple[str, ...]:
    """72 Arabic passages of the example corpus."""
    return tuple(chunk.text for chunk in load_corpus(CORPUS))


@pytest.fixture(scope="session")
def examine() -> Examine:
    """Check texts, each with an identifier and a source of its own unless told otherwise."""

    def examined(
        texts: Sequence[str],
        ids: Sequence[str | None] | None = None,
        sources: Sequence[str | None] | None = None,
        check: HealthCheck | None = None,
    ) -> HealthReport:
        check = check or HealthCheck()
        return check.report(check.scan(chunked(texts, ids, sources)))

    return examined
