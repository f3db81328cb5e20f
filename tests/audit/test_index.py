"""``audit_index`` from end to end: what goes in, what comes out, and what is done about bad input."""

from __future__ import annotations

import asyncio
import csv
import io
import itertools
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import (
    BM25Retriever,
    ConfigError,
    DatasetError,
    IndexAudit,
    MuffakirEvaluation,
    PipelineDownError,
    PipelineOutput,
    RetrievedChunk,
    Sample,
    StorageError,
    aaudit_index,
    audit_index,
    write_beir,
)
from muffakir_eval.audit.corpus import open_corpus
from muffakir_eval.audit.settings import AuditConfig
from tests.audit.made import article

CORPUS = [{"chunk_id": f"م{n}", "text": article(n), "source": f"{n % 3}.pdf"} for n in range(1, 41)]
QUESTIONS = [{"question": f"سؤال {n}", "context": article(n), "source_file": f"{n % 3}.pdf"} for n in range(1, 11)]
BY_QUESTION = {row["question"]: row["context"] for row in QUESTIONS}


def retriever(question: str, k: int) -> list[dict[str, Any]]:
    """The gold at rank 2."""
    return [CORPUS[30], next(chunk for chunk in CORPUS if chunk["text"] == BY_QUESTION[question]), *CORPUS[31:35]][:k]


def audited(corpus: Any = CORPUS, dataset: Any = QUESTIONS, rag: Any = None, **settings: Any) -> IndexAudit:
    return audit_index(corpus, dataset, rag, **{"progress": False, **settings})


def codes(audit: IndexAudit) -> set[str]:
    return {finding.code for finding in audit.findings if finding.severity != "info"}


def test_without_a_retriever() -> None:
    audit = audited()
    assert audit.outcomes == {"in_index": 10}
    assert (audit.metrics, audit.reachable, audit.partial) == ({}, 1.0, False)
    told = audit.to_dict()
    assert (told["retriever"], told["gain"], told["ranks"]) == (None, None, None)
    assert told["corpus"]["n_chunks"] == 40
    assert (told["corpus"]["n_with_id"], told["corpus"]["n_sources"]) == (40, 3)
    assert audit.questions[0].places[0].chunk_id == "م1"
    assert audit.questions[0].message == "in the index at item 1 (id م1)"


def test_settings_that_were_checked_before_mean_the_same() -> None:
    given = {"overlap_threshold": 0.9, "matching": {"coverage_threshold": 0.8}}
    for config in (given, AuditConfig.from_mapping(given)):
        told = audit_index(CORPUS, QUESTIONS, config=config, progress=False, top_n=50).to_dict()
        assert (told["matching"]["overlap_threshold"], told["matching"]["coverage_threshold"]) == (0.9, 0.8)
        assert told["config"]["top_n"] == 50


def test_the_figures_are_those_of_a_run_on_the_same_data() -> None:
    audit = audited(rag=retriever, k=3, k_values=[1, 3])
    config = {"metrics": ["recall", "mrr", "ndcg"], "k": 3, "k_values": [1], "progress": False}
    run = MuffakirEvaluation({**config, "pipeline_mode": "retrieval_only"}).evaluate(retriever, QUESTIONS)
    for name, key in (("recall", "recall_at_k"), ("mrr", "mrr"), ("ndcg", "ndcg_at_k")):
        assert audit.metrics[f"{name}@3"]["mean"] == run.metrics[key]["mean"]
        assert audit.metrics[f"{name}@3"]["interval"] == run.metrics[key]["interval"]
        assert audit.metrics[f"{name}@1"] == run.metrics[f"{name}@1"]
    assert audit.metrics["mrr@3"]["mean"] == 0.5
    assert audit.outcomes == {"found": 10}
    assert [row.first_relevant_rank for row in audit.questions] == [2] * 10


def test_bm25_by_name_searches_the_corpus_itself() -> None:
    rows = [{"question": article(n), "context": article(n)} for n in range(1, 11)]
    by_name = audited(dataset=rows, rag="BM25", top_n=10).to_dict()
    by_object = audited(dataset=rows, rag=BM25Retriever(CORPUS), top_n=10).to_dict()
    assert by_name["metrics"] == by_object["metrics"]
    assert by_name["metrics"]["recall@1"]["mean"] == 1.0
    assert by_name["retriever"]["pipeline_id"] == "bm25"


