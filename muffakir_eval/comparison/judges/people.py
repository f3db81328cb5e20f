"""Judges against people: agreement, leniency, length, slices, and the mean that people would give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from muffakir_eval.comparison.judges.agreement import Agreement, Raters, agreement
from muffakir_eval.comparison.judges.disagreements import Disagreement, disagreements
from muffakir_eval.comparison.judges.figures import Figure
from muffakir_eval.comparison.judges.inputs import Answers, Judged, People, Rating, Settings, no_opinion
from muffakir_eval.comparison.judges.length import LengthBias, length_bias
from muffakir_eval.comparison.judges.scale import Scale

__all__ = ["Corrected", "PeopleAgreement", "SliceAgreement", "against_people", "sliced"]

_LEAST_LABELLED = 20
_MOST_VALUES = 20
"""Values of a column that are looked at apart, the most frequent ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceAgreement:
    """Agreement on the answers with one value in a column.

    Attributes:
        column: Of the dataset.
        value: In it; ``None`` for answers with nothing there.
        agreement: Of the two raters.
    """

    column: str
    value: str | None
    agreement: Agreement


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """The mean that people would give, from a judge and a sample that people have rated.

    Attributes:
        mean: Prediction-powered; its interval counts in what the sample is worth.
        judge_mean: What the judge says.
        human_mean: What people say of the sample alone, with the interval of so few answers.
        weight: How far the judge is trusted, from 0 to 1.
        n_labelled: Answers that both have rated.
        n_unlabelled: Answers that only the judge has rated.
    """

    mean: Figure
    judge_mean: float | None = None
    human_mean: Figure | None = None
    weight: float | None = None
    n_labelled: int
    n_unlabelled: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleAgreement:
    """One judge against people, for one metric.

    Attributes:
        judge: Its label.
        agreement: The judge is A, people are B: a bias above 0 is leniency.
        accuracy: Share of the answers on which the judge says what people say; ``None`` without labels.
        length: How the score goes with the length of answers that people rate alike.
        slices: Agreement per value of the columns of ``slice_by``.
        corrected: The mean over all answers, corrected by the human labels.
        disagreements: Those worth reading first.
        n_human: Answers that people have rated.
        left_out: Of these, those that the judge has no opinion on, by reason.
        notes: What to keep in mind.
    """

    judge: str
    agreement: Agreement
    accuracy: Figure
    length: LengthBias
    slices: tuple[SliceAgreement, ...]
    corrected: Corrected
    disagreements: tuple[Disagreement, ...]
    n_human: int
    left_out: dict[str, int]
    notes: tuple[str, ...] = ()


def against_people(given: Answers, judge: Judged, metric: str, people: People, settings: Settings) -> PeopleAgreement:
    """Compare one judge with what people say."""
    ratings = judge.ratings[metric]
    both = [place for place, label in enumerate(people.values) if label is not None and _opinion(ratings[place])]
    left_out = Counter(no_opinion(ratings[place]) for place, label in enumerate(people.values) if label is not None)
    left_out.pop("", None)
    raters = _raters(given, ratings, people, both, metric, settings)
    found = agreement(raters, settings)
    a = [None if not _opinion(rating) else (_score(rating), rating) for rating in ratings]
    b = [None if label is None else (label, None) for label in people.values]
    others = {
        one.label: [None if rating is None else rating.opinion for rating in one.ratings[metric]]
        for one in given.judges
        if one.label != judge.label and metric in one.ratings
    }
    return PeopleAgreement(
        judge=judge.label,
        agreement=found,
        accuracy=found.raw,
        length=length_bias(
            list(raters.a), [given.answers[place].n_words for place in both], list(raters.b), settings, raters.clusters
        ),
        slices=sliced(given, both, lambda part: _raters(given, ratings, people, part, metric, settings), settings),
        corrected=_corrected(given, ratings, people, given.scales[metric], settings),
        disagreements=disagreements(given, a, b, others, settings.n_disagreements) if people.same_scale else (),
        n_human=sum(label is not None for label in people.values),
        left_out=dict(sorted(left_out.items(), key=lambda pair: (-pair[1], pair[0]))),
        notes=tuple(_notes(found, people)),
    )


def _opinion(rating: Rating | None) -> bool:
    return rating is not None and rating.opinion is not None


