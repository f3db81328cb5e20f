"""BEIR folders as they come."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval.datasets.beir import read_beir
from muffakir_eval.errors import DatasetFormatError, DatasetNotFoundError, DatasetRowError

Make = Callable[..., Path]
PLAIN = {"qrels_tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n"}


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"_id": "d1", "title": "العنوان", "text": "النص"}, "العنوان النص"),
        ({"_id": "d1", "title": " العنوان", "text": "النص "}, "العنوان النص"),
        ({"_id": "d1", "title": "العنوان", "text": ""}, "العنوان"),
        ({"_id": "d1", "title": "العنوان"}, "العنوان"),
        ({"_id": "d1", "title": "", "text": " النص\n"}, " النص\n"),
        ({"_id": "d1", "title": None, "text": "النص"}, "النص"),
        ({"_id": "d1", "text": "النص"}, "النص"),
        ({"_id": "d1", "text": ""}, ""),
        ({"_id": "d1", "text": 7}, "7"),
        ({"_id": "d1", "text": "سطر\u2028سطر\x85"}, "سطر\u2028سطر\x85"),
    ],
)
def test_the_text_of_a_document(make: Make, row: dict[str, Any], text: str) -> None:
    assert read_beir(make(corpus=[row]))[0] == {"d1": text}


def test_identifiers_are_text_from_start_to_end(make: Make) -> None:
    corpus = (
        '{"_id": 7, "text": "a"}\n{"_id": "007", "text": "b"}\n{"_id": 1.10, "text": "c"}\n{"id": 9, "text": "d"}\n'
    )
    folder = make(corpus=corpus, queries='{"_id": 12.0, "text": "س"}\n', qrels_tsv="12\t007\t1\n12\t7\t2\n")
    assert read_beir(folder) == (
        {"7": "a", "007": "b", "1.10": "c", "9": "d"},
        {"12": "س"},
        {"12": {"007": 1.0, "7": 2.0}},
    )


def test_numbers_that_became_fractions_and_white_space_find_what_they_mean(make: Make) -> None:
    folder = make(
        corpus=[{"_id": 7, "text": "a"}, {"_id": "8.0", "text": "b"}],
        queries=[{"_id": "q1", "text": "س"}],
        qrels_tsv='query-id\tcorpus-id\tscore\nq1 \t7.0\t1.0\nq1\t8.0\t1\n"q1 "\t7\t1\n',
    )
    with pytest.warns(UserWarning, match="'q1 '"):
        assert read_beir(folder)[2] == {"q1": {"7": 1.0, "8.0": 1.0}, "q1 ": {"7": 1.0}}


@pytest.mark.parametrize(
    "qrels",
    [
        "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
        "q1\td1\t1\n",
        "q1\td1\t1",
        "q1\td1\n",
        "query_id\tdoc_id\nq1\td1\n",
        "\ufeffquery-id\tcorpus-id\tscore\r\nq1\td1\t1\r\n\r\n",
        "query-id\tcorpus-id\tscore\rq1\td1\t1\r",
        "query-id\titeration\tcorpus-id\tscore\nq1\t0\td1\t1\n",
        "query-id\tcorpus-id\tscore\tannotator\nq1\td1\t1\tسعاد\nq1\td1\t1\n",
        'query-id\tcorpus-id\tscore\n"q1"\t"d1"\t"1"\n',
        "corpus-id\tquery-id\tscore\nd1\tq1\t1\n",
        "Question ID\tDocument\tRelevance\nq1\td1\t1\n",
        "question\tpassage\tgrade\nq1\td1\t1\n",
        "q1\td1\t\u0661\n",
        "query-id\tcorpus-id\tscore\nq1\td1\t1.0\nq1\td1\t1\n",
        "query-id\tcorpus-id\tjudged\nq1\td1\t 1e0 \n",
        "\n\nq1\td1\t1\n",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_forms_of_the_judgements(make: Make, qrels: str, encoding: str) -> None:
    assert read_beir(make(qrels_tsv=qrels.encode(encoding)))[2] == {"q1": {"d1": 1.0}}


@pytest.mark.parametrize(
    ("qrels", "line", "parts"),
    [
        ("query-id\tcorpus-id\tscore\nq1\td1\tyes\n", 2, ["the score is 'yes'", "a number"]),
        ("q1\td1\t1\nq1\td2\tnan\n", 2, ["the score is 'nan'"]),
        ("q1\td1\t1\nq1\td2\t1_0\n", 2, ["the score is '1_0'"]),
        ("q1\td1\t1\nq1\td2\t1e400\n", 2, ["the score is '1e400'"]),
        (f"q1\td1\t1\nq1\td2\t{'9' * 309}\n", 2, ["the score is '999"]),
        ("q1\td1\t1\nq1\td2\t\n", 2, ["the score is ''"]),
        ("q1\td1\t1\nq1\td2\n", 2, ["2 columns found in 'q1\\td2'", "query-id, corpus-id and score"]),
        ("q1\td1\t1\n\nq1 d2 1\n", 3, ["1 column found in 'q1 d2 1'"]),
        ("q1\td1\t1\nq1\td2\t1\tx\n", 2, ["4 columns found"]),
        ("q1\td1\t1\nq1\t\t1\n", 2, ["the corpus-id is empty"]),
        ("q1\td1\t1\n \td1\t1\n", 2, ["the query-id is empty"]),
        ("q1\td1\tyes\n", 1, ["'q1\\td1\\tyes', is neither a judgement nor a header"]),
        ("q1 d1 1\n", 1, ["neither a judgement nor a header", "with tabs between the columns"]),
        (
            "query-id,corpus-id,score\nq1,d1,1\n",
            1,
            ["neither a judgement nor a header", "with tabs between the columns"],
        ),
        ("q1 0 d1 1\n", 1, ["as in the qrels files of TREC", "load_trec"]),
        ("q1\tQ0\td1\t1\n", 1, ["as in the qrels files of TREC", "read_qrels"]),
        ('q1\td1\t1\nq1\t"d2\t1\nq1\td3\t1\n', 2, ["the quote that opens here is never closed", '""']),
        ('q1\td1\t1\nq1\t"d2"x\t1\n', 2, ["something follows the quote"]),
        ("q1\td1\t1\nq1\td2\t1\nq1\td1\t0\n", 3, ["'d1' has the grade 0.0 for query 'q1', and 1.0 in line 1"]),
    ],
)
def test_a_malformed_line_is_named(make: Make, qrels: str, line: int, parts: list[str]) -> None:
    folder = make(qrels_tsv=qrels)
    with pytest.raises(DatasetRowError) as caught:
        read_beir(folder)
    assert str(caught.value).startswith(f"{folder / 'qrels.tsv'}, line {line}: ")
    assert caught.value.row == line
    for part in [*parts, "Expected:", "What to do:"]:
        assert part in str(caught.value)


def test_a_quote_within_a_cell_is_no_quote(make: Make) -> None:
    folder = make(corpus=[{"_id": 'd"1"', "text": "x"}], qrels_tsv='q1\td"1"\t1\n')
    assert read_beir(folder)[2] == {"q1": {'d"1"': 1.0}}


@pytest.mark.parametrize(
    ("part", "text", "line", "said"),
    [
        (
            "corpus",
            '{"_id": "a", "text": "x"}\n{"_id": "b", "text": x}\n',
            2,
            "not valid JSON: Expecting value (column",
        ),
        ("corpus", '{"text": "x"}\n', 1, "the identifier is missing"),
        ("corpus", '{"_id": null, "text": "x"}\n', 1, "the identifier is missing"),
        ("corpus", '{"_id": ["a"], "text": "x"}\n', 1, "the identifier is ['a']"),
        ("corpus", '{"_id": "a"}\n', 1, "the text is missing"),
        ("corpus", '{"_id": "a", "text": null}\n', 1, "the text is missing"),
        ("corpus", '{"_id": "a", "text": ["x"]}\n', 1, "the text is no text"),
        ("corpus", '{"_id": "a", "title": {}, "text": "x"}\n', 1, "the title is no text"),
        ("corpus", '["a"]\n', 1, "the line holds no object"),
        ("corpus", '{"_id": "a", "text": "x"}\n\n{"_id": "a", "text": "x"}\n', 3, "'a' stands in line 1 already"),
        ("corpus", '{"_id": 7, "text": "x"}\n{"_id": "7", "text": "y"}\n', 2, "'7' stands in line 1 already"),
        ("queries", '{"_id": "q", "text": "س"}\n{"_id": "q", "text": "ص"}\n', 2, "'q' stands in line 1 already"),
        ("queries", '{"_id": "q", "text": "س", "text": "ص"}\n', 1, "the key 'text' stands twice"),
    ],
)
def test_a_bad_line_of_the_texts_is_named(make: Make, part: str, text: str, line: int, said: str) -> None:
    folder = make(**{part: text}, qrels_tsv=PLAIN["qrels_tsv"])
    with pytest.raises(DatasetRowError) as caught:
        read_beir(folder)
    assert str(caught.value).startswith(f"{folder / part}.jsonl, line {line}: ")
    assert said in str(caught.value)


def test_empty_files_are_empty(make: Make) -> None:
    assert read_beir(make(corpus="", queries="\n", qrels_tsv="")) == ({}, {}, {})


def test_compressed_files(make: Make) -> None:
    folder = make(corpus=None, queries=None, corpus_jsonl_gz='{"_id": "d1", "text": "نص"}\n')
    make(None, None, queries_jsonl_gz='{"_id": "q1", "text": "س"}\n')
    make(None, None, qrels_tsv_gz="q1\td1\t1\n")
    assert read_beir(folder) == ({"d1": "نص"}, {"q1": "س"}, {"q1": {"d1": 1.0}})


def test_a_file_that_is_there_twice_is_told(make: Make) -> None:
    folder = make(corpus_jsonl_gz="", **PLAIN)
    with pytest.warns(UserWarning, match=r"corpus.jsonl.gz is there too and is not read"):
        assert read_beir(folder)[0] == {"d1": "نص"}


def test_what_is_called_compressed_and_is_not(make: Make) -> None:
    folder = make()
    (folder / "corpus.jsonl").rename(folder / "corpus.jsonl.gz")
    with pytest.raises(DatasetFormatError, match=r"corpus\.jsonl\.gz"):
        read_beir(folder)


def test_text_that_is_not_utf8(make: Make) -> None:
    with pytest.raises(DatasetFormatError, match="cannot be decoded"):
        read_beir(make(qrels_tsv="q1\tسؤال\t1\n".encode("cp1256")))


@pytest.fixture
def no_warning() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize(
    ("names", "taken", "others"),
    [
        (["qrels.tsv", "qrels/test.tsv"], "qrels.tsv", "qrels/test.tsv is there too"),
        (["qrels/train.tsv", "qrels/dev.tsv", "qrels/test.tsv"], "qrels/test.tsv", "dev.tsv and qrels/train.tsv are"),
        (["qrels/train.tsv", "qrels/dev.tsv"], "qrels/dev.tsv", "qrels/train.tsv is there too"),
    ],
)
def test_of_several_files_of_judgements_one_is_taken_and_named(
    make: Make, names: list[str], taken: str, others: str
) -> None:
    grades = {name: number for number, name in enumerate(names, start=1)}
    folder = make(**{name.replace("/", "__").replace(".", "_"): f"q1\td1\t{grade}\n" for name, grade in grades.items()})
    with pytest.warns(UserWarning, match="the judgements are those of") as caught:
        assert read_beir(folder)[2] == {"q1": {"d1": float(grades[taken])}}
    (warning,) = caught
    assert f"those of {taken}; " in str(warning.message)
    assert others in str(warning.message)
    assert warning.filename == __file__


def test_one_that_is_named_is_taken_without_a_word(make: Make) -> None:
    folder = make(qrels__test_tsv="q1\td1\t1\n", qrels__train_tsv="q1\td1\t3\n")
    assert read_beir(folder, qrels="qrels/train.tsv")[2] == {"q1": {"d1": 3.0}}
    assert read_beir(str(folder), qrels=Path("qrels") / "train.tsv")[2] == {"q1": {"d1": 3.0}}
    assert read_beir(folder, qrels=folder / "qrels" / "train.tsv")[2] == {"q1": {"d1": 3.0}}


@pytest.mark.parametrize(
    ("parts", "qrels", "said"),
    [
        ({"corpus": None}, None, "there is neither corpus.jsonl nor corpus.jsonl.gz"),
        ({"queries": None}, None, "there is neither queries.jsonl nor queries.jsonl.gz"),
        ({"qrels_tsv": None}, None, "looked for qrels.tsv, qrels/test.tsv, qrels/dev.tsv, qrels/train.tsv, each also"),
        ({"qrels__validation_tsv": "q1\td1\n"}, None, "with qrels: qrels/validation.tsv"),
        ({}, "qrels/dev.tsv", "looked for qrels/dev.tsv, each also with .gz. What to do: name one of those that are"),
    ],
)
def test_a_missing_file_is_named(make: Make, parts: dict[str, Any], qrels: str | None, said: str) -> None:
    folder = make(**parts)
    with pytest.raises(FileNotFoundError) as caught:
        read_beir(folder, qrels=qrels)
    assert isinstance(caught.value, DatasetNotFoundError)
    assert said in str(caught.value)
    assert str(folder) in str(caught.value)


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no such folder"):
        read_beir(tmp_path / "gone")
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileNotFoundError, match="this is no folder"):
        read_beir(tmp_path / "file")


def test_judgements_of_what_is_not_there_are_kept_and_counted(make: Make) -> None:
    folder = make(qrels_tsv="q1\td1\t1\nq2\td9\t1\nq3\td1\t1\n")
    with pytest.warns(UserWarning, match="are not|not in") as caught:
        qrels = read_beir(folder)[2]
    assert qrels == {"q1": {"d1": 1.0}, "q2": {"d9": 1.0}, "q3": {"d1": 1.0}}
    told = " | ".join(str(warning.message) for warning in caught)
    assert "2 of 3 judged queries are not among the queries (first: 'q2')" in told
    assert "1 of 2 judged documents are not in the corpus (first: 'd9')" in told


def test_queries_without_judgement_are_kept(make: Make) -> None:
    folder = make(queries=[{"_id": "q1", "text": "س"}, {"_id": "q2", "text": "ص"}], **PLAIN)
    assert read_beir(folder)[1] == {"q1": "س", "q2": "ص"}


def test_a_number_that_is_none_reads_as_missing_and_is_told(make: Make) -> None:
    folder = make(corpus='{"_id": "d1", "text": "x", "score": NaN}\n')
    with pytest.warns(UserWarning, match="NaN is no JSON"):
        read_beir(folder)
