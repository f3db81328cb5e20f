"""Every gold of a dataset looked for in every chunk of an index, while the index streams past once.

The golds are indexed, not the chunks: there are few of them. So memory grows with the golds and with what is seen of
them, and parts of an index may be searched apart and their sightings put together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from muffakir_eval.audit.reach.index import GoldIndex, Held, Seen
from muffakir_eval.audit.reach.pieces import Piece, span_of
from muffakir_eval.audit.reach.sightings import KEPT, Holders, Parts, Sightings
from muffakir_eval.audit.reach.targets import Alternative, Targets, loose_id
from muffakir_eval.audit.records import CorpusChunk, GoldReach, Place, Presence, Sighting
from muffakir_eval.config import MatchSettings
from muffakir_eval.matching.agreement import Keys
from muffakir_eval.matching.golds import source_name, sources_agree
from muffakir_eval.matching.matcher import ChunkMatcher
from muffakir_eval.matching.stages import TEXT_STAGES
from muffakir_eval.records import Sample
from muffakir_eval.text.identifiers import clean_id

__all__ = ["GoldSearch"]

_BY_ID = Held("id", 1.0, 0.0, None)
_ORDER = {"id": 0, **{stage: place for place, stage in enumerate(TEXT_STAGES, 1)}}


class GoldSearch:
    """Looks for the golds of a dataset in an index.

    A chunk holds a gold if a run with the same settings would call it relevant: the same identifiers, documents and
    text stages. A text that several questions have as their gold is searched once.

    May be pickled; what it has prepared is prepared again where it arrives.

    Args:
        samples: The questions.
        settings: As for :class:`~muffakir_eval.matching.ChunkMatcher`.
        keys: As there.

    >>> gold = "يستحق العامل إجازة سنوية مدتها ثلاثون يوما بأجر كامل"
    >>> search = GoldSearch([Sample(sample_id="1", question="كم مدة الإجازة؟", contexts=(gold,))])
    >>> chunks = ["مقدمة القانون", f"مادة ٤٧: {gold}، وتزاد إلى ٤٥ يوما."]
    >>> seen = search.scan([CorpusChunk(ordinal=place, text=text) for place, text in enumerate(chunks)])
    >>> [(reach.presence, [sighting.at.ordinal for sighting in reach.sightings]) for reach in search.reaches(seen)]
    [('whole', [1])]
    """

    def __init__(
        self, samples: Sequence[Sample], settings: MatchSettings | None = None, *, keys: Keys | None = None
    ) -> None:
        self._given = tuple(samples), settings, keys
        settings = settings or MatchSettings()
        self._by_id, self._by_text = settings.match_by != "text", settings.match_by != "id"
        self._targets = targets = Targets(samples)
        paired = self._by_id and any(one.chunk_id and one.text is not None for one in _all(targets.targets))
        wanted = bool(targets.texts) and (self._by_text or paired)
        self._index = GoldIndex(targets.texts, ChunkMatcher(settings, capacity=1, keys=keys)) if wanted else None

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, self._given

    def scan(self, batch: Sequence[CorpusChunk]) -> Sightings:
        """What a stretch of the index has of the golds.

        Args:
            batch: Chunks in the order of the index.

        Raises:
            ValueError: They are not in that order.
        """
        found = Sightings()
        looked = self._index.look([chunk.text for chunk in batch]) if self._index else (Seen({}, {}) for _ in batch)
        for chunk, seen in zip(batch, looked, strict=True):
            found.add(self._seen_in(chunk, seen))
        return found

    def reaches(self, sightings: Sightings) -> list[GoldReach]:
        """Where each gold of each question is, in the order of the dataset.

        Args:
            sightings: Those of the whole index.

        Returns:
            One for each distinct gold of a question. ``presence`` is:

            * ``whole``: a chunk holds it, as the cascade decides, which asks for 0.4 of the gold only; ``covered`` is
              the largest share of its words in any one of those chunks.
            * ``split``: none does, but neighbours together hold nine tenths of it, a few words at its ends aside,
              and would be accepted if they were one text (:func:`~muffakir_eval.audit.reach.pieces.joined`).
            * ``part``: eight words in a row or more, and a tenth of it; or a third of a short gold.
            * ``nowhere``: not even that.
            * ``not_compared``: it has identifiers only where none are compared or none of the index has any, or
              texts only where the same is true of these.

            In an index without any identifiers, no identifier is called unknown.
        """
        ended: dict[int, Parts] = {text: parts.ended() for text, parts in sightings.parts.items()}
        made = [self._reach(number, sightings, ended) for number in range(len(self._targets.targets))]
        return [_of_gold(made[target], sample, gold) for sample, gold, target in self._targets.golds]

    def _seen_in(self, chunk: CorpusChunk, seen: Seen) -> Sightings:
        at = Place(ordinal=chunk.ordinal, chunk_id=chunk.chunk_id, source=chunk.source, place=chunk.place)
        chunk_id = clean_id(chunk.chunk_id)
        found = Sightings(
            begin=chunk.ordinal,
            end=chunk.ordinal + 1,
            n_chunks=1,
            n_ids=chunk_id is not None,
            n_texts=bool(chunk.text and not chunk.text.isspace()),
        )
        if self._index is not None:
            for text, run in seen.runs.items():
                piece = Piece(at=at, run=run, gold=self._index.measures[text])
                chain = (piece,)
                found.parts[text] = Parts(longest=[piece] if piece.is_part else [], head=chain, tail=chain)
            found.going_on.update(seen.runs)
        best: dict[int, Held] = {}
        if self._by_text:
            for text, held in seen.held.items():
                for target, _ in self._targets.by_text[text]:
                    best[target] = min(best.get(target, held), held, key=_strength)
        if self._by_id and chunk_id:
            self._by_identifier(chunk, chunk_id, seen, found, best)
        for target, held in best.items():
            sighting = Sighting(at=at, stage=held.stage, score=held.score, span=held.span)
            found.holders.setdefault(target, Holders()).see(sighting, held.covered)
        return found

    def _by_identifier(
        self, chunk: CorpusChunk, chunk_id: str, seen: Seen, found: Sightings, best: dict[int, Held]
    ) -> None:
        """Add the golds whose identifier the chunk has to ``best``, and what else its identifier tells."""
        targets, source = self._targets, source_name(chunk.source)
        for target, place in targets.by_id.get(chunk_id, ()):
            one = targets.targets[target][place]
            if sources_agree(source, one.source):
                by_text = best.get(target, _BY_ID)
                best[target] = _BY_ID._replace(covered=max(by_text.covered, self._share(one, seen)), span=by_text.span)
                holders = found.holders.setdefault(target, Holders())
                holders.known |= 1 << place
                if self._index and found.n_texts and one.text is not None and self._index.comparable(one.text):
                    holders.readable |= 1 << place
                    part = found.parts.get(one.text)
                    holders.right |= (one.text in seen.held or bool(part and part.longest)) << place
        if not targets.by_id:
            return
        for target, place in targets.by_loose_id.get(loose_id(chunk_id), ()):
            one = targets.targets[target][place]
            if one.chunk_id != chunk_id and sources_agree(source, one.source):
                found.holders.setdefault(target, Holders()).see_padded(place, [chunk_id])

    def _share(self, one: Alternative, seen: Seen) -> float:
        """How much of the text of an alternative the chunk has that has its identifier."""
        if one.text is None or self._index is None:
            return 0.0
        if one.text in seen.held:
            return seen.held[one.text].covered
        run = seen.runs.get(one.text)
        return run.held.bit_count() / self._index.measures[one.text].words if run else 0.0

    def _reach(self, number: int, sightings: Sightings, ended: dict[int, Parts]) -> GoldReach:
        target = self._targets.targets[number]
        holders = sightings.holders.get(number, Holders())
        ids = self._by_id and (sightings.n_ids > 0 or not sightings.n_chunks)
        texts = self._by_text and (sightings.n_texts > 0 or not sightings.n_chunks)
        known = [place for place, one in enumerate(target) if one.chunk_id and ids]
        searched = [one.text for one in target if one.text is not None and texts]
        unknown = [place for place in known if not holders.known >> place & 1]
        padded = dict.fromkeys(found for place in unknown for found in holders.padded.get(place, ()))
        presence, shown, covered = self._presence(holders, [ended[text] for text in searched if text in ended])
        if not known and not searched:
            presence = "not_compared"
        return GoldReach(
            sample=0,
            gold=0,
            presence=presence,
            unknown_ids=tuple(dict.fromkeys(target[place].chunk_id or "" for place in unknown)),
            padded_ids=tuple(padded),
            elsewhere=holders.readable != 0 and not holders.right,
            sightings=shown,
            n_chunks=holders.count,
            covered=covered if searched else None,
        )

    @staticmethod
    def _presence(holders: Holders, parts: Sequence[Parts]) -> tuple[Presence, tuple[Sighting, ...], float]:
        if holders.count:
            return "whole", tuple(holders.first), holders.covered
        best = max(parts, key=lambda one: one.covered, default=Parts())
        if best.split:
            return "split", tuple(map(_sighting, best.split)), best.covered
        best = max(parts, key=lambda one: _union(one.longest), default=Parts())
        if best.longest:
            first = sorted(best.longest, key=lambda piece: piece.at.ordinal)[:KEPT]
            return "part", tuple(map(_sighting, first)), _union(first)
        return "nowhere", (), 0.0


def _rebuilt(samples: Sequence[Sample], settings: MatchSettings | None, keys: Keys | None) -> GoldSearch:
    return GoldSearch(samples, settings, keys=keys)


def _all(targets: Iterable[tuple[Alternative, ...]]) -> Iterable[Alternative]:
    return (one for target in targets for one in target)


def _strength(held: Held) -> tuple[int, float]:
    return _ORDER[held.stage], -held.score


def _sighting(piece: Piece) -> Sighting:
    held = piece.run.held
    return Sighting(at=piece.at, score=held.bit_count() / piece.gold.words, span=span_of(held))


def _union(pieces: Sequence[Piece]) -> float:
    """Share of the words of the gold that lie in any of the pieces."""
    held = 0
    for piece in pieces:
        held |= piece.run.held
    return held.bit_count() / pieces[0].gold.words if pieces else 0.0


def _of_gold(reach: GoldReach, sample: int, gold: int) -> GoldReach:
    from dataclasses import replace

    return replace(reach, sample=sample, gold=gold)
