"""Write the parts of the documentation that are made from the program.

    python docs/generate.py            writes them anew
    python docs/generate.py --check    says what has changed, and writes nothing

A made part stands between ``<!-- begin: name -->`` and ``<!-- end: name -->``; everything around it is written by
hand.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent

OPTIONS = {
    "prices": "price",
    "budget_usd": "budget",
    "cache_dir": "no_cache",
    "fail_fast_dataset": "keep_going",
    "progress": "quiet",
}
"""Options of the command line that are called otherwise."""

ORDER = (
    *("getting_started", "getting_started.ar", "datasets", "pipelines", "configuration", "configuration.ar", "metrics"),
    *(
        "matching",
        "normalisation",
        "refusals",
        "judges",
        "results",
        "comparing",
        "judge_comparison",
        "lm_retrieval",
        "audit",
        "batch",
        "distributed",
    ),
    *("ci", "migrating", "troubleshooting"),
)
"""Pages as a new user needs them; any other comes after these."""


def plain(docstring: str) -> str:
    """A docstring as a cell of a table."""
    text = " ".join(docstring.split())
    text = re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`", r"`\1`", text)
    return text.replace("``", "`").replace("|", "\\|")


def descriptions(model: type) -> dict[str, str]:
    """Key to the docstring under it."""
    tree: Any = ast.parse(inspect.getsource(model)).body[0]
    found = {}
    for line, below in zip(tree.body, [*tree.body[1:], None], strict=True):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            says = below.value if isinstance(below, ast.Expr) else None
            found[line.target.id] = plain(str(says.value)) if isinstance(says, ast.Constant) else ""
    return found


def default(value: Any) -> str:
    """A default as a settings file writes it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`[{', '.join(default(each).strip('`') for each in value)}]`"
    return f'`"{value}"`' if isinstance(value, str) else f"`{value}`"


_KINDS = (("dict", "table"), ("tuple", "list"), ("bool", "true or false"), ("int", "whole number"), ("float", "number"))


def allowed(field: Any) -> str:
    """What a key may be."""
    text = str(field.annotation).replace("typing.", "")
    options = re.findall(r"Literal\[([^\]]*)\]", text)
    if options and "tuple" not in text:
        return " or ".join(f'`"{each.strip().strip(chr(39))}"`' for each in options[0].split(","))
    if options:
        return "list of " + ", ".join(f'`"{each.strip().strip(chr(39))}"`' for each in options[0].split(","))
    if "MatchSettings" in text:
        return "table, [see below](#the-table-matching)"
    if "str" in text and "int" in text and "tuple" not in text:
        return "text or whole number"
    kind = next((words for name, words in _KINDS if re.search(rf"\b{name}\b", text)), "text")
    signs = (("gt", "above"), ("ge", "at least"), ("lt", "below"), ("le", "at most"))
    bounds = [
        f"{word} {getattr(rule, sign):g}" for rule in field.metadata for sign, word in signs if hasattr(rule, sign)
    ]
    return ", ".join([kind, *bounds])


def options_of_run() -> dict[str, str]:
    """Key to the option of ``muffakir-eval run`` that sets it."""
    import typer

    from muffakir_eval.cli import app

    group: Any = typer.main.get_command(app)
    named = {parameter.name: parameter.opts[0] for parameter in group.commands["run"].params}
    return {
        key: named[OPTIONS.get(key, key)]
        for keys in groups().values()
        for key in keys
        if OPTIONS.get(key, key) in named
    }


def groups() -> dict[str, list[str]]:
    """The keys of the configuration by group, as ``muffakir-eval init`` has them; what stands in none comes last."""
    from muffakir_eval.config import EvaluationConfig
    from muffakir_eval.config.template import GROUPS

    fields = EvaluationConfig.model_fields
    known = {group: [key for key in keys.split() if key in fields] for group, keys in GROUPS.items()}
    known["Matching"].append("matching")
    named = {key for keys in known.values() for key in keys}
    rest = [key for key in fields if key not in named]
    return {**known, "Further settings": rest} if rest else known


def configuration() -> str:
    """Every key of the configuration, by group."""
    from muffakir_eval.config import EvaluationConfig

    said, option = descriptions(EvaluationConfig), options_of_run()
    lines: list[str] = []
    for group, names in groups().items():
        lines += [f"## {group}", "", "| key | may be | default | meaning |", "|---|---|---|---|"]
        for key in names:
            field = EvaluationConfig.model_fields[key]
            on_line = f" On the command line: `{option[key]}`." if key in option else ""
            lines.append(f"| `{key}` | {allowed(field)} | {default(field.default)} | {said[key]}{on_line} |")
        lines.append("")
    return "\n".join(lines)


