"""Judges with known faults: the figures find them."""

from __future__ import annotations

from typing import Any

import pytest

from muffakir_eval.comparison.judges.comparison import judge_comparison
from muffakir_eval.comparison.judges.inputs import Judged, Rating, Settings
from muffakir_eval.comparison.judges.result import JudgeComparison
from tests.comparison.judges.answers import BINARY, RATING, UNIT, answers, chance, judged

N = 240
HUMAN = [float(chance(number, "human").choice([1, 2, 2, 3, 3, 4, 4, 5])) for number in range(N)]
WORDS = [chance(number, "words").randrange(2, 80) for number in range(N)]
QUICK = Settings(n_resamples=400, slice_by=("dialect",))


def clipped(value: float) -> float:
    return min(5.0, max(1.0, value))


def dialect(number: int) -> dict[str, str | None]:
    return {"dialect": ("مصرية", "خليجية", None)[number % 3]}


GOOD = judged("good", [clipped(HUMAN[n] + chance(n, "good").choice([0, 0, 0, 0, 1, -1])) for n in range(N)])
LENIENT = judged("lenient", [clipped(value + 1) for value in HUMAN])
RANDOM = judged("random", [float(chance(n, "random").randrange(1, 6)) for n in range(N)])
FIVE = judged("five", [5.0] * N)
FAILING = judged("failing", [None if chance(n, "fails").random() < 0.2 else HUMAN[n] for n in range(N)])
LONG = judged("long", [clipped(round(HUMAN[n] + (WORDS[n] - 40) / 20)) for n in range(N)])
EGYPT = judged("egypt", [HUMAN[n] if n % 3 == 0 else 6 - HUMAN[n] for n in range(N)])
JUDGES = [GOOD, LENIENT, RANDOM, FIVE, FAILING, LONG, EGYPT]


@pytest.fixture(scope="module")
def found() -> JudgeComparison:
    given = answers(JUDGES, HUMAN, words=lambda number: WORDS[number], groups=dialect)
    return judge_comparison(given, QUICK)


def test_the_good_judge_agrees_and_the_random_one_does_not(found: JudgeComparison) -> None:
    good, chance_ = (found.against_people("m", label).agreement for label in ("good", "random"))
    assert good.kappa.low is not None and good.kappa.low > 0.8
    assert chance_.kappa.low is not None and chance_.kappa.high is not None
    assert chance_.kappa.low < 0 < chance_.kappa.high


def test_leniency_is_found_against_people_and_against_the_other_judge(found: JudgeComparison) -> None:
    bias = found.against_people("m", "lenient").agreement.bias
    share = sum(value < 5 for value in HUMAN) / N
    assert bias.value == pytest.approx(share)
    assert bias.low is not None and bias.low > 0
    pair = found.pair("m", "good", "lenient").agreement.bias
    assert pair.value is not None and pair.high is not None and pair.high < 0
    ranks = found.against_people("m", "lenient").agreement.spearman
    assert ranks.value is not None and ranks.value > 0.95  # lenient, and right about the order


def test_the_judge_that_always_says_five(found: JudgeComparison) -> None:
    five = found.against_people("m", "five")
    assert (five.agreement.spearman.value, five.agreement.spearman.reason) == (None, "constant")
    assert five.agreement.kappa.value == 0.0
    assert any("gave the same value to every answer" in note for note in five.notes)


def test_the_judge_that_fails_on_a_fifth(found: JudgeComparison) -> None:
    fails = sum(value is None for value in (rating.value for rating in FAILING.ratings["m"] if rating))
    figures = found.judge("failing").metrics["m"]
    assert (figures.n_failed, figures.reasons, figures.n_scored) == (fails, {"timeout": fails}, N - fails)
    assert figures.coverage == pytest.approx(1 - fails / N)
    against = found.against_people("m", "failing")
    assert (against.agreement.n, against.left_out) == (N - fails, {"timeout": fails})
    assert against.accuracy.value == 1.0
    pair = found.pair("m", "good", "failing")
    assert pair.agreement.n == N - fails
    assert [(part.n, part.in_a, part.in_b) for part in pair.left_out] == [(fails, None, "timeout")]


