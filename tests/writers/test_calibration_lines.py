"""What a person reads of a calibration."""

from __future__ import annotations

import pytest

from muffakir_eval import calibrate_matching
from muffakir_eval.writers.calibration_lines import calibration_text
from muffakir_eval.writers.precision_recall import precision_recall_picture
from tests.calibration.labelled import GOLDS, PAIRS


def test_the_report_says_everything() -> None:
    found = calibrate_matching([*PAIRS, PAIRS[0]])
    text = str(found)
    for said in (
        "18 labelled pairs about 6 gold passages: 10 relevant, 8 not",
        "present                   0.55       0.6  yes    1.000 (0.701-1.000)",
        "on pairs left out",
        "Keep the present settings: the gain is within noise",
        "note: repeats of an earlier pair, which counts once: 1 item (19)",
        "warning: only 18 labelled pairs",
        "the best F1 is 1.0000 with them, 0.9524 without",
        "Decided by containment, whatever the thresholds: 4 pairs",
        "Changed by the calibrated settings: 1 pairs to right, 0 to wrong",
        "Wrong with the present settings: 1 of 18 pairs",
        "row 6: labelled relevant, not accepted",
        "No match: the chunk does not hold the gold passage.",
    ):
        assert said in text
    assert "[matching]" not in text
    assert all(line == line.rstrip() for line in text.splitlines())
    assert "and 1 more" in calibration_text(found.to_dict(), wrong=0)


def test_settings_to_paste_and_long_lists() -> None:
    rows = [(f"{gold} {place}", chunk, label) for place in range(4) for gold, chunk, label in PAIRS]
    text = str(calibrate_matching(rows, {"overlap_threshold": 0.95, "coverage_threshold": 1.0}, seed=1))
    assert "Use the calibrated settings: the gain is beyond noise" in text
    assert "For your settings file\n[matching]\noverlap_threshold = 0." in text
    assert "\nand " in text


def test_where_nothing_is_accepted_there_is_no_precision() -> None:
    rows = [(GOLDS["leave"], PAIRS[5][1], 1), (GOLDS["wage"], PAIRS[6][1], 1), (GOLDS["rent"], "نص آخر", 0)]
    text = str(calibrate_matching(rows, {"overlap_threshold": 1.0, "coverage_threshold": 1.0}))
    assert "none  0.000 (0.000-" in text
    asked = str(calibrate_matching([(GOLDS["leave"], GOLDS["leave"], 0), (GOLDS["wage"], "نص", 1)], min_precision=0.9))
    assert "No calibrated settings: no thresholds reach a precision of 0.9" in asked
    assert "the best recall is not reached with them, not reached without" in asked


def test_what_comes_from_the_data_steers_no_terminal() -> None:
    rows = [*PAIRS, (GOLDS["leave"], "\x1b[31mنص\u202e أحمر", "نعم")]
    text = str(calibrate_matching(rows))
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_picture_without_marks_or_without_a_curve() -> None:
    lines = [line.text for line in precision_recall_picture([(1.0, 0.2), (0.2, 0.9)], {})]
    assert sum("." in line.partition("|")[2] for line in lines) == 2
    lines = [line.text for line in precision_recall_picture([], {"p": (0.5, 0.5), "c": (0.5, 0.5)})]
    assert sum("*" in line for line in lines) == 1
    assert not any("." in line.partition("|")[2] for line in lines)


@pytest.mark.parametrize("recall", [0.0, 0.123, 1.0])
@pytest.mark.parametrize("precision", [0.0, 0.5, 1.0])
def test_every_mark_is_in_the_picture(recall: float, precision: float) -> None:
    lines = list(precision_recall_picture([(recall, precision)], {"f": (recall, precision)}))
    assert sum(line.text.partition("|")[2].count("f") for line in lines) == 1
    assert {len(line.text) <= 80 for line in lines} == {True}
