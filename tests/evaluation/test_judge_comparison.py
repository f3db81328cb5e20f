"""``compare_judges``: several judges of the same recorded answers."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import (
    ConfigError,
    DatasetError,
    JudgeKeyError,
    MetricError,
    MuffakirEvaluation,
    ScriptedModel,
    acompare_judges,
    compare_judges,
    judge_metric,
    jury,
)
from muffakir_eval.comparison.runs_folder import load_report
from muffakir_eval.errors import DatasetRowError, RunMismatchError, StorageError
from muffakir_eval.judges.protocol import ModelError, Prompt
from tests.evaluation.judged import rows
from tests.judges.server import JudgeServer

QUIET: dict[str, Any] = {"progress": False, "cache_dir": None}


def number_in(prompt: Prompt) -> int:
    """Of the question that is asked about."""
    return int(prompt.user.split("السؤال رقم ")[1].split()[0])


def rater(name: str, opinion: Callable[[int], Any]) -> ScriptedModel:
    """A judge with an opinion on every question: a rating, a text, or an exception."""

    def reply(prompt: Prompt) -> Any:
        value = opinion(number_in(prompt))
        return {"reason": f"رأي {name}", "score": value} if isinstance(value, (int, float)) else value

    return ScriptedModel({"llm_judge_rating": reply, "answer_correctness": reply}, name=name)


def people(number: int) -> int:
    """What people say of a question."""
    return number % 5 + 1


def labelled(count: int, **cells: Any) -> list[dict[str, Any]]:
    """Questions with recorded answers and human labels."""
    return [{**row, "human": people(number), **cells} for number, row in enumerate(rows(count))]


def compared(dataset: Any, judges: Any, **options: Any) -> Any:
    settings = {**QUIET, **options.pop("config", {})}
    options = {"metrics": "llm_judge_rating", "n_resamples": 200, **options}
    return compare_judges(dataset, judges, config=settings, **options)


class Rag:
    """A system that must not be called again."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, question: str, k: int) -> tuple[str, list[str]]:
        self.calls += 1
        return "مدتها عشرة أيام.", ["نص"]


# -- judges and answers ----------------------------------------------------------------------------


def test_each_judge_is_a_run_of_its_own(tmp_path: Path) -> None:
    good, lenient = rater("good", people), rater("lenient", lambda n: min(5, people(n) + 1))
    found = compared(labelled(20), [good, lenient], human_column="human", output_dir=tmp_path / "out")
    assert (good.calls, lenient.calls) == (20, 20)
    assert found.against_people("llm_judge_rating", "good").accuracy.value == 1.0
    assert found.against_people("llm_judge_rating", "lenient").agreement.bias.value == pytest.approx(0.8)
    for name in ("good", "lenient"):
        summary = json.loads((tmp_path / "out" / name / "summary.json").read_text(encoding="utf-8"))
        assert (summary["n_samples"], summary["judge"]["model"]) == (20, name)
    assert (tmp_path / "out" / "judges.json").exists() and found.folder == tmp_path / "out"
    first = found.against_people("llm_judge_rating", "lenient").disagreements[0]
    assert first.reason_a == "رأي lenient" and first.others == {"good": first.value_b}


def test_without_a_folder_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = compared(labelled(3), [rater("a", people)])
    assert found.folder is None and found.judge("a").folder is None and list(tmp_path.iterdir()) == []


def test_the_folder_of_an_earlier_run_is_a_dataset_and_its_system_is_not_called(tmp_path: Path) -> None:
    rag = Rag()
    settings = {**QUIET, "metrics": ["recall"], "pipeline_id": "rag"}
    MuffakirEvaluation(settings).evaluate(rag, rows(6, recorded=False), save=True, output_dir=tmp_path / "run")
    assert rag.calls == 6
    found = compared(
        tmp_path / "run", [rater("a", people), rater("b", people)], metrics="answer_correctness,llm_judge_rating"
    )
    assert rag.calls == 6 and found.n_answers == 6
    assert [one.metric for one in found.metrics] == ["answer_correctness", "llm_judge_rating"]


def test_finished_runs_are_compared_without_a_call(tmp_path: Path) -> None:
    models = {name: rater(name, people) for name in ("a", "b")}
    compared(labelled(8), list(models.values()), output_dir=tmp_path / "out")
    calls = [model.calls for model in models.values()]
    folders = [str(tmp_path / "out" / name) for name in models]
    found = compare_judges(judges=folders, human_column="human", n_resamples=200)
    assert [model.calls for model in models.values()] == calls
    assert found.n_answers == 8 and [judge.source for judge in found.judges] == ["folder", "folder"]
    assert found.pair("llm_judge_rating", "a", "b").agreement.kappa.value == 1.0
    assert found.against_people("llm_judge_rating", "a").agreement.n == 8
    mixed = compared(labelled(8), {"old": folders[0], "new": rater("c", lambda n: 3)})
    assert mixed.pair("llm_judge_rating", "old", "new").agreement.n == 8