def test_inside_a_running_loop() -> None:
    async def both() -> tuple[IndexAudit, IndexAudit]:
        return await aaudit_index(CORPUS, QUESTIONS, retriever, progress=False), audited(rag=retriever)

    awaited, called = asyncio.run(both())
    assert awaited.outcomes == called.outcomes == {"found": 10}


def test_several_processes_find_the_same() -> None:
    alone, together = (audited(rag=retriever, workers=workers).to_dict() for workers in (1, 2))
    for key in ("outcomes", "metrics", "findings", "health", "index", "questions"):
        assert alone[key] == together[key]


def test_only_the_texts() -> None:
    audit = audited(dataset=None)
    assert (audit.questions, audit.outcomes, audit.reachable) == ((), {}, None)
    assert audit.to_dict()["dataset"] is None
    assert audit.to_dict()["health"]
    assert (audit.exit_code(), audit.exit_code(min_reachable=0.5)) == (0, 3)


def test_a_dataset_without_gold_says_what_can_still_be_audited() -> None:
    rows = [{"question": f"سؤال {n}"} for n in range(1, 4)]
    audit = audited(dataset=rows, rag=lambda question: [] if question.endswith("1") else CORPUS[:2])
    finding = audit.finding("dataset_without_gold")
    assert finding is not None
    assert "Audited are the texts of the index" in finding.message
    told = audit.to_dict()
    assert (told["retriever"]["n_empty"], told["retriever"]["latency_ms"]["n"]) == (1, 3)
    assert {(block["mean"], block["reason"]) for block in audit.metrics.values()} == {(None, "no_gold")}
    assert (told["lost"], told["gain"], told["index"]["ceiling"], audit.reachable) == (None, None, None, None)
    assert audit.outcomes == {"no_gold": 3}
    assert audit.exit_code() == 3


def test_some_questions_without_gold_are_no_zero() -> None:
    audit = audited(dataset=[*QUESTIONS, {"question": "سؤال بلا دليل"}], rag=lambda question, k: CORPUS[:k], top_n=20)
    assert audit.metrics["recall@20"]["n_scored"] == 10
    assert audit.metrics["recall@20"]["mean"] == 1.0
    assert audit.outcomes["no_gold"] == 1


def test_an_unreadable_line_is_counted_and_named(tmp_path: Path) -> None:
    lines = [json.dumps(chunk, ensure_ascii=False) for chunk in CORPUS]
    lines[6] = lines[6][:20]
    file = tmp_path / "corpus.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    audit = audited(file)
    finding = audit.finding("unreadable_line")
    assert finding is not None
    assert (finding.severity, finding.count, finding.total, finding.unit) == ("error", 1, 40, "lines")
    assert finding.examples[0].at.place.endswith("line 7")
    assert finding.examples[0].detail
    assert audit.outcomes == {"in_index": 9, "not_in_index": 1}
    assert audit.to_dict()["corpus"]["n_unreadable"] == 1
    assert audit.questions[7].places[0].place.endswith("line 8")
    assert audit.exit_code() == 1


def test_a_corpus_without_identifiers() -> None:
    texts = [chunk["text"] for chunk in CORPUS]
    assert audited(texts, rag=retriever).outcomes == {"found": 10}
    by_id = [{"question": "سؤال 1", "chunk_id": "م1"}]
    audit = audited(texts, by_id)
    assert audit.outcomes == {"not_compared": 1}
    assert codes(audit) == {"gold_not_compared"}
    assert (audit.reachable, audit.exit_code()) == (None, 3)


def test_an_empty_corpus_and_one_that_is_none() -> None:
    with pytest.raises(DatasetError, match="there is nothing in it"):
        audited([])
    with pytest.raises(ConfigError, match="the corpus is"):
        audited(None)
    with pytest.raises(DatasetError, match=r"no rows"):
        audited(dataset=[])


