"""How a function of the user's wants to be called: where the question goes, and where the cutoff.

Only the signature decides, once, before the run. A cutoff is passed where a parameter is named for
one (``k``, ``top_k``, ``limit``, …), never by position alone: the second parameter of a function may
be anything.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter
from typing import Any, Literal

from muffakir_eval.errors import ConfigError
from muffakir_eval.records import Sample

__all__ = ["CUTOFF_NAMES", "QUESTION_NAMES", "Calling", "is_async", "plan_call", "streams"]

QUESTION_NAMES = ("question", "query", "user_input", "user_query", "q", "text", "input", "prompt", "message")
"""Parameters that take the question wherever they stand; else the first positional one does."""

CUTOFF_NAMES = (
    "k",
    "top_k",
    "topk",
    "limit",
    "n_results",
    "num_results",
    "max_results",
    "similarity_top_k",
    "n_docs",
    "num_docs",
    "top_n",
)
"""Parameters that take the cutoff; where several are there, the earlier name does."""

_POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_VARIADIC = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)

Role = Literal["question", "sample", "k"]


@dataclass(frozen=True, slots=True)
class Calling:
    """A function and the places of its arguments.

    Attributes:
        function: What is called.
        positional: What its first arguments are.
        keywords: What its keyword arguments are.
    """

    function: Callable[..., Any]
    positional: tuple[Role, ...]
    keywords: Mapping[str, Role]

    @property
    def passes_k(self) -> bool:
        """The function is told the cutoff."""
        return "k" in self.positional or "k" in self.keywords.values()

    def __call__(self, sample: Sample, k: int) -> Any:
        """Call the function for one sample and return what it returns, awaitable or not."""
        values: dict[Role, Any] = {"question": sample.question, "sample": sample, "k": k}
        return self.function(
            *(values[role] for role in self.positional),
            **{name: values[role] for name, role in self.keywords.items()},
        )


def plan_call(function: Callable[..., Any], *, where: str, keyword: str | None = None) -> Calling:
    """Work out how to call ``function`` with a question and a cutoff.

    Args:
        function: A function, method, partial or callable object.
        where: What it is called in messages.
        keyword: For a method of a known shape: the name of its question argument. Such a method also
            gets question and ``k`` through ``**kwargs``; an unknown function does not, since what it
            does with them is anybody's guess.

    Raises:
        ConfigError: It takes no question, or more than a question and a cutoff.

    >>> plan_call(lambda question, top_k=3: None, where="f").keywords
    {'top_k': 'k'}
    """
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # some built-in functions tell nothing
        return Calling(function, ("question",), {})
    fixed = _bound_keywords(function)
    free = [parameter for parameter in parameters.values() if parameter.name not in fixed]
    roles = _roles([parameter for parameter in free if parameter.kind not in _VARIADIC])
    _check_required(free, roles, where)
    positional, keywords = _arrange(free, roles)
    kinds = {parameter.kind for parameter in free}
    if keyword is not None and Parameter.VAR_KEYWORD in kinds and "k" not in roles.values():
        keywords["k"] = "k"
    if not {"question", "sample"} & {*positional, *keywords.values()}:
        if Parameter.VAR_POSITIONAL in kinds:
            positional.append("question")
        elif keyword is not None and Parameter.VAR_KEYWORD in kinds:
            keywords[keyword] = "question"
        else:
            raise ConfigError(
                f"{where} takes no question",
                expected="a function of a question, and of k if it retrieves",
                remedy="if it builds the pipeline, call it and pass what it returns",
            )
    return Calling(function, tuple(positional), keywords)


def _roles(parameters: list[Parameter]) -> dict[str, Role]:
    roles: dict[str, Role] = {}
    names = [parameter.name for parameter in parameters]
    cutoff = next((name for name in CUTOFF_NAMES if name in names), None)
    if cutoff is not None:
        roles[cutoff] = "k"
    for parameter in parameters:
        if parameter.name == "sample" or _is_sample(parameter.annotation):
            roles[parameter.name] = "sample"
            break
    question = _question([p for p in parameters if p.name not in roles], needed="sample" not in roles.values())
    if question is not None:
        roles[question] = "question"
    return roles


def _question(parameters: list[Parameter], *, needed: bool) -> str | None:
    """Named so; else the first that must be given; else the first that may be a question at all."""
    names = [parameter.name for parameter in parameters]
    plain = [name for name in QUESTION_NAMES[:2] if name in names]
    if plain or not needed:
        return plain[0] if plain else None
    positional = [parameter for parameter in parameters if parameter.kind in _POSITIONAL]
    return next(
        itertools.chain(
            (parameter.name for parameter in positional if parameter.default is Parameter.empty),
            (name for name in QUESTION_NAMES if name in names),
            (parameter.name for parameter in positional),
        ),
        None,
    )


def _is_sample(annotation: Any) -> bool:
    if isinstance(annotation, str):  # postponed annotations
        return annotation.strip("'\"").rpartition(".")[2] == "Sample"
    return annotation is Sample


def _check_required(free: list[Parameter], roles: Mapping[str, Role], where: str) -> None:
    required = [
        parameter.name
        for parameter in free
        if parameter.default is Parameter.empty and parameter.kind not in _VARIADIC and parameter.name not in roles
    ]
    if required:
        raise ConfigError(
            f"{where} has further required parameters: {', '.join(required)}",
            expected="a function of a question, and of k if it retrieves",
            remedy=f"bind them first: functools.partial(function, {required[0]}=…), or a lambda",
        )


def _arrange(free: list[Parameter], roles: Mapping[str, Role]) -> tuple[list[Role], dict[str, Role]]:
    """A leading parameter goes by position, since a wrapper may have renamed it; the others by name."""
    positional: list[Role] = []
    keywords: dict[str, Role] = {}
    leading = True
    for index, parameter in enumerate(free):
        role = roles.get(parameter.name)
        by_position = parameter.kind is Parameter.POSITIONAL_ONLY or (index == 0 and parameter.kind in _POSITIONAL)
        leading = leading and by_position and role is not None
        if role is None:
            continue
        if leading:
            positional.append(role)
        elif parameter.kind is not Parameter.POSITIONAL_ONLY:
            keywords[parameter.name] = role
    return positional, keywords


def _bound_keywords(function: Callable[..., Any]) -> set[str]:
    """Keywords that a ``functools.partial`` has settled: the user's choice, not ours to change."""
    bound: set[str] = set()
    while isinstance(function, functools.partial):
        bound.update(function.keywords)
        function = function.func
    return bound


def _innermost(function: Callable[..., Any]) -> Any:
    while isinstance(function, functools.partial):
        function = function.func
    return function


def is_async(function: Callable[..., Any]) -> bool:
    """Calling ``function`` is known to give a coroutine."""
    inner = _innermost(function)
    return inspect.iscoroutinefunction(inner) or inspect.iscoroutinefunction(type(inner).__call__)


def streams(function: Callable[..., Any]) -> bool:
    """Calling ``function`` gives a generator: pieces, not an output."""
    inner = _innermost(function)
    return any(
        inspect.isgeneratorfunction(part) or inspect.isasyncgenfunction(part) for part in (inner, type(inner).__call__)
    )
