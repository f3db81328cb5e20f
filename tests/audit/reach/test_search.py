"""Golds planted in known chunks."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.audit.reach import GoldSearch, Sightings
from muffakir_eval.audit.records import CorpusChunk, GoldReach
from muffakir_eval.config import MatchSettings
from muffakir_eval.matching import ChunkMatcher
from muffakir_eval.records import RetrievedChunk, Sample

GOLD = (
    "يستحق العامل إجازة سنوية لا تقل مدتها عن واحد وعشرين يوما بأجر كامل لمن أمضى في الخدمة سنة كاملة تزاد إلى "
    "ثلاثين يوما متى أمضى العامل في الخدمة عشر سنوات لدى صاحب عمل أو أكثر كما تكون الإجازة لمدة ثلاثين يوما في السنة "
    "لمن تجاوز سن الخمسين"
)
WORDS = GOLD.split()
OTHER = "نشأت المدينة على ضفة النهر قبل ألفي عام وكانت سوقا كبيرة للقوافل القادمة من الصحراء إلى موانئ البحر"


def chunks(*texts: str, ids: Sequence[str | None] = (), sources: Sequence[str | None] = ()) -> list[CorpusChunk]:
    return [
        CorpusChunk(
            ordinal=place,
            text=text,
            chunk_id=ids[place] if ids else None,
            source=sources[place] if sources else None,
        )
        for place, text in enumerate(texts)
    ]


def sample(*contexts: str, **fields: object) -> Sample:
    return Sample(sample_id="1", question="؟", contexts=contexts, **fields)  # type: ignore[arg-type]


def reaches(samples: Sequence[Sample], corpus: Sequence[CorpusChunk], **settings: object) -> list[GoldReach]:
    search = GoldSearch(samples, MatchSettings.model_validate(settings))
    return search.reaches(search.scan(corpus))


def reach(one: Sample, corpus: Sequence[CorpusChunk], **settings: object) -> GoldReach:
    [found] = reaches([one], corpus, **settings)
    return found


def words(first: int, end: int) -> str:
    return " ".join(WORDS[first:end])


def ordinals(found: GoldReach) -> list[int]:
    return [sighting.at.ordinal for sighting in found.sightings]


class TestText:
    def test_whole(self) -> None:
        found = reach(sample(GOLD), chunks(OTHER, f"مادة ٤٧: {GOLD}. {OTHER}", GOLD))
        assert (found.presence, ordinals(found), found.n_chunks, found.covered) == ("whole", [1, 2], 2, 1.0)
        assert [(sighting.stage, sighting.span) for sighting in found.sightings] == [("containment", None)] * 2

    def test_rough_but_whole(self) -> None:
        rough = GOLD.replace("سنوية", "سنوبة").replace("ثلاثين", "ثلاتين").replace("كامل لمن", "كاملـلمن")
        found = reach(sample(GOLD), chunks(OTHER, f"{OTHER} {rough} {OTHER} {OTHER[::-1]} {OTHER.replace('ا', 'ي')}"))
        assert (found.presence, ordinals(found), found.covered) == ("whole", [1], 1.0)
        assert found.sightings[0].stage == "coverage"
        assert 0.6 <= found.sightings[0].score < 1

    def test_accepted_though_cut_says_how_much_is_there(self) -> None:
        found = reach(sample(GOLD), chunks(f"{OTHER} {words(0, 27)}", f"{words(27, 47)} {OTHER}"))
        assert (found.presence, found.n_chunks) == ("whole", 2)
        assert [sighting.span for sighting in found.sightings] == [(0, 27), (27, len(WORDS))]
        assert found.covered == 27 / len(WORDS)

    def test_scrambled_text_is_covered_as_far_as_its_words_are_there(self) -> None:
        found = reach(sample(GOLD), chunks(" ".join(sorted(WORDS))))
        assert found.presence == "whole"
        assert found.sightings[0].stage == "jaccard"
        assert found.covered == 1.0

    def test_split_over_small_chunks(self) -> None:
        pieces = [words(first, first + 9) for first in range(0, len(WORDS), 9)]
        found = reach(sample(GOLD), chunks(OTHER, *pieces, OTHER))
        assert (found.presence, ordinals(found), found.covered) == ("split", [1, 2, 3, 4, 5], 45 / len(WORDS))
        assert found.n_chunks == 0
        assert [sighting.span for sighting in found.sightings][:2] == [(0, 9), (9, 18)]
        assert {sighting.stage for sighting in found.sightings} == {None}

    def test_split_over_overlapping_chunks_where_more_is_asked_of_one(self) -> None:
        corpus = chunks(f"{OTHER} {words(0, 25)}", f"{words(20, 47)} {OTHER}")
        found = reach(sample(GOLD), corpus, min_gold_share=0.8, min_inside_tokens=100)
        assert (found.presence, found.covered) == ("split", 1.0)
        assert [sighting.span for sighting in found.sightings] == [(0, 25), (20, len(WORDS))]

    @pytest.mark.parametrize("size", [5, 6, 7, 8])
    @pytest.mark.parametrize("first", [0, 1, 2, 3])
    def test_split_over_the_smallest_chunks_wherever_they_are_cut(self, size: int, first: int) -> None:
        around = [*OTHER.split()[: 17 + first], *WORDS, *OTHER.split()]
        corpus = chunks(*(" ".join(around[place : place + size]) for place in range(0, len(around), size)))
        assert reach(sample(GOLD), corpus).presence == "split"

    def test_split_over_small_windows_that_overlap(self) -> None:
        corpus = chunks(*(words(place, place + 9) for place in range(0, len(WORDS), 3)))
        found = reach(sample(GOLD), corpus)
        assert (found.presence, found.covered) == ("split", 1.0)

    def test_split_though_the_gold_says_a_phrase_twice(self) -> None:
        phrase = "في شبه الجزيرة العربية وتقع"
        gold = f"{words(0, 3)} {phrase} {words(3, 8)} {phrase} {words(8, 22)}".split()
        corpus = chunks(*(" ".join(gold[place : place + 8]) for place in range(0, len(gold), 8)))
        found = reach(sample(" ".join(gold)), corpus)
        assert (found.presence, found.covered, len(found.sightings)) == ("split", 1.0, 4)

    def test_what_many_golds_have_is_no_part_of_each(self) -> None:
        header = words(0, 10)
        golds = [" ".join([header, *(f"كلمة{number}من{gold}" for number in range(30))]) for gold in range(60)]
        found = reaches([sample(gold) for gold in golds], chunks(f"{header} {OTHER}", OTHER))
        assert {one.presence for one in found} == {"nowhere"}
        assert reach(sample(golds[0]), chunks(f"{header} {OTHER}", OTHER)).presence == "part"

    def test_split_inside_words(self) -> None:
        cuts = [GOLD[first : first + 45] for first in range(0, len(GOLD), 45)]
        found = reach(sample(GOLD), chunks(*cuts))
        assert found.presence == "split"
        assert found.covered is not None
        assert found.covered >= 0.9

    @pytest.mark.parametrize(
        ("texts", "sources"),
        [
            ([words(0, 9), words(9, 18), OTHER, words(18, 27), words(27, 36), words(36, 45)], ()),
            ([words(0, 9), words(9, 18), words(27, 36), words(18, 27), words(36, 45)], ()),
            ([words(first, first + 9) for first in range(0, 45, 9)], ["a.pdf", "a.pdf", "b.pdf", "b.pdf", "b.pdf"]),
        ],
        ids=["another chunk between", "another order", "two documents"],
    )
    def test_no_split(self, texts: list[str], sources: list[str]) -> None:
        found = reach(sample(GOLD), chunks(*texts, sources=sources))
        assert found.presence == "part"

    def test_the_text_put_together_of_a_split_would_match(self) -> None:
        pieces = [words(first, first + 9) for first in range(0, len(WORDS), 9)]
        together = RetrievedChunk(text=" ".join(pieces))
        assert ChunkMatcher().match([together], sample(GOLD))[0].relevant

    def test_another_number_is_no_split(self) -> None:
        gold = "تستحق الغرامة وقدرها 500 جنيه عن كل مخالفة تثبت بعد 30 يوما"
        pieces = ["تستحق الغرامة وقدرها 900 جنيه عن كل", "مخالفة تثبت بعد 90 يوما من تاريخ الإنذار"]
        assert reach(sample(gold), chunks(*pieces), min_gold_share=0.9).presence == "part"

    def test_part(self) -> None:
        found = reach(sample(GOLD), chunks(OTHER, f"{OTHER} {words(10, 20)} {OTHER}", OTHER))
        assert (found.presence, ordinals(found)) == ("part", [1])
        assert found.sightings[0].span == (10, 20)
        assert found.covered == found.sightings[0].score == 10 / len(WORDS)

    def test_a_turn_of_phrase_is_no_part(self) -> None:
        found = reach(sample(GOLD), chunks(f"{OTHER} {words(10, 14)} {OTHER}"))
        assert (found.presence, found.sightings, found.covered) == ("nowhere", (), 0.0)

    def test_the_first_chunks_are_kept_and_all_are_counted(self) -> None:
        found = reach(sample(GOLD), chunks(*[f"{place}: {GOLD}" for place in range(50)]))
        assert ordinals(found) == list(range(20))
        assert found.n_chunks == 50

    def test_many_parts_do_not_lose_the_split(self) -> None:
        pieces = [words(first, first + 9) for first in range(0, len(WORDS), 9)]
        parts = [text for _ in range(30) for text in (f"{OTHER} {words(5, 20)} {OTHER}", OTHER)]
        found = reach(sample(GOLD), chunks(*parts, *pieces, *parts))
        assert (found.presence, ordinals(found)) == ("split", [60, 61, 62, 63, 64])

    def test_parts_are_the_longest_in_the_order_of_the_index(self) -> None:
        parts = [f"{OTHER} {words(0, 9 + place % 8)} {OTHER}" for place in range(40)]
        texts = [text for part in parts for text in (part, OTHER)]
        found = reach(sample(GOLD), chunks(*texts))
        assert len(found.sightings) == 20
        assert ordinals(found) == sorted(ordinals(found))
        assert {sighting.span for sighting in found.sightings} == {(0, 16), (0, 15), (0, 14), (0, 13)}

    def test_chinese(self) -> None:
        gold = "劳动者连续工作一年以上的享受带薪年休假具体办法由国务院规定用人单位应当保证"
        other = "城市建在河边已经有两千年的历史曾经是商队的大市场"
        pieces = [gold[first : first + 12] for first in range(0, len(gold), 12)]
        assert reach(sample(gold), chunks(other, other + gold + other)).presence == "whole"
        assert reach(sample(gold), chunks(other, *pieces, other)).presence == "split"
        assert reach(sample(gold), chunks(other + gold[3:20] + other)).presence == "part"
        assert reach(sample(gold), chunks(other)).presence == "nowhere"

    @pytest.mark.parametrize("gold", ["؟!", "المادة ٤٧", "نعم"])
    def test_a_gold_of_next_to_nothing_is_found_where_it_is_all(self, gold: str) -> None:
        found = reach(sample(gold), chunks("", "…", f"{gold} {OTHER}", gold))
        assert (found.presence, ordinals(found)) == ("whole", [3])

    def test_several_questions_with_one_gold(self) -> None:
        found = reaches([sample(GOLD), sample(OTHER, f" {GOLD} "), sample(question_only := "")], chunks(GOLD))
        assert question_only == ""
        assert [(one.sample, one.gold, one.presence) for one in found] == [
            (0, 0, "whole"),
            (1, 0, "nowhere"),
            (1, 1, "whole"),
        ]

    def test_alternatives_and_grades(self) -> None:
        one = sample("غير موجود في أي مكان من الفهرس", GOLD, OTHER, groups=((0, 1), (2,)), grades=(1, 0))
        found = reach(one, chunks(f"مقدمة: {GOLD}", f"{GOLD} {GOLD}"))
        assert (found.gold, found.presence, found.n_chunks) == (0, "whole", 2)

    def test_only_the_stages_that_are_asked(self) -> None:
        rough = GOLD.replace("سنوية", "سنوبة")
        assert reach(sample(GOLD), chunks(rough), stages=["containment"]).presence == "part"
        assert reach(sample(GOLD), chunks(rough), stages=["jaccard"]).sightings[0].stage == "jaccard"

    def test_letters_of_the_profile(self) -> None:
        urdu = "رحمة للعالمين كتاب في السيرة النبوية"
        assert reach(sample(urdu), chunks(f"{urdu} {OTHER}"), profile="urdu").presence == "whole"


class TestIdentifiers:
    def test_known_and_unknown(self) -> None:
        one = Sample(sample_id="1", question="؟", chunk_ids=("7", "8"))
        there, gone = reaches([one], chunks(OTHER, OTHER, ids=["6", "7"]))
        assert (there.presence, ordinals(there), there.unknown_ids) == ("whole", [1], ())
        assert there.sightings[0].stage == "id"
        assert (gone.presence, gone.unknown_ids, gone.covered) == ("nowhere", ("8",), None)

    @pytest.mark.parametrize("known", ["12", " 12", "12.0"])
    def test_the_same_identifier(self, known: str) -> None:
        found = reach(Sample(sample_id="1", question="؟", chunk_ids=("12",)), chunks(OTHER, ids=[known]))
        assert found.presence == "whole"

    @pytest.mark.parametrize(("gold", "known"), [("007", "7"), ("Doc-7", "doc-07"), ("a 1", "a1"), ("7", "7.00")])
    def test_padded(self, gold: str, known: str) -> None:
        one = Sample(sample_id="1", question="؟", chunk_ids=(gold,))
        found = reach(one, chunks(OTHER, OTHER, OTHER, ids=["x", known, known]))
        assert (found.presence, found.unknown_ids, found.padded_ids) == ("nowhere", (gold,), (known,))

    def test_a_few_padded_ones_are_kept(self) -> None:
        one = Sample(sample_id="1", question="؟", chunk_ids=("7",))
        found = reach(one, chunks(*[OTHER] * 9, ids=["0" * n + "7" for n in range(1, 10)]))
        assert len(found.padded_ids) == 5

    def test_a_known_identifier_has_no_padded_ones(self) -> None:
        one = Sample(sample_id="1", question="؟", chunk_ids=("7",))
        assert reach(one, chunks(OTHER, OTHER, ids=["07", "7"])).padded_ids == ()

    def test_documents_take_part(self) -> None:
        one = Sample(sample_id="1", question="؟", chunk_ids=("3",), source_file="b.pdf")
        found = reach(one, chunks(OTHER, ids=["3"], sources=["a.pdf"]))
        assert (found.presence, found.unknown_ids, found.padded_ids) == ("nowhere", ("3",), ())
        assert reach(one, chunks(OTHER, ids=["3"], sources=["x/B.PDF"])).presence == "whole"
        assert reach(one, chunks(OTHER, ids=["3"])).presence == "whole"

    def test_no_identifier_matches_nothing(self) -> None:
        found = reach(sample("نص آخر لا وجود له هنا"), chunks(OTHER, ids=["0"]))
        assert (found.presence, found.unknown_ids) == ("nowhere", ())

    def test_unknown_identifier_and_known_text(self) -> None:
        found = reach(sample(GOLD, chunk_ids=("9",)), chunks(OTHER, f"{GOLD} {OTHER}", ids=["1", "2"]))
        assert (found.presence, found.unknown_ids, found.elsewhere) == ("whole", ("9",), False)
        assert (ordinals(found), found.sightings[0].stage) == ([1], "containment")

    def test_elsewhere(self) -> None:
        corpus = chunks(OTHER, f"{GOLD} {OTHER}", ids=["1", "2"])
        found = reach(sample(GOLD, chunk_ids=("1",)), corpus)
        assert (found.presence, found.elsewhere, found.n_chunks, found.covered) == ("whole", True, 2, 1.0)
        assert [sighting.stage for sighting in found.sightings] == ["id", "containment"]
        assert not reach(sample(GOLD, chunk_ids=("2",)), corpus).elsewhere

    @pytest.mark.parametrize(("gold", "text"), [(GOLD, words(3, 13)), (GOLD, ""), ("نعم", OTHER)])
    def test_not_elsewhere_where_that_cannot_be_said(self, gold: str, text: str) -> None:
        found = reach(sample(gold, chunk_ids=("1",)), chunks(text, ids=["1"]))
        assert (found.presence, found.elsewhere) == ("whole", False)

    def test_the_chunk_of_the_identifier_is_covered_as_far_as_it_goes(self) -> None:
        found = reach(sample(GOLD, chunk_ids=("1",)), chunks(f"{OTHER} {words(3, 13)}", ids=["1"]))
        assert found.covered == 10 / len(WORDS)

    def test_both_ways_in_one_chunk_count_once(self) -> None:
        found = reach(sample(GOLD, chunk_ids=("1",)), chunks(GOLD, ids=["1"]))
        assert (found.n_chunks, found.sightings[0].stage, found.covered) == (1, "id", 1.0)


class TestMatchBy:
    CORPUS = chunks(OTHER, GOLD, ids=["1", "2"])

    def test_identifiers_only(self) -> None:
        found = reach(sample(GOLD, chunk_ids=("9",)), self.CORPUS, match_by="id")
        assert (found.presence, found.unknown_ids, found.covered) == ("nowhere", ("9",), None)
        assert reach(sample(GOLD, chunk_ids=("1",)), self.CORPUS, match_by="id").elsewhere
        assert reach(sample(GOLD), self.CORPUS, match_by="id").presence == "not_compared"

    def test_texts_only(self) -> None:
        found = reach(sample(GOLD, chunk_ids=("9",)), self.CORPUS, match_by="text")
        assert (found.presence, ordinals(found), found.unknown_ids) == ("whole", [1], ())
        by_id = Sample(sample_id="1", question="؟", chunk_ids=("1",))
        assert reach(by_id, self.CORPUS, match_by="text").presence == "not_compared"

    def test_an_index_without_identifiers_or_without_texts(self) -> None:
        by_id = Sample(sample_id="1", question="؟", chunk_ids=("1",))
        found = reach(by_id, chunks(OTHER))
        assert (found.presence, found.unknown_ids) == ("not_compared", ())
        assert reach(sample(GOLD), chunks("", ids=["1"])).presence == "not_compared"
        found = reach(sample(GOLD, chunk_ids=("9",)), chunks(GOLD))
        assert (found.presence, found.unknown_ids) == ("whole", ())

    def test_an_empty_index(self) -> None:
        found = reaches([sample(GOLD), Sample(sample_id="2", question="؟", chunk_ids=("1",))], [])
        assert [(one.presence, one.unknown_ids) for one in found] == [("nowhere", ()), ("nowhere", ("1",))]


def test_pickled() -> None:
    search = GoldSearch([sample(GOLD, chunk_ids=("1",))])
    corpus = chunks(OTHER, GOLD, ids=["1", "2"])
    sent = pickle.loads(pickle.dumps(search))
    back = pickle.loads(pickle.dumps(sent.scan(corpus)))
    assert search.reaches(back) == search.reaches(search.scan(corpus))


def test_chunks_out_of_order_are_refused() -> None:
    one, other = chunks(OTHER, GOLD)
    with pytest.raises(ValueError, match="in the order of the index: chunk 0 comes before 2"):
        GoldSearch([sample(GOLD)]).scan([other, one])


_SMALL = ["من", "في", "كتاب", "كتب", "كتابه", "المدينة", "المدينه", "12", "13", "لا", "東", "京", "都", "ا", "ب", "اب"]
_texts = st.lists(st.sampled_from(_SMALL), max_size=24).flatmap(
    lambda found: st.sampled_from([" ", " ", ""]).map(lambda between: between.join(found))
)


def keys_of(word: str) -> frozenset[str]:
    """A word without the letter that it may begin or end with, as an analyser would have it."""
    return frozenset({word, word.removeprefix("و"), word.removesuffix("ه")})


@settings(deadline=None, max_examples=60)
@given(
    st.lists(_texts, min_size=1, max_size=5),
    st.lists(_texts, min_size=1, max_size=6),
    st.sampled_from(
        [
            {},
            {"min_gold_tokens": 1, "min_gold_share": 0.1, "min_inside_tokens": 1},
            {"overlap_threshold": 0.2, "coverage_threshold": 0.3},
            {"fuzzy": False},
            {"stages": ("containment", "jaccard")},
        ]
    ),
    st.booleans(),
)
def test_the_same_verdicts_as_all_pairs(
    golds: list[str], texts: list[str], given_settings: dict[str, object], keyed: bool
) -> None:
    chosen = MatchSettings.model_validate(given_settings)
    keys = keys_of if keyed else None
    samples = [sample(gold) for gold in golds]
    search, matcher = GoldSearch(samples, chosen, keys=keys), ChunkMatcher(chosen, keys=keys)
    found = {
        (one.sample, sighting.at.ordinal, sighting.stage, sighting.score)
        for one in search.reaches(search.scan(chunks(*texts)))
        for sighting in one.sightings
        if sighting.stage
    }
    retrieved = [RetrievedChunk(text=text) for text in texts]
    assert found == {
        (place, match.rank - 1, match.stage, match.score)
        for place, one in enumerate(samples)
        for match in matcher.match(retrieved, one)
        if match.relevant
    }


@settings(deadline=None, max_examples=50)
@given(st.data())
def test_in_which_steps_the_index_is_read_makes_no_difference(data: st.DataObject) -> None:
    pieces = [words(first, first + 6) for first in range(0, len(WORDS), 6)]
    texts = data.draw(st.lists(st.sampled_from([*pieces, *pieces, OTHER, GOLD[:100]]), max_size=14))
    corpus = chunks(*texts, *pieces, ids=["0" * (n % 3) + str(n % 4) for n in range(len(texts) + len(pieces))])
    search = GoldSearch([sample(GOLD, chunk_ids=("2",)), sample(OTHER)])
    whole = search.scan(corpus)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(corpus)), max_size=6)) | {0, len(corpus)})
    parts = [search.scan(corpus[first:end]) for first, end in pairwise(cuts)]
    while len(parts) > 1:
        at = data.draw(st.integers(0, len(parts) - 2))
        parts[at].add(parts.pop(at + 1))
    assert search.reaches(parts[0]) == search.reaches(whole)


def test_nothing_is_added_to_nothing() -> None:
    empty = Sightings()
    empty.add(Sightings())
    assert empty == Sightings()