def test_the_judge_that_likes_long_answers(found: JudgeComparison) -> None:
    slope = found.against_people("m", "long").length
    assert slope.controlled and slope.per_doubling.low is not None and slope.per_doubling.low > 0.3
    honest = found.against_people("m", "failing").length.per_doubling
    assert honest.value == pytest.approx(0.0)  # it says what people say: at equal label nothing is left


def test_length_without_labels_is_not_controlled(found: JudgeComparison) -> None:
    assert not found.judge("long").metrics["m"].length.controlled


def test_a_judge_that_only_knows_one_dialect(found: JudgeComparison) -> None:
    parts = {part.value: part.agreement for part in found.against_people("m", "egypt").slices}
    assert parts.keys() == {"مصرية", "خليجية", None}
    assert parts["مصرية"].kappa.value == 1.0
    other = parts["خليجية"].kappa.value
    assert other is not None and other < 0
    assert sum(part.n for part in parts.values()) == N


def test_the_disagreements_worth_reading_first(found: JudgeComparison) -> None:
    first = found.against_people("m", "random").disagreements
    assert len(first) == QUICK.n_disagreements
    sizes = [abs(one.difference) for one in first]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] == 4.0
    # Where it stands alone: of equally wide ones, those on which more of the others side with people.
    widest = [one for one in first if abs(one.difference) == 4.0]
    sides = [
        sum(abs(value - one.value_b) < abs(value - one.value_a) for value in one.others.values()) for one in widest
    ]
    assert sides == sorted(sides, reverse=True)
    assert widest[0].question.startswith("السؤال") and widest[0].answer


def test_all_judges_together(found: JudgeComparison) -> None:
    alpha = found.metric("m").alpha
    assert alpha.n == N and alpha.value is not None and alpha.low is not None and alpha.high is not None
    assert alpha.low < alpha.value < alpha.high


def test_neither_the_order_of_judges_nor_that_of_answers_changes_a_figure(found: JudgeComparison) -> None:
    order = sorted(range(N), key=lambda number: chance(number, "shuffle").random())
    moved = [
        Judged(label=one.label, ratings={"m": [one.ratings["m"][number] for number in order]}) for one in JUDGES[::-1]
    ]
    given = answers(
        moved,
        [HUMAN[number] for number in order],
        words=lambda place: WORDS[order[place]],
        groups=lambda place: dialect(order[place]),
    )
    again = judge_comparison(given, QUICK)
    for one in found.metric("m").people:
        other = again.against_people("m", one.judge)
        assert other.agreement == one.agreement
        assert other.length.per_doubling.low == pytest.approx(one.length.per_doubling.low)
        assert other.slices == one.slices
    for pair in found.metric("m").pairs:
        other_pair = again.pair("m", pair.b, pair.a)
        assert other_pair.agreement.kappa == pair.agreement.kappa
        assert other_pair.agreement.bias == pair.agreement.bias.negated()
    assert again.metric("m").alpha.low == pytest.approx(found.metric("m").alpha.low)


