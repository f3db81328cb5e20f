"""SQuAD documents: articles with paragraphs with questions.

One row per question: the paragraph is its gold context, the texts of ``answers`` are its accepted
answers (each once; the offsets, which are wrong in some public files, are not needed), ``is_impossible``
says whether it can be answered. The article's title and whatever else a question has go into the metadata.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from muffakir_eval.datasets.cells.text import shown
from muffakir_eval.datasets.columns.automatic import question_columns
from muffakir_eval.datasets.tables import RawRow
from muffakir_eval.errors import DatasetFormatError

__all__ = ["articles_of", "squad_rows"]

_REMEDY = 'compare it with SQuAD: {"data": [{"paragraphs": [{"context": "…", "qas": [{"question": "…"}]}]}]}'


def articles_of(value: Any) -> list[Any] | None:
    """The articles of a SQuAD document, ``None`` where it is none."""
    if isinstance(value, Mapping):
        data = value.get("data")
        found = data if isinstance(data, list) else [value]
    else:
        found = value if isinstance(value, list) else []
    return found if found and all(map(_is_article, found)) else None


def _is_article(item: Any) -> bool:
    """It has paragraphs, and is no sample whose passages are called so."""
    return isinstance(item, Mapping) and "paragraphs" in item and not question_columns([str(key) for key in item])


def squad_rows(articles: Sequence[Mapping[str, Any]], source: str) -> Iterator[RawRow]:
    """One row per question, numbered from 1 over the whole document.

    Raises:
        DatasetFormatError: An article is not built as in SQuAD; the message names the place.
    """
    number = 0
    for index, article in enumerate(articles):
        place = f"data[{index}]"
        for at, paragraph in enumerate(_list(article, "paragraphs", place, source)):
            inner = f"{place}.paragraphs[{at}]"
            for position, entry in enumerate(_list(paragraph, "qas", inner, source)):
                if not isinstance(entry, Mapping):
                    raise _malformed(f"{inner}.qas[{position}]", entry, "an object", source)
                number += 1
                row = dict(entry)
                row["context"] = paragraph.get("context")
                if "title" in article:
                    row.setdefault("title", article["title"])
                yield number, 0, row


def _list(holder: Any, key: str, place: str, source: str) -> list[Any]:
    if not isinstance(holder, Mapping):
        raise _malformed(place, holder, "an object", source)
    found = holder.get(key)
    if not isinstance(found, list):
        raise _malformed(f"{place}.{key}", found, "a list", source)
    return found


def _malformed(place: str, found: object, expected: str, source: str) -> DatasetFormatError:
    return DatasetFormatError(
        f"{place} is {shown(found)}", where=source, expected=f"{expected}, as in SQuAD", remedy=_REMEDY
    )
