"""``EvalRunner``: Muffakir's lower door, for code that builds its own samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.door import run_sync
from muffakir_eval.evaluation.session import run_settled
from muffakir_eval.evaluation.suite import prepare
from muffakir_eval.report import EvaluationReport

__all__ = ["EvalRunner"]


class EvalRunner:
    """Evaluate ``rag`` on samples that are in memory already.

    Args:
        rag: What is under test.
        llm_provider: The judge; kept for the judged metrics.
        prompt_manager: Kept for the judged metrics.
        metrics: Names, or functions of a trial; empty takes what pipeline and samples allow.
        k: Main cutoff.
        max_workers: Questions at once.
        settings: Any further key of the configuration.

    Raises:
        ConfigError: A setting or a metric is unknown.

    >>> runner = EvalRunner(lambda question, k: ["النص"], None, None, ["recall"], k=1, progress=False)
    >>> runner.run([{"question": "س", "context": "النص"}]).summary()
    {'recall_at_k': 1.0}
    """

    def __init__(
        self,
        rag: Any,
        llm_provider: Any = None,
        prompt_manager: Any = None,
        metrics: Sequence[str | Callable[..., Any]] | str | None = (),
        k: int = 5,
        max_workers: int = 1,
        **settings: Any,
    ) -> None:
        self.rag = rag
        self.llm_provider = llm_provider
        self.prompt_manager = prompt_manager
        self.config = EvaluationConfig.from_mapping(
            {**settings, "metrics": metrics or None, "k": k, "pipeline_workers": max_workers}
        )

    def run(self, samples: Iterable[Any]) -> EvaluationReport:
        """Evaluate ``samples``: sample records, ``QAPair``-like objects, or dicts."""
        settled = prepare(self.config, self.rag, samples, save=False, llm_provider=self.llm_provider)
        return run_sync(lambda: run_settled(settled))

    async def arun(self, samples: Iterable[Any]) -> EvaluationReport:
        """:meth:`run` for use inside a coroutine."""
        return await run_settled(prepare(self.config, self.rag, samples, save=False, llm_provider=self.llm_provider))
