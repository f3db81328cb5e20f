"""Schemas within what every provider takes."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from muffakir_eval.judges.reply_schema import in_words, schema_name, strict_schema


class Claim(BaseModel):
    number: int
    verdict: Literal["yes", "no"] = "no"


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


class Claims(BaseModel):
    claims: list[Claim] = Field(description="each one", min_length=1)
    first: Claim = Field(description="the first")
    rating: Annotated[int, Field(ge=1, le=5, description="how good")] = 1
    note: str | None = None
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]
    free: dict[str, int] = Field(default_factory=dict)


def objects(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [found for item in schema for found in objects(item)]
    if not isinstance(schema, dict):
        return []
    return [*([schema] if "properties" in schema else []), *(o for item in schema.values() for o in objects(item))]


def test_every_object_is_closed_and_complete() -> None:
    found = objects(strict_schema(Claims))
    assert len(found) == 4
    for schema in found:
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])


def test_nothing_is_left_that_a_provider_refuses() -> None:
    text = json.dumps(strict_schema(Claims))
    for word in ("default", "title", "minimum", "minItems", "oneOf", "discriminator"):
        assert f'"{word}"' not in text
    schema = strict_schema(Claims)
    assert schema["properties"]["rating"]["description"] == "how good (minimum: 1, maximum: 5)"
    assert schema["properties"]["first"] == {"$ref": "#/$defs/Claim"}
    assert schema["properties"]["note"]["anyOf"] == [{"type": "string"}, {"type": "null"}]
    assert schema["properties"]["pet"]["anyOf"] == [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]
    assert "additionalProperties" not in schema["properties"]["free"]


def test_the_words_hold_the_schema() -> None:
    assert json.loads(in_words(Claim).partition("schema: ")[2]) == strict_schema(Claim)


@pytest.mark.parametrize(
    ("given", "name"), [("Reply", "Reply"), ("حكم", "___"), ("a" * 70, "a" * 64), ("R[int]", "R_int_")]
)
def test_names(given: str, name: str) -> None:
    assert schema_name(type(given, (BaseModel,), {})) == name
