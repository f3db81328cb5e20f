r"""Arabic words compared by their lemmas, or without their clitics, as camel-tools' analyser reads them.

A written word has several readings: كتب is *he wrote* and *books*. The keys of a word are therefore a set, and
two words agree where their sets meet.

========================  ============================================================================
level                     keys of a word
========================  ============================================================================
``lemma``                 the dictionary form of each reading: والكتاب, كتابهم and كتب hold كتاب
``clitics``               the written word of each reading without conjunctions, prepositions, article,
                          particle of the future and attached pronouns: والكتاب and كتابهم hold كتاب, but
                          كتب and كتابان do not
========================  ============================================================================

Letters that may belong to the word stay: of its readings, those with the fewest proclitics count, so that
والد (father) never becomes لد and الله keeps its article. What is no Arabic word, or has no reading, stands
for itself. Keys are normalised as tokens are (:mod:`muffakir_eval.text.normalize`, profile ``arabic``), and
so is the analyser's lexicon: a token whose hamza has been folded is still found.

Nothing is fetched: camel-tools asks the network for a catalogue when its morphology is imported, which is put
off here until somebody uses that catalogue.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from muffakir_eval.errors import ConfigError, MissingExtraError
from muffakir_eval.text.normalize import default_normalizer

__all__ = ["KeyLevel", "TokenKeys", "load_analyser"]

KeyLevel = Literal["lemma", "clitics"]
Analyse = Callable[[str], Sequence[Mapping[str, Any]]]
"""From a word to its readings, as camel-tools gives them: features by name."""

_SETTING = "matching.morphology_database"
_PACKAGE = "morphology-db-msa-r13"
_CATALOGUE = "camel_tools.data"
_WORD = re.compile("[\u0621-\u063a\u0641-\u064a]+")
_PROCLITICS = ("prc0", "prc1", "prc2", "prc3")
_NOTHING = frozenset({"0", "na", "-", "", None})
_REMEMBERED = 65_536
_FINAL_HAMZA = re.compile("[اوي\u0652][أؤئ][\u064b-\u0652]*$")
"""After a long vowel or none, the hamza that ends a word stands by itself."""


class TokenKeys:
    """The keys of a token; two tokens agree where they share one.

    Args:
        analyse: The analyser.
        level: What a key is.
        remembered: Of so many tokens, the last used, the keys are kept.

    >>> readings = [{"lex": "كِتاب", "bw": "وَ/CONJ+ال/DET+كِتاب/NOUN", "prc0": "Al_det", "prc2": "wa_conj"}]
    >>> TokenKeys(lambda word: readings, "lemma")("والكتاب")
    frozenset({'كتاب'})
    """

    def __init__(self, analyse: Analyse, level: KeyLevel, *, remembered: int = _REMEMBERED) -> None:
        self.level = level
        self._analyse = analyse
        self._kept = lru_cache(maxsize=remembered)(self._keys)

    def __call__(self, token: str) -> frozenset[str]:
        """The keys of ``token``, a word as :func:`~muffakir_eval.text.tokens.tokenize` gives it."""
        return self._kept(token)

    def _keys(self, token: str) -> frozenset[str]:
        word = _normal(token)
        if not _WORD.fullmatch(word):
            return frozenset((token,))
        readings = [reading for reading in self._analyse(word) if reading.get("source") not in {"foreign", "punc"}]
        if not readings:
            return frozenset((token,))
        fewest = min(map(_proclitics, readings))
        plainest = [reading for reading in readings if _proclitics(reading) == fewest]
        if self.level == "lemma":
            keys = {_normal(str(reading["lex"])) for reading in plainest}
        else:
            keys = {key for reading in plainest for key in _without_clitics(reading)}
        return frozenset(keys - {""}) or frozenset((token,))


def _normal(text: str) -> str:
    return default_normalizer().normalize(text)


def _proclitics(reading: Mapping[str, Any]) -> int:
    return sum(reading.get(feature) not in _NOTHING for feature in _PROCLITICS)


def _without_clitics(reading: Mapping[str, Any]) -> Iterator[str]:
    """The written forms of a reading's word: what stands between its proclitics and its pronoun."""
    parts = [part.rpartition("/") for part in str(reading["bw"]).split("+")]
    before, pronoun = _proclitics(reading), reading.get("enc0") not in _NOTHING and len(parts) > 1
    parts = parts[min(before, len(parts) - 1) :]
    attached = pronoun and len(parts) > 1
    if attached:
        parts.pop()
    written = "".join([form for form, _, _ in parts if form != "(null)"])
    if attached:
        yield from _unattached(written, tag=parts[-1][2], lemma=_normal(str(reading["lex"])))
    else:
        yield _normal(written)


def _unattached(written: str, *, tag: str, lemma: str) -> Iterator[str]:
    """A word as it is spelled where no pronoun follows: أصدقاؤ أصدقاء, مستشفا مستشفى, كتبو كتبوا."""
    word = _normal(written)
    if _FINAL_HAMZA.search(written):
        word = word[:-1] + "ء"
    elif word.endswith("ا") and lemma == word[:-1] + "ي":
        word = lemma
    elif word.endswith("و") and "SUFF_SUBJ" in tag:
        word += "ا"
    yield word


