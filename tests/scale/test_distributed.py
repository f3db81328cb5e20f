"""Files in parts, added up: what the ordinary run gives. Without a cluster; with one see the integrations."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval import (
    ConfigError,
    DatasetError,
    MetricError,
    MissingExtraError,
    MuffakirEvaluation,
    StorageError,
    evaluate_distributed,
    score_frame,
)
from muffakir_eval.scale.distributed import evaluate_here
from muffakir_eval.statistics.intervals import mean_intervals
from tests.scale.made import CONFIG, differences, figures, rows, uneven, write_jsonl


def ordinary(path: Path, config: dict[str, Any]) -> dict[str, Any]:
    return MuffakirEvaluation(config).evaluate(None, path).to_dict()


@pytest.mark.parametrize("further", [{}, {"cluster_column": "doc"}, {"metrics": None}])
def test_uneven_parts_give_the_summary_of_the_ordinary_run(tmp_path: Path, further: dict[str, Any]) -> None:
    lines = rows(300)
    config = CONFIG | further
    paths = uneven(tmp_path / "parts", lines)
    found = evaluate_here(paths, config, blocksize=40).to_dict()
    expected = ordinary(write_jsonl(tmp_path / "all.jsonl", lines), config)
    assert found.keys() == expected.keys()
    assert differences(figures(found), figures(expected)) == []
    assert found["n_samples"] == found["n_planned"] == 300
    for name in ("pipeline",):
        assert found["latency_ms"][name] == expected["latency_ms"][name]


def test_above_the_bound_of_the_bootstrap_it_is_the_same(tmp_path: Path) -> None:
    lines = [
        {"question": "أ", "chunk_id": [n % 3, 9], "retrieved_chunk_ids": [n % 5, n % 11, 9 - n % 4]}
        for n in range(20_300)
    ]
    config = CONFIG | {"metrics": ["hit_rate", "ndcg"], "slice_by": None}
    found = evaluate_here(uneven(tmp_path / "parts", lines), config).to_dict()
    values = score_frame(pd.DataFrame(lines), {key: config[key] for key in ("metrics", "k")})
    columns = {name: values[name].tolist() for name in ("hit_rate", "ndcg_at_k")}
    for name, sure in mean_intervals(columns, rng=np.random.default_rng(0)).items():
        block = found["metrics"][name]
        assert block["interval"] == pytest.approx([sure.low, sure.high], rel=1e-12)
        assert (block["mean"], block["interval_method"]) == (pytest.approx(sure.mean, rel=1e-12), sure.method)
    assert found["metrics"]["ndcg_at_k"]["interval_method"] == "skew_corrected_normal"


@given(st.integers(1, 30), st.integers(1, 12))
@settings(max_examples=6, deadline=None)
def test_the_size_of_the_blocks_does_not_matter(tmp_path_factory: pytest.TempPathFactory, n: int, size: int) -> None:
    path = write_jsonl(tmp_path_factory.mktemp("blocks") / "all.jsonl", rows(n))
    config = CONFIG | {"slice_by": None}
    assert figures(evaluate_here(path, config, blocksize=size).to_dict()) == figures(ordinary(path, config))


def test_the_files_of_a_run(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    lines = rows(30)
    paths = uneven(tmp_path / "parts", lines)
    out = tmp_path / "out"
    report = evaluate_here(tmp_path / "parts", CONFIG, output_dir=out)
    assert json.loads((out / "summary.json").read_text(encoding="utf-8")) == json.loads(json.dumps(report.to_dict()))
    assert json.loads((out / "error_rates.json").read_text(encoding="utf-8"))["attempts"] == 30
    assert [path.name for path in report.parts] == [f"part-{number:05d}.parquet" for number in range(7)]
    assert sorted(path.name for path in out.iterdir()) == ["error_rates.json", "samples", "summary.json"]
    frames = pd.concat(list(report.frames()), ignore_index=True)
    expected = score_frame(pd.DataFrame(lines), {key: CONFIG[key] for key in ("metrics", "k")})
    assert frames["sample_id"].tolist() == expected["sample_id"].tolist()
    for name in ("recall_at_k", "token_f1", "ndcg_at_k"):
        assert frames[name].fillna(-1).tolist() == expected[name].fillna(-1).tolist()
    assert frames["recall_at_k_state"].tolist() == expected["recall_at_k_state"].tolist()
    again = evaluate_here([str(path) for path in paths], CONFIG, output_dir=out, blocksize=5)
    assert len(list((out / "samples").iterdir())) == len(again.parts) > 7
    assert report.run_id in str(report)
    assert repr(again).startswith("DistributedReport(n=30, k=3)\n  recall_at_k=")
    assert (again.summary(), again.n_samples) == (report.summary(), 30)
    assert again.metrics["mrr"]["n_scored"] > 20
    assert again.slices["dialect"][0]["n_samples"] > 5


def test_parquet_is_read_by_row_groups(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    lines = [{"context": None, **row} for row in rows(60)]
    table = pyarrow.Table.from_pylist(lines)
    parquet.write_table(table, tmp_path / "all.parquet", row_group_size=10)
    path = write_jsonl(tmp_path / "all.jsonl", lines)
    expected = figures(ordinary(path, CONFIG))
    for blocksize in (None, 15, 1):
        found = figures(evaluate_here(tmp_path / "all.parquet", CONFIG, blocksize=blocksize).to_dict())
        assert differences(found, expected) == []


def test_compressed_and_wide_text_is_read_whole(tmp_path: Path) -> None:
    lines = rows(20)
    text = write_jsonl(tmp_path / "all.jsonl", lines).read_text(encoding="utf-8")
    (tmp_path / "wide.jsonl").write_bytes(text.encode("utf-16"))
    with gzip.open(tmp_path / "packed.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(text)
    expected = figures(ordinary(tmp_path / "all.jsonl", CONFIG))
    for name in ("wide.jsonl", "packed.jsonl.gz"):
        assert figures(evaluate_here(tmp_path / name, CONFIG, blocksize=3).to_dict()) == expected


def test_a_bad_row_is_named_by_file_and_line_or_set_aside(tmp_path: Path) -> None:
    lines = rows(20)
    path = write_jsonl(tmp_path / "a.jsonl", lines)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"id": "x", "question": ""}\n{"broken\n')
    write_jsonl(tmp_path / "b.jsonl", [{**row, "id": f"b{row['id']}"} for row in lines])
    with pytest.raises(DatasetError, match=r"a\.jsonl, line 21.*the question is missing"):
        evaluate_here(str(tmp_path / "*.jsonl"), CONFIG, blocksize=6)
    found = evaluate_here(str(tmp_path / "*.jsonl"), CONFIG | {"fail_fast_dataset": False}, blocksize=6)
    assert (found.n_samples, found.to_dict()["dataset"]["n_bad_rows"]) == (40, 2)
    assert any("line 22" in line for line in found.notes)


def test_a_name_that_occurs_twice_is_told_or_set_aside(tmp_path: Path) -> None:
    lines = rows(12)
    write_jsonl(tmp_path / "a.jsonl", lines)
    write_jsonl(tmp_path / "b.jsonl", [lines[3], {**lines[4], "id": "new"}, lines[5]])
    with pytest.raises(DatasetError, match=r"column id: .*'q3', 'q5'"):
        evaluate_here(tmp_path, CONFIG)
    config = CONFIG | {"fail_fast_dataset": False}
    found = evaluate_here(tmp_path, config).to_dict()
    joined = write_jsonl(tmp_path / "all.jsonl.x", [*lines, lines[3], {**lines[4], "id": "new"}, lines[5]])
    expected = ordinary(joined.rename(tmp_path / "all.jsonl"), config)
    assert differences(figures(found), figures(expected)) == []
    assert found["dataset"]["n_bad_rows"] == 2


def test_samples_without_names_are_called_by_file_and_line(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    lines = [{key: value for key, value in row.items() if key != "id"} for row in rows(4)]
    write_jsonl(tmp_path / "a.jsonl", lines)
    write_jsonl(tmp_path / "b.jsonl", lines)
    report = evaluate_here(tmp_path, CONFIG, output_dir=tmp_path / "out", blocksize=3)
    ids = [name for frame in report.frames() for name in frame["sample_id"]]
    assert ids == [f"{name}.jsonl:{line}" for name in "ab" for line in range(1, 5)]
    one = evaluate_here(tmp_path / "a.jsonl", CONFIG, output_dir=tmp_path / "one")
    assert [name for frame in one.frames() for name in frame["sample_id"]] == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("config", "error", "told"),
    [
        ({"metrics": ["faithfulness"]}, MetricError, "judged by a language model"),
        ({"max_samples": 3}, ConfigError, "max_samples"),
        ({"dry_run": True}, ConfigError, "dry_run"),
        ({"slice_by": ["dialekt"]}, ConfigError, "did you mean 'dialect'"),
        ({"metrics": ["recal"]}, MetricError, "did you mean 'recall'"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, config: Any, error: type[Exception], told: str) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", rows(3))
    with pytest.raises(error, match=told):
        evaluate_here(path, CONFIG | config)


def test_what_is_no_data_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="there is no file"):
        evaluate_here(str(tmp_path / "*.jsonl"), CONFIG)
    (tmp_path / "a.csv").write_text("question,response\nأ,ب\n", encoding="utf-8")
    with pytest.raises(DatasetError, match="cannot be read in pieces"):
        evaluate_here(tmp_path / "a.csv", CONFIG)
    (tmp_path / "b.jsonl").write_text("\n", encoding="utf-8")
    with pytest.raises(DatasetError, match="there are no rows"):
        evaluate_here(tmp_path / "b.jsonl", CONFIG)
    with pytest.raises(ConfigError, match="carries an output"):
        evaluate_here(write_jsonl(tmp_path / "c.jsonl", [{"question": "أ", "context": "ب"}]), {"progress": False})
    with pytest.raises(ConfigError, match="blocksize is 0"):
        evaluate_here(tmp_path / "c.jsonl", CONFIG, blocksize=0)


def test_our_own_rows_and_rows_without_gold_are_refused(tmp_path: Path) -> None:
    row = {"question": "أ", "transformed_query": "", "query_transform_strategy": "", "gold_answer": "ب"}
    own = {**row, "retrieved_previews": "[]", "run_id": "1", "predicted_answer": "ب"}
    with pytest.raises(DatasetError, match=r"this is a samples\.csv"):
        evaluate_here(write_jsonl(tmp_path / "own.jsonl", [own]), {"progress": False})
    bare = {"question": "أ", "retrieved_contexts": ["ب"]}
    with pytest.raises(MetricError, match="no metric can be computed"):
        evaluate_here(write_jsonl(tmp_path / "bare.jsonl", [bare]), {"progress": False})


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = write_jsonl(tmp_path / "a.jsonl", rows(3))
    MuffakirEvaluation(CONFIG).evaluate(None, path, save=True, output_dir=tmp_path / "run")
    with pytest.raises(StorageError, match="something else"):
        evaluate_here(path, CONFIG, output_dir=tmp_path / "run")


def test_where_it_fails_nothing_stays_behind(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = write_jsonl(tmp_path / "a.jsonl", [*rows(3), {"question": ""}])
    with pytest.raises(DatasetError):
        evaluate_here(path, CONFIG, output_dir=tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_without_rows_kept_there_are_no_frames(tmp_path: Path) -> None:
    report = evaluate_here(write_jsonl(tmp_path / "a.jsonl", rows(3)), CONFIG)
    assert (report.folder, report.parts) == (None, ())
    with pytest.raises(StorageError, match="not kept"):
        next(report.frames())


def test_without_dask_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"muffakir-eval\[dask\]"):
        evaluate_distributed(write_jsonl(tmp_path / "a.jsonl", rows(3)), CONFIG)
