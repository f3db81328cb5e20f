"""The recorded answers that are compared, what people said of them, and which rating belongs to which."""

from __future__ import annotations

import difflib
import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from muffakir_eval.comparison.judges.inputs import Answer, People, Rating
from muffakir_eval.comparison.judges.labels import Label, label_words, read_label
from muffakir_eval.comparison.judges.scale import Scale
from muffakir_eval.datasets import EvaluationDataset
from muffakir_eval.errors import ConfigError, DatasetRowError
from muffakir_eval.records import PipelineOutput, Sample
from muffakir_eval.records.codec import encode
from muffakir_eval.report import EvaluationReport
from muffakir_eval.tally import GroupBy, group_value

__all__ = ["answer_keys", "answers_of", "people_of", "ratings_of", "silent_members"]

_ENOUGH = 20
"""Labels from which the whole scale may be expected to occur."""
_NO_CONTENT = {"sample_id", "row", "metadata", "recorded"}


def answers_of(samples: Sequence[Sample], groups: GroupBy) -> list[Answer]:
    """The answers in the order of the dataset."""
    cluster = groups.cluster_column
    return [
        Answer(
            sample_id=sample.sample_id,
            row=sample.row,
            question=sample.question,
            answer=None if sample.recorded is None else sample.recorded.answer,
            groups={column: group_value(sample, column) for column in groups.slice_by},
            cluster=None if cluster is None else group_value(sample, cluster),
        )
        for sample in samples
    ]


def answer_keys(pairs: Iterator[tuple[Sample, PipelineOutput | None]]) -> list[str]:
    """A key of question, gold, answer and passages of each; equal ones are told apart by their occurrence."""
    seen: Counter[str] = Counter()
    keys = []
    for sample, output in pairs:
        nothing = output is None or (output.answer is None and not output.chunks)
        said = None if output is None or nothing else [output.answer, [chunk.text for chunk in output.chunks or ()]]
        content = json.dumps([encode(sample, without=_NO_CONTENT), said], sort_keys=True)
        key = hashlib.sha256(content.encode("ascii")).hexdigest()[:32]
        seen[key] += 1
        keys.append(key if seen[key] == 1 else f"{key}~{seen[key]}")
    return keys


def ratings_of(report: EvaluationReport, keys: Sequence[str]) -> tuple[dict[str, list[Rating | None]], int]:
    """Of each metric the rating of every answer, and how many answers of the run are none of these.

    Args:
        report: Of the judge's run.
        keys: Of the answers, from :func:`answer_keys`.
    """
    places = {key: place for place, key in enumerate(keys)}
    found: dict[str, list[Rating | None]] = {}
    results = list(report.samples)
    strange = 0
    for key, result in zip(answer_keys((each.sample, each.output) for each in results), results, strict=True):
        place = places.get(key)
        if place is None:
            strange += 1
            continue
        for name, score in result.scores.items():
            found.setdefault(name, [None] * len(keys))[place] = Rating.of(score)
    return found, strange


def silent_members(report: EvaluationReport) -> list[str]:
    """Of a panel: the members that gave no verdict where they should have, in words.

    A score has a value as long as a quorum gave one; that the panel was smaller than it looks must be seen.
    """
    asked: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    if (report.to_dict().get("judge") or {}).get("provider") != "jury":
        return []
    for result in report.samples:
        for score in result.scores.values():
            for part in (score.details.get("jury") or {}).get("members", ()):
                asked[part["judge"]] += 1
                failed[part["judge"]] += part["state"] == "failed"
    return [f"member {label} failed on {failed[label]} of {asked[label]} ratings" for label in asked if failed[label]]


def people_of(
    samples: EvaluationDataset,
    columns: Mapping[str, str],
    scales: Mapping[str, Scale],
    words: Mapping[Any, float | None] | None,
    human_scale: tuple[float, float] | None,
) -> tuple[dict[str, People], list[str]]:
    """What people said, metric by metric, and what the user should know about it.

    Args:
        samples: The dataset.
        columns: Metric to the column with the human labels.
        scales: Metric to its scale.
        words: The user's own words for numbers.
        human_scale: Ends of the people's scale, where it is to be moved onto that of the metric.

    Raises:
        ConfigError: There is no such column, or nothing in it, or the scale is malformed.
        DatasetRowError: A label is not known; the message names row and column.
    """
    human_scale = _ends(human_scale)
    known = label_words(words)
    found: dict[str, People] = {}
    notes: list[str] = []
    for metric, column in columns.items():
        labels = _labels(samples, column, known, (human_scale or (0.0, scales[metric].high))[1])
        scale, values = scales[metric], [label for label in labels if label is not None]
        numbers = [label[0] for label in values]
        _refuse_mixed(samples, column, labels, human_scale)
        if human_scale is not None:
            _refuse_outside(samples, column, labels, human_scale)
            moved = iter(scale.rescaled(numbers, *human_scale))
            on_scale = [None if label is None else next(moved) for label in labels]
            same = (float(scale.low), float(scale.high)) == tuple(map(float, human_scale))
            found[metric] = People(column=column, values=on_scale, rescaled=None if same else human_scale)
            continue
        as_words = any(label[1] for label in values) and scale.low != 0
        same_scale = scale.holds(numbers) and not as_words
        if same_scale and not any(label[1] for label in values):
            notes += _doubts(column, scale, numbers)
        plain = [None if label is None else label[0] for label in labels]
        found[metric] = People(column=column, values=plain, same_scale=same_scale)
    return found, list(dict.fromkeys(notes))


