"""From the names and functions of a configuration to metrics."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from muffakir_eval.errors import MetricError
from muffakir_eval.metrics.custom import custom_metric
from muffakir_eval.metrics.judged import CriteriaMetric
from muffakir_eval.metrics.lexical.scoring import LEXICAL_METRICS, LOOK_ALIKES, lexical_metric
from muffakir_eval.metrics.names import ALL_METRICS, DEFAULT_METRICS, JUDGED_METRICS
from muffakir_eval.metrics.table import Metric
from muffakir_eval.metrics.trials import TRIAL_METRICS, retrieval_metric
from muffakir_eval.records.rows import OWN_COLUMNS, REFERENCE_COLUMNS

__all__ = ["Bind", "left_out_defaults", "needs_judge", "parse_request", "resolve_metrics"]

Bind = Callable[[str | CriteriaMetric], Metric]
"""Gives a judged metric its judge."""

_Cutoffs = tuple[int, tuple[int, ...]]
"""The main one, and the further ones."""

_WHERE = "config, key 'metrics'"
_COLUMNS = frozenset(REFERENCE_COLUMNS + OWN_COLUMNS)
_REQUEST = re.compile(
    r"(?P<name>.+?)(?:[_\s-]at[_\s-]k|\s*@\s*k|\s*@\s*(?P<k>-?\d{1,9})|[_\s-]at[_\s-](?P<at>\d{1,9}))?", re.IGNORECASE
)

_ALIASES = {
    "ap": "map",
    "average_precision": "map",
    "mean_average_precision": "map",
    "rr": "mrr",
    "recip_rank": "mrr",
    "reciprocal_rank": "mrr",
    "mean_reciprocal_rank": "mrr",
    "hit": "hit_rate",
    "hits": "hit_rate",
    "hitrate": "hit_rate",
    "success": "hit_rate",
    "p": "precision",
    "r": "recall",
    "em": "exact_match",
    "squad_f1": "token_f1",
}


def needs_judge(request: str | Callable[..., Any] | Metric) -> bool:
    """Whether a requested metric is judged by a language model.

    >>> [needs_judge(name) for name in ("recall", "Faithfulness")]
    [False, True]
    """
    if isinstance(request, CriteriaMetric):
        return True
    return isinstance(request, str) and parse_request(request)[0] in JUDGED_METRICS


def resolve_metrics(
    requested: Sequence[str | Callable[..., Any]] | None,
    *,
    k: int,
    k_values: Sequence[int] | None = None,
    bind: Bind | None = None,
    profile: str = "arabic",
) -> tuple[Metric, ...]:
    """The metrics that a configuration asks for, each once, in its order.

    A name is known in any case, plain (``recall``), with the main cutoff spelt out (``recall_at_k``,
    ``recall@k``) or with a cutoff of its own (``Recall@10``, ``nDCG@10``), which is reported under
    ``recall@10``. A plain name is reported at the main cutoff ``k`` under the key of the reference
    (``recall_at_k``, ``precision_at_k``, ``mrr``, ``ndcg_at_k``, ``map``, ``hit_rate``), and at each of
    ``k_values`` under ``<name>@<k>``; so are ``context_recall_lexical`` and ``context_precision_lexical``.
    ``exact_match`` and ``token_f1`` have no cutoff. A function of a trial is a metric of the user's.

    Args:
        requested: Names, functions, criteria for a judge, and :class:`Metric` objects; ``None`` for
            ``DEFAULT_METRICS``, without those that need a judge where there is none.
        k: Main cutoff.
        k_values: Further cutoffs of the retrieval metrics.
        bind: Gives a judged metric its judge; ``None`` where there is no judge.
        profile: What counts as the same letter for the lexical metrics.

    Raises:
        MetricError: A name is unknown or needs a judge that is not there, a cutoff is below 1, or two
            metrics share a name.

    >>> [metric.name for metric in resolve_metrics(["Recall", "nDCG@10"], k=5, k_values=(1,))]
    ['recall_at_k', 'recall@1', 'ndcg@10']
    >>> resolve_metrics(["recal"], k=5)
    Traceback (most recent call last):
    ...
    muffakir_eval.errors.MetricError: config, key 'metrics': unknown metric 'recal'. \
