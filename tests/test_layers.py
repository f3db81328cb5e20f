"""Imports point downwards only."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "muffakir_eval"

LAYERS: list[set[str]] = [
    {"errors"},
    {"redaction"},
    {"records", "atomic", "door", "threads"},
    {"config", "text", "statistics", "resources"},
    {"matching", "refusals", "datasets", "storage", "prompts"},
    {"judges"},
    {"metrics"},
    {"pipelines", "runner", "tally", "writers"},
    {"report"},
    {"comparison", "audit", "calibration"},
    {"evaluation", "retrieval_evaluation", "rag_evaluation", "lm_retrieval"},
    {"scale", "cli", "pytest_plugin"},
]
LEVEL = {unit: level for level, units in enumerate(LAYERS) for unit in units}
APART = {"integrations", "__main__"}


def unit_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def modules() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path != PACKAGE / "__init__.py"]


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [node.module or ""]
            if node.module == "muffakir_eval":
                names = [f"muffakir_eval.{alias.name}" for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("muffakir_eval.")}
    return found


def test_there_are_modules_to_look_at() -> None:
    assert len(modules()) > 20


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_downwards(path: Path) -> None:
    unit = unit_of(path)
    if unit in APART:
        return
    assert unit in LEVEL, f"{unit} has no place in the layers"
    for other in imports(path) - {unit}:
        assert other not in APART, f"{path.name} imports {other}"
        assert other in LEVEL, f"{path.name} imports the unknown {other}"
        assert LEVEL[other] < LEVEL[unit], f"{unit} must not import {other}"


def test_a_test_mirrors_the_layers_of_the_package() -> None:
    units = {unit_of(path) for path in modules()}
    assert units <= LEVEL.keys() | APART
