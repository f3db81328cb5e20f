"""Pairs of a gold passage and a chunk, with what a person says of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain
from os import PathLike
from pathlib import Path, PurePath
from typing import Any

from muffakir_eval.calibration.columns import label_columns, pair_columns
from muffakir_eval.datasets import RawTable, ReadOptions, read_table
from muffakir_eval.datasets.cells.text import CellError, shown, to_text
from muffakir_eval.datasets.columns.mapping import ColumnMap
from muffakir_eval.datasets.findings import Findings
from muffakir_eval.datasets.reading.memory import is_frame, read_frame, read_items, read_mapping_object, source_of
from muffakir_eval.datasets.rows import RowReader
from muffakir_eval.datasets.tables import RawRow
from muffakir_eval.errors import DatasetError, DatasetFormatError
from muffakir_eval.text.normalize import normalize_text

__all__ = ["LabelledPair", "LabelledPairs", "read_label", "read_pairs"]

_YES = "1 1.0 true yes y t relevant match نعم صحيح مطابق ذو_صلة ذات_صلة له_صلة"
_NO = "0 0.0 false no n f irrelevant not_relevant no_match لا خطأ غير_مطابق غير_ذي_صلة غير_ذات_صلة ليس_له_صلة"
_WORDS = {normalize_text(word.replace("_", " ")): True for word in _YES.split()}
_WORDS |= {normalize_text(word.replace("_", " ")): False for word in _NO.split()}
_ACCEPTED = "a path, a frame, or a list of dicts or of (gold, chunk, label)"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPair:
    """A gold passage, a chunk, and whether the chunk holds it.

    Attributes:
        gold: The gold passage.
        chunk: The text of the chunk.
        relevant: What a person says.
        row: Row, line or item as a spreadsheet or editor shows it.
    """

    gold: str
    chunk: str
    relevant: bool
    row: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPairs:
    """What was read.

    Attributes:
        pairs: In the order of the file, each once.
        source: The file, or what else held them.
        mapping: Field to column.
        notes: What the user should know.
    """

    pairs: tuple[LabelledPair, ...]
    source: str
    mapping: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _PairOptions(ReadOptions):
    """For readers that must tell a table from another by what it holds: here labels, not questions."""

    pair_mapping: Mapping[str, str] | None = None

    def questions(self, columns: Sequence[str]) -> list[str]:
        """The columns that can be the label."""
        return label_columns(columns, self.pair_mapping)


def read_pairs(
    pairs: Any,
    *,
    column_mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
) -> LabelledPairs:
    """Read labelled pairs.

    Args:
        pairs: A file (``.csv``, ``.tsv``, ``.jsonl``, ``.json``, ``.xlsx``, ``.xls``, ``.parquet``), a frame,
            a dict of columns, or dicts, objects or triples ``(gold, chunk, label)``.
        column_mapping: ``gold``, ``chunk`` and ``label`` to the columns; known names (``context``,
            ``retrieved``, ``relevant``, المرجع, المقطع, الصلة, …) need none.
        encoding: Encoding of a text file that is not UTF-8.
        sheet: Sheet of a workbook by name or by index from 0.

    Returns:
        The pairs. One that stands there again with the same label counts once, and a row without a label is
        left out; the notes say so.

    Raises:
        DatasetError: The source cannot be read, a column is missing, or a row is wrong; file, row and column
            are named.

    >>> read_pairs([("مدة الإجازة ثلاثون يوما", "الإجازة ثلاثون يوما", "نعم")]).pairs[0].relevant
    True
    """
    findings = Findings(fail_fast=True)
    options = _PairOptions(findings=findings, encoding=encoding, sheet=sheet, pair_mapping=column_mapping)
    try:
        with closing(_table(pairs, options)) as table:
            found, mapping = _read(table, options)
    except DatasetFormatError as error:
        raise _of_pairs(error) from None
    kept, notes = _once(found, table)
    return LabelledPairs(
        pairs=kept, source=table.source, mapping=mapping, notes=(*findings.warnings, *findings.notes, *notes)
    )


def _table(pairs: Any, options: ReadOptions) -> RawTable:
    if isinstance(pairs, (str, PurePath)) or (isinstance(pairs, PathLike) and not is_frame(pairs)):
        return read_table(Path(pairs), options)
    if isinstance(pairs, Mapping):
        return read_mapping_object(pairs, options)
    if is_frame(pairs):
        return read_frame(pairs)
    if isinstance(pairs, Iterable) and not isinstance(pairs, (bytes, bytearray)):
        return read_items(_named(pairs), source_of(pairs), options)
    raise DatasetFormatError(
        f"{type(pairs).__name__} holds no labelled pairs", where="pairs", expected=_ACCEPTED, remedy="pass one of these"
    )


def _named(items: Iterable[Any]) -> Iterator[Any]:
    """Triples as what they stand for, anything else as it is."""
    for item in items:
        plain = isinstance(item, (tuple, list)) and not hasattr(item, "_fields") and len(item) == 3
        if isinstance(item, LabelledPair):
            yield {"gold": item.gold, "chunk": item.chunk, "label": item.relevant}
        else:
            yield dict(zip(("gold", "chunk", "label"), item, strict=True)) if plain else item


def _of_pairs(error: DatasetFormatError) -> DatasetError:
    """The readers speak of questions, for which they are made."""
    if error.expected is None or "question" not in error.expected:
        return error
    return DatasetFormatError(
        error.found, where=error.where, expected="a table with gold, chunk and label", remedy=error.remedy
    )


def _read(table: RawTable, options: _PairOptions) -> tuple[list[LabelledPair], dict[str, str]]:
    rows: Iterator[RawRow] = table.rows
    columns = table.columns
    if columns is None:
        held = list(rows)
        columns = tuple(dict.fromkeys(chain.from_iterable(dict.fromkeys(tuple(cells) for _, _, cells in held))))
        rows = iter(held)
    if not columns:
        raise _empty(table.source)
    fields = pair_columns(columns, options.pair_mapping, where=table.source, repeated=table.repeated)
    if table.on_mapped is not None:
        table.on_mapped([column for of in fields.values() for column in of])
    reader = RowReader(table, ColumnMap(fields=fields), options.findings)
    found, unlabelled = [], []
    for raw in rows:
        reader.start(raw)
        try:
            pair = _pair(reader)
        except CellError as error:
            raise reader.error(error) from None
        if pair is None:
            unlabelled.append(raw[0])
        else:
            found.append(pair)
    if unlabelled:
        options.findings.notes.append(f"left out, since there is no label: {_rows(unlabelled, table)}")
    reader.check_nested(partial=False)
    if not found:
        raise _empty(table.source)
    return found, {name: of[0] for name, of in fields.items()}


def _empty(source: str) -> DatasetFormatError:
    return DatasetFormatError(
        "there are no labelled pairs", where=source, expected="at least one row with a label", remedy="check the file"
    )


def _pair(reader: RowReader) -> LabelledPair | None:
    relevant = read_label(reader.first("label"), reader.table.truth)
    if relevant is None:
        return None
    texts = {}
    for name in ("gold", "chunk"):
        text = reader.text(name)
        if text is None:
            raise CellError(f"the {name} is missing", expected="a text", remedy="fill it in, or delete the row")
        texts[name] = text
    return LabelledPair(gold=texts["gold"], chunk=texts["chunk"], relevant=relevant, row=reader.row)


def read_label(cell: Any, truth: tuple[str, str] = ("True", "False")) -> bool | None:
    """Whether a label says that the chunk holds the gold passage; ``None`` for no label.

    Raises:
        CellError: It says neither yes nor no.

    >>> [read_label(cell) for cell in (1, "0", "YES", "نعم", "٠", "غير ذي صلة", None)]
    [True, False, True, True, False, False, None]
    """
    text = to_text(cell, truth)
    if text is None:
        return None
    said = _WORDS.get(normalize_text(text).strip())
    if said is None:
        raise CellError(
            f"the label says {shown(text)}", expected="1 or 0, yes or no, نعم or لا", remedy="correct the cell"
        )
    return said


def _once(pairs: Sequence[LabelledPair], table: RawTable) -> tuple[tuple[LabelledPair, ...], list[str]]:
    """Each pair with each label once, and a word on those that stand there several times."""
    kept: dict[tuple[str, str, bool], LabelledPair] = {}
    again = [pair.row for pair in pairs if kept.setdefault((pair.gold, pair.chunk, pair.relevant), pair) is not pair]
    both = [pair.row for (gold, chunk, relevant), pair in kept.items() if (gold, chunk, not relevant) in kept]
    notes = []
    if again:
        notes.append(f"repeats of an earlier pair, which counts once: {_rows(again, table)}")
    if both:
        notes.append(f"the same pair with different labels, one of which stays wrong: {_rows(both, table)}")
    return tuple(kept.values()), notes


def _rows(rows: Sequence[int], table: RawTable, limit: int = 5) -> str:
    shown_rows = ", ".join(map(str, rows[:limit])) + (", …" if len(rows) > limit else "")
    return f"{len(rows)} {table.unit}{'' if len(rows) == 1 else 's'} ({shown_rows})"
