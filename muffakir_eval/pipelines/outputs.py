"""Whatever a pipeline returns, turned into a :class:`PipelineOutput`.

What is accepted:

* a text: the answer (``""`` is an empty answer);
* a list of chunks in rank order: texts, dicts, documents, ``(chunk, score)`` pairs. **A list of texts is
  a list of chunks, never a list of answers**;
* a pair ``(answer, chunks)``, in either order;
* a dict or an object with an answer (``answer``, ``response``, ``output``, ``result``, …), chunks
  (``retrieved_documents``, ``contexts``, ``source_nodes``, ``documents``, …) or both;
* a chat message (``.content``);
* a ``PipelineOutput``.

A missing list of chunks says that the pipeline does not tell what it retrieved; an empty one that it
found nothing. Everything else is a :class:`PipelineOutputError`: nothing is guessed.
"""

from __future__ import annotations

import dataclasses
import json
import math
import numbers
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from muffakir_eval.errors import PipelineOutputError
from muffakir_eval.matching.documents import chunk_from
from muffakir_eval.pipelines.settings import fields_of, plain
from muffakir_eval.records import PipelineOutput, RetrievedChunk
from muffakir_eval.text.identifiers import clean_id

__all__ = ["Translator"]

ANSWER_KEYS = (
    "answer",
    "response",
    "predicted_answer",
    "generated_answer",
    "output",
    "output_text",
    "result",
    "prediction",
    "reply",
    "answers",
    "replies",
)
CHUNK_KEYS = (
    "retrieved_documents",
    "retrieved_contexts",
    "retrieved_chunks",
    "source_documents",
    "source_nodes",
    "contexts",
    "context",
    "chunks",
    "documents",
    "docs",
    "nodes",
    "passages",
    "results",
    "hits",
    "matches",
)
ID_KEYS = ("retrieved_chunk_ids", "retrieved_ids", "chunk_ids")
METADATA_KEYS = ("source_metadata", "metadatas")
_TOLD = ("pipeline_latency_ms", "stage_timings_ms", "transformed_query", "query_transform_strategy", "error")
_ECHOES = ("question", "query", "user_input", "input", "k", "used_context")
_ATTRIBUTES = (*ANSWER_KEYS, *CHUNK_KEYS, *ID_KEYS, *METADATA_KEYS, *_TOLD, "metadata", "usage_metadata")
_MESSAGE_TEXT = ("content", "text", "response", "data", "answer")
_SMALL = 1_000
"""Longest JSON text of a further value that is kept beside the output."""

_ACCEPTED = (
    "an answer (text), a list of chunks, a pair (answer, chunks), or a dict or object with 'answer' and "
    "'retrieved_documents' (other common names are known too)"
)


