"""``evaluate_distributed``: the recorded outputs of millions of questions, scored by a cluster."""

from __future__ import annotations

import dataclasses
import secrets
import shutil
import time
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from muffakir_eval.atomic import make_folder, move_file
from muffakir_eval.config import EvaluationConfig, load_config
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.reading.memory import read_frame
from muffakir_eval.datasets.tables import RawTable, ReadOptions
from muffakir_eval.errors import DatasetError, DatasetFormatError, RunExistsError
from muffakir_eval.evaluation.settled import Settled
from muffakir_eval.report import build_summary, error_rates
from muffakir_eval.scale.adding import Total, repeated_ids
from muffakir_eval.scale.engine import cluster, is_dask_frame, mapped, partitions
from muffakir_eval.scale.parts import Glance, Part, check_blocksize, find_files, look, read_part
from muffakir_eval.scale.planning import facts_of, refuse_unfit, settle
from muffakir_eval.scale.report import DistributedReport
from muffakir_eval.scale.scoring import Job, names_in_frame, names_in_part, score_frame_part, score_part
from muffakir_eval.storage import RECORDS
from muffakir_eval.tally import Tally
from muffakir_eval.writers.json_file import write_json
from muffakir_eval.writers.progress import note

__all__ = ["evaluate_distributed", "evaluate_here"]

_EVERY_S = 10.0
_SHOWN = 5
SAMPLES = "samples"
Run = Callable[..., Iterator[tuple[int, Any]]]
"""Calls a function of an item and its number for many items; gives back numbers and results."""


def evaluate_distributed(
    dataset: Any,
    config: EvaluationConfig | Mapping[str, Any] | str | Path | None = None,
    *,
    client: Any = None,
    output_dir: str | Path | None = None,
    blocksize: int | None = None,
) -> DistributedReport:
    """Evaluate recorded outputs on a Dask cluster.

    Every part is scored by the functions that :meth:`MuffakirEvaluation.evaluate` goes through, and the
    figures merge exactly: the summary is that of a run on one machine, whatever the parts, the number of
    workers and the order in which they finish. What a lost worker had is done again by another one.

    Args:
        dataset: JSONL or Parquet files: a pattern (``"logs/*.jsonl"``), a folder, or a list, in the order of
            the data set; or a Dask data frame. The workers read the files themselves, so each must see
            them under the same path. The rows carry questions, golds and recorded outputs, in the columns that
            :func:`~muffakir_eval.load_evaluation_dataset` knows.
        config: Settings, as for ``MuffakirEvaluation``; without a judge.
        client: A ``distributed.Client`` of any cluster; ``None`` starts one process per core here.
        output_dir: Where ``summary.json``, ``error_rates.json`` and ``samples/part-….parquet`` go, on a disk that
            every worker reaches; ``None`` keeps the figures only.
        blocksize: Rows of a part, about; ``None`` makes one part per file. JSONL that is compressed or not
            UTF-8 is never cut, Parquet between its row groups only.

    Returns:
        The report. A worker holds 1,000 rows at a time; here are only the figures, and 8 bytes for each sample
        where the data set names its samples, to see that no name occurs twice.

    Raises:
        ConfigError: A setting is unknown, malformed, or has no meaning here.
        MetricError: A metric needs a judge, or is a function.
        DatasetError: A file, a column or a row is bad.
        StorageError: The folder cannot be written, or holds something else.
        MissingExtraError: Dask is not installed.
    """
    checked = load_config(config)
    refuse_unfit(checked)
    check_blocksize(blocksize)
    if is_dask_frame(dataset):
        with cluster(client) as workers:
            return _evaluate(_Frames(dataset), checked, output_dir, _on(workers))
    files = find_files(dataset)
    with cluster(client) as workers:
        return _evaluate(_Files(files, dataset, blocksize), checked, output_dir, _on(workers))


def evaluate_here(
    dataset: str | Path | Sequence[str | Path],
    config: EvaluationConfig | Mapping[str, Any] | str | Path | None = None,
    *,
    output_dir: str | Path | None = None,
    blocksize: int | None = None,
) -> DistributedReport:
    """:func:`evaluate_distributed` of files without Dask: one part after the other in this process.

    Good for files that are too large for memory, and for what a cluster must add up to.
    """
    checked = load_config(config)
    refuse_unfit(checked)
    files = _Files(find_files(dataset), dataset, check_blocksize(blocksize))
    return _evaluate(files, checked, output_dir, _one_by_one)


def _on(client: Any) -> Run:
    return lambda function, items, *further: mapped(client, function, items, *further)


def _one_by_one(function: Callable[..., Any], items: Sequence[Any], *further: Any) -> Iterator[tuple[int, Any]]:
    for number, item in enumerate(items):
        yield number, function(item, number, *further)


class _Files:
    """Parts of files."""

    score = staticmethod(score_part)
    names = staticmethod(names_in_part)

    def __init__(self, files: Sequence[str], dataset: Any, blocksize: int | None) -> None:
        self._files = files
        self._blocksize = blocksize
        self.source = str(dataset) if isinstance(dataset, (str, Path)) else f"{len(files)} files"
        self.items: Sequence[Part] = ()

    def look(self, config: EvaluationConfig, run: Run) -> tuple[Sequence[tuple[str, ...]], frozenset[str], RawTable]:
        """Have all files cut into parts; their columns, those that repeat, and the beginning."""
        glances: dict[int, Glance] = dict(run(_look, self._files, config.encoding, self._blocksize))
        found = [glances[number] for number in range(len(self._files))]
        self.items = [part for glance in found for part in glance.parts]
        columns = tuple(dict.fromkeys(chain.from_iterable(glance.columns for glance in found)))
        repeated = frozenset(chain.from_iterable(glance.repeated for glance in found))
        options = ReadOptions(findings=Findings(fail_fast=False), encoding=config.encoding, streamed=True)
        head = read_part(self.items[0], options)
        head.source = self.source
        return columns, repeated, head

    @property
    def several(self) -> bool:
        return len(self._files) > 1