def _score(rating: Rating | None) -> float:
    return float(rating.value or 0.0) if rating is not None else 0.0


def _raters(
    given: Answers,
    ratings: Sequence[Rating | None],
    people: People,
    places: Sequence[int],
    metric: str,
    settings: Settings,
) -> Raters:
    return Raters(
        a=[_score(ratings[place]) for place in places],
        b=[float(people.values[place] or 0.0) for place in places],
        scale=given.scales[metric],
        same_scale=people.same_scale,
        threshold=settings.thresholds.get(metric),
        clusters=given.clusters(places),
    )


def sliced(
    given: Answers, places: Sequence[int], raters: Callable[[Sequence[int]], Raters], settings: Settings
) -> tuple[SliceAgreement, ...]:
    """Agreement per value of each column of ``slice_by``, the most frequent values first.

    Args:
        given: The answers.
        places: Those that both rated.
        raters: The two raters on some of these.
        settings: The columns, and how to compare.
    """
    found = []
    for column in settings.slice_by:
        parts: dict[str | None, list[int]] = {}
        for place in places:
            parts.setdefault(given.answers[place].groups.get(column), []).append(place)
        ordered = sorted(parts.items(), key=lambda part: (-len(part[1]), part[0] is None, part[0] or ""))
        for value, members in ordered[:_MOST_VALUES]:
            found.append(SliceAgreement(column=column, value=value, agreement=agreement(raters(members), settings)))
    return tuple(found)


def _corrected(
    given: Answers, ratings: Sequence[Rating | None], people: People, scale: Scale, settings: Settings
) -> Corrected:
    """Of all answers with a value, those that the case decides too: the mean of a report counts them."""
    import numpy as np

    from muffakir_eval.statistics.intervals import mean_interval
    from muffakir_eval.statistics.prediction_powered import prediction_powered_mean

    scored = [place for place, rating in enumerate(ratings) if rating is not None and rating.value is not None]
    known = [place for place in scored if people.values[place] is not None]
    rest = [place for place in scored if people.values[place] is None]
    n, more = len(known), len(rest)
    reason = None if people.same_scale else "other_scale"
    if reason is None and given.clustered is not None:
        reason = "clustered"  # its variance takes the answers for independent
    if reason is None and not more:
        reason = "all_labelled"
    if reason is None and (n < _LEAST_LABELLED or more < 2):
        reason = "too_few"  # its interval takes the mean of the sample for normally distributed
    if reason is None and len({people.values[place] for place in known}) == 1:
        reason = "one_label"  # how people vary is not known then
    if reason is not None:
        return Corrected(mean=Figure.none(reason, n), n_labelled=n, n_unlabelled=more)
    human = np.sort(np.array([people.values[place] for place in known], dtype=np.float64))
    truth = [float(people.values[place] or 0.0) for place in known]
    found = prediction_powered_mean(
        truth,
        [_score(ratings[place]) for place in known],
        [_score(ratings[place]) for place in rest],
        confidence=settings.confidence,
    )
    alone = mean_interval(
        human,
        rng=np.random.default_rng(settings.seed),
        confidence=settings.confidence,
        n_resamples=settings.n_resamples,
    )
    if found is None:
        return Corrected(mean=Figure.none("too_few", n), n_labelled=n, n_unlabelled=more)

    def kept(value: float) -> float:
        return min(scale.high, max(scale.low, value))

    return Corrected(
        mean=Figure(value=kept(found.mean), low=kept(found.low), high=kept(found.high), n=n + more),
        judge_mean=found.judge_mean,
        human_mean=Figure(value=alone.mean, low=alone.low, high=alone.high, n=n),
        weight=found.weight,
        n_labelled=n,
        n_unlabelled=more,
    )


def _notes(found: Agreement, people: People) -> Iterator[str]:
    if found.spearman.reason == "constant":
        yield (
            "one of the two gave the same value to every answer: kappa and correlations say nothing then, and "
            "agreement says only how often the other did so too"
        )
    if not people.same_scale:
        yield (
            f"the labels in {people.column!r} are on another scale than the metric: only ranks are compared; "
            "human_scale=(low, high) moves them onto its scale"
        )
    if people.rescaled is not None:
        low, high = people.rescaled
        yield f"the labels in {people.column!r} were moved from {low:g} to {high:g} onto the scale of the metric"