def test_reports_are_judges_and_datasets_too() -> None:
    report = MuffakirEvaluation({**QUIET, "metrics": ["llm_judge_rating"]}).evaluate(WithJudge(), labelled(4))
    found = compared(report, {"first": report, "again": rater("x", lambda n: 1)})
    assert found.pair("llm_judge_rating", "first", "again").agreement.n == 4


class WithJudge(Rag):
    llm_provider = rater("own", people)


def test_runs_of_other_answers_are_refused(tmp_path: Path) -> None:
    compared(labelled(3), [rater("a", people)], output_dir=tmp_path / "out")
    other = [{**row, "predicted_answer": "جواب آخر"} for row in labelled(3)]
    with pytest.raises(ConfigError, match="holds none of the answers that are compared"):
        compared(other, [tmp_path / "out" / "a"])
    more = [*labelled(3), {**labelled(4)[3], "predicted_answer": "آخر"}]
    found = compared(more, [tmp_path / "out" / "a"])
    assert found.judge("a").notes == ("its run holds 3 of the 4 answers",)


def test_metrics_are_chosen_by_what_the_dataset_has() -> None:
    script = {
        "faithfulness": {"reason": "", "unsupported": [], "verdict": "yes"},
        "*": {"reason": "", "score": 1},
    }
    found = compare_judges(rows(2), [ScriptedModel(script)], config=QUIET, n_resamples=200)
    assert [one.metric for one in found.metrics] == ["faithfulness", "answer_correctness", "llm_judge_rating"]
    bare = [{"question": "؟", "predicted_answer": "نعم"}]
    with pytest.raises(MetricError, match="no judged metric can be computed"):
        compare_judges(bare, [ScriptedModel(script)], config=QUIET)


def test_own_criteria_bring_their_scale() -> None:
    tone = judge_metric("tone", "هل الإجابة مهذبة؟", scale=(0, 3))
    model = ScriptedModel({"tone": {"reason": "", "score": 2}})
    found = compare_judges(rows(3), [model], metrics=[tone], config=QUIET, n_resamples=200)
    assert (found.metric("tone").low, found.metric("tone").high, found.metric("tone").kind) == (0, 3, "rating")


def test_inside_a_coroutine() -> None:
    async def run() -> Any:
        return await acompare_judges(labelled(2), [rater("a", people)], metrics="llm_judge_rating", config=QUIET)

    assert asyncio.run(run()).n_answers == 2
    with pytest.raises(TypeError, match="unexpected keyword argument 'human'"):
        asyncio.run(acompare_judges(labelled(2), [rater("a", people)], human="x"))  # type: ignore[call-arg]


# -- what is refused before anybody is asked ---------------------------------------------------------


@pytest.mark.parametrize(
    ("judges", "found"),
    [
        ([], "there is no judge"),
        (["gpt-4o"], "neither a judge nor the folder"),
        (["nobody:x"], "is not known and there is no base_url"),
        ([{"llm_provider": "openai"}], "no model is named"),
        ([{"llm_provider": "openai", "llm_modle": "x"}], "did you mean 'llm_model'"),
        ([{"llm_model": "x", "k": 3}], "unknown key 'k'"),
        ([3], "int is no judge"),
        (3, "int is no judge"),
        ({"llm_provider": "nobody", "llm_model": "x"}, "is not known and there is no base_url"),
        ([{"label": "x"}], "a judge is not named"),
    ],
)
def test_a_judge_that_cannot_be_made(judges: Any, found: str) -> None:
    asked = rater("a", people)
    with pytest.raises(ConfigError, match=found):
        compared(labelled(2), [asked, *judges] if isinstance(judges, list) and judges else judges)
    assert asked.calls == 0


def test_a_key_in_the_common_settings_would_reach_every_judge() -> None:
    with pytest.raises(ConfigError, match="the common settings have api_key"):
        compared(labelled(2), [rater("a", people)], config={"api_key": "zebra"})


