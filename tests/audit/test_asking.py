"""Asking the retriever: the figures are those of a run, and whatever it does is that question's matter."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import BM25Retriever, MuffakirEvaluation, Pipeline, PipelineOutput, RetrievedChunk, Sample, rechunk
from muffakir_eval.audit.asking import METRICS, Retrieval, plan_retrieval, retrieve
from muffakir_eval.audit.settings import AuditConfig
from muffakir_eval.datasets import load_evaluation_dataset
from muffakir_eval.errors import ConfigError
from tests.audit.made import article

ARTICLES = [article(n) for n in range(1, 31)]
CHUNKS = [RetrievedChunk(text=text, chunk_id=f"م{n}") for n, text in enumerate(ARTICLES, start=1)]


def questions(count: int = 30) -> list[Sample]:
    return [
        Sample(sample_id=str(n), row=n + 1, question=f"ماذا يقول النص {n}", contexts=(ARTICLES[n - 1],))
        for n in range(1, count + 1)
    ]


def asked(retriever: Any, samples: list[Sample] | None = None, **settings: Any) -> Retrieval:
    config = AuditConfig.from_mapping({"progress": False, **settings})
    samples = questions() if samples is None else samples
    plan = plan_retrieval(retriever, samples, config)
    assert plan is not None
    return asyncio.run(retrieve(plan, samples, config, recorded=retriever is None))


def means(retrieval: Retrieval) -> dict[str, float]:
    return {name: block["mean"] for name, block in retrieval.figures.metric_block().items()}


def test_the_figures_are_those_of_a_run() -> None:
    def retriever(question: str, k: int) -> list[str]:
        """The gold of question n at rank n modulo 12, and nowhere for the twelfth."""
        n = int(question.split()[-1])
        others = [text for text in ARTICLES if text != ARTICLES[n - 1]][:k]
        if n % 12:
            others.insert(n % 12 - 1, ARTICLES[n - 1])
        return others

    config: dict[str, Any] = {"k": 3, "k_values": [1, 3, 10], "seed": 4, "progress": False}
    run = MuffakirEvaluation({**config, "metrics": list(METRICS), "pipeline_mode": "retrieval_only"}).evaluate(
        retriever, questions()
    )
    figures = asked(retriever, top_n=10, **config).figures.metric_block()
    for name in METRICS:
        for cutoff in (1, 10):
            key = f"{name}@{cutoff}"
            assert figures[key] == run.metrics[key]
        assert figures[f"{name}@3"]["mean"] == run.metrics[f"{name}@3"]["mean"]
    assert 0 < figures["recall@1"]["mean"] < figures["recall@10"]["mean"]


def test_real_passages_give_the_figures_of_a_run(data_dir: Path) -> None:
    samples = list(load_evaluation_dataset(data_dir / "arcd" / "arcd-train.json"))[:80]
    retriever = BM25Retriever(rechunk([sample.contexts[0] for sample in samples], words=60))
    config: dict[str, Any] = {"k": 5, "k_values": [1, 10], "progress": False}
    run = MuffakirEvaluation({**config, "metrics": ["recall", "ndcg", "map"]}).evaluate(retriever, samples)
    found = means(asked(retriever, samples, top_n=20, **config))
    assert {key: found[key] for key in ("recall@1", "ndcg@10", "map@10")} == {
        key: run.metrics[key]["mean"] for key in ("recall@1", "ndcg@10", "map@10")
    }
    assert found["recall@5"] == run.metrics["recall_at_k"]["mean"]


def test_ranks_and_lengths_are_kept_and_texts_are_not() -> None:
    retrieval = asked(lambda question, k: CHUNKS[:k], top_n=7)
    assert (retrieval.most_returned, retrieval.top_n) == (7, 7)
    first = retrieval.questions[0]
    assert (first.state, first.n_chunks, first.n_repeats) == ("compared", 7, 0)
    assert first.ranks[0] >= 1
    assert set(retrieval.ids) <= {chunk.chunk_id for chunk in CHUNKS}
    assert retrieval.figures.latencies()["pipeline"]["n"] == 30


def test_every_question_is_asked_once_for_all_that_is_looked_at() -> None:
    calls: list[tuple[str, int]] = []

    def retriever(question: str, k: int) -> list[str]:
        calls.append((question, k))
        return [ARTICLES[0]] * 3

    retrieval = asked(retriever, questions(4), top_n=50)
    assert calls == [(sample.question, 50) for sample in questions(4)]
    assert [found.n_repeats for found in retrieval.questions.values()] == [2] * 4
    assert retrieval.questions[0].ranks == {0: 1}


def test_a_pipeline_that_also_answers_is_asked_for_its_chunks() -> None:
    seen: list[int] = []

    def call(sample: Sample, k: int) -> PipelineOutput:
        seen.append(k)
        return PipelineOutput(answer="نعم", chunks=(CHUNKS[0],))

    asked(Pipeline(pipeline_id="p", call=call, execution="inline", answers=True, retrieves=True), questions(2))
    assert seen == [100, 100]


def test_failing_questions_are_counted_and_the_others_measured() -> None:
    def retriever(question: str) -> list[str]:
        if question.endswith(" 2"):
            raise ValueError("connection lost, key=sk-abcdefghijk")
        return ARTICLES[:1]

    retrieval = asked(retriever, questions(3))
    assert [found.state for found in retrieval.questions.values()] == ["compared", "failed", "compared"]
    assert retrieval.questions[1].error == "ValueError: connection lost, key=***"
    assert retrieval.figures.metric_block()["recall@5"]["n_scored"] == 2
    assert retrieval.stopped is None


def test_a_retriever_that_is_down_ends_the_asking(capsys: pytest.CaptureFixture[str]) -> None:
    def retriever(question: str) -> list[str]:
        raise ConnectionError("refused")

    retrieval = asked(retriever, max_pipeline_errors=3, progress=True)
    assert len(retrieval.questions) == 3
    assert retrieval.stopped is not None
    assert "the audit goes on with the index alone" in capsys.readouterr().err


def test_an_async_retriever_is_asked_several_at_once() -> None:
    running, most = 0, 0

    async def retriever(question: str) -> list[str]:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001)
        running -= 1
        return ARTICLES[:2]

    asked(retriever, max_concurrency=4)
    assert most == 4


def test_identifiers_alone_cannot_be_compared_with_texts() -> None:
    retrieval = asked(lambda question: [{"chunk_id": "م1", "text": ""}], questions(2))
    assert {found.state for found in retrieval.questions.values()} == {"not_comparable"}
    block = retrieval.figures.metric_block()["recall@5"]
    assert (block["mean"], block["reason"]) == (None, "not_comparable")


def test_recorded_rankings_are_taken_as_they_are() -> None:
    samples = [
        Sample(sample_id="1", question="س", chunk_ids=("a",), recorded=_recorded("b", "a", "c")),
        Sample(sample_id="2", question="ص", chunk_ids=("z",), recorded=_recorded("b")),
        Sample(sample_id="3", question="ع", chunk_ids=("z",)),
    ]
    retrieval = asked(None, samples)
    assert (retrieval.recorded, retrieval.top_n, retrieval.most_returned) == (True, 3, 3)
    assert retrieval.questions[0].ranks == {0: 2}
    assert [found.state for found in retrieval.questions.values()] == ["compared", "compared", "failed"]
    assert retrieval.figures.latencies()["pipeline"]["n"] == 0


def _recorded(*ids: str) -> PipelineOutput:
    return PipelineOutput(chunks=tuple(RetrievedChunk(chunk_id=name) for name in ids))


def test_no_retriever_and_nothing_recorded() -> None:
    assert plan_retrieval(None, questions(2), AuditConfig()) is None
    answered = [Sample(sample_id="1", question="؟", recorded=PipelineOutput(answer="نعم"))]
    assert plan_retrieval(None, answered, AuditConfig()) is None


def test_what_cannot_retrieve_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(ConfigError, match="nothing that can be asked"):
        plan_retrieval(object(), questions(1), AuditConfig())
