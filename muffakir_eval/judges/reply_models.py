"""What a judge must reply, metric by metric.

Keys and verdict codes are the same in every language; only the words of a reason are Arabic or
English. Further keys are tolerated, missing and malformed ones are not. The reason comes before the
verdict, so that a model weighs before it decides. The JSON schemas are strict: every key is required
and no other is allowed.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Annotated, Any, ClassVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    WithJsonSchema,
    create_model,
    field_validator,
    model_validator,
)

from muffakir_eval.judges.reply_values import (
    ItemNumber,
    OptionalItemNumber,
    Text,
    UnitScore,
    VerdictWord,
    YesNo,
    rating_reader,
    read_number,
)
from muffakir_eval.text.normalize import normalize_text

__all__ = [
    "AmountReply",
    "AttributionReply",
    "ClaimsReply",
    "GroundedReply",
    "ItemsReply",
    "NumberedAttribution",
    "NumberedClaim",
    "NumberedItem",
    "NumberedReply",
    "NumberedStatement",
    "NumberedVerdict",
    "RatingReply",
    "RefusalReply",
    "Reply",
    "ScoreReply",
    "StatementsReply",
    "WholeScoreReply",
    "amount_reply",
    "rating_reply",
]


_NOTHING = frozenset(map(normalize_text, ("", "none", "n/a", "nothing", "لا يوجد", "لا توجد", "لا شيء")))


def _strict_schema(schema: dict[str, Any]) -> None:
    """As both providers want it: all keys required, none besides, no defaults."""
    properties: dict[str, dict[str, Any]] = schema["properties"]
    for entry in properties.values():
        entry.pop("default", None)
        entry.pop("title", None)
    schema["required"] = list(properties)
    schema["additionalProperties"] = False
    schema.pop("description", None)


class _Object(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", json_schema_extra=_strict_schema)


class Reply(_Object):
    """What a judge replies about a whole answer."""

    bare_field: ClassVar[str | None] = None
    """The field that a reply of a label and a value alone fills."""

    reason: Text = ""
    """Why, in the language of the run."""


class GroundedReply(Reply):
    """Whether every claim of an answer is grounded, and which are not."""

    bare_field: ClassVar[str | None] = "verdict"

    unsupported: tuple[Text, ...] = ()
    verdict: YesNo

    @field_validator("unsupported")
    @classmethod
    def _without_words_for_nothing(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(claim for claim in value if normalize_text(claim).strip(" .()-") not in _NOTHING)

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> GroundedReply:
        if self.verdict == "yes" and self.unsupported:
            raise ValueError("the verdict is yes, and yet unsupported claims are listed")
        return self


class RefusalReply(Reply):
    """Whether an answer declines to answer, and in which words."""

    bare_field: ClassVar[str | None] = "verdict"

    quote: Text = ""
    verdict: YesNo


class ScoreReply(Reply):
    """A score from 0 to 1."""

    bare_field: ClassVar[str | None] = "score"

    score: UnitScore


class NumberedItem(_Object):
    """What a judge says about one of several numbered items."""

    number: ItemNumber
    reason: Text = ""


class NumberedVerdict(NumberedItem):
    """Yes or no about the item of that number."""

    verdict: YesNo


class NumberedClaim(NumberedItem):
    """Whether the statement of that number is supported, and by which chunks; ``none`` where it claims nothing."""

    chunks: tuple[ItemNumber, ...] = ()
    verdict: VerdictWord

    @model_validator(mode="after")
    def _names_its_evidence(self) -> NumberedClaim:
        if self.verdict == "yes" and not self.chunks:
            raise ValueError(f"statement {self.number} is supported, and no chunk is named")
        return self


class NumberedStatement(NumberedItem):
    """Whether the statement of that number addresses the question; ``none`` where it says nothing."""

    verdict: VerdictWord


class NumberedAttribution(NumberedItem):
    """Whether the statement of that number can be attributed to a chunk, and to which."""

    chunk: OptionalItemNumber = None
    verdict: YesNo

    @model_validator(mode="after")
    def _names_its_chunk(self) -> NumberedAttribution:
        if self.verdict == "yes" and self.chunk is None:
            raise ValueError(f"statement {self.number} is attributable, and no chunk is named")
        return self


class NumberedReply(_Object):
    """One verdict per item; each carries the number of its item and stands once."""

    verdicts: tuple[NumberedItem, ...]

    @model_validator(mode="after")
    def _each_number_once(self) -> NumberedReply:
        twice = [number for number, count in Counter(item.number for item in self.verdicts).items() if count > 1]
        if twice:
            raise ValueError(f"more than one verdict for number {', '.join(map(str, twice[:5]))}")
        return self


class ItemsReply(NumberedReply):
    """One yes or no per item."""

    verdicts: tuple[NumberedVerdict, ...]


class ClaimsReply(NumberedReply):
    """One verdict per statement, with the chunks that support it."""

    verdicts: tuple[NumberedClaim, ...]


class StatementsReply(NumberedReply):
    """One verdict per statement."""

    verdicts: tuple[NumberedStatement, ...]


class AttributionReply(NumberedReply):
    """One verdict per statement, with the chunk that it can be attributed to."""

    verdicts: tuple[NumberedAttribution, ...]


class WholeScoreReply(Reply):
    """A whole number on some scale."""

    bare_field: ClassVar[str | None] = "score"

    score: int


class AmountReply(Reply):
    """A number on some scale."""

    bare_field: ClassVar[str | None] = "score"

    score: float


@cache
def rating_reply(low: int, high: int) -> type[WholeScoreReply]:
    """A reply with a whole number from ``low`` to ``high`` as ``score``.

    >>> rating_reply(1, 5).model_validate({"reason": "", "score": "٤/٥"}).score
    4
    """
    values = list(range(low, high + 1))
    kind = Annotated[
        int, BeforeValidator(rating_reader(low, high)), WithJsonSchema({"type": "integer", "enum": values})
    ]
    return create_model("RatingReply", __base__=WholeScoreReply, __module__=__name__, score=(kind, ...))


@cache
def amount_reply(low: float, high: float) -> type[AmountReply]:
    """A reply with a number from ``low`` to ``high`` as ``score``.

    >>> amount_reply(0, 10).model_validate({"reason": "", "score": 7.5}).score
    7.5
    """
    kind = Annotated[
        float, BeforeValidator(lambda value: float(read_number(value, low, high))), WithJsonSchema({"type": "number"})
    ]
    return create_model("AmountReply", __base__=AmountReply, __module__=__name__, score=(kind, ...))


RatingReply = rating_reply(1, 5)
"""A rating from 1 to 5."""
