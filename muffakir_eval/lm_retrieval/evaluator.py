"""``LMBasedRetrievalEvaluator``: judged retrieval metrics, and a rating of each question by rules."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from pydantic import SecretStr

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.door import run_sync
from muffakir_eval.errors import JudgeError
from muffakir_eval.judges.judge import ModelJudge
from muffakir_eval.judges.making import make_judge
from muffakir_eval.judges.prices import Meter
from muffakir_eval.judges.protocol import Judge
from muffakir_eval.lm_retrieval.checking import check_rules
from muffakir_eval.lm_retrieval.judges import JudgePool
from muffakir_eval.lm_retrieval.models import choose_model, judge_settings
from muffakir_eval.lm_retrieval.naming import own_name
from muffakir_eval.lm_retrieval.records import RAGData, as_samples
from muffakir_eval.lm_retrieval.results import check_blocks, result_of, success_thresholds
from muffakir_eval.lm_retrieval.rules import RetrievalRules, load_rules
from muffakir_eval.lm_retrieval.settings import known_secrets, read_settings
from muffakir_eval.lm_retrieval.speaking import Language, in_its_language, language_of
from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.metrics import Metric, resolve_metrics
from muffakir_eval.metrics.judged import CriteriaMetric, judged_metrics
from muffakir_eval.pipelines.recorded import recorded_pipeline
from muffakir_eval.prompts import load_prompts
from muffakir_eval.records import Sample, SampleResult
from muffakir_eval.redaction import redact
from muffakir_eval.runner import Item, MemoryStore, RunPlan, run_items
from muffakir_eval.writers.progress import progress_bar

__all__ = ["LMBasedRetrievalEvaluator"]

_DEFAULT_METRICS = ("contextual_precision", "contextual_recall")
_LANGUAGES: tuple[Language, ...] = ("ar", "en")

Item_ = RAGData | Mapping[str, Any] | Sample
Result = dict[str, Any]


class LMBasedRetrievalEvaluator:
    """Judge what was retrieved for a question, and rate it by rules.

    A result is a table of plain values under the key ``lm_based_retrieval``: ``global_explanation``,
    ``relevancy_rating`` (``good``, ``bad``, ``incomplete`` or ``None``), ``score``, ``possible_issues``, and for
    each metric a block with ``score``, ``explanation`` and ``success``. A metric that does not apply or has failed
    has ``None`` for both figures, and says why.

    Args:
        model: Name of the judge (``gpt-4o``, ``openai/gpt-4o``, ``google/gemini-…``); or an object that is asked
            itself, such as a :class:`~muffakir_eval.judges.scripted.ScriptedModel`, a LangChain model or a function
            of the prompt; ``None`` for the default one of Google
            (:data:`~muffakir_eval.lm_retrieval.models.DEFAULT_MODEL`).
        model_credentials: The key; ``None`` reads the provider's environment variable (``GEMINI_API_KEY`` or
            ``GOOGLE_API_KEY`` for the default model).
        base_url: A server that speaks chat completions; the name of the model is then taken as it stands.
        metrics: By default contextual precision and recall. Others of a run may be added: names, functions of a
            ``Trial``, criteria for the judge.
        rules: A table or a settings file (:func:`~muffakir_eval.lm_retrieval.rules.load_rules`); by default
            contextual recall of 0.5 or more is good, and less is bad.
        success_threshold: Share of a metric's scale from which on it is a success, or a table of values by metric.
        details: Give each block also ``state``, ``reason`` and ``verdicts`` (which node supports which statement).
        settings: Keys of the configuration: ``language`` (``ar``, ``en``; by default that of each query),
            ``max_concurrency``, ``cache_dir``, ``budget_usd`` and the others of
            :data:`~muffakir_eval.lm_retrieval.settings.SETTINGS`. Without ``k`` all nodes are judged.

    Raises:
        ConfigError: A setting or a rule is wrong, or there is no key.

    >>> from muffakir_eval import ScriptedModel
    >>> judge = ScriptedModel({
    ...     "contextual_precision": {"verdicts": [
    ...         {"number": 1, "reason": "It is about Germany.", "verdict": "no"},
    ...         {"number": 2, "reason": "It names the capital of France.", "verdict": "yes"}]},
    ...     "contextual_recall": {"verdicts": [{"number": 1, "reason": "It says so.", "chunk": 2, "verdict": "yes"}]}})
    >>> evaluator = LMBasedRetrievalEvaluator(model=judge, cache_dir=None)
    >>> data = RAGData(query="What is the capital of France?", expected_response="Paris is the capital of France.",
    ...                retrieved_context=["Berlin is the capital of Germany.", "Paris is the capital of France."])
    >>> result = evaluator.evaluate_sync(data)["lm_based_retrieval"]
    >>> result["relevancy_rating"], result["score"], result["possible_issues"]
    ('good', 1.0, [])
    >>> print(result["deepeval_contextual_precision"]["explanation"])
    The score is 0.50 because the first useful node is only at rank 2. Node 1 is not useful: It is about Germany. \
