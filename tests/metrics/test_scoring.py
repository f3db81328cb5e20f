"""From a sample and an output to scores, without asking anybody."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muffakir_eval.errors import JudgeError, MetricError
from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.metrics import Metric, resolve_metrics
from muffakir_eval.metrics.scoring import TrialMaker, score_at_once
from muffakir_eval.records import PipelineOutput, RetrievedChunk, Sample, Score, Trial

MAKER = TrialMaker(matcher=ChunkMatcher(), k=1, depth=2)
GOLD = "عاصمة سلطنة عمان هي مدينة مسقط"
SAMPLE = Sample(sample_id="1", question="ما عاصمة عمان؟", contexts=(GOLD,), answers=("مسقط",))
(RECALL,) = resolve_metrics(["recall"], k=1)


def trial(*texts: str, sample: Sample = SAMPLE, answer: str | None = "مسقط") -> Trial:
    return MAKER.trial(sample, PipelineOutput(answer=answer, chunks=tuple(RetrievedChunk(text=text) for text in texts)))


def test_a_trial_looks_as_deep_as_the_largest_cutoff() -> None:
    found = trial("نص بعيد", GOLD, GOLD)
    assert [match.relevant for match in found.matches] == [False, True]
    assert (found.k, found.answerable, found.refused, found.comparable) == (1, True, False, True)


def test_a_refusal_and_what_cannot_be_compared_are_seen() -> None:
    only_ids = Sample(sample_id="1", question="؟", chunk_ids=("7",))
    found = trial("نص", sample=only_ids, answer="لا أعرف")
    assert (found.comparable, found.refused) == (False, True)


@pytest.mark.parametrize(("timeout", "reason"), [(True, "timeout"), (False, "pipeline_error")])
def test_without_an_output_a_metric_fails_unless_it_would_not_have_applied(timeout: bool, reason: str) -> None:
    output = PipelineOutput(error="TimeoutError: 3 s", metadata={"timeout": timeout})
    failed = score_at_once(RECALL, MAKER.trial(SAMPLE, output))
    assert (failed.state, failed.reason) == ("failed", reason)
    bare = score_at_once(RECALL, MAKER.trial(Sample(sample_id="2", question="؟"), output))
    assert (bare.state, bare.reason) == ("not_applicable", "no_gold")


def broken(trial: Trial) -> Score:
    raise ZeroDivisionError("صفر")


def keyless(trial: Trial) -> Score:
    raise JudgeError("the key is wrong")


async def later(trial: Trial) -> Score:
    return Score.measured("later", 1.0)


def test_an_exception_is_a_failed_score() -> None:
    score = score_at_once(replace(RECALL, compute=broken), trial(GOLD))
    assert (score.state, score.reason) == ("failed", "metric_error")
    assert score.details == {"type": "ZeroDivisionError", "message": "صفر"}


def test_what_concerns_every_sample_is_raised() -> None:
    with pytest.raises(JudgeError, match="the key is wrong"):
        score_at_once(replace(RECALL, compute=keyless), trial(GOLD))


@pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")
def test_what_has_to_be_waited_for_is_refused() -> None:
    metric: Metric = replace(RECALL, name="later", compute=later)
    with pytest.raises(MetricError, match="'later' has to be waited for"):
        score_at_once(metric, trial(GOLD))
