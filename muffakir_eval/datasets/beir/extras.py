"""What a question set knows and BEIR has no place for, kept in ``queries.jsonl``.

A line of ``queries.jsonl`` may carry an object under the key ``muffakir_eval``: accepted answers, whether the
question can be answered, documents, alternatives, recorded outputs. Other tools pass it by. It also says
which document of the corpus stands for which gold, so that the way back knows golds that had no identifier;
where the judgements were changed since, they count and not that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from muffakir_eval.datasets.beir.texts import KEY
from muffakir_eval.datasets.cells.text import CellError
from muffakir_eval.records import Sample
from muffakir_eval.records.codec import decode_sample, encode
from muffakir_eval.text.identifiers import clean_id

__all__ = ["extras_of", "judged_by", "with_extras"]

_DOCUMENTS = "documents"
_GOLD = ("contexts", "chunk_ids", "groups", "grades", "gold_sources")
_ELSEWHERE = frozenset({"sample_id", "row", "question", "metadata"})


def extras_of(sample: Sample, documents: Sequence[str], plain: Mapping[str, Any]) -> dict[str, Any]:
    """What the plain reading of a folder would not know of ``sample``.

    Args:
        sample: As it was.
        documents: The document of the corpus that stands for each of its golds.
        plain: The gold fields as they are read from judgements and corpus.
    """
    found = encode(sample, without=_ELSEWHERE)
    if all(tuple(plain.get(name, ())) == tuple(getattr(sample, name)) for name in _GOLD):
        return {name: value for name, value in found.items() if name not in _GOLD}
    return {**found, _DOCUMENTS: list(documents)} if documents else found


def judged_by(sample: Sample, documents: Sequence[str]) -> dict[str, float]:
    """The judgements that say what the golds of ``sample`` say; of several grades of a document the highest."""
    groups = sample.groups or tuple((position,) for position in range(len(documents)))
    grades: dict[str, float] = {}
    for index, group in enumerate(groups):
        grade = sample.grades[index] if sample.grades else 1.0
        for position in group:
            document = documents[position]
            if document:
                grades[document] = max(grade, grades.get(document, grade))
    return grades


def with_extras(
    sample: Sample, extras: Any, judged: Mapping[str, float], texts: Mapping[str, str], *, original: bool
) -> Sample:
    """``sample`` as judgements and corpus tell it, with what its line adds.

    Args:
        sample: By the plain reading.
        extras: What the line holds under :data:`KEY`.
        judged: The judgements of the query.
        texts: Texts of documents by identifier.
        original: Make the golds what they were before the conversion; without it each has the identifier of
            its document.

    Raises:
        CellError: It was not written by this package, or was damaged.
    """
    try:
        found = dict(extras)
        documents = [str(name) for name in found.pop(_DOCUMENTS, ())]
        told = decode_sample({**found, "sample_id": sample.sample_id, "question": sample.question, "row": sample.row})
        kept = {name: getattr(told, name) for name in ("answers", "answerable", "source_file", "recorded")}
        if not documents or judged_by(told, documents) != judged:
            return replace(sample, **kept)
        golds = {name: getattr(told, name) for name in _GOLD}
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        raise CellError(
            f"what stands under {KEY!r} cannot be read ({error})",
            remedy=f"take {KEY!r} out of the line, or convert again",
        ) from None
    if not original:
        golds["chunk_ids"] = tuple(clean_id(name) or "" for name in documents)
        if not told.contexts:
            golds["contexts"] = sample.contexts and tuple(texts.get(name, "") for name in golds["chunk_ids"])
    return replace(sample, **kept, **golds)
