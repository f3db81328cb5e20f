"""From a sample and an output to scores: the part of every run that asks nobody.

A run on one machine, and one whose rows are spread over many, both go through these functions, so that
they cannot give different numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from muffakir_eval.errors import JudgeError, MetricError
from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.metrics.table import Metric
from muffakir_eval.records import ChunkMatch, PipelineOutput, Sample, Score, Trial
from muffakir_eval.refusals import Lexicon, answerability, find_refusal

__all__ = ["TrialMaker", "after_fault", "failure_of", "score_at_once"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialMaker:
    """Compares outputs with the gold evidence, and looks for refusals.

    Attributes:
        matcher: Compares chunks with the gold evidence.
        k: Main cutoff.
        depth: Largest cutoff: so many chunks are looked at.
        lexicon: The phrases of refusals; ``None`` takes those of the package.
    """

    matcher: ChunkMatcher
    k: int
    depth: int
    lexicon: Lexicon | None = None

    def trial(self, sample: Sample, output: PipelineOutput) -> Trial:
        """All evidence about one sample."""
        matches: tuple[ChunkMatch, ...] = ()
        comparable = True
        if output.chunks and sample.golds:
            chunks = output.chunks[: self.depth]
            comparable = self.matcher.comparable(chunks, sample)
            matches = self.matcher.match(chunks, sample)
        return Trial(
            sample=sample,
            output=output,
            matches=matches,
            k=self.k,
            refusal=find_refusal(output.answer, self.lexicon),
            answerable=answerability(sample, self.lexicon),
            comparable=comparable,
        )


def failure_of(metric: Metric, output: PipelineOutput) -> Score:
    """The score of ``metric`` for a pipeline that gave no output but an error."""
    return Score.failed(metric.name, "timeout" if output.metadata.get("timeout") else "pipeline_error")


def after_fault(metric: Metric, trial: Trial, score: Score) -> Score:
    """``score`` as it counts: without an output only the metric's own word that it would not have applied."""
    if trial.output.error is None or score.state == "not_applicable":
        return score
    return failure_of(metric, trial.output)


def score_at_once(metric: Metric, trial: Trial) -> Score:
    """The score of a metric that computes it here and now.

    An exception becomes a score that failed with ``metric_error``.

    Raises:
        MetricError: The metric has to be waited for.
    """
    try:
        score = metric.compute(trial)
    except JudgeError:
        raise  # it concerns every sample
    except Exception as error:  # noqa: BLE001 - one metric of one sample never stops a run
        score = Score.failed(metric.name, "metric_error", {"type": type(error).__name__, "message": str(error)})
    if not isinstance(score, Score):
        raise MetricError(
            f"the metric {metric.name!r} has to be waited for", where="config, key 'metrics'", remedy="leave it out"
        )
    return after_fault(metric, trial, score)
