"""What a calibration found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muffakir_eval.atomic import make_folder, replace_file
from muffakir_eval.calibration.advice import Decided, Verdict
from muffakir_eval.calibration.curve import CurvePoint
from muffakir_eval.calibration.figures import Gain, Quality
from muffakir_eval.calibration.folds import NoFolds
from muffakir_eval.calibration.snippet import matching_toml, write_matching_toml
from muffakir_eval.calibration.target import Target
from muffakir_eval.config import MatchSettings
from muffakir_eval.writers.calibration_lines import calibration_text
from muffakir_eval.writers.csv_file import csv_chunks
from muffakir_eval.writers.frames import frame_of
from muffakir_eval.writers.json_file import json_chunks

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Calibration", "Choice", "FuzzyEffect", "PairVerdict", "WrongPair"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Settings, and how well their verdicts agree with the labels.

    Attributes:
        settings: All settings of the matcher.
        quality: On all labelled pairs.
    """

    settings: MatchSettings
    quality: Quality


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzyEffect:
    """The best that can be had with and without words that nearly agree, on all labelled pairs.

    Attributes:
        measure: F, or recall where a precision is asked for; ``None`` where no thresholds reach that.
        with_fuzzy: With them.
        without_fuzzy: Without.
    """

    measure: str
    with_fuzzy: float | None
    without_fuzzy: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairVerdict:
    """One labelled pair, and what is said of it.

    Attributes:
        row: As a spreadsheet or editor shows it.
        relevant: The label.
        current: Verdict at the present thresholds.
        calibrated: Verdict at the calibrated ones.
        out_of_fold: Verdict at thresholds that were chosen without this pair; ``None`` where there are none.
        fold: Its fold.
        contained: Containment decides it, whatever the thresholds.
        overlap_limit: The highest ``overlap_threshold`` that accepts it; 0 for none, ``None`` where contained.
        coverage_limit: The highest ``coverage_threshold`` that accepts it, likewise.
        gold: The gold passage.
        chunk: The chunk.
    """

    row: int
    relevant: bool
    current: bool
    calibrated: bool
    out_of_fold: bool | None
    fold: int | None
    contained: bool
    overlap_limit: float | None
    coverage_limit: float | None
    gold: str
    chunk: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongPair:
    """A pair that stays wrong.

    Attributes:
        row: As a spreadsheet or editor shows it.
        relevant: The label; the verdict is the other one.
        gold: The gold passage.
        chunk: The chunk.
        explanation: Why the matcher says what it says, as ``explain_match`` tells it.
    """

    row: int
    relevant: bool
    gold: str
    chunk: str
    explanation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Thresholds for a user's own pairs, and what they are worth.

    Attributes:
        source: Where the pairs come from.
        n_pairs: How many there are.
        n_relevant: How many of them are labelled relevant.
        n_golds: How many gold passages they are about.
        target: What the thresholds were chosen for.
        current: The present settings.
        calibrated: The best ones on all pairs; their figures are too good, since they were chosen by these pairs.
        out_of_fold: What thresholds chosen in this way are worth on pairs that they were not chosen on; ``None``
            where that could not be measured.
        no_folds: Why not.
        fold_settings: What was chosen without each fold.
        gain: Out of fold against the present settings.
        fuzzy: Whether words that nearly agree help.
        decided: What decides the pairs.
        verdict: ``adopt`` the calibrated settings, ``keep`` the present ones, or ``not_reached`` where no
            thresholds have the precision that is asked for.
        reason: Why, in words.
        curve: Precision against recall.
        pairs: Every pair, in the order of the file.
        wrong: The first pairs that the recommended settings decide wrongly.
        n_wrong: How many there are.
        mapping: Field to column of the file.
        confidence: Of the intervals.
        seed: Of the folds and draws.
        notes: What was done while reading.
        warnings: What makes the result less sure.
    """

    source: str
    n_pairs: int
    n_relevant: int
    n_golds: int
    target: Target
    current: Choice
    calibrated: Choice
    out_of_fold: Quality | None
    no_folds: NoFolds | None
    fold_settings: tuple[MatchSettings, ...]
    gain: Gain | None
    fuzzy: FuzzyEffect
    decided: Decided
    verdict: Verdict
    reason: str
    curve: tuple[CurvePoint, ...]
    pairs: tuple[PairVerdict, ...]
    wrong: tuple[WrongPair, ...]
    n_wrong: int
    mapping: Mapping[str, str]
    confidence: float
    seed: int
    notes: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def recommended(self) -> MatchSettings:
        """The settings to use: the calibrated ones where they are worth it, else the present ones."""
        return (self.calibrated if self.verdict == "adopt" else self.current).settings

    @property
    def changed(self) -> tuple[PairVerdict, ...]:
        """The pairs on which the present and the calibrated settings differ."""
        return tuple(pair for pair in self.pairs if pair.current != pair.calibrated)

    @property
    def exit_code(self) -> int:
        """1 where no thresholds reach the precision, 3 where nothing could be said about other pairs, else 0."""
        if self.verdict == "not_reached":
            return 1
        return 3 if self.out_of_fold is None or not self.decided.by_thresholds else 0

    def toml(self) -> str:
        """The recommended settings as a table ``[matching]`` for a settings file."""
        calibrated = self.calibrated.settings
        comments = [
            f"{self.n_pairs} labelled pairs of {self.source}. Verdict: {self.verdict}; {self.reason}.",
            *(f"Caution: {warning}." for warning in self.warnings),
        ]
        if self.verdict == "keep" and calibrated != self.current.settings:
            comments.append(
                f"Best on these pairs alone: overlap_threshold {calibrated.overlap_threshold:g}, coverage_threshold "
                f"{calibrated.coverage_threshold:g}, fuzzy {str(calibrated.fuzzy).lower()}."
            )
        return matching_toml(self.recommended, comments)

    def write_toml(self, path: str | Path) -> None:
        """Write :meth:`toml` to a file, over an earlier one of ours but over nothing else.

        Raises:
            StorageError: The file holds something else, or cannot be written.
        """
        write_matching_toml(path, self.toml())

    def to_dict(self) -> dict[str, Any]:
        """The content of ``calibration.json``: everything but the pairs that are decided rightly before and after."""
        plain = {field.name: _plain(getattr(self, field.name)) for field in fields(self) if field.name not in {"pairs"}}
        return plain | {
            "f_name": self.target.f_name,
            "recommended": _plain(self.recommended),
            "changed": [asdict(pair) for pair in self.changed],
        }

    def to_dataframe(self) -> pd.DataFrame:
        """One row per pair."""
        return frame_of(map(asdict, self.pairs), _names(PairVerdict))

    def save(self, output_dir: str | Path) -> Path:
        """Write ``calibration.json``, ``curve.csv`` and ``pairs.csv`` into a folder, which is made if need be.

        Raises:
            StorageError: A file cannot be written.
        """
        folder = make_folder(output_dir)
        tables = (("curve.csv", self.curve, CurvePoint), ("pairs.csv", self.pairs, PairVerdict))
        for name, rows, kind in tables:
            replace_file(folder / name, csv_chunks((asdict(row) for row in rows), _names(kind)))
        replace_file(folder / "calibration.json", json_chunks(self.to_dict()))
        return folder

    def __str__(self) -> str:
        return calibration_text(self.to_dict())


def _names(kind: type[PairVerdict | CurvePoint]) -> list[str]:
    return [field.name for field in fields(kind)]


def _plain(value: Any) -> Any:
    if isinstance(value, MatchSettings):
        return value.model_dump(mode="json")
    if isinstance(value, Choice):
        return {"settings": _plain(value.settings), "quality": asdict(value.quality)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return dict(value)
    return asdict(value) if hasattr(value, "__dataclass_fields__") else value
