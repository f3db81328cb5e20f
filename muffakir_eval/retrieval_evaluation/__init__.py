"""Evaluation of retrieval in the shape of BEIR: judgements and queries in, means and values per query out.

>>> qrels = {'q1': {'d1': 1.0, 'd2': 1.0}, 'q2': {'d3': 1.0}}
>>> queries = {'q1': 'first query', 'q2': 'second query'}
>>> rankings = {'first query': ['d1', 'd9', 'd2'], 'second query': ['d9', 'd3']}
>>> def retriever(query, *, limit=10):
...     return rankings[query][:limit]
>>> report = evaluate_retrieval(retriever, qrels, queries, k_values=(1, 3))
>>> report.metrics['recall@3']
1.0
>>> round(report.primary_at(1), 3)        # nDCG@1, averaged over the two queries
0.5
"""

from muffakir_eval.retrieval_evaluation.comparing import acompare_retrievers, compare_retrievers
from muffakir_eval.retrieval_evaluation.differences import RetrieverComparison, RetrieverDifference
from muffakir_eval.retrieval_evaluation.evaluate import aevaluate_retrieval, evaluate_retrieval
from muffakir_eval.retrieval_evaluation.report import RetrievalEvalReport

__all__ = [
    "RetrievalEvalReport",
    "RetrieverComparison",
    "RetrieverDifference",
    "acompare_retrievers",
    "aevaluate_retrieval",
    "compare_retrievers",
    "evaluate_retrieval",
]