@dataclass(frozen=True, slots=True)
class Translator:
    """Turns what one pipeline returns into outputs.

    Attributes:
        origin: The pipeline, as messages name it.
        retrieval: Only chunks are wanted: an answer is left out, and an output without chunks is an error.
    """

    origin: str
    retrieval: bool = False

    def __call__(self, returned: Any) -> PipelineOutput:
        """Translate one returned value.

        Raises:
            PipelineOutputError: It is neither an answer nor chunks.
        """
        output = self._output(returned)
        if not self.retrieval:
            return output
        if output.chunks is None and output.error is None:
            raise self._error(
                f"a retriever returned {_describe(returned)}", "a list of chunks, empty where nothing was found"
            )
        return dataclasses.replace(output, answer=None)

    def _output(self, returned: Any) -> PipelineOutput:
        if isinstance(returned, PipelineOutput):
            return dataclasses.replace(returned, chunks=self._chunks(returned.chunks, "chunks"))
        if isinstance(returned, str):
            return PipelineOutput(answer=str.__str__(returned))
        if isinstance(returned, tuple) and not hasattr(returned, "_fields"):
            pair = self._pair(returned)
            if pair is not None:
                return pair
        if _is_list(returned):
            return PipelineOutput(chunks=self._chunks(returned, "what it returned"))
        fields = _read(returned)
        if fields is not None and any(key in fields for key in (*ANSWER_KEYS, *CHUNK_KEYS, *ID_KEYS, "error")):
            return self._from_fields(fields, returned)
        if _is_message(returned):
            return PipelineOutput(answer=self._text(returned, "content"))
        raise self._error(f"it returned {_describe(returned)}", _ACCEPTED, _remedy(returned))

    def _pair(self, pair: tuple[Any, ...]) -> PipelineOutput | None:
        if len(pair) != 2 or all(part is None for part in pair):
            return None
        for answer, chunks in (pair, pair[::-1]):
            spoken = answer is None or isinstance(answer, str) or _is_message(answer)
            if spoken and (chunks is None or _is_list(chunks)):
                return PipelineOutput(
                    answer=self._text(answer, "the answer"), chunks=self._chunks(chunks, "the list of chunks")
                )
        return None

    def _from_fields(self, fields: Mapping[str, Any], returned: Any) -> PipelineOutput:
        answer_key = _first(fields, ANSWER_KEYS)
        answer = None if answer_key is None else self._answer(fields[answer_key], answer_key)
        chunks = self._found_chunks(fields, answer_key)
        error = _error_text(fields.get("error"))
        if answer is None and chunks is None and error is None:
            raise self._error(
                f"it returned {_describe(returned)}, in which neither an answer nor a list of chunks is set", _ACCEPTED
            )
        return PipelineOutput(
            answer=answer,
            chunks=chunks,
            pipeline_latency_ms=_milliseconds(fields.get("pipeline_latency_ms")),
            stage_timings_ms=_timings(fields.get("stage_timings_ms")),
            transformed_query=_queries(fields.get("transformed_query")),
            query_transform_strategy=_text_or_none(fields.get("query_transform_strategy")),
            error=error,
            metadata=_further(fields, answer_key, chunks),
        )

    def _answer(self, value: Any, key: str) -> str | None:
        if key in {"answers", "replies"} and isinstance(value, (list, tuple)):
            return self._text(value[0], f"{key}[0]") if value else ""  # asked, and nothing was said
        return self._text(value, key)

    def _text(self, value: Any, key: str) -> str | None:
        if value is None:
            return None
        if isinstance(value, str):
            return str.__str__(value)
        for name in _MESSAGE_TEXT:
            part = _get(value, name)
            if isinstance(part, str):
                return str.__str__(part)
            if isinstance(part, list) and name == "content":
                return _joined(part)
        raise self._error(f"{key!r} of what it returned is {_describe(value)}", "a text, or null where there is none")

    def _found_chunks(self, fields: Mapping[str, Any], answer_key: str | None) -> tuple[RetrievedChunk, ...] | None:
        key = _first(fields, CHUNK_KEYS)
        chunks = None if key is None else self._chunks(fields[key], key)
        if key is None and answer_key == "answers" and fields["answers"]:
            chunks = self._chunks(getattr(fields["answers"][0], "documents", None), "documents")
        id_key, metadata_key = _first(fields, ID_KEYS), _first(fields, METADATA_KEYS)
        if id_key is not None and fields[id_key] is not None:
            chunks = self._with_ids(chunks, fields[id_key], id_key)
        if metadata_key is not None and fields[metadata_key] and chunks is not None:
            chunks = self._with_metadata(chunks, fields[metadata_key], metadata_key)
        return chunks

    def _chunks(self, values: Any, key: str) -> tuple[RetrievedChunk, ...] | None:
        if values is None:
            return None
        if isinstance(values, str) and key == "context":
            values = [values] if values else []
        if not _is_list(values):
            raise self._error(f"{key!r} is {_describe(values)}", "a list of chunks, in rank order")
        return tuple(self._chunk(value, rank) for rank, value in enumerate(values, start=1))

    def _chunk(self, value: Any, rank: int) -> RetrievedChunk:
        try:
            return chunk_from(value)
        except PipelineOutputError as error:
            raise PipelineOutputError(
                error.found,
                where=f"{self.origin}, chunk at rank {rank}",
                expected=error.expected,
                remedy=error.remedy,
            ) from None

    def _with_ids(self, chunks: tuple[RetrievedChunk, ...] | None, values: Any, key: str) -> tuple[RetrievedChunk, ...]:
        if not _is_list(values):
            raise self._error(f"{key!r} is {_describe(values)}", "a list of identifiers, in rank order")
        ids = [clean_id(value) for value in values]
        if chunks is None:
            return tuple(RetrievedChunk(chunk_id=chunk_id) for chunk_id in ids)
        self._check_aligned(len(chunks), len(ids), key)
        return tuple(
            chunk if chunk.chunk_id is not None else dataclasses.replace(chunk, chunk_id=chunk_id)
            for chunk, chunk_id in zip(chunks, ids, strict=True)
        )

    def _with_metadata(self, chunks: tuple[RetrievedChunk, ...], values: Any, key: str) -> tuple[RetrievedChunk, ...]:
        if not _is_list(values) or not all(value is None or isinstance(value, Mapping) for value in values):
            raise self._error(f"{key!r} is {_describe(values)}", "a list of dicts, one per chunk")
        self._check_aligned(len(chunks), len(values), key)
        return tuple(
            _merged(chunk, self._chunk({"page_content": chunk.text, "metadata": dict(value or {})}, rank))
            for rank, (chunk, value) in enumerate(zip(chunks, values, strict=True), start=1)
        )

    def _check_aligned(self, chunks: int, others: int, key: str) -> None:
        if chunks != others:
            raise self._error(f"it returned {chunks} chunks but {others} entries in {key!r}", "one entry per chunk")

    def _error(self, found: str, expected: str, remedy: str | None = None) -> PipelineOutputError:
        return PipelineOutputError(found, where=self.origin, expected=expected, remedy=remedy)


