"""Whether a function of the user's is still the same, after the program was started again."""

from __future__ import annotations

import functools
import hashlib
import inspect
import types
from collections.abc import Iterator
from typing import Any

from muffakir_eval.pipelines.settings import plain

__all__ = ["code_identity"]


def code_identity(function: Any) -> str:
    """A hash of everything that can be seen to make ``function`` behave as it does.

    That is its source (or its compiled code where there is no source), its defaults, what it closes
    over, what a ``functools.partial`` binds, and the attributes of a callable object. What it calls is
    not looked into.

    >>> def above(limit):
    ...     return lambda trial: trial > limit
    >>> code_identity(above(1)) == code_identity(above(1)), code_identity(above(1)) == code_identity(above(2))
    (True, False)
    """
    digest = hashlib.sha256()
    for part in _parts(function):
        digest.update(part.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()[:12]


def _parts(function: Any) -> Iterator[str]:
    while isinstance(function, functools.partial):
        yield _shown((function.args, function.keywords))
        function = function.func
    if inspect.ismethod(function):
        yield _shown(_state(function.__self__))
        function = function.__func__
    if inspect.isfunction(function):
        yield _source(function)
        yield _shown((function.__defaults__, function.__kwdefaults__))
        yield _shown([_content(cell) for cell in function.__closure__ or ()])
    else:
        yield _source(type(function))
        yield _shown(_state(function))


def _state(owner: Any) -> Any:
    if isinstance(owner, type):
        return f"{owner.__module__}.{owner.__qualname__}"
    slots = [name for kind in type(owner).__mro__ for name in _slots(kind)]
    attributes = {name: getattr(owner, name, None) for name in slots}
    return attributes | dict(getattr(owner, "__dict__", {}))


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _content(cell: types.CellType) -> Any:
    try:
        content = cell.cell_contents
    except ValueError:  # not filled yet
        return None
    return _source(content) if inspect.isfunction(content) else content


def _shown(value: Any) -> str:
    try:
        return repr(plain(value))
    except Exception as error:  # noqa: BLE001 - values of the user's may do anything when they are read
        return type(error).__name__


def _source(code: Any) -> str:
    try:
        return inspect.getsource(code)
    except (OSError, TypeError):
        compiled = getattr(code, "__code__", None)
        return getattr(code, "__qualname__", "") if compiled is None else _compiled(compiled)


def _compiled(code: types.CodeType) -> str:
    return f"{code.co_code.hex()} {code.co_names} {[_constant(part) for part in code.co_consts]}"


def _constant(value: Any) -> str:
    if isinstance(value, types.CodeType):
        return _compiled(value)
    return repr(sorted(map(repr, value)) if isinstance(value, frozenset) else value)
