"""The gold side of a row: passages, identifiers, grades and sources put together and checked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from muffakir_eval.datasets.cells.lists import list_in_text, object_in_text, text_list_in_text
from muffakir_eval.datasets.cells.passages import Groups, Passage, grouped, id_items
from muffakir_eval.datasets.cells.text import CellError, as_list, is_plain, shown, to_id, to_number, to_text
from muffakir_eval.records import Sample
from muffakir_eval.text.identifiers import clean_id, is_missing

__all__ = ["GoldIds", "Golds", "answer_texts", "assemble", "check_sample", "gold_ids", "grade_numbers", "source_names"]

_SQUAD_ANSWERS = re.compile(r"\s*\{\s*[\"']text[\"']\s*:")


class GoldIds(NamedTuple):
    """Gold identifiers of one row, with what their cell says about groups and grades."""

    ids: tuple[str, ...] = ()
    groups: Groups = ()
    grades: tuple[float, ...] = ()


class Golds(NamedTuple):
    """The gold fields of a sample."""

    contexts: tuple[str, ...] = ()
    chunk_ids: tuple[str, ...] = ()
    groups: Groups = ()
    grades: tuple[float, ...] = ()
    source_file: str | None = None
    gold_sources: tuple[str, ...] = ()


def gold_ids(values: Sequence[Any]) -> GoldIds:
    """The gold identifiers in the cells of one row.

    Raises:
        CellError: A cell does not parse, or one of several identifiers is empty.

    >>> gold_ids(['["c1", "c2"]']).ids, gold_ids([{"a": 3, "b": 1}]).grades
    (('c1', 'c2'), (3.0, 1.0))
    """
    found = [id_items(value) for value in values]
    mappings = [item for item in found if isinstance(item, Mapping)]
    if mappings:
        if len(found) > 1:
            raise CellError("an object of grades stands beside other identifiers", expected="one or the other")
        return _graded(mappings[0])
    items, groups = grouped([item for part in found for item in part])
    ids = [to_id(item) if as_list(item) is None and not isinstance(item, Mapping) else None for item in items]
    if all(identifier is None and is_missing(item) for identifier, item in zip(ids, items, strict=True)):
        return GoldIds()
    for number, (identifier, item) in enumerate(zip(ids, items, strict=True), start=1):
        if identifier is None:
            raise CellError(f"identifier {number} of {len(ids)} is {shown(item)}", expected="a text or a number")
    return GoldIds(tuple(identifier for identifier in ids if identifier is not None), groups)


def _graded(grades: Mapping[str, Any]) -> GoldIds:
    ids, numbers = [], []
    for key, value in grades.items():
        identifier, number = to_id(key), to_number(value)
        if identifier is None or number is None:
            raise CellError(
                f"the identifier {key!r} has the grade {shown(value)}", expected="an identifier and a number"
            )
        ids.append(identifier)
        numbers.append(number)
    return GoldIds(tuple(ids), (), tuple(numbers))


def grade_numbers(value: Any) -> tuple[float, ...]:
    """The grades in a cell.

    Raises:
        CellError: A grade is no number, or the cell does not parse.
    """
    items = list_in_text(value) if isinstance(value, str) else as_list(value)
    numbers = [to_number(item) for item in ([value] if items is None else items)]
    if None in numbers and len(numbers) > 1:
        raise CellError(f"grade {numbers.index(None) + 1} of {len(numbers)} is empty", expected="a number")
    return tuple(number for number in numbers if number is not None)


def source_names(value: Any) -> list[str]:
    """The documents that a cell names: one, or a list of texts with one per gold."""
    items = text_list_in_text(value) if isinstance(value, str) else as_list(value)
    if items is None or (isinstance(value, str) and not all(isinstance(item, str) for item in items)):
        items = [value]
    names = [to_text(item) or "" for item in items]
    return names if any(names) else []


def answer_texts(values: Sequence[Any], truth: tuple[str, str], *, plural: bool) -> tuple[str, ...]:
    """The accepted answers in the cells of one row, each once.

    Args:
        values: Texts, lists of texts, SQuAD's ``{"text": [...]}``, or the text form of such a list.
        truth: How the file spells true and false.
        plural: The column holds several answers, so that a list of numbers is one too.

    Raises:
        CellError: An item is no text, or the cell begins like a list and does not parse.
    """
    texts: list[str] = []
    for value in values:
        for item in _answer_items(value, plural=plural):
            text = to_text(item.get("text") if isinstance(item, Mapping) else item, truth)
            if text is not None:
                texts.append(text)
    return tuple(dict.fromkeys(texts)) if len(texts) > 1 else tuple(texts)


def _answer_items(value: Any, *, plural: bool) -> list[Any]:
    if isinstance(value, str):
        if is_plain(value):
            return [value]
        if _SQUAD_ANSWERS.match(value):
            return _squad_answers(object_in_text(value), value)
        items = text_list_in_text(value)
        if items is None or not (plural or all(isinstance(item, str) for item in items)):
            return [value]
        return items
    if isinstance(value, Mapping):
        return _squad_answers(value, value)
    inner = as_list(value)
    return [value] if inner is None else inner


def _squad_answers(answers: Mapping[str, Any] | None, cell: Any) -> list[Any]:
    """The texts of ``{"text": [...], "answer_start": [...]}``, as SQuAD's tables hold them."""
    if answers is None or "text" not in answers:
        raise CellError(f"the answer is an object, {shown(cell)}", expected="a text, or a list of texts as JSON")
    inner = as_list(answers["text"])
    return [answers["text"]] if inner is None else inner


