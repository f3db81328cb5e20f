"""The outcome of a run: figures, samples, files."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muffakir_eval.atomic import make_folder, replace_file
from muffakir_eval.config.run_settings import run_settings_text
from muffakir_eval.errors import StorageError
from muffakir_eval.records.rows import OWN_COLUMNS, REFERENCE_COLUMNS
from muffakir_eval.report.figures import RunFigures
from muffakir_eval.report.results import Results
from muffakir_eval.report.summary import error_rates
from muffakir_eval.storage import refuse_foreign_report, save_copy
from muffakir_eval.writers.console import report_text
from muffakir_eval.writers.csv_file import csv_chunks
from muffakir_eval.writers.frames import frame_of
from muffakir_eval.writers.json_file import json_chunks
from muffakir_eval.writers.rehearsal_lines import rehearsal_text
from muffakir_eval.writers.report_files import FORMATS, format_names, report_file

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EvaluationReport"]


class EvaluationReport(RunFigures):
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
        super().__init__(summary)
        self._csv_bom = csv_bom
        self.samples = samples
        self.folder = folder

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
