"""``calibrate_matching``: thresholds of text matching from a user's own labelled pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from muffakir_eval.calibration.advice import Decided, Evidence, advice, cautions
from muffakir_eval.calibration.choosing import choose
from muffakir_eval.calibration.curve import curve_of
from muffakir_eval.calibration.figures import Trust, gain_of, quality_of
from muffakir_eval.calibration.folds import OutOfFold, deal, out_of_fold
from muffakir_eval.calibration.limits import Limits, limits_of
from muffakir_eval.calibration.pairs import LabelledPair, LabelledPairs, read_pairs
from muffakir_eval.calibration.result import Calibration, Choice, FuzzyEffect, PairVerdict, WrongPair
from muffakir_eval.calibration.space import Cell, Counts, Space
from muffakir_eval.calibration.target import Target
from muffakir_eval.config import MatchSettings
from muffakir_eval.errors import ConfigError, DatasetError
from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.text.normalize import normalizer_for

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Marks = npt.NDArray[np.bool_]

__all__ = ["calibrate_matching"]


def calibrate_matching(  # noqa: PLR0913 - the options of one door
    pairs: Any,
    settings: MatchSettings | Mapping[str, Any] | None = None,
    *,
    beta: float = 1.0,
    min_precision: float | None = None,
    folds: int = 5,
    confidence: float = 0.95,
    seed: int = 0,
    n_wrong: int = 20,
    column_mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
) -> Calibration:
    """Find the thresholds of text matching that agree best with what people say, and what they are worth.

    Every pair is compared once, by the stages that a run uses; then ``overlap_threshold`` and
    ``coverage_threshold`` (0.10, 0.11, …, 1) are tried, with ``fuzzy`` and without. All other settings stay as they
    are, and identifiers are not looked at. What the chosen thresholds score on the pairs that they were chosen by is
    too good; the honest figure comes from folds: the pairs about some of the gold passages are decided by thresholds
    that were chosen on the others. No figure depends on the order of the pairs.

    Args:
        pairs: Gold passage, chunk and label (1 or 0, yes or no, نعم or لا): a file, a frame, dicts, or triples.
        settings: The present settings, by default those of a run without any.
        beta: How many times as much recall counts as precision in F.
        min_precision: Look for the highest recall at this precision, instead of the highest F.
        folds: How many.
        confidence: Of the intervals, and of what counts as more than noise.
        seed: Of the folds and the draws.
        n_wrong: So many of the pairs that stay wrong are kept with an explanation.
        column_mapping: ``gold``, ``chunk`` and ``label`` to the columns of the file.
        encoding: Encoding of a text file that is not UTF-8.
        sheet: Sheet of a workbook by name or by index from 0.

    Returns:
        The calibration; printing it gives a report, ``recommended`` the settings to use.

    Raises:
        DatasetError: The pairs cannot be read, a row is wrong, or all have one label.
        ConfigError: An option is out of range, or the settings leave nothing to calibrate.

    >>> found = calibrate_matching(
    ...     [
    ...         ("تلتزم الشركة بدفع أجر العامل في موعده", "الشركة تدفع أجر العامل في موعده دائما", "نعم"),
    ...         ("يستحق العامل إجازة سنوية مدتها ثلاثون يوما", "إجازة العامل السنوية ثلاثون يوما", "نعم"),
    ...         ("تلتزم الشركة بدفع أجر العامل في موعده", "تلتزم الشركة بنظافة مكان العمل", "لا"),
    ...         ("يستحق العامل إجازة سنوية مدتها ثلاثون يوما", "إجازة مرضية للعامل", "لا"),
    ...     ],
    ...     {"overlap_threshold": 0.9},
    ... )
    >>> found.current.quality.f.value, found.calibrated.quality.f.value, found.verdict
    (0.0, 1.0, 'keep')
    >>> found.warnings[0]
    'only 4 labelled pairs: thresholds that rest on fewer than 50 hang on single pairs; label more'
    """
    target = Target(beta=beta, min_precision=min_precision)
    base = _checked(settings)
    _check_options(folds, confidence, seed)
    given = read_pairs(pairs, column_mapping=column_mapping, encoding=encoding, sheet=sheet)
    _refuse_one_sided(given)
    space = Space.around(base)
    limits = limits_of([(pair.gold, pair.chunk) for pair in given.pairs], base, space.fuzzy)
    return _calibrated(given, space, limits, target, (folds, confidence, seed, n_wrong))


def _check_options(folds: int, confidence: float, seed: int) -> None:
    if folds < 2:
        raise ConfigError(f"folds is {folds!r}", expected="a whole number of at least 2")
    if not 0.0 < confidence < 1.0:
        raise ConfigError(f"confidence is {confidence!r}", expected="a share between 0 and 1, such as 0.95")
    if seed < 0:
        raise ConfigError(f"seed is {seed!r}", expected="a whole number of at least 0")


def _checked(settings: MatchSettings | Mapping[str, Any] | None) -> MatchSettings:
    if not isinstance(settings, MatchSettings):
        from muffakir_eval.config import EvaluationConfig

        settings = EvaluationConfig.from_mapping({"matching": dict(settings or {})}, where="settings").match_settings
    if settings.match_by == "id":
        raise ConfigError("match_by is 'id', so no texts are compared", where="settings", expected="'auto' or 'text'")
    if not {"jaccard", "coverage"}.intersection(settings.stages):
        raise ConfigError(
            f"stages is {list(settings.stages)}, and none of them has a threshold",
            where="settings",
            expected="'jaccard', 'coverage' or both among them",
        )
    return settings


def _refuse_one_sided(given: LabelledPairs) -> None:
    labels = {pair.relevant for pair in given.pairs}
    if len(labels) == 1:
        kind, other = ("relevant", "not relevant") if True in labels else ("not relevant", "relevant")
        raise DatasetError(
            f"all {len(given.pairs)} pairs are labelled {kind}",
            where=given.source,
            expected="pairs of both kinds: thresholds stand between them",
            remedy=f"add pairs that are {other}",
        )


def _calibrated(
    given: LabelledPairs,
    space: Space,
    limits: Sequence[tuple[Limits, ...]],
    target: Target,
    options: tuple[int, float, int, int],
) -> Calibration:
    import numpy as np

    n_folds, confidence, seed, n_wrong = options
    relevant = np.array([pair.relevant for pair in given.pairs])
    golds = _golds(given.pairs, space.settings)
    heights = space.heights(limits)
    counts = space.count(heights, relevant)
    cell = choose(space, counts, target)
    folded = out_of_fold(space, heights, relevant, counts, deal(golds, relevant.tolist(), n_folds, seed), target)
    trust = Trust(golds, seed, confidence)
    verdicts = {name: space.accepts(heights, at) for name, at in (("current", space.current), ("calibrated", cell))}
    current, calibrated = (quality_of(accepted, relevant, target, trust) for accepted in verdicts.values())
    folds = folded if isinstance(folded, OutOfFold) else None
    evidence = Evidence(
        target=target,
        settings=(space.settings, space.settings_at(cell)),
        current=current,
        calibrated=calibrated,
        out_of_fold=quality_of(folded.accepted, relevant, target, trust) if isinstance(folded, OutOfFold) else folded,
        gain=None if folds is None else gain_of(verdicts["current"], folds.accepted, relevant, target, trust),
        fold_settings=() if folds is None else tuple(map(space.settings_at, folds.chosen)),
        decided=_decided(limits, relevant),
    )
    verdict, reason = advice(evidence)
    advised = verdicts["calibrated" if verdict == "adopt" else "current"]
    wrong = np.flatnonzero(advised != relevant).tolist()
    matcher = ChunkMatcher(space.settings_at(cell) if verdict == "adopt" else space.settings)
    return Calibration(
        source=given.source,
        n_pairs=len(relevant),
        n_relevant=int(relevant.sum()),
        n_golds=len(set(golds)),
        target=target,
        current=Choice(settings=space.settings, quality=current),
        calibrated=Choice(settings=space.settings_at(cell), quality=calibrated),
        out_of_fold=None if isinstance(evidence.out_of_fold, str) else evidence.out_of_fold,
        no_folds=evidence.out_of_fold if isinstance(evidence.out_of_fold, str) else None,
        fold_settings=evidence.fold_settings,
        gain=evidence.gain,
        fuzzy=_fuzzy(space, counts, target),
        decided=evidence.decided,
        verdict=verdict,
        reason=reason,
        curve=curve_of(space, counts, cell.way, target),
        pairs=_verdicts(given.pairs, [of[cell.way] for of in limits], verdicts, folds),
        wrong=tuple(_wrong(given.pairs[place], matcher) for place in wrong[:n_wrong]),
        n_wrong=len(wrong),
        mapping=given.mapping,
        confidence=confidence,
        seed=seed,
        notes=given.notes,
        warnings=tuple(cautions(evidence)),
    )


def _golds(pairs: Sequence[LabelledPair], settings: MatchSettings) -> list[str]:
    """The gold passages, the same for two spellings of one."""
    normalizer = normalizer_for(settings.profile)
    known: dict[str, str] = {}
    return [known.setdefault(pair.gold, normalizer.normalize(pair.gold)) for pair in pairs]


def _decided(limits: Sequence[tuple[Limits, ...]], relevant: Marks) -> Decided:
    contained = [of[0].contained for of in limits]
    never = sum(not any(limit.contained or limit.overlap or limit.coverage for limit in of) for of in limits)
    return Decided(
        by_containment=sum(contained),
        contained_not_relevant=sum(inside and not said for inside, said in zip(contained, relevant, strict=True)),
        never=never,
        by_thresholds=len(limits) - sum(contained) - never,
    )


def _fuzzy(space: Space, counts: Counts, target: Target) -> FuzzyEffect:
    """The best of each way."""
    found: dict[bool, float | None] = {}
    for way, fuzzy in enumerate(space.fuzzy):
        part = Counts(counts.tp[way : way + 1], counts.fp[way : way + 1], counts.n_relevant)
        cells = target.score(part.tp, part.fp, part.n_relevant - part.tp)
        best = divmod(int(cells[0].argmax()), cells.shape[2])
        tp, fp = (numbers[Cell(0, *best)] for numbers in (part.tp, part.fp))
        if target.min_precision is None:
            found[fuzzy] = float(cells.max())
        else:
            found[fuzzy] = float(tp) / part.n_relevant if tp and target.reaches(float(tp / (tp + fp))) else None
    measure = target.f_name if target.min_precision is None else "recall"
    return FuzzyEffect(measure=measure, with_fuzzy=found[True], without_fuzzy=found[False])


def _verdicts(
    pairs: Sequence[LabelledPair], limits: Sequence[Limits], verdicts: Mapping[str, Marks], folds: OutOfFold | None
) -> tuple[PairVerdict, ...]:
    return tuple(
        PairVerdict(
            row=pair.row,
            relevant=pair.relevant,
            current=bool(verdicts["current"][place]),
            calibrated=bool(verdicts["calibrated"][place]),
            out_of_fold=None if folds is None else bool(folds.accepted[place]),
            fold=None if folds is None else folds.fold[place],
            contained=limit.contained,
            overlap_limit=None if limit.contained else limit.overlap,
            coverage_limit=None if limit.contained else limit.coverage,
            gold=pair.gold,
            chunk=pair.chunk,
        )
        for place, (pair, limit) in enumerate(zip(pairs, limits, strict=True))
    )


def _wrong(pair: LabelledPair, matcher: ChunkMatcher) -> WrongPair:
    return WrongPair(
        row=pair.row,
        relevant=pair.relevant,
        gold=pair.gold,
        chunk=pair.chunk,
        explanation=str(matcher.explain(pair.gold, pair.chunk)),
    )