@pytest.mark.parametrize(
    ("options", "error", "found"),
    [
        ({"human_column": "humen"}, ConfigError, "did you mean 'human'"),
        ({"human_column": "answer"}, ConfigError, "was read as 'answers'"),
        ({"human_column": {"faithfulness": "human"}}, ConfigError, "which is not compared"),
        ({"human_column": "human", "human_scale": (5, 1)}, ConfigError, "human_scale"),
        ({"human_column": "human", "human_scale": (2, 5)}, DatasetRowError, "from 2 to 5"),
        ({"human_column": "human", "human_scale": "1,5"}, ConfigError, "human_scale is '1,5'"),
        ({"human_column": "human", "human_scale": (1, 3, 5)}, ConfigError, "two numbers"),
        ({"human_column": ["human", "other"]}, ConfigError, "of several people's columns make one first"),
        ({"human_column": {"llm_judge_rating": 3}}, ConfigError, "metric to column"),
        ({"threshold": 4}, ConfigError, "every metric has labels of its own"),
        ({"threshold": 4, "metrics": "answer_correctness"}, ConfigError, "at most 1"),
        ({"threshold": {"llm_judge_rating": 1}}, ConfigError, "a value above 1"),
        ({"threshold": {"llm_judge_rating": True}}, ConfigError, "the threshold of llm_judge_rating is True"),
        ({"threshold": {"llm_judge_rating": float("nan")}}, ConfigError, "is nan"),
        ({"metrics": "recall"}, MetricError, "no judge is asked for this"),
        ({"threshold": {"recall": 1}}, ConfigError, "which is not compared"),
        ({"threshold": {"llm_judge_rating": 9}}, ConfigError, "a value above 1, at most 5"),
        ({"slice_by": "dialekt"}, ConfigError, "no question has anything in the column 'dialekt'"),
        ({"n_resamples": 3}, ConfigError, "n_resamples is 3"),
        ({"n_disagreements": -1}, ConfigError, "n_disagreements is -1"),
    ],
)
def test_a_mistake_costs_nothing(options: dict[str, Any], error: type[Exception], found: str) -> None:
    asked = rater("a", people)
    with pytest.raises(error, match=found):
        compared(labelled(2, dialect="مصرية"), [asked], **options)
    assert asked.calls == 0


def test_a_label_that_is_not_known_names_row_and_column() -> None:
    data = labelled(3)
    data[1]["human"] = "ممتاز جدا"
    with pytest.raises(DatasetRowError, match=r"row 2, column 'human'.*human_labels") as caught:
        compared(data, [rater("a", people)], human_column="human")
    assert (caught.value.row, caught.value.column) == (2, "human")


def test_answers_are_needed() -> None:
    with pytest.raises(ConfigError, match="carries an output"):
        compared(rows(2, recorded=False), [rater("a", people)])
    with pytest.raises(ConfigError, match="no dataset was given"):
        compare_judges(judges=[rater("a", people)])
    with pytest.raises(DatasetError):
        compared("nowhere.csv", [rater("a", people)])


def test_a_run_does_not_replace_the_answers_that_it_judges(tmp_path: Path) -> None:
    compared(labelled(2), [rater("a", people)], output_dir=tmp_path / "out")
    with pytest.raises(ConfigError, match="would replace the answers"):
        compared(tmp_path / "out" / "a", [rater("a", people)], output_dir=tmp_path / "out")


# -- labels of people --------------------------------------------------------------------------------


def against(labels: list[Any], **options: Any) -> Any:
    data = [{**row, "human": label} for row, label in zip(rows(len(labels)), labels, strict=True)]
    found = compared(data, [rater("a", people)], human_column="human", **options)
    return found, found.against_people("llm_judge_rating", "a")


def test_words_on_a_rating_are_another_scale() -> None:
    _, one = against(["نعم", "لا", "صحيح", "خطأ", ""])
    assert one.n_human == 4 and one.agreement.bias.reason == "other_scale"
    assert one.agreement.auc.value is not None
    assert any("another scale" in note for note in one.notes)
    _, with_threshold = against(["نعم", "لا", "صحيح", "خطأ", ""], threshold={"llm_judge_rating": 4})
    assert with_threshold.accuracy.n == 4 and with_threshold.agreement.threshold == 4


def test_a_scale_of_their_own_is_moved_only_where_it_is_named() -> None:
    _, one = against([0, 2.5, 5, 7.5, 10], human_scale=(0, 10))
    assert one.agreement.bias.value == pytest.approx(0.0) and one.accuracy.value == 1.0
    assert any("were moved from 0 to 10" in note for note in one.notes)
    _, plain = against([0, 2.5, 5, 7.5, 10])
    assert plain.agreement.bias.reason == "other_scale"


def test_words_among_numbers_of_another_scale_are_not_placed() -> None:
    """On a scale from 1 to 5 a yes is no 1, which is the worst."""
    for options in ({"human_scale": (1, 5)}, {}):
        with pytest.raises(DatasetRowError, match=r"the label is 'نعم', among.*human_labels") as caught:
            against([4, "", "نعم", "5"], **options)
        assert caught.value.row == 3
    _, one = against([4, "", "نعم", "5"], human_labels={"نعم": 5, "لا": 1})
    assert one.agreement.mean_b == pytest.approx(14 / 3)
    _, shares = against(["نعم", "لا", 1, 0.0])
    assert shares.agreement.bias.reason == "other_scale"
    _, moved = against(["نعم", "لا"], human_scale=(0, 1))
    assert moved.agreement.mean_b == 3.0


