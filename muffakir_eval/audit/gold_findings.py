"""What is wrong with the golds: in the dataset, in the index, or between the two."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from muffakir_eval.audit.questions import GoldFate, QuestionFate
from muffakir_eval.audit.records import Finding, FindingExample, GoldReach, Place, Severity
from muffakir_eval.audit.wording import place_words
from muffakir_eval.matching.golds import source_name
from muffakir_eval.matching.stages import SIMILAR_HOLDERS, SIMILAR_STAGES
from muffakir_eval.records import Sample

__all__ = ["CUT_BELOW", "gold_findings", "question_place"]

EXAMPLES = 5
_EXCERPT = 160
CUT_BELOW = 0.8
"""A gold that a chunk holds well enough to match, and of which less than this share lies in the chunk, is cut."""

_Pair = tuple[QuestionFate, GoldFate]


def question_place(fate: QuestionFate) -> Place:
    """Where a person finds the question."""
    row = f"row {fate.sample.row}" if fate.sample.row else f"question {fate.position + 1}"
    return Place(ordinal=fate.position, source=fate.sample.source_file, place=f"dataset, {row}")


def gold_findings(fates: Sequence[QuestionFate], *, sources: Collection[str]) -> Iterator[Finding]:
    """The findings about golds, worst first.

    Args:
        fates: The questions; empty where there is no dataset.
        sources: The documents of the index, as ``source_name`` calls them.
    """
    if not fates:
        return
    pairs = [(fate, gold) for fate in fates for gold in fate.golds]
    yield from _without_gold(fates, len(pairs))
    for kind in _KINDS:
        hit = [(fate, gold, gold.reach) for fate, gold in pairs if gold.reach is not None and kind.applies(gold)]
        if hit:
            yield Finding(
                code=kind.code,
                severity=kind.severity,
                count=len(hit),
                total=len(pairs),
                unit="golds",
                message=f"{_of(len(hit), len(pairs), 'golds')} {kind.message}",
                remedy=kind.remedy,
                examples=tuple(_example(fate, gold, reach, kind.detail) for fate, gold, reach in hit[:EXAMPLES]),
            )
    yield from _missing_sources(pairs, sources)


def _without_gold(fates: Sequence[QuestionFate], n_golds: int) -> Iterator[Finding]:
    bare = [fate for fate in fates if not fate.golds]
    if not bare:
        return
    examples = tuple(
        FindingExample(at=question_place(fate), excerpt=fate.sample.question[:_EXCERPT]) for fate in bare[:EXAMPLES]
    )
    if n_golds:
        yield Finding(
            code="question_without_gold",
            severity="info",
            count=len(bare),
            total=len(fates),
            unit="questions",
            message=f"{_of(len(bare), len(fates), 'questions')} name no evidence, and are part of no figure",
            remedy="add their gold passages or identifiers, if they have an answer in the index",
            examples=examples,
        )
        return
    yield Finding(
        code="dataset_without_gold",
        severity="warning",
        count=len(bare),
        total=len(fates),
        unit="questions",
        message="no question names its evidence: whether the index holds it, and whether it is found, cannot be said. "
        "Audited are the texts of the index, and of a retriever its latency, errors and empty results",
        remedy="add a column 'context' or 'chunk_id' to the dataset, or name yours with column_mapping",
        examples=examples,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    code: str
    severity: Severity
    applies: Callable[[GoldFate], bool]
    message: str
    remedy: str
    detail: Callable[[GoldReach], str]


def _spread(reach: GoldReach) -> str:
    return "; ".join(place_words(sighting.at) for sighting in reach.sightings[:EXAMPLES])


def _share(reach: GoldReach) -> str:
    where = _spread(reach)
    return f"{100 * (reach.covered or 0):.0f} % of its words{f': {where}' if where else ''}"


def _is(presence: str) -> Callable[[GoldFate], bool]:
    return lambda gold: gold.reach is not None and gold.reach.presence == presence


def _is_cut(gold: GoldFate) -> bool:
    reach = gold.reach
    return reach is not None and reach.presence == "whole" and reach.covered is not None and reach.covered < CUT_BELOW


def _looks_alike(gold: GoldFate) -> bool:
    """Several chunks hold it because their words are similar, not because it stands in them."""
    if gold.reach is None or gold.reach.presence != "whole":
        return False
    return sum(sighting.stage in SIMILAR_STAGES for sighting in gold.reach.sightings) >= SIMILAR_HOLDERS


def _is_unknown(gold: GoldFate) -> bool:
    return bool(gold.reach and gold.reach.unknown_ids and not gold.reach.padded_ids)


def _has_text(gold: GoldFate) -> bool:
    """Its text was looked for, too: where that is missing, one finding says so, and that is enough."""
    return gold.reach is not None and gold.reach.covered is not None


def _unknown(reach: GoldReach) -> str:
    return ", ".join(reach.unknown_ids[:EXAMPLES])


def _has(field: str) -> Callable[[GoldFate], bool]:
    return lambda gold: bool(getattr(gold.reach, field))


_KINDS = (
    _Kind(
        code="gold_not_in_index",
        severity="error",
        applies=lambda gold: gold.outcome == "not_in_index",
        message="are in no chunk of the index: no retriever can find them",
        remedy="load the documents that hold them, or correct the golds",
        detail=_share,
    ),
    _Kind(
        code="unknown_gold_id",
        severity="error",
        applies=lambda gold: _is_unknown(gold) and not _is("whole")(gold) and not _has_text(gold),
        message="are identifiers that no chunk of the index has",
        remedy="take the identifiers of the questions from this index, and keep them when it is built anew",
        detail=_unknown,
    ),
    _Kind(
        code="stale_gold_id",
        severity="warning",
        applies=lambda gold: _is_unknown(gold) and _is("whole")(gold),
        message="have identifiers that no chunk of the index has, and are found by their text or by another identifier",
        remedy="take the identifiers of the questions from this index, and keep them when it is built anew",
        detail=_unknown,
    ),
    _Kind(
        code="padded_gold_id",
        severity="error",
        applies=_has("padded_ids"),
        message="are identifiers that the index has only with other zeros, case or spaces: they match nothing",
        remedy="keep identifiers as text, from the source to the index and to the questions",
        detail=lambda reach: (
            f"{', '.join(reach.unknown_ids[:EXAMPLES])}: the index has {', '.join(reach.padded_ids[:EXAMPLES])}"
        ),
    ),
    _Kind(
        code="gold_elsewhere",
        severity="warning",
        applies=_has("elsewhere"),
        message="are identifiers whose chunks hold another text than the gold: matching by identifier counts them all "
        "the same",
        remedy="take identifiers and passages of the questions from one and the same build of the index",
        detail=_spread,
    ),
    _Kind(
        code="gold_split",
        severity="warning",
        applies=_is("split"),
        message="are spread over neighbouring chunks, and no single chunk holds enough of them",
        remedy="cut larger chunks, let neighbours overlap, or cut at the ends of paragraphs",
        detail=_spread,
    ),
    _Kind(
        code="gold_cut",
        severity="info",
        applies=_is_cut,
        message="match a chunk, though much of them lies outside of it: a reader of that chunk sees only a part",
        remedy="let neighbouring chunks overlap, or cut larger ones",
        detail=_share,
    ),
    _Kind(
        code="similar_chunks_hold_gold",
        severity="warning",
        applies=_looks_alike,
        message="match three or more chunks whose words are only similar: where passages follow one template, a wrong "
        "one counts as found, and what is missing is not seen",
        remedy="raise overlap_threshold and matching.coverage_threshold (to 0.9, say), or give golds and chunks "
        "identifiers",
        detail=lambda reach: f"{reach.n_chunks} chunks: {_spread(reach)}",
    ),
    _Kind(
        code="several_chunks_hold_gold",
        severity="info",
        applies=lambda gold: bool(gold.reach and gold.reach.n_chunks > 1) and not _looks_alike(gold),
        message="are in several chunks; any of them counts as found",
        remedy="nothing, unless the copies fill up the first ranks: see the duplicates",
        detail=lambda reach: f"{reach.n_chunks} chunks: {_spread(reach)}",
    ),
    _Kind(
        code="gold_not_compared",
        severity="warning",
        applies=_is("not_compared"),
        message="have nothing that the index could be compared by",
        remedy="give the questions gold passages, or identifiers as the index has them, and see match_by",
        detail=lambda _: "",
    ),
)


def _missing_sources(pairs: Sequence[_Pair], sources: Collection[str]) -> Iterator[Finding]:
    """Documents that golds name and the index does not, where these golds are not in the index either."""
    if not sources:
        return
    named: dict[str, list[_Pair]] = {}
    for fate, gold in pairs:
        for name in _sources_of(fate.sample, gold.gold):
            named.setdefault(name, []).append((fate, gold))
    missing = {
        name: golds
        for name, golds in named.items()
        if name not in sources and not any(_is("whole")(gold) for _, gold in golds)
    }
    if not missing:
        return
    yield Finding(
        code="source_not_in_index",
        severity="error",
        count=len(missing),
        total=len(named),
        unit="sources",
        message=f"{_of(len(missing), len(named), 'documents')} that golds come from have no chunk in the index",
        remedy="load these documents",
        examples=tuple(
            FindingExample(at=question_place(golds[0][0]), excerpt=name, detail=f"{len(golds)} golds")
            for name, golds in sorted(missing.items(), key=lambda pair: -len(pair[1]))[:EXAMPLES]
        ),
    )


def _sources_of(sample: Sample, index: int) -> set[str]:
    gold = next(gold for gold in sample.golds if gold.index == index)
    names = (source_name(sample.source_of(position)) for position in gold.alternatives)
    return {name for name in names if name is not None}


def _example(
    fate: QuestionFate, gold: GoldFate, reach: GoldReach, detail: Callable[[GoldReach], str]
) -> FindingExample:
    return FindingExample(at=question_place(fate), excerpt=_gold_words(fate.sample, gold.gold), detail=detail(reach))


def _gold_words(sample: Sample, index: int) -> str:
    """The beginning of the gold, or its identifier."""
    gold = next(gold for gold in sample.golds if gold.index == index)
    for texts in (sample.contexts, sample.chunk_ids):
        for position in gold.alternatives:
            if position < len(texts) and texts[position].strip():
                return " ".join(texts[position][: 2 * _EXCERPT].split())[:_EXCERPT]
    return ""


def _of(count: int, total: int, what: str) -> str:
    return f"all {total} {what}" if count == total and total > 1 else f"{count} of {total} {what}"
