"""Evaluation of retrieval-augmented generation in Arabic and other languages.

>>> from muffakir_eval import MuffakirEvaluation, load_evaluation_dataset

Public names are resolved on first use, so that importing the package loads neither pandas nor an SDK.
"""

from __future__ import annotations

import typing as _typing
from importlib import import_module as _import_module

__version__: str

if _typing.TYPE_CHECKING:
    from muffakir_eval.audit.index import aaudit_index, audit_index
    from muffakir_eval.audit.result import IndexAudit
    from muffakir_eval.calibration import Calibration, calibrate_matching
    from muffakir_eval.comparison.gate import assert_report, check_gate
    from muffakir_eval.comparison.runs import compare_runs
    from muffakir_eval.comparison.runs_folder import load_report
    from muffakir_eval.config import EvaluationConfig, MatchSettings, load_config
    from muffakir_eval.config.panels import Jury, jury
    from muffakir_eval.datasets import EvaluationDataset, load_evaluation_dataset
    from muffakir_eval.datasets.beir import read_beir, write_beir
    from muffakir_eval.datasets.beir.converting import beir_to_dataset, dataset_to_beir
    from muffakir_eval.datasets.beir.triples import as_beir_triple
    from muffakir_eval.datasets.trec import load_trec, read_qrels, read_run, write_qrels, write_run
    from muffakir_eval.errors import (
        ConfigError,
        DatasetError,
        JudgeError,
        JudgeKeyError,
        MetricError,
        MissingExtraError,
        MuffakirEvalError,
        PipelineDownError,
        PipelineError,
        StorageError,
    )
    from muffakir_eval.evaluation import EvalRunner, MuffakirEvaluation
    from muffakir_eval.evaluation.judge_comparison import acompare_judges, compare_judges
    from muffakir_eval.judges.scripted import ScriptedModel
    from muffakir_eval.lm_retrieval import LMBasedRetrievalEvaluator, RAGData, RetrievalRules
    from muffakir_eval.matching import (
        ChunkMatcher,
        Explanation,
        build_relevance_list,
        explain_match,
        is_relevant_document,
    )
    from muffakir_eval.metrics import (
        ALL_METRICS,
        DEFAULT_METRICS,
        GENERATION_METRICS,
        RETRIEVAL_METRICS,
        Qrels,
        average_precision,
        context_precision,
        context_recall,
        dcg_at_k,
        distractor_share_at_k,
        exact_match,
        hard_recall_at_k,
        hit_rate_at_k,
        ndcg_at_k,
        precision_at_k,
        recall_at_k,
        reciprocal_rank,
        token_f1,
    )
    from muffakir_eval.metrics.judged import judge_metric
    from muffakir_eval.pipelines import BM25Retriever, as_pipeline, load_corpus, rechunk
    from muffakir_eval.rag_evaluation import RagEvalReport, RagSample, as_ragas_dataset, evaluate_rag
    from muffakir_eval.records import (
        ChunkMatch,
        Pipeline,
        PipelineOutput,
        Refusal,
        RetrievedChunk,
        Sample,
        SampleResult,
        Score,
        Trial,
    )
    from muffakir_eval.refusals import detect_answer_refusal, find_refusal
    from muffakir_eval.report import EvaluationReport
    from muffakir_eval.retrieval_evaluation import (
        RetrievalEvalReport,
        RetrieverComparison,
        acompare_retrievers,
        aevaluate_retrieval,
        compare_retrievers,
        evaluate_retrieval,
    )
    from muffakir_eval.scale import (
        DistributedReport,
        ScoreSettings,
        audit_distributed,
        evaluate_distributed,
        score_frame,
        score_schema,
    )
    from muffakir_eval.text.normalize import normalize_text