def test_a_scale_that_may_be_shorter_than_the_metrics_is_pointed_out() -> None:
    found, _ = against([1, 2, 3, 3] * 5)
    assert "no label in 'human' is higher than 3" in found.notes[0] and "human_scale=(1, 3)" in found.notes[0]
    assert against([1, 2, 3, 3])[0].notes == ()  # of so few, the others may not have occurred
    ones, _ = against([1] * 4)
    assert "worst of 1 to 5" in ones.notes[0] and "human_scale=(0, 1)" in ones.notes[0]


def test_ones_that_may_be_the_worst_or_the_best_are_pointed_out() -> None:
    data = [{**row, "human": 1} for row in rows(4)]
    model = ScriptedModel({"*": {"reason": "", "score": 0.5}})
    found = compared(data, [model], metrics="answer_correctness", human_column="human")
    assert "say human_scale=(1, 5)" in found.notes[0]
    moved = compared(data, [model], metrics="answer_correctness", human_column="human", human_scale=(1, 5))
    assert moved.notes == ()
    assert moved.against_people("answer_correctness", "scripted").agreement.bias.value == 0.5


def test_other_words_have_the_users_meaning() -> None:
    _, one = against(["ضعيف", "مقبول", "جيد", "جيد جدا", "ممتاز"], human_labels={
        "ضعيف": 1, "مقبول": 2, "جيد": 3, "جيد جدا": 4, "ممتاز": 5,
    })  # fmt: skip
    assert one.accuracy.value == 1.0


def test_one_column_for_each_metric() -> None:
    data = [{**row, "human": people(n)} for n, row in enumerate(rows(5))]
    found = compared(data, [rater("a", people)], human_column={"llm_judge_rating": "human"})
    assert found.metric("llm_judge_rating").human_column == "human"


# -- failures, limits, resuming ------------------------------------------------------------------------


def test_a_rejected_key_stops_that_judge_only(tmp_path: Path) -> None:
    def loses_its_key(number: int) -> Any:
        return ModelError("rejected_key", "401") if number >= 3 else people(number)

    bad, good = rater("bad", loses_its_key), rater("good", people)
    settings = {"max_concurrency": 1}
    found = compared(labelled(6), [bad, good], human_column="human", config=settings, output_dir=tmp_path / "out")
    assert not found.complete
    stopped = found.judge("bad")
    assert stopped.status == "partial" and stopped.message and "key" in stopped.message
    assert found.judge("good").status == "complete" and good.calls == 6
    assert found.against_people("llm_judge_rating", "good").agreement.n == 6
    assert 0 < found.against_people("llm_judge_rating", "bad").agreement.n <= 3
    # Mended, it goes on from there; the other one is not asked again.
    mended = rater("bad", people)
    mended._digest = bad._digest
    again = compared(labelled(6), [mended, good], config=settings, output_dir=tmp_path / "out")
    assert again.complete and good.calls == 6 and mended.calls == 3
    assert "taken as it is" in again.judge("good").notes[0]


def test_a_key_that_never_worked_leaves_no_figures() -> None:
    found = compared(labelled(2), [rater("bad", lambda n: ModelError("rejected_key", "401")), rater("good", people)])
    assert (found.judge("bad").status, found.judge("bad").metrics) == ("not_run", {})
    assert "not run" in str(found)
    with pytest.raises(JudgeKeyError):  # a run of its own still ends
        MuffakirEvaluation({**QUIET, "metrics": ["llm_judge_rating"]}).evaluate(Broken(), labelled(2))


class Broken(Rag):
    llm_provider = rater("bad", lambda n: ModelError("rejected_key", "401"))


def test_a_comparison_that_was_finished_is_not_asked_again(tmp_path: Path) -> None:
    a, b = rater("a", people), rater("b", lambda n: 3)
    first = compared(labelled(5), [a, b], output_dir=tmp_path / "out")
    second = compared(labelled(5), [a, b], output_dir=tmp_path / "out")
    assert (a.calls, b.calls) == (5, 5)
    assert second.metrics == first.metrics
    compared(labelled(5), [a, b], output_dir=tmp_path / "out", config={"on_existing": "overwrite"})
    assert (a.calls, b.calls) == (10, 10)
    compared(labelled(6), [a, b], output_dir=tmp_path / "out")  # another dataset: the finished runs are replaced
    assert (a.calls, b.calls) == (16, 16)


def test_an_unfinished_run_of_other_settings_is_refused_before_anybody_is_asked(tmp_path: Path) -> None:
    bad = rater("b", lambda n: ModelError("rejected_key", "401") if n else people(n))
    compared(labelled(4), [bad], output_dir=tmp_path / "out", config={"max_concurrency": 1})
    first = rater("a", people)
    with pytest.raises(RunMismatchError, match="language"):
        compared(labelled(4), [first, bad], output_dir=tmp_path / "out", config={"language": "en"})
    assert first.calls == 0


