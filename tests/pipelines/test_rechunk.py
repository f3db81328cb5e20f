"""Windows of words over passages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.errors import ConfigError
from muffakir_eval.pipelines import rechunk
from muffakir_eval.records import RetrievedChunk

LAW = RetrievedChunk(
    text="تسري النصوص  التشريعية\nعلى جميع المسائل التي تتناولها هذه النصوص.",
    chunk_id="مادة-1",
    source="القانون المدني.pdf",
    score=0.5,
    metadata={"باب": "تمهيدي"},
)


def test_windows_hold_the_text_verbatim_and_say_where_they_come_from() -> None:
    windows = rechunk([LAW], words=4, overlap=1)
    assert [window.text for window in windows] == [
        "تسري النصوص  التشريعية\nعلى",
        "على جميع المسائل التي",
        "التي تتناولها هذه النصوص.",
    ]
    assert [window.chunk_id for window in windows] == ["مادة-1#0", "مادة-1#1", "مادة-1#2"]
    assert {window.source for window in windows} == {"القانون المدني.pdf"}
    assert all(window.score is None and window.metadata == LAW.metadata for window in windows)


def test_a_short_passage_is_one_window_without_its_outer_space() -> None:
    assert [window.text for window in rechunk(["  كلمة واحدة \n"])] == ["كلمة واحدة"]


def test_a_tail_that_the_window_before_holds_is_no_window() -> None:
    assert [window.text for window in rechunk(["أ ب ج د"], words=3, overlap=2)] == ["أ ب ج", "ب ج د"]
    assert [window.text for window in rechunk(["أ ب ج"], words=3, overlap=2)] == ["أ ب ج"]


def test_without_an_identifier_none_is_made_up_and_without_words_no_window() -> None:
    assert [window.chunk_id for window in rechunk(["أ ب"], words=1, overlap=0)] == [None, None]
    assert rechunk(["", " \n"]) == []


def test_dicts_and_documents_are_passages_too() -> None:
    (window,) = rechunk([{"text": "نص", "chunk_id": 7}])
    assert (window.text, window.chunk_id) == ("نص", "7#0")


@pytest.mark.parametrize(("words", "overlap"), [(0, 0), (-3, 0), (3, 3), (3, 4), (3, -1)])
def test_lengths_out_of_range(words: int, overlap: int) -> None:
    with pytest.raises(ConfigError, match=r"(words|overlap) is -?\d"):
        rechunk(["أ"], words=words, overlap=overlap)


@given(st.text(alphabet="أبج \n\t\u00a0", max_size=60), st.integers(1, 8), st.data())
def test_windows_cover_every_word_in_order_and_overlap_as_told(text: str, words: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, words - 1))
    windows = [window.text for window in rechunk([text], words=words, overlap=overlap)]
    assert all(window in text and window == window.strip() for window in windows)
    parts = [window.split() for window in windows]
    assert all(len(part) == words for part in parts[:-1])
    new = [word for number, part in enumerate(parts) for word in part[overlap if number else 0 :]]
    assert new == text.split()
