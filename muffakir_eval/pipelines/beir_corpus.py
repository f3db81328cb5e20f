"""The passages of a BEIR folder."""

from __future__ import annotations

from pathlib import Path

from muffakir_eval.datasets.beir.files import corpus_file
from muffakir_eval.datasets.beir.texts import TextRow, document_text, read_texts, repeated_id
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.pipelines.corpus_rows import Passage
from muffakir_eval.records import RetrievedChunk
from muffakir_eval.text.identifiers import clean_id

__all__ = ["beir_passage", "beir_passages"]


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
        passage = beir_passage(row)
        identifier = passage.chunk_id or ""
        if identifier in passages:
            raise repeated_id(file, row)
        passages[identifier] = passage.chunk()
    return list(passages.values())


def beir_passage(row: TextRow) -> Passage:
    """The document in a line of ``corpus.jsonl``."""
    metadata = row.metadata()
    source = metadata.get("source")
    return Passage(
        text=document_text(row.title, row.text),
        chunk_id=clean_id(row.identifier),
        source=source if isinstance(source, str) else None,
        metadata=metadata,
    )
