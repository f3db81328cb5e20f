"""Which settings of two runs differ."""

from __future__ import annotations

from muffakir_eval.storage.identity import differences


def test_differences_are_named_deeply() -> None:
    before = {"k": 5, "matching": {"overlap_threshold": 0.5, "match_by": "id"}}
    now = {"k": 5, "matching": {"overlap_threshold": 0.6, "match_by": "id"}, "language": "ar"}
    assert list(differences(before, now)) == ["language: None -> 'ar'", "matching.overlap_threshold: 0.5 -> 0.6"]
