"""The settings and what each may be."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator, model_validator

from muffakir_eval.config.panels import as_jury
from muffakir_eval.config.problems import explained
from muffakir_eval.errors import ConfigError
from muffakir_eval.redaction import MASK, mask_settings

__all__ = ["EvaluationConfig", "MatchSettings", "metric_name"]

MatchBy = Literal["auto", "id", "text"]
TextStage = Literal["containment", "jaccard", "coverage"]
ProfileName = Literal["arabic", "persian", "urdu", "none"]
TokenLevel = Literal["token", "lemma", "clitics"]


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, allow_inf_nan=False)


class MatchSettings(_Settings):
    """How a retrieved chunk is compared with the gold evidence."""

    match_by: MatchBy = "auto"
    """``auto`` tries the identifier and falls through to the text; ``id`` and ``text`` use one only."""

    overlap_threshold: float = Field(default=0.55, gt=0.0, le=1.0)
    """Token Jaccard from which two texts hold the same evidence."""

    min_gold_share: float = Field(default=0.4, ge=0.0, le=1.0)
    """Share of the gold's tokens that must lie in the chunk before a text stage may say yes."""

    min_inside_tokens: int = Field(default=12, ge=1)
    """A chunk that lies wholly inside the gold counts from this many tokens, whatever its share. Two Chinese or
    Japanese characters stand for one, and four of Thai and its like."""

    min_gold_tokens: int = Field(default=3, ge=1)
    """A gold of fewer tokens matches only an equal text."""

    stages: tuple[TextStage, ...] = ("containment", "jaccard", "coverage")
    """The stages that compare texts; they are asked in this order, however they are listed."""

    fuzzy: bool = True
    """Words that nearly agree count as the same where the exact words alone do not decide."""

    fuzzy_similarity: float = Field(default=0.8, gt=0.0, le=1.0)
    """Normalised similarity from which two words nearly agree."""

    fuzzy_min_letters: int = Field(default=4, ge=1)
    """Shorter words agree only exactly."""

    coverage_threshold: float = Field(default=0.6, gt=0.0, le=1.0)
    """Share of the words in the part where the two texts overlap that must agree, in the same order;
    ``overlap_threshold`` where that is higher."""

    profile: ProfileName = "arabic"
    """What counts as the same letter: ``arabic`` folds the spellings of all keyboards, ``persian`` and ``urdu``
    keep what those languages tell apart, ``none`` folds no letters."""

    token_level: TokenLevel = "token"  # noqa: S105
    """``token`` compares words as they stand; ``lemma`` and ``clitics`` also by what an analyser makes of them
    (extra ``camel``)."""

    morphology_database: str | None = None
    """File of the analyser's database; ``None`` takes the one that is installed."""

    @field_validator("stages", mode="before")
    @classmethod
    def _stages(cls, value: object) -> object:
        """Each once, in the order in which they are asked."""
        named = (value,) if isinstance(value, str) else value
        if not isinstance(named, (tuple, list, set, frozenset)):
            return value
        known = [stage for stage in get_args(TextStage) if stage in named]
        return (*known, *(stage for stage in named if stage not in known))

    @field_validator("morphology_database", mode="before")
    @classmethod
    def _path_is_text(cls, value: object) -> object:
        return str(value) if isinstance(value, PurePath) else value