def _merged(chunk: RetrievedChunk, told: RetrievedChunk) -> RetrievedChunk:
    """``chunk``, completed by what the aligned metadata tell; what it says itself stands."""
    return RetrievedChunk(
        text=chunk.text,
        chunk_id=chunk.chunk_id if chunk.chunk_id is not None else told.chunk_id,
        source=chunk.source if chunk.source is not None else told.source,
        score=chunk.score if chunk.score is not None else told.score,
        metadata={**told.metadata, **chunk.metadata},
    )


def _is_list(value: Any) -> bool:
    """A sequence of things in order: a list, a tuple, or an array that turns into one."""
    return isinstance(value, (list, tuple)) or (getattr(value, "ndim", None) == 1 and hasattr(value, "tolist"))


def _is_message(value: Any) -> bool:
    """A chat message, and not a document, which may call its text ``content`` as well."""
    if _has(value, "role"):
        return any(isinstance(_get(value, name), (str, list)) for name in ("content", "text"))
    if isinstance(value, Mapping) or any(hasattr(value, name) for name in ("page_content", "meta", "node_id")):
        return False
    return isinstance(getattr(value, "content", None), (str, list))


def _has(value: Any, name: str) -> bool:
    return name in value if isinstance(value, Mapping) else hasattr(value, name)


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _joined(blocks: list[Any]) -> str:
    """The text of a message that comes in blocks; images, tool calls and thoughts are no text."""
    parts = [block.get("text") if isinstance(block, Mapping) else block for block in blocks]
    return "".join(part for part in parts if isinstance(part, str))


def _read(returned: Any) -> dict[str, Any] | None:
    """The named parts of a dict or object."""
    if isinstance(returned, Mapping):
        return {str(key): value for key, value in returned.items()}
    if isinstance(returned, (numbers.Number, bytes, bytearray, AbstractSet, Iterator, type)) or returned is None:
        return None
    parts = dict(fields_of(returned) or ())
    for name in _ATTRIBUTES:
        value = getattr(returned, name, parts)
        if value is not parts and not callable(value):
            parts.setdefault(name, value)
    return parts


def _first(fields: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    """The first of ``keys`` that is set; else the first that is there at all."""
    there = [key for key in keys if key in fields]
    return next((key for key in there if fields[key] is not None), there[0] if there else None)


def _error_text(error: Any) -> str | None:
    if isinstance(error, BaseException):
        return f"{type(error).__name__}: {error}"
    if not error:
        return None
    return (
        error
        if isinstance(error, str)
        else f"the pipeline reports an error: {json.dumps(plain(error), ensure_ascii=False)}"
    )


def _milliseconds(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    number = float(value)
    return number if math.isfinite(number) and number >= 0 else None


def _timings(value: Any) -> dict[str, float | None]:
    """The stages and their milliseconds; ``None`` for one that did not run or tells no number."""
    return {str(stage): _milliseconds(time) for stage, time in value.items()} if isinstance(value, Mapping) else {}


def _queries(value: Any) -> str | tuple[str, ...] | None:
    if isinstance(value, (list, tuple)):
        return tuple(query for query in value if isinstance(query, str))
    return _text_or_none(value)


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _further(
    fields: Mapping[str, Any], answer_key: str | None, chunks: tuple[RetrievedChunk, ...] | None
) -> dict[str, Any]:
    """Small plain values that came along, such as a cost; secrets masked."""
    known = {answer_key, *CHUNK_KEYS, *ID_KEYS, *METADATA_KEYS, *_TOLD, *_ECHOES}
    kept = {}
    for key, value in fields.items():
        if key in known or not isinstance(value, (str, bool, numbers.Real, list, tuple, Mapping)):
            continue
        shown = plain({key: value})[key]
        if len(json.dumps(shown)) <= _SMALL:
            kept[key] = shown
    if not chunks and isinstance(fields.get("used_context"), str):
        kept["used_context"] = fields["used_context"]  # a web search, say: the only trace of what the answer stands on
    return kept


def _describe(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, Mapping):
        keys = ", ".join(repr(str(key)) for key in list(value)[:8])
        return f"a dict with the keys {keys}" if keys else "an empty dict"
    if isinstance(value, numbers.Number):
        return f"{value!r} ({type(value).__name__})"
    if isinstance(value, str):
        return "a text"
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _remedy(value: Any) -> str | None:
    if isinstance(value, Iterator) or hasattr(value, "__anext__"):
        return "join the pieces of a streamed answer to one text, or make a list of the chunks"
    if isinstance(value, AbstractSet):
        return "return a list: the order of the chunks is their rank"
    if isinstance(value, tuple):
        return "return a list of (chunk, score) pairs, also where there is only one"
    if any(_has(value, name) for name in ("page_content", "text", "content")):
        return "return a list of chunks, also where there is only one"
    return None
