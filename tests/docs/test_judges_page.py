"""The page on judges knows every provider, setting, reason and placeholder, and no other."""

from __future__ import annotations

import pytest

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.evaluation.rehearsal import ASSUMED_ANSWER_WORDS, ASSUMED_CHUNK_WORDS
from muffakir_eval.judges.prices import ASSUMED_OUTPUT_TOKENS
from muffakir_eval.judges.providers import ALIASES, PROVIDERS
from muffakir_eval.judges.repair import RAW_LIMIT
from muffakir_eval.judges.retry import DEFAULT_RETRY_DEADLINE_S
from muffakir_eval.judges.verdicts import DEFAULT_CALL_TIMEOUT_S
from muffakir_eval.metrics.names import JUDGED_METRICS
from muffakir_eval.prompts.templates import PROMPTS
from muffakir_eval.writers.terms import REASONS
from tests.docs.pages import blocks, codes, content
from tests.docs.pages import table as rows
from tests.docs.running import Reader

GUIDE = content("docs/judges.md")
README = content("README.md")


def table(heading: str) -> list[list[str]]:
    """The rows of the first table under a heading."""
    return rows("docs/judges.md", heading)


def test_the_providers_are_those_of_the_package() -> None:
    rows = {codes(row[0])[0]: row for row in table("Choosing a judge")[:-1]}
    assert list(rows) == list(PROVIDERS)
    for name, (first, keys, place) in rows.items():
        provider = PROVIDERS[name]
        assert codes(keys) == list(provider.keys), name
        for alias in codes(first)[1:]:
            assert ALIASES[alias] == name
        for address in (provider.base_url, provider.url_variable):
            assert address is None or address in codes(place), name


def test_every_setting_of_the_judge_is_explained() -> None:
    named = {code for row in table("Settings") for code in codes(row[0])}
    assert named <= EvaluationConfig.model_fields.keys()
    fields = list(EvaluationConfig.model_fields)
    judge = {*fields[fields.index("llm_provider") :], "language"} - {"sample_timeout_s"}
    assert named == {key for key in judge if not key.startswith("batch_")}  # they have a page of their own


def test_settings_in_python_are_valid(reader: Reader) -> None:
    for block in blocks("docs/judges.md"):
        reader.read(block)
        EvaluationConfig.from_mapping(reader.names.get("config"))


@pytest.mark.parametrize("reason", [reason for reason in REASONS if reason.startswith("judge_")])
def test_every_reason_of_a_judge_is_explained(reason: str) -> None:
    assert f"| `{reason}` |" in GUIDE


def test_no_reason_is_explained_that_does_not_exist() -> None:
    tables = [rows("docs/judges.md", "When there is no score", head) for head in ("reason", "reason | meaning | what")]
    named = {code for table in tables for row in table for code in codes(row[0])}
    assert named <= REASONS.keys() and len(named) > 15


def test_the_placeholders_are_those_of_the_prompts() -> None:
    rows = {codes(row[0])[0]: row[1:] for row in table("Prompts")}
    assert rows.keys() == PROMPTS.keys() - {"refusal"}
    for name, (required, optional) in rows.items():
        slots = PROMPTS[name]
        assert {code.strip("{}") for code in codes(required)} == slots.required, name
        assert {code.strip("{}") for code in codes(optional)} == slots.optional - {"marker"}, name


def test_the_figures_are_those_of_the_package() -> None:
    assert f"a reply is taken to have {ASSUMED_OUTPUT_TOKENS} tokens" in GUIDE
    assert f"An answer of {ASSUMED_ANSWER_WORDS} words and `k` chunks of {ASSUMED_CHUNK_WORDS} words" in GUIDE
    assert f"| `call_timeout_s` | {DEFAULT_CALL_TIMEOUT_S:g} |" in GUIDE
    assert f"| `retry_deadline_s` | {DEFAULT_RETRY_DEADLINE_S:g} |" in GUIDE
    assert f"cut at {RAW_LIMIT:,} characters" in GUIDE


@pytest.mark.parametrize("metric", sorted(JUDGED_METRICS))
def test_the_readme_names_every_judged_metric(metric: str) -> None:
    assert f"`{metric}`" in README
