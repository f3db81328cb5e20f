"""All phrases that an answer is searched for: those of the package, and those of the user."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from muffakir_eval.refusals.phrases import Index, Phrase
from muffakir_eval.refusals.tables import SCRIPTS, Table, load_table, scripts_of

__all__ = ["Lexicon", "built_in_lexicon"]


class Lexicon:
    """Phrases by script; the tables of a script are read when an answer in it is first met.

    Attributes:
        own: Phrases of the user's; they count before those of the package.
        exempt: Words that are no refusal although a phrase finds one in them.
    """

    def __init__(self, own: Sequence[Phrase] = (), exempt: Sequence[Phrase] = ()) -> None:
        self.own = tuple(own)
        self.exempt = tuple(exempt)
        self._indexes: dict[frozenset[str], Index] = {}

    def index(self, text: str) -> Index:
        """The phrases for the scripts of ``text``."""
        scripts = scripts_of(text)
        if scripts not in self._indexes:
            tables = tables_of(scripts)
            self._indexes[scripts] = Index(
                [*self.own, *(phrase for table in tables for phrase in table.phrases)],
                [*(cue for table in tables for cue in table.cues), *(("exempt", phrase) for phrase in self.exempt)],
            )
        return self._indexes[scripts]


def tables_of(scripts: frozenset[str]) -> list[Table]:
    """The tables of some scripts, in the order in which they count."""
    return [load_table(name) for script, names in SCRIPTS.items() if script in scripts for name in names]


@cache
def built_in_lexicon() -> Lexicon:
    """The phrases that ship with the package."""
    return Lexicon()
