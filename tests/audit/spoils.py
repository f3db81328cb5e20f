"""Faults of text and identifiers, each planted in the chunks of passages that no question asks about."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from muffakir_eval.records import RetrievedChunk
from tests.audit.made import NOUNS, article

__all__ = ["BRINGS", "FEWEST", "PLANTS", "Chunks", "Passage", "Plant", "Spoilt", "plant_all"]

Chunks = list[RetrievedChunk]

FEWEST = 27
"""Of fewer words nobody could tell what is wrong with them."""

_WIDTH, _STEP = 110, 80
_LETTER = re.compile("[\u0621-\u064a](?![\u064b-\u0652])")
_SENTENCE_END = re.compile(r"[.!?؟؛:…][\"'»)\]]*\s")
_MARKUP = "<p>{}</p>&nbsp;"


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage and its chunks.

    Attributes:
        text: All of it.
        chunks: Those of enough words.
        shared: Whether neighbouring chunks have words in common.
    """

    text: str
    chunks: Chunks
    shared: bool

    @property
    def first(self) -> RetrievedChunk:
        """Any of its chunks."""
        return self.chunks[0]

    def pieces(self, texts: Sequence[str]) -> Chunks:
        """Other chunks of the same passage."""
        name = str(self.first.source).removesuffix(".txt")
        return [replace(self.first, chunk_id=f"{name}/{number}", text=text) for number, text in enumerate(texts)]


@dataclass(frozen=True, slots=True)
class Spoilt:
    """What becomes of a passage.

    Attributes:
        chunks: Its chunks.
        places: Which of them have the fault; all, unless told otherwise.
    """

    chunks: Chunks
    places: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class Plant:
    """A fault.

    Attributes:
        code: The finding.
        change: What becomes of a passage, ``None`` where the fault cannot be planted in it.
        passages: In how many it is planted.
    """

    code: str
    change: Callable[[Passage, int], Spoilt | None]
    passages: int = 1


def plant_all(passages: Iterator[tuple[str, Passage]]) -> tuple[dict[str, Chunks], dict[int, str]]:
    """Plant every fault.

    Args:
        passages: Passages by their names, as many as there are.

    Returns:
        The chunks of the passages that were taken, and of those with a fault (by ``id``) which it is.
    """
    planted: dict[str, Chunks] = {}
    codes: dict[int, str] = {}
    left = list(passages)
    for plant in PLANTS:
        for number in range(plant.passages):
            name, spoilt = _taken(plant, number, left)
            planted[name] = spoilt.chunks
            places = range(len(spoilt.chunks)) if spoilt.places is None else spoilt.places
            codes |= {id(spoilt.chunks[place]): plant.code for place in places}
    return planted, codes


def _taken(plant: Plant, number: int, left: list[tuple[str, Passage]]) -> tuple[str, Spoilt]:
    for place, (name, passage) in enumerate(left):
        spoilt = plant.change(passage, number)
        if spoilt is not None:
            del left[place]
            return name, spoilt
    raise AssertionError(f"no passage is left for {plant.code}")


def _text(change: Callable[[str, str], str]) -> Callable[[Passage, int], Spoilt]:
    """Every chunk with its text changed, given its identifier."""
    return lambda passage, _: Spoilt(
        [replace(chunk, text=change(chunk.text, str(chunk.chunk_id))) for chunk in passage.chunks]
    )


def _one(change: Callable[[RetrievedChunk, int], RetrievedChunk]) -> Callable[[Passage, int], Spoilt]:
    """One chunk, changed; given how many passages have had the fault before."""
    return lambda passage, number: Spoilt([change(passage.first, number)])


def _shaped(text: str) -> str:
    """In presentation forms, as some programs extract text from PDF."""
    from arabic_reshaper import reshape  # type: ignore[import-untyped]

    return str(reshape(text))


def _vowelled(text: str) -> str:
    return _LETTER.sub(lambda letter: letter[0] + "\u064e\u064f\u0650\u0652"[ord(letter[0]) % 4], text)


def _in_word(char: str, digits: bool) -> bool:
    return (char.isalnum() if digits else char.isalpha()) or unicodedata.category(char) == "Mn"


def _cut_words(passage: Passage, number: int) -> Spoilt | None:
    """The passage in windows of characters; the last one, which is shorter, is left out."""
    text, step = passage.text, _STEP if passage.shared else _WIDTH
    starts = range(0, len(text) - _WIDTH + 1, step)
    if len(starts) < 4 or text != text.strip():
        return None
    windows = [text[start : start + _WIDTH] for start in starts]

    def is_cut(at: int) -> bool:
        # Only where windows share their text does it say whether a number was cut.
        return 0 < at < len(text) and all(_in_word(char, passage.shared) for char in text[at - 1 : at + 1])

    last = len(windows) - 1
    places = [
        place
        for place, start in enumerate(starts)
        if (place > 0 and is_cut(start)) or (place < last and is_cut(start + _WIDTH))
    ]
    return Spoilt(passage.pieces(windows), places)


