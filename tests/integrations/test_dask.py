"""On a real cluster of two processes; needs the extra ``dask``."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from muffakir_eval import (
    DatasetError,
    MuffakirEvaluation,
    audit_distributed,
    audit_index,
    evaluate_distributed,
    score_frame,
)
from tests.scale.made import CONFIG, differences, figures, rows, uneven, write_jsonl

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("default")  # Dask's own warnings are not ours


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as made,
    ):
        yield made


def ordinary(path: Path, config: dict[str, Any]) -> dict[str, Any]:
    return figures(MuffakirEvaluation(config).evaluate(None, path).to_dict())


def test_two_workers_give_the_summary_of_the_ordinary_run(tmp_path: Path, client: Any) -> None:
    lines = rows(200)
    config = CONFIG | {"cluster_column": "doc"}
    paths = uneven(tmp_path / "parts", lines)
    report = evaluate_distributed(paths, config, client=client, output_dir=tmp_path / "out", blocksize=30)
    expected = ordinary(write_jsonl(tmp_path / "all.jsonl", lines), config)
    assert differences(figures(report.to_dict()), expected) == []
    frames = pd.concat(list(report.frames()), ignore_index=True)
    assert frames["sample_id"].tolist() == [line["id"] for line in lines]


def test_a_killed_worker_changes_nothing(tmp_path: Path, client: Any) -> None:
    pool = rows(300)
    lines = [{**pool[number % 300], "id": f"q{number}"} for number in range(6_000)]
    path = write_jsonl(tmp_path / "all.jsonl", lines)
    expected = ordinary(path, CONFIG)
    out = tmp_path / "out"
    killed: list[int] = []

    def kill() -> None:
        """Once the first part is on disk: the others are under way."""
        until = time.monotonic() + 120
        while time.monotonic() < until and not list(out.glob(".samples-*/part-*.parquet")):
            time.sleep(0.01)
        victim = next(iter(client.run(os.getpid).values()))
        os.kill(victim, signal.SIGKILL)
        killed.append(victim)

    killer = threading.Thread(target=kill)
    killer.start()
    report = evaluate_distributed(path, CONFIG, client=client, output_dir=out, blocksize=250)
    killer.join()
    assert killed
    assert differences(figures(report.to_dict()), expected) == []
    assert len(list((out / "samples").iterdir())) == len(report.parts) == 24
    frames = pd.concat(list(report.frames()), ignore_index=True)
    assert frames["sample_id"].tolist() == [line["id"] for line in lines]


def test_a_bad_row_comes_back_as_what_it_is(tmp_path: Path, client: Any) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [*rows(5), {"question": "", "response": "ب"}])
    with pytest.raises(DatasetError, match=r"a\.jsonl, line 6.*the question is missing"):
        evaluate_distributed(path, CONFIG, client=client, blocksize=2)


def test_a_dask_frame_is_scored_by_its_partitions(tmp_path: Path, client: Any) -> None:
    dd = pytest.importorskip("dask.dataframe")
    lines = [{"context": "لا شيء من هذا هنا", **row} for row in rows(40)]
    for line in lines:
        line["retrieved_contexts"] = "\n".join(line["retrieved_contexts"][:1])
    frame = dd.from_pandas(pd.DataFrame(lines), npartitions=3)
    report = evaluate_distributed(frame, CONFIG, client=client)
    expected = ordinary(write_jsonl(tmp_path / "all.jsonl", lines), CONFIG)
    found = figures(report.to_dict())
    assert differences({**found, "fingerprint": ""}, {**expected, "fingerprint": ""}) == []
    twice = dd.concat([frame, frame])
    with pytest.raises(DatasetError, match="'q0', 'q1'"):
        evaluate_distributed(twice, CONFIG, client=client)


def test_score_frame_maps_over_partitions(client: Any) -> None:
    dd = pytest.importorskip("dask.dataframe")
    lines = [
        {"context": "لا شيء من هذا هنا", **row, "retrieved_contexts": row["retrieved_contexts"][0]} for row in rows(30)
    ]
    frame = pd.DataFrame(lines)
    settings = {key: CONFIG[key] for key in ("metrics", "k")}
    meta = score_frame(frame.iloc[:0], settings)
    scored = dd.from_pandas(frame, npartitions=4).map_partitions(score_frame, settings, meta=meta).compute()
    expected = score_frame(frame, settings)
    pd.testing.assert_frame_equal(scored.drop(columns="row"), expected.drop(columns="row"))


def test_without_a_client_a_cluster_is_made(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", rows(5))
    assert evaluate_distributed(path, CONFIG).n_samples == 5


def test_an_audit_on_two_workers_is_that_of_one_process(client: Any) -> None:
    corpus = [
        {"chunk_id": str(number), "text": f"{row['retrieved_contexts'][0]} {number}", "source": f"{number // 40}.pdf"}
        for number, row in enumerate(rows(2_500))
    ]
    questions = [
        {"question": f"س {n}", "context": corpus[place]["text"] + " " + corpus[place + 1]["text"]}
        for n, place in enumerate((3, 998, 999, 1_999, 2_400))
    ]
    settings: dict[str, Any] = {"k": 3, "progress": False}
    alone = audit_index(corpus, questions, "bm25", **settings).to_dict()
    found = audit_distributed(corpus, questions, "bm25", client=client, **settings).to_dict()
    timings = ("run_id", "audit_id", "started_at", "finished_at", "retriever", "latency_ms", "duration_s")
    assert {k: v for k, v in found.items() if k not in timings} == {k: v for k, v in alone.items() if k not in timings}
