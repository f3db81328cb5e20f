"""The main job, end to end: settings, pipeline and questions in, a report and a run folder out."""

from __future__ import annotations

import asyncio
import csv
import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import (
    ConfigError,
    DatasetError,
    EvalRunner,
    EvaluationReport,
    MetricError,
    MuffakirEvaluation,
    PipelineDownError,
    Sample,
    Score,
    Trial,
)

TEXTS = {
    "a": "يستحق الموظف إجازة سنوية مدتها ثلاثون يومًا بأجر كامل بعد إتمام سنة من الخدمة.",
    "b": "تُقدَّم طلبات الرخص إلى مكتب البلدية في أيام العمل بين الثامنة صباحًا والثانية ظهرًا.",
    "c": "يلتزم المستأجر بدفع الأجرة في اليوم الأول من كل شهر ما لم يتفق الطرفان على غير ذلك.",
}
QUESTIONS = [
    {"question": "كم مدة الإجازة السنوية؟", "answer": "ثلاثون يومًا", "context": TEXTS["a"], "chunk_id": "a"},
    {"question": "أين تقدم طلبات الرخص؟", "answer": "مكتب البلدية", "context": TEXTS["b"], "chunk_id": "b"},
    {"question": "متى تدفع الأجرة؟", "answer": "أول كل شهر", "context": TEXTS["c"], "chunk_id": "c"},
]
RETRIEVAL = ["recall", "precision", "mrr", "ndcg", "map", "hit_rate"]


def suite(**settings: Any) -> MuffakirEvaluation:
    return MuffakirEvaluation({"metrics": ["recall", "mrr"], "k": 2, "progress": False, **settings})


def chunk(name: str) -> dict[str, Any]:
    return {"page_content": TEXTS[name], "metadata": {"chunk_id": name}}


def retriever(question: str, k: int) -> list[dict[str, Any]]:
    """Finds a at rank 1, b at rank 2, c never."""
    order = {"كم": ["a", "b"], "أي": ["a", "b"], "مت": ["a", "b"]}[question[:2]]
    return [chunk(name) for name in order[:k]]


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


# -- figures ---------------------------------------------------------------------------------------


def test_the_figures_are_those_worked_out_by_hand() -> None:
    report = suite(metrics=RETRIEVAL).evaluate(retriever, QUESTIONS)
    assert report.summary() == pytest.approx(
        {
            "recall_at_k": 2 / 3,
            "precision_at_k": (0.5 + 0.5 + 0) / 3,
            "mrr": (1 + 0.5 + 0) / 3,
            "ndcg_at_k": (1 + 0.6309297535714574 + 0) / 3,
            "map": (1 + 0.5 + 0) / 3,
            "hit_rate": 2 / 3,
        }
    )
    assert report.n_samples == 3
    assert report.retrieval == report.summary()
    assert report.generation == {}


def test_further_cutoffs_are_reported_under_their_own_names() -> None:
    class Index:
        def get_similar_documents(self, query: str, k: int) -> list[dict[str, Any]]:
            return retriever(query, k)

    report = suite(k=1, k_values=[1, 2]).evaluate(Index(), QUESTIONS)
    assert report.summary() == pytest.approx(
        {"recall_at_k": 1 / 3, "mrr": 1 / 3, "recall@1": 1 / 3, "mrr@1": 1 / 3, "recall@2": 2 / 3, "mrr@2": 0.5}
    )


def test_a_larger_cutoff_needs_a_pipeline_that_only_retrieves() -> None:
    class Rag:
        def ask(self, question: str, k: int) -> dict[str, Any]:
            raise AssertionError("nothing may run")

    with pytest.raises(ConfigError, match=r"cutoff 10 is above k=2.*raise k"):
        suite(k_values=[10]).evaluate(Rag(), QUESTIONS)


