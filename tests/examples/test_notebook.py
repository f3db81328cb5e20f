"""The notebook runs as it stands, and shows what the run gives.

python tests/examples/test_notebook.py      runs it and keeps its outputs
"""

from __future__ import annotations

import re
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NOTEBOOK = EXAMPLES / "notebook.ipynb"
REFRESH = "run python tests/examples/test_notebook.py"


def executed(folder: Path) -> Any:
    """The notebook after a run in a copy of the examples."""
    import nbformat
    from nbclient import NotebookClient

    place = folder / "examples"
    shutil.copytree(EXAMPLES, place, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    notebook: Any = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries that run a kernel
        NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(place)}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it ran
    return notebook


def shown(notebook: Any) -> list[str]:
    """What the cells print and show, as text."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [str(output.get("text") or output["data"]["text/plain"]) for output in outputs]


def words_and_numbers(text: str) -> tuple[list[str], list[float]]:
    """Apart, since the last digits of what is drawn at random are the machine's."""
    number = r"-?\b\d+\.\d+"
    return re.sub(number, "", text).split(), [float(found) for found in re.findall(number, text)]


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Any:
    pytest.importorskip("nbclient")
    return executed(tmp_path_factory.mktemp("notebook"))


def test_the_outputs_that_are_kept_are_those_of_a_run(fresh: Any) -> None:
    import nbformat

    kept = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    assert len(shown(kept)) == len(shown(fresh)) >= 7
    for before, now in zip(shown(kept), shown(fresh), strict=True):
        (words, numbers), (fresh_words, fresh_numbers) = words_and_numbers(before), words_and_numbers(now)
        assert words == fresh_words, REFRESH
        assert numbers == pytest.approx(fresh_numbers, abs=0.02), REFRESH


def test_arabic_results_are_shown(fresh: Any) -> None:
    assert any(re.search("[\u0621-\u064a]{3}", text) for text in shown(fresh))


def test_nothing_of_the_machine_is_kept() -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert str(EXAMPLES.parent) not in text and tempfile.gettempdir() not in text
    assert '"output_type": "error"' not in text and '"name": "stderr"' not in text


if __name__ == "__main__":
    import nbformat

    with tempfile.TemporaryDirectory() as scratch:
        nbformat.write(executed(Path(scratch)), NOTEBOOK)  # type: ignore[no-untyped-call]
