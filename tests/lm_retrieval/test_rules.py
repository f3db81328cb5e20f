from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval.errors import ConfigError, MetricError
from muffakir_eval.lm_retrieval.resource import table
from muffakir_eval.lm_retrieval.rules import RetrievalRules, load_rules
from muffakir_eval.records.scores import FAILED_REASONS
from tests.lm_retrieval.cases import failed, measured, missing, rule, scores

PRECISION = "contextual_precision"


def both(recall: Any, precision: Any = None) -> dict[str, Any]:
    """Scores of the two default metrics; numbers are measured."""
    first = recall if not isinstance(recall, float) else measured(recall)
    second = 1.0 if precision is None else precision
    return scores(first, second if not isinstance(second, float) else measured(second, PRECISION))


def rating(rules: Any, given: dict[str, Any]) -> tuple[str | None, float | None]:
    found = load_rules(rules).rate(given)
    return found.rating, found.score


def test_by_default_good_and_bad_follow_contextual_recall_alone() -> None:
    for precision in (0.0, 0.5, 1.0, failed(name=PRECISION), missing(name=PRECISION)):
        assert rating(None, both(1.0, precision)) == ("good", 1.0)
        assert rating(None, both(0.5, precision)) == ("good", 1.0)
        assert rating(None, both(0.4999999, precision)) == ("bad", 0.0)
        assert rating(None, both(0.0, precision)) == ("bad", 0.0)


@pytest.mark.parametrize("reason", sorted(FAILED_REASONS))
def test_a_metric_that_failed_is_never_bad(reason: str) -> None:
    found = load_rules().rate(both(failed(reason), 0.0))
    assert (found.rating, found.score, found.issues) == (None, None, ())
    assert [score.reason for score in found.open_for] == [reason]


@pytest.mark.parametrize("reason", ["no_chunks", "no_gold_answer", "unanswerable"])
def test_a_metric_that_does_not_apply_lets_neither_rule_hold(reason: str) -> None:
    found = load_rules({"scores": {"incomplete": 0.5}}).rate(both(missing(reason), missing(reason, PRECISION)))
    assert (found.rating, found.score) == ("incomplete", None)
    assert [score.name for score in found.open_for] == ["contextual_recall"]


def test_an_empty_result_can_be_made_bad() -> None:
    rules = {
        "good": rule(">=", 0.5),
        "bad": {"or": [rule("<", 0.5), {"metric": "contextual_recall", "reason": "no_chunks"}]},
    }
    assert rating(rules, both(missing("no_chunks"))) == ("bad", 0.0)
    assert rating(rules, both(missing("no_gold_answer"))) == ("incomplete", None)
    assert rating(rules, both(0.7)) == ("good", 1.0)


THREE = {"good": rule(">=", 0.8), "bad": rule("<", 0.4)}


def test_between_the_rules_it_is_incomplete_and_has_no_score_unless_one_is_set() -> None:
    assert rating(THREE, both(0.8)) == ("good", 1.0)
    assert rating(THREE, both(0.6)) == ("incomplete", None)
    assert rating({**THREE, "scores": {"incomplete": 0.5, "bad": -1}}, both(0.6)) == ("incomplete", 0.5)
    assert rating({**THREE, "scores": {"incomplete": 0.5, "bad": -1}}, both(0.3)) == ("bad", -1.0)
    assert rating({**THREE, "scores": {"good": None}}, both(0.9)) == ("good", None)


def test_where_both_rules_hold_good_comes_first() -> None:
    rules = {"good": rule(">=", 0.5), "bad": rule("<", 0.5, PRECISION)}
    assert rating(rules, both(0.9, 0.1)) == ("good", 1.0)
    assert rating(rules, both(0.1, 0.1)) == ("bad", 0.0)
    assert rating(rules, both(0.1, 0.9)) == ("incomplete", None)


def test_what_failed_matters_only_where_it_decides() -> None:
    rules = {"good": rule(">=", 0.5), "bad": rule("<", 0.5, PRECISION)}
    lost = failed(name=PRECISION)
    assert rating(rules, both(0.9, lost)) == ("good", 1.0)
    assert rating(rules, both(0.1, lost)) == (None, None)
    assert rating(rules, both(failed(), 0.1)) == (None, None)  # it might be good
    assert rating(rules, both(failed(), 0.9)) == (None, None)
    assert rating(rules, both(missing(), 0.1)) == ("bad", 0.0)  # it cannot be good
    assert rating(rules, both(missing(), lost)) == (None, None)
    assert rating(rules, both(missing(), 0.9)) == ("incomplete", None)


def test_a_rule_may_be_left_out() -> None:
    assert rating({"good": rule(">=", 0.5)}, both(0.1)) == ("incomplete", None)
    assert rating({"bad": rule("<", 0.5)}, both(0.9)) == ("incomplete", None)
    assert rating({"bad": rule("<", 0.5)}, both(0.1)) == ("bad", 0.0)


# --------------------------------------------------------------------------------------------- hints