def test_p23_questions_without_gold_are_counted_and_not_averaged() -> None:
    rows = [
        {"question": "أول", "context": TEXTS["a"]},
        {"question": "ثان", "context": ""},
        {"question": "ثالث", "context": TEXTS["c"]},
    ]
    report = suite().evaluate(lambda question, k: [TEXTS["a"]], rows)
    block = report.metrics["recall_at_k"]
    assert (block["mean"], block["n_scored"], block["n_total"]) == (0.5, 2, 3)
    assert block["reasons"] == {"no_gold": 1}
    assert report.to_dict()["n_without_gold"] == 1


def test_p23_all_without_gold_is_null_with_a_reason(tmp_path: Path) -> None:
    rows = [{"question": "أول", "context": ""}, {"question": "ثان", "context": None}]
    report = suite().evaluate(lambda question, k: [TEXTS["a"]], rows, save=True, output_dir=tmp_path)
    written = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert written["metrics"]["recall_at_k"]["mean"] is None
    assert written["metrics"]["recall_at_k"]["reason"] == "no_gold"
    assert (written["retrieval"], report.summary()) == ({}, {})


def test_p24_an_empty_result_counts_and_precision_divides_by_k() -> None:
    rows = [{"question": "q1", "chunk_id": "a"}, {"question": "q2", "chunk_id": "b"}]
    found: dict[str, list[dict[str, Any]]] = {"q1": [chunk("a")], "q2": []}
    report = suite(metrics=["recall", "precision"], k=5).evaluate(lambda question: found[question], rows)
    assert report.summary() == pytest.approx({"recall_at_k": 0.5, "precision_at_k": 0.1})
    assert report.metrics["recall_at_k"]["n_scored"] == 2


def test_p24_an_exception_is_counted_apart_from_an_empty_result() -> None:
    def fails(question: str) -> list[str]:
        if question == "q2":
            raise ConnectionError("no route")
        return [TEXTS["a"]]

    rows = [{"question": "q1", "context": TEXTS["a"]}, {"question": "q2", "context": TEXTS["b"]}]
    report = suite().evaluate(fails, rows)
    block = report.metrics["recall_at_k"]
    assert (block["mean"], block["n_scored"], block["n_failed"]) == (1.0, 1, 1)
    assert block["reasons"] == {"pipeline_error": 1}
    assert block["mean_failures_as_zero"] == 0.5
    assert report.samples[1].error == "ConnectionError: no route"
    assert report.to_dict()["errors"] == {"pipeline_error": 1}


def test_p26_a_missing_id_matches_nothing_and_sources_take_part() -> None:
    rows = [
        {"question": "بلا معرّف", "context": "نص ذهبي لا يوجد في أي مقطع من المقاطع المسترجعة هنا", "chunk_id": None},
        {"question": "مصدر آخر", "context": None, "chunk_id": 3, "source_file": "b.pdf"},
    ]

    def index(question: str) -> list[dict[str, Any]]:
        source = {"chunk_id": 0} if question.startswith("بلا") else {"chunk_id": 3, "source": "a.pdf"}
        return [{"page_content": TEXTS["a"], "metadata": source}]

    report = suite(metrics=["recall"]).evaluate(index, rows)
    assert [result.scores["recall_at_k"].value for result in report.samples] == [0.0, 0.0]


def test_p27_the_summary_names_the_variant_and_the_cutoff() -> None:
    report = suite(metrics=["ndcg", "ndcg@3", "map"], k=3).evaluate(retriever, QUESTIONS)
    assert {block["k"] for block in report.metrics.values()} == {3}
    assert "linear" in report.metrics["ndcg_at_k"]["definition"]
    assert "log2" in report.metrics["ndcg_at_k"]["definition"]
    assert report.metrics["map"]["definition"] != report.metrics["ndcg_at_k"]["definition"]


def test_p09_the_same_question_twice_is_two_samples() -> None:
    rows = [
        {"question": "ما هي المدة؟", "context": TEXTS["a"], "source_file": "a.pdf"},
        {"question": "ما هي المدة؟", "context": TEXTS["c"], "source_file": "b.pdf"},
        {"question": "ما هي المدة؟", "context": TEXTS["c"], "source_file": "b.pdf"},
    ]
    report = suite().evaluate(lambda question: [TEXTS["a"]], rows)
    assert [result.scores["mrr"].value for result in report.samples] == [1.0, 0.0, 0.0]
    assert len(report.to_dataframe()) == 3


