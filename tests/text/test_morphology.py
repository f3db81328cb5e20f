"""Keys of tokens from the readings of an analyser, and what is said where there is none.

The readings are those that camel-tools gives with the database almor-msa-r13. The analyser itself is tried in
``tests/integrations/test_camel_morphology.py``; here a small package stands in for what it does on import.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval.errors import ConfigError, MissingExtraError
from muffakir_eval.text import morphology
from muffakir_eval.text.morphology import KeyLevel, TokenKeys, load_analyser

READINGS: dict[str, list[dict[str, Any]]] = {
    "والكتاب": [
        {"lex": "كاتِب", "bw": "وَ/CONJ+ال/DET+كُتّاب/NOUN+ُ/CASE_DEF_NOM", "prc2": "wa_conj", "prc0": "Al_det"},
        {"lex": "كِتاب", "bw": "وَ/CONJ+ال/DET+كِتاب/NOUN+ُ/CASE_DEF_NOM", "prc2": "wa_conj", "prc0": "Al_det"},
    ],
    "كتاب": [{"lex": "كِتاب", "bw": "كِتاب/NOUN+ٌ/CASE_INDEF_NOM", "prc0": "0", "enc0": "0"}],
    "والد": [
        {"lex": "والِد", "bw": "والِد/NOUN", "prc2": "0", "prc0": "0"},
        {"lex": "أَلَدّ", "bw": "وَ/CONJ+أَلَدّ/ADJ_COMP", "prc2": "wa_conj", "prc0": "0"},
    ],
    "مدرستهم": [{"lex": "مَدْرَسَة", "bw": "مَدْرَس/NOUN+َة/NSUFF_FEM_SG+هُم/POSS_PRON_3MP", "enc0": "3mp_poss"}],
    "مستشفاه": [{"lex": "مُسْتَشْفَى", "bw": "مُسْتَشْفا/NOUN+هُ/POSS_PRON_3MS", "enc0": "3ms_poss"}],
    "دعاه": [{"lex": "دَعا", "bw": "دَعا/PV+(null)/PVSUFF_SUBJ:3MS+هُ/PVSUFF_DO:3MS", "enc0": "3ms_dobj"}],
    "اصدقاوهم": [{"lex": "صَدِيق", "bw": "أَصْدِقاؤ/NOUN+ُ/CASE_DEF_NOM+هُم/POSS_PRON_3MP", "enc0": "3mp_poss"}],
    "قاريها": [{"lex": "قارِئ", "bw": "قارِئ/NOUN+ها/POSS_PRON_3FS", "enc0": "3fs_poss"}],
    "كتبوه": [{"lex": "كَتَب", "bw": "كَتَب/PV+ُو/PVSUFF_SUBJ:3MP+هُ/PVSUFF_DO:3MS", "enc0": "3ms_dobj"}],
    "ابوه": [{"lex": "أَب", "bw": "أَبُو/NOUN+هُ/POSS_PRON_3MS", "enc0": "3ms_poss"}],
    "عليهم": [{"lex": "عَلَى", "bw": "عَلَي/PREP+هِم/PRON_3MP", "prc0": "na", "enc0": "3mp_pron"}],
    "به": [{"lex": "بِ", "bw": "بِهِ/PREP", "enc0": "3ms_pron"}],
    "مجهول": [],
    "غريب": [{"lex": "غريب", "bw": "غريب/FOREIGN", "source": "foreign"}],
    "فارغ": [{"lex": "", "bw": "ـَ/NOUN"}],
}


def keys_at(level: KeyLevel) -> TokenKeys:
    return TokenKeys(READINGS.__getitem__, level)


@pytest.mark.parametrize(
    ("token", "lemmas", "words"),
    [
        ("والكتاب", {"كتاب", "كاتب"}, {"كتاب"}),
        ("كتاب", {"كتاب"}, {"كتاب"}),
        ("والد", {"والد"}, {"والد"}),
        ("مدرستهم", {"مدرسه"}, {"مدرسه"}),
        ("مستشفاه", {"مستشفي"}, {"مستشفي"}),
        ("دعاه", {"دعا"}, {"دعا"}),
        ("اصدقاوهم", {"صديق"}, {"اصدقاء"}),
        ("قاريها", {"قاري"}, {"قاري"}),
        ("كتبوه", {"كتب"}, {"كتبوا"}),
        ("ابوه", {"اب"}, {"ابو"}),
        ("عليهم", {"علي"}, {"علي"}),
        ("به", {"ب"}, {"به"}),
        ("مجهول", {"مجهول"}, {"مجهول"}),
        ("غريب", {"غريب"}, {"غريب"}),
        ("فارغ", {"فارغ"}, {"فارغ"}),
    ],
)
def test_keys(token: str, lemmas: set[str], words: set[str]) -> None:
    assert keys_at("lemma")(token) == lemmas
    assert keys_at("clitics")(token) == words


def test_p19_the_word_meets_itself_and_keeps_its_letters() -> None:
    for level in ("lemma", "clitics"):
        keys = keys_at(level)
        assert keys("والكتاب") & keys("كتاب")
        assert "والد" in keys("والد")
        assert not keys("والد") & {"لد", "الد"}


@pytest.mark.parametrize("token", ["abc", "2024", "3.5", "كتاب2", "中国", "max_value", "x", "پارک"])
def test_what_is_no_arabic_word_is_not_analysed(token: str) -> None:
    assert keys_at("lemma")(token) == {token}  # a reading of it would be a KeyError


def test_a_token_of_another_profile_is_normalised_first() -> None:
    assert keys_at("lemma")("كِتاب") == keys_at("lemma")("کتاب") == {"كتاب"}


def test_keys_are_made_once_and_only_so_many_are_kept() -> None:
    asked: list[str] = []

    def analyse(word: str) -> list[dict[str, Any]]:
        asked.append(word)
        return []

    keys = TokenKeys(analyse, "lemma", remembered=2)
    for token in ("ا", "ب", "ا", "ج", "ب"):
        assert keys(token) == {token}
    assert asked == ["ا", "ب", "ج", "ب"]


Stand = Callable[..., Path]


@pytest.fixture
def camel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stand]:
    """Write a package that stands in for camel-tools; its catalogue asks the network unless it is there."""
    monkeypatch.setenv("CAMELTOOLS_DATA", str(tmp_path / "data"))
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "camel_tools"}
    morphology._analyser.cache_clear()

    def written(
        data: str = "raise ConnectionError('the network was asked')",
        database: str = "from camel_tools.data import CATALOGUE",
    ) -> Path:
        package = tmp_path / "site" / "camel_tools"
        (package / "morphology").mkdir(parents=True)
        (package / "data").mkdir()
        (package / "__init__.py").touch()
        (package / "morphology" / "__init__.py").touch()
        (package / "data" / "__init__.py").write_text(data, encoding="utf-8")
        (package / "morphology" / "database.py").write_text(f"{database}\n{DATABASE}", encoding="utf-8")
        (package / "morphology" / "analyzer.py").write_text(ANALYZER, encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path / "site"))
        return package

    yield written
    for name in [name for name in sys.modules if name.partition(".")[0] == "camel_tools"]:
        del sys.modules[name]
    sys.modules.update(kept)
    morphology._analyser.cache_clear()
    importlib.invalidate_caches()


DATABASE = """
class DatabaseParseError(Exception): pass
class MorphologyDB:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if not text.startswith("###DEFINES###"):
            raise DatabaseParseError("invalid DEFINES line")
        self.prefix_hash, self.suffix_hash = {"": []}, {"": []}
        self.stem_hash = {"مسؤول": [{"lex": "مَسْؤُول", "bw": "مَسْؤُول/ADJ"}], "مسوول": []}
