"""The settings of an audit: those of a run that mean something here, and those of the corpus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from muffakir_eval.config import EvaluationConfig, MatchSettings
from muffakir_eval.config.problems import explained
from muffakir_eval.errors import ConfigError

__all__ = ["AuditConfig"]

_CUTOFFS = (1, 3, 5, 10, 20, 50, 100)

_OF_A_RUN = frozenset(
    {
        "language",
        "k",
        "k_values",
        "max_samples",
        "sample_seed",
        "output_dir",
        "fail_fast_dataset",
        "column_mapping",
        "id_columns",
        "encoding",
        "sheet",
        "pipeline_workers",
        "pipeline_id",
        "max_pipeline_errors",
        "max_concurrency",
        "sample_timeout_s",
        "progress",
        "seed",
        "confidence_level",
        "slice_by",
        "csv_bom",
        "overlap_threshold",
        "match_by",
        "matching",
    }
)
"""Keys of a run that say something in an audit."""


class AuditConfig(EvaluationConfig):
    """All settings of an audit.

    The keys of :class:`~muffakir_eval.config.EvaluationConfig` that say something without answers and judges
    mean here what they mean there. Those of its own come beside them.

    >>> AuditConfig.from_mapping({"k": 10, "top_n": 20}).cutoffs
    (1, 3, 5, 10, 20)
    >>> AuditConfig.from_mapping({"topn": 20})
    Traceback (most recent call last):
    ...
    muffakir_eval.errors.ConfigError: audit: unknown key 'topn'. What to do: did you mean 'top_n'?
    """

    own_keys: ClassVar[frozenset[str]] = frozenset(
        {"top_n", "text_column", "id_column", "corpus_encoding", "corpus_sheet", "workers"}
    )

    language: Literal["ar", "fa", "ur", "en"] = "ar"  # type: ignore[assignment] # more than prompts there are
    """Language of the texts: it decides which letters are those of another keyboard."""
    output_dir: str = Field(default="./audit_results", min_length=1)
    top_n: int = Field(default=100, ge=1)
    """So many chunks are asked for, per question; a gold beyond them counts as not retrieved."""
    text_column: str | None = None
    """Column of the corpus that holds the passage."""
    id_column: str | None = None
    """Column of the corpus that holds its identifier."""
    corpus_encoding: str | None = None
    corpus_sheet: str | int | None = None
    workers: int = Field(default=1, ge=1)
    """Processes that read the index at once."""

    @field_validator("top_n", "workers", "corpus_sheet", mode="before")
    @classmethod
    def _truth_is_no_number(cls, value: object) -> object:
        if isinstance(value, bool):
            raise ValueError("expected a whole number, not true or false")
        return value

    @model_validator(mode="after")
    def _within_reach(self) -> AuditConfig:
        beyond = max([self.k, *(self.k_values or ())])
        if beyond > self.top_n:
            lower = "k" if beyond == self.k else "k_values"
            raise ValueError(f"the cutoff {beyond} is above top_n={self.top_n}: raise top_n, or lower {lower}")
        return self

    @property
    def cutoffs(self) -> tuple[int, ...]:
        """Where the metrics are measured, ascending; the main one among them."""
        chosen = self.k_values or [cutoff for cutoff in _CUTOFFS if cutoff <= self.top_n]
        return tuple(sorted({self.k, *chosen}))

    def preferring(self, match_by: Literal["auto", "id", "text"] | None) -> AuditConfig:
        """These settings, comparing by ``match_by`` unless the user has said how."""
        chosen = super().preferring(match_by)
        assert isinstance(chosen, AuditConfig)  # noqa: S101 - a copy is of the same class
        return chosen

    @classmethod
    def known_keys(cls) -> frozenset[str]:
        """The keys that say something in an audit.

        >>> "top_n" in AuditConfig.known_keys(), "metrics" in AuditConfig.known_keys()
        (True, False)
        """
        return _OF_A_RUN | cls.own_keys

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any] | None, *, where: str = "audit") -> AuditConfig:
        """Check ``values``.

        Raises:
            ConfigError: A key is unknown, says nothing in an audit, or its value is malformed.
        """
        given = dict(values or {})
        known = cls.known_keys()
        for name in given:
            if name in EvaluationConfig.model_fields and name not in known:
                raise ConfigError(
                    f"the key {name!r} says nothing in an audit, which asks for no answer and no judge",
                    where=where,
                    remedy="leave it out",
                )
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            raise explained(error, {"": known, "matching": MatchSettings.model_fields}, where) from None

    def public_dict(self) -> dict[str, Any]:
        """The settings of an audit as plain values."""
        values = super().public_dict()
        return {name: value for name, value in values.items() if name in self.known_keys()}