# -- pipelines -------------------------------------------------------------------------------------


class KeepsItsConnection:
    """An asynchronous client that holds one connection open, as real ones do."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def __call__(self, question: str, k: int) -> list[dict[str, Any]]:
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        writer.write(b"?\n")
        await writer.drain()
        assert await reader.readline() == b"!\n"
        return retriever(question, k)

    async def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()
            await self.streams[1].wait_closed()


@pytest.fixture
def echo_port() -> Any:
    """A server on loopback that answers each line and keeps connections open."""
    ready = threading.Event()
    state: dict[str, Any] = {}

    async def serve() -> None:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while await reader.readline():
                writer.write(b"!\n")
                await writer.drain()
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        state["port"], state["loop"], state["stop"] = (
            server.sockets[0].getsockname()[1],
            asyncio.get_running_loop(),
            asyncio.Event(),
        )
        ready.set()
        async with server:
            await state["stop"].wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert ready.wait(10)
    yield state["port"]
    state["loop"].call_soon_threadsafe(state["stop"].set)
    thread.join(10)


def test_p41_twice_inside_a_running_loop(echo_port: int) -> None:
    client = KeepsItsConnection(echo_port)
    evaluator = suite(max_concurrency=1)

    async def notebook() -> list[dict[str, float]]:
        return [evaluator.evaluate(client, QUESTIONS).summary() for _ in range(2)]

    first, second = asyncio.run(notebook())
    assert first == second == pytest.approx({"recall_at_k": 2 / 3, "mrr": 0.5})
    from muffakir_eval.door import run_sync

    run_sync(client.close)


def test_p41_twice_with_asyncio_run(echo_port: int) -> None:
    async def once() -> dict[str, float]:
        client = KeepsItsConnection(echo_port)
        try:
            return (await suite(max_concurrency=1).aevaluate(client, QUESTIONS)).summary()
        finally:
            await client.close()

    assert asyncio.run(once()) == asyncio.run(once())


def test_p41_from_a_thread_and_twice_in_a_script() -> None:
    found: list[EvaluationReport] = []
    thread = threading.Thread(target=lambda: found.append(suite().evaluate(retriever, QUESTIONS)))
    thread.start()
    found.append(suite().evaluate(retriever, QUESTIONS))
    found.append(suite().evaluate(retriever, QUESTIONS))
    thread.join(30)
    assert len(found) == 3
    assert len({str(sorted(report.summary().items())) for report in found}) == 1


def test_p43_results_come_in_the_order_of_the_input(tmp_path: Path) -> None:
    rows = [{"question": f"q{n}", "context": f"النص رقم {n} من النصوص"} for n in range(10)]
    finished: list[int] = []

    async def slow_first(question: str) -> list[str]:
        number = int(question[1:])
        await asyncio.sleep((10 - number) * 0.01)
        finished.append(number)
        return [f"النص رقم {number} من النصوص"]

    report = suite(pipeline_workers=5).evaluate(slow_first, rows, save=True, output_dir=tmp_path)
    assert finished != sorted(finished)
    assert [result.sample.question for result in report.samples] == [f"q{n}" for n in range(10)]
    written = read_csv(tmp_path / "samples.csv")
    assert [row["question"] for row in written] == [f"q{n}" for n in range(10)]
    assert [int(row["row"]) for row in written] == [result.sample.row for result in report.samples]
    assert report.summary() == {"recall_at_k": 1.0, "mrr": 1.0}


def test_a_plain_pipeline_runs_one_question_at_a_time_and_off_the_loop() -> None:
    active, most, threads = 0, 0, set()

    def rag(question: str) -> list[str]:
        nonlocal active, most
        active += 1
        most = max(most, active)
        threads.add(threading.get_ident())
        time.sleep(0.002)
        active -= 1
        return [TEXTS["a"]]

    suite().evaluate(rag, QUESTIONS * 5)
    assert most == 1
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_more_workers_call_a_plain_pipeline_side_by_side() -> None:
    gate = threading.Barrier(3, timeout=20)

    def rag(question: str) -> list[str]:
        gate.wait()
        return [TEXTS["a"]]

    report = suite(pipeline_workers=3).evaluate(rag, QUESTIONS)
    assert report.to_dict()["errors"] == {}


def test_a_muffakir_like_pipeline_is_asked_with_k_and_heard_out() -> None:
    class Rag:
        def __init__(self) -> None:
            self.config = {"api_key": "sk-verysecret123", "top": 3}
            self.asked: list[int] = []

        def ask(self, question: str, k: int) -> dict[str, Any]:
            self.asked.append(k)
            return {
                "answer": "لا تتوفر لدي معلومات كافية",
                "retrieved_documents": [TEXTS["a"], TEXTS["b"]],
                "source_metadata": [{"chunk_id": "a"}, {"chunk_id": "b"}],
                "pipeline_latency_ms": 12.5,
                "stage_timings_ms": {"retrieve": 2.0},
                "transformed_query": ["أ", "ب"],
                "query_transform_strategy": "multi",
            }

    rag = Rag()
    report = suite().evaluate(rag, QUESTIONS)
    frame = report.to_dataframe()
    assert rag.asked == [2, 2, 2]
    assert list(frame["pipeline_latency_ms"]) == [12.5] * 3
    assert list(frame["query_transform_strategy"]) == ["multi"] * 3
    assert list(frame["answer_refusal"]) == [True] * 3
    assert list(frame["answer_refusal_reason"]) == ["insufficient_information"] * 3
    assert report.to_dict()["refusals"]["rate"] == 1.0
    assert "verysecret" not in json.dumps(report.to_dict())


def test_retrieval_only_refuses_generation_metrics_before_anything_runs() -> None:
    class Index:
        def get_similar_documents(self, query: str, k: int) -> list[str]:
            raise AssertionError("nothing may run")

    for metric in ("faithfulness", "Answer_Correctness", "llm_judge_rating"):
        with pytest.raises(ValueError, match="only retrieves"):
            suite(metrics=["recall", metric]).evaluate(Index(), QUESTIONS)


def test_without_metrics_the_default_set_narrows_and_says_so() -> None:
    report = suite(metrics=None).evaluate(retriever, QUESTIONS)
    assert report.metrics_enabled == ["recall", "precision", "mrr", "ndcg"]
    assert any("faithfulness" in note for note in report.notes)


def test_asking_for_retrieval_metrics_without_gold_columns_names_what_is_needed() -> None:
    with pytest.raises(MetricError, match=r"'recall' needs gold evidence.*'context' or 'chunk_id'"):
        suite().evaluate(retriever, [{"question": "س", "answer": "ج"}])


def test_a_pipeline_that_returns_nonsense_is_that_samples_error() -> None:
    report = suite().evaluate(lambda question: 42 if question.startswith("كم") else [TEXTS["b"]], QUESTIONS)
    assert "int" in str(report.samples[0].error)
    assert report.samples[1].scores["recall_at_k"].value == 1.0


def test_too_many_errors_in_a_row_stop_the_run_and_keep_what_was_done(tmp_path: Path) -> None:
    rows = [{"question": f"q{n}", "context": TEXTS["a"]} for n in range(10)]
    calls: list[str] = []

    def dies(question: str) -> list[str]:
        calls.append(question)
        if int(question[1:]) >= 3:
            raise RuntimeError("down, key sk-abcdefgh12345")
        return [TEXTS["a"]]

    evaluator = suite(max_pipeline_errors=4)
    with pytest.raises(PipelineDownError, match=r"4 questions in a row.*RuntimeError: down.*7 of 10") as caught:
        evaluator.evaluate(dies, rows, save=True, output_dir=tmp_path)
    assert "abcdefgh" not in str(caught.value)
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert (summary["partial"], summary["n_samples"], summary["n_planned"]) == (True, 7, 10)
    assert isinstance(caught.value.report, EvaluationReport)
    calls.clear()

    def works(question: str) -> list[str]:
        calls.append(question)
        return [TEXTS["a"]]

    works.__qualname__, works.__module__ = dies.__qualname__, dies.__module__
    report = evaluator.evaluate(works, rows, save=True, output_dir=tmp_path)
    assert calls == [f"q{n}" for n in range(3, 10)], "the good ones are kept, the failed ones tried again"
    assert (report.partial, report.summary()["recall_at_k"]) == (False, 1.0)


def test_one_good_question_in_between_lets_the_run_go_on() -> None:
    rows = [{"question": f"q{n}", "context": TEXTS["a"]} for n in range(12)]

    def flaky(question: str) -> list[str]:
        if int(question[1:]) % 3:
            raise RuntimeError("flaky")
        return [TEXTS["a"]]

    report = suite(max_pipeline_errors=3).evaluate(flaky, rows)
    assert report.metrics["recall_at_k"]["n_failed"] == 8


@pytest.mark.parametrize("kind", ["plain", "async"])
def test_p42_a_stuck_question_is_marked_and_the_run_goes_on(kind: str) -> None:
    release = threading.Event()

    def plain(question: str) -> list[str]:
        if question.startswith("أين"):
            release.wait(20)
        return [TEXTS["a"]]

    async def waits(question: str) -> list[str]:
        if question.startswith("أين"):
            await asyncio.sleep(60)
        return [TEXTS["a"]]

    report = suite(sample_timeout_s=0.2).evaluate(plain if kind == "plain" else waits, QUESTIONS)
    release.set()
    assert [result.scores["mrr"].reason for result in report.samples] == [None, "timeout", None]
    assert "no output within 0.2 s" in str(report.samples[1].error)


def test_a_timeout_of_the_pipelines_own_is_an_ordinary_error() -> None:
    def fails(question: str) -> list[str]:
        raise TimeoutError

    report = suite(sample_timeout_s=30).evaluate(fails, QUESTIONS)
    assert report.metrics["mrr"]["reasons"] == {"pipeline_error": 3}


def test_recorded_outputs_are_evaluated_without_a_pipeline() -> None:
    rows = [
        {
            "question": "س١",
            "ground_truth": "ج",
            "response": "لا أعلم",
            "retrieved_chunk_ids": ["x", "a"],
            "chunk_id": "a",
        },
        {"question": "س٢", "ground_truth": "ج", "response": "ج", "retrieved_chunk_ids": [], "chunk_id": "b"},
    ]
    report = suite(k_values=[1]).evaluate(None, rows)
    assert report.summary() == pytest.approx({"recall_at_k": 0.5, "mrr": 0.25, "recall@1": 0.0, "mrr@1": 0.0})
    assert report.to_dict()["refusals"]["n_refused"] == 1
    assert report.to_dict()["latency_ms"]["pipeline"]["n"] == 0, "a recording is not timed"


# -- metrics of the user's -------------------------------------------------------------------------


def answer_length(trial: Trial) -> int:
    return len(trial.output.answer or "")


async def has_answer(trial: Trial) -> bool:
    await asyncio.sleep(0)
    return bool(trial.output.answer)


def sometimes(trial: Trial) -> float | None:
    return 0.5 if trial.sample.question.startswith("كم") else None


def broken(trial: Trial) -> float:
    raise LookupError("no such thing")


def own_score(trial: Trial) -> Score:
    return Score.not_applicable("own_score", "not_today")


def test_metrics_of_the_users_are_plain_functions() -> None:
    metrics = [answer_length, has_answer, sometimes, broken, own_score, "recall"]
    report = suite(metrics=metrics).evaluate(lambda question: ("نعم", [TEXTS["a"]]), QUESTIONS)
    assert report.summary() == pytest.approx(
        {"recall_at_k": 1 / 3, "answer_length": 3.0, "has_answer": 1.0, "sometimes": 0.5}
    )
    assert (report.metrics["sometimes"]["n_scored"], report.metrics["sometimes"]["n_total"]) == (1, 3)
    assert report.metrics["broken"]["reasons"] == {"metric_error": 3}
    assert report.metrics["own_score"]["reasons"] == {"not_today": 3}
    details = report.samples[0].scores["broken"].details
    assert "LookupError" in str(details)
    assert report.metrics_enabled == ["answer_length", "has_answer", "sometimes", "broken", "own_score", "recall"]
    assert list(report.to_dataframe()["answer_length"]) == [3.0] * 3


def test_an_unknown_metric_is_named_with_a_suggestion() -> None:
    with pytest.raises(MetricError, match=r"recal.*recall"):
        suite(metrics=["recal"]).evaluate(retriever, QUESTIONS)


# -- datasets --------------------------------------------------------------------------------------


def test_no_dataset_is_an_error_that_says_what_to_pass() -> None:
    with pytest.raises(ConfigError, match="pass dataset="):
        suite().evaluate(retriever)


def test_an_empty_list_of_questions_is_an_error() -> None:
    with pytest.raises(DatasetError):
        suite().evaluate(retriever, [])


def test_bad_rows_are_set_aside_and_counted() -> None:
    rows = [*QUESTIONS, {"question": "", "context": "x"}]
    with pytest.raises(DatasetError):
        suite().evaluate(retriever, rows)
    report = suite(fail_fast_dataset=False).evaluate(retriever, rows)
    assert report.n_samples == 3
    assert report.to_dict()["dataset"]["n_bad_rows"] == 1
    assert any("left out, bad row" in note for note in report.notes)


def test_many_bad_rows_are_counted_and_not_all_listed() -> None:
    rows = [*QUESTIONS, *[{"question": "", "context": "x"}] * 50]
    report = suite(fail_fast_dataset=False).evaluate(retriever, rows)
    assert report.to_dict()["dataset"]["n_bad_rows"] == 50
    assert sum("bad row" in note for note in report.notes) == 21
    assert any("30 more bad rows" in note for note in report.notes)


def test_only_so_many_questions() -> None:
    assert suite(max_samples=2).evaluate(retriever, QUESTIONS).n_samples == 2


def test_settings_without_effect_are_said() -> None:
    report = suite(llm_model="m").evaluate(retriever, QUESTIONS)
    assert any("llm_model" in note and "no judged metric" in note for note in report.notes)


# -- Muffakir's doors ------------------------------------------------------------------------------


def test_eval_runner_takes_samples_and_qapair_like_objects() -> None:
    class QAPair:
        def __init__(self, question: str, answer: str, context: str) -> None:
            self.question, self.answer, self.context = question, answer, context

    samples = [Sample(sample_id="1", question="كم", contexts=(TEXTS["a"],))]
    runner = EvalRunner(retriever, None, None, ["recall", "MRR"], k=2, max_workers=2, progress=False)
    assert runner.run(samples).summary() == {"recall_at_k": 1.0, "mrr": 1.0}
    assert asyncio.run(runner.arun(samples)).summary() == runner.run(samples).summary()
    with pytest.raises(ValueError, match="unknown"):
        EvalRunner(retriever, None, None, ["nonsense"]).run(samples)
    with pytest.raises(ConfigError, match="unknown key"):
        EvalRunner(retriever, None, None, ["recall"], nonsense=1)


def test_get_config_shows_every_setting_and_no_secret() -> None:
    shown = suite(api_key="sk-verysecret").get_config()
    assert shown["k"] == 2
    assert "verysecret" not in str(shown)
    assert MuffakirEvaluation.ALL_METRICS == [
        "recall",
        "precision",
        "mrr",
        "ndcg",
        "faithfulness",
        "answer_correctness",
        "llm_judge_rating",
    ]