"""
ANALYZER = """
class Analyzer:
    def __init__(self, database): self.database = database
    def analyze(self, word): return self.database.stem_hash.get(word, [])
"""


def test_a_local_database_is_read_without_the_catalogue(camel: Stand, tmp_path: Path) -> None:
    camel()
    (tmp_path / "morphology.db").write_text("###DEFINES###", encoding="utf-8")
    keys = load_analyser("lemma", tmp_path / "morphology.db")
    assert keys.level == "lemma"
    assert keys("مسوول") == {"مسوول"}
    assert "camel_tools.data" not in sys.modules
    with pytest.raises(ConnectionError, match="the network was asked"):
        sys.modules["camel_tools.morphology.database"].CATALOGUE.components  # noqa: B018


def test_the_lexicon_is_found_by_normalised_words(camel: Stand, tmp_path: Path) -> None:
    camel()
    (tmp_path / "morphology.db").write_text("###DEFINES###", encoding="utf-8")
    readings = morphology._analyser(tmp_path / "morphology.db")("مسوول")
    assert [reading["lex"] for reading in readings] == ["مَسْؤُول"]


def test_one_analyser_serves_both_levels(camel: Stand, tmp_path: Path) -> None:
    camel()
    (tmp_path / "morphology.db").write_text("###DEFINES###", encoding="utf-8")
    one, other = (load_analyser(level, str(tmp_path / "morphology.db")) for level in ("lemma", "clitics"))
    assert one._analyse is other._analyse


CATALOGUE = """
from types import SimpleNamespace as Entry
import os
folder = os.environ["CAMELTOOLS_DATA"]
there = {"msa": Entry(path=folder + "/msa"), "egy": Entry(path=folder + "/egy")}
CATALOGUE = Entry(components={"MorphologyDB": Entry(default="msa", datasets=there)})
"""


def test_an_installed_database_is_the_default_and_has_a_name(camel: Stand, tmp_path: Path) -> None:
    camel(data=CATALOGUE)
    (tmp_path / "data" / "msa").mkdir(parents=True)
    (tmp_path / "data" / "catalogue.json").write_text("{}", encoding="utf-8")
    (tmp_path / "data" / "msa" / "morphology.db").write_text("###DEFINES###", encoding="utf-8")
    assert load_analyser("lemma")("مسوول") == load_analyser("clitics", "msa")("مسوول") == {"مسوول"}
    with pytest.raises(ConfigError, match=r"egy is not installed.*Expected: one of msa\."):
        load_analyser("lemma", "egy")
    assert "camel_tools.data" in sys.modules
    assert load_analyser("lemma", "msa").level == "lemma"


@pytest.mark.parametrize("components", ["{}", '{"MorphologyDB": Entry(default="msa", datasets={})}'])
def test_a_catalogue_without_a_database(camel: Stand, tmp_path: Path, components: str) -> None:
    camel(data=f"from types import SimpleNamespace as Entry\nCATALOGUE = Entry(components={components})")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "catalogue.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"not installed.*the data package morphology-db-msa-r13"):
        load_analyser("lemma")


def test_no_data_at_all(camel: Stand, tmp_path: Path) -> None:
    camel()
    with pytest.raises(ConfigError) as caught:
        load_analyser("clitics")
    said = str(caught.value)
    assert said.startswith(f"matching.morphology_database: camel-tools has no morphology data in {tmp_path / 'data'}")
    assert "camel_data -i morphology-db-msa-r13" in said
    assert "set matching.morphology_database to a database file" in said


def test_the_usual_folder_of_the_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CAMELTOOLS_DATA", raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert morphology._data_folder().parts[: len(tmp_path.parts)] == tmp_path.parts
    assert morphology._data_folder().name in {".camel_tools", "camel_tools"}


@pytest.mark.parametrize("database", ["gone.db", "folder/gone"])
def test_a_file_that_is_not_there(camel: Stand, database: str) -> None:
    camel()
    with pytest.raises(ConfigError, match=f"there is no file {database}"):
        load_analyser("lemma", database)


def test_a_file_that_is_no_database(camel: Stand, tmp_path: Path) -> None:
    camel()
    (tmp_path / "notes.db").write_text("notes", encoding="utf-8")
    with pytest.raises(
        ConfigError, match=r"notes\.db cannot be read as a morphology database \(DatabaseParseError: inv"
    ):
        load_analyser("lemma", tmp_path / "notes.db")


def test_camel_tools_that_does_not_import(camel: Stand) -> None:
    camel(database="import a_module_that_is_not_there")
    with pytest.raises(MissingExtraError, match=r"does not import \(ModuleNotFoundError.*muffakir-eval\[camel\]"):
        load_analyser("lemma")


def test_camel_tools_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    for name in [name for name in sys.modules if name.partition(".")[0] == "camel_tools"]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtraError, match=r"needs camel-tools, which is not installed.*muffakir-eval\[camel\]"):
        load_analyser("lemma")


def test_an_unknown_level() -> None:
    with pytest.raises(ConfigError, match="'lemma' or 'clitics'"):
        load_analyser("word")  # type: ignore[arg-type]
