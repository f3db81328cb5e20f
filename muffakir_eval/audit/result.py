"""What an audit found."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from muffakir_eval.audit.records import Finding, Severity
from muffakir_eval.audit.rows import FINDING_COLUMNS, QUESTION_COLUMNS, QuestionAudit, finding_rows
from muffakir_eval.writers.audit_lines import audit_text
from muffakir_eval.writers.csv_file import csv_chunks
from muffakir_eval.writers.frames import frame_of
from muffakir_eval.writers.gate_lines import told_apart
from muffakir_eval.writers.json_file import json_chunks
from muffakir_eval.writers.result_folder import write_result

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["OF_REACH", "SEVERITIES", "FailOn", "IndexAudit"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""Worst first."""

OF_REACH = frozenset(
    {"gold_not_in_index", "unknown_gold_id", "padded_gold_id", "source_not_in_index", "gold_split", "gold_elsewhere"}
)
"""Findings that say that golds cannot be reached."""

FailOn = Literal["error", "warning", "never"]


class IndexAudit:
    """Whether the evidence is in the index, whether the retriever finds it, and what is wrong with the text.

    Attributes:
        findings: What is wrong, worst first.
        questions: How each question fares, in the order of the dataset.
        folder: Where the audit was saved first, ``None`` where it was not.

    Args:
        summary: The content of ``audit.json``.
        findings: The findings.
        questions: The questions.
        csv_bom: Start the CSV files with a byte order mark, so that Excel reads Arabic.
    """

    def __init__(
        self,
        summary: Mapping[str, Any],
        findings: Sequence[Finding],
        questions: Sequence[QuestionAudit],
        *,
        csv_bom: bool = True,
    ) -> None:
        self._summary = dict(summary)
        self._csv_bom = csv_bom
        self.findings = tuple(findings)
        self.questions = tuple(questions)
        self.folder: Path | None = None

    @property
    def audit_id(self) -> str:
        """Identifies the audit in every file that belongs to it."""
        return str(self._summary["audit_id"])

    @property
    def metrics(self) -> dict[str, dict[str, Any]]:
        """Per metric and cutoff, as ``recall@5``: ``mean`` or ``None`` with a ``reason``, its ``interval``, and n.

        Empty where there is no retriever.
        """
        return copy.deepcopy(self._summary["metrics"])

    @property
    def outcomes(self) -> dict[str, int]:
        """Questions by outcome."""
        return {row["outcome"]: row["n"] for row in self._summary["outcomes"]["questions"]["rows"]}

    @property
    def reachable(self) -> float | None:
        """Share of the golds that a chunk of the index holds, ``None`` where none could be looked for."""
        share = self._summary["index"]["reachable"]["share"]
        return None if share is None else float(share)

    @property
    def partial(self) -> bool:
        """The retriever was down before every question was asked."""
        return bool(self._summary["partial"])

    def finding(self, code: str) -> Finding | None:
        """The finding with this code, ``None`` where there is none."""
        return next((finding for finding in self.findings if finding.code == code), None)

    def exit_code(self, *, fail_on: FailOn = "error", min_reachable: float | None = None) -> int:
        """What a CI job should end with.

        Args:
            fail_on: The mildest finding that is a failure: ``error``, ``warning``, or ``never``.
            min_reachable: The least share of golds that the index must hold. It takes the place of the findings
                about golds that the index does not hold, which are failures by themselves otherwise.

        Returns:
            1 for such a finding, or a share below the limit; else 3 where there is a dataset or a limit and no
            gold could be looked for; else 0.
        """
        if self.faults(fail_on=fail_on, min_reachable=min_reachable):
            return 1
        asked = min_reachable is not None or self._summary["dataset"] is not None
        return 3 if asked and self.reachable is None else 0

    def faults(self, *, fail_on: FailOn = "error", min_reachable: float | None = None) -> list[str]:
        """Why :meth:`exit_code` is 1, in a few words each; empty where it is not."""
        worst = () if fail_on == "never" else SEVERITIES[: SEVERITIES.index(fail_on) + 1]
        weighed = frozenset() if min_reachable is None else OF_REACH
        faults = [
            f"{finding.severity} {finding.code}"
            for finding in self.findings
            if finding.severity in worst and finding.code not in weighed
        ]
        share = self.reachable
        if min_reachable is not None and share is not None and share < min_reachable:
            faults.append(
                f"{told_apart(share, min_reachable)} of the golds are in the index, fewer than {min_reachable}"
            )
        return faults

    def to_dict(self) -> dict[str, Any]:
        """The content of ``audit.json``."""
        return copy.deepcopy(self._summary)

    def to_dataframe(self) -> pd.DataFrame:
        """The rows of ``audit_questions.csv`` as a frame."""
        import pandas as pd

        frame = frame_of(self._question_rows(), QUESTION_COLUMNS)
        for name in ("row", "first_relevant_rank", "n_golds", "n_retrieved"):
            frame[name] = pd.to_numeric(frame[name]).astype("Int64")
        frame["covered"] = pd.to_numeric(frame["covered"]).astype("float64")
        return frame

    def findings_dataframe(self) -> pd.DataFrame:
        """The rows of ``audit_findings.csv`` as a frame: one per example."""
        import pandas as pd

        frame = frame_of(self._finding_rows(), FINDING_COLUMNS)
        for name in ("count", "total", "example"):
            frame[name] = pd.to_numeric(frame[name]).astype("Int64")
        return frame

    def files(self) -> dict[str, Iterable[bytes]]:
        """The content of the files of an audit, by name."""
        return {
            "audit_findings.csv": csv_chunks(self._finding_rows(), FINDING_COLUMNS, bom=self._csv_bom),
            "audit_questions.csv": csv_chunks(self._question_rows(), QUESTION_COLUMNS, bom=self._csv_bom),
            "audit.json": json_chunks(self._summary),
        }

    def _question_rows(self) -> Iterator[dict[str, Any]]:
        return ({**row.to_flat_dict(), "audit_id": self.audit_id} for row in self.questions)

    def _finding_rows(self) -> Iterator[dict[str, Any]]:
        return ({**row, "audit_id": self.audit_id} for row in finding_rows(self.findings))

    def save(self, output_dir: str | Path, *, html: bool = False) -> Path:
        """Write ``audit.json``, ``audit_findings.csv`` and ``audit_questions.csv``, each replaced atomically.

        Args:
            output_dir: The folder.
            html: Write the page ``report.html`` too.

        Raises:
            StorageError: A file cannot be written.
            RunExistsError: There is a ``report.html`` of somebody else's.
        """
        from muffakir_eval.writers.page import audit_page

        page = (lambda: audit_page(self.to_dict())) if html else None
        folder = write_result(output_dir, self.files(), page)
        self.folder = self.folder or folder
        return folder

    def __str__(self) -> str:
        return audit_text(self._summary, encoding=getattr(sys.stdout, "encoding", None))

    def __repr__(self) -> str:
        counts = ", ".join(f"{name} {count}" for name, count in self.outcomes.items())
        found = ", ".join(finding.code for finding in self.findings if finding.severity != "info")
        return (
            f"IndexAudit({self._summary['corpus']['n_chunks']} chunks; {counts or 'no questions'}; {found or 'fine'})"
        )
