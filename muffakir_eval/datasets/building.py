"""From the raw cells of a row to a sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muffakir_eval.datasets.cells.golds import (
    GoldIds,
    Golds,
    answer_texts,
    assemble,
    gold_ids,
    grade_numbers,
    source_names,
)
from muffakir_eval.datasets.cells.lists import object_in_text
from muffakir_eval.datasets.cells.passages import Groups, Passage, gold_passages
from muffakir_eval.datasets.cells.text import CellError, as_list, metadata_value, shown, to_bool, to_id, to_text
from muffakir_eval.datasets.columns.aliases import fold_name
from muffakir_eval.datasets.columns.mapping import ColumnMap
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.identity import joined_id
from muffakir_eval.datasets.recording import recorded_output
from muffakir_eval.datasets.rows import RowReader
from muffakir_eval.datasets.tables import RawRow, RawTable
from muffakir_eval.records import Sample
from muffakir_eval.text.identifiers import clean_id, is_missing

__all__ = ["SampleBuilder"]


_NOT_PLAIN = (None,) * 5
_NO_QUESTION = "fill it in, or delete the row; fail_fast=False sets such rows aside"


class SampleBuilder:
    """Turns the rows of one table into samples.

    Args:
        table: Where the rows come from.
        mapping: What each column is.
        findings: Where bad rows and warnings go.
    """

    def __init__(self, table: RawTable, mapping: ColumnMap, findings: Findings) -> None:
        self.reader = RowReader(table, mapping, findings)
        self._mapping = mapping
        self._findings = findings
        self._unnamed = table.unnamed
        self._plural = frozenset(
            column for column in mapping.fields.get("answers", ()) if fold_name(column).endswith(("s", "ات"))
        )

    def build(self, raw: RawRow) -> Sample | None:
        """The sample in a row; ``None`` where the row is bad and was set aside.

        Raises:
            DatasetRowError: The row is bad, and the first bad row ends it all.
        """
        reader = self.reader
        reader.start(raw)
        try:
            question, answer, context, chunk_id, source = reader.plain() or _NOT_PLAIN
            if question is None:
                return self._sample(reader)
            return Sample(
                sample_id=self._sample_id(reader),
                row=reader.row,
                question=question,
                answers=() if answer is None else (answer,),
                contexts=() if context is None else (context,),
                chunk_ids=() if chunk_id is None or (cleaned := clean_id(chunk_id)) is None else (cleaned,),
                source_file=source,
                answerable=self._answerable(reader),
                metadata=self._metadata(reader),
                recorded=recorded_output(reader) if reader.recorded else None,
            )
        except CellError as error:
            self._findings.reject(reader.error(error))
        except RecursionError:
            self._findings.reject(reader.error(CellError("a cell nests too deeply, or holds itself")))
        return None

    def _sample(self, reader: RowReader) -> Sample:
        question = self._question(reader)
        answers = self._answers(reader) if "answers" in reader.cells else ()
        golds = self._golds(reader)
        return Sample(
            sample_id=self._sample_id(reader),
            row=reader.row,
            question=question,
            answers=answers,
            contexts=golds.contexts,
            chunk_ids=golds.chunk_ids,
            groups=golds.groups,
            grades=golds.grades,
            source_file=golds.source_file,
            gold_sources=golds.gold_sources,
            answerable=self._answerable(reader),
            metadata=self._metadata(reader),
            recorded=recorded_output(reader) if reader.recorded else None,
        )

    def _question(self, reader: RowReader) -> str:
        question = reader.text("question")
        if question is None:
            reader.column = self._mapping.fields["question"][0]
            raise CellError("the question is missing", expected="a text", remedy=_NO_QUESTION)
        return question

    def _answers(self, reader: RowReader) -> tuple[str, ...]:
        found = reader.several("answers")
        truth = reader.table.truth
        answers = answer_texts(found, truth, plural=reader.column in self._plural)
        other = reader.other_spelling("answers")
        if not other or (isinstance(other[0], str) and to_text(other[0], truth) in answers):  # it may look like a list
            return answers
        if not set(answer_texts(other, truth, plural=False)) <= set(answers):
            raise reader.refuse_difference("answers")
        return answers

    def _golds(self, reader: RowReader) -> Golds:
        passages: list[Passage] = []
        groups: Groups = ()
        grades: tuple[float, ...] = ()
        names: list[str] = []
        ids = GoldIds()
        if "contexts" in reader.cells:
            passages, groups = self._passages(reader)
        if "grades" in reader.cells:
            grades = grade_numbers(reader.first("grades"))
        if "source_file" in reader.cells:
            names = source_names(reader.first("source_file"))
        if "chunk_ids" in reader.cells:
            found = reader.several("chunk_ids")
            reader.check_digits(found)
            ids = gold_ids(found)
        return assemble(passages, groups, ids, grades, names)

    def _passages(self, reader: RowReader) -> tuple[list[Passage], Groups]:
        truth = reader.table.truth
        passages, groups = gold_passages(reader.several("contexts"), truth)
        other = reader.other_spelling("contexts")
        texts = {item.text for item in passages}
        if not other or (isinstance(other[0], str) and to_text(other[0], truth) in texts):
            return passages, groups
        if not {item.text for item in gold_passages(other)[0]} <= texts:
            raise reader.refuse_difference("contexts")
        return passages, groups

    def _answerable(self, reader: RowReader) -> bool | None:
        if "answerable" not in reader.cells:
            return None
        answerable = to_bool(reader.first("answerable"))
        if answerable is None or reader.column not in self._mapping.inverted:
            return answerable
        return not answerable

    def _sample_id(self, reader: RowReader) -> str:
        found = reader.cells.get("sample_id")
        if not found:
            return str(reader.row)
        parts: list[str | None] = []
        for column, get in found:
            reader.column = column
            value = get(reader.values)
            if type(value) is not str:
                if isinstance(value, Mapping) or as_list(value) is not None:
                    raise CellError(f"the identifier of the row is {shown(value)}", expected="a text or a number")
                reader.check_digits([value])
            parts.append(to_id(value))
        if self._mapping.composed_id:
            if not any(parts):
                raise CellError("every column of id_columns is empty", expected="an identifier of the row")
            return joined_id(parts)
        return parts[0] or f"row-{reader.row}"

    def _metadata(self, reader: RowReader) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        values, unnamed = reader.values, self._unnamed
        for column in reader.metadata:
            value = values[column]
            if column in unnamed:
                if is_missing(value):
                    continue
                reader.metadata_columns[column] = None
            kept[column] = value if value is None or type(value) is str else metadata_value(value)
        for column, get in reader.cells.get("metadata", ()):
            self._spread(column, get(values), kept)
        return kept

    @staticmethod
    def _spread(column: str, value: Any, kept: dict[str, Any]) -> None:
        """The entries of a ``metadata`` object beside the other columns; nothing is overwritten."""
        inner = object_in_text(value) if isinstance(value, str) else value
        if isinstance(inner, Mapping):
            for key, item in inner.items():
                kept[f"{column}.{key}" if key in kept else str(key)] = metadata_value(item)
        elif not is_missing(value):
            kept[column] = metadata_value(value)
