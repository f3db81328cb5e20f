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
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from muffakir_eval.errors import PipelineOutputError
from muffakir_eval.matching.documents import chunk_from
from muffakir_eval.pipelines.shapes import (
    ANSWER_KEYS,
    CHUNK_KEYS,
    ID_KEYS,
    METADATA_KEYS,
    STREAMED,
    describe,
    first_key,
    get_part,
    is_list,
    is_message,
    joined_text,
    read_parts,
    remedy_for,
)
from muffakir_eval.pipelines.telemetry import (
    error_text,
    further_values,
    milliseconds,
    stage_timings,
    text_or_none,
    transformed_queries,
)
from muffakir_eval.records import PipelineOutput, RetrievedChunk
from muffakir_eval.text.identifiers import clean_id

__all__ = ["Translator"]

_MESSAGE_TEXT = ("content", "text", "response", "data", "answer")

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
                f"a retriever returned {describe(returned)}", "a list of chunks, empty where nothing was found"
            )
        return dataclasses.replace(output, answer=None)

    def _output(self, returned: Any) -> PipelineOutput:
        if isinstance(returned, PipelineOutput):
            return dataclasses.replace(returned, chunks=self._chunks(returned.chunks, "chunks"))
        if isinstance(returned, str):
            return PipelineOutput(answer=str.__str__(returned))
        if hasattr(type(returned), "_asdict"):  # a named tuple
            returned = returned._asdict()
        if isinstance(returned, tuple):
            pair = self._pair(returned)
            if pair is not None:
                return pair
        if is_list(returned):
            return PipelineOutput(chunks=self._chunks(returned, "what it returned"))
        fields = read_parts(returned)
        if fields is not None and any(key in fields for key in (*ANSWER_KEYS, *CHUNK_KEYS, *ID_KEYS, "error")):
            return self._from_fields(fields, returned)
        if is_message(returned):
            return PipelineOutput(answer=self._text(returned, "content"))
        raise self._error(f"it returned {describe(returned)}", _ACCEPTED, remedy_for(returned))

    def _pair(self, pair: tuple[Any, ...]) -> PipelineOutput | None:
        if len(pair) != 2 or all(part is None for part in pair):
            return None
        for answer, chunks in (pair, pair[::-1]):
            spoken = answer is None or isinstance(answer, str) or is_message(answer)
            if spoken and (chunks is None or is_list(chunks)):
                return PipelineOutput(
                    answer=self._text(answer, "the answer"), chunks=self._chunks(chunks, "the list of chunks")
                )
        return None

    def _from_fields(self, fields: Mapping[str, Any], returned: Any) -> PipelineOutput:
        answer_key = first_key(fields, ANSWER_KEYS)
        answer = None if answer_key is None else self._answer(fields[answer_key], answer_key)
        chunks = self._found_chunks(fields, answer_key)
        error = error_text(fields.get("error"))
        if answer is None and fields.get("response_gen") is not None and not self.retrieval:
            raise self._error(f"it returned {describe(returned)}, an answer that is still to come", "a text", STREAMED)
        if answer is None and chunks is None and error is None:
            raise self._error(
                f"it returned {describe(returned)}, in which neither an answer nor a list of chunks is set", _ACCEPTED
            )
        return PipelineOutput(
            answer=answer,
            chunks=chunks,
            pipeline_latency_ms=milliseconds(fields.get("pipeline_latency_ms")),
            stage_timings_ms=stage_timings(fields.get("stage_timings_ms")),
            transformed_query=transformed_queries(fields.get("transformed_query")),
            query_transform_strategy=text_or_none(fields.get("query_transform_strategy")),
            error=error,
            metadata=further_values(fields, answer_key, chunks),
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
            part = get_part(value, name)
            if isinstance(part, str):
                return str.__str__(part)
            if isinstance(part, list) and name == "content":
                return joined_text(part)
        raise self._error(f"{key!r} of what it returned is {describe(value)}", "a text, or null where there is none")

    def _found_chunks(self, fields: Mapping[str, Any], answer_key: str | None) -> tuple[RetrievedChunk, ...] | None:
        key = first_key(fields, CHUNK_KEYS)
        chunks = None if key is None else self._chunks(fields[key], key)
        if key is None and answer_key == "answers" and fields["answers"]:
            chunks = self._chunks(getattr(fields["answers"][0], "documents", None), "documents")
        id_key, metadata_key = first_key(fields, ID_KEYS), first_key(fields, METADATA_KEYS)
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
        if not is_list(values):
            raise self._error(f"{key!r} is {describe(values)}", "a list of chunks, in rank order")
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
        if not is_list(values):
            raise self._error(f"{key!r} is {describe(values)}", "a list of identifiers, in rank order")
        ids = [clean_id(value) for value in values]
        if chunks is None:
            if ids and not any(ids):
                raise self._error(f"{key!r} holds {len(ids)} times nothing, and there are no texts", "identifiers")
            return tuple(RetrievedChunk(chunk_id=chunk_id) for chunk_id in ids)
        self._check_aligned(len(chunks), len(ids), key)
        return tuple(
            chunk if chunk_id is None else dataclasses.replace(chunk, chunk_id=chunk_id)
            for chunk, chunk_id in zip(chunks, ids, strict=True)
        )

    def _with_metadata(self, chunks: tuple[RetrievedChunk, ...], values: Any, key: str) -> tuple[RetrievedChunk, ...]:
        if not is_list(values) or not all(value is None or isinstance(value, Mapping) for value in values):
            raise self._error(f"{key!r} is {describe(values)}", "a list of dicts, one per chunk")
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
    """``chunk`` with what the aligned metadata say of it; they win over an ``id`` that a framework made up."""
    return RetrievedChunk(
        text=chunk.text,
        chunk_id=chunk.chunk_id if told.chunk_id is None else told.chunk_id,
        source=chunk.source if told.source is None else told.source,
        score=chunk.score if told.score is None else told.score,
        metadata={**chunk.metadata, **told.metadata},
    )
