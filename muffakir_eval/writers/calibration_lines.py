"""A calibration of text matching as people read it in a terminal.

Like the report: our own words and digits are Latin, what comes from the user's data stands last on its line and
steers no terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from muffakir_eval.writers.lines import Line, heading, plain, table, wrapped
from muffakir_eval.writers.precision_recall import precision_recall_picture

__all__ = ["calibration_text"]

_WIDTH = 100
_TEXT_SHOWN = 80
_CHANGED_SHOWN = 10
_MARKS = {"current": "p", "calibrated": "c", "out_of_fold": "f"}
_NAMES = {"p": "present", "c": "calibrated", "f": "on pairs left out"}
_VERDICTS = {
    "adopt": "Use the calibrated settings",
    "keep": "Keep the present settings",
    "not_reached": "No calibrated settings",
}
_LABELS = {True: "relevant", False: "not relevant"}
_SAID = {True: "accepted", False: "not accepted"}


def calibration_text(found: Mapping[str, Any], wrong: int = 5) -> str:
    """The content of ``calibration.json`` as plain text.

    Args:
        found: From ``to_dict()`` of a calibration.
        wrong: So many of the pairs that stay wrong are shown.
    """
    return "\n".join(line.text for line in _lines(found, wrong))


def _lines(found: Mapping[str, Any], wrong: int) -> Iterator[Line]:
    yield Line(plain(f"Calibration of text matching with {found['source']}"))
    n, relevant = found["n_pairs"], found["n_relevant"]
    yield Line(f"{n} labelled pairs about {found['n_golds']} gold passages: {relevant} relevant, {n - relevant} not")
    columns = ", ".join(f"{name} from {column!r}" for name, column in found["mapping"].items())
    yield from wrapped(f"Columns: {columns}", _WIDTH)
    for note in found["notes"]:
        yield from wrapped(f"note: {note}", _WIDTH)
    yield Line("")
    yield from _table(found)
    yield Line("")
    yield from wrapped(f"{_VERDICTS[found['verdict']]}: {found['reason']}.", _WIDTH)
    for warning in found["warnings"]:
        yield from wrapped(f"warning: {warning}", _WIDTH)
    yield Line("")
    yield from wrapped(_fuzzy(found["fuzzy"]), _WIDTH)
    yield from wrapped(_decided(found["decided"]), _WIDTH)
    yield from _picture(found)
    yield from _changed(found)
    yield from _wrong(found, wrong)
    if found["verdict"] == "adopt":
        yield from heading("For your settings file")
        yield Line("[matching]")
        for name in ("overlap_threshold", "coverage_threshold", "fuzzy"):
            yield Line(f"{name} = {str(found['recommended'][name]).lower()}")


def _table(found: Mapping[str, Any]) -> Iterator[Line]:
    columns = ["", "overlap", "coverage", "fuzzy", "precision", "recall", found["f_name"], "wrong"]
    rows = [
        [name, *_thresholds([found[key]["settings"]]), *_quality(found[key]["quality"])]
        for name, key in (("present", "current"), ("calibrated", "calibrated"))
    ]
    if found["out_of_fold"] is not None:
        rows.append(["  on pairs left out", *_thresholds(found["fold_settings"]), *_quality(found["out_of_fold"])])
    yield from table(columns, rows, left={0, 3})
    yield Line(f"In brackets: {100 * found['confidence']:.4g} % intervals.")
    if found["out_of_fold"] is not None:
        yield from wrapped(
            f"On pairs left out: chosen {len(found['fold_settings'])} times without some gold passages, and measured "
            "on these. This is what to expect of other pairs; the line above it was measured on the pairs that the "
            "thresholds were chosen by.",
            _WIDTH,
        )


def _thresholds(settings: Sequence[Mapping[str, Any]]) -> list[str]:
    cells = []
    for name in ("overlap_threshold", "coverage_threshold"):
        values = [one[name] for one in settings]
        cells.append("-".join(f"{value:.4g}" for value in dict.fromkeys((min(values), max(values)))))
    ways = {one["fuzzy"] for one in settings}
    return [*cells, "both" if len(ways) > 1 else "yes" if True in ways else "no"]


def _quality(quality: Mapping[str, Any]) -> list[str]:
    cells = []
    for name in ("precision", "recall", "f"):
        value, low, high = (quality[name][key] for key in ("value", "low", "high"))
        cells.append("none" if value is None else f"{value:.3f} ({low:.3f}-{high:.3f})")
    return [*cells, str(quality["fp"] + quality["fn"])]


def _fuzzy(effect: Mapping[str, Any]) -> str:
    values = [effect["with_fuzzy"], effect["without_fuzzy"]]
    told = ["not reached" if value is None else f"{value:.4f}" for value in values]
    return f"Words that nearly agree (fuzzy): the best {effect['measure']} is {told[0]} with them, {told[1]} without."


def _decided(decided: Mapping[str, Any]) -> str:
    return (
        f"Decided by containment, whatever the thresholds: {decided['by_containment']} pairs; too little in common for "
        f"any threshold: {decided['never']}; decided by thresholds: {decided['by_thresholds']}."
    )


def _picture(found: Mapping[str, Any]) -> Iterator[Line]:
    qualities = {
        "current": found["current"]["quality"],
        "calibrated": found["calibrated"]["quality"],
        "out_of_fold": found["out_of_fold"],
    }
    marks = {
        _MARKS[name]: (quality["recall"]["value"], quality["precision"]["value"])
        for name, quality in qualities.items()
        if quality is not None and quality["precision"]["value"] is not None
    }
    yield from heading("Precision against recall")
    yield from precision_recall_picture([(point["recall"], point["precision"]) for point in found["curve"]], marks)
    legend = [f"{char} {_NAMES[char]}" for char in marks]
    yield Line("   ".join([". what some thresholds reach", *legend, "* several"]))


def _changed(found: Mapping[str, Any]) -> Iterator[Line]:
    changed = found["changed"]
    if not changed:
        return
    right = sum(pair["calibrated"] == pair["relevant"] for pair in changed)
    yield from heading(f"Changed by the calibrated settings: {right} pairs to right, {len(changed) - right} to wrong")
    rows = [
        [
            str(pair["row"]),
            _LABELS[pair["relevant"]],
            _SAID[pair["current"]],
            _SAID[pair["calibrated"]],
            _short(pair["chunk"]),
        ]
        for pair in sorted(changed, key=lambda pair: bool(pair["calibrated"] == pair["relevant"]))[:_CHANGED_SHOWN]
    ]
    yield from table(["row", "label", "present", "calibrated", "chunk"], rows, left={1, 2, 3, 4})
    if len(changed) > _CHANGED_SHOWN:
        yield Line(f"and {len(changed) - _CHANGED_SHOWN} more")


def _wrong(found: Mapping[str, Any], most: int) -> Iterator[Line]:
    if not found["n_wrong"]:
        return
    which = "calibrated" if found["verdict"] == "adopt" else "present"
    yield from heading(f"Wrong with the {which} settings: {found['n_wrong']} of {found['n_pairs']} pairs")
    shown = found["wrong"][:most]
    for pair in shown:
        yield Line(f"row {pair['row']}: labelled {_LABELS[pair['relevant']]}, {_SAID[not pair['relevant']]}")
        yield Line(f"  gold:  {_short(pair['gold'])}")
        yield Line(f"  chunk: {_short(pair['chunk'])}")
        for line in pair["explanation"].splitlines():
            yield Line(f"    {plain(line)}")
    if found["n_wrong"] > len(shown):
        yield Line(f"and {found['n_wrong'] - len(shown)} more")


def _short(text: str) -> str:
    line = plain(" ".join(text.split()))
    return line if len(line) <= _TEXT_SHOWN else line[:_TEXT_SHOWN] + "…"
