"""An answer cut into sentences of normalised words that remember where they stood."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from muffakir_eval.text.normalize import normalize_text

__all__ = ["Sentence", "fold_words", "sentences"]

_SEPARATORS = r"!-&(-/:-@\[-_{-~\u00a1-\u00a9\u00ab-\u00ac\u00ae\u00b0\u00b6\u00b7\u00bb\u00bf"
_SEPARATORS += r"\u060c\u060d\u061b\u061e\u061f\u066a\u066d\u06d4\u0964\u0965\u2010-\u2017\u201c-\u2027\u2030-\u2031"
_SEPARATORS += r"\u2190-\u2bff\U0001f000-\U0001faff"  # arrows, signs, emoji
_SEPARATORS += (
    r"\u2033-\u205e\u3000-\u3003\u3008-\u3020\u30fb\ufd3e\ufd3f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff3f\uff5b-\uff65"
)
# An apostrophe or a dot between digits belongs to the word; so do marks and invisible characters.
# Spaces alone between words say nothing and are passed over.
_SCAN = re.compile(rf"((?:[^\s{_SEPARATORS}]+|(?<=\d)[.,:](?=\d))+)|( *(?:[{_SEPARATORS}]|[^\S ])[\s{_SEPARATORS}]*)")
_END = re.compile(r"[!?؟…。！？۔।\n\u2028\u2029]|\.(?=[\s\"”»)\]*]|$)")
_CLAUSE = re.compile(r"[,،;؛；:：，、—–()\[\]]|\s-\s")
_SEMICOLONS = frozenset(";؛；")
_MARKS = re.compile("[\u0300-\u036f\u093c]")
_UNSPACED = (
    r"\u3005-\u3007\u3041-\u309e\u30a1-\u30fa\u30fc-\u30fe\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d"
    r"\U00020000-\U0003ffff"
)
"""Han and kana: written without spaces, so that every character counts as a word."""

_UNSPACED_CHARACTER = re.compile(f"[{_UNSPACED}]")
_PIECE = re.compile(f"[{_UNSPACED}]|[^{_UNSPACED}]+")
_UNSPACED_START = "\u3005"
# Traditional characters of the phrases and the simplified ones; the two nasal signs of Hindi.
_SPELLINGS = (
    "\u0901\u0902 "
    "並并 來来 係系 個个 們们 傳传 僅仅 內内 則则 協协 參参 問问 單单 嗎吗 圍围 圖图 執执 報报 "
    "場场 學学 實实 寫写 將将 尋寻 對对 導导 後后 從从 應应 擇择 據据 數数 斷断 於于 時时 書书 "
    "會会 條条 業业 構构 樣样 檔档 權权 歡欢 歷历 沒没 準准 為为 無无 獲获 現现 產产 發发 確确 "
    "種种 範范 紀纪 細细 結结 絕绝 給给 經经 線线 總总 繫系 續续 聯联 與与 處处 裏里 裡里 見见 "
    "覺觉 觀观 訊讯 訴诉 該该 詳详 認认 誤误 說说 請请 諒谅 論论 謝谢 證证 識识 譯译 議议 讓让 "
    "資资 輔辅 辦办 這这 進进 過过 達达 違违 遠远 還还 邊边 釋释 錄录 開开 間间 閱阅 關关 險险 "
    "項项 題题 額额 體体 麼么 點点 "
)
_VARIANTS = str.maketrans({pair[0]: pair[1] for pair in _SPELLINGS.split()})


@lru_cache(maxsize=1 << 15)
def _fold(word: str) -> str:
    """One word as it is compared: normalised, without apostrophes and accents; empty if it is a sign alone."""
    plain = normalize_text(word).replace("'", "").replace(" ", "")
    if not any(map(str.isalnum, plain)):
        return ""
    return plain if plain.isascii() else _MARKS.sub("", unicodedata.normalize("NFD", plain)).translate(_VARIANTS)


def _pieces(raw: str, start: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """The words in ``raw``, which has no space in it but some unspaced script, and where they stand."""
    for match in _PIECE.finditer(raw):
        if word := _fold(match[0]):
            yield word, (start + match.start(), start + match.end())


@dataclass(slots=True)
class Sentence:
    """One sentence.

    Attributes:
        words: Normalised words.
        spans: Start and end of each in the raw text.
        clauses: Positions of the words that come after a comma or the like.
        breaks: Those of them that come after a semicolon.
        question: It ends with a question mark.
        lead_in: It ends with a colon.
    """

    words: list[str] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    clauses: list[int] = field(default_factory=list)
    breaks: list[int] = field(default_factory=list)
    question: bool = False
    lead_in: bool = False

    @property
    def unspaced(self) -> bool:
        """It is written without spaces, so that its words are single characters."""
        return sum(word[0] >= _UNSPACED_START for word in self.words[:12]) * 2 > min(len(self.words), 12)


def fold_words(text: str) -> list[str]:
    r"""The words of ``text`` as they are compared.

    >>> fold_words("I can\u2019t, لا أستطـيع")
    ['i', 'cant', 'لا', 'استطيع']
    >>> fold_words("AI無法回答")
    ['ai', '无', '法', '回', '答']
    """
    return [word for sentence in sentences(text) for word in sentence.words]


def sentences(text: str, start: int = 0) -> Iterator[Sentence]:
    """The sentences of ``text`` from ``start`` on, one after the other; those without a word are left out.

    >>> [sentence.words for sentence in sentences("عذرًا، لا أعلم. اسأل غيري!")]
    [['عذرا', 'لا', 'اعلم'], ['اسال', 'غيري']]
    """
    current = Sentence()
    words, spans = current.words, current.spans
    spaced = text.isascii() or not _UNSPACED_CHARACTER.search(text, start)
    for match in _SCAN.finditer(text, start):
        if match.lastindex == 1:
            if not spaced:
                for word, span in _pieces(match[1], match.start()):
                    words.append(word)
                    spans.append(span)
            elif word := _fold(match[1]):
                words.append(word)
                spans.append(match.span())
        elif _ends(current, text, match) and words:
            yield current
            current = Sentence()
            words, spans = current.words, current.spans
    if words:
        yield current


def _ends(current: Sentence, text: str, match: re.Match[str]) -> bool:
    """Whether the signs of ``match`` end the sentence; what else they say is noted in it."""
    between = match[2]
    if between == "." and match.end() < len(text) and text[match.end()].isascii():
        return False  # "e.g", "example.com"
    end = _END.search(between)
    if end is None:
        if current.words and _CLAUSE.search(between):
            current.clauses.append(len(current.words))
            if not _SEMICOLONS.isdisjoint(between):
                current.breaks.append(len(current.words))
        return False
    current.question |= "?" in between or "؟" in between or "？" in between
    current.lead_in |= ":" in between[: end.start()] or "：" in between[: end.start()]
    return True
