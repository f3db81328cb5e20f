"""What is said about a question: every outcome has its words, and they name the chunk."""

from __future__ import annotations

from typing import Any

import pytest

from muffakir_eval.audit.asking import Retrieved
from muffakir_eval.audit.questions import SEVEREST_FIRST, classify
from muffakir_eval.audit.records import GoldReach, Sighting
from muffakir_eval.audit.wording import explained
from tests.audit.made import at, reach, retrieval_of, sample

CHUNK = "corpus.jsonl, line 1"


def words(found: Retrieved | None, one: GoldReach | None, *, n_golds: int = 1) -> tuple[str, str]:
    retrieval = None if found is None else retrieval_of({0: found})
    [fate] = classify([sample(0, n_golds)], [] if one is None else [one], retrieval, k=5)
    return explained(fate, k=5)


def came(**fields: Any) -> Retrieved:
    return Retrieved(state="compared", **{"n_chunks": 10, **fields})


NEIGHBOURS = tuple(Sighting(at=at(n, f"c{n}"), score=0.5, span=(0, 9)) for n in (3, 4))


@pytest.mark.parametrize(
    ("found", "one", "message", "remedy"),
    [
        (came(ranks={0: 2}), reach(0), "found at rank 2", ""),
        (came(ranks={0: 9}), reach(0), "retrieved at rank 9, below k = 5", "raise k to 9"),
        (
            came(),
            reach(0),
            f"in the index at {CHUNK}, and not among the 10 chunks that came back",
            "compare the question",
        ),
        (came(n_chunks=0), reach(0), f"in the index at {CHUNK}, and nothing came back", "compare the question"),
        (None, reach(0), f"in the index at {CHUNK}", ""),
        (
            came(),
            reach(0, 0, "split", sightings=NEIGHBOURS, covered=1.0),
            "spread over 2 chunks, corpus.jsonl, line 4 (id c3); corpus.jsonl, line 5 (id c4): no single chunk",
            "let neighbours overlap",
        ),
        (
            came(),
            reach(0, 0, "nowhere", covered=0.0),
            "no chunk of the index holds it, nor any longer part of it",
            "load the document",
        ),
        (
            came(),
            reach(0, 0, "part", covered=0.314, sightings=NEIGHBOURS[:1]),
            "only 31 % of its words are in the index, at corpus.jsonl, line 4 (id c3)",
            "load the document",
        ),
        (
            came(),
            reach(0, 0, "nowhere", unknown_ids=("007", "008", "009", "010")),
            "no chunk of the index has the identifier '007', '008', '009', …",
            "take the identifiers of the questions from this index",
        ),
        (
            came(),
            reach(0, 0, "nowhere", unknown_ids=("007",), padded_ids=("7",)),
            "'7' differs from it only in zeros, case or spaces",
            "keep identifiers as text",
        ),
        (
            Retrieved(state="not_comparable"),
            reach(0),
            "what came back has nothing that it could be compared by",
            "return the texts",
        ),
        (came(), None, "the gold has nothing that it could be compared by", "see match_by"),
        (Retrieved(state="failed", error="E: down"), reach(0), "the retriever failed: E: down", "mend the retriever"),
    ],
)
def test_words(found: Retrieved | None, one: GoldReach | None, message: str, remedy: str) -> None:
    said, to_do = words(found, one)
    assert message in said
    assert remedy in to_do
    assert bool(remedy) == bool(to_do)


def test_a_question_without_gold() -> None:
    assert words(came(), None, n_golds=0) == ("the question names no evidence", "")


def test_of_several_golds_it_is_said_how_many() -> None:
    said, _ = words(came(ranks={0: 1}), reach(0), n_golds=3)
    assert said.startswith("2 of 3 golds: the gold has nothing")


def test_many_chunks_that_hold_it_are_counted() -> None:
    sightings = tuple(Sighting(at=at(n), stage="id") for n in range(4))
    said, _ = words(None, reach(0, sightings=sightings, n_chunks=9))
    assert said.endswith("corpus.jsonl, line 3; and 6 more")
    said, _ = words(None, reach(0, sightings=(), n_chunks=0))
    assert said == "in the index at an unknown place"


def test_every_outcome_has_words() -> None:
    from muffakir_eval.audit.wording import _WORDS

    assert set(_WORDS) | {"no_gold"} == set(SEVEREST_FIRST)