Expected: one of recall, precision, mrr, ndcg, map, hit_rate, exact_match, token_f1, \
context_recall_lexical, context_precision_lexical, faithfulness, answer_correctness, \
llm_judge_rating, answer_relevancy, contextual_precision, contextual_recall, or a function of a Trial. \
What to do: did you mean 'recall'?
    """
    left_out = left_out_defaults() if bind is None else ()
    wanted = [name for name in DEFAULT_METRICS if name not in left_out] if requested is None else requested
    cutoffs = (k, tuple(k_values or ()))
    metrics: dict[str, Metric] = {}
    for request in wanted:
        for metric in _judged(request, bind) if needs_judge(request) else _metrics_of(request, cutoffs, profile):
            earlier = metrics.setdefault(metric.name, metric)
            if earlier.function != metric.function:
                raise MetricError(
                    f"two metrics are called {metric.name!r}",
                    where=_WHERE,
                    remedy="rename one function, or set the attribute 'name' on it",
                )
    return tuple(metrics.values())


def left_out_defaults() -> tuple[str, ...]:
    """The default metrics that :func:`resolve_metrics` leaves out where there is no judge.

    >>> left_out_defaults()
    ('faithfulness', 'answer_correctness')
    """
    return tuple(name for name in DEFAULT_METRICS if name in JUDGED_METRICS)


def _judged(request: Any, bind: Bind | None) -> Iterator[Metric]:
    if isinstance(request, CriteriaMetric):
        _refuse_taken(request.name)
    else:
        request = parse_request(request)[0]
    if bind is None:
        name = request.name if isinstance(request, CriteriaMetric) else request
        raise MetricError(
            f"{name!r} is judged by a language model, and there is no judge",
            where=_WHERE,
            remedy="set llm_provider and llm_model, or leave it out",
        )
    yield bind(request)


def _metrics_of(request: str | Callable[..., Any] | Metric, cutoffs: _Cutoffs, profile: str) -> Iterator[Metric]:
    if isinstance(request, Metric):
        yield request
    elif isinstance(request, str):
        yield from _named(request, cutoffs, profile)
    elif callable(request):
        yield _checked_custom(custom_metric(request))
    else:
        raise MetricError(
            f"a metric is {request!r} of type {type(request).__name__}",
            where=_WHERE,
            expected="a name or a function of a Trial",
        )


def _named(request: str, cutoffs: _Cutoffs, profile: str) -> Iterator[Metric]:
    name, cutoff = parse_request(request)
    make: Callable[[str, int, str], Metric] = retrieval_metric
    main_key = name
    if name in TRIAL_METRICS:
        main_key = TRIAL_METRICS[name].main_key
    elif name in LEXICAL_METRICS:
        make = functools.partial(lexical_metric, profile=profile)
    else:
        raise _unknown(request, name)
    k, further = cutoffs
    if name in LEXICAL_METRICS and not LEXICAL_METRICS[name].of_contexts:
        if cutoff is not None:
            raise MetricError(f"{request!r} compares answers, and has no cutoff", where=_WHERE, expected=repr(name))
        further = ()
    if cutoff is not None:
        if cutoff < 1:
            raise MetricError(f"the cutoff of {request!r} is below 1", where=_WHERE, expected=f"{name}@1 or more")
        yield make(name, cutoff, f"{name}@{cutoff}")
        return
    yield make(name, k, main_key)
    for each in further:
        yield make(name, each, f"{name}@{each}")


def parse_request(request: str) -> tuple[str, int | None]:
    """Short name and own cutoff of a requested metric, ``None`` where the main one is meant.

    >>> parse_request("nDCG@10"), parse_request("recall_at_k"), parse_request("Hits")
    (('ndcg', 10), ('recall', None), ('hit_rate', None))
    """
    match = _REQUEST.fullmatch(request.strip())
    if match is None:
        return "", None
    name = match["name"].strip().lower().replace("-", "_").replace(" ", "_")
    digits = match["k"] or match["at"]
    return _ALIASES.get(name, name), int(digits) if digits else None


def _unknown(request: str, name: str) -> MetricError:
    if name in LOOK_ALIKES:
        lexical, by_a_judge = LOOK_ALIKES[name]
        return MetricError(
            f"{request[:80]!r} may mean two metrics",
            where=_WHERE,
            expected=f"{lexical!r} (words in common with the gold answer, no judge) "
            f"or {by_a_judge!r} (judged by a language model)",
        )
    judged = [name for name in ALL_METRICS if name in JUDGED_METRICS]
    plain = [*TRIAL_METRICS, *LEXICAL_METRICS]
    known = ", ".join([*plain, *judged, *sorted(JUDGED_METRICS.difference(judged))])
    near = difflib.get_close_matches(name, [*plain, *_ALIASES, *JUDGED_METRICS], n=1, cutoff=0.6)
    return MetricError(
        f"unknown metric {request[:80]!r}",
        where=_WHERE,
        expected=f"one of {known}, or a function of a Trial",
        remedy=f"did you mean {_ALIASES.get(near[0], near[0])!r}?" if near else "check the spelling",
    )


def _checked_custom(metric: Metric) -> Metric:
    _refuse_taken(metric.name)
    return metric


def _refuse_taken(given: str) -> None:
    name, _ = parse_request(given)
    if name in TRIAL_METRICS or name in LEXICAL_METRICS or name in JUDGED_METRICS or given in _COLUMNS:
        taken = "column of samples.csv" if given in _COLUMNS else "built-in metric"
        raise MetricError(
            f"the metric {given!r} of your own has the name of a {taken}",
            where=_WHERE,
            remedy="rename it, or set the attribute 'name' on the function",
        )
