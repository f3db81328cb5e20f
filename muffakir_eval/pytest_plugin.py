"""Runs in tests: the options ``--muffakir-run`` and ``--muffakir-baseline``, and a fixture for each.

::

    pytest --muffakir-run=eval_results

    def test_retrieval(muffakir_report):
        assert_report(muffakir_report, "recall_at_k >= 0.8", "answer_refusal_rate <= 0.1")

Write the equals sign: before plugins are loaded, pytest takes a folder behind a space for a place to
look for tests and settings. The folders may also stand in the settings of pytest, as ``muffakir_run``
and ``muffakir_baseline``. A test that asks for a report and finds no run is an error, never skipped: a
gate that looks at nothing must not pass. Nothing of the package is imported before a test asks for a
report.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from muffakir_eval.report import EvaluationReport

__all__ = ["muffakir_baseline", "muffakir_report", "pytest_addoption"]

_RUN, _BASELINE = "muffakir_run", "muffakir_baseline"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The two options, and the settings of the same name."""
    group = parser.getgroup("muffakir-eval")
    for name, what in ((_RUN, "the run that tests look at"), (_BASELINE, "an earlier run to compare with")):
        option = f"--{name.replace('_', '-')}"
        group.addoption(option, metavar="FOLDER", default=None, help=f"Folder of {what}.")
        parser.addini(name, f"Folder of {what}, relative to the root of the tests; {option} wins.", default="")


@pytest.fixture(scope="session")
def muffakir_report(pytestconfig: pytest.Config) -> EvaluationReport:
    """The report of the run in ``--muffakir-run``."""
    return _report(pytestconfig, _RUN)


@pytest.fixture(scope="session")
def muffakir_baseline(pytestconfig: pytest.Config) -> EvaluationReport:
    """The report of the run in ``--muffakir-baseline``."""
    return _report(pytestconfig, _BASELINE)


def _report(config: pytest.Config, name: str) -> EvaluationReport:
    from muffakir_eval.comparison.runs_folder import load_report

    given = config.getoption(name)
    named = config.getini(name)
    if not given and not named:
        raise pytest.UsageError(
            f"no run was named: give --{name.replace('_', '-')}=FOLDER, or set {name} in the settings of pytest"
        )
    return load_report(Path(given) if given else config.rootpath / str(named))
