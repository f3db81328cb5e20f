"""Lists that are written into one cell.

A cell is read as a list where it is

* a JSON list: ``["a", "b"]``;
* a Python list: ``['a', 'b']``; strings that only stand side by side, as numpy prints them
  (``['a' 'b']``), are no list, since Python would glue them together in silence;
* numbered text, for passages only: ``[1] … [2] …``, numbered from 1 without a gap, at least up to 2. The
  numbers must stand at the start of lines, or else be the only bracketed numbers in the text.

A plain text is a list of one. ``|``, ``;`` and ``,`` never separate.

Text may begin with a bracket without being a list: ``[مادة 5] نص``. For identifiers and grades every
cell from ``[`` to ``]`` must parse. For texts (answers, passages) only a cell that begins like a list
of texts must, that is with ``["``, ``['``, ``[[`` or ``[{``; any other is prose and taken verbatim. A cell that
begins with two texts of a list and holds no closing bracket was cut, and is an error.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from typing import Any

from muffakir_eval.datasets.cells.strict_json import DuplicateKeyError, JsonReader
from muffakir_eval.datasets.cells.text import CellError, shown

__all__ = ["list_in_text", "numbered_passages", "object_in_text", "parse_literal", "text_list_in_text"]

_LINE_NUMBER = re.compile(r"^[ \t]*\[(\d{1,4})\]", re.MULTILINE)
_NUMBER = re.compile(r"(?<!\S)\[(\d{1,4})\]")
_ANY_NUMBER = re.compile(r"\[\d+\]")
_OPENS_LIKE_TEXTS = re.compile(r"\[\s*[\"'\[{]")
_TWO_TEXTS = re.compile(r"""\[\s*("|')(?:[^"'\\]|\\.|(?!\1)["'])*+\1\s*,\s*\1""", re.DOTALL)
"""The first text of a list and the quotation mark of the second: no prose begins so."""
_REMEDY = 'write it as JSON, ["a", "b"], or as one plain text'


def parse_literal(text: str) -> Any:
    """The value of a JSON text, or else of a Python literal.

    Raises:
        ValueError: It is neither.

    >>> parse_literal('["a", 1]'), parse_literal("['a', 1]")
    (['a', 1], ['a', 1])
    """
    reader = JsonReader()
    try:
        value = reader.decode(text)
    except DuplicateKeyError:
        raise
    except ValueError:
        return _python_literal(text.strip())
    if reader.constants:
        raise ValueError(f"it holds {reader.constants[0]}")
    return value


def _python_literal(text: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an unknown escape means that nobody's repr() wrote this
        try:
            tree = ast.parse(text, mode="eval")
            value = ast.literal_eval(tree)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            raise ValueError("it is neither JSON nor a Python list") from None
    if _has_glued_strings(text):
        raise ValueError("strings stand side by side without a comma")
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            _refuse_repeated_keys(node)
    return value


def _refuse_repeated_keys(node: ast.Dict) -> None:
    keys = [ast.literal_eval(key) for key in node.keys if key is not None]
    for position, key in enumerate(keys):
        if key in keys[:position]:
            raise DuplicateKeyError(key)


def _has_glued_strings(text: str) -> bool:
    before = None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in {tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT}:
            continue
        if token.type == before == tokenize.STRING:
            return True
        before = token.type
    return False


def _in_brackets(text: str, pair: str) -> bool:
    return text[:1] == pair[0] and text[-1:] == pair[1]


def _refuse_cut_list(bare: str) -> None:
    if bare[:1] == "[" and "]" not in bare and _TWO_TEXTS.match(bare):
        raise CellError(
            f"{shown(bare)} begins like a list and has no closing bracket",
            remedy=f"{_REMEDY}; a spreadsheet cuts a cell at 32,767 characters",
        )


def list_in_text(text: str) -> list[Any] | None:
    """The list that a cell of identifiers or numbers spells, ``None`` where it is one plain value.

    Raises:
        CellError: It looks like a list and does not parse.

    >>> list_in_text('["c1", "c2"]'), list_in_text("['c1', 'c2']"), list_in_text("c1|c2")
    (['c1', 'c2'], ['c1', 'c2'], None)
    """
    bare = text.strip()
    _refuse_cut_list(bare)
    if not _in_brackets(bare, "[]"):
        return None
    try:
        value = parse_literal(bare)
    except ValueError as error:
        raise CellError(f"{shown(text)} looks like a list and does not parse: {error}", remedy=_REMEDY) from None
    return value if isinstance(value, list) else None


def text_list_in_text(text: str) -> list[Any] | None:
    """The list that a cell of answers or passages spells, ``None`` where it is one text.

    Raises:
        CellError: It begins like a list of texts and does not parse.

    >>> text_list_in_text('["نعم", "أجل"]'), text_list_in_text("[مادة 5] نص [1]"), text_list_in_text("[5]")
    (['نعم', 'أجل'], None, [5])
    """
    bare = text.strip()
    _refuse_cut_list(bare)
    if not _in_brackets(bare, "[]"):
        return None
    if _OPENS_LIKE_TEXTS.match(bare):
        return list_in_text(text)
    try:
        value = parse_literal(bare)
    except ValueError:
        return None
    return value if isinstance(value, list) else None


def object_in_text(text: str) -> dict[str, Any] | None:
    """The object that a cell spells, ``None`` where it is no object.

    >>> object_in_text('{"a": 3}'), object_in_text("{غير مكتمل}")
    ({'a': 3}, None)
    """
    bare = text.strip()
    if not _in_brackets(bare, "{}"):
        return None
    try:
        value = parse_literal(bare)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def numbered_passages(text: str) -> list[str] | None:
    r"""The passages of a numbered text, ``None`` where it is not numbered.

    >>> numbered_passages("[1] الأولى\n[2] الثانية")
    ['الأولى', 'الثانية']
    >>> numbered_passages("[1] كما ورد في [3]") is None
    True
    """
    if not text.lstrip().startswith("[1]"):
        return None
    marks = list(_LINE_NUMBER.finditer(text))
    if len(marks) < 2:
        marks = list(_NUMBER.finditer(text))
        if len(marks) != len(_ANY_NUMBER.findall(text)):
            return None
    if len(marks) < 2 or [int(mark[1]) for mark in marks] != list(range(1, len(marks) + 1)):
        return None
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)]