def test_of_an_index_that_cannot_be_read_one_hears_before_any_question_is_asked(tmp_path: Path) -> None:
    asked: list[str] = []
    file = tmp_path / "corpus.csv"
    file.write_text("a,b\n1,2\n", encoding="utf-8")

    def rag(question: str) -> list[str]:
        asked.append(question)
        return []

    with pytest.raises(DatasetError):
        audited(file, rag=rag)
    assert asked == []


def test_a_retriever_over_another_index() -> None:
    def stale(question: str) -> list[dict[str, str]]:
        return [{"chunk_id": f"old-{question}", "text": BY_QUESTION[question]}, {"chunk_id": "م1", "text": article(1)}]

    audit = audited(CORPUS[5:], rag=stale)
    finding = audit.finding("retrieved_outside_index")
    assert finding is not None
    assert (finding.count, finding.total) == (11, 11)
    assert audit.outcomes == {"found": 10}
    outside = audit.finding("found_outside_index")
    assert outside is not None
    assert outside.count == 5


def test_a_retriever_that_returns_only_identifiers() -> None:
    audit = audited(rag=lambda question: [{"chunk_id": "م1", "text": ""}])
    assert audit.outcomes == {"not_compared": 10}
    assert audit.metrics["recall@5"]["mean"] is None
    assert audit.metrics["recall@5"]["reason"] == "not_comparable"
    assert "retrieved_not_compared" in codes(audit)
    by_id = [{"question": row["question"], "chunk_id": f"م{n}"} for n, row in enumerate(QUESTIONS, start=1)]
    assert audited(dataset=by_id, rag=lambda question: [{"chunk_id": "م1"}]).outcomes == {
        "found": 1,
        "not_retrieved": 9,
    }


def test_identifiers_keep_their_zeros() -> None:
    corpus = [{"chunk_id": f"{n:03}", "text": article(n)} for n in range(1, 13)]
    dataset = [{"question": f"سؤال {n}", "chunk_id": str(n)} for n in range(1, 13)]
    audit = audited(corpus, dataset)
    assert audit.outcomes == {"unknown_id": 12}
    assert codes(audit) == {"padded_gold_id"}
    assert "'001' differs from it only in zeros" in audit.questions[0].message


def test_recorded_rankings_are_audited() -> None:
    chunks = [RetrievedChunk(text=chunk["text"], chunk_id=chunk["chunk_id"]) for chunk in CORPUS]
    samples = [
        Sample(
            sample_id=str(n),
            question=f"سؤال {n}",
            contexts=(article(n),),
            recorded=PipelineOutput(chunks=tuple(chunks[:6])),
        )
        for n in range(1, 11)
    ]
    audit = audited(dataset=samples)
    retriever = audit.to_dict()["retriever"]
    assert (retriever["recorded"], retriever["top_n"], retriever["cap"]) == (True, 6, None)
    assert audit.outcomes == {"found": 5, "below_k": 1, "not_retrieved": 4}
    assert "The recorded rankings hold 6 chunks at most." in str(audit)
    assert "retriever_capped" not in codes(audit)


def test_the_folder_of_a_run_is_a_dataset(tmp_path: Path) -> None:
    config = {"metrics": ["recall"], "k": 3, "progress": False}
    MuffakirEvaluation(config).evaluate(retriever, QUESTIONS, save=True, output_dir=tmp_path / "run")
    audit = audited(dataset=tmp_path / "run")
    assert audit.outcomes == {"found": 10}
    assert audit.to_dict()["retriever"]["most_returned"] == 3  # as many as that run asked for


def test_relevance_judgements_are_compared_by_identifier(tmp_path: Path) -> None:
    documents = {str(chunk["chunk_id"]): str(chunk["text"]) for chunk in CORPUS}
    qrels = {f"q{n}": {f"م{n}": 1} for n in range(1, 4)} | {"q4": {"gone": 1}}
    write_beir(tmp_path, documents, {name: f"سؤال {name}" for name in qrels}, qrels)
    audit = audited(tmp_path, tmp_path)
    assert audit.outcomes == {"in_index": 3, "unknown_id": 1}
    assert audit.to_dict()["matching"]["match_by"] == "id"