def test_the_cache_serves_a_comparison_that_keeps_nothing(tmp_path: Path) -> None:
    a = rater("a", people)
    for _ in range(2):
        found = compared(labelled(5), [a], config={"cache_dir": str(tmp_path / "cache")})
    assert a.calls == 5 and found.judge("a").metrics["llm_judge_rating"].cached == 5


def test_the_budget_is_that_of_all_judges_together(tmp_path: Path) -> None:
    prices = {"input": 1000.0, "output": 1000.0}
    free = compared(labelled(4), [rater("a", people)], config={"prices": prices, "max_concurrency": 1})
    cost = free.judge("a").usage["cost_usd"]
    judges = [rater("a", people), rater("b", people), rater("c", people)]
    settings = {"prices": prices, "max_concurrency": 1, "budget_usd": cost * 1.5}
    found = compared(labelled(4), judges, config=settings)
    assert [judge.status for judge in found.judges] == ["complete", "partial", "not_run"]
    assert judges[0].calls == 4 and 0 < judges[1].calls < 4 and judges[2].calls == 0
    assert "budget" in (found.judge("b").message or "") and "budget" in (found.judge("c").message or "")
    with pytest.raises(ConfigError, match="a budget needs a price"):
        compared(labelled(4), judges, config={"budget_usd": 1.0})


def test_prices_and_repeats_of_one_judge() -> None:
    twice = {"llm_provider": rater("twice", people), "judge_repeats": 2, "label": "مرتان"}
    once = {"llm_provider": rater("once", people), "prices": {"input": 1.0, "output": 1.0}}
    found = compared(labelled(3), [twice, once])
    assert found.judge("مرتان").metrics["llm_judge_rating"].calls == 6
    assert found.judge("once").usage["cost_usd"] is not None and found.judge("مرتان").usage["cost_usd"] is None


def test_repeats_that_disagree_are_shown() -> None:
    """A judge that alternates between 2 and 4: four real calls each, mean 3.0, and the spread stands there."""
    turns = iter([2, 4] * 8)
    model = ScriptedModel({"llm_judge_rating": lambda prompt: {"reason": "", "score": next(turns)}}, name="turns")
    found = compared(labelled(4), [model], config={"judge_repeats": 4, "max_concurrency": 1})
    figures = found.judge("turns").metrics["llm_judge_rating"]
    assert (model.calls, figures.mean.value) == (16, 3.0)
    assert figures.repeats is not None and (figures.repeats.n_differ, figures.repeats.largest_range) == (4, 2.0)
    assert "changed its mind on 4 of 4" in str(found)


def test_a_dry_run_asks_nobody_and_writes_nothing(tmp_path: Path) -> None:
    a = rater("a", people)
    keyless = {"llm_provider": "openai", "llm_model": "gpt-x"}
    settings = {"dry_run": True, "prices": {"input": 1.0, "output": 1.0}}
    found = compared(labelled(5), [a, keyless], config=settings, output_dir=tmp_path / "out")
    assert a.calls == 0 and not (tmp_path / "out").exists()
    assert found.dry_run is not None and [plan["plan"]["calls"] for plan in found.dry_run] == [5, 5]
    text = str(found)
    assert "no judge was asked" in text and "a run would stop here" in text and "about" in text


# -- real SDKs -----------------------------------------------------------------------------------------


def test_two_judges_behind_real_sdks(no_keys: None, tmp_path: Path) -> None:
    def says(score: int) -> dict[str, Any]:
        return {"reason": "سبب", "score": score}

    with JudgeServer(says(4)) as openai, JudgeServer(says(2)) as anthropic:
        judges = [
            {"llm_provider": "openai", "llm_model": "gpt-a", "base_url": openai.openai_url, "api_key": "k1-abcdefgh"},
            {"llm_provider": "anthropic", "llm_model": "claude-b", "base_url": anthropic.url, "api_key": "k2-abcdefgh"},
        ]
        found = compared(labelled(6), judges, human_column="human", output_dir=tmp_path / "out")
        assert (openai.count, anthropic.count) == (6, 6)
        assert all("k2-abcdefgh" not in str(seen.headers) for seen in openai.requests)
        assert found.pair("llm_judge_rating", "gpt-a", "claude-b").agreement.bias.value == 2.0
        latency = found.judge("gpt-a").metrics["llm_judge_rating"].latency_ms
        assert latency is not None and latency["n"] == 6
        assert found.judge("claude-b").usage["input_tokens"] > 0
        again = compared(labelled(6), judges, human_column="human", output_dir=tmp_path / "out")
        assert (openai.count, anthropic.count) == (6, 6) and again.metrics == found.metrics
    for path in (tmp_path / "out").rglob("*"):
        if path.is_file():
            assert b"abcdefgh" not in path.read_bytes(), path