def test_a_few_human_labels_correct_the_mean_of_a_lenient_judge() -> None:
    labels: list[float | None] = [HUMAN[n] if n % 4 == 0 else None for n in range(N)]
    one = judge_comparison(answers([LENIENT], labels), QUICK).against_people("m", "lenient")
    truth = sum(HUMAN) / N
    corrected = one.corrected
    assert (corrected.n_labelled, corrected.n_unlabelled) == (N // 4, N - N // 4)
    assert corrected.mean.low is not None and corrected.mean.high is not None
    assert corrected.mean.low < truth < corrected.mean.high
    assert corrected.judge_mean is not None and corrected.judge_mean > corrected.mean.high
    alone = corrected.human_mean
    assert alone is not None and alone.low is not None and alone.high is not None
    assert corrected.mean.high - corrected.mean.low < alone.high - alone.low  # the judge is worth something


@pytest.mark.parametrize(
    ("labels", "more", "reason"),
    [
        (HUMAN, {}, "all_labelled"),
        ([HUMAN[0]] + [None] * (N - 1), {}, "too_few"),
        (HUMAN[:19] + [None] * (N - 19), {}, "too_few"),
        ([4.0] * 30 + [None] * (N - 30), {}, "one_label"),
        ([HUMAN[n] if n % 2 else None for n in range(N)], {"cluster": lambda n: f"d{n // 3}"}, "clustered"),
        ([HUMAN[n] if n % 2 else None for n in range(N)], {"same_scale": False}, "other_scale"),
    ],
)
def test_where_no_mean_is_corrected(labels: list[float | None], more: dict[str, Any], reason: str) -> None:
    one = judge_comparison(answers([GOOD], labels, **more), QUICK).against_people("m", "good")
    assert (one.corrected.mean.value, one.corrected.mean.reason) == (None, reason)


def test_values_that_the_case_decides_are_no_opinion() -> None:
    ratings = [Rating(value=0.0, decided=True)] * 3 + [Rating(value=1.0), Rating(value=0.0), Rating(value=1.0)]
    other = [Rating(value=0.0, decided=True)] * 3 + [Rating(value=0.0), Rating(value=1.0), Rating(value=0.0)]
    a, b = Judged(label="a", ratings={"m": ratings}), Judged(label="b", ratings={"m": other})
    found = judge_comparison(answers([a, b], [0.0] * 3 + [1.0, 0.0, 1.0], scale=BINARY), QUICK)
    figures = found.judge("a").metrics["m"]
    assert figures.mean.value == pytest.approx(1 / 3)
    assert (figures.n_scored, figures.n_decided) == (6, 3)
    pair = found.pair("m", "a", "b")
    assert (pair.agreement.n, pair.agreement.raw.value) == (3, 0.0)
    assert pair.left_out[0].in_a == pair.left_out[0].in_b == "decided_by_the_case"
    assert found.against_people("m", "a").left_out == {"decided_by_the_case": 3}
    assert found.metric("m").alpha.n == 3


def test_noise_of_one_judge_is_shown() -> None:
    """A judge that says 2 and 4 in turn: mean 3, and everybody sees that it did not know."""
    turns = [Rating(value=3.0, repeats=(2.0, 4.0, 2.0, 4.0), calls=4, latency_ms=8.0)] * 5
    steady = [Rating(value=4.0, repeats=(4.0, 4.0), calls=2, latency_ms=8.0)] * 5
    given = answers([Judged(label="turns", ratings={"m": turns}), Judged(label="steady", ratings={"m": steady})])
    found = judge_comparison(given, QUICK)
    repeats = found.judge("turns").metrics["m"].repeats
    assert repeats is not None
    assert (repeats.n, repeats.n_differ, repeats.largest_range) == (5, 5, 2.0)
    assert repeats.mean_sd == pytest.approx(1.1547, abs=1e-4)
    assert repeats.alpha.value is not None and repeats.alpha.value < 0
    calm = found.judge("steady").metrics["m"].repeats
    assert calm is not None and (calm.n_differ, calm.alpha.reason) == (0, "one_label")
    latency = found.judge("turns").metrics["m"].latency_ms
    assert latency is not None and (latency["p50"], latency["n"]) == (2.0, 5)


def usage(cost: float | None, *, calls: int = 100, failed: int = 0, cached: int = 0) -> dict[str, Any]:
    one = {"calls": calls, "failed_calls": failed, "cached": cached, "cost_usd": cost, "cost_estimate_usd": cost}
    return {**one, "input_tokens": 1, "output_tokens": 1, "by_metric": {"m": one}}


def test_quality_against_cost() -> None:
    dear = judged("dear", list(HUMAN), usage=usage(10.0))
    cheap = judged("cheap", [clipped(value + 1) for value in HUMAN], usage=usage(1.0))
    waste = judged("waste", [6 - value for value in HUMAN], usage=usage(5.0))
    unknown = judged("unknown", list(HUMAN), usage=usage(None))
    found = judge_comparison(answers([dear, cheap, waste, unknown], HUMAN), QUICK).metric("m")
    assert [(one.judge, one.on_frontier, one.beaten_by) for one in found.frontier] == [
        ("cheap", True, None), ("waste", False, "cheap"), ("dear", True, None), ("unknown", None, None),
    ]  # fmt: skip
    assert found.frontier[0].cost_per_1000 == pytest.approx(1000 * 1.0 / N)
    assert found.frontier_reason is None


def test_a_cache_makes_no_judge_cheap() -> None:
    half = judged("half", list(HUMAN), usage=usage(1.0, calls=50, cached=50))
    free = judged("free", list(HUMAN), usage=usage(0.0, calls=0, cached=100))
    found = judge_comparison(answers([half, free], HUMAN), QUICK)
    assert found.judge("half").metrics["m"].cost_per_1000 == pytest.approx(2 * 1000 / N)
    assert found.judge("free").metrics["m"].cost_per_1000 is None


def test_no_frontier_is_explained() -> None:
    assert judge_comparison(answers([GOOD]), QUICK).metric("m").frontier_reason == "no_people"
    assert judge_comparison(answers([GOOD], HUMAN), QUICK).metric("m").frontier_reason == "no_cost"
    nobody = judged("nobody", [None, None])
    assert judge_comparison(answers([nobody], [1.0, 2.0]), QUICK).metric("m").frontier_reason == "no_quality"


def test_scores_without_labels_against_right_and_wrong() -> None:
    human = [float(value > 3) for value in HUMAN]
    scores = judged("scores", [min(1.0, max(0.0, (HUMAN[n] - chance(n, "u").random()) / 5)) for n in range(N)])
    found = judge_comparison(answers([scores], human, scale=UNIT), Settings(n_resamples=200, thresholds={"m": 0.6}))
    one = found.against_people("m", "scores").agreement
    assert one.auc.value is not None and one.auc.value > 0.9
    assert one.kappa.value is not None and one.threshold == 0.6


def test_a_judge_that_never_began_has_no_part(found: JudgeComparison) -> None:
    idle = Judged(label="idle", ratings={}, status="not_run", message="the key was rejected")
    some = judge_comparison(answers([GOOD, idle], HUMAN), QUICK)
    assert not some.complete and some.judge("idle").metrics == {}
    assert [one.judge for one in some.metric("m").people] == ["good"]
    assert some.metric("m").pairs == ()
    assert found.complete


def test_waiting_answers_are_counted() -> None:
    part = Judged(label="part", status="partial", ratings={"m": [Rating(value=3.0), None, None]})
    found = judge_comparison(answers([part, judged("all", [3.0, 4.0, 5.0])]), QUICK)
    assert found.judge("part").metrics["m"].n_waiting == 2
    assert found.pair("m", "part", "all").left_out[0].in_a == "not_reached"


def test_clusters_widen_the_interval_of_agreement() -> None:
    human = [HUMAN[number // 8] for number in range(N)]
    one = judged("one", [clipped(human[n] + (1 if (n // 8) % 3 == 0 else 0)) for n in range(N)])
    apart = judge_comparison(answers([one], human, scale=RATING), QUICK).against_people("m", "one")
    together = judge_comparison(answers([one], human, cluster=lambda n: f"d{n // 8}"), QUICK)
    wide = together.against_people("m", "one").agreement.bias
    narrow = apart.agreement.bias
    assert None not in (wide.low, wide.high, narrow.low, narrow.high)
    assert wide.high - wide.low > narrow.high - narrow.low  # type: ignore[operator]


def test_the_quality_of_all_judges_is_one_figure() -> None:
    """A panel's means lie between the labels: then nobody is compared by kappa."""
    panel = judged("panel", [value if value > 3 else value + 0.5 for value in HUMAN], usage=usage(3.0))
    other = judged("other", list(HUMAN), usage=usage(1.0))
    found = judge_comparison(answers([panel, other], HUMAN), QUICK).metric("m")
    assert {offer.quality_is for offer in found.frontier} == {"concordance"}
    assert len(found.frontier) == 2


def test_an_answer_nobody_else_has_rated_like_that_is_in_no_stratum() -> None:
    given = answers([judged("a", [1.0, 2.0, 3.0])], [1.0, 2.0, 3.0])
    assert judge_comparison(given, QUICK).against_people("m", "a").length.per_doubling.reason == "too_few"
    alike = answers([judged("a", [1.0, 2.0, 3.0, 4.0])], [1.0] * 4)
    assert judge_comparison(alike, QUICK).against_people("m", "a").length.per_doubling.reason == "constant"


def test_a_corrected_mean_stays_on_the_scale() -> None:
    human: list[float | None] = [1.0] * 29 + [0.0] + [None] * (N - 30)
    sure = judged("sure", [1.0] * N)
    corrected = judge_comparison(answers([sure], human, scale=BINARY), QUICK).against_people("m", "sure").corrected
    assert corrected.mean.value == pytest.approx(29 / 30)
    assert corrected.mean.low is not None and corrected.mean.low < 0.95 and corrected.mean.high == 1.0


# -- which judge is the better one ------------------------------------------------------------------------


def test_the_better_judge_is_told_from_the_worse_and_not_from_its_like(found: JudgeComparison) -> None:
    rivals = {(one.a, one.b): one for one in found.metric("m").rivals}
    clear = rivals["good", "random"]
    assert clear.measure == "kappa" and clear.difference.low is not None and clear.difference.low > 0.5
    like = judged("like", [clipped(HUMAN[n] + chance(n, "like").choice([0, 0, 0, 0, 1, -1])) for n in range(N)])
    both = judge_comparison(answers([GOOD, like], HUMAN), QUICK).metric("m").rivals[0].difference
    assert both.low is not None and both.high is not None and both.low < 0 < both.high
    fails = rivals["good", "failing"]  # on the answers of both, not on all of one
    assert fails.difference.n == found.against_people("m", "failing").agreement.n
    assert fails.value_a != found.against_people("m", "good").agreement.kappa.value and fails.value_b == 1.0


def test_the_interval_of_a_difference_counts_in_that_both_saw_the_same_answers() -> None:
    """Two judges that make nearly the same mistakes are told apart by few answers."""
    kind = [clipped(HUMAN[n] + chance(n, "noise").choice([0, 1, 2, -1])) for n in range(N)]
    kinder = [clipped(value + (n % 4 == 0)) for n, value in enumerate(kind)]
    given = answers([judged("kind", kind), judged("kinder", kinder)], HUMAN)
    found = judge_comparison(given, QUICK).metric("m")
    gap = found.rivals[0].difference
    apart = [one.agreement.kappa for one in found.people]
    assert gap.low is not None and gap.high is not None and gap.low > 0
    assert apart[0].low is not None and apart[1].high is not None and apart[0].low < apart[1].high
    clustered = answers(given.judges, HUMAN, cluster=lambda n: f"d{n // 12}")
    assert judge_comparison(clustered, QUICK).metric("m").rivals[0].difference.value == gap.value


def test_rivals_on_another_scale_and_without_pairs() -> None:
    right = [float(value > 3) for value in HUMAN]
    given = answers([GOOD, RANDOM], right, same_scale=False)
    assert judge_comparison(given, QUICK).metric("m").rivals[0].measure == "spearman"
    cut = judge_comparison(given, Settings(thresholds={"m": 4.0})).metric("m").rivals[0]
    assert cut.measure == "kappa" and cut.value_a is not None and cut.value_a > 0.6
    first = judged("first", [*HUMAN[: N // 2], *[None] * (N // 2)])
    second = judged("second", [*[None] * (N // 2), *HUMAN[N // 2 :]])
    none = judge_comparison(answers([first, second], HUMAN), QUICK).metric("m").rivals[0]
    assert (none.difference.value, none.difference.n) == (None, 0)
    lone = judged("lone", [*HUMAN[:10], *[None] * (N - 10)])
    assert judge_comparison(answers([lone], HUMAN), QUICK).metric("m").rivals == ()
