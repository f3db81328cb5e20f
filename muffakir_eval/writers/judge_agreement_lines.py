"""Agreement of judges with people and with each other, as tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from muffakir_eval.writers.lines import Line, heading, plain, table, wrapped
from muffakir_eval.writers.terms import figure, reason_words

__all__ = [
    "FIGURE_REASONS",
    "MEASURES",
    "agreement_words",
    "interval_text",
    "is_skewed",
    "number_text",
    "pairs_lines",
    "people_lines",
]

_WIDTH = 100

FIGURE_REASONS = {
    "no_pairs": "no answer that both rated",
    "too_few": "too few answers",
    "one_label": "only one label was given",
    "constant": "one of the two always gave the same value",
    "continuous": "no labels: give a threshold",
    "between_labels": "values between the labels (means of repeats or of a panel)",
    "not_binary": "not two labels",
    "other_scale": "another scale",
    "all_labelled": "people rated every answer",
    "clustered": "not for clustered answers",
    "no_people": "there are no human labels",
    "no_quality": "no figure of agreement is defined",
    "no_cost": "no cost is known: set prices",
    "decided_by_the_case": "decided by the case, not by the judge",
    "not_reached": "never came to it",
}
"""Why there is no figure, in words."""

_FEW = 10
"""Answers below which nothing is said in words."""
_BANDS = ((0.0, "none"), (0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))
MEASURES = (("kappa", "kappa"), ("concordance", "concordance"), ("spearman", "rank correlation"))
"""Agreement beyond chance, the first that is defined, and what it is called in a sentence."""

_NAMES = {
    "raw": "same label",
    "kappa": "kappa",
    "gwet": "AC",
    "concordance": "concordance",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "auc": "AUC",
}


def agreement_words(value: float) -> str:
    """A coefficient in the words of Landis and Koch (1977).

    >>> [agreement_words(value) for value in (-0.1, 0.3, 0.7, 0.95)]
    ['none', 'fair', 'substantial', 'almost perfect']
    """
    return next((words for end, words in _BANDS if value <= end), "almost perfect")


def people_lines(metric: Mapping[str, Any]) -> Iterator[Line]:
    """How each judge agrees with people: a table, and what it says in words."""
    yield from heading(plain(f"{metric['metric']} against people (column {metric['human_column']})"))
    measures = _measures([one["agreement"] for one in metric["people"]])
    rows = []
    for one in metric["people"]:
        agreement = one["agreement"]
        row = [one["judge"], str(agreement["n"]), *_cells(measures, agreement)]
        bias = agreement["bias"]
        row += [number_text(agreement["mae"]["value"]), _signed(bias["value"]), _signed_interval(bias)]
        rows.append(row)
    columns = ["judge", "n", *_titles(measures)]
    yield from table([*columns, "distance", "leniency", "interval"], rows, left={0})
    for one in metric["people"]:
        yield from _sentences(one)
    yield from _undefined([(one["judge"], one["agreement"]) for one in metric["people"]])
    yield from best_lines(metric)


def _measures(agreements: Sequence[Mapping[str, Any]]) -> list[str]:
    """The figures worth a column: those that are defined for someone; concordance only where there is no kappa."""
    known = [name for name in _NAMES if any(one[name]["value"] is not None for one in agreements)]
    if "kappa" in known and "concordance" in known:
        known.remove("concordance")
    if "spearman" in known and "kendall" in known:
        known.remove("kendall")
    return known


_WITH_INTERVAL = ("kappa", "concordance")
"""The figure that the eye should rest on; the intervals of the others stand in the files."""


def _titles(measures: Sequence[str]) -> list[str]:
    return [title for name in measures for title in (_NAMES[name], *(["interval"] if name in _WITH_INTERVAL else []))]


def _cells(measures: Sequence[str], agreement: Mapping[str, Any]) -> list[str]:
    cells = []
    for name in measures:
        cells.append(number_text(agreement[name]["value"]))
        if name in _WITH_INTERVAL:
            cells.append(interval_text(agreement[name]))
    return cells


def _sentences(one: Mapping[str, Any]) -> Iterator[Line]:
    judge, agreement = one["judge"], one["agreement"]
    said = next(((words, agreement[name]) for name, words in MEASURES if agreement[name]["value"] is not None), None)
    if is_skewed(agreement):
        yield from wrapped(f"{judge}: {_skewed(agreement)}", _WIDTH)
    elif said is not None:
        yield from wrapped(f"{judge}: agreement with people beyond chance: {_span(said[1])} ({said[0]}).", _WIDTH)
    bias, slope = agreement["bias"], one["length"]["per_doubling"]
    if _sure(bias):
        side = "more lenient" if bias["value"] > 0 else "stricter"
        yield from wrapped(f"{judge} is {side} than people, by {figure(abs(bias['value']))} on average.", _WIDTH)
    if _sure(slope):
        liked = "long" if slope["value"] > 0 else "short"
        yield from wrapped(
            f"{judge} prefers {liked} answers: of answers that people rate alike, one of twice the words gets "
            f"{_signed(slope['value'])} ({_signed_interval(slope)}, n = {slope['n']}).",
            _WIDTH,
        )
    corrected = one["corrected"]
    if corrected["mean"]["value"] is not None:
        yield from wrapped(f"{judge}: {_corrected(corrected)}", _WIDTH)
    if one["left_out"]:
        why = ", ".join(f"{_reason(reason)} {n}" for reason, n in one["left_out"].items())
        yield from wrapped(f"{judge} has no opinion on {sum(one['left_out'].values())} labelled answers: {why}", _WIDTH)
    for note in one["notes"]:
        yield from wrapped(f"{judge}: {note}", _WIDTH)


def _span(found: Mapping[str, Any]) -> str:
    """The words for both ends of the interval: one word for a figure of few answers would promise too much."""
    if found["low"] is None:
        few = found["n"] < _FEW
        return f"{found['n']} answers are too few to say" if few else agreement_words(found["value"])
    low, high = agreement_words(found["low"]), agreement_words(found["high"])
    return low if low == high else f"between {low} and {high}"


def is_skewed(agreement: Mapping[str, Any]) -> bool:
    """The two nearly always agree, and kappa is low for want of other labels: its paradox of high agreement."""
    raw, kappa, gwet = (agreement[name]["value"] for name in ("raw", "kappa", "gwet"))
    if agreement["weights"] != "identity" or None in (raw, kappa, gwet):
        return False
    return bool(raw >= 0.8 and gwet - kappa > 0.2)


def _skewed(agreement: Mapping[str, Any]) -> str:
    return (
        f"nearly all answers have one label, so that kappa is low whatever one does; the same label on "
        f"{agreement['raw']['value']:.0%} of the answers, AC {figure(agreement['gwet']['value'])}. Whether the rare "
        "label is found, the few answers that have it must show."
    )


def _corrected(found: Mapping[str, Any]) -> str:
    mean, alone = found["mean"], found["human_mean"]
    return (
        f"the mean that people would give is estimated at {figure(mean['value'])} ({interval_text(mean)}), from "
        f"{found['n_labelled']} human labels and {found['n_unlabelled']} answers without; the judge alone says "
        f"{figure(found['judge_mean'])}, the labels alone {figure(alone['value'])} ({interval_text(alone)})."
    )


def pairs_lines(metric: Mapping[str, Any]) -> Iterator[Line]:
    """How the judges agree among themselves."""
    yield from heading(plain(f"{metric['metric']}: judges among themselves"))
    alpha = metric["alpha"]
    if alpha["value"] is None:
        text = f"Krippendorff's alpha of all judges: none ({_reason(alpha['reason'])})"
    else:
        text = (
            f"Krippendorff's alpha of all judges: {figure(alpha['value'])} ({interval_text(alpha)}, n = {alpha['n']})"
        )
    yield Line(text)
    measures = _measures([pair["agreement"] for pair in metric["pairs"]])
    rows = []
    for pair in metric["pairs"]:
        agreement = pair["agreement"]
        row = [f"{pair['a']} - {pair['b']}", str(agreement["n"]), *_cells(measures, agreement)]
        rows.append([*row, _signed(agreement["bias"]["value"]), _signed_interval(agreement["bias"])])
    columns = ["judges", "n", *_titles(measures)]
    yield from table([*columns, "difference", "interval"], rows, left={0})
    left_out: dict[str, list[str]] = {}
    for pair in metric["pairs"]:
        if pair["left_out"]:
            why = ", ".join(_missing(part, pair["a"], pair["b"]) for part in pair["left_out"])
            left_out.setdefault(why, []).append(f"{pair['a']} - {pair['b']}")
    for why, labels in left_out.items():
        whose = "all" if len(labels) == len(metric["pairs"]) else ", ".join(labels)
        yield from wrapped(f"{whose}: left out: {why}", _WIDTH)
    for pair in metric["pairs"]:
        if is_skewed(pair["agreement"]):
            yield from wrapped(f"{pair['a']} - {pair['b']}: {_skewed(pair['agreement'])}", _WIDTH)
    yield from _undefined([(f"{pair['a']} - {pair['b']}", pair["agreement"]) for pair in metric["pairs"]])


def best_lines(metric: Mapping[str, Any]) -> Iterator[Line]:
    """Which judge agrees best with people, and which ones cannot be told from it."""
    known: dict[str, float] = {}
    for one in metric["people"]:
        value = None if not metric["rivals"] else one["agreement"][metric["rivals"][0]["measure"]]["value"]
        if value is not None:
            known[one["judge"]] = value
    if len(known) < 2:
        return
    measure = dict(MEASURES)[metric["rivals"][0]["measure"]]
    best = max(known, key=known.__getitem__)
    worse: list[str] = []
    alike: list[str] = []
    for one in metric["rivals"]:
        if best not in (one["a"], one["b"]) or one["difference"]["value"] is None:
            continue
        other = one["b"] if one["a"] == best else one["a"]
        gap = one["difference"] if one["a"] == best else _turned(one["difference"])
        told = f"{other} ({_signed(gap['value'])}{', ' + _signed_interval(gap) if gap['low'] is not None else ''})"
        (worse if gap["low"] is not None and gap["low"] > 0 and gap["n"] >= _FEW else alike).append(told)
    yield from wrapped(f"Highest agreement with people ({measure}): {best}, {figure(known[best])}.", _WIDTH)
    if alike:
        yield from wrapped(f"At this size not to be told from it: {'; '.join(alike)}.", _WIDTH)
    if worse:
        yield from wrapped(f"Surely higher than that of: {'; '.join(worse)}.", _WIDTH)


def _turned(found: Mapping[str, Any]) -> dict[str, Any]:
    ends = [None if found[name] is None else -found[name] for name in ("value", "high", "low")]
    return {"value": ends[0], "low": ends[1], "high": ends[2], "n": found["n"]}


def _undefined(compared: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[Line]:
    """Why figures that one would look for are not there."""
    reasons: dict[str, list[str]] = {}
    for label, agreement in compared:
        for name in ("kappa", "spearman"):
            reason = agreement[name]["reason"]
            if reason is not None:
                reasons.setdefault(f"no {_NAMES[name]}: {_reason(reason)}", []).append(label)
    for why, labels in reasons.items():
        whose = "all" if len(labels) == len(compared) else ", ".join(labels)
        yield from wrapped(f"{whose}: {why}", _WIDTH)


def _missing(part: Mapping[str, Any], a: str, b: str) -> str:
    in_a, in_b = (None if part[key] is None else _reason(part[key]) for key in ("in_a", "in_b"))
    if in_a == in_b:
        return f"{in_a} ({part['n']})"
    told = [f"{label}: {reason}" for label, reason in ((a, in_a), (b, in_b)) if reason is not None]
    return f"{' and '.join(told)} ({part['n']})"


def _reason(reason: str) -> str:
    return FIGURE_REASONS.get(reason, reason_words(reason))


def number_text(value: float | None) -> str:
    """A figure, empty where there is none."""
    return "" if value is None else figure(value)


def _signed(value: float | None) -> str:
    return "" if value is None else f"{'+' if value > 0 else ''}{figure(value)}"


def interval_text(found: Mapping[str, Any]) -> str:
    """The two ends of an interval, empty where there is none."""
    return "" if found["low"] is None else f"{figure(found['low'])} to {figure(found['high'])}"


def _signed_interval(found: Mapping[str, Any]) -> str:
    return "" if found["low"] is None else f"{_signed(found['low'])} to {_signed(found['high'])}"


def _sure(found: Mapping[str, Any]) -> bool:
    """The interval leaves out 0, and rests on more than a few answers."""
    return found["low"] is not None and found["n"] >= _FEW and (found["low"] > 0 or found["high"] < 0)