# -- panels ----------------------------------------------------------------------------------------------


def test_a_panel_is_a_judge_among_others(tmp_path: Path) -> None:
    members = [rater("m1", people), rater("m2", people), rater("m3", lambda n: 1)]
    panel = jury(members, method="median", name="لجنة")
    single = rater("single", lambda n: 1)
    found = compared(labelled(10), [panel, single], human_column="human", output_dir=tmp_path / "out")
    assert found.against_people("llm_judge_rating", "لجنة").accuracy.value == 1.0
    assert [model.calls for model in members] == [10, 10, 10]
    assert found.judge("لجنة").usage["calls"] == 30
    table = {"jury": ["openai:a", {"llm_provider": single}], "method": "mean", "label": "p"}
    with pytest.raises(ConfigError, match="there is no key for openai"):
        compared(labelled(1), [table])


# -- runs that are finished ------------------------------------------------------------------------------


def brevity(trial: Any) -> float:
    """A metric of the user's own."""
    return 1 / len(trial.output.answer)


def test_metrics_of_the_users_own_are_compared_where_they_are_named(tmp_path: Path) -> None:
    tone = judge_metric("tone", "هل الإجابة مهذبة؟", scale=(0, 3))
    for name in ("one", "two"):
        model = ScriptedModel({"tone": {"reason": "", "score": 2}}, name=name)
        settings = {**QUIET, "metrics": [tone, brevity, "exact_match"]}
        judged = type("Judged", (Rag,), {"llm_provider": model})()
        MuffakirEvaluation({**settings, "pipeline_id": "rag"}).evaluate(
            judged, rows(4), save=True, output_dir=tmp_path / name
        )
    folders = [tmp_path / "one", tmp_path / "two"]
    found = compare_judges(judges=folders, n_resamples=200)
    assert [one.metric for one in found.metrics] == ["tone"]  # what no judge was asked for is not a judge's
    named = compare_judges(judges=folders, metrics=["brevity", tone], n_resamples=200)
    assert [(one.metric, one.kind) for one in named.metrics] == [("brevity", "continuous"), ("tone", "rating")]
    with pytest.raises(MetricError, match="none of the runs measured 'faithfulness'"):
        compare_judges(judges=folders, metrics="faithfulness")


def test_runs_that_nobody_judged(tmp_path: Path) -> None:
    settings = {**QUIET, "metrics": ["exact_match"]}
    MuffakirEvaluation(settings).evaluate(None, rows(2), save=True, output_dir=tmp_path / "run")
    with pytest.raises(MetricError, match="nothing was judged in these runs"):
        compare_judges(judges=tmp_path / "run")


def test_a_run_that_lacks_a_metric_is_named(tmp_path: Path) -> None:
    compared(labelled(3), [rater("a", people)], output_dir=tmp_path / "out")
    found = compared(
        labelled(3), {"old": tmp_path / "out" / "a", "new": rater("b", people)},
        metrics="llm_judge_rating,answer_correctness",
    )  # fmt: skip
    assert "old did not measure answer_correctness" in found.notes
    assert found.metric("answer_correctness").pairs == ()


def test_claims_in_a_finished_run_have_no_labels(tmp_path: Path) -> None:
    verdicts = [
        {"number": 1, "reason": "", "verdict": "yes", "chunks": [1]},
        {"number": 2, "reason": "", "verdict": "no", "chunks": []},
    ]
    model = ScriptedModel({"faithfulness": {"verdicts": verdicts}}, name="claims")
    data = [{**row, "predicted_answer": "مدتها عشرة أيام. وهي بأجر كامل."} for row in rows(2)]
    settings = {"faithfulness_mode": "claims"}
    compared(data, [model], metrics="faithfulness", config=settings, output_dir=tmp_path / "out")
    found = compare_judges(judges=[tmp_path / "out" / "claims"], n_resamples=200)
    assert (found.metric("faithfulness").kind, found.judge("claims").metrics["faithfulness"].mean.value) == (
        "continuous",
        0.5,
    )


def test_an_empty_column_of_labels_is_said() -> None:
    with pytest.raises(ConfigError, match="there is no label in the column 'human'"):
        compared([{**row, "human": "n/a"} for row in rows(2)], [rater("a", people)], human_column="human")


def test_one_judge_needs_no_list_and_no_other_judge() -> None:
    found = compared(labelled(3), rater("only", people), human_column="human")
    assert found.metric("llm_judge_rating").pairs == () and "Comparison of 1 judge on" in str(found)
    assert found.metric("llm_judge_rating").alpha.reason == "no_pairs"