def test_a_retriever_that_is_down_leaves_what_can_be_said(tmp_path: Path) -> None:
    def down(question: str) -> list[Any]:
        raise ConnectionError("refused")

    with pytest.raises(PipelineDownError) as caught:
        audited(CORPUS[2:], rag=down, max_pipeline_errors=3, save=True, output_dir=tmp_path / "out")
    audit = caught.value.report
    assert isinstance(audit, IndexAudit)
    assert audit.partial
    assert audit.outcomes == {"in_index": 7, "not_in_index": 2, "pipeline_error": 1}
    assert "retriever_failed" in codes(audit)
    assert "The audit is not complete: the pipeline failed on 3 questions in a row" in str(audit)
    assert json.loads((tmp_path / "out" / "audit.json").read_text(encoding="utf-8"))["partial"] is True


def test_secrets_stay_out_of_every_file(tmp_path: Path) -> None:
    class Store:
        api_key = "zebra-crossing"

        def __init__(self) -> None:
            self.api_key = "zebra-crossing"

        def retrieve(self, question: str) -> list[Any]:
            raise ValueError(f"401 for zebra-crossing on {question}")

    audit = audited(rag=Store(), save=True, output_dir=tmp_path)
    assert audit.questions[0].error == "ValueError: 401 for *** on سؤال 1"
    for file in tmp_path.iterdir():
        assert b"zebra" not in file.read_bytes()
    assert "zebra" not in str(audit)


def test_the_files(tmp_path: Path) -> None:
    hostile = [*QUESTIONS[:2], {"question": '=HYPERLINK("x")', "context": "-1+1 نص لا وجود له في الفهرس أصلا"}]
    audit = audited(dataset=hostile, rag=lambda question: CORPUS[:1])
    assert not audit.folder
    folder = audit.save(tmp_path / "new" / "folder")
    assert str(audit.folder) == str(folder)
    assert {file.name for file in folder.iterdir()} == {"audit.json", "audit_findings.csv", "audit_questions.csv"}
    written = (folder / "audit.json").read_bytes()
    assert json.loads(written, parse_constant=pytest.fail) == audit.to_dict()
    questions = (folder / "audit_questions.csv").read_bytes()
    assert questions.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(questions.decode("utf-8-sig"), newline="")))
    assert [row["outcome"] for row in rows] == ["found", "not_retrieved", "not_in_index"]
    assert rows[2]["question"].startswith("'=")
    assert rows[1]["gold_chunk_id"] == "م2"
    assert {row["audit_id"] for row in rows} == {audit.audit_id} == {audit.to_dict()["audit_id"]}
    text = (folder / "audit_findings.csv").read_text(encoding="utf-8-sig")
    findings = list(csv.DictReader(io.StringIO(text, newline="")))
    assert {row["code"] for row in findings} == {finding.code for finding in audit.findings}
    assert all(not row["excerpt"].startswith("-") for row in findings)
    before = {file.name: file.stat().st_ino for file in folder.iterdir()}
    audit.save(folder)
    assert before != {file.name: file.stat().st_ino for file in folder.iterdir()}  # replaced, not written over
    audit.save(folder, html=True)
    assert "<h1" in (folder / "report.html").read_text(encoding="utf-8")


def test_half_a_character_can_be_written(tmp_path: Path) -> None:
    corpus = [*CORPUS, {"chunk_id": "x", "text": f"{article(50)} \ud83d"}]
    samples = [Sample(sample_id="1", question="سؤال \ud83d", contexts=("نص آخر لا يوجد هنا \ud83d",))]
    audit = audited(corpus, samples, rag=lambda question: corpus[-1:])
    assert audit.outcomes == {"not_in_index": 1}
    assert json.loads((audit.save(tmp_path) / "audit.json").read_text(encoding="utf-8")) == audit.to_dict()
    assert "\\ud83d" in (tmp_path / "audit_questions.csv").read_text(encoding="utf-8-sig")


def test_an_empty_result_is_measured_and_precision_divides_by_k() -> None:
    audit = audited(dataset=QUESTIONS[:2], rag=lambda question: CORPUS[:1] if question.endswith("1") else [])
    assert audit.outcomes == {"found": 1, "not_retrieved": 1}
    assert audit.metrics["recall@5"]["mean"] == 0.5
    assert audit.metrics["precision@5"]["mean"] == pytest.approx(0.1)
    assert audit.questions[1].message == "in the index at item 2 (id م2), and nothing came back"


