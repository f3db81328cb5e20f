"""From labelled pairs to settings, end to end."""

from __future__ import annotations

import csv
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import Calibration, MatchSettings, calibrate_matching, load_config
from muffakir_eval.errors import ConfigError, DatasetError, StorageError
from tests.calibration.labelled import GOLDS, PAIRS, verdict


def reworded(count: int) -> list[tuple[str, str, str]]:
    """Pairs about many gold passages: a relevant chunk shares half of its words with the gold, another a quarter."""
    rng = random.Random(5)
    words = sorted({word for gold in GOLDS.values() for word in gold.split()})
    found = []
    for number in range(count):
        own = [f"{word}{number}" for word in rng.sample(words, 12)]
        others = [f"{word}{number}" for word in rng.sample(words, 12) if f"{word}{number}" not in own][:8]
        gold = " ".join(own)
        found.append((gold, " ".join([*own[:8:2], *others[:2], *own[1:8:2], *others[2:4]]), "نعم"))
        found.append((gold, " ".join([*own[:5], *others]), "لا"))
    return found


@pytest.fixture(scope="module")
def found() -> Calibration:
    return calibrate_matching(reworded(40))


def test_the_calibrated_settings_give_the_same_verdicts_in_a_run(found: Calibration) -> None:
    for name in ("current", "calibrated"):
        settings = getattr(found, name).settings
        for pair in found.pairs:
            assert verdict(settings, pair.gold, pair.chunk) == getattr(pair, name)


def test_what_helps_beyond_noise_is_adopted(found: Calibration) -> None:
    assert (found.n_pairs, found.n_relevant, found.n_golds, found.mapping["gold"]) == (80, 40, 40, "gold")
    assert found.current.quality.recall.value == 0.0
    assert found.calibrated.quality.f.value == 1.0
    assert found.out_of_fold is not None
    assert (found.out_of_fold.f.value or 0) > 0.95
    assert found.gain is not None
    assert (found.gain.beyond_noise, found.verdict, found.exit_code) == (True, "adopt", 0)
    assert found.recommended == found.calibrated.settings != MatchSettings()
    assert len(found.fold_settings) == 5
    assert {pair.fold for pair in found.pairs} == set(range(5))
    assert len(found.changed) == 40
    assert (found.n_wrong, found.wrong) == (0, ())


def test_no_figure_depends_on_the_order(found: Calibration) -> None:
    rows = reworded(40)
    random.Random(2).shuffle(rows)
    again = calibrate_matching(rows)
    same = {"pairs": (), "source": ""}
    assert replace(again, **same) == replace(found, **same)  # type: ignore[arg-type]
    assert calibrate_matching(rows) == again


def test_what_does_not_help_is_not_adopted() -> None:
    found = calibrate_matching(PAIRS)
    assert (found.verdict, found.recommended, found.exit_code) == ("keep", MatchSettings(), 0)
    assert found.calibrated.quality.f.value == 1.0
    assert found.out_of_fold is not None
    assert found.out_of_fold.f.value == found.current.quality.f.value == pytest.approx(18 / 19)
    assert "within noise" in found.reason
    assert found.fuzzy.with_fuzzy == 1.0
    assert found.fuzzy.without_fuzzy == pytest.approx(20 / 21)
    assert found.decided.by_containment == 4
    (wrong,) = found.wrong
    assert (wrong.row, wrong.relevant, wrong.explanation.startswith("No match")) == (6, True, True)
    assert [pair.row for pair in found.changed] == [6]
    assert found.warnings[0].startswith("only 18 labelled pairs")
    assert "overlap_threshold 0.43" in found.toml()


def test_a_precision_that_is_asked_for() -> None:
    # One not relevant chunk holds the gold word for word: no thresholds reach a precision of 1.
    rows = [*PAIRS, (GOLDS["wage"], f"ألغيت المادة التي نصها {GOLDS['wage']}", "لا")]
    found = calibrate_matching(rows, min_precision=1.0)
    assert (found.verdict, found.exit_code, found.recommended) == ("not_reached", 1, MatchSettings())
    assert (found.fuzzy.with_fuzzy, found.fuzzy.without_fuzzy, found.fuzzy.measure) == (None, None, "recall")
    found = calibrate_matching(rows, min_precision=0.9)
    assert found.calibrated.quality.precision.value == pytest.approx(10 / 11)
    assert (found.fuzzy.with_fuzzy, found.fuzzy.without_fuzzy) == (1.0, 0.9)
    found = calibrate_matching(rows, {"overlap_threshold": 0.2, "coverage_threshold": 0.2}, min_precision=0.9)
    assert (found.verdict, found.reason.startswith("the present thresholds do not reach")) == ("adopt", True)


