"""One part of a data set: read, scored, counted and written, by whichever process it falls to."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import secrets
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from muffakir_eval.datasets.building import SampleBuilder
from muffakir_eval.datasets.columns.mapping import ColumnMap
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.reading.memory import read_frame
from muffakir_eval.datasets.tables import RawTable, ReadOptions
from muffakir_eval.errors import StorageError
from muffakir_eval.pipelines.recorded import recorded_output
from muffakir_eval.records import Sample, SampleResult
from muffakir_eval.records.codec import content_key
from muffakir_eval.records.fingerprint import ContentSum
from muffakir_eval.scale.arrow import arrow_schema, arrow_table
from muffakir_eval.scale.frames import result_rows
from muffakir_eval.scale.parts import Part, batches, read_part
from muffakir_eval.scale.settings import Marker, ScoreSettings
from muffakir_eval.tally import GroupBy, PartialTally

__all__ = ["Counted", "Job", "id_hash", "names_in_frame", "names_in_part", "score_frame_part", "score_part"]

_AT_ONCE = 1_000
"""Rows in memory at a time."""
_PROBLEMS_KEPT = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is the same for all parts.

    Attributes:
        settings: How samples are scored.
        mapping: What each column of the data set is.
        group_by: Slices and clusters.
        encoding: Of text files.
        folder: Where the scored rows go, ``None`` to keep only the figures.
        named: The data set names its samples; otherwise each is called by its row, and by its file where
            there are ``several``.
        several: The data set has more than one file or frame.
    """

    settings: ScoreSettings
    mapping: ColumnMap
    group_by: GroupBy
    encoding: str | None
    folder: str | None
    named: bool
    several: bool


@dataclass(slots=True, kw_only=True)
class Counted:
    """What one part adds up to.

    Attributes:
        tally: Its figures.
        content: What it holds.
        n_bad_rows: Rows that were set aside.
        problems: What is wrong with the first of them.
        warnings: What was read, but may not be what was meant.
        ids: Hashes of its samples' names, where the data set gives them.
        file: Where the scored rows are.
    """

    tally: PartialTally
    content: ContentSum = field(default_factory=ContentSum)
    n_bad_rows: int = 0
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    ids: array[int] = field(default_factory=lambda: array("Q"))
    file: str | None = None


def id_hash(name: str) -> int:
    """64 bits of a name, the same in every process."""
    return int.from_bytes(hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


LeftOut = Mapping[int, frozenset[int]]
"""Part to the places of samples in it that bear the name of an earlier one."""


def score_part(part: Part, number: int, job: Job, left_out: LeftOut) -> Counted:
    """Read a part of a file block by block, and score it.

    A pure function of the file but for the one it writes, which always has the same name and content: it
    may run twice.

    Args:
        part: What to read.
        number: Of the part.
        job: What is the same for all parts.
        left_out: What is not to be counted, by part.

    Raises:
        DatasetError: A row is bad, and the first bad row ends it all.
        StorageError: The scored rows cannot be written.
    """
    findings = Findings(fail_fast=job.settings.fail_fast)
    with contextlib.closing(_table(part, findings, job)) as table:
        samples = _samples(table, findings, Path(part.path).name, job)
        return _counted(samples, findings, number, job, left_out.get(number, frozenset()))


def score_frame_part(frame: Any, number: int, job: Job, left_out: LeftOut) -> Counted:
    """Likewise of a frame, which is in memory already."""
    findings = Findings(fail_fast=job.settings.fail_fast)
    samples = _samples(read_frame(frame), findings, f"part-{number}", job)
    return _counted(samples, findings, number, job, left_out.get(number, frozenset()))


def names_in_part(part: Part, _number: int, _of: int, places: Sequence[int], job: Job) -> list[str]:
    """What the samples at ``places`` of a part are called."""
    findings = Findings(fail_fast=job.settings.fail_fast)
    with contextlib.closing(_table(part, findings, job)) as table:
        return _names(_samples(table, findings, Path(part.path).name, job), places)


def names_in_frame(frame: Any, _number: int, of: int, places: Sequence[int], job: Job) -> list[str]:
    """Likewise of a frame."""
    return _names(_samples(read_frame(frame), Findings(fail_fast=job.settings.fail_fast), f"part-{of}", job), places)


def _names(samples: Iterable[Sample], places: Sequence[int]) -> list[str]:
    wanted = frozenset(places)
    return [sample.sample_id for place, sample in enumerate(samples) if place in wanted]


def _table(part: Part, findings: Findings, job: Job) -> RawTable:
    return read_part(part, ReadOptions(findings=findings, encoding=job.encoding, streamed=True))


def _counted(samples: Iterator[Sample], findings: Findings, number: int, job: Job, left_out: frozenset[int]) -> Counted:
    marker = Marker(job.settings)
    counted = Counted(tally=PartialTally(marker.names, job.group_by, k=job.settings.k))
    with _sink(job.folder, number, marker.names) as (write, file):
        counted.file = file
        place = 0
        for block in batches(samples, _AT_ONCE):
            results = []
            for sample in block:
                if job.named:
                    counted.ids.append(id_hash(sample.sample_id))
                if place not in left_out:
                    result = marker.result(sample, recorded_output(sample))
                    counted.tally.add(result)
                    counted.content.add(content_key(sample))
                    results.append(result)
                place += 1
            write(results)
    counted.n_bad_rows = len(findings.problems) + len(left_out)
    counted.problems = [str(problem) for problem in findings.problems[:_PROBLEMS_KEPT]]
    counted.warnings = findings.warnings
    return counted


def _samples(table: RawTable, findings: Findings, name: str, job: Job) -> Iterator[Sample]:
    builder = SampleBuilder(table, job.mapping, findings)
    for raw in table.rows:
        sample = builder.build(raw)
        if sample is None:
            continue
        unnamed = not job.named or sample.sample_id == f"row-{sample.row}"
        if unnamed and job.several:
            sample = dataclasses.replace(sample, sample_id=f"{name}:{sample.row}")
        yield sample


def _nowhere(_results: Iterable[SampleResult]) -> None:
    """Only the figures are wanted."""


@contextlib.contextmanager
def _sink(
    folder: str | None, number: int, metrics: Sequence[str]
) -> Iterator[tuple[Callable[[Iterable[SampleResult]], None], str | None]]:
    """Where results are written: to a file beside the final one, which is put in its place at the end."""
    if folder is None:
        yield _nowhere, None
        return
    from pyarrow import parquet

    schema = arrow_schema(metrics)
    target = Path(folder) / f"part-{number:05d}.parquet"
    fresh = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with parquet.ParquetWriter(fresh, schema, compression="zstd") as writer:

            def write(results: Iterable[SampleResult]) -> None:
                writer.write_table(arrow_table(list(result_rows(results)), schema))

            yield write, target.name
        fresh.replace(target)
    except OSError as fault:
        raise StorageError(
            f"the scored rows cannot be written: {fault.strerror or fault}",
            where=str(target),
            remedy="check the folder and the free space; every worker must reach it",
        ) from fault
    finally:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
