"""The embedded retriever against an obvious one."""

from __future__ import annotations

import logging
import math
import subprocess
import sys
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.errors import ConfigError, PipelineOutputError
from muffakir_eval.pipelines import BM25Retriever
from muffakir_eval.records import RetrievedChunk
from muffakir_eval.text.tokens import tokenize

CAPITALS = [
    RetrievedChunk(text="عاصمة مصر هي القاهرة", chunk_id="مصر", source="أ.pdf", metadata={"صفحة": 1}),
    RetrievedChunk(text="عاصمة لبنان هي بيروت", chunk_id="لبنان", source="أ.pdf"),
    RetrievedChunk(text="تقع القاهرة على النيل، والقاهرة أكبر مدن مصر", chunk_id="نيل"),
]


def slow_bm25(corpus: list[list[str]], query: list[str], k1: float, b: float) -> list[float]:
    """Lucene's BM25 as it stands in Kamphuis et al. (ECIR 2020), one document and one token at a time."""
    mean_length = sum(len(document) for document in corpus) / len(corpus)
    scores = []
    for document in corpus:
        score = 0.0
        for token in query:
            df = sum(token in other for other in corpus)
            tf = document.count(token)
            if tf:
                idf = math.log(1 + (len(corpus) - df + 0.5) / (df + 0.5))
                score += idf * tf / (tf + k1 * (1 - b + b * len(document) / mean_length))
        scores.append(score)
    return scores


def expected_order(scores: list[float], k: int) -> list[int]:
    """Best first, ties by position; only what scored at all."""
    found = [position for position, score in enumerate(scores) if score > 0]
    return sorted(found, key=lambda position: (-round(scores[position], 12), position))[:k]


def test_a_score_worked_out_by_hand() -> None:
    # "بيروت": df 1 of 3, tf 1, 4 tokens of a mean of 5.333 → ln(1 + 2.5/1.5) / (1 + 1.5·(0.25 + 0.75·4/5.333))
    (hit,) = BM25Retriever(CAPITALS).search("بيروت")
    assert len(tokenize(CAPITALS[2].text)) == 8
    assert hit.score == pytest.approx(0.980829 / 2.21875, abs=1e-6)
    assert (hit.chunk_id, hit.source, hit.text) == ("لبنان", "أ.pdf", "عاصمة لبنان هي بيروت")


def test_the_best_chunk_comes_first_with_all_that_it_carries() -> None:
    hits = BM25Retriever(CAPITALS).search("ما هي عاصمة مصر؟", k=2)
    assert [hit.chunk_id for hit in hits] == ["مصر", "لبنان"]
    assert hits[0].metadata == {"صفحة": 1}
    assert hits[0].score is not None
    assert hits[1].score is not None
    assert hits[0].score > hits[1].score


WORD = st.sampled_from(["قانون", "عمل", "مادة", "عقد", "أجر", "ملك", "2024", "زمن"])
TEXT = st.lists(WORD, max_size=12)


@settings(max_examples=60)
@given(
    st.lists(TEXT, min_size=1, max_size=12).filter(any),
    st.lists(WORD, max_size=6),
    st.integers(1, 15),
    st.sampled_from([(1.5, 0.75), (0.9, 0.4), (0.0, 0.0), (2.0, 1.0)]),
)
def test_order_and_scores_are_those_of_the_obvious_computation(
    corpus: list[list[str]], query: list[str], k: int, constants: tuple[float, float]
) -> None:
    k1, b = constants
    texts = [" ".join(words) for words in corpus]
    retriever = BM25Retriever([RetrievedChunk(text=text, chunk_id=str(i)) for i, text in enumerate(texts)], k1=k1, b=b)
    scores = slow_bm25([tokenize(text) for text in texts], tokenize(" ".join(query)), k1, b)
    hits = retriever.search(" ".join(query), k)
    assert [hit.chunk_id for hit in hits] == [str(position) for position in expected_order(scores, k)]
    assert [hit.score for hit in hits] == pytest.approx([scores[int(str(hit.chunk_id))] for hit in hits], abs=1e-9)


def test_ties_keep_the_order_of_the_corpus_at_every_cutoff() -> None:
    retriever = BM25Retriever([{"text": "عقد العمل", "chunk_id": i} for i in range(50)])
    for k in (1, 7, 49, 50, 500):
        assert [hit.chunk_id for hit in retriever.search("العمل", k)] == [str(i) for i in range(min(k, 50))]


def test_ties_that_differ_only_by_rounding_are_ties() -> None:
    # each of the three holds the same three scores, added up in another order
    corpus = ["ب ب ب ج ج د", "د د د ب ب ج", "ج ج ج د د ب"] + ["هـ"] * 4
    scores = slow_bm25([tokenize(text) for text in corpus], ["ب", "ج", "د"], 1.5, 0.75)[:3]
    assert 0 < max(scores) - min(scores) < 1e-12
    hits = BM25Retriever([{"text": text, "chunk_id": i} for i, text in enumerate(corpus)]).search("ب ج د")
    assert [hit.chunk_id for hit in hits] == ["0", "1", "2"]


@pytest.mark.parametrize("query", ["", "؟ !", "كلمة مجهولة", "\u200f"])
def test_what_shares_no_word_is_never_returned(query: str) -> None:
    assert BM25Retriever(CAPITALS).search(query, k=3) == []


