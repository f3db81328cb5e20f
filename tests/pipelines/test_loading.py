"""``module:attribute``, found or refused with what to do about it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from muffakir_eval.errors import ConfigError
from muffakir_eval.pipelines import as_pipeline, load_pipeline
from muffakir_eval.records import PipelineOutput, Sample

MODULE = """
class Rag:
    def __init__(self, answer):
        self.answer = answer
    def ask(self, question):
        return self.answer

class Holder:
    inner = Rag("من الداخل")

rag = Rag("جواب")
nothing = None
def ask(question):
    return "من دالة"
def build():
    return rag
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    (tmp_path / "my_rag_module.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "my_package").mkdir()
    (tmp_path / "my_package" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "my_package" / "inner.py").write_text(MODULE, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("spec", "answer"),
    [
        ("my_rag_module:rag", "جواب"),
        ("my_rag_module:ask", "من دالة"),
        ("my_rag_module:rag.ask", "جواب"),
        ("my_rag_module:Holder.inner", "من الداخل"),
        (" my_package.inner:rag ", "جواب"),
    ],
)
def test_the_object_is_found_from_the_current_folder(folder: Path, spec: str, answer: str) -> None:
    pipeline = as_pipeline(load_pipeline(spec))
    assert pipeline.call(Sample(sample_id="1", question="؟"), 5) == PipelineOutput(answer=answer)


def test_the_current_folder_is_put_on_the_path_once(folder: Path) -> None:
    load_pipeline("my_rag_module:rag")
    load_pipeline("my_rag_module:rag")
    assert sys.path.count(str(folder)) == 1


def test_a_module_written_after_a_failure_is_found(folder: Path) -> None:
    with pytest.raises(ConfigError, match="there is no module 'written_later'"):
        load_pipeline("written_later:rag")
    (folder / "written_later.py").write_text(MODULE, encoding="utf-8")
    assert load_pipeline("written_later:rag").answer == "جواب"


def test_a_function_that_builds_is_refused_when_it_is_to_be_used(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"build takes no question.*call it and pass what it returns"):
        as_pipeline(load_pipeline("my_rag_module:build"))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "my_rag_module:Rag",
            r"Rag is a class.*add 'pipeline = Rag\(…\)' to the module, and name my_rag_module:pipeline",
        ),
        ("my_rag_module:rga", r"my_rag_module has no attribute 'rga'.*did you mean 'rag'\?"),
        ("my_rag_module:nothing", r"nothing is None\. Expected: the pipeline itself"),
        ("my_rag_module:zzzzzz", r"no attribute 'zzzzzz'.*it has Holder, Rag, ask, build, nothing, rag"),
        ("my_rag_module:rag.aks", r"my_rag_module:rag has no attribute 'aks'.*did you mean 'ask'\?"),
        ("my_rag_modul:rag", r"there is no module 'my_rag_modul'.*did you mean 'my_rag_module'\?"),
        ("my_package.outer:rag", r"there is no module 'my_package\.outer'"),
        ("my_pakage.inner:rag", r"there is no module 'my_pakage'.*did you mean 'my_package'\?"),
        ("my_rag_module", r"'my_rag_module' names no pipeline\. Expected: module:attribute.*write my_rag_module:<attr"),
        ("my_package.inner.rag", r"write my_package\.inner:rag"),
        ("my_rag_module.py:rag", r"write my_rag_module:rag"),
        ("./my_package/inner.py", r"write my_package\.inner:<attribute>"),
        ("../other folder/rag.py:rag", r"change into its folder first"),
        ("my-rag:rag", r"names no pipeline"),
        (":rag", r"names no pipeline"),
        ("my_rag_module:rag()", r"names no pipeline"),
        ("", r"names no pipeline"),
    ],
)
def test_mistakes_are_named_with_what_to_do(folder: Path, spec: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_pipeline(spec)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import not_installed_anywhere", r"importing broken failed: it needs 'not_installed_anywhere'"),
        ("raise ValueError('المفتاح ناقص')", r"importing broken failed: ValueError: المفتاح ناقص.*python -c"),
        ("import sys\nsys.exit(3)", r"importing broken failed: SystemExit: 3"),
        ("def (", r"importing broken failed: SyntaxError: "),
        ("from os import nothing_like_it", r"importing broken failed: ImportError: "),
    ],
)
def test_an_error_inside_the_module_is_shown_with_its_own_words(folder: Path, source: str, message: str) -> None:
    (folder / "broken.py").write_text(source, encoding="utf-8")
    with pytest.raises(ConfigError, match=message) as caught:
        load_pipeline("broken:rag")
    assert caught.value.__cause__ is not None


def test_a_module_without_any_name_of_its_own(folder: Path) -> None:
    (folder / "bare.py").write_text("", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"bare has no attribute 'rag'\.$"):
        load_pipeline("bare:rag")


def test_many_names_are_not_all_listed(folder: Path) -> None:
    (folder / "wide.py").write_text("\n".join(f"name_{i} = {i}" for i in range(30)), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"it has name_0, .*name_17, …\.$"):
        load_pipeline("wide:zzz")
