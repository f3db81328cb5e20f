"""The passages of a BEIR folder."""

from __future__ import annotations

from pathlib import Path

from muffakir_eval.datasets.beir.files import corpus_file
from muffakir_eval.datasets.beir.texts import document_text, read_texts, repeated_id
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.records import RetrievedChunk
from muffakir_eval.text.identifiers import clean_id

__all__ = ["beir_passages"]


def beir_passages(folder: Path, findings: Findings) -> list[RetrievedChunk] | None:
    """The documents in the ``corpus.jsonl`` of a folder, in its order; ``None`` where there is none.

    A document with neither text nor title stays: nothing finds it, and it keeps its identifier.

    Raises:
        DatasetRowError: A line is malformed, or an identifier stands twice; names file and line.
        DatasetFormatError: The file cannot be read.
    """
    file = corpus_file(folder, findings)
    if file is None:
        return None
    passages: dict[str, RetrievedChunk] = {}
    for row in read_texts(file, findings, titled=True):
        identifier = clean_id(row.identifier) or ""
        if identifier in passages:
            raise repeated_id(file, row)
        metadata = row.metadata()
        source = metadata.get("source")
        passages[identifier] = RetrievedChunk(
            text=document_text(row.title, row.text),
            chunk_id=identifier or None,
            source=source if isinstance(source, str) else None,
            metadata=metadata,
        )
    return list(passages.values())