def test_only_chunks_that_share_a_word_fill_the_result() -> None:
    assert [hit.chunk_id for hit in BM25Retriever(CAPITALS).search("لبنان", k=3)] == ["لبنان"]


def test_a_word_that_is_in_every_chunk_still_finds_them_all() -> None:
    assert len(BM25Retriever(["عقد أ", "عقد ب", "عقد ج"]).search("عقد", k=5)) == 3


def test_spelling_variants_and_digits_are_the_same_word() -> None:
    retriever = BM25Retriever(["صدر القانون رقم ١٤ لسنة ٢٠٢٥", "مَكتبةٌ كبيرة", "غيره"])
    assert [hit.text for hit in retriever.search("قانون 2025")] == ["صدر القانون رقم ١٤ لسنة ٢٠٢٥"]
    assert [hit.text for hit in retriever.search("مكتبه")] == ["مَكتبةٌ كبيرة"]


def test_empty_chunks_among_others_are_allowed() -> None:
    retriever = BM25Retriever(["", "عقد العمل", "…"])
    assert len(retriever) == 3
    assert [hit.text for hit in retriever.search("العمل", k=3)] == ["عقد العمل"]


def test_chunks_of_every_kind() -> None:
    class Document:
        page_content = "نص الوثيقة"
        metadata: ClassVar = {"chunk_id": 12.0}

    retriever = BM25Retriever(iter(["نص حر", {"text": "نص القاموس", "chunk_id": "007"}, Document()]))
    assert [hit.chunk_id for hit in retriever.search("نص")] == [None, "007", "12"]
    assert repr(retriever) == "BM25Retriever(3 chunks, k1=1.5, b=0.75)"


@pytest.mark.parametrize(
    ("chunks", "options", "message"),
    [
        ([], {}, "there are no chunks to search in"),
        (iter([]), {}, "there are no chunks to search in"),
        (["", "…"], {}, r"none of the 2 chunks has a token.*which column"),
        (["نص"], {"k1": -0.1}, r"k1 is -0\.1"),
        (["نص"], {"k1": float("nan")}, "k1 is nan"),
        (["نص"], {"k1": float("inf")}, "k1 is inf"),
        (["نص"], {"b": 1.1}, r"b is 1\.1"),
        (["نص"], {"b": -1}, "b is -1"),
    ],
)
def test_what_cannot_be_searched_is_refused(chunks: Any, options: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        BM25Retriever(chunks, **options)


def test_a_chunk_that_is_none_is_refused() -> None:
    with pytest.raises(PipelineOutputError):
        BM25Retriever(["نص", object()])


@pytest.mark.parametrize("k", [0, -1])
def test_a_cutoff_below_one(k: int) -> None:
    with pytest.raises(ConfigError, match=f"k is {k}"):
        BM25Retriever(CAPITALS).search("مصر", k)


def test_settings_change_with_everything_that_changes_the_result() -> None:
    first = BM25Retriever(CAPITALS).settings
    assert first == BM25Retriever(list(CAPITALS)).settings
    assert {key: first[key] for key in ("method", "k1", "b", "chunks")} == {
        "method": "lucene",
        "k1": 1.5,
        "b": 0.75,
        "chunks": 3,
    }
    others = [
        BM25Retriever(CAPITALS, k1=1.2),
        BM25Retriever(CAPITALS, b=0.5),
        BM25Retriever(CAPITALS[::-1]),
        BM25Retriever(CAPITALS[:2]),
        BM25Retriever([*CAPITALS[:2], RetrievedChunk(text=CAPITALS[2].text)]),
        BM25Retriever([*CAPITALS[:2], RetrievedChunk(text=CAPITALS[2].text + "!", chunk_id="نيل")]),
        BM25Retriever([*CAPITALS[:2], RetrievedChunk(text=CAPITALS[2].text, chunk_id="نيل", source="ب.pdf")]),
    ]
    digests = [str(sorted(settings_of.settings.items())) for settings_of in others]
    assert len({str(sorted(first.items())), *digests}) == len(others) + 1


def test_lone_surrogates_do_not_break_the_digest() -> None:
    assert BM25Retriever(["نص \ud800"]).settings["chunks"] == 1


def test_nothing_is_printed_or_logged(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        BM25Retriever(CAPITALS).search("مصر")
    assert capfd.readouterr() == ("", "")
    assert [record for record in caplog.records if record.name.startswith("bm25s")] == []


def test_the_librarys_logger_is_left_as_it_was_found() -> None:
    code = (
        "import logging; logging.basicConfig(level=logging.DEBUG)\n"
        "from muffakir_eval.pipelines import BM25Retriever\n"
        "BM25Retriever(['نص']).search('نص')\n"
        "logger = logging.getLogger('bm25s'); print(logger.level, logger.disabled)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8")
    assert (done.stdout.split(), "bm25s" in done.stderr) == (["0", "False"], False)


def test_importing_the_package_loads_no_heavy_library() -> None:
    code = (
        "import sys, muffakir_eval.pipelines\n"
        "print([name for name in ('bm25s', 'numpy', 'pandas', 'openpyxl', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
