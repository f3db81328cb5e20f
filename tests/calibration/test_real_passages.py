"""Real passages, re-chunked and roughened, with labels by construction."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from muffakir_eval import MatchSettings, calibrate_matching
from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.records import RetrievedChunk, Sample
from tests.matching.test_quality import tool


@pytest.fixture(scope="module")
def cases(data_dir: Path) -> list[tuple[str, str, bool]]:
    found = tool(data_dir, "match_cases").cases(data_dir / "arcd" / "arcd-train.json", 3)
    return [(gold, chunk, relevant) for gold, chunk, relevant, *_ in islice(found, 450)]


def test_the_defaults_stay(cases: list[tuple[str, str, bool]]) -> None:
    found = calibrate_matching(cases)
    assert (found.verdict, found.recommended) == ("keep", MatchSettings())
    assert (found.current.quality.f.value or 0) >= 0.99


def test_settings_that_are_too_strict_are_put_right_and_a_run_says_the_same(
    cases: list[tuple[str, str, bool]],
) -> None:
    strict = MatchSettings(overlap_threshold=0.9, coverage_threshold=0.95)
    found = calibrate_matching(cases, strict)
    assert found.verdict == "adopt"
    assert (found.current.quality.f.value or 0) < 0.9
    assert found.out_of_fold is not None
    assert (found.out_of_fold.f.value or 0) >= 0.98
    matcher = ChunkMatcher(found.recommended)
    for pair in found.pairs:
        sample = Sample(sample_id="1", question="؟", contexts=(pair.gold,))
        assert matcher.match([RetrievedChunk(text=pair.chunk)], sample)[0].relevant == pair.calibrated