def _ends(human_scale: Any) -> tuple[float, float] | None:
    """The ends of the people's scale as two numbers."""
    if human_scale is None:
        return None
    ends = tuple(human_scale) if isinstance(human_scale, Sequence) and not isinstance(human_scale, str) else ()
    plain = len(ends) == 2 and all(isinstance(end, (int, float)) and math.isfinite(end) for end in ends)
    if not plain or not ends[0] < ends[1]:
        raise ConfigError(f"human_scale is {human_scale!r}", expected="two numbers, the lower one first")
    return float(ends[0]), float(ends[1])


def _refuse_mixed(
    samples: EvaluationDataset, column: str, labels: Sequence[Label | None], ends: tuple[float, float] | None
) -> None:
    """Words for right and wrong say nothing about where they stand among numbers of another scale."""
    numbers = [label[0] for label in labels if label is not None and not label[1]]
    if ends in (None, (0.0, 1.0)) and all(0 <= number <= 1 for number in numbers):
        return
    for sample, label in zip(samples, labels, strict=True):
        if label is not None and label[1]:
            scale = "numbers that reach beyond 0 to 1" if ends is None else f"a scale from {ends[0]:g} to {ends[1]:g}"
            raise DatasetRowError(
                f"the label is {sample.metadata.get(column)!r}, among {scale}",
                row=sample.row,
                column=column,
                where=samples.source,
                expected="numbers in the whole column, or words for right and wrong",
                remedy="say which numbers the words stand for: human_labels={'yes': …, 'no': …}",
            )


def _doubts(column: str, scale: Scale, numbers: Sequence[float]) -> Iterator[str]:
    """What fits the scale of the metric, and may have been meant for another one."""
    highest = max(numbers)
    if set(numbers) == {1.0}:
        taken, other = ("best of 0 to 1", (1, 5)) if scale.high == 1 else (f"worst of 1 to {scale.high:g}", (0, 1))
        if scale.low in (0, 1):
            yield (
                f"every label in {column!r} is 1 and is taken for the {taken}; if it is the "
                f"{'worst of 1 to 5' if other == (1, 5) else 'best of 0 to 1'}, say human_scale={other}"
            )
    elif scale.kind == "rating" and highest < scale.high and len(numbers) >= _ENOUGH:
        yield (
            f"no label in {column!r} is higher than {highest:g}, and the metric goes to {scale.high:g}; if {highest:g} "
            f"is the best that people could give, say human_scale=({min(numbers):g}, {highest:g})"
        )


def _labels(
    samples: EvaluationDataset, column: str, words: Mapping[str, Label | None], highest: float
) -> list[Label | None]:
    if not any(column in sample.metadata for sample in samples):
        raise _no_column(samples, column)
    labels = []
    for sample in samples:
        cell = sample.metadata.get(column)
        try:
            labels.append(read_label(cell, words, highest=highest))
        except ValueError as error:
            raise DatasetRowError(
                f"the label is {cell!r}: {error}",
                row=sample.row,
                column=column,
                where=samples.source,
                expected="a number (4, 4/5), or a word such as true, no, نعم, خطأ; nothing for no label",
                remedy="correct it, or say what it means: human_labels={'partly': 0.5}",
            ) from None
    if all(label is None for label in labels):
        raise ConfigError(f"there is no label in the column {column!r}", where=samples.source)
    return labels


def _refuse_outside(
    samples: EvaluationDataset, column: str, labels: Sequence[Label | None], ends: tuple[float, float]
) -> None:
    for sample, label in zip(samples, labels, strict=True):
        if label is not None and not ends[0] <= label[0] <= ends[1]:
            raise DatasetRowError(
                f"the label is {label[0]:g}",
                row=sample.row,
                column=column,
                where=samples.source,
                expected=f"from {ends[0]:g} to {ends[1]:g}, as human_scale says",
            )


def _no_column(samples: EvaluationDataset, column: str) -> ConfigError:
    taken = {
        name: field
        for field, names in samples.mapping.items()
        for name in ([names] if isinstance(names, str) else names)
    }
    if column in taken:
        return ConfigError(
            f"the column {column!r} was read as {taken[column]!r}, and not as labels of people",
            where=samples.source,
            remedy="rename it, or map that field to another column with column_mapping",
        )
    names = sorted({name for sample in samples for name in sample.metadata})
    near = difflib.get_close_matches(column, names, n=1)
    return ConfigError(
        f"there is no column {column!r}",
        where=f"{samples.source}, human_column",
        expected=f"one of {', '.join(names[:20])}" if names else "a column with the labels of people",
        remedy=f"did you mean {near[0]!r}?" if near else "check the name",
    )
