r"""Text as the units that are compared: words, numbers, and pairs of characters.

========================  ============================================================================
unit                      what it is
========================  ============================================================================
word                      letters and digits of any script with their combining marks; ``_`` inside a
                          word belongs to it (``max_value``), every other sign separates
number                    digits with their decimal point: ``3.5`` and the version ``1.2.3`` are one
                          token; separators of thousands and lakhs go: ``1,234.5`` is ``1234.5`` and
                          ``12,34,567`` is ``1234567``. So does the comma of an unspaced list that looks
                          the same (``100,200``), but not that of ``0,500``, ``1,23`` or ``2024,100``.
                          A sign, ``%`` or currency is no part of it: a dash may as well be a range
pairs of characters       Chinese, Japanese kana, Bopomofo, Yi, Tangut, Nushu, Thai, Lao, Khmer, Burmese,
                          the Tai scripts, Javanese and Balinese put no spaces between words. Their
                          characters that follow one another, whatever spaces and signs stand between,
                          form a run, and a run gives its pairs of neighbours; a run of one gives that
                          character
========================  ============================================================================
"""

from __future__ import annotations

import re
import unicodedata

from muffakir_eval.text import codepage
from muffakir_eval.text.normalize import Normalizer, default_normalizer

__all__ = ["lettered", "paired", "split_runs", "tokenize"]

_SPACELESS = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\uaa60-\uaa7f"  # Burmese
    "\u1b00-\u1b7f\ua980-\ua9ff"  # Balinese, Javanese, more Burmese
    "\u1780-\u17ff\u19e0-\u19ff"  # Khmer
    "\u1950-\u19df\u1a20-\u1aaf\uaa80-\uaadf\U00011700-\U0001174f"  # Tai Le, New Tai Lue, Tai Tham, Tai Viet, Ahom
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # kana
    "\u3105-\u312f\u31a0-\u31bf"  # Bopomofo
    "\ua000-\ua4cf"  # Yi
    "\U00017000-\U00018d7f\U0001aff0-\U0001b2ff\U00020000-\U0003ffff"  # Tangut, Khitan, more kana, Nushu
)
_SPACELESS_CHAR = re.compile(f"[{_SPACELESS}]")
_RUN = re.compile(rf"[{_SPACELESS}]+(?:\s+[{_SPACELESS}]+)*|[^{_SPACELESS}\s]+")

_NUMBER_WITH_SIGNS = re.compile("[0-9][.,][0-9]")
_NUMBER_SPAN = re.compile("[0-9][0-9.,]*[0-9]")
_GROUPED = re.compile(r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3})(?:\.[0-9]+)?")
_INNER_POINT = re.compile(r"(?<=[0-9])\.(?=[0-9])")
_POINT = "\x01"  # stands for the point of a number: folded text holds no control characters


def _separated(char: str) -> str:
    """What stands for ``char`` before words are split at spaces."""
    if char == _POINT:
        return "."
    return char if char.isalnum() or char == "_" or unicodedata.category(char)[0] == "M" else " "


class _Separating(dict[int, str]):
    def __missing__(self, code: int) -> str:
        kept = self[code] = _separated(chr(code))
        return kept


_SEPARATING = _Separating()
_PAGE, _ = codepage.translation(_separated)
_KINDS, _ = codepage.translation(lambda char: "0" if char in "0123456789" else "." if char in ".," else " ")


def _settled_number(match: re.Match[str]) -> str:
    number = match[0]
    if _GROUPED.fullmatch(number):
        number = number.replace(",", "")
    return _INNER_POINT.sub(_POINT, number) if "." in number else number


def split_runs(text: str, normalizer: Normalizer | None = None) -> tuple[list[str], bool]:
    """Words, numbers, and runs of characters of scripts without spaces, in order.

    Returns:
        The runs, and whether any is of a script without spaces. If none is, the runs are the tokens;
        otherwise :func:`paired` makes the tokens, and :func:`lettered` the units whose order is compared.
    """
    normalizer = normalizer or default_normalizer()
    data = normalizer.fold_bytes(text)
    if data is not None:
        return _split_bytes(data), False
    runs: list[str] = []
    spaceless = False
    for piece in normalizer.folded(text):
        if isinstance(piece, bytes):
            runs += _split_bytes(piece)
            continue
        words = _NUMBER_SPAN.sub(_settled_number, piece) if _NUMBER_WITH_SIGNS.search(piece) else piece
        words = words.translate(_SEPARATING)
        if _SPACELESS_CHAR.search(words):
            spaceless = True
            _append(runs, _RUN.findall(words))
        else:
            runs += _trimmed(words.split())
    return runs, spaceless


def _append(runs: list[str], further: list[str]) -> None:
    """Add runs; one without spaces goes on where the last one before it ended."""
    for run in _trimmed(further):
        if not _is_spaceless(run):
            runs.append(run)
        elif runs and _is_spaceless(runs[-1]):
            runs[-1] += "".join(run.split())
        else:
            runs.append("".join(run.split()))


def _is_spaceless(run: str) -> bool:
    return run[0] >= "\u0e00" and _SPACELESS_CHAR.match(run) is not None


def _split_bytes(piece: bytes) -> list[str]:
    if b"0.0" in piece.translate(_KINDS):  # a number with signs inside
        text = _NUMBER_SPAN.sub(_settled_number, codepage.decode(piece))
        piece = codepage.encode(text) or b""
    words = codepage.decode(piece.translate(_PAGE)).split()
    return _trimmed(words) if b"_" in piece else words


def _trimmed(words: list[str]) -> list[str]:
    """The words from their first letter or digit on, without underscores at their end."""
    trimmed = (word if word[0].isalnum() and word[-1] != "_" else _trim(word) for word in words)
    return [word for word in trimmed if word]


def _trim(word: str) -> str:
    first = 0
    while first < len(word) and not (word[first].isalnum() or _SPACELESS_CHAR.match(word, first)):
        first += 1
    return word[first:].rstrip("_")


def lettered(runs: list[str]) -> list[str]:
    """The runs with each character of a script without spaces by itself.

    >>> lettered(["ai", "模型", "2024", "年"])
    ['ai', '模', '型', '2024', '年']
    """
    units: list[str] = []
    for run in runs:
        if _is_spaceless(run):
            units += run
        else:
            units.append(run)
    return units


def paired(runs: list[str]) -> list[str]:
    """The runs with each one of a script without spaces as pairs of neighbours.

    >>> paired(["ai", "模型", "2024", "年"])
    ['ai', '模型', '2024', '年']
    """
    tokens: list[str] = []
    for run in runs:
        if len(run) > 1 and _is_spaceless(run):
            tokens += [run[place : place + 2] for place in range(len(run) - 1)]
        else:
            tokens.append(run)
    return tokens


def tokenize(text: str, normalizer: Normalizer | None = None) -> list[str]:
    """The tokens of ``text`` in order, normalised by :func:`~muffakir_eval.text.normalize.normalize_text`.

    ``text`` may be raw or normalised: the result is the same. Text with nothing to compare, such as
    punctuation or emoji alone, has no tokens.

    >>> tokenize("القانونُ المدنيّ (المادة ١٤٧/١)، 3.5%")
    ['القانون', 'المدني', 'الماده', '147', '1', '3.5']
    >>> tokenize("东京 2024年")
    ['东京', '2024', '年']
    >>> tokenize("👍 …")
    []
    """
    runs, spaceless = split_runs(text, normalizer)
    return paired(runs) if spaceless else runs
