"""Whole runs on real public data; skipped where it is absent."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from muffakir_eval import MuffakirEvaluation
from muffakir_eval.cli import app


def articles(node: Any) -> Iterator[tuple[str, str]]:
    """Identifier and text of every law article below ``node``."""
    if isinstance(node, dict):
        if "article_id" in node and node.get("original_text"):
            yield str(node["article_id"]), str(node["original_text"])
        for value in node.values():
            yield from articles(value)
    elif isinstance(node, list):
        for value in node:
            yield from articles(value)


def write_jsonl(path: Path, rows: Iterator[dict[str, str]]) -> int:
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    path.write_text("".join(lines), encoding="utf-8")
    return len(lines)


def run(*arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(app, ["run", *arguments, "--json", "--quiet"])
    assert done.exit_code == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_bm25_over_the_law_articles_by_identifier(data_dir: Path, tmp_path: Path) -> None:
    corpus: dict[str, str] = {}
    for file in sorted((data_dir / "wakili_legal" / "corpus").glob("*.json")):
        for name, text in articles(json.loads(file.read_text(encoding="utf-8-sig"))):
            corpus.setdefault(name, text)
    rows = ({"article_id": name, "text": text} for name, text in corpus.items())
    assert write_jsonl(tmp_path / "law.jsonl", rows) == 2376, "2,377 identifiers, one of them without a text"
    summary = run(
        str(data_dir / "wakili_legal" / "ragas_dataset_50.csv"),
        *("--retriever", "bm25", "--corpus", str(tmp_path / "law.jsonl")),
        *("--metrics", "recall,precision,mrr,ndcg,map,hit_rate", "--k", "10", "--k-values", "1,5"),
        *("--output-dir", str(tmp_path / "run")),
    )
    assert summary["dataset"]["mapping"]["chunk_ids"]
    assert {block["n_scored"] for block in summary["metrics"].values()} == {50}
    means = summary["summary"]
    assert means["recall@1"] <= means["recall@5"] <= means["recall_at_k"] == means["hit_rate"]
    assert 0.7 <= means["recall_at_k"] <= 0.9
    assert means["precision_at_k"] == pytest.approx(means["recall_at_k"] / 10), "one gold article per question"
    assert means["map"] == means["mrr"]


def test_bm25_over_rechunked_passages_by_text(data_dir: Path, tmp_path: Path) -> None:
    questions = data_dir / "arcd" / "arcd-train.json"
    data = json.loads(questions.read_text(encoding="utf-8"))["data"]
    passages = (paragraph["context"] for article in data for paragraph in article["paragraphs"])
    rows = ({"id": str(number), "text": text} for number, text in enumerate(passages))
    assert write_jsonl(tmp_path / "arcd.jsonl", rows) == 231
    summary = run(
        *(str(questions), "--retriever", "bm25", "--corpus", str(tmp_path / "arcd.jsonl"), "--rechunk", "60"),
        *("--metrics", "recall,mrr", "--output-dir", str(tmp_path / "run")),
    )
    assert summary["n_samples"] == 693
    assert summary["metrics"]["recall_at_k"]["n_scored"] == 693
    assert 0.75 <= summary["summary"]["recall_at_k"] <= 0.95


def test_recorded_outputs_agree_with_the_gold_ranks_that_came_with_them(data_dir: Path, tmp_path: Path) -> None:
    packed = data_dir / "arcd_rag_answers" / "e2e_retrieval_eval_set.json.gz"
    with gzip.open(packed) as file:
        rows = json.load(file)
    report = MuffakirEvaluation({"k": 5, "metrics": ["recall", "mrr"], "progress": False}).evaluate(None, packed)
    assert report.n_samples == len(rows) == 60
    for row, result in zip(rows, report.samples, strict=True):
        assert result.sample.sample_id == str(row["id"])
        assert result.scores["recall_at_k"].value == float(row["gold_in_topk"])
        # Of one question an earlier chunk holds the first sentences of the gold with a name or two added.
        rank = 1 if str(row["id"]) == "430559117023" else row["gold_rank"]
        expected = 1 / rank if row["gold_in_topk"] else 0.0
        assert result.scores["mrr"].value == pytest.approx(expected)
    assert report.summary()["recall_at_k"] == pytest.approx(52 / 60), "as the authors counted"


def test_the_answers_of_one_method_are_told_apart_by_two_columns(data_dir: Path) -> None:
    answers = data_dir / "arcd_rag_answers" / "e2e_retrieval_results.jsonl"
    done = CliRunner().invoke(app, ["validate", str(answers)])
    assert done.exit_code == 2
    assert 'id_columns=["id", "method"]' in done.stdout + done.stderr
    done = CliRunner().invoke(app, ["validate", str(answers), "--id-columns", "id,method"])
    assert done.exit_code == 0, done.stderr
    assert "180" in done.stdout
