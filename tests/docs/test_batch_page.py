"""The page on batches knows every setting, provider, limit and reason, and no other."""

from __future__ import annotations

from muffakir_eval.config import EvaluationConfig
from muffakir_eval.judges.batch.anthropic_carrier import AnthropicCarrier
from muffakir_eval.judges.batch.journal import BATCHES
from muffakir_eval.judges.batch.making import BATCH_PROVIDERS, MOST_BYTES
from muffakir_eval.judges.batch.openai_carrier import OpenAICarrier
from muffakir_eval.writers.terms import REASONS
from tests.docs.pages import codes, content, table

PAGE = "docs/batch.md"


def test_every_setting_is_explained_with_its_default() -> None:
    rows = {codes(row[0])[0]: row[1].strip("`").replace(",", "") for row in table(PAGE, "Settings")}
    fields = EvaluationConfig.model_fields
    assert rows.keys() == {"judge_mode", *(name for name in fields if name.startswith("batch_"))}
    for name, said in rows.items():
        default = fields[name].default
        if default is None:
            continue
        shown = str(default).lower() if isinstance(default, (bool, str)) else f"{default:g}"
        assert said == shown or float(said) == default, name
    assert int(rows["batch_max_bytes"]) == MOST_BYTES


def test_the_providers_and_their_limits_are_those_of_the_package() -> None:
    rows = table(PAGE, "Which providers")
    assert {codes(row[0])[0] for row in rows} == {*BATCH_PROVIDERS, "llm_base_url"}
    for name, carrier in (("openai", OpenAICarrier), ("anthropic", AnthropicCarrier)):
        said = next(row[2] for row in rows if codes(row[0])[0] == name)
        assert said == f"{carrier.limits.requests:,} requests, {carrier.limits.size:,} bytes"


def test_every_reason_exists() -> None:
    assert {codes(row[0])[0] for row in table(PAGE, "When there is no score")} <= REASONS.keys()


def test_the_file_of_the_batches_is_named() -> None:
    assert f"`{BATCHES}`" in content(PAGE)
