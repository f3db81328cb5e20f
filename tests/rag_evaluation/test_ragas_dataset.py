"""The bridge beside a stand-in for Ragas, and what it says where there is none or a broken one.

The real Ragas is in tests/integrations/test_ragas.py.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pydantic
import pytest

from muffakir_eval import MissingExtraError, MuffakirEvalError, as_ragas_dataset, evaluate_rag
from muffakir_eval.errors import DatasetFormatError, DatasetRowError
from muffakir_eval.records import PipelineOutput, RetrievedChunk, Sample


class SingleTurnSample(pydantic.BaseModel):
    """The fields that every Ragas since 0.2 has; like Ragas', it drops others without a word."""

    user_input: str | None = None
    retrieved_contexts: list[str] | None = None
    reference_contexts: list[str] | None = None
    response: str | None = None
    multi_responses: list[str] | None = None
    reference: str | None = None
    rubrics: dict[str, str] | None = None


class EvaluationDataset:
    def __init__(self, samples: list[SingleTurnSample]) -> None:
        self.samples = samples

    def __iter__(self) -> Iterator[SingleTurnSample]:
        return iter(self.samples)


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    ragas = ModuleType("ragas")
    vars(ragas).update(EvaluationDataset=EvaluationDataset, SingleTurnSample=SingleTurnSample)
    monkeypatch.setitem(sys.modules, "ragas", ragas)


WHOLE: dict[str, Any] = {
    "user_input": "ما عاصمة السعودية؟",
    "response": "الرياض",
    "retrieved_contexts": ["عاصمة المملكة هي الرياض.", ""],
    "reference": "الرياض",
    "rubrics": {"score1": "سيئ"},
}


@pytest.mark.usefixtures("stand_in")
def test_every_field_arrives_as_it_is() -> None:
    dataset = as_ragas_dataset([WHOLE, {**WHOLE, "response": float("nan"), "reference": None}])
    assert dataset.samples == [
        SingleTurnSample(**WHOLE),
        SingleTurnSample(**{**WHOLE, "response": None, "reference": None}),
    ]
    assert evaluate_rag(dataset).coverage["exact_match"] == 1


@pytest.mark.usefixtures("stand_in")
def test_a_sample_of_this_package() -> None:
    chunks = tuple(RetrievedChunk(text=text) for text in WHOLE["retrieved_contexts"])
    output = PipelineOutput(answer="الرياض", chunks=chunks)
    sample = Sample(sample_id="1", question=WHOLE["user_input"], answers=("الرياض",), recorded=output)
    assert as_ragas_dataset([sample]).samples == [SingleTurnSample(**{**WHOLE, "rubrics": None})]  # type: ignore[list-item]


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"topic": "عواصم"}, "samples, item 2: Ragas has no field 'topic' and would drop it.*user_input"),
        ({"response": 5}, "item 2, column 'response': Ragas does not take 5: Input should be a valid string"),
        ({"retrieved_contexts": "نص"}, "item 2, column 'retrieved_contexts': Ragas does not take 'نص'.*valid list"),
        ({"reference": ["a", "b"]}, "item 2, column 'reference': it has 2 accepted answers, and Ragas takes one"),
        ({"user_input": [{"content": "؟"}]}, "item 2, column 'user_input': it is a conversation of several turns"),
    ],
)
def test_what_ragas_would_lose_or_refuse(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(DatasetRowError, match=message):
        as_ragas_dataset([WHOLE, {**WHOLE, **fields}])


@pytest.mark.usefixtures("stand_in")
def test_no_samples() -> None:
    with pytest.raises(DatasetFormatError, match="samples is empty"):
        as_ragas_dataset([])


def install(program: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package ragas that consists of ``program``."""
    (folder / "ragas.py").write_text(program, encoding="utf-8")
    monkeypatch.setitem(sys.modules, "ragas", None)  # what is there now comes back after the test
    del sys.modules["ragas"]
    monkeypatch.syspath_prepend(str(folder))


def test_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ragas", None)
    with pytest.raises(
        MissingExtraError, match=r'Ragas is not installed.*pip install "muffakir-eval\[ragas\]"'
    ) as caught:
        as_ragas_dataset([WHOLE])
    assert isinstance(caught.value, ImportError)
    assert isinstance(caught.value, MuffakirEvalError)


def test_installed_beside_a_langchain_that_is_too_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install("import langchain_community.no_such_module", tmp_path, monkeypatch)
    with pytest.raises(MissingExtraError) as caught:
        as_ragas_dataset([WHOLE])
    said = str(caught.value)
    assert "is installed but does not import: ModuleNotFoundError: No module named 'langchain_community" in said
    assert "Ragas needs langchain-community below 0.4" in said
    assert said.endswith('What to do: pip install "langchain-community<0.4".')
    assert isinstance(caught.value.__cause__, ImportError)


@pytest.mark.parametrize(
    ("program", "cause"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise AttributeError('np.float_ was removed')", "AttributeError: np.float_ was removed"),
        ("", "ImportError: cannot import name 'EvaluationDataset' from 'ragas'"),
    ],
)
def test_installed_and_broken(program: str, cause: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(program, tmp_path, monkeypatch)
    with pytest.raises(MissingExtraError) as caught:
        as_ragas_dataset([WHOLE])
    said = str(caught.value)
    assert f"is installed but does not import: {cause}" in said
    assert said.endswith('What to do: pip install "muffakir-eval[ragas]" into a new environment.')
    assert "langchain" not in said
