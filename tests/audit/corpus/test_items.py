"""Chunks in memory: texts, dicts, documents, mappings, frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from muffakir_eval.audit.corpus import Corpus, open_corpus
from muffakir_eval.errors import ConfigError, DatasetColumnError
from muffakir_eval.pipelines import BM25Retriever
from muffakir_eval.records import RetrievedChunk

CAIRO = "القاهرة عاصمة مصر."
BEIRUT = "بيروت عاصمة لبنان."


@dataclass
class Document:
    """As frameworks have them."""

    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)


def read(corpus: Corpus) -> list[tuple[str, str | None, str | None]]:
    return [(chunk.text, chunk.chunk_id, chunk.source) for batch in corpus.batches() for chunk in batch]


def test_whatever_a_retriever_could_return_is_a_chunk() -> None:
    corpus = open_corpus(
        [
            CAIRO,
            {"page_content": BEIRUT, "metadata": {"chunk_id": 12.0, "file_name": "أ.pdf"}},
            {"text": None, "id": "7"},
            Document("", {"id": "007", "source": "ب.pdf"}),
            RetrievedChunk(text=CAIRO, chunk_id="م-1"),
            (CAIRO, 0.5),
            {"text": ["أ"]},
            {"page": 3},
            None,
        ]
    )
    assert corpus.total == 9
    assert read(corpus) == [
        (CAIRO, None, None),
        (BEIRUT, "12", "أ.pdf"),
        ("", "7", None),
        ("", "007", "ب.pdf"),
        (CAIRO, "م-1", None),
        (CAIRO, None, None),
    ]
    assert [problem.row for problem in corpus.problems] == [7, 8, 9]
    told = [str(problem) for problem in corpus.problems]
    assert told[0].startswith("iterable of 9 chunks, item 7: its text ('text') is of type list. Expected: a text")
    assert told[1].startswith("iterable of 9 chunks, item 8: the item is a dict without text and identifier")
    assert told[2].startswith("iterable of 9 chunks, item 9: the item is of type NoneType")


def test_the_place_of_an_item() -> None:
    (batch,) = open_corpus(iter([CAIRO, BEIRUT])).batches()
    assert [chunk.place for chunk in batch] == ["item 1", "item 2"]


def test_keys_that_are_named() -> None:
    items = [
        {"t": CAIRO, "رمز": 5, "text": "عنوان"},
        {"t": 12.0, "رمز": None},
        {"metadata": {"t": BEIRUT, "رمز": "٦"}, "id": "x"},
        {"text": "أ"},
        {"t": ["أ"], "رمز": 1},
        {"t": "أ", "رمز": [1]},
    ]
    corpus = open_corpus(items, text_column="t", id_column="رمز")
    (batch,) = corpus.batches()
    assert [(chunk.text, chunk.chunk_id) for chunk in batch] == [
        (CAIRO, "5"),
        ("12", None),
        (BEIRUT, "٦"),
        ("", None),
    ]
    assert batch[0].metadata == {}
    assert [problem.row for problem in corpus.problems] == [5, 6]
    assert "the identifier is a list" in str(corpus.problems[1])


def test_named_keys_in_the_metadata_of_documents() -> None:
    documents = [Document("عنوان", {"long": CAIRO, "code": 1}), Document("عنوان", {"code": 2})]
    assert read(open_corpus(documents, text_column="long", id_column="code")) == [(CAIRO, "1", None), ("", "2", None)]
    assert read(open_corpus(documents, text_column="page_content")) == [("عنوان", None, None)] * 2


def test_a_key_that_only_corpora_use() -> None:
    assert read(open_corpus([{"id": 1, "النص": CAIRO}, {"id": 2, "النص": ""}])) == [
        (CAIRO, "1", None),
        ("", "2", None),
    ]
    assert read(open_corpus([{"id": 1, "text": ""}, {"id": 2, "text": None}])) == [("", "1", None), ("", "2", None)]


@pytest.mark.parametrize(
    ("items", "options", "message"),
    [
        ([{"id": 1, "t": "أ"}], {}, r"no key holds the text; there are 'id', 't'.*text_column"),
        ([{"id": 1, "النص": "أ", "body": "ب"}], {}, r"several keys could hold the text: 'النص', 'body'"),
        ([{"id": 1, "text": "أ"}], {"text_column": "t"}, r"text_column names 't', and nothing is called so.*'text'"),
        (["أ"], {"id_column": "t"}, r"id_column names 't'.*the keys are unknown"),
    ],
)
def test_keys_that_leave_it_open(items: list[Any], options: dict[str, str], message: str) -> None:
    with pytest.raises(DatasetColumnError, match=message):
        read(open_corpus(items, **options))


def test_a_mapping_from_identifiers() -> None:
    corpus = open_corpus(
        {
            "007": CAIRO,
            7: {"text": BEIRUT, "chunk_id": "x", "source": "أ.pdf"},
            "م": Document("", {"id": 3}),
            "n": None,
            "bad": 3,
        }
    )
    assert (corpus.name, corpus.total) == ("mapping of 5 chunks", 5)
    assert read(corpus) == [(CAIRO, "007", None), (BEIRUT, "7", "أ.pdf"), ("", "م", None), ("", "n", None)]
    assert [problem.row for problem in corpus.problems] == [5]
    assert read(open_corpus({"a": {"t": CAIRO}}, text_column="t")) == [(CAIRO, "a", None)]
    assert read(open_corpus({"a": {"النص": CAIRO}})) == [(CAIRO, "a", None)]


def test_columns_in_a_dict() -> None:
    assert read(open_corpus({"id": [1, 2], "text": [CAIRO, ""]})) == [(CAIRO, "1", None), ("", "2", None)]
    assert read(open_corpus({"data": [{"id": 1, "text": CAIRO}]})) == [(CAIRO, "1", None)]


@pytest.mark.parametrize("one", [{"id": 1, "text": CAIRO}, Document(CAIRO), RetrievedChunk(text=CAIRO)])
def test_a_single_chunk_is_no_corpus(one: object) -> None:
    with pytest.raises(ConfigError, match=r"a single .*What to do: pass \[chunk\]"):
        open_corpus(one)


def test_a_frame() -> None:
    rows = 4500  # more than two slices
    frame = pd.DataFrame(
        {"chunk_id": range(rows), "text": [f"فقرة {at}" for at in range(rows)], "page": [None, 3.0] * (rows // 2)}
    )
    frame.loc[7, "text"] = None
    corpus = open_corpus(frame)
    assert (corpus.name, corpus.total) == (f"DataFrame of {rows} rows", rows)
    chunks = [chunk for batch in corpus.batches() for chunk in batch]
    assert [chunk.chunk_id for chunk in chunks] == [str(at) for at in range(rows)]
    assert (chunks[7].text, chunks[4400].text, chunks[4400].place) == ("", "فقرة 4400", "item 4401")
    assert read(open_corpus(frame.set_index("chunk_id")))[4499][:2] == ("فقرة 4499", "4499")


def test_a_frame_without_rows_or_without_a_text() -> None:
    with pytest.raises(DatasetColumnError, match="no column holds the passages"):
        read(open_corpus(pd.DataFrame({"id": []})))
    with pytest.raises(DatasetColumnError, match=r"the DataFrame: no column holds the passages"):
        read(open_corpus(pd.DataFrame({"id": [1], "x": ["أ"]})))
    assert read(open_corpus(pd.DataFrame({"x": [CAIRO]}), text_column="x")) == [(CAIRO, None, None)]


def test_frames_of_other_libraries() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"id": list(range(2500)), "text": [f"فقرة {at}" for at in range(2500)]})
    corpus = open_corpus(table)
    assert corpus.total == 2500
    assert read(corpus)[2400] == ("فقرة 2400", "2400", None)

    class Rows:
        """Turns into rows, and cannot be cut."""

        def to_dicts(self) -> list[dict[str, Any]]:
            return [{"id": 1, "text": CAIRO}]

    corpus = open_corpus(Rows())
    assert (corpus.name, corpus.total) == ("Rows", None)
    assert read(corpus) == [(CAIRO, "1", None)]


def test_a_data_set_that_iterates_over_its_rows() -> None:
    class Dataset:
        """As those of Hugging Face."""

        def __len__(self) -> int:
            return 2

        def __iter__(self) -> Iterator[dict[str, Any]]:
            return iter([{"_id": 1, "title": "عواصم", "text": CAIRO}, {"_id": 2, "title": "", "text": ""}])

        def to_pandas(self) -> Any:
            raise AssertionError("the whole of it is not needed at once")

    corpus = open_corpus(Dataset())
    assert corpus.name == "Dataset of 2 rows"
    assert read(corpus) == [(f"عواصم\n{CAIRO}", "1", None), ("", "2", None)]


def test_a_table_that_only_turns_into_a_frame() -> None:
    class Table:
        def to_pandas(self) -> Any:
            return pd.DataFrame({"text": [CAIRO]})

        def __iter__(self) -> Iterator[str]:
            return iter(["text"])

    assert read(open_corpus(Table())) == [(CAIRO, None, None)]


def test_the_embedded_retriever() -> None:
    corpus = open_corpus(BM25Retriever([CAIRO, {"id": 7, "text": BEIRUT}]))
    assert (corpus.name, corpus.total) == ("BM25Retriever of 2 chunks", 2)
    assert read(corpus) == [(CAIRO, None, None), (BEIRUT, "7", None)]


def test_options_of_files_mean_nothing_in_memory() -> None:
    corpus = open_corpus([CAIRO], encoding="cp1256", sheet="أ")
    read(corpus)
    assert len(corpus.warnings) == 2
    assert "encoding='cp1256' has no meaning here" in corpus.warnings[0]


def test_paths_and_texts_do_not_mix(tmp_path: Path) -> None:
    corpus = open_corpus([CAIRO, tmp_path])
    assert read(corpus) == [(CAIRO, None, None)]
    assert corpus.n_problems == 1
