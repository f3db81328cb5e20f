"""Lemmas and words without clitics by the real analyser, with a database that tests may use.

``MUFFAKIR_EVAL_ALMOR`` names the database file that ``.ci/almor_database.py`` makes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from muffakir_eval.errors import ConfigError
from muffakir_eval.text.morphology import KeyLevel, TokenKeys, load_analyser
from muffakir_eval.text.tokens import tokenize

pytest.importorskip("camel_tools", reason="needs the extra camel")


@pytest.fixture(scope="module")
def database() -> Path:
    file = Path(os.environ.get("MUFFAKIR_EVAL_ALMOR", "absent"))
    if not file.is_file():
        pytest.skip("no morphology database; set MUFFAKIR_EVAL_ALMOR")
    return file


@pytest.fixture(scope="module", params=["lemma", "clitics"])
def keys(request: pytest.FixtureRequest, database: Path) -> TokenKeys:
    level: KeyLevel = request.param
    return load_analyser(level, database)


def meet(keys: TokenKeys, one: str, other: str) -> bool:
    (first,), (second,) = tokenize(one), tokenize(other)
    return not keys(first).isdisjoint(keys(second))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("والكتاب", "كتاب"),
        ("بالكتاب", "الكتاب"),
        ("فللكتاب", "كتابٌ"),
        ("وكتابهم", "كتاب"),
        ("مدرستهم", "المدرسة"),
        ("مستشفاه", "مستشفى"),
        ("أصدقاؤهم", "الأصدقاء"),
        ("كتبوه", "كتبوا"),
        ("وسيكتبها", "يكتب"),
        ("لله", "الله"),
        ("والمسؤول", "المسؤول"),
        ("للرئيس", "رئيس"),
        ("عليهم", "على"),
        ("شيئها", "الشيء"),
        ("وبدئه", "البدء"),
        ("قارئها", "القارئ"),
    ],
)
def test_a_word_meets_itself_with_clitics(keys: TokenKeys, one: str, other: str) -> None:
    assert meet(keys, one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("والد", "لد"),
        ("والد", "ألد"),
        ("والد", "ولد"),
        ("الله", "له"),
        ("الله", "لاه"),
        ("ولد", "لد"),
        ("وجه", "جه"),
        ("بنت", "نت"),
        ("كبير", "بير"),
        ("قانون", "كتاب"),
        ("القانون", "القانوني"),
        ("كتاب", "Kitab"),
    ],
)
def test_no_letter_of_a_word_is_taken_for_a_clitic(keys: TokenKeys, one: str, other: str) -> None:
    assert not meet(keys, one, other)


@pytest.mark.parametrize("word", ["والد", "الله", "ولد", "وزير", "بلد", "فهم", "كلام", "لغة"])
def test_a_word_keeps_its_letters(keys: TokenKeys, word: str) -> None:
    (token,) = tokenize(word)
    assert token in keys(token)


@pytest.mark.parametrize("token", ["abc", "2024", "3.5", "كتاب2", "中国", "max_value", "زقلمبط"])
def test_what_is_no_arabic_word_stands_for_itself(keys: TokenKeys, token: str) -> None:
    assert keys(token) == {token}


def test_p19_clitics_do_not_lose_a_match(keys: TokenKeys) -> None:
    gold = [keys(token) for token in tokenize("كتاب القانون المدني")]
    chunk = [keys(token) for token in tokenize("والكتاب هو القانون المدني")]
    assert [[not one.isdisjoint(other) for other in chunk].index(True) for one in gold] == [0, 2, 3]


def test_inflected_forms_and_variants_meet_by_lemma_alone(database: Path) -> None:
    lemma, clitics = load_analyser("lemma", database), load_analyser("clitics", database)
    for one, other in (
        ("كتب", "كتاب"),
        ("المسؤول", "المسئول"),
        ("القوانين", "قانون"),
        ("الموظفين", "موظف"),
        ("قالت", "يقول"),
    ):
        assert meet(lemma, one, other)
        assert not meet(clitics, one, other)


def test_every_reading_counts(database: Path) -> None:
    keys = load_analyser("lemma", database)
    assert keys("كتب") == {"كتاب", "كتب"}
    assert keys("الله") == {"الله"}


def test_keys_are_normalised_and_so_is_the_lexicon(database: Path) -> None:
    for level in ("lemma", "clitics"):
        keys = load_analyser(level, database)
        assert keys("مسؤول") == keys("مسوول") == {"مسوول"}
        assert "رييس" in keys("رئيس") & keys("رييس")
        assert keys("کتاب") == keys("كتاب")


def test_a_file_that_is_no_database_is_named(database: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.db"
    with database.open(encoding="utf-8") as lines:
        old.write_text("".join(line for line in lines if "TOKENIZATIONS" not in line)[:200_000], encoding="utf-8")
    for text in (old.read_text(encoding="utf-8"), "no database\n", "\x00"):
        old.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigError, match=r"old\.db cannot be read as a morphology database"):
            load_analyser("lemma", old)


def in_a_new_process(code: str, tmp_path: Path, **environment: str) -> str:
    """Output of ``code`` where camel-tools has not been imported and no network answers."""
    head = """
        import socket
        def refuse(*args, **kwargs): raise SystemExit("the network was asked")
        socket.getaddrinfo = socket.create_connection = refuse
        from muffakir_eval.text.morphology import load_analyser
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(head) + textwrap.dedent(code)],
        env={**os.environ, "HOME": str(tmp_path), "USERPROFILE": str(tmp_path), **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_local_file_needs_no_network(database: Path, tmp_path: Path) -> None:
    code = f"print(*load_analyser('lemma', {str(database)!r})('والكتاب'))"
    assert "كتاب" in in_a_new_process(code, tmp_path, PYTHONIOENCODING="utf-8")


def test_without_data_the_error_says_what_to_install(tmp_path: Path) -> None:
    code = """
        try:
            load_analyser("lemma")
        except ValueError as error:
            print(error)
    """
    said = in_a_new_process(code, tmp_path, PYTHONIOENCODING="utf-8", CAMELTOOLS_DATA=str(tmp_path / "data"))
    assert "camel_data -i morphology-db-msa-r13" in said
    assert "matching.morphology_database" in said


def test_an_installed_database_is_found_by_default_and_by_name(database: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data" / "morphology_db" / "almor"
    folder.mkdir(parents=True)
    (folder / "morphology.db").symlink_to(database)
    datasets = {"almor": {"path": "morphology_db/almor"}, "gone": {"path": "morphology_db/gone"}}
    catalogue = {
        "version": "1.6",
        "packages": {},
        "components": {"MorphologyDB": {"default": "almor", "datasets": datasets}},
    }
    (tmp_path / "catalogue.json").write_text(json.dumps(catalogue), encoding="utf-8")
    code = """
        print(load_analyser("lemma")("لله"), load_analyser("clitics", "almor")("لله"))
        try:
            load_analyser("lemma", "gone")
        except ValueError as error:
            print(error)
        from camel_tools.morphology.database import MorphologyDB
        print([entry.name for entry in MorphologyDB.list_builtin_dbs()])
    """
    said = in_a_new_process(code, tmp_path, PYTHONIOENCODING="utf-8", CAMELTOOLS_DATA=str(tmp_path))
    assert said.count("frozenset({'الله'})") == 2
    assert "gone is not installed" in said
    assert "one of almor" in said
    assert "['almor', 'gone']" in said
