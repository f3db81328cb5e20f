"""What people pass by mistake to pipelines and retrievers, and what they are told."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, MagicMock, Mock

import numpy as np
import pytest

from muffakir_eval.errors import ConfigError, DatasetFormatError, PipelineOutputError
from muffakir_eval.pipelines import BM25Retriever, as_pipeline, load_corpus, rechunk
from muffakir_eval.records import Sample

QUESTION = Sample(sample_id="1", question="ما العاصمة؟")


def called(rag: Any) -> Any:
    """What the pipeline says, awaited where need be."""
    found = as_pipeline(rag).call(QUESTION, 3)
    if not hasattr(found, "__await__"):
        return found

    async def wait() -> Any:
        return await found

    return asyncio.run(wait())


@pytest.mark.parametrize("rag", [Mock(), MagicMock(), AsyncMock()])
def test_what_answers_to_everything_returns_nonsense_and_not_an_answer(rag: Any) -> None:
    with pytest.raises(PipelineOutputError, match=r"it returned an? \w*Mock"):
        called(rag)


def test_a_method_that_cannot_be_read_names_the_reason() -> None:
    class Lazy:
        @property
        def ask(self) -> Any:
            raise RuntimeError("the index is not loaded")

    with pytest.raises(ConfigError, match=r"Lazy\.ask cannot be read: RuntimeError: the index is not loaded") as caught:
        as_pipeline(Lazy())
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_identifiers_that_are_all_missing_tell_nothing() -> None:
    with pytest.raises(PipelineOutputError, match="holds 2 times nothing, and there are no texts"):
        called(lambda question: {"retrieved_chunk_ids": [None, float("nan")]})
    assert called(lambda question: {"retrieved_chunk_ids": []}).chunks == ()
    assert [c.chunk_id for c in called(lambda q: {"retrieved_chunk_ids": [None, 7]}).chunks] == [None, "7"]


@pytest.mark.parametrize("chunks", ["نص", b"x", {"text": "نص"}, None, 7])
def test_one_thing_is_no_list_of_chunks(chunks: Any) -> None:
    for make in (BM25Retriever, rechunk):
        with pytest.raises(ConfigError, match=r"the chunks are .*pass \[chunk\] where there is only one"):
            make(chunks)


@pytest.mark.parametrize("k", [0, -1, 2.5, "2", True, None, float("nan")])
def test_a_cutoff_that_is_none(k: Any) -> None:
    with pytest.raises(ConfigError, match=r"k is .*a whole number from 1 up"):
        BM25Retriever(["نص"]).search("نص", k)


def test_a_cutoff_of_numpy() -> None:
    assert len(BM25Retriever(["نص", "نص آخر"]).search("نص", np.int64(1))) == 1  # type: ignore[arg-type]


@pytest.mark.parametrize("query", [None, 7, ["نص"]])
def test_a_query_that_is_no_text(query: Any) -> None:
    with pytest.raises(ConfigError, match="the query is of type"):
        BM25Retriever(["نص"]).search(query)


@pytest.mark.parametrize("settings", [{"k1": "1"}, {"k1": True}, {"b": None}, {"b": "0.5"}, {"k1": float("inf")}])
def test_weights_that_are_no_numbers(settings: Any) -> None:
    with pytest.raises(ConfigError, match=r"(k1|b) is .*a number from 0"):
        BM25Retriever(["نص"], **settings)


@pytest.mark.parametrize("settings", [{"words": 1.5}, {"words": "3"}, {"overlap": 0.5}, {"words": True}])
def test_lengths_of_windows_that_are_no_whole_numbers(settings: Any) -> None:
    with pytest.raises(ConfigError, match=r"(words|overlap) is .*a whole number from"):
        rechunk(["أ ب"], **settings)


def test_words_of_one_letter_are_found() -> None:
    assert [chunk.text for chunk in BM25Retriever(["و ب", "ل"]).search("ب")] == ["و ب"]


def test_a_folder_is_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(DatasetFormatError, match="this is a folder"):
        load_corpus(tmp_path)


def test_options_without_meaning_are_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"text": "نص"}\n', encoding="utf-8")
    with pytest.warns(UserWarning, match="sheet='x' has no meaning here and is ignored"):
        load_corpus(path, sheet="x")
    prose = tmp_path / "c.txt"
    prose.write_text("نص", encoding="utf-8")
    for option in ({"sheet": 0}, {"text_column": "text"}, {"id_column": "id"}):
        with pytest.warns(UserWarning, match=f"{next(iter(option))}=.* has no meaning here and is ignored"):
            load_corpus(prose, **option)


def test_the_encoding_of_a_workbook_is_warned_of(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.worksheets[0]
    sheet.append(["رقم المقطع", "النص", "اسم الملف"])
    sheet.append([7, "نص المادة", "قانون.pdf"])
    book.save(tmp_path / "c.xlsx")
    with pytest.warns(UserWarning, match="encoding='cp1256' has no meaning here and is ignored"):
        (passage,) = load_corpus(tmp_path / "c.xlsx", encoding="cp1256")
    assert (passage.chunk_id, passage.text, passage.source) == ("7", "نص المادة", "قانون.pdf")
