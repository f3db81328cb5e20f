"""``samples.jsonl``: everything that is known about every question, one JSON object a line.

Strict JSON in UTF-8 without a byte order mark. The keys of the first level are those of a question set, so
that the file is one: ``sample_id``, ``question``, ``gold_answers``, ``gold_contexts``, ``gold_chunk_ids``,
``grades``, ``source_file``, ``answerable``, ``metadata``, ``predicted_answer``, ``retrieved_contexts``,
``retrieved_chunk_ids``, ``retrieved_sources``, ``retrieved_scores``, ``pipeline_latency_ms``. What is not known is
left out. What the run found stands beside them:

- ``run_id``: of the run.
- ``sample_result``: ``key``, ``row``, ``answerable`` (after the rules of the run), the latencies in milliseconds,
  ``golds`` (each with its ``index``, ``grade`` and ``alternatives``), ``matches`` (one per rank: ``relevant``, the
  ``stage`` that decided, its ``score``, ``gold_indices``, ``repeat``), ``scores`` by metric (``value`` or ``null``,
  ``state``, ``reason``, ``details`` with the judge's reasons and claims), ``refusal``, ``refusal_check`` (what a
  judge said about it), and ``output`` (what else the pipeline said: its error, the transformed query, the timings
  of its stages, metadata, and the metadata of the chunks).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from muffakir_eval.datasets.samples_file import sample_row
from muffakir_eval.records import Sample, SampleResult, Score
from muffakir_eval.records.codec import encode, json_value, strict_json

__all__ = ["jsonl_chunks", "result_row"]


def jsonl_chunks(samples: Iterable[SampleResult], run_id: str) -> Iterator[bytes]:
    """The content of ``samples.jsonl``, one line at a time.

    Raises:
        ValueError: A value is NaN or infinite, where none was measured.
    """
    for result in samples:
        yield f"{strict_json(result_row(result, run_id))}\n".encode()


def result_row(result: SampleResult, run_id: str) -> dict[str, Any]:
    """One line of the file.

    >>> from muffakir_eval.records import PipelineOutput
    >>> asked = Sample(sample_id="1", row=2, question="؟")
    >>> found = SampleResult(key="k", sample=asked, output=PipelineOutput(answer="نعم"))
    >>> row = result_row(found, "r")
    >>> row["question"], row["predicted_answer"], row["sample_result"]["row"]
    ('؟', 'نعم', 2)
    """
    sample = replace(result.sample, recorded=result.output)
    further: dict[str, Any] = {
        "key": result.key,
        "row": result.sample.row,
        "answerable": result.answerable,
        "latency_ms": result.latency_ms,
        "pipeline_latency_ms": result.pipeline_latency_ms,
        "evaluation_overhead_ms": result.evaluation_overhead_ms,
        "golds": list(_golds(result.sample)),
        "matches": [{"relevant": match.relevant, **encode(match)} for match in result.matches],
        "scores": {name: _score(score) for name, score in result.scores.items()},
        "refusal": None if result.refusal is None else encode(result.refusal),
        "refusal_check": json_value(result.refusal_check),
        "output": _output(result),
    }
    return {
        "run_id": run_id,
        **sample_row(sample),
        "sample_result": {name: value for name, value in further.items() if value not in (None, [], {})},
    }


def _golds(sample: Sample) -> Iterator[dict[str, Any]]:
    for gold in sample.golds:
        yield {
            "index": gold.index,
            "grade": gold.grade,
            "alternatives": [_alternative(sample, position) for position in gold.alternatives],
        }


def _alternative(sample: Sample, position: int) -> dict[str, str]:
    found = {
        "chunk_id": sample.chunk_ids[position] if position < len(sample.chunk_ids) else None,
        "text": sample.contexts[position] if position < len(sample.contexts) else None,
        "source": sample.source_of(position),
    }
    return {name: value for name, value in found.items() if value}


def _score(score: Score) -> dict[str, Any]:
    told = {"value": score.value, "state": score.state, "reason": score.reason, "details": json_value(score.details)}
    return {name: value for name, value in told.items() if name == "value" or value not in (None, {})}


def _output(result: SampleResult) -> dict[str, Any]:
    chunks = result.output.chunks or ()
    said = encode(result.output, without={"answer", "chunks", "pipeline_latency_ms"})
    if any(chunk.metadata for chunk in chunks):
        said["chunks_metadata"] = [json_value(chunk.metadata) for chunk in chunks]
    return said