def test_a_run_that_was_finished_is_not_counted_in_a_rehearsal(tmp_path: Path) -> None:
    a = rater("a", people)
    compared(labelled(2), [a], output_dir=tmp_path / "out")
    found = compared(labelled(2), [a], output_dir=tmp_path / "out", config={"dry_run": True})
    assert found.dry_run is not None and found.dry_run[0]["plan"] is None
    assert "nothing to do" in str(found)


def test_a_damaged_run_in_the_folder_is_said(tmp_path: Path) -> None:
    a = rater("a", people)
    compared(labelled(2), [a], output_dir=tmp_path / "out")
    records = tmp_path / "out" / "a" / "records.jsonl"
    records.write_text("{broken\n", encoding="utf-8")
    with pytest.raises(StorageError):
        compared(labelled(2), [a], output_dir=tmp_path / "out")


def test_progress_names_the_judge_at_work(capsys: pytest.CaptureFixture[str]) -> None:
    compared(labelled(1), [rater("a", people), rater("b", lambda n: ModelError("rejected_key", "401"))],
             config={"progress": True})  # fmt: skip
    told = capsys.readouterr().err
    assert "Judge 1 of 2: a" in told and "Judge 2 of 2: b" in told


# -- what failed is asked for again, and nothing else --------------------------------------------------


def test_a_judge_that_was_down_is_asked_again_for_what_is_missing(tmp_path: Path) -> None:
    down = [True]
    judge = rater("a", lambda n: ModelError("server_error", "503") if down[0] and n % 2 else people(n))
    options: dict[str, Any] = {"output_dir": tmp_path / "out", "config": {"retry_deadline_s": 0}}
    first = compared(labelled(6), [judge], **options)
    figures = first.judge("a").metrics["llm_judge_rating"]
    assert (figures.reasons, figures.coverage, judge.calls) == ({"judge_unavailable": 3}, 0.5, 6)
    assert "3 ratings are missing for reasons that may pass" in str(first)
    plan = compared(labelled(6), [judge], output_dir=tmp_path / "out", config={"dry_run": True, "retry_deadline_s": 0})
    assert "3 ratings are missing, and only these would be asked for again" in str(plan)
    down[0] = False
    second = compared(labelled(6), [judge], **options)
    assert (second.judge("a").metrics["llm_judge_rating"].coverage, judge.calls) == (1.0, 9)
    third = compared(labelled(6), [judge], **options)
    assert judge.calls == 9 and "taken as it is" in third.judge("a").notes[0]


def test_a_judge_whose_replies_are_unfit_is_not_asked_again(tmp_path: Path) -> None:
    judge = rater("a", lambda n: "no JSON" if n == 0 else people(n))
    calls = []
    for _ in range(2):
        compared(labelled(3), [judge], output_dir=tmp_path / "out")
        calls.append(judge.calls)
    assert calls[0] == calls[1]


def test_a_larger_budget_goes_on_where_the_smaller_one_ended(tmp_path: Path) -> None:
    prices = {"input": 1000.0, "output": 1000.0}
    free = compared(labelled(4), [rater("a", people)], config={"prices": prices, "max_concurrency": 1})
    cost = free.judge("a").usage["cost_usd"]
    judges = [rater("a", people), rater("b", people), rater("c", people)]

    def run(budget: float) -> list[str]:
        settings = {"prices": prices, "max_concurrency": 1, "budget_usd": cost * budget}
        found = compared(labelled(4), judges, config=settings, output_dir=tmp_path / "out")
        return [judge.status for judge in found.judges]

    assert run(1.5) == ["complete", "partial", "not_run"]
    taken = judges[1].calls
    assert run(1.5) == ["complete", "partial", "not_run"]  # and not complete, because its run came to an end
    assert run(10) == ["complete"] * 3
    assert [judge.calls for judge in judges] == [4, 4, 4] and taken < 4


def test_a_spent_budget_leaves_what_a_judge_has_rated_before(tmp_path: Path) -> None:
    prices = {"input": 1000.0, "output": 1000.0}
    judges = [rater("a", people), rater("b", people)]
    settings = {"prices": prices, "max_concurrency": 1}
    cost = compared(labelled(4), [rater("x", people)], config=settings).judge("x").usage["cost_usd"]
    out = tmp_path / "out"
    compared(labelled(4), judges, config={**settings, "budget_usd": cost * 1.5}, output_dir=out)
    found = compared(labelled(4), judges, config={**settings, "budget_usd": cost * 0.9}, output_dir=out)
    assert found.judge("b").status == "partial" and "before it" in (found.judge("b").message or "")
    assert found.judge("b").metrics["llm_judge_rating"].n_scored > 0