def assemble(
    passages: Sequence[Passage], passage_groups: Groups, ids: GoldIds, grades: tuple[float, ...], sources: Sequence[str]
) -> Golds:
    """Put the gold side of a row together.

    Raises:
        CellError: The counts do not fit each other.
    """
    contexts = tuple(passage.text for passage in passages)
    chunk_ids, id_groups = ids.ids, ids.groups
    own_ids = [passage.chunk_id for passage in passages]
    if any(identifier is not None for identifier in own_ids):
        chunk_ids, id_groups = _own_ids(own_ids, chunk_ids), passage_groups or id_groups
    if contexts and chunk_ids and len(contexts) != len(chunk_ids):
        raise _unequal(contexts, chunk_ids)
    if passage_groups and id_groups and passage_groups != id_groups:
        raise CellError("passages and identifiers are grouped differently", expected="the same groups")
    groups = passage_groups or id_groups
    count = max(len(contexts), len(chunk_ids))
    if ids.grades and grades:
        raise CellError("grades stand in two columns", expected="one of them")
    chosen = ids.grades or grades
    expected = len(groups) or count
    if chosen and len(chosen) != expected:
        raise CellError(f"{_count(chosen, 'grade')} for {expected} golds", expected="one grade for each gold")
    source_file, gold_sources = _sources(sources, [passage.source for passage in passages], count)
    return Golds(contexts, chunk_ids, groups, chosen, source_file, gold_sources)


def check_sample(sample: Any) -> Sample:
    """``sample``, once it is sure that its golds fit each other, with its identifiers as text.

    Raises:
        CellError: It is no sample, or lengths differ.
    """
    if not isinstance(sample, Sample):
        raise CellError(f"the item is {shown(sample)}", expected="a sample, as the items before it")
    if not sample.question.strip():
        raise CellError("the question is missing", expected="a text")
    count = max(len(sample.contexts), len(sample.chunk_ids))
    if sample.contexts and sample.chunk_ids and len(sample.contexts) != len(sample.chunk_ids):
        raise _unequal(sample.contexts, sample.chunk_ids)
    if sample.groups and sorted(at for group in sample.groups for at in group) != list(range(count)):
        raise CellError(f"the groups are {sample.groups}", expected=f"each position below {count} once")
    golds = len(sample.groups) or count
    if sample.grades and len(sample.grades) != golds:
        raise CellError(f"{_count(sample.grades, 'grade')} for {golds} golds", expected="one grade for each gold")
    if count and sample.gold_sources and len(sample.gold_sources) != count:
        raise CellError(f"{_count(sample.gold_sources, 'source')} for {count} golds", expected="one for each gold")
    ids = tuple(clean_id(identifier) or "" for identifier in sample.chunk_ids)
    return sample if ids == sample.chunk_ids else replace(sample, chunk_ids=ids)


def _unequal(contexts: Sequence[str], chunk_ids: Sequence[str]) -> CellError:
    return CellError(
        f"{_count(contexts, 'gold passage')} and {_count(chunk_ids, 'gold identifier')}",
        expected="equally many, as they pair by position, or only one kind",
        remedy="correct the row",
    )


def _own_ids(own: Sequence[str | None], given: tuple[str, ...]) -> tuple[str, ...]:
    """The identifiers that the passages carry themselves."""
    if None in own:
        raise CellError(
            f"passage {own.index(None) + 1} of {len(own)} carries no identifier, and others do",
            expected="one for each passage, or none",
        )
    found = tuple(identifier for identifier in own if identifier is not None)
    if given and given != found:
        raise CellError(f"the passages carry the identifiers {found}, the column of identifiers holds {given}")
    return found


def _sources(named: Sequence[str], carried: Sequence[str | None], count: int) -> tuple[str | None, tuple[str, ...]]:
    """One document for the whole row, or one per gold."""
    names = list(named) or [source or "" for source in carried if any(carried)]
    if len(names) < 2:
        return (names[0] or None) if names else None, ()
    if count and len(names) != count:
        raise CellError(f"{_count(names, 'source')} for {count} golds", expected="one source, or one for each gold")
    if len(set(names)) == 1:
        return names[0] or None, ()
    return None, tuple(names)


def _count(items: Sequence[Any], noun: str) -> str:
    return f"{len(items)} {noun}{'' if len(items) == 1 else 's'}"
