"""Words that stand for numbers: two of them that differ are two numbers, however alike they look.

*The fourth* and *the seventh* article differ by one letter in Arabic (الرابعة, السابعة), seventeen and
seventy by two in English.
"""

from __future__ import annotations

import re
from functools import cache

from muffakir_eval.text.normalize import normalize_text

__all__ = ["number_value"]

_ARABIC = {
    1: "واحد واحدة أول أولى حادي حادية",
    2: "اثنان اثنين اثنتان اثنتين اثنا اثني اثنتا اثنتي ثان ثاني ثانية",
    3: "ثلاث ثلاثة ثالث ثالثة",
    4: "أربع أربعة رابع رابعة",
    5: "خمس خمسة خامس خامسة",
    6: "ست ستة سادس سادسة",
    7: "سبع سبعة سابع سابعة",
    8: "ثمان ثماني ثمانية ثامن ثامنة",
    9: "تسع تسعة تاسع تاسعة",
    10: "عشر عشرة عاشر عاشرة",
    20: "عشرون عشرين",
    30: "ثلاثون ثلاثين",
    40: "أربعون أربعين",
    50: "خمسون خمسين",
    60: "ستون ستين",
    70: "سبعون سبعين",
    80: "ثمانون ثمانين",
    90: "تسعون تسعين",
    100: "مائة مئة",
    200: "مائتان مائتين مئتان مئتين",
    300: "ثلاثمائة ثلاثمئة",
    400: "أربعمائة أربعمئة",
    500: "خمسمائة خمسمئة",
    600: "ستمائة ستمئة",
    700: "سبعمائة سبعمئة",
    800: "ثمانمائة ثمانمئة ثمانيمائة",
    900: "تسعمائة تسعمئة",
    1000: "ألف آلاف",
    2000: "ألفان ألفين ألفا ألفي",
    1_000_000: "مليون ملايين",
    2_000_000: "مليونان مليونين مليونا مليوني",
    1_000_000_000: "مليار مليارات",
    2_000_000_000: "ملياران مليارين مليارا ملياري",
}
_PERSIAN = {
    1: "یک یکم نخست",
    2: "دو دوم دویم",
    3: "سه سوم",
    4: "چهار چهارم",
    5: "پنج پنجم",
    6: "شش ششم",
    7: "هفت هفتم",
    8: "هشت هشتم",
    9: "نه نهم",
    10: "ده دهم",
    11: "یازده یازدهم",
    12: "دوازده دوازدهم",
    13: "سیزده سیزدهم",
    14: "چهارده چهاردهم",
    15: "پانزده پانزدهم",
    16: "شانزده شانزدهم",
    17: "هفده هفدهم",
    18: "هجده هجدهم",
    19: "نوزده نوزدهم",
    20: "بیست بیستم",
    30: "سی سی‌ام",
    40: "چهل چهلم",
    50: "پنجاه پنجاهم",
    60: "شصت شصتم",
    70: "هفتاد هفتادم",
    80: "هشتاد هشتادم",
    90: "نود نودم",
    100: "صد صدم",
    200: "دویست",
    300: "سیصد",
    400: "چهارصد",
    500: "پانصد",
    600: "ششصد",
    700: "هفتصد",
    800: "هشتصد",
    900: "نهصد",
    1000: "هزار هزارم",
    1_000_000: "میلیون",
    1_000_000_000: "میلیارد",
}
_URDU = {
    1: "ایک پہلا پہلی پہلے",
    2: "دوسرا دوسری دوسرے",
    3: "تین تیسرا تیسری تیسرے",
    4: "چار چوتھا چوتھی چوتھے",
    5: "پانچ پانچواں پانچویں",
    6: "چھٹا چھٹی چھٹے",
    7: "سات ساتواں ساتویں",
    8: "آٹھ آٹھواں آٹھویں",
    9: "نو نواں نویں",
    10: "دس دسواں دسویں",
    100: "سو",
    1000: "ہزار",
    100_000: "لاکھ",
    10_000_000: "کروڑ",
}
_ENGLISH = {
    0: "zero",
    1: "one first",
    2: "two second",
    3: "three third",
    4: "four fourth",
    5: "five fifth",
    6: "six sixth",
    7: "seven seventh",
    8: "eight eighth",
    9: "nine ninth",
    10: "ten tenth",
    11: "eleven eleventh",
    12: "twelve twelfth",
    13: "thirteen thirteenth",
    14: "fourteen fourteenth",
    15: "fifteen fifteenth",
    16: "sixteen sixteenth",
    17: "seventeen seventeenth",
    18: "eighteen eighteenth",
    19: "nineteen nineteenth",
    20: "twenty twentieth",
    30: "thirty thirtieth",
    40: "forty fortieth",
    50: "fifty fiftieth",
    60: "sixty sixtieth",
    70: "seventy seventieth",
    80: "eighty eightieth",
    90: "ninety ninetieth",
    100: "hundred hundreds hundredth",
    1000: "thousand thousands thousandth",
    1_000_000: "million millions millionth",
    1_000_000_000: "billion billions billionth",
    1_000_000_000_000: "trillion trillions trillionth",
}

_BEFORE = re.compile("[وف]?(?:[بك]?ال|لل|[بكل])?")
"""Particles and the article that Arabic writes in front of a word."""


@cache
def _values() -> dict[str, int]:
    tables = (_ARABIC, _PERSIAN, _URDU, _ENGLISH)
    return {normalize_text(word): value for table in tables for value, words in table.items() for word in words.split()}


def number_value(word: str) -> int | None:
    """The number that ``word`` stands for, ``None`` where it is not known to stand for any.

    >>> number_value("والسابعة"), number_value("seventieth"), number_value("كتاب")
    (7, 70, None)
    """
    values, plain = _values(), normalize_text(word)
    if plain in values:
        return values[plain]
    before = _BEFORE.match(plain)
    return values.get(plain[before.end() :]) if before else None
