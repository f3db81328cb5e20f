r"""Records to plain JSON values and back.

Writing leaves out fields that hold their default, so that a line of ``records.jsonl`` says only what
is known; reading puts the defaults back. ``decode_x(encode_x(x)) == x`` for every text, lone
surrogates included (they travel as ``\uXXXX`` escapes).
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Container, Mapping
from functools import cache
from typing import Any, TypeVar

from muffakir_eval.records.results import ChunkMatch, Refusal, SampleResult
from muffakir_eval.records.samples import PipelineOutput, RetrievedChunk, Sample
from muffakir_eval.records.scores import Score

__all__ = [
    "content_key",
    "decode_match",
    "decode_output",
    "decode_result",
    "decode_sample",
    "decode_score",
    "encode",
    "json_value",
    "strict_json",
]

R = TypeVar("R")


def json_value(value: Any) -> Any:
    """``value`` as something that strict JSON can hold.

    Mappings and sequences are walked; NaN and infinities become ``None``; whatever JSON has no
    form for becomes its text.

    >>> json_value({1: (float("nan"), {"a"})})
    {'1': [None, ['a']]}
    """
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return encode(value)
    if isinstance(value, (dict, Mapping)):  # asking for a dict is much faster
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((json_value(item) for item in value), key=str)
    item = getattr(value, "item", None)  # numpy scalars
    if callable(item) and getattr(value, "ndim", None) == 0:
        return json_value(item())
    tolist = getattr(value, "tolist", None)  # numpy arrays
    if callable(tolist):
        return json_value(tolist())
    return str(value)


def strict_json(value: Any, *, indent: int | None = None) -> str:
    """JSON text that every strict parser accepts; NaN and infinities are an error.

    Arabic stays readable; only lone surrogates are escaped, since UTF-8 cannot hold them.

    Raises:
        ValueError: ``value`` holds NaN or an infinity.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join(f"\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text


def encode(record: object, *, without: Container[str] = ()) -> dict[str, Any]:
    """A record as a JSON object, without the fields that hold their default or are named by ``without``."""
    encoded: dict[str, Any] = {}
    kind: Any = type(record)
    for name, default in _fields(kind):
        if name in without:
            continue
        value = getattr(record, name)
        if value is None or (not value and isinstance(value, (tuple, dict, Mapping))):
            if name == "chunks" and value is not None:
                encoded["chunks"] = []  # an empty result is not an unknown one
        elif type(value) is not type(default) or value != default:
            encoded[name] = json_value(value)
    return encoded


@cache
def _fields(record: Any) -> tuple[tuple[str, Any], ...]:
    """Names and defaults of the fields; a field without a default gets an object equal to nothing."""
    return tuple((field.name, field.default) for field in dataclasses.fields(record))


_TYPES: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "str | None": (str, type(None)),
    "int": (int,),
    "bool": (bool,),
    "bool | None": (bool, type(None)),
    "float": (int, float),
    "float | None": (int, float, type(None)),
    "Mapping[str, Any]": (Mapping,),
    "Mapping[str, float | None]": (Mapping,),
}


@cache
def _plain_fields(record: Any) -> Mapping[str, tuple[type, ...]]:
    """What the fields of a record that hold plain values may be."""
    return {field.name: _TYPES[str(field.type)] for field in dataclasses.fields(record) if str(field.type) in _TYPES}


def _made(record: type[R], fields: Mapping[str, Any]) -> R:
    """The record of these fields.

    Raises:
        TypeError: A field is unknown, or holds what it cannot hold.
    """
    kind: Any = record
    for name, kinds in _plain_fields(kind).items():
        if name in fields and not isinstance(fields[name], kinds):
            raise TypeError(f"{record.__name__}.{name} is {type(fields[name]).__name__}")
    return record(**fields)


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(value or ())


def decode_chunk(data: Mapping[str, Any]) -> RetrievedChunk:
    """The chunk that :func:`encode` wrote."""
    return _made(RetrievedChunk, data)


def decode_output(data: Mapping[str, Any]) -> PipelineOutput:
    """The output that :func:`encode` wrote."""
    fields = dict(data)
    if fields.get("chunks") is not None:
        fields["chunks"] = tuple(decode_chunk(chunk) for chunk in fields["chunks"])
    if isinstance(fields.get("transformed_query"), list):
        fields["transformed_query"] = tuple(fields["transformed_query"])
    return _made(PipelineOutput, fields)


def decode_sample(data: Mapping[str, Any]) -> Sample:
    """The sample that :func:`encode` wrote."""
    fields = dict(data)
    for name in ("answers", "contexts", "chunk_ids", "grades", "gold_sources"):
        fields[name] = _texts(fields.get(name))
    fields["groups"] = tuple(tuple(group) for group in fields.get("groups") or ())
    if fields.get("recorded") is not None:
        fields["recorded"] = decode_output(fields["recorded"])
    return _made(Sample, fields)


def decode_match(data: Mapping[str, Any]) -> ChunkMatch:
    """The match that :func:`encode` wrote."""
    fields = dict(data)
    fields["gold_indices"] = tuple(fields.get("gold_indices") or ())
    return _made(ChunkMatch, fields)


def decode_score(data: Mapping[str, Any]) -> Score:
    """The score that :func:`encode` wrote."""
    return _made(Score, {"value": None, **data})


def decode_result(data: Mapping[str, Any]) -> SampleResult:
    """The result that :func:`encode` wrote; its sample and output may be records already."""
    fields = dict(data)
    if not isinstance(fields["sample"], Sample):
        fields["sample"] = decode_sample(fields["sample"])
    if not isinstance(fields["output"], PipelineOutput):
        fields["output"] = decode_output(fields["output"])
    fields["matches"] = tuple(decode_match(match) for match in fields.get("matches") or ())
    fields["scores"] = {name: decode_score(score) for name, score in (fields.get("scores") or {}).items()}
    if fields.get("refusal") is not None:
        refusal = dict(fields["refusal"])
        refusal["span"] = tuple(refusal["span"])
        fields["refusal"] = _made(Refusal, refusal)
    return _made(SampleResult, fields)


def content_key(sample: Sample) -> str:
    """A key of everything in ``sample`` that a result can depend on: not its place or its name.

    >>> first = Sample(sample_id="1", row=2, question="س")
    >>> content_key(first) == content_key(dataclasses.replace(first, sample_id="9", row=10))
    True
    """
    content = encode(sample, without={"sample_id", "row"})
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()[:24]