def load_analyser(level: KeyLevel, database: str | Path | None = None) -> TokenKeys:
    """The keys of tokens by camel-tools' morphological analyser.

    The first call for a database takes a second or two and some hundred megabytes; later ones share it.

    Args:
        level: ``lemma`` or ``clitics``.
        database: Path of a database file, or the name of an installed one such as ``calima-egy-r13``. By
            default the one that camel-tools has installed for Modern Standard Arabic.

    Raises:
        MissingExtraError: camel-tools is not installed, or does not import.
        ConfigError: The level is unknown, or there is no such database; the message says how to get one.
    """
    if level not in ("lemma", "clitics"):
        raise ConfigError(f"unknown level {level!r}", where="token level", expected="'lemma' or 'clitics'")
    _modules()
    return TokenKeys(_analyser(_database_file(None if database is None else str(database))), level)


@lru_cache(maxsize=4)
def _analyser(file: Path) -> Analyse:
    analyser, databases = _modules()
    try:
        opened = databases.MorphologyDB(str(file))
    except (OSError, UnicodeDecodeError, IndexError, KeyError, databases.DatabaseParseError) as error:
        raise ConfigError(
            f"{file} cannot be read as a morphology database ({type(error).__name__}: {error})",
            where=_SETTING,
            expected="a database file of camel-tools 1.6, such as morphology.db of the package " + _PACKAGE,
            remedy=_INSTALL,
        ) from error
    for index in (opened.prefix_hash, opened.stem_hash, opened.suffix_hash):
        _fold_keys(index)
    analyse: Analyse = analyser.Analyzer(opened).analyze
    return analyse


def _fold_keys(index: dict[str, list[Any]]) -> None:
    """Find an entry by its normalised spelling too: camel-tools' own lookup keeps ؤ and ئ."""
    for spelled in list(index):
        folded = _normal(spelled)
        if folded != spelled:
            index.setdefault(folded, []).extend(index[spelled])


_INSTALL = (
    f"install the data once with `camel_data -i {_PACKAGE}`, which needs the network, or set {_SETTING} to a "
    "database file on this machine"
)


def _data_folder() -> Path:
    """Where camel-tools keeps its data."""
    chosen = os.environ.get("CAMELTOOLS_DATA")
    if chosen is not None:
        return Path(chosen).expanduser().absolute()
    return Path.home() / ("AppData/Roaming/camel_tools" if sys.platform == "win32" else ".camel_tools")


def _database_file(database: str | None) -> Path:
    """The file of a database that is named, given by its path, or installed.

    Raises:
        ConfigError: There is none.
    """
    if database is not None and (Path(database).suffix or len(Path(database).parts) > 1):
        file = Path(database).expanduser()
        if not file.is_file():
            raise ConfigError(f"there is no file {database}", where=_SETTING, remedy=_INSTALL)
        return file
    catalogue = _data_folder() / "catalogue.json"
    if not catalogue.is_file():
        raise ConfigError(
            f"camel-tools has no morphology data in {catalogue.parent}",
            where=_SETTING,
            expected=f"the data package {_PACKAGE}",
            remedy=_INSTALL,
        )
    component = importlib.import_module(_CATALOGUE).CATALOGUE.components.get("MorphologyDB")
    installed = (
        {name: Path(entry.path, "morphology.db") for name, entry in component.datasets.items()} if component else {}
    )
    file = installed.get(database or (component.default if component else ""), Path())
    if not file.is_file():
        there = [name for name, path in installed.items() if path.is_file()]
        raise ConfigError(
            f"the morphology database {database or 'of Modern Standard Arabic'} is not installed in {catalogue.parent}",
            where=_SETTING,
            expected=f"one of {', '.join(there)}" if there else f"the data package {_PACKAGE}",
            remedy=_INSTALL,
        )
    return file


def _modules() -> tuple[ModuleType, ModuleType]:
    """camel-tools' analyser and database modules."""
    if importlib.util.find_spec("camel_tools") is None:
        raise MissingExtraError(
            "comparing by lemmas or without clitics needs camel-tools, which is not installed",
            where="token level",
            remedy='pip install "muffakir-eval[camel]", or compare by whole words',
        )
    try:
        with _catalogue_put_off():
            return (
                importlib.import_module("camel_tools.morphology.analyzer"),
                importlib.import_module("camel_tools.morphology.database"),
            )
    except Exception as error:
        raise MissingExtraError(
            f"camel-tools is installed but does not import ({type(error).__name__}: {error})",
            where="token level",
            expected="camel-tools 1.6 or newer",
            remedy='pip install --upgrade "muffakir-eval[camel]"',
        ) from error


class _LateCatalogue:
    """camel-tools' catalogue, loaded when somebody asks for anything in it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(_CATALOGUE).CATALOGUE, name)


@contextmanager
def _catalogue_put_off() -> Iterator[None]:
    """Inside, camel-tools' modules import without its catalogue, which would be asked of the network."""
    if _CATALOGUE in sys.modules:
        yield
        return
    stand_in = ModuleType(_CATALOGUE)
    stand_in.__dict__["CATALOGUE"] = _LateCatalogue()
    sys.modules[_CATALOGUE] = stand_in
    try:
        yield
    finally:
        del sys.modules[_CATALOGUE]
