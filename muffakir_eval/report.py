"""The outcome of a run: figures, samples, files."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from muffakir_eval.atomic import make_folder, replace_file
from muffakir_eval.config.run_settings import run_settings_text
from muffakir_eval.errors import StorageError
from muffakir_eval.records import SampleResult
from muffakir_eval.records.rows import OWN_COLUMNS, REFERENCE_COLUMNS
from muffakir_eval.runner import Item
from muffakir_eval.storage import RunRecords, refuse_foreign_report, save_copy
from muffakir_eval.tally import Tally
from muffakir_eval.writers.console import report_text
from muffakir_eval.writers.csv_file import csv_chunks
from muffakir_eval.writers.frames import frame_of
from muffakir_eval.writers.json_file import json_chunks
from muffakir_eval.writers.rehearsal_lines import rehearsal_text
from muffakir_eval.writers.report_files import FORMATS, format_names, report_file

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EvaluationReport", "Results", "build_summary"]


def build_summary(tally: Tally, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The content of ``summary.json``.

    Args:
        tally: The figures.
        facts: ``run_id``, ``k``, ``metrics_enabled`` and everything else that describes the run.
    """
    retrieval, generation, custom = (tally.means(family) for family in ("retrieval", "generation", "custom"))
    described = dict(facts)
    described["warnings"] = [*described.get("warnings", ()), *tally.findings()]
    return {
        "n_samples": tally.n_samples,
        "k": described.pop("k"),
        "metrics_enabled": described.pop("metrics_enabled"),
        "retrieval": retrieval,
        "generation": generation,
        "summary": {**retrieval, **generation, **custom},
        "run_id": described.pop("run_id"),
        "partial": described.pop("partial"),
        "confidence_level": tally.by.confidence,
        "metrics": tally.metric_block(),
        "slices": tally.slice_block(),
        "n_without_gold": tally.n_without_gold,
        "refusals": tally.refusals(),
        "errors": tally.errors(),
        "error_examples": tally.error_examples(),
        "latency_ms": tally.latencies(),
        **described,
    }


