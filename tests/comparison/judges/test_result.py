"""What is written and printed."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from muffakir_eval.comparison.judges.comparison import judge_comparison
from muffakir_eval.comparison.judges.inputs import Judged, Rating, Settings
from muffakir_eval.comparison.judges.result import JudgeComparison
from muffakir_eval.comparison.judges.rows import TABLES, columns_of
from muffakir_eval.errors import ConfigError, StorageError
from tests.comparison.judges.answers import BINARY, answers, chance, judged

N = 60
HUMAN = [float(chance(n, "h").randrange(1, 6)) for n in range(N)]


def sample() -> JudgeComparison:
    one = judged("one", list(HUMAN), identity={"model": "gpt"}, notes=("temperature not sent",))
    other = Judged(
        label="other",
        status="partial",
        message="the key was rejected",
        ratings={
            "m": [
                Rating(
                    value=min(5.0, value + 1), explanation="سخيّ\x1b[31m", repeats=(4.0, 5.0), calls=2, latency_ms=9.0
                )
                for value in HUMAN[:50]
            ]
            + [None] * 10
        },
        usage={"calls": 100, "cached": 2, "input_tokens": 5, "output_tokens": 6, "cost_usd": 0.5, "by_metric": {}},
    )
    labels = [value if n % 3 else None for n, value in enumerate(HUMAN)]
    given = answers([one, other], labels, groups=lambda n: {"dialect": f"د{n % 10}"})
    return judge_comparison(given, Settings(n_resamples=200, slice_by=("dialect",), n_disagreements=5))


def test_the_files(tmp_path: Path) -> None:
    found = sample()
    folder = found.save(tmp_path / "new" / "folder")
    written = json.loads((folder / "judges.json").read_text(encoding="utf-8"))
    assert written == found.to_dict() and written["kind"] == "judge_comparison"
    assert written["complete"] is False
    names = {path.name for path in folder.iterdir()}
    assert names == {"judges.json", *(f"{table}.csv" for table in TABLES)}
    for table in TABLES:
        with (folder / f"{table}.csv").open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        assert rows and list(rows[0]) == columns_of(table), table
    assert found.save(folder, html=True) == folder  # replaced
    assert "<h1" in (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("table", TABLES)
def test_the_frames(table: str) -> None:
    found = sample()
    frame = found.to_dataframe(table)
    assert list(frame.columns) == columns_of(table) and len(frame)
    if table == "judges":
        assert frame["mean"].notna().all() and list(frame["judge"]) == ["one", "other"]


def test_an_unknown_table_is_named() -> None:
    with pytest.raises(ConfigError, match="there is no table 'pears'"):
        sample().to_dataframe("pears")


def test_the_text_says_what_a_reader_needs() -> None:
    text = str(sample())
    for expected in (
        "Comparison of 2 judges on 60 answers from answers.csv",
        "other: stopped early: the key was rejected",
        "one: temperature not sent",
        "m (1 to 5, whole)",
        "m against people (column human)",
        "almost perfect (kappa)",
        "other is more lenient than people",
        "changed its mind on 50 of 50",
        "the mean that people would give is estimated at",
        "Krippendorff's alpha of all judges",
        "m: agreement with people by dialect",
        "more values stand in slices.csv",
        "read first where other and people differ",
        "other: never came to it (10)",
    ):
        assert expected in text, expected
    assert "\x1b" not in text


def test_without_people_the_judges_are_read_against_each_other() -> None:
    given = answers([judged("a", [1.0, 2.0, 5.0]), judged("b", [3.0, 2.0, 4.0])], groups=lambda n: {"topic": "عقود"})
    text = str(judge_comparison(given, Settings(n_resamples=100, slice_by=("topic",))))
    assert "read first where a and b differ" in text
    assert "m: agreement by topic" in text
    assert "against people" not in text


def test_undefined_figures_are_explained() -> None:
    given = answers([judged("a", [3.0, 3.0]), judged("b", [3.0, 3.0])])
    text = str(judge_comparison(given, Settings(n_resamples=100)))
    assert "Krippendorff's alpha of all judges: none (only one label was given)" in text
    assert "all: no kappa: only one label was given" in text


def test_a_file_in_the_way_is_said(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    with pytest.raises(StorageError, match="the folder cannot be made"):
        sample().save(tmp_path / "taken" / "x")


def test_nothing_that_was_not_compared_is_there() -> None:
    found = sample()
    assert repr(found) == "JudgeComparison(60 answers, judges: one, other)"
    for missing in (
        lambda: found.metric("n"),
        lambda: found.judge("x"),
        lambda: found.pair("m", "other", "one"),
        lambda: found.against_people("m", "x"),
    ):
        with pytest.raises(KeyError):
            missing()


# -- what a reader might get wrong ------------------------------------------------------------------------


def test_few_answers_are_not_called_almost_perfect() -> None:
    labels = [1.0, 2.0, 5.0]
    text = str(judge_comparison(answers([judged("a", labels)], labels), Settings()))
    assert "a: agreement with people beyond chance: 3 answers are too few to say (kappa)." in text
    shifted = str(judge_comparison(answers([judged("a", [2.0, 3.0, 5.0])], labels), Settings()))
    assert "lenient than people" not in shifted


def test_a_wide_interval_is_given_in_words_for_both_ends() -> None:
    human = [float(n % 2) for n in range(24)]
    values = [value if n % 3 else 1 - value for n, value in enumerate(human)]
    text = str(judge_comparison(answers([judged("a", values)], human, scale=BINARY), Settings()))
    assert "beyond chance: between none and substantial (kappa)" in text


def test_kappa_where_one_label_prevails_is_not_read_as_no_agreement() -> None:
    """18 of 20 alike, and kappa is below 0: the judge does not disagree with people, it has nothing to show."""
    human = [1.0] * 18 + [1.0, 0.0]
    both = [judged("a", [1.0] * 18 + [0.0, 1.0]), judged("b", [1.0] * 17 + [0.0, 1.0, 1.0])]
    text = " ".join(str(judge_comparison(answers(both, human, scale=BINARY), Settings())).split())
    assert "a: nearly all answers have one label, so that kappa is low whatever one does" in text
    assert "same label on 90% of the answers, AC 0.8895" in text
    assert "a: agreement with people beyond chance: none" not in text
    assert "a - b: nearly all answers have one label" in text


def test_means_over_different_answers_are_not_compared_unawares() -> None:
    human = [1.0, 1.0, 5.0, 5.0] * 5
    hard = judged("hard", human)
    easy = judged("easy", [None if value == 1 else value for value in human])
    text = " ".join(str(judge_comparison(answers([hard, easy]), Settings())).split())
    assert "These means rest on different answers" in text
    alike = str(judge_comparison(answers([hard, judged("other", human)]), Settings()))
    assert "different answers" not in alike


def test_the_text_says_which_judge_is_best_and_from_which_it_cannot_be_told() -> None:
    better, like, worse = (
        judged(
            name,
            [
                value if chance(n, name).random() < share else float(chance(n, name).randrange(1, 6))
                for n, value in enumerate(HUMAN)
            ],
        )
        for name, share in (("better", 0.9), ("like", 0.88), ("worse", 0.1))
    )
    text = " ".join(str(judge_comparison(answers([worse, like, better], HUMAN), Settings())).split())
    assert "Highest agreement with people (kappa): " in text
    assert "At this size not to be told from it: " in text
    assert "Surely higher than that of: worse (+" in text
    alone = str(judge_comparison(answers([better], HUMAN), Settings()))
    assert "Highest agreement" not in alone
