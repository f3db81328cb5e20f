"""Where the question and the cutoff go, decided from the signature."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from muffakir_eval.errors import ConfigError
from muffakir_eval.pipelines.calling import is_async, plan_call, streams
from muffakir_eval.records import Sample

QUESTION = "ما هي عاصمة الأردن؟"
SAMPLE = Sample(sample_id="1", question=QUESTION)


def called(function: Callable[..., Any], *, keyword: str | None = None, k: int = 7) -> Any:
    return plan_call(function, where="f", keyword=keyword)(SAMPLE, k)


def only_question(question: str) -> Any:
    return question


def question_and_k(question: str, k: int = 3) -> Any:
    return question, k


def question_and_limit(text: str, *, limit: int) -> Any:
    return text, limit


def positional_only(query: str, k: int, /) -> Any:
    return query, k


def second_is_no_cutoff(question: str, temperature: float = 0.0) -> Any:
    return question, temperature


def history_first(history: list[str] | None = None, question: str = "") -> Any:
    return question, history


def odd_names(x: str, top_k: int = 1) -> Any:
    return x, top_k


def prompt_is_a_template(asked: str, prompt: str = "القالب") -> Any:
    return asked, prompt


def query_among_defaults(user: str = "u", q: str = "") -> Any:
    return q, user


def keyword_only(*, query: str, n_results: int) -> Any:
    return query, n_results


def two_cutoffs(question: str, top_n: int = 1, k: int = 2) -> Any:
    return question, k, top_n


def anything(*args: Any, **kwargs: Any) -> Any:
    return args, kwargs


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (only_question, QUESTION),
        (question_and_k, (QUESTION, 7)),
        (question_and_limit, (QUESTION, 7)),
        (positional_only, (QUESTION, 7)),
        (second_is_no_cutoff, (QUESTION, 0.0)),
        (history_first, (QUESTION, None)),
        (odd_names, (QUESTION, 7)),
        (prompt_is_a_template, (QUESTION, "القالب")),
        (query_among_defaults, (QUESTION, "u")),
        (keyword_only, (QUESTION, 7)),
        (two_cutoffs, (QUESTION, 7, 1)),
        (lambda q: q, QUESTION),
        (str, QUESTION),
        (QUESTION.__contains__, True),
        (anything, ((QUESTION,), {})),
    ],
)
def test_the_signature_decides(function: Callable[..., Any], expected: Any) -> None:
    assert called(function) == expected


@pytest.mark.parametrize("name", ["k", "top_k", "topk", "limit", "n_results", "num_results", "similarity_top_k"])
def test_every_common_name_of_the_cutoff_is_known(name: str) -> None:
    scope: dict[str, Any] = {}
    exec(f"def f(question, {name}=1): return {name}", scope)
    assert called(scope["f"]) == 7


def test_an_unknown_function_gets_no_cutoff_through_its_keywords() -> None:
    def through(question: str, **options: Any) -> Any:
        return question, options

    assert called(through) == (QUESTION, {})
    assert called(through, keyword="question") == (QUESTION, {"k": 7})


def test_a_method_of_a_known_shape_gets_both_through_its_keywords() -> None:
    def only_keywords(**options: Any) -> Any:
        return options

    assert called(only_keywords, keyword="query") == {"query": QUESTION, "k": 7}
    assert called(anything, keyword="query") == ((QUESTION,), {"k": 7})
    assert called(question_and_limit, keyword="query") == (QUESTION, 7)


def test_a_parameter_called_sample_gets_the_sample() -> None:
    def by_name(sample: Any) -> Any:
        return sample

    def by_type(item: Sample, k: int) -> Any:
        return item, k

    def second(question: str, sample: Any) -> Any:
        return question, sample

    def beside_an_option(sample: Any, verbose: bool = False) -> Any:
        return sample, verbose

    assert called(by_name) is SAMPLE
    assert called(by_type) == (SAMPLE, 7)
    assert called(second) == (QUESTION, SAMPLE)
    assert called(beside_an_option) == (SAMPLE, False)


def test_an_annotation_that_is_no_text_is_read_as_well() -> None:
    def by_type(item: Any) -> Any:
        return item

    by_type.__annotations__["item"] = Sample
    assert called(by_type) is SAMPLE
    by_type.__annotations__["item"] = "muffakir_eval.Sample"
    assert called(by_type) is SAMPLE
    by_type.__annotations__["item"] = "SampleText"
    assert called(by_type) == QUESTION


def test_what_a_partial_binds_stays_bound() -> None:
    bound = functools.partial(question_and_k, k=2)
    plan = plan_call(bound, where="f")
    assert plan(SAMPLE, 7) == (QUESTION, 2)
    assert not plan.passes_k
    assert called(functools.partial(history_first, ["سابق"])) == (QUESTION, ["سابق"])
    assert called(functools.partial(functools.partial(two_cutoffs, k=4), top_n=3)) == (QUESTION, 4, 3)


def test_a_wrapper_that_renames_the_question_is_called_by_position() -> None:
    @functools.wraps(question_and_k)
    def wrapper(asked: str, k: int = 1) -> Any:
        return asked, k

    assert called(wrapper) == (QUESTION, 7)


def test_it_says_whether_the_cutoff_is_passed() -> None:
    assert plan_call(question_and_k, where="f").passes_k
    assert plan_call(positional_only, where="f").passes_k
    assert not plan_call(only_question, where="f").passes_k


def no_parameters() -> str:
    return "?"


def only_a_cutoff(k: int) -> int:
    return k


def out_of_reach(a: int = 1, question: str = "", /) -> str:
    return question


@pytest.mark.parametrize("function", [no_parameters, only_a_cutoff, out_of_reach])
def test_a_function_without_a_question_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(ConfigError, match=r"f takes no question.*a function of a question.*call it and pass"):
        plan_call(function, where="f")


def test_further_required_parameters_are_named() -> None:
    def needs_more(question: str, index: Any, *, model: str) -> None: ...

    with pytest.raises(ConfigError, match=r"further required parameters: index, model.*functools\.partial"):
        plan_call(needs_more, where="f")


async def coroutine(question: str) -> str:
    return question


async def asynchronous_pieces(question: str) -> AsyncIterator[str]:
    yield question


def pieces(question: str) -> Iterator[str]:
    yield question


class AsyncObject:
    async def __call__(self, question: str) -> str:
        return question

    async def method(self, question: str) -> str:
        return question


class PiecesObject:
    def __call__(self, question: str) -> Iterator[str]:
        yield question


def test_coroutines_are_recognised_in_every_dress() -> None:
    for function in (coroutine, AsyncObject(), AsyncObject().method, functools.partial(coroutine)):
        assert is_async(function)
        assert not streams(function)
    assert is_async(functools.partial(AsyncObject()))
    assert not is_async(only_question)
    assert not is_async(lambda question: coroutine(question + question))


def test_generators_are_recognised_in_every_dress() -> None:
    for function in (pieces, asynchronous_pieces, PiecesObject(), functools.partial(pieces)):
        assert streams(function)
        assert not is_async(function)
    assert not streams(only_question)
