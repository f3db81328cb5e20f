"""Which column of a corpus is the passage, its identifier, its document and its title."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from muffakir_eval.datasets.columns.aliases import fold_name
from muffakir_eval.datasets.columns.mapping import MappingOptions, question_names
from muffakir_eval.datasets.tables import RawTable
from muffakir_eval.errors import DatasetColumnError

__all__ = ["PassageColumns", "text_columns"]

TEXT_NAMES = (
    (
        "text",
        "content",
        "page_content",
        "passage",
        "passage_text",
        "chunk_text",
        "body",
        "النص",
        "نص",
        "المحتوى",
        "نص_المقطع",
    ),
    ("chunk", "document", "paragraph", "original_text", "المقطع", "الفقرة"),
    ("context", "contexts", "السياق"),
)
"""Names of the passage in tiers: the first tier with a column in the file wins, and two columns of one
tier are an error, since either may be meant. The last tier is how question sets call it."""

ID_NAMES = (
    "chunk_id",
    "passage_id",
    "pid",
    "id",
    "docid",
    "doc_id",
    "document_id",
    "article_id",
    "context_id",
    "معرف_المقطع",
    "رقم_المقطع",
    "المعرف",
    "معرف",
    "الرقم",
    "رقم",
    "#",
)
"""Names of the identifier; the first that is there counts, that of a passage before that of a document."""

SOURCE_NAMES = (
    "source",
    "source_file",
    "file_name",
    "file",
    "file_path",
    "المصدر",
    "اسم_الملف",
    "الملف",
    "المستند",
    "الوثيقة",
)
TITLE_NAMES = ("title", "العنوان", "عنوان")
METADATA_NAMES = ("metadata", "meta")


def text_columns(columns: Sequence[str], text_column: str | None = None) -> list[str]:
    """The columns that may hold the passage: those of the first tier that has any."""
    if text_column is not None:
        return [text_column] if text_column in columns else []
    tiers = ([column for column in columns if fold_name(column) in _folded(names)] for names in TEXT_NAMES)
    return next((found for found in tiers if found), [])


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageColumns:
    """What the columns of a corpus are; ``None`` for what it has no column for."""

    text: str
    chunk_id: str | None
    source: str | None
    title: str | None
    metadata: str | None

    @property
    def read(self) -> frozenset[str]:
        """All that are not left to the metadata."""
        found = (self.text, self.chunk_id, self.source, self.title, self.metadata)
        return frozenset(column for column in found if column is not None)

    def extended(self, columns: Sequence[str]) -> PassageColumns:
        """These, and what further columns are that turned up later; what was chosen stays."""
        rest = [column for column in columns if column not in self.read]
        return replace(
            self,
            chunk_id=self.chunk_id or _first(ID_NAMES, rest),
            source=self.source or _first(SOURCE_NAMES, rest),
            title=self.title or _first(TITLE_NAMES, rest),
            metadata=self.metadata or _first(METADATA_NAMES, rest),
        )

    @classmethod
    def chosen(
        cls, columns: Sequence[str], table: RawTable, text_column: str | None, id_column: str | None
    ) -> PassageColumns:
        """Choose by name, unless the user did.

        Raises:
            DatasetColumnError: No column is the passage, several could be, or the one that the user
                named is not there.
        """
        for option, name in (("text_column", text_column), ("id_column", id_column)):
            if name is not None and name not in columns:
                near = difflib.get_close_matches(name, columns, n=1)
                raise DatasetColumnError(
                    f"{option} names {name!r}, and there is no such column",
                    where=table.source,
                    remedy=f"did you mean {near[0]!r}?" if near else f"the columns are {_listed(columns)}",
                )
        text = _the_text(columns, table, text_column)
        rest = [column for column in columns if column != text]
        return cls(
            text=text,
            chunk_id=id_column or _first(ID_NAMES, rest),
            source=_first(SOURCE_NAMES, rest),
            title=_first(TITLE_NAMES, rest),
            metadata=_first(METADATA_NAMES, rest),
        )


def _the_text(columns: Sequence[str], table: RawTable, text_column: str | None) -> str:
    found = text_columns(columns, text_column)
    if not found:
        raise DatasetColumnError(
            f"no column holds the passages; the columns are {_listed(columns)}",
            where=table.source,
            expected="a column called text, content, passage or النص",
            remedy="name the column with text_column",
        )
    if len(found) > 1 or found[0] in table.repeated:
        raise DatasetColumnError(
            f"several columns could hold the passages: {_listed(found)}",
            where=table.source,
            remedy="name the right one with text_column",
        )
    if text_column is None and fold_name(found[0]) in _folded(TEXT_NAMES[-1]) and _asks(columns):
        raise DatasetColumnError(
            "this is a question set: it has a column of questions, and its passages stand in it once per question",
            where=table.source,
            expected="a corpus: one passage per row",
            remedy=f"pass the passages that the questions are about, or text_column={found[0]!r} if these are they",
        )
    return found[0]


def _asks(columns: Sequence[str]) -> bool:
    return bool(question_names(columns, MappingOptions()))


def _first(names: Iterable[str], columns: Sequence[str]) -> str | None:
    folded = {fold_name(column): column for column in reversed(columns)}
    return next((folded[name] for name in map(fold_name, names) if name in folded), None)


def _folded(names: Iterable[str]) -> set[str]:
    return {fold_name(name) for name in names}


def _listed(columns: Sequence[str], limit: int = 12) -> str:
    return ", ".join(map(repr, columns[:limit])) + (", …" if len(columns) > limit else "")