def error_rates(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The content of ``error_rates.json``: attempts, samples with errors by reason, refusals."""
    attempts, errors = summary["n_samples"], summary["errors"]
    refusals = summary["refusals"]
    return {
        "run_id": summary["run_id"],
        "attempts": attempts,
        "errors": errors,
        "error_rates": {reason: count / attempts for reason, count in errors.items()} if attempts else {},
        "answer_refusal_rate": refusals["rate"],
        "n_refused": refusals["n_refused"],
        "n_answers": refusals["n_answers"],
    }


class Results(Sequence[SampleResult]):
    """The finished samples in the order of the dataset, read from disk when asked for.

    Args:
        records: Of the run.
        items: The samples that have finished.
    """

    def __init__(self, records: RunRecords, items: Sequence[Item]) -> None:
        self.records = records
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> SampleResult: ...
    @overload
    def __getitem__(self, index: slice) -> list[SampleResult]: ...
    def __getitem__(self, index: int | slice) -> SampleResult | list[SampleResult]:
        if isinstance(index, slice):
            return [self._read(item) for item in self._items[index]]
        return self._read(self._items[index])

    def __iter__(self) -> Iterator[SampleResult]:
        return (self._read(item) for item in self._items)

    def keys(self) -> list[str]:
        """The samples' keys in the records."""
        return [item.key for item in self._items]

    def _read(self, item: Item) -> SampleResult:
        return self.records.result(item.key, item.sample)


class EvaluationReport:
    """What a run found.

    Attributes:
        n_samples: Finished samples.
        k: Main cutoff.
        metrics_enabled: Metrics as they were asked for.
        retrieval: Means of the retrieval metrics; those without a value are left out.
        generation: Means of the metrics on the answer; those without a value are left out.
        metrics: Per metric the mean (or ``None`` with a reason), what it covers and its definition.
        samples: The finished samples in the order of the dataset.
        folder: Where the run was saved first, ``None`` where it was not.
        notes: What the user should know about this run, in words.
    """

    def __init__(
        self,
        summary: Mapping[str, Any],
        samples: Results,
        *,
        folder: Path | None = None,
        csv_bom: bool = True,
    ) -> None:
        self._summary = dict(summary)
        self._csv_bom = csv_bom
        self.samples = samples
        self.folder = folder
        self.notes: list[str] = list(self._summary.get("warnings", []))

    @property
    def n_samples(self) -> int:
        """Finished samples."""
        return int(self._summary["n_samples"])

    @property
    def k(self) -> int:
        """Main cutoff."""
        return int(self._summary["k"])

    @property
    def run_id(self) -> str:
        """Identifies the run in every file that belongs to it."""
        return str(self._summary["run_id"])

    @property
    def partial(self) -> bool:
        """The run stopped early, or was only rehearsed."""
        return bool(self._summary["partial"])

    @property
    def dry_run(self) -> bool:
        """Nothing was asked; :attr:`notes` and ``print`` say what a run would do."""
        return "dry_run" in self._summary

    @property
    def metrics_enabled(self) -> list[str]:
        """Metrics as they were asked for."""
        return list(self._summary["metrics_enabled"])

    @property
    def retrieval(self) -> dict[str, float]:
        """Means of the retrieval metrics; those without a value are left out."""
        return dict(self._summary["retrieval"])

    @property
    def generation(self) -> dict[str, float]:
        """Means of the metrics on the answer; those without a value are left out."""
        return dict(self._summary["generation"])

    @property
    def metrics(self) -> dict[str, dict[str, Any]]:
        """Per metric: ``mean`` or ``None`` with a ``reason``, ``interval``, ``n_scored`` of ``n_total``, and more."""
        return copy.deepcopy(self._summary["metrics"])

    @property
    def slices(self) -> dict[str, list[dict[str, Any]]]:
        """Per column of ``slice_by``: each value with ``n_samples`` and :attr:`metrics` of its samples."""
        return copy.deepcopy(self._summary["slices"])

    def summary(self) -> dict[str, float]:
        """Every mean that has a value, by metric name."""
        return dict(self._summary["summary"])

    def to_dict(self) -> dict[str, Any]:
        """The content of ``summary.json``."""
        return copy.deepcopy(self._summary)

    def columns(self) -> list[str]:
        """The columns of ``samples.csv``: the reference's, further metrics, then our own."""
        further = [name for name in self._summary["metrics"] if name not in REFERENCE_COLUMNS]
        return [*REFERENCE_COLUMNS, *further, *OWN_COLUMNS, "run_id"]

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows of ``samples.csv``, one per finished sample, in the order of the dataset."""
        for result in self.samples:
            yield {**result.to_flat_dict(), "run_id": self.run_id}

    def to_dataframe(self) -> pd.DataFrame:
        """The rows of ``samples.csv`` as a frame; numbers are numbers, what is missing is missing."""
        import pandas as pd

        frame = frame_of(self.rows(), self.columns())
        numeric = [*self._summary["metrics"], *REFERENCE_COLUMNS[10:17]]
        for name in (*numeric, "latency_ms", "pipeline_latency_ms", "evaluation_overhead_ms"):
            frame[name] = pd.to_numeric(frame[name]).astype("float64")
        rating = frame["llm_judge_rating"].dropna()
        if (rating == rating.round()).all():
            frame["llm_judge_rating"] = frame["llm_judge_rating"].astype("Int64")
        for name in ("answer_refusal", "answerable", "answer_refusal_partial"):
            frame[name] = frame[name].astype("boolean")
        frame["first_relevant_rank"] = pd.to_numeric(frame["first_relevant_rank"]).astype("Int64")
        return frame

    def metrics_dataframe(self) -> pd.DataFrame:
        """Every mean as a frame: one row per metric, with slices also one per metric and value.

        Columns: ``slice``, ``value``, ``metric``, ``mean``, ``low``, ``high``, ``n_scored``, ``n_total``, ``reason``.
        """
        import pandas as pd

        blocks = [(None, None, self._summary["metrics"])]
        blocks += [
            (column, part["value"], part["metrics"])
            for column, parts in self._summary["slices"].items()
            for part in parts
            if "metrics" in part
        ]
        rows = []
        for column, value, metrics in blocks:
            for name, figures in metrics.items():
                low, high = figures["interval"] or (None, None)
                told = (figures["mean"], low, high, figures["n_scored"], figures["n_total"], figures["reason"])
                rows.append((column, value, name, *told))
        names = ["slice", "value", "metric", "mean", "low", "high", "n_scored", "n_total", "reason"]
        frame = pd.DataFrame(rows, columns=names)
        for name in ("mean", "low", "high"):
            frame[name] = pd.to_numeric(frame[name]).astype("float64")
        return frame

    def files(self) -> dict[str, Iterable[bytes]]:
        """The content of the files of a run folder, by name, without the records."""
        return {
            "samples.csv": csv_chunks(self.rows(), self.columns(), bom=self._csv_bom),
            "error_rates.json": json_chunks(error_rates(self._summary)),
            **self._settings_file(),
            "summary.json": json_chunks(self._summary),
        }

    def _settings_file(self) -> dict[str, Iterable[bytes]]:
        """Nothing for a run of a version that did not keep its settings."""
        settings = self._summary.get("config")
        if not settings:
            return {}
        matching = self._summary.get("matching") or settings.get("matching")
        given = self._summary.get("config_given") or ()
        text = run_settings_text({**settings, "matching": matching}, self.run_id, given)
        return {"run_config.yaml": [text.encode("utf-8", "backslashreplace")]}

    def save(
        self,
        output_dir: str | Path,
        *,
        html: bool = False,
        xlsx: bool = False,
        markdown: bool = False,
        jsonl: bool = False,
    ) -> Path:
        """Write ``summary.json``, ``samples.csv``, ``error_rates.json``, ``run_config.yaml`` and ``records.jsonl``.

        Each file is replaced atomically; a finished run that was there before is replaced. A run that
        stopped early is saved as such, and may be gone on with in its new folder.

        Args:
            output_dir: The folder; made where it does not exist.
            html: Also ``report.html``, a page to read in a browser.
            xlsx: Also ``samples.xlsx``, a workbook.
            markdown: Also ``report.md``, for a pull request.
            jsonl: Also ``samples.jsonl``, everything about every question.

        Raises:
            RunExistsError: The folder holds another, unfinished run, or files of somebody else's.
            StorageError: A file cannot be written, or the run was only rehearsed.
        """
        folder = Path(output_dir)
        self._refuse_rehearsal(folder)
        wanted = {"html": html, "xlsx": xlsx, "md": markdown, "jsonl": jsonl}
        formats = [name for name, is_wanted in wanted.items() if is_wanted]
        for name in formats:
            refuse_foreign_report(folder / FORMATS[name])
        save_copy(folder, self.files(), self.samples.records, self.samples.keys(), finished=not self.partial)
        self.folder = self.folder or folder
        if formats:
            self.export(*formats, output_dir=folder)
        return folder

    def export(self, *formats: str, output_dir: str | Path | None = None, language: str | None = None) -> list[Path]:
        """Write single files made of the run, and nothing else.

        Args:
            formats: ``html`` (``report.html``), ``xlsx`` (``samples.xlsx``), ``md`` (``report.md``), ``jsonl``
                (``samples.jsonl``) or ``csv`` (``samples.csv``).
            output_dir: The folder; that of the run by default.
            language: ``ar`` or ``en``, of what the files say; that of the run by default.

        Returns:
            The files that were written.

        Raises:
            ConfigError: A format is unknown.
            RunExistsError: A file of that name is somebody else's.
            StorageError: A file cannot be written, the run was only rehearsed, or it has no folder and none is named.
        """
        names = sorted(format_names(formats), key=lambda name: name != "html")  # to which Markdown has links
        folder = self.folder if output_dir is None else Path(output_dir)
        if folder is None:
            raise StorageError("the run was not saved", where="export", remedy="name a folder: output_dir=…")
        self._refuse_rehearsal(folder)
        for name in names:
            refuse_foreign_report(folder / FORMATS[name])
        make_folder(folder)
        written = []
        for name in names:
            path = folder / FORMATS[name]
            replace_file(path, self._content(name, folder, language))
            written.append(path)
        return written

    def _content(self, name: str, folder: Path, language: str | None) -> Iterable[bytes]:
        if name == "csv":
            return csv_chunks(self.rows(), self.columns(), bom=self._csv_bom)
        page = FORMATS["html"] if (folder / FORMATS["html"]).is_file() else None
        return report_file(
            name, self._summary, self.samples, lambda: (self.rows(), self.columns()), language=language, page=page
        )

    def _refuse_rehearsal(self, folder: Path) -> None:
        if self.dry_run:
            raise StorageError(
                "a dry run has no results to save", where=str(folder), remedy="run again with dry_run off"
            )

    def __str__(self) -> str:
        encoding = getattr(sys.stdout, "encoding", None)
        if not self.dry_run:
            return report_text(self._summary, encoding=encoding)
        text = rehearsal_text(self._summary)
        return text if encoding is None else text.encode(encoding, "replace").decode(encoding)

    def __repr__(self) -> str:
        lines = [f"EvaluationReport(n={self.n_samples}, k={self.k})"]
        lines += [f"  {name}={value:.4f}" for name, value in self.summary().items()]
        return "\n".join(lines)