def _look(path: str, _number: int, encoding: str | None, blocksize: int | None) -> Glance:
    return look(path, encoding, blocksize)


class _Frames:
    """Partitions of a Dask data frame."""

    score = staticmethod(score_frame_part)
    names = staticmethod(names_in_frame)
    source = "the Dask data frame"
    several = True

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.items: Sequence[Any] = ()

    def look(self, _config: EvaluationConfig, _run: Run) -> tuple[Sequence[tuple[str, ...]], frozenset[str], RawTable]:
        """The columns are those of the frame; the beginning of its data is not looked at."""
        self.items = partitions(self._frame)
        head = read_frame(self._frame._meta)
        head.source = self.source
        return (head.columns or (),), head.repeated, head


def _evaluate(
    dataset: _Files | _Frames, config: EvaluationConfig, output_dir: str | Path | None, run: Run
) -> DistributedReport:
    header = _header()
    settled, job = settle(config, *dataset.look(config, run))
    with _folder(output_dir, header["run_id"]) as (work, finish):
        job = dataclasses.replace(job, folder=None if work is None else str(work), several=dataset.several)
        note(f"{dataset.source}: {len(dataset.items)} parts", enabled=config.progress)
        total = _total(dataset, settled, job, run)
        if not total.tally.n_samples:
            raise DatasetFormatError("there is no question in it", where=dataset.source, remedy="check the files")
        summary = build_summary(total.tally, facts_of(settled, total.told(), header))
        folder = finish(summary)
    parts = () if folder is None else tuple(folder / SAMPLES / name for name in total.files)
    report = DistributedReport(summary, folder=folder, parts=parts)
    for line in report.notes:
        note(line, enabled=config.progress)
    return report


def _header() -> dict[str, Any]:
    started = datetime.now(UTC)
    return {
        "run_id": f"{started:%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}",
        "started_at": started.isoformat(timespec="seconds"),
    }


def _total(dataset: _Files | _Frames, settled: Settled, job: Job, run: Run) -> Total:
    """All parts added up, once it is sure that each sample has a name of its own."""
    total, ids = _added(dataset, settled, job, run, {})
    again = repeated_ids(ids[number] for number in range(len(ids)))
    if not again:
        return total
    if job.settings.fail_fast:
        raise _repeated(dataset, job, again, run)
    return _added(dataset, settled, job, run, again)[0]


def _added(
    dataset: _Files | _Frames, settled: Settled, job: Job, run: Run, left_out: Mapping[int, frozenset[int]]
) -> tuple[Total, dict[int, array[int]]]:
    """All parts added up, and the hashes of the names in each."""
    total = Total(Tally(settled.plan.metrics, settled.group_by, k=settled.config.k))
    ids: dict[int, array[int]] = {}
    n_parts, said = len(dataset.items), time.monotonic()
    for number, counted in run(dataset.score, dataset.items, job, left_out):
        ids[number] = counted.ids
        total.add(number, counted)
        if time.monotonic() - said >= _EVERY_S:
            said = time.monotonic()
            note(f"{len(ids)}/{n_parts} parts, {total.tally.n_samples:,} samples", enabled=settled.config.progress)
    return total, ids


def _repeated(dataset: _Files | _Frames, job: Job, again: Mapping[int, frozenset[int]], run: Run) -> DatasetError:
    number, places = next(iter(again.items()))
    ((_, names),) = run(dataset.names, [dataset.items[number]], number, sorted(places)[:_SHOWN], job)
    total = sum(map(len, again.values()))
    rest = f" and {total - len(names)} more" if total > len(names) else ""
    columns = ", ".join(job.mapping.fields["sample_id"])
    return DatasetError(
        f"samples bear the name of an earlier one: {', '.join(map(repr, names))}{rest}",
        where=f"{dataset.source}, column {columns}",
        remedy="give each its own, name columns that tell them apart with id_columns, or set fail_fast_dataset to "
        "false to have them set aside",
    )


def _kept_nowhere(_summary: Mapping[str, Any]) -> None:
    """Only the figures are wanted."""


@contextmanager
def _folder(
    output_dir: str | Path | None, run_id: str
) -> Iterator[tuple[Path | None, Callable[[Mapping[str, Any]], Path | None]]]:
    """Where parts are written, and what puts everything in its place; nothing stays behind where that is not called.

    Raises:
        RunExistsError: The folder holds a run of another kind.
    """
    if output_dir is None:
        yield None, _kept_nowhere
        return
    folder = Path(output_dir)
    if (folder / RECORDS).exists() or ((folder / SAMPLES).exists() and not (folder / "summary.json").exists()):
        raise RunExistsError("the folder holds something else", where=str(folder), remedy="choose another output_dir")
    work = make_folder(folder / f".{SAMPLES}-{run_id}")

    def finish(summary: Mapping[str, Any]) -> Path:
        for left in work.glob(".*.tmp"):  # of workers that were lost
            left.unlink(missing_ok=True)
        shutil.rmtree(folder / SAMPLES, ignore_errors=True)
        move_file(work, folder / SAMPLES)
        write_json(folder / "error_rates.json", error_rates(summary))
        write_json(folder / "summary.json", summary)
        return folder

    try:
        yield work, finish
    finally:
        shutil.rmtree(work, ignore_errors=True)
