"""Find the object that ``module:attribute`` names."""

from __future__ import annotations

import difflib
import importlib
import inspect
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from muffakir_eval.errors import ConfigError

__all__ = ["load_pipeline"]

_FORM = "module:attribute, as in my_rag:pipeline"


def load_pipeline(spec: str) -> Any:
    """Import the object that ``spec`` names, to be passed as ``rag``.

    The current folder is importable, as with ``python -m``. The attribute may be dotted, and is the
    pipeline itself: an object that can be asked, or a function of a question. It is not called here: a
    function that *builds* the pipeline needs a line ``pipeline = build()`` in the module.

    Raises:
        ConfigError: The form is wrong, the module or attribute does not exist (with the nearest one
            that does), importing the module fails, or the attribute is a class.

    >>> load_pipeline("os.path:basename").__name__
    'basename'
    """
    module_name, _, path = spec.strip().partition(":")
    if not _is_dotted(module_name) or not _is_dotted(path) or module_name.endswith(".py"):
        raise ConfigError(f"{spec!r} names no pipeline", where="pipeline", expected=_FORM, remedy=_rewritten(spec))
    module = _module(module_name, spec)
    found: Any = module
    for name in path.split("."):
        try:
            found = getattr(found, name)
        except AttributeError:
            owner = module_name if found is module else f"{module_name}:{path.partition('.' + name)[0]}"
            raise ConfigError(
                f"{owner} has no attribute {name!r}", where=f"pipeline {spec!r}", remedy=_nearest(name, _public(found))
            ) from None
    if found is None:
        raise ConfigError(f"{path} is None", where=f"pipeline {spec!r}", expected="the pipeline itself")
    if inspect.isclass(found):
        raise ConfigError(
            f"{path} is a class",
            where=f"pipeline {spec!r}",
            expected="an object that can be asked, or a function of a question",
            remedy=f"add 'pipeline = {found.__name__}(…)' to the module, and name {module_name}:pipeline",
        )
    return found


def _is_dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


def _rewritten(spec: str) -> str | None:
    """What was probably meant by a path, or by a name without a colon."""
    module, _, attribute = spec.strip().replace("\\", "/").partition(":")
    if module.endswith(".py"):
        dotted = module.removesuffix(".py").removeprefix("./").replace("/", ".")
        return f"write {dotted}:{attribute or '<attribute>'}" if _is_dotted(dotted) else "change into its folder first"
    if not attribute and "." in module and _is_dotted(module):
        owner, _, last = module.rpartition(".")
        return f"write {owner}:{last}"
    return f"write {module}:<attribute>" if not attribute and _is_dotted(module) else None


def _module(name: str, spec: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    importlib.invalidate_caches()
    where = f"pipeline {spec!r}"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if name == missing or name.startswith(f"{missing}."):
            raise ConfigError(
                f"there is no module {missing!r}",
                where=where,
                expected=f"a module in {here}, or an installed one",
                remedy=_near_module(missing),
            ) from None
        raise ConfigError(
            f"importing {name} failed: it needs {missing!r}, which is not installed", where=where
        ) from error
    except (Exception, SystemExit) as error:
        raise ConfigError(
            f"importing {name} failed: {type(error).__name__}: {error}",
            where=where,
            remedy=f"see that 'python -c \"import {name}\"' works",
        ) from error


def _is_module(path: Path) -> bool:
    return path.suffix == ".py" or (path.is_dir() and path.name.isidentifier())


def _near_module(name: str) -> str:
    names = [path.stem for path in Path.cwd().glob("*") if _is_module(path)]
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return f"did you mean {near[0]!r}?" if near else "run the command in the folder of the module, or install it"


def _public(found: Any) -> list[str]:
    return [name for name in dir(found) if not name.startswith("_")]


def _nearest(name: str, known: Iterable[str]) -> str | None:
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"it has {', '.join(names[:10])}{', …' if len(names) > 10 else ''}" if names else None