Node 2 is useful: It names the capital of France.
    """

    def __init__(  # noqa: PLR0913 - the reference's three, and what is set beside the configuration
        self,
        model: Any = None,
        model_credentials: str | SecretStr | None = None,
        base_url: str | None = None,
        *,
        metrics: Sequence[str | Callable[..., Any]] | str | None = None,
        rules: Mapping[str, Any] | str | Path | RetrievalRules | None = None,
        success_threshold: float | Mapping[str, float] = 0.5,
        details: bool = False,
        **settings: Any,
    ) -> None:
        spoken = settings.pop("language", None)
        given = judge_settings(model, model_credentials, base_url, settings)
        if spoken is not None:
            given["language"] = spoken
        self.config = read_settings(given, _named(metrics))
        self.language: Language | None = None if spoken is None else self.config.language
        self._details = details
        self._secrets = known_secrets(self.config, model)
        self._model = choose_model(self.config, model)
        self._prompts = {each: load_prompts(each, self.config.prompt_overrides) for each in self._spoken()}
        judge = self._make_judge(None)
        self._pool = JudgePool(self._make_judge, judge.meter)
        self._identity = dict(judge.identity)
        self._shape = check_blocks(self._metrics(judge, self.config))
        self.rules = check_rules(load_rules(rules), self._shape)
        self._thresholds = success_thresholds(success_threshold, self._shape)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that are measured, in the order of their blocks."""
        return tuple(metric.name for metric in self._shape)

    @property
    def usage(self) -> dict[str, Any]:
        """Calls, tokens and cost of this evaluator so far, in total and ``by_metric``."""
        return self._pool.usage()

    async def evaluate(self, data: Item_) -> Result:
        """Evaluate one question.

        Args:
            data: Also a table with the fields of :class:`RAGData` or of other tools, or a sample of a dataset
                that carries what was retrieved.

        Raises:
            DatasetError: ``data`` is not usable.
            JudgeKeyError: The key was rejected.
        """
        return (await self.evaluate_batch([data]))[0]

    async def evaluate_batch(self, items: Iterable[Item_]) -> list[Result]:
        """Evaluate many questions, as many at once as ``max_concurrency`` allows.

        Returns:
            A result for each item, in their order. Whatever goes wrong with one stands in its own result.

        Raises:
            DatasetError: An item is not usable; nothing was asked yet.
            JudgeKeyError: The key was rejected. The attribute ``report`` of the error is the list of results, with
                ``None`` for what was not finished.
        """
        samples = as_samples(items)
        if not samples:
            return []
        work = [Item(key=str(place), position=place, sample=sample) for place, sample in enumerate(samples)]
        store = MemoryStore()
        try:
            await self._run(work, store)
        except JudgeError as error:
            done = store.results
            error.report = [self._result(done[item.key]) if item.key in done else None for item in work]
            raise
        except (asyncio.CancelledError, KeyboardInterrupt) as error:
            kept = (
                ""
                if self.config.cache_dir is None
                else "; the cache has the judge's replies, so nothing is asked twice"
            )
            error.add_note(f"{len(store.results)} of {len(work)} questions were evaluated{kept}")
            raise
        return [self._result(store.results[item.key]) for item in work]

    def evaluate_sync(self, data: Item_) -> Result:
        """:meth:`evaluate` without ``await``: in a script, in a notebook, and inside a running event loop."""
        return run_sync(lambda: self.evaluate(data))

    def evaluate_batch_sync(self, items: Iterable[Item_]) -> list[Result]:
        """:meth:`evaluate_batch` without ``await``: in a script, in a notebook, and inside a running event loop."""
        return run_sync(lambda: self.evaluate_batch(items))

    def __repr__(self) -> str:
        named = {"model": self._identity.get("model"), "language": self.language, "metrics": list(self.metrics)}
        return f"LMBasedRetrievalEvaluator({', '.join(f'{name}={value!r}' for name, value in named.items())})"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "LMBasedRetrievalEvaluator holds a key and connections, and is neither pickled nor copied: make one in each"
            " process, or evaluate a batch, of which max_concurrency questions are judged at once"
        )

    def _spoken(self) -> tuple[Language, ...]:
        return _LANGUAGES if self.language is None else (self.language,)

    def _make_judge(self, meter: Meter | None) -> ModelJudge:
        return make_judge(self.config, self._model, secrets=self._secrets, meter=meter)

    def _metrics(self, judge: Judge, config: EvaluationConfig) -> tuple[Metric, ...]:
        """The metrics with this judge, each in the language of the question."""

        def bound(language: Language) -> tuple[Metric, ...]:
            def bind(request: str | CriteriaMetric) -> Metric:
                return judged_metrics([request], judge=judge, prompts=self._prompts[language], config=config)[0]

            return resolve_metrics(config.metrics, k=config.k, bind=bind)

        return in_its_language({language: bound(language) for language in self._spoken()})

    async def _run(self, work: Sequence[Item], store: MemoryStore) -> None:
        config = self.config
        if "k" not in config.model_fields_set:
            retrieved = (len(item.sample.recorded.chunks or ()) for item in work if item.sample.recorded is not None)
            config = config.model_copy(update={"k": max(1, *retrieved)})
        async with self._pool.judge() as judge:
            plan = RunPlan(
                pipeline=recorded_pipeline([item.sample for item in work]),
                metrics=self._metrics(judge, config),
                matcher=ChunkMatcher(config.match_settings),
                k=config.k,
                depth=config.k,
                scored_at_once=2 * config.max_concurrency,
                sample_timeout_s=config.sample_timeout_s,
                max_errors_in_a_row=None,
                timed=False,
                judge_must_answer=config.fail_on_judge_error,
                redact=functools.partial(redact, secrets=self._secrets),
            )
            with progress_bar(len(work), enabled=config.progress and len(work) > 1) as advance:

                def on_done(result: SampleResult) -> None:
                    advance(failed=any(score.state == "failed" for score in result.scores.values()))

                await run_items(plan, work, store, on_done)

    def _result(self, found: SampleResult) -> Result:
        return result_of(
            found.scores,
            self.rules,
            metrics=self._shape,
            thresholds=self._thresholds,
            language=self.language or language_of(found.sample.question),
            details=self._details,
        )


def _named(metrics: Any) -> Any:
    """The metrics by the names that they have here."""
    if metrics is None:
        return _DEFAULT_METRICS
    requested = list(metrics) if isinstance(metrics, Iterable) and not isinstance(metrics, str) else [metrics]
    names = [name for each in requested for name in (each.split(",") if isinstance(each, str) else [each])]
    return tuple(own_name(name) if isinstance(name, str) else name for name in names)
