"""The settings of an audit: what is known, what is refused, and what follows from them."""

from __future__ import annotations

import pytest

from muffakir_eval.audit.settings import AuditConfig
from muffakir_eval.errors import ConfigError


def test_the_cutoffs_go_as_far_as_is_asked_for() -> None:
    assert AuditConfig.from_mapping({}).cutoffs == (1, 3, 5, 10, 20, 50, 100)
    assert AuditConfig.from_mapping({"top_n": 30, "k": 7}).cutoffs == (1, 3, 5, 7, 10, 20)
    assert AuditConfig.from_mapping({"k": 5, "k_values": [10, 2]}).cutoffs == (2, 5, 10)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"topn": 3}, "did you mean 'top_n'"),
        ({"llm_model": "gpt-4o"}, "the key 'llm_model' says nothing in an audit"),
        ({"metrics": ["recall"]}, "the key 'metrics' says nothing in an audit"),
        ({"top_n": 0}, "top_n"),
        ({"top_n": True}, "not true or false"),
        ({"workers": 0}, "workers"),
        ({"top_n": 3}, "the cutoff 5 is above top_n=3: raise top_n, or lower k."),
        ({"k_values": [200]}, "the cutoff 200 is above top_n=100"),
        ({"matching": {"fuzy": True}}, "did you mean 'fuzzy'"),
        ({"sample_seed": 1}, "set max_samples too"),
    ],
)
def test_what_is_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=r"audit") as caught:
        AuditConfig.from_mapping(given)
    assert said in str(caught.value)


def test_matching_means_what_it_means_in_a_run() -> None:
    chosen = AuditConfig.from_mapping({"match_by": "text", "overlap_threshold": 0.7, "matching": {"fuzzy": False}})
    settings = chosen.match_settings
    assert (settings.match_by, settings.overlap_threshold, settings.fuzzy) == ("text", 0.7, False)


def test_what_the_dataset_prefers_gives_way_to_what_the_user_says() -> None:
    assert AuditConfig.from_mapping({}).preferring("id").match_settings.match_by == "id"
    assert AuditConfig.from_mapping({"match_by": "auto"}).preferring("id").match_settings.match_by == "auto"


def test_only_settings_of_an_audit_are_shown() -> None:
    shown = AuditConfig.from_mapping({"workers": 2}).public_dict()
    assert shown["workers"] == 2
    assert "k" in shown
    assert not {"llm_model", "api_key", "metrics", "on_existing"} & shown.keys()
