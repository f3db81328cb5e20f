"""The table of names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.datasets.columns.aliases import FIELD_KEYS, FIELDS, TIERS, fold_name
from muffakir_eval.datasets.columns.mapping import MappingOptions, map_columns


@pytest.mark.parametrize(
    "name",
    [
        "Ground Truth",
        "ground_truth",
        "ground-truth",
        "groundTruth",
        " GROUND  TRUTH ",
        "\ufeffGround Truth",
        "ground truth:",
    ],
)
def test_case_spaces_and_hyphens_do_not_count(name: str) -> None:
    assert fold_name(name) == "groundtruth"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("الإجابة", "الاجابه"),
        ("الإجابة النموذجية", "الاجابة_النموذجيه"),
        ("السُّؤال", "السوال"),
        ("السـؤال", "السؤال"),
        ("قابل للإجابة", "قابل_للاجابه"),
        ("المعرّف", "المعرف"),
        ("السؤال؟", "السؤال"),
        ("إجابة", "اجابة"),
    ],
)
def test_arabic_spellings_do_not_count(one: str, other: str) -> None:
    assert fold_name(one) == fold_name(other)


@pytest.mark.parametrize(("one", "other"), [("السؤال", "سؤال"), ("answer", "answers"), ("id", "#"), ("a.b", "ab")])
def test_different_names_stay_different(one: str, other: str) -> None:
    assert fold_name(one) != fold_name(other)


@given(st.text(alphabet="abcXYZ019 _-"))
def test_folding_forgets_case_and_separators_and_nothing_else(name: str) -> None:
    bare = name.replace(" ", "").replace("_", "").replace("-", "").lower()
    assert fold_name(name) == fold_name(name.upper()) == bare


def test_no_name_stands_in_two_fields() -> None:
    homes: dict[str, str] = {}
    for field, tiers in TIERS.items():
        for tier in tiers:
            for name in tier.split():
                assert homes.setdefault(fold_name(name), field) == field, name


def test_every_field_can_be_named_in_a_mapping() -> None:
    assert set(FIELD_KEYS.values()) == set(FIELDS)


def seen_names(data_dir: Path, heading: str) -> list[str]:
    text = (data_dir / "COLUMN_NAMES.md").read_text(encoding="utf-8")
    section = text.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `(.+?)` \|", section, re.MULTILINE)


LEFT_TO_THE_USER = {
    "answer", "answers",  # the system's only beside a reference
    "nebras_answer", "No-RAG Answer", "predicted_answer_llama", "predicted_answer_mistral",
    "generated_answer_no_daleel", "generated_answer_gemini",
    "generated_answer_gpt", "answer_fid", "answer_gpt4",  # one of several systems
    "raw_answer", "pruned_answer", "nebras_full_context",
    "retrieved_contexts", "retrieved_documents",  # not gold
    "source_documents", "expected_source.chunk_ids", "expected_source.page_numbers",
    "expected.expected_article_numbers", "document", "answer=REF",
}  # fmt: skip
"""Names seen in public files that say too little, or that are inside an object: a mapping must say."""


@pytest.mark.parametrize(
    ("heading", "field"),
    [
        ("question", "question"),
        ("reference answer", "answers"),
        ("system answer", "predicted_answer"),
        ("contexts", "contexts"),
        ("gold source / doc id", "chunk_ids"),
        ("row id", "sample_id"),
    ],
)
def test_names_seen_in_public_files_are_known(data_dir: Path, heading: str, field: str) -> None:
    names = seen_names(data_dir, heading)
    assert names
    for name in names:
        if name in LEFT_TO_THE_USER:
            continue
        columns = (name,) if field == "question" else ("question", name)
        assert map_columns(columns, MappingOptions(), where="f").fields.get(field) == (name,), name