def arabic() -> str:
    """Every key in Arabic, by group."""
    from muffakir_eval.config import EvaluationConfig, MatchSettings
    from muffakir_eval.config.arabic_meanings import ARABIC_GROUPS, ARABIC_MEANINGS

    fields = {**MatchSettings.model_fields, **EvaluationConfig.model_fields}
    finer = [key for key in MatchSettings.model_fields if key not in EvaluationConfig.model_fields]
    named = {ARABIC_GROUPS[group]: keys for group, keys in groups().items()}
    lines = []
    for group, keys in {**named, "الإعدادات الدقيقة للمطابقة `matching`": finer}.items():
        lines += [f"## {group}", "", "| المفتاح | القيمة الافتراضية | المعنى |", "|---|---|---|"]
        for key in keys:
            value = default(fields[key].default).replace("none", "لا شيء")
            lines.append(f"| `{key}` | {value} | {ARABIC_MEANINGS[key]} |")
        lines.append("")
    return "\n".join(lines)


def matching() -> str:
    """The finer settings of matching."""
    from muffakir_eval.config import MatchSettings

    said = descriptions(MatchSettings)
    rows = ["| key | may be | default | meaning |", "|---|---|---|---|"]
    for key, field in MatchSettings.model_fields.items():
        rows.append(f"| `{key}` | {allowed(field)} | {default(field.default)} | {said[key]} |")
    return "\n".join(rows) + "\n"


def index() -> str:
    """The map: each page with the first sentence under its title."""
    pages = {str(path.relative_to(DOCS)).removesuffix(".md"): path for path in sorted(DOCS.rglob("*.md"))}
    del pages["index"]
    names = [name for name in ORDER if name in pages] + [name for name in pages if name not in ORDER]
    rows = ["| page | what it is for |", "|---|---|"]
    for name in names:
        text = pages[name].read_text(encoding="utf-8").replace('<div dir="rtl">', "").strip()
        heading, _, rest = text.partition("\n")
        first = " ".join(rest.strip().split("\n\n")[0].split())
        told = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.split(r"(?<=\.)\s", first)[0])
        rows.append(f"| [{heading.lstrip('# ')}]({name}.md) | {told} |")
    return "\n".join(rows) + "\n"


def neighbour(module: str, function: str) -> str:
    """What a function of a neighbour of this file makes."""
    sys.path.insert(0, str(DOCS))
    try:
        return str(getattr(importlib.import_module(module), function)())
    finally:
        sys.path.remove(str(DOCS))


def _of(module: str, *functions: str) -> dict[str, Callable[[], str]]:
    return {name: functools.partial(neighbour, module, name) for name in functions}


PARTS: dict[str, dict[str, Callable[[], str]]] = {
    "configuration.md": {"keys": configuration, "matching": matching},
    "configuration.ar.md": {"keys": arabic},
    "metrics.md": _of("metrics_page", "retrieval", "judged", "lexical", "cases", "reasons"),
    "normalisation.md": _of("normalisation_tables", "letters", "dropped", "punctuation", "codes", "traps"),
    "index.md": {"map": index},
}
"""Page to the parts of it that are made here, by name."""


def made(page: str) -> str:
    """The page as it should be."""
    text = (DOCS / page).read_text(encoding="utf-8")
    for name, make in PARTS[page].items():
        before, begin, rest = text.partition(f"<!-- begin: {name} -->\n")
        _, end, after = rest.partition(f"<!-- end: {name} -->")
        if not begin or not end:
            raise SystemExit(f"docs/{page} has no place for the part {name!r}")
        text = f"{before}{begin}{make().rstrip()}\n{end}{after}"
    return text


def main(arguments: list[str]) -> int:
    """Write, or check; the number of pages that are not as they should be."""
    changed = [page for page in PARTS if made(page) != (DOCS / page).read_text(encoding="utf-8")]
    for page in changed:
        print(f"docs/{page} {'has changed' if '--check' in arguments else 'is written anew'}")
        if "--check" not in arguments:
            (DOCS / page).write_text(made(page), encoding="utf-8", newline="\n")
    return len(changed) if "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