_HOME = {
    "ALL_METRICS": "metrics",
    "BM25Retriever": "pipelines",
    "Calibration": "calibration",
    "ChunkMatch": "records",
    "ChunkMatcher": "matching",
    "ConfigError": "errors",
    "DEFAULT_METRICS": "metrics",
    "DatasetError": "errors",
    "DistributedReport": "scale.report",
    "EvalRunner": "evaluation",
    "EvaluationConfig": "config",
    "EvaluationDataset": "datasets",
    "EvaluationReport": "report",
    "Explanation": "matching",
    "GENERATION_METRICS": "metrics",
    "JudgeError": "errors",
    "JudgeKeyError": "errors",
    "IndexAudit": "audit.result",
    "Jury": "config.panels",
    "LMBasedRetrievalEvaluator": "lm_retrieval",
    "MatchSettings": "config",
    "MetricError": "errors",
    "MissingExtraError": "errors",
    "MuffakirEvalError": "errors",
    "MuffakirEvaluation": "evaluation",
    "Pipeline": "records",
    "PipelineDownError": "errors",
    "PipelineError": "errors",
    "PipelineOutput": "records",
    "Qrels": "metrics",
    "RAGData": "lm_retrieval",
    "RETRIEVAL_METRICS": "metrics",
    "RagEvalReport": "rag_evaluation",
    "RagSample": "rag_evaluation",
    "Refusal": "records",
    "RetrievalEvalReport": "retrieval_evaluation",
    "RetrievalRules": "lm_retrieval",
    "RetrievedChunk": "records",
    "RetrieverComparison": "retrieval_evaluation",
    "Sample": "records",
    "SampleResult": "records",
    "Score": "records",
    "ScoreSettings": "scale.settings",
    "ScriptedModel": "judges.scripted",
    "StorageError": "errors",
    "Trial": "records",
    "aaudit_index": "audit.index",
    "acompare_judges": "evaluation.judge_comparison",
    "acompare_retrievers": "retrieval_evaluation",
    "aevaluate_retrieval": "retrieval_evaluation",
    "as_beir_triple": "datasets.beir.triples",
    "as_pipeline": "pipelines",
    "assert_report": "comparison.gate",
    "as_ragas_dataset": "rag_evaluation",
    "audit_distributed": "scale.auditing",
    "audit_index": "audit.index",
    "average_precision": "metrics",
    "beir_to_dataset": "datasets.beir.converting",
    "build_relevance_list": "matching",
    "calibrate_matching": "calibration",
    "compare_retrievers": "retrieval_evaluation",
    "check_gate": "comparison.gate",
    "compare_judges": "evaluation.judge_comparison",
    "compare_runs": "comparison.runs",
    "context_precision": "metrics",
    "context_recall": "metrics",
    "dataset_to_beir": "datasets.beir.converting",
    "dcg_at_k": "metrics",
    "detect_answer_refusal": "refusals",
    "distractor_share_at_k": "metrics",
    "evaluate_distributed": "scale.distributed",
    "evaluate_rag": "rag_evaluation",
    "evaluate_retrieval": "retrieval_evaluation",
    "exact_match": "metrics",
    "explain_match": "matching",
    "find_refusal": "refusals",
    "hard_recall_at_k": "metrics",
    "hit_rate_at_k": "metrics",
    "is_relevant_document": "matching",
    "judge_metric": "metrics.judged",
    "jury": "config.panels",
    "load_config": "config",
    "load_corpus": "pipelines",
    "load_evaluation_dataset": "datasets",
    "load_report": "comparison.runs_folder",
    "load_trec": "datasets.trec",
    "ndcg_at_k": "metrics",
    "normalize_text": "text.normalize",
    "precision_at_k": "metrics",
    "read_beir": "datasets.beir",
    "read_qrels": "datasets.trec",
    "read_run": "datasets.trec",
    "recall_at_k": "metrics",
    "rechunk": "pipelines",
    "reciprocal_rank": "metrics",
    "score_frame": "scale.frames",
    "score_schema": "scale.frames",
    "token_f1": "metrics",
    "write_beir": "datasets.beir",
    "write_qrels": "datasets.trec",
    "write_run": "datasets.trec",
}
"""Where each public name lives."""

__all__ = [
    "ALL_METRICS",
    "DEFAULT_METRICS",
    "GENERATION_METRICS",
    "RETRIEVAL_METRICS",
    "BM25Retriever",
    "Calibration",
    "ChunkMatch",
    "ChunkMatcher",
    "ConfigError",
    "DatasetError",
    "DistributedReport",
    "EvalRunner",
    "EvaluationConfig",
    "EvaluationDataset",
    "EvaluationReport",
    "Explanation",
    "IndexAudit",
    "JudgeError",
    "JudgeKeyError",
    "Jury",
    "LMBasedRetrievalEvaluator",
    "MatchSettings",
    "MetricError",
    "MissingExtraError",
    "MuffakirEvalError",
    "MuffakirEvaluation",
    "Pipeline",
    "PipelineDownError",
    "PipelineError",
    "PipelineOutput",
    "Qrels",
    "RAGData",
    "RagEvalReport",
    "RagSample",
    "Refusal",
    "RetrievalEvalReport",
    "RetrievalRules",
    "RetrievedChunk",
    "RetrieverComparison",
    "Sample",
    "SampleResult",
    "Score",
    "ScoreSettings",
    "ScriptedModel",
    "StorageError",
    "Trial",
    "__version__",
    "aaudit_index",
    "acompare_judges",
    "acompare_retrievers",
    "aevaluate_retrieval",
    "as_beir_triple",
    "as_pipeline",
    "as_ragas_dataset",
    "assert_report",
    "audit_distributed",
    "audit_index",
    "average_precision",
    "beir_to_dataset",
    "build_relevance_list",
    "calibrate_matching",
    "check_gate",
    "compare_judges",
    "compare_retrievers",
    "compare_runs",
    "context_precision",
    "context_recall",
    "dataset_to_beir",
    "dcg_at_k",
    "detect_answer_refusal",
    "distractor_share_at_k",
    "evaluate_distributed",
    "evaluate_rag",
    "evaluate_retrieval",
    "exact_match",
    "explain_match",
    "find_refusal",
    "hard_recall_at_k",
    "hit_rate_at_k",
    "is_relevant_document",
    "judge_metric",
    "jury",
    "load_config",
    "load_corpus",
    "load_evaluation_dataset",
    "load_report",
    "load_trec",
    "ndcg_at_k",
    "normalize_text",
    "precision_at_k",
    "read_beir",
    "read_qrels",
    "read_run",
    "recall_at_k",
    "rechunk",
    "reciprocal_rank",
    "score_frame",
    "score_schema",
    "token_f1",
    "write_beir",
    "write_qrels",
    "write_run",
]


def __getattr__(name: str) -> _typing.Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("muffakir-eval")
    if name in _HOME:
        value = getattr(_import_module(f"muffakir_eval.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'muffakir_eval' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
