"""The page on the retrieval evaluator says what is so."""

from __future__ import annotations

import json
import re
import tomllib

from muffakir_eval import LMBasedRetrievalEvaluator, ScriptedModel
from muffakir_eval.judges.providers import PROVIDERS
from muffakir_eval.lm_retrieval import load_rules
from muffakir_eval.lm_retrieval.models import DEFAULT_MODEL, DEFAULT_PROVIDER
from muffakir_eval.lm_retrieval.rules import RuleScores
from muffakir_eval.lm_retrieval.settings import SETTINGS
from tests.docs.pages import blocks, content, table
from tests.docs.running import Reader

PAGE = "docs/lm_retrieval.md"
GUIDE = content(PAGE)


def rows(heading: str) -> list[list[str]]:
    """The rows of the first table under a heading."""
    return table(PAGE, heading)


def only(language: str) -> str:
    """The one block in this language."""
    (found,) = [block.text for block in blocks(PAGE) if block.language == language]
    return found


def test_the_result_is_the_one_that_is_shown(reader: Reader) -> None:
    for block in blocks(PAGE):
        reader.read(block)
    names = reader.names
    assert names["result"] == json.loads(only("json"))
    assert names["evaluate"](names["evaluator"], [names["data"]] * 2) == {"good": 2, "bad": 0, "incomplete": 0, None: 0}


def test_the_rules_that_are_shown_can_be_used() -> None:
    evaluator = LMBasedRetrievalEvaluator(model=ScriptedModel("{}"), rules=tomllib.loads(only("toml")))
    assert [issue.name for issue in evaluator.rules.issues] == ["reranker"]
    assert evaluator.rules.scores == RuleScores(incomplete=0.5)


def test_every_default_hint_is_explained() -> None:
    assert [row[0].strip("`") for row in rows("What a bad rating means")] == [
        issue.name for issue in load_rules().issues
    ]


def test_every_setting_is_named_and_no_other() -> None:
    text = GUIDE.split("Further settings are arguments")[1].split("Two differ")[0]
    assert tuple(re.findall(r"`(\w+)`", text)) == SETTINGS


def test_the_default_model_and_its_variables_are_named() -> None:
    row = rows("The judge")[0]
    assert f"`{DEFAULT_MODEL}`" in row[1]
    assert all(f"`{variable}`" in row[1] for variable in PROVIDERS[DEFAULT_PROVIDER].keys)


def test_the_ratings_are_those_of_the_rules() -> None:
    scores = load_rules().scores
    shown = {row[0].strip("`"): row[1] for row in rows("What the numbers mean")}
    assert shown == {"good": str(scores.good), "bad": str(scores.bad), "incomplete": "null", "null": "null"}
    assert scores.incomplete is None