def test_labels_that_are_added_later_cost_nothing_and_keep_the_cost_of_the_judge(tmp_path: Path) -> None:
    plain = [{name: cell for name, cell in row.items() if name != "human"} for row in labelled(5)]
    judge = rater("a", people)
    settings = {"prices": {"input": 1.0, "output": 1.0}}
    first = compared(plain, [judge], output_dir=tmp_path / "out", config=settings)
    second = compared(labelled(5)[::-1], [judge], output_dir=tmp_path / "out", config=settings, human_column="human")
    assert judge.calls == 5 and second.against_people("llm_judge_rating", "a").n_human == 5
    one, other = (found.judge("a").metrics["llm_judge_rating"] for found in (first, second))
    assert one.cost_per_1000 == other.cost_per_1000 is not None
    changed = [{**row, "predicted_answer": "آخر"} for row in labelled(5)]
    compared(changed, [judge], output_dir=tmp_path / "out", config=settings)
    assert judge.calls == 10


def test_questions_without_an_output_belong_to_the_comparison() -> None:
    found = compared([*labelled(3), *rows(2, recorded=False)], [rater("a", people)])
    figures = found.judge("a").metrics["llm_judge_rating"]
    assert (figures.n_scored, figures.n_waiting, found.judge("a").notes) == (3, 0, ())
    assert figures.reasons == {"pipeline_error": 2}


def test_max_samples_holds_for_a_report_too(tmp_path: Path) -> None:
    compared(labelled(8), [rater("a", people)], output_dir=tmp_path / "out")
    report = load_report(tmp_path / "out" / "a")
    for seed in (None, 3):
        settings = {"max_samples": 3, "sample_seed": seed}
        from_report = compared(report, [rater("b", people)], config=settings)
        from_folder = compared(tmp_path / "out" / "a", [rater("b", people)], config=settings)
        assert (from_report.n_answers, from_report.fingerprint) == (3, from_folder.fingerprint)


# -- names ------------------------------------------------------------------------------------------------


def test_a_judge_or_a_run_is_named_once(tmp_path: Path) -> None:
    judge = rater("a", people)
    with pytest.raises(ConfigError, match="there twice with the same settings"):
        compared(labelled(2), [judge, judge])
    assert judge.calls == 0
    compared(labelled(2), [judge], output_dir=tmp_path / "out")
    with pytest.raises(ConfigError, match="the run of a is there twice"):
        compare_judges(judges=[tmp_path / "out" / "a", str(tmp_path / "out" / "a")])


def test_the_same_model_of_two_providers_has_one_folder_whatever_the_order(no_keys: None, tmp_path: Path) -> None:
    with JudgeServer({"reason": "", "score": 4}) as one, JudgeServer({"reason": "", "score": 2}) as other:
        judges = [
            {"llm_provider": name, "llm_model": "m", "base_url": server.openai_url, "api_key": "any"}
            for name, server in (("openai", one), ("groq", other))
        ]
        compared(labelled(3), judges, output_dir=tmp_path / "out")
        found = compared(labelled(3), judges[::-1], output_dir=tmp_path / "out")
        assert (one.count, other.count) == (3, 3)
    assert [judge.label for judge in found.judges] == ["m (groq)", "m (openai)"]


def test_a_judge_is_not_called_like_a_file_of_the_comparison(tmp_path: Path) -> None:
    judge = rater("a", people)
    with pytest.raises(ConfigError, match="as a file of the comparison"):
        compared(labelled(2), {"judges.json": judge}, output_dir=tmp_path / "out")
    assert judge.calls == 0
    compared(labelled(2), {"../../x": judge, "": rater("b", people)}, output_dir=tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"out"}


def test_judges_from_a_generator() -> None:
    found = compared(labelled(2), (rater(name, people) for name in "ab"))
    assert [judge.label for judge in found.judges] == ["a", "b"]


def test_a_member_that_never_answers_is_named(tmp_path: Path) -> None:
    """The score of a panel has a value as long as a quorum gave one: that it was smaller than it looks must be seen."""
    members = [rater("m1", people), rater("m2", lambda n: ModelError("server_error", "500")), rater("m3", people)]
    found = compared(labelled(4), [jury(members, name="لجنة")], config={"retry_deadline_s": 0})
    assert found.judge("لجنة").metrics["llm_judge_rating"].coverage == 1.0
    assert "member m2 failed on 4 of 4 ratings" in found.judge("لجنة").notes
    assert "member m2 failed on 4 of 4 ratings" in str(found)


def test_inside_a_running_loop_the_plain_function_works() -> None:
    async def run() -> Any:
        return compared(labelled(2), [rater("a", people)])

    assert asyncio.run(run()).n_answers == 2


def shifted(by: int, number: int) -> int:
    return (number + by) % 5 + 1


def test_ten_judges() -> None:
    judges = [rater(f"j{number}", functools.partial(shifted, number)) for number in range(10)]
    found = compared(labelled(6), judges, human_column="human")
    assert (len(found.metrics[0].pairs), len(found.metrics[0].rivals)) == (45, 45)