def hints(recall: Any, precision: Any) -> list[str]:
    return [issue.name for issue in load_rules().rate(both(recall, precision)).issues]


@pytest.mark.parametrize(
    ("recall", "precision", "names"),
    [
        (0.0, 0.0, ["evidence_missing", "nothing_useful"]),
        (0.25, 0.25, ["evidence_missing", "response_not_covered", "evidence_ranked_low"]),
        (0.25, 0.5, ["evidence_missing", "response_not_covered", "noise_ahead_of_evidence"]),
        (0.25, 1.0, ["evidence_missing", "response_not_covered"]),
        (0.25, failed(name=PRECISION), ["evidence_missing", "response_not_covered"]),
        (missing(), missing(name=PRECISION), ["nothing_retrieved"]),
        (missing("no_gold_answer"), missing("no_gold_answer", PRECISION), []),
    ],
)
def test_hints_name_what_is_likely_wrong(recall: Any, precision: Any, names: list[str]) -> None:
    assert hints(recall, precision) == names


def test_a_good_or_unknown_rating_has_no_hints() -> None:
    assert hints(0.5, 0.0) == []
    assert hints(failed(), 0.0) == []


def test_hints_of_ones_own_replace_the_default_ones() -> None:
    own = {"when": rule("<", 0.3), "text": {"ar": "راجع التقطيع", "en": "look at the chunking"}}
    found = load_rules({"issues": [own]}).rate(both(0.1, 0.0)).issues
    assert [(issue.words("ar"), issue.words("en")) for issue in found] == [("راجع التقطيع", "look at the chunking")]
    same = load_rules({"issues": [{**own, "text": "شيء ما"}]}).rate(both(0.1)).issues
    assert [issue.words("en") for issue in same] == ["شيء ما"]
    assert load_rules({"issues": []}).rate(both(0.1, 0.0)).issues == ()


def test_every_default_hint_speaks_both_languages_and_is_found_somewhere() -> None:
    grid = [(r / 4, p / 4) for r in range(5) for p in range(5)]
    seen = {name for recall, precision in grid for name in hints(recall, precision)}
    seen.update(hints(missing(), missing(name=PRECISION)))
    assert seen == {issue.name for issue in load_rules().issues}
    for issue in load_rules().issues:
        assert "؀" <= issue.words("ar")[0] <= "ۿ"
        assert issue.words("en").isascii()


def test_both_languages_have_the_same_words() -> None:
    english, arabic = table("words", "en"), table("words", "ar")
    assert english.keys() == arabic.keys() - {"names"}
    assert table("reasons", "en").keys() == table("reasons", "ar").keys() >= FAILED_REASONS
    for name, words in english.items():
        slots = {part.partition("}")[0] for part in words.split("{")[1:]}
        assert slots == {part.partition("}")[0] for part in arabic[name].split("{")[1:]}, name


# -------------------------------------------------------------------------------------- reading rules


def test_what_is_given_replaces_the_default() -> None:
    default = load_rules()
    assert load_rules({}) == default
    assert load_rules({"good": rule(">=", 0.9)}).bad is None
    assert load_rules({"bad": rule("<", 0.1)}).good is None
    only_scores = load_rules({"scores": {"incomplete": 0.5}})
    assert (only_scores.good, only_scores.issues) == (default.good, default.issues)
    assert only_scores.scores.model_dump() == {"good": 1.0, "bad": 0.0, "incomplete": 0.5}
    assert load_rules(default) is default


def test_from_files(tmp_path: Path) -> None:
    given = {"good": {"and": [rule(">=", 0.8), rule(">=", 0.5, PRECISION)]}, "bad": rule("<", 0.4)}
    (tmp_path / "r.json").write_text(json.dumps(given), encoding="utf-8")
    (tmp_path / "r.toml").write_text(
        'good = { and = [{ metric = "contextual_recall", op = ">=", value = 0.8 },\n'
        '  { metric = "deepeval_contextual_precision", op = "≥", value = 0.5 }] }\n'
        '[bad]\nmetric = "contextual_recall"\nop = "<"\nvalue = 0.4\n',
        encoding="utf-8",
    )
    (tmp_path / "r.yaml").write_text(
        "good:\n  and:\n  - {metric: contextual_recall, op: '>=', value: 0.8}\n"
        "  - {metric: contextual_precision, op: '>=', value: 0.5}\n"
        "bad: {metric: contextual_recall, op: '<', value: 0.4}\n",
        encoding="utf-8",
    )
    found = [load_rules(tmp_path / f"r.{suffix}") for suffix in ("json", "toml", "yaml")]
    assert found == [load_rules(given)] * 3
    assert load_rules(str(tmp_path / "r.json")) == found[0]
    with pytest.raises(ConfigError, match=r"no\.toml.*no such file"):
        load_rules(tmp_path / "no.toml")
    (tmp_path / "bad.toml").write_text(
        'good = { metric = "contextual_recall", op = ">=", value = nan }', encoding="utf-8"
    )
    with pytest.raises(ConfigError, match=r"bad\.toml, good\.value: expected a finite number, found nan"):
        load_rules(tmp_path / "bad.toml")