def _cut_sentences(passage: Passage, number: int) -> Spoilt | None:
    """The passage in two, cut between two words of a sentence that is not its first."""
    text = passage.text
    ends = [0, *(found.end() for found in _SENTENCE_END.finditer(text)), len(text)]
    for begin, end in pairwise(ends[1:]):
        spaces = [place for place in range(begin + 40, min(end, len(text) - 90)) if text[place] == " "]
        if end - begin > 150 and spaces and begin > 60:
            cut = spaces[len(spaces) // 2]
            return Spoilt(passage.pieces([text[:cut], text[cut + 1 :]]), [0])
    return None


_ENGLISH = (
    "The contract of lease is renewed for one year unless either party gives notice in writing two months "
    "before it ends, and the rent is due at the beginning of each month at the office of the lessor"
)

PLANTS: tuple[Plant, ...] = (
    # Those that need passages of some kind take their pick first.
    Plant("cut_word", _cut_words, 2),
    Plant("cut_sentence", _cut_sentences, 6),
    Plant("empty_chunk", _one(lambda chunk, _: replace(chunk, text=" "))),
    Plant("tiny_chunk", _text(lambda _, name: f"خاتمة {name.partition('#')[2]}")),
    Plant("oversized_chunk", _one(lambda chunk, _: replace(chunk, text=" ".join(map(article, range(900, 1025)))))),
    Plant("exact_duplicate", _one(lambda chunk, _: replace(chunk, text=article(1, 60))), 3),
    Plant(
        "same_after_normalisation",
        _one(lambda chunk, number: replace(chunk, text=(_vowelled if number else str)(article(3, 60)))),
        2,
    ),
    Plant("near_duplicate", _one(lambda chunk, number: replace(chunk, text=f"{article(2, 60)} {NOUNS[number]}")), 3),
    Plant("boilerplate_line", _text(lambda text, _: f"الجريدة الرسمية، العدد 12\n{text}"), 8),
    Plant("mojibake", _text(lambda text, _: text.encode().decode("cp1252", "replace"))),
    Plant("replacement_character", _text(lambda text, _: text.replace("ا", "\ufffd"))),
    Plant("presentation_forms", _text(lambda text, _: _shaped(text))),
    Plant("reversed_text", _text(lambda text, _: text[::-1])),
    Plant("letters_apart", _text(lambda text, _: " ".join(text.replace(" ", "")))),
    Plant("missing_spaces", _text(lambda text, _: text.replace(" ", ""))),
    Plant("swapped_lam_alef", _text(lambda text, _: f"{text} األول واإلسالم")),
    Plant("reversed_digits", _one(lambda chunk, _: replace(chunk, text=f"{article(4)} عام 5991 وعام 7991 وعام 5002"))),
    Plant("unmapped_glyphs", _text(lambda text, _: f"{text} (cid:1127)(cid:12)")),
    Plant("mixed_code_points", _text(lambda text, _: text.replace("ي", "ی", 1))),
    Plant("mixed_code_points", _text(lambda text, _: text.replace("ي", "ی").replace("ك", "ک"))),
    Plant("tatweel", _text(lambda text, _: f"{text} كـــتاب")),
    Plant("bidi_controls", _text(lambda text, _: f"\u202e{text}")),
    Plant("invisible_characters", _text(lambda text, _: f"{text[:20]}\u200b{text[20:]}")),
    Plant("control_characters", _text(lambda text, _: f"{text[:20]}\x00{text[20:]}")),
    Plant("lone_surrogate", _text(lambda text, _: f"{text} \ud83d")),
    Plant("unicode_not_nfc", _text(lambda text, _: f"{text} الا\u0655سلام")),
    Plant("html_remains", _text(lambda text, _: _MARKUP.format(text))),
    Plant("digits_mixed", _text(lambda text, _: f"{text} عام ١٩٩٥")),
    Plant("diacritics_mixed", _text(lambda text, _: _vowelled(text)), 6),
    Plant("language_mix", _one(lambda chunk, _: replace(chunk, text=_ENGLISH))),
    Plant("missing_id", _one(lambda chunk, _: replace(chunk, chunk_id=None)), 2),
    Plant("duplicate_id", _one(lambda chunk, _: replace(chunk, chunk_id="twice", source="twice.txt")), 2),
    Plant("id_in_several_sources", _one(lambda chunk, _: replace(chunk, chunk_id="shared")), 2),
    Plant("padded_id", _one(lambda chunk, number: replace(chunk, chunk_id=("77", "0077")[number])), 2),
    Plant("id_precision", _one(lambda chunk, _: replace(chunk, chunk_id="1.23457E+17"))),
)
"""Every fault that an audit knows, in the order in which they are planted."""

BRINGS: dict[str, set[str]] = {
    "mojibake": {"replacement_character", "invisible_characters", "control_characters", "language_mix"},
    "cut_word": {"cut_sentence"},
    "letters_apart": {"digits_mixed"},
    "missing_spaces": {"cut_word"},
    "reversed_text": {"bidi_controls", "reversed_digits", "cut_word"},
    "same_after_normalisation": {"diacritics_mixed"},
}
"""What a fault brings with it."""