def test_beta_moves_the_choice() -> None:
    # Less in common than the chunk about sick leave, and relevant all the same.
    rows = [*PAIRS, (GOLDS["leave"], "مدة إجازة العامل كل سنة ثلاثون يوما وتدفع له أجرته كاملة عنها", "نعم")]
    careful = calibrate_matching(rows, beta=0.2).calibrated.quality
    generous = calibrate_matching(rows, beta=5).calibrated.quality
    assert (careful.precision.value or 0) > (generous.precision.value or 0)
    assert (careful.recall.value or 0) < (generous.recall.value or 0)


def test_pairs_about_one_gold_say_nothing_about_others() -> None:
    rows = [(GOLDS["leave"], chunk, label) for _, chunk, label in PAIRS]
    found = calibrate_matching([(gold, chunk, 1 if "سنوية" in chunk else 0) for gold, chunk, _ in rows])
    assert (found.out_of_fold, found.no_folds, found.gain, found.exit_code) == (None, "one_gold", None, 3)
    assert all(pair.out_of_fold is None and pair.fold is None for pair in found.pairs)
    assert "on pairs left out" not in str(found)


def test_where_no_threshold_decides_anything() -> None:
    rows = [(gold, gold if place % 2 else "شيء آخر", place % 2) for place, gold in enumerate(GOLDS.values())]
    found = calibrate_matching(rows)
    assert (found.decided.by_thresholds, found.verdict, found.exit_code) == (0, "keep", 3)


@pytest.mark.parametrize(("label", "kind"), [(1, "relevant"), (0, "not relevant")])
def test_a_one_sided_set_is_an_error(label: int, kind: str) -> None:
    with pytest.raises(DatasetError, match=f"the list: all 18 pairs are labelled {kind}"):
        calibrate_matching([(gold, chunk, label) for gold, chunk, _ in PAIRS])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"folds": 1}, "folds is 1"),
        ({"confidence": 95}, "confidence is 95"),
        ({"seed": -1}, "seed is -1"),
        ({"beta": 0}, "beta is 0"),
        ({"settings": {"overlap_treshold": 0.5}}, "did you mean 'overlap_threshold'"),
        ({"settings": {"match_by": "id"}}, "no texts are compared"),
        ({"settings": {"stages": ["containment"]}}, "none of them has a threshold"),
    ],
)
def test_options_out_of_range(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        calibrate_matching(PAIRS, **options)


def test_other_settings_stay_as_they_are() -> None:
    found = calibrate_matching(reworded(30), {"profile": "persian", "stages": ["jaccard"]})
    assert found.recommended.profile == "persian"
    assert found.recommended.stages == ("jaccard",)
    assert found.recommended.coverage_threshold == MatchSettings().coverage_threshold
    assert found.decided.by_containment == 0


def test_the_files(found: Calibration, tmp_path: Path) -> None:
    folder = found.save(tmp_path / "out" / "deep")
    assert json.loads((folder / "calibration.json").read_text(encoding="utf-8")) == json.loads(
        json.dumps(found.to_dict())
    )
    with (folder / "pairs.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert (len(rows), rows[0]["gold"], rows[0]["relevant"]) == (80, found.pairs[0].gold, "True")
    with (folder / "curve.csv").open(encoding="utf-8-sig", newline="") as file:
        points = list(csv.DictReader(file))
    assert [float(point["recall"]) for point in points] == [point.recall for point in found.curve]
    found.write_toml(tmp_path / "matching.toml")
    assert load_config(tmp_path / "matching.toml").match_settings == found.recommended
    with pytest.raises(StorageError):
        found.save(tmp_path / "matching.toml")


def test_a_frame_of_all_pairs(found: Calibration) -> None:
    frame = found.to_dataframe()
    assert (len(frame), bool(frame["calibrated"].eq(frame["relevant"]).all())) == (80, True)