def test_frames() -> None:
    audit = audited(rag=retriever)
    frame = audit.to_dataframe()
    assert len(frame) == 10
    assert frame["first_relevant_rank"].tolist() == [2] * 10
    assert (str(frame["covered"].dtype), str(frame["row"].dtype)) == ("float64", "Int64")
    findings = audited(CORPUS[1:]).findings_dataframe()
    assert findings.loc[findings["code"] == "gold_not_in_index", "place"].tolist() == ["dataset, row 1"]
    assert len(audited(dataset=None).to_dataframe()) == 0


def test_settings_come_as_words_or_as_a_dict() -> None:
    told = audited(config={"k": 2, "top_n": 8}, k=3).to_dict()
    assert (told["k"], told["k_values"]) == (3, [1, 3, 5])
    assert audited(config=AuditConfig(k=2)).to_dict()["k"] == 2


def test_a_corpus_that_is_open_already() -> None:
    assert audited(open_corpus(CORPUS)).outcomes == {"in_index": 10}
    assert audited(iter(CORPUS)).outcomes == {"in_index": 10}


@pytest.mark.parametrize(
    ("corpus", "dataset", "rag", "settings", "said"),
    [
        (CORPUS, QUESTIONS, None, {"topn": 5}, "did you mean 'top_n'"),
        (CORPUS, None, retriever, {}, "no question to ask it"),
        (CORPUS, QUESTIONS, "bm52", {}, "unknown retriever 'bm52'"),
        (iter(CORPUS), QUESTIONS, "bm25", {}, "can be read only once"),
        (CORPUS, QUESTIONS, object(), {}, "nothing that can be asked"),
        ("", QUESTIONS, None, {}, "the path of the corpus is empty"),
        (CORPUS, QUESTIONS, None, {"k_values": [200]}, "raise top_n, or lower k_values"),
        (CORPUS, QUESTIONS, None, {"llm_model": "m"}, "says nothing in an audit"),
    ],
)
def test_used_wrongly(corpus: Any, dataset: Any, rag: Any, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        audited(corpus, dataset, rag, **settings)
    assert said in str(caught.value)


def test_no_key_and_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert audited(rag=retriever).outcomes == {"found": 10}


def test_a_failure_while_reading_ends_the_audit() -> None:
    def chunks() -> Any:
        yield from CORPUS
        for number in range(1000):
            yield {"text": article(number)}
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        audited(chunks())


def test_documents_tell_where_most_is_missing() -> None:
    gone = [chunk for chunk in CORPUS if chunk["source"] != "1.pdf"]
    audit = audited(gone)
    [first, *_] = audit.to_dict()["slices"]["source_file"]
    assert (first["value"], first["n"], first["n_in_trouble"]) == ("1.pdf", 4, 4)
    missing = audit.finding("source_not_in_index")
    assert missing is not None
    assert (missing.count, missing.total) == (1, 3)


def test_a_column_that_no_question_has_is_named() -> None:
    with pytest.raises(ConfigError, match="no question has anything in the column 'sorce_file'") as caught:
        audited(slice_by=["sorce_file"])
    assert caught.value.remedy == "did you mean 'source_file'?"


def test_a_column_is_found_by_its_own_name_and_by_that_of_its_field() -> None:
    questions = [{"question": row["question"], "context": row["context"], "المستند": "أ"} for row in QUESTIONS]
    for name in ("المستند", "source_file"):
        told = audited(dataset=questions, slice_by=[name], column_mapping={"source_file": "المستند"}).to_dict()
        assert [row["value"] for row in told["slices"]["source_file"]] == ["أ"]


def test_bad_questions_are_set_aside_and_named() -> None:
    bad = [{"question": " ", "context": "نص"}] * 7
    told = audited(dataset=[*QUESTIONS, *bad], fail_fast_dataset=False).to_dict()
    assert told["dataset"]["n_bad_rows"] == 7
    assert sum(warning.startswith("left out, bad row: ") for warning in told["warnings"]) == 5
    assert any("left out, 2 more bad rows" in warning for warning in told["warnings"])


def test_of_a_long_stream_one_hears_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("muffakir_eval.audit.job._TOLD_EVERY", 1000)
    audit_index(iter([*CORPUS, *({"text": article(n % 40)} for n in range(1500))]), progress=True)
    assert "1,000 chunks of" in capsys.readouterr().err


def test_questions_that_are_all_bad() -> None:
    with pytest.raises(DatasetError, match="there is no question in it"):
        audited(dataset=[{"question": "", "context": "نص"}], fail_fast_dataset=False)


def test_an_interrupted_audit_leaves_no_thread_at_work() -> None:
    passed = threading.Event()
    before = set(threading.enumerate())

    def endless() -> Iterator[dict[str, str]]:
        for number in itertools.count():
            yield {"text": article(number % 50)}
            if number == 1500:
                passed.set()

    async def interrupted() -> set[threading.Thread]:
        task = asyncio.create_task(aaudit_index(endless(), QUESTIONS, progress=False))
        await asyncio.to_thread(passed.wait, 30)
        reading = {thread for thread in threading.enumerate() if thread.name == "muffakir-eval-pipeline"} - before
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return reading

    [reading] = asyncio.run(interrupted())
    reading.join(30)
    assert not reading.is_alive()


def test_workers_of_an_async_and_of_a_blocking_retriever() -> None:
    threads: set[int] = set()

    def blocking(question: str) -> list[dict[str, Any]]:
        threads.add(threading.get_ident())
        time.sleep(0.005)
        return CORPUS[:2]

    audited(rag=blocking)
    assert len(threads) == 1
    audited(rag=blocking, pipeline_workers=3)
    assert len(threads) > 2


def test_half_a_character_in_a_question_is_in_the_frames_and_files(tmp_path: Path) -> None:
    audit = audited([*CORPUS, {"chunk_id": "\ud83d", "text": "نص فيه حرف مقطوع \ud83d هنا"}], [{"question": "\ud800؟"}])
    assert audit.to_dataframe()["question"].tolist() == ["\ud800؟"]
    assert audit.to_dataframe()["row"].tolist() == [1]
    assert "lone_surrogate" in set(audit.findings_dataframe()["code"])
    audit.save(tmp_path)
    assert json.loads((tmp_path / "audit.json").read_text(encoding="utf-8"))["dataset"]["n_questions"] == 1


@pytest.mark.parametrize("taken", ["here", "here/inside"])
def test_no_place_for_the_result_is_told_before_anything_is_read(tmp_path: Path, taken: str) -> None:
    (tmp_path / "here").write_text("a file", encoding="utf-8")
    read: list[str] = []

    def chunks() -> Iterator[str]:
        read.append("begun")
        yield article(1)

    with pytest.raises(StorageError, match="a file has its name"):
        audited(chunks(), save=True, output_dir=str(tmp_path / taken))
    assert read == []


def test_an_audit_that_cannot_be_written_is_not_lost(tmp_path: Path) -> None:
    (tmp_path / "audit.json").mkdir()  # nothing replaces a folder
    with pytest.raises(StorageError) as caught:
        audited(save=True, output_dir=str(tmp_path))
    assert isinstance(caught.value.report, IndexAudit)
    assert caught.value.report.outcomes == {"in_index": 10}
    assert caught.value.report.folder is None


def test_identifiers_that_come_back_as_a_plain_list_are_told_from_texts() -> None:
    by_question = {row["question"]: f"م{number}" for number, row in enumerate(QUESTIONS, 1)}
    audit = audited(rag=lambda question, k: [by_question[question], "كلمة"][:k])
    finding = audit.finding("identifiers_as_texts")
    assert finding is not None
    assert (finding.severity, finding.count, finding.total, finding.unit) == ("error", 10, 11, "texts")
    assert finding.examples[0].detail == "identifier 'م1'"
    assert audit.outcomes == {"not_retrieved": 10}
    told = [{"chunk_id": name} for name in by_question.values()]
    assert audited(rag=lambda question, k: told[:k]).finding("identifiers_as_texts") is None