class EvaluationConfig(_Settings):
    """All settings of a run.

    >>> EvaluationConfig.from_mapping({"k": 10}).k
    10
    >>> EvaluationConfig.from_mapping({"metrcs": ["recall"]})
    Traceback (most recent call last):
    ...
    muffakir_eval.errors.ConfigError: config: unknown key 'metrcs'. What to do: did you mean 'metrics'?
    """

    language: Literal["ar", "en"] = "ar"
    """Language of prompts and reports."""
    metrics: tuple[str | Callable[..., Any], ...] | None = None
    """Names, or functions of a ``Trial``; ``None`` takes what pipeline and dataset allow."""
    k: int = Field(default=5, ge=1)
    """Main cutoff; the pipeline is called with it."""
    k_values: tuple[int, ...] | None = None
    """Further cutoffs, reported as ``<name>@<k>``."""
    max_samples: int | None = Field(default=None, ge=1)
    """The first so many questions, or a seeded sample of them with ``sample_seed``."""
    sample_seed: int | None = None
    """Draw ``max_samples`` questions at random, by this seed; they stay in the order of the dataset."""
    output_dir: str = Field(default="./eval_results", min_length=1)
    """Folder of the run, where it is saved."""
    on_existing: Literal["resume", "extend", "overwrite", "error"] = "resume"
    """What to do with a run that is already in the folder: ``resume`` continues an unfinished one of
    the same settings and dataset and replaces a finished one; ``extend`` also accepts a dataset that
    has changed and reuses the questions that have not; ``overwrite`` starts anew; ``error`` refuses."""
    fail_fast_dataset: bool = True
    """``False`` sets bad rows aside and goes on with the rest."""
    column_mapping: dict[str, str | list[str]] | None = None
    """Field of this package to column of the file."""
    id_columns: tuple[str, ...] | None = None
    """Columns that together make ``sample_id``."""
    encoding: str | None = None
    """Of a text file that is not UTF-8, such as ``cp1256``."""
    sheet: str | int | None = None
    """Sheet of a workbook, by name, or by number from 0; ``None`` takes the only one with questions."""
    pipeline_mode: Literal["full_rag", "retrieval_only"] | None = None
    """``retrieval_only`` uses what retrieves, although the pipeline can answer; ``None`` takes what it can do."""
    pipeline_workers: int | None = Field(default=None, ge=1)
    """Calls of the pipeline at once. By default a blocking pipeline gets 1 and an ``async`` one
    ``max_concurrency``."""
    pipeline_id: str | None = None
    """Names the pipeline in the run folder; ``None`` takes its qualified name. Change it where its code has changed."""
    max_pipeline_errors: int = Field(default=20, ge=1)
    """So many failing questions in a row stop the run; what was finished is kept."""
    progress: bool = True
    """Show a progress bar and notes while running."""
    seed: int = 0
    """Of the draws of the intervals."""
    confidence_level: float = Field(default=0.95, gt=0.0, lt=1.0)
    """Of the intervals."""
    slice_by: tuple[str, ...] | None = None
    """Columns of the dataset; every metric is reported for each of their values, too."""
    cluster_column: str | None = None
    """Questions with the same value (of one document, say) are not independent: intervals draw them together."""
    csv_bom: bool = True
    """Start ``samples.csv`` with a byte-order mark, so that Excel reads Arabic."""
    report_formats: tuple[Literal["html", "xlsx", "md", "jsonl"], ...] | None = None
    """Further files of a saved run: ``html`` (report.html), ``xlsx`` (samples.xlsx), ``md`` (report.md), ``jsonl``
    (samples.jsonl)."""

    overlap_threshold: float = Field(default=0.55, gt=0.0, le=1.0)
    """Token Jaccard from which two texts hold the same evidence."""
    match_by: MatchBy = "auto"
    """``auto`` tries the identifier and falls through to the text; ``id`` and ``text`` use one only."""
    matching: MatchSettings | None = None
    """The finer settings; ``overlap_threshold`` and ``match_by`` are taken from above unless set here."""

    jury: Any = None
    """A panel of judges instead of one: what :func:`~muffakir_eval.config.panels.jury` makes, or a table of
    ``members``, ``method`` and ``quorum``."""
    refusal_phrases: tuple[str | dict[str, str], ...] | None = None
    """Further words with which an answer declines: texts, or tables of ``phrase`` or ``pattern``, ``language``,
    ``reason``, ``kind`` and ``at``."""
    not_refusal_phrases: tuple[str, ...] | None = None
    """Words that are no refusal although a phrase finds one in them."""

    llm_provider: str | None = None
    """The judge: ``openai``, ``anthropic``, ``azure_openai``, ``ollama``, … or any name with ``llm_base_url``."""
    llm_model: str | None = None
    """Its model, as the provider names it."""
    api_key: SecretStr | None = None
    """Its key; ``None`` reads the environment variable of the provider. Never shown."""
    base_url: str | None = None
    """The same as ``llm_base_url``."""
    llm_base_url: str | None = None
    """Where the judge is reached; ``None`` is the address of the provider."""
    llm_temperature: float | None = Field(default=0.0, ge=0.0)
    """Sent where the provider takes it, to Anthropic only if it is set by hand; ``None`` sends none."""
    llm_max_tokens: int | None = Field(default=None, ge=1)
    """Longest reply of the judge in tokens; ``None`` leaves it to the provider."""
    llm_parameters: dict[str, Any] | None = None
    """Further parameters of a request to the judge."""
    judge_llm_parameters: dict[str, Any] | None = None
    """The same; where both name a parameter, this one wins."""
    prompt_overrides: dict[str, str] | None = None
    """Prompts of your own by name: the text, or the path of a ``.md`` or ``.txt`` file."""
    faithfulness_mode: Literal["strict", "claims"] = "strict"
    """``strict`` gives 0 or 1 for the whole answer, ``claims`` the share of its claims that the chunks support."""
    judge_repeats: int = Field(default=1, ge=1)
    """Times that each answer is judged; the mean of the valid verdicts counts."""
    fail_on_judge_error: bool = False
    """A judged score that failed stops the run, instead of being counted with its reason."""
    refusal_judge: bool = False
    """Ask the judge whether an answer refuses, where the phrases alone do not tell."""
    judge_mode: Literal["live", "batch"] = "live"
    """``live`` asks the judge one question at a time and waits for the reply. ``batch`` sends the requests together
    through the provider's batch interface: at about half the price, within a day."""
    batch_price_factor: float = Field(default=0.5, gt=0.0)
    """What a request in a batch costs, as a share of ``prices``."""
    batch_max_requests: int | None = Field(default=None, ge=1)
    """Requests in one batch at most; ``None`` takes the provider's limit, and more is cut to it."""
    batch_max_bytes: int | None = Field(default=None, ge=1)
    """Bytes of one batch at most; likewise."""
    batch_tries: int = Field(default=3, ge=1)
    """How often a request is submitted at most, where it fails for a reason that may pass."""
    batch_poll_s: float = Field(default=300.0, gt=0.0)
    """Longest wait in seconds between two looks at a batch; the first ones come sooner."""
    batch_max_waiting: int = Field(default=20_000, ge=1)
    """Questions that wait for their batch at a time; the rest comes after them."""
    batch_cancel_on_interrupt: bool = False
    """Ctrl-C also cancels the batches at the provider; otherwise they run on, and the resumed run collects them."""

    max_concurrency: int = Field(default=16, ge=1)
    """Calls of the judge, or of an ``async`` pipeline, at once."""
    requests_per_minute: float | None = Field(default=None, gt=0)
    """Allowance of the judge's provider, spread over the minute."""
    tokens_per_minute: float | None = Field(default=None, gt=0)
    """The same for tokens."""
    call_timeout_s: float | None = Field(default=None, gt=0)
    """Wall-clock seconds for one call of the judge; ``None`` is 120."""
    sample_timeout_s: float | None = Field(default=None, gt=0)
    """Wall-clock seconds for the pipeline, for a metric of the user's, and for a judged metric with all its
    retries, each on one sample; then that is marked ``timeout`` and the run goes on."""
    retry_deadline_s: float | None = Field(default=None, ge=0)
    """Seconds after its first failure within which a call is tried again; ``None`` is 300, 0 never tries again."""
    budget_usd: float | None = Field(default=None, gt=0)
    """Once so many US dollars are spent, the judge is asked nothing more; needs ``prices``."""
    prices: dict[str, Any] | None = None
    """US dollars per million tokens: ``{"gpt-4o": {"input": 2.5, "output": 10}}``. None are built in."""
    cache_dir: str | None = "auto"
    """Folder of the judge's replies; ``auto`` is the user's cache folder, ``None`` keeps none."""
    dry_run: bool = False
    """Read and check everything, ask no question, write nothing, and say what a run would do."""

    # Of several validators before the type check, the last one is called first.
    @field_validator("metrics", mode="before")
    @classmethod
    def _names(cls, value: object) -> object:
        """``"recall, mrr"`` are two names; blanks around a name are none of it."""
        if not isinstance(value, tuple):
            return value
        parts = [part.split(",") if isinstance(part, str) else [part] for part in value]
        names = [name.strip() if isinstance(name, str) else name for part in parts for name in part]
        kept = tuple(name for name in names if name != "")
        if not kept:
            raise ValueError("name at least one metric, or leave the key out for the default ones")
        return kept

    @field_validator(
        "metrics",
        "k_values",
        "id_columns",
        "slice_by",
        "report_formats",
        "refusal_phrases",
        "not_refusal_phrases",
        mode="before",
    )
    @classmethod
    def _one_is_a_list_of_one(cls, value: object) -> object:
        if isinstance(value, (str, int, float)) or callable(value):
            return (value,)
        if isinstance(value, (set, frozenset)):  # in an order that is the same in every process
            return tuple(sorted(value, key=lambda item: metric_name(item) if callable(item) else str(item)))
        return tuple(value) if isinstance(value, list) else value

    @field_validator("refusal_phrases", mode="before")
    @classmethod
    def _one_table_is_a_list_of_one(cls, value: object) -> object:
        return (value,) if isinstance(value, dict) else value

    @field_validator(
        "k", "max_samples", "pipeline_workers", "max_concurrency", "k_values", "sheet", "batch_tries", mode="before"
    )
    @classmethod
    def _true_is_no_number(cls, value: object) -> object:
        if isinstance(value, bool) or (
            isinstance(value, (tuple, list)) and any(isinstance(item, bool) for item in value)
        ):
            raise ValueError("expected a whole number, not true or false")
        return value

    @field_validator("output_dir", "cache_dir", mode="before")
    @classmethod
    def _path_is_text(cls, value: object) -> object:
        return str(value) if isinstance(value, PurePath) else value

    @field_validator("jury", mode="before")
    @classmethod
    def _panel(cls, value: object) -> object:
        try:
            return None if value is None else as_jury(value)
        except ConfigError as error:
            raise ValueError(str(error).removeprefix("jury: ").removesuffix(".")) from None

    @field_validator("k_values")
    @classmethod
    def _cutoffs(cls, value: tuple[int, ...] | None) -> tuple[int, ...] | None:
        if value is not None and any(k < 1 for k in value):
            raise ValueError("every cutoff must be at least 1")
        return None if value is None else tuple(dict.fromkeys(value))

    @model_validator(mode="after")
    def _sampling(self) -> EvaluationConfig:
        if self.sample_seed is not None and self.max_samples is None:
            raise ValueError("sample_seed draws max_samples questions: set max_samples too")
        return self

    @property
    def match_settings(self) -> MatchSettings:
        """The settings of the matcher, with the two short keys filled in."""
        finer = self.matching or MatchSettings()
        short = {"overlap_threshold": self.overlap_threshold, "match_by": self.match_by}
        return finer.model_copy(
            update={key: value for key, value in short.items() if key not in finer.model_fields_set}
        )

    def preferring(self, match_by: MatchBy | None) -> EvaluationConfig:
        """These settings, comparing by ``match_by`` unless the user has said how.

        >>> EvaluationConfig().preferring("id").match_settings.match_by
        'id'
        >>> EvaluationConfig(match_by="auto").preferring("id").match_settings.match_by
        'auto'
        """
        said = "match_by" in self.model_fields_set or (
            self.matching is not None and "match_by" in self.matching.model_fields_set
        )
        return self if match_by is None or said else self.model_copy(update={"match_by": match_by})

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any] | None, *, where: str = "config") -> EvaluationConfig:
        """Check ``values``.

        Raises:
            ConfigError: A key is unknown or a value is malformed; every problem is named.
        """
        try:
            return cls.model_validate(dict(values or {}))
        except ValidationError as error:
            known = {"": cls.model_fields, "matching": MatchSettings.model_fields}
            raise explained(error, known, where) from None

    def public_dict(self) -> dict[str, Any]:
        """The settings as plain values, with secrets masked and functions named."""
        values = self.model_dump(mode="python")
        values["api_key"] = None if self.api_key is None else MASK
        values["jury"] = None if self.jury is None else self.jury.public()
        if self.metrics is not None:
            values["metrics"] = [metric_name(metric) for metric in self.metrics]
        return dict(mask_settings(values))

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Only what was set, secrets masked."""
        return [(name, value) for name, value in self.public_dict().items() if name in self.model_fields_set]


def metric_name(metric: str | Callable[..., Any]) -> str:
    """The name under which a requested metric is reported.

    Of a function, its attribute ``name`` where it has one, else its ``__name__``; of a
    ``functools.partial``, that of the function inside; of another object, that of its class.
    """
    if isinstance(metric, str):
        return metric
    name = getattr(metric, "name", None)
    if isinstance(name, str) and name:
        return name
    if isinstance(metric, functools.partial):
        return metric_name(metric.func)
    return str(getattr(metric, "__name__", type(metric).__name__))