ISSUE = {"when": rule("<", 0.5), "text": "t"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"good": {}}, "rules, good.metric: the key is missing."),
        ({"god": rule(">", 0.1)}, "rules, god: unknown key. What to do: did you mean 'good'?"),
        ({"scores": {"god": 1}}, "rules, scores.god: unknown key. What to do: did you mean 'good'?"),
        ({"scores": {"x": 1}}, "rules, scores.x: unknown key. What to do: known keys are good, bad, incomplete."),
        ({"issues": [{**ISSUE, "whn": 1}]}, "rules, issues[0].whn: unknown key. What to do: did you mean 'when'?"),
        (
            {"good": {"or": [{"not": {"metrc": "r", "op": ">", "value": 1}}]}},
            "rules, good.or[0].not.metrc: unknown key. What to do: did you mean 'metric'?",
        ),
        ({"good": {"and": [], "ad": 1}}, "rules, good.ad: unknown key. What to do: did you mean 'and'?"),
        ({"good": {"AND": [rule(">", 0.1)]}}, "rules, good.AND: unknown key. What to do: did you mean 'and'?"),
        (
            {"good": {"all": [rule(">", 0.1)]}},
            "rules, good.all: unknown key. What to do: known keys are metric, op, value, reason, and, or, not",
        ),
        (
            {"issues": [{**ISSUE, "when": {"metric": "m", "reason": "no_chunks", "resn": 1}}]},
            "rules, issues[0].when.resn: unknown key. What to do: did you mean 'reason'?",
        ),
        ({"good": rule("~", 1)}, "rules, good.op: expected '>=', '>', '<=', '<', '==' or '!=', found '~'."),
        ({"good": {"and": []}}, "rules, good.and: it is empty. Expected: at least one condition."),
        ({"good": rule(">", 0, "")}, "rules, good.metric: it is empty."),
        ({"good": {"and": rule(">", 1)}}, "rules, good.and: expected a list, found "),
        ({"good": {**rule(">", 1), "value": "1"}}, "rules, good.value: expected a number, found '1'."),
        ({"good": {**rule(">", 1), "value": True}}, "rules, good.value: expected a number, found True."),
        ({"good": rule(">", float("nan"))}, "rules, good.value: expected a finite number, found nan."),
        ({"good": 3}, "rules, good: found 3. Expected: a table with metric, op and value, or with and, or, or not."),
        ({"scores": {"good": True}}, "rules, scores.good: expected a number, found True."),
        ({"scores": {"good": float("inf")}}, "rules, scores.good: expected a finite number, found inf."),
        ({"scores": 3}, "rules, scores: expected a table, found 3."),
        ({"issues": [3]}, "rules, issues[0]: expected a table, found 3."),
        ({"issues": 3}, "rules, issues: expected a list, found 3."),
        ({"issues": [{**ISSUE, "optional": "perhaps"}]}, "rules, issues[0].optional: "),
        ({"issues": [{**ISSUE, "text": " "}]}, "rules, issues[0]: an issue needs its text in Arabic and in English"),
        ({"issues": [{**ISSUE, "text": {"en": "x"}}]}, "rules, issues[0]: an issue needs its text in Arabic"),
        ({"issues": [{**ISSUE, "text": {"fr": "x"}}]}, "rules, issues[0].text.fr: expected 'ar' or 'en', found 'fr'."),
        ({"issues": [{**ISSUE, "text": 3}]}, "rules, issues[0].text: expected a table, found 3."),
        ({"good": None, "bad": None}, "rules: there is neither a rule for good nor one for bad."),
        (3, "rules: the rules are of type int. Expected: a table, or the path of"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(given: Any, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_rules(given)
    assert str(caught.value).startswith(words)


def test_conditions_that_contain_themselves_or_never_end() -> None:
    circle: dict[str, Any] = {}
    circle["not"] = circle
    deep: dict[str, Any] = rule(">", 0)
    for _ in range(3_000):
        deep = {"not": deep}
    for condition in (circle, deep):
        with pytest.raises(ConfigError, match="nested too deeply, or contain themselves"):
            load_rules({"good": condition})


def test_rules_that_name_a_score_that_is_not_there() -> None:
    rules = load_rules({"good": rule(">=", 0.5, "faithfulness")})
    with pytest.raises(MetricError, match="'faithfulness', and there is no such score"):
        rules.rate(both(0.5))
    own = {"issues": [{"when": rule("<", 0.5, "token_f1"), "text": "t"}]}
    with pytest.raises(MetricError, match="token_f1"):
        load_rules(own).rate(both(0.5))
    assert load_rules().rate(scores(measured(0.2))).rating == "bad"  # the default hints are optional


def test_rules_are_values() -> None:
    rules = load_rules(THREE)
    assert RetrievalRules.model_validate(rules.model_dump(by_alias=True)) == rules
    assert RetrievalRules.model_validate_json(rules.model_dump_json(by_alias=True)) == rules
    assert list(rules.named()) == ["contextual_recall"]
