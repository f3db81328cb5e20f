"""The tables of phrases: read by script, when an answer in it is first met.

A file of ``resources/refusals`` has ``language`` (BCP 47), ``uses`` (a table whose word lists it adds to),
``spaced = false`` for a language without spaces, ``near_misses`` (answers that are no refusals), ``[words]``
(lists for patterns, some with a meaning of their own: :data:`~muffakir_eval.refusals.phrases.CUES`), ``[verbs.name]``
(stems whose negated forms make the list ``name``: :mod:`~muffakir_eval.refusals.verbs`) and rows:

.. code-block:: toml

    [[phrase]]
    kind = "not_in_context"         # of phrases.KINDS, which gives the reason
    at = "sentence"                 # "start": after a greeting or an apology at most; "whole": all that is said
    needs = "source"                # where the material is named; "aside": after what it is about was said
    dialect = "apc"                 # where it is said, if not everywhere
    pattern = "{source} {negated}"  # in the language of patterns.py
    example = "السياق لا يذكر ذلك."   # an answer that it finds: a test
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, get_args

from muffakir_eval.errors import ConfigError
from muffakir_eval.refusals.patterns import Grammar
from muffakir_eval.refusals.phrases import CUES, KINDS, Need, Phrase, Place
from muffakir_eval.refusals.verbs import negated_verbs

__all__ = ["SCRIPTS", "Table", "load_table", "read_table", "scripts_of"]

SCRIPTS: Mapping[str, Sequence[str]] = {
    "arabic": ("ar", "ar-dialects", "fa", "ur"),
    "latin": ("en-policy", "en", "fr", "es", "de", "tr", "id", "ar-latn"),
    "devanagari": ("hi",),
    "han": ("zh", "ja"),
}
"""The tables of each script. Every table of a script is tried on every answer in it: nobody has to tell
Persian from Arabic first. Of two phrases at the same place the one of the earlier table counts."""

_LETTERS = {
    "arabic": re.compile("[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff]"),
    "latin": re.compile("[A-Za-z\u00c0-\u024f\uff21-\uff5a]"),
    "devanagari": re.compile("[\u0904-\u0939]"),
    "han": re.compile("[\u3041-\u30ff\u3400-\u9fff\uff66-\uff9d]"),
}


@dataclass(frozen=True, slots=True)
class Table:
    """One file of ``resources/refusals``, compiled.

    Attributes:
        language: Of its phrases (BCP 47).
        phrases: In the order in which they count.
        cues: Word lists with a meaning of their own, by name.
        near_misses: Answers that look like refusals and are none.
        grammar: For further patterns in this language.
    """

    language: str
    phrases: tuple[Phrase, ...]
    cues: tuple[tuple[str, Phrase], ...]
    near_misses: tuple[str, ...]
    grammar: Grammar


def scripts_of(text: str) -> frozenset[str]:
    """The scripts of ``text`` for which there are tables.

    >>> sorted(scripts_of("لا أعلم what RAG is"))
    ['arabic', 'latin']
    """
    return frozenset([script for script, letters in _LETTERS.items() if letters.search(text)])


def read_table(data: Mapping[str, Any], grammar: Grammar | None = None) -> Table:
    """A table in the form of the files in ``resources/refusals``, compiled.

    Args:
        data: ``language``, ``words``, ``phrase`` and ``near_misses``.
        grammar: Of the table whose word lists it uses.

    Raises:
        ConfigError: A row is malformed; the message names its pattern.
    """
    language, words = str(data["language"]), dict(data.get("words", {}))
    words |= {name: negated_verbs(stems) for name, stems in data.get("verbs", {}).items()}
    if grammar is None:
        grammar = Grammar(words, spaced=data.get("spaced", True))
    elif words:
        merged = {name: (*words.get(name, ()), *grammar.words.get(name, ())) for name in (*grammar.words, *words)}
        grammar = Grammar(merged, spaced=data.get("spaced", True))
    cues = [
        (name, Phrase(language, name, "", "sentence", *grammar.compile(entry)))
        for name in CUES
        for entry in words.get(name, ())
    ]
    phrases = tuple([phrase_of(row, language, grammar) for row in data.get("phrase", ())])
    return Table(language, phrases, tuple(cues), tuple(data.get("near_misses", ())), grammar)


def phrase_of(row: Mapping[str, Any], language: str, grammar: Grammar) -> Phrase:
    """One row, compiled.

    Raises:
        ConfigError: It is malformed.
    """
    known: tuple[tuple[str, Iterable[str]], ...] = (
        ("kind", KINDS),
        ("at", get_args(Place)),
        ("needs", get_args(Need)),
    )
    for key, values in known:
        if row.get(key, "") not in values:
            raise ConfigError(f"unknown {key} {row.get(key)!r}", where=f"refusal phrase {row['pattern']!r}")
    regex, firsts, later = grammar.compile(row["pattern"])
    return Phrase(
        language=language,
        kind=row["kind"],
        reason=KINDS[row["kind"]],
        place=row["at"],
        needs=row.get("needs", ""),
        regex=regex,
        firsts=firsts,
        later=later,
        pattern=row["pattern"],
        dialect=row.get("dialect", ""),
        example=row.get("example", ""),
    )


@cache
def load_table(name: str) -> Table:
    """A table that ships with the package."""
    folder = resources.files("muffakir_eval.resources") / "refusals"
    data = tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
    return read_table(data, load_table(data["uses"]).grammar if "uses" in data else None)
