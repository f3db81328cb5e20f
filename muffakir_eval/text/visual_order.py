r"""Arabic that is stored as it looks, from left to right, so that each word is spelled backwards.

PDF extractors write it: ``روتسدلا`` for ``الدستور``. No dictionary is needed to tell, only what Arabic does
at the edges of its words:

* the article ``ال`` begins words; backwards, words end in ``لا``, which otherwise few do;
* ``ة``, and in Urdu ``ے`` and ``ں``, never begin a word;
* the commonest words (``من``, ``في``, ``على``, …) are no words backwards (``نم``, ``يف``, ``ىلع``).

For Persian and Urdu the commonest words are theirs.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

__all__ = ["OrderEvidence", "order_evidence", "visual_to_logical"]

_ARABIC_WORDS = "من في على إلى التي الذي ذلك بين هذا كان عن هو أو كما حيث خلال"
_PERSIAN_WORDS = "از در که است این را برای شد شده های کرد"
_URDU_WORDS = "میں ہے کی سے اور کو نے پر ہیں تھا گیا"

_MARKS = "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0640"
_LETTER = "\u0620-\u063f\u0641-\u064a\u066e-\u066f\u0671-\u06d3\u06d5\u06fa-\u06fc"
_WORD = re.compile(f"[{_LETTER}]+")
_LEFT_TO_RIGHT = re.compile("[0-9٠-٩A-Za-z][0-9٠-٩A-Za-z.,:/_-]*")
_DROPPED = re.compile(f"[{_MARKS}]+")
_FOLD = str.maketrans("أإآٱىیېکہ", "ااااييي" + "كه")

_NEVER_FIRST = frozenset("ةےں")
_ARTICLES = ("ال", "وال", "بال", "فال", "كال")
_ENOUGH = 3
_RATIO = 3
_FEW_WORDS = 12
_MIRRORED = str.maketrans("()[]{}«»<>", ")(][}{»«><")


def _folded(words: str) -> frozenset[str]:
    return frozenset(words.translate(_FOLD).split())


_COMMON = _folded(f"{_ARABIC_WORDS} {_PERSIAN_WORDS} {_URDU_WORDS}")
_BACKWARDS = (
    frozenset(word[::-1] for word in _COMMON)
    - _COMMON
    - _folded("یلا ان اه یه لا رپ وه وک دش نع وا رد زا نیم یک روا ار نیه")
)


@dataclass(frozen=True, slots=True)
class OrderEvidence:
    """What speaks for either order of the letters.

    Attributes:
        forwards: Articles and ``ة`` where they belong, and common words.
        backwards: The same, spelled backwards.
        firm: How many of ``backwards`` are letters that never begin a word, or common words reversed.
        words: Arabic words looked at.
        first: The first word that looks reversed, as written; empty where none does.
    """

    forwards: int
    backwards: int
    firm: int
    words: int
    first: str = ""

    @property
    def reversed(self) -> bool:
        """The text is stored in visual order."""
        enough = _ENOUGH if self.forwards or self.words > _FEW_WORDS else 2
        return self.firm > 0 and self.backwards >= enough and self.backwards > _RATIO * self.forwards


def order_evidence(text: str) -> OrderEvidence:
    """Evidence for the order in which the words of ``text`` are spelled.

    Presentation forms are read as their letters.

    >>> order_evidence("جاء الدستور العراقي في سنة من السنوات").reversed
    False
    >>> order_evidence("تاونسلا نم ةنس يف يقارعلا روتسدلا ءاج").reversed
    True
    """
    plain = _DROPPED.sub("", unicodedata.normalize("NFKC", text))
    forwards = backwards = firm = 0
    first = ""
    words = _WORD.findall(plain)
    for word in words:
        folded = word.translate(_FOLD)
        is_firm = len(word) > 1 and (word[0] in _NEVER_FIRST or folded in _BACKWARDS)
        is_article = len(word) > 4 and folded.endswith("لا") and not folded.startswith("ال")
        if is_firm or is_article:
            backwards += 1 + is_firm
            firm += is_firm
            first = first or word
        elif (
            folded in _COMMON or (len(word) > 4 and folded.startswith(_ARTICLES)) or (len(word) > 2 and word[-1] == "ة")
        ):
            forwards += 1
    return OrderEvidence(forwards, backwards, firm, len(words), first)


def visual_to_logical(text: str) -> str:
    """Each line of ``text`` in the order in which it is read.

    Numbers and Latin words stay as they are, brackets are turned. For showing how a reversed text should
    read, not for repairing an index: what an extractor did to numbers and brackets cannot all be undone
    from the text.

    >>> visual_to_logical("(2024) ةنس يف")
    'في سنة (2024)'
    """
    lines = (_LEFT_TO_RIGHT.sub(lambda run: run[0][::-1], line[::-1].translate(_MIRRORED)) for line in text.split("\n"))
    return unicodedata.normalize("NFKC", "\n".join(lines))
