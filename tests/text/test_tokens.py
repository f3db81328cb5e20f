from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.text import codepage
from muffakir_eval.text.normalize import Normalizer, normalize_text, normalizer_for
from muffakir_eval.text.tokens import lettered, paired, split_runs, tokenize

ODD = "aبİهँ़\u0301\u0e01\u0e34中国かー한1٢.,_،'-²½①\u200c \n👍()\ufefb\u3099" + "x1.2"
odd_text = st.text(st.sampled_from(ODD) | st.characters(), max_size=24)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("!؟… 👍 \u0301 __ . ,", []),
        ("القانونُ المدنيّ", ["القانون", "المدني"]),
        ("قال: «نعم».", ["قال", "نعم"]),
        ("السعر ٣٫٥ ريال", ["السعر", "3.5", "ريال"]),
        ("١٬٢٣٤٬٥٦٧٫٨٩", ["1234567.89"]),
        ("1,234 و1234", ["1234", "و1234"]),
        ("2024,2025 1,2", ["2024", "2025", "1", "2"]),
        ("12,34,567 १२,३४,५६७.५ 1,23,45 123,45,678", ["1234567", "1234567.5", "1", "23", "45", "123", "45", "678"]),
        ("1.2.3. 5. .5 3..4", ["1.2.3", "5", "5", "3", "4"]),
        ("0,500 000,111 100,200,300", ["0", "500", "000", "111", "100200300"]),
        ("١٬٠٠٠ ١،٠٠٠ 1，000", ["1000", "1000", "1000"]),
        ("٢٠٢٤/٠١/٠٥ 10:30 192.168.1.1", ["2024", "01", "05", "10", "30", "192.168.1.1"]),
        ("المادة ١٤٧/١ لسنة 2024م", ["الماده", "147", "1", "لسنه", "2024م"]),
        ("max_value = foo(__init__, _x_)", ["max_value", "foo", "init", "x"]),
        ("v1.2 example.com a.b", ["v1.2", "example", "com", "a", "b"]),
        ("don't l’eau COVID-19", ["don", "t", "l", "eau", "covid", "19"]),
        ("हिन्दी में लिखा", ["हिन्दी", "में", "लिखा"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("Ελληνικά кириллица", ["ελληνικά", "кириллица"]),
        ("\u0301αβγ", ["αβγ"]),
    ],
)
def test_words_and_numbers(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("北京大学", ["北京", "京大", "大学"]),
        ("年", ["年"]),
        ("2024年", ["2024", "年"]),
        ("第100、200条", ["第", "100", "200", "条"]),
        ("AI模型 GPT", ["ai", "模型", "gpt"]),
        ("你好，\n世界", ["你好", "好世", "世界"]),
        ("ひらカナ", ["ひら", "らカ", "カナ"]),
        ("ｶﾞ", ["ガ"]),
        ("ไทย", ["ไท", "ทย"]),
        ("ພາສາ", ["ພາ", "າສ", "ສາ"]),
        ("ខ្មែរ", ["ខ្", "្ម", "មែ", "ែរ"]),
        ("မြန်", ["မြ", "ြန", "န်"]),
        ("𠮷野家", ["𠮷野", "野家"]),
        ("word中word", ["word", "中", "word"]),
    ],
)
def test_scripts_without_spaces_give_pairs(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


def test_a_run_goes_on_across_spaces_however_long() -> None:
    assert tokenize(f"你{' ' * 100}好") == ["你好"]


def test_runs_letters_and_pairs() -> None:
    runs, spaceless = split_runs("AI 模 型, 2024年")
    assert (runs, spaceless) == (["ai", "模型", "2024", "年"], True)
    assert lettered(runs) == ["ai", "模", "型", "2024", "年"]
    assert paired(runs) == ["ai", "模型", "2024", "年"]
    assert split_runs("نص عادي")[1] is False


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("বাংলা ভাষায় লেখা।", ["বাংলা", "ভাষায\u09bc", "লেখা"]),
        ("தமிழ் மொழியில்", ["தமிழ்", "மொழியில்"]),
        ("తెలుగు ಕನ್ನಡ മലയാളം", ["తెలుగు", "ಕನ್ನಡ", "മലയാളം"]),
        ("ਪੰਜਾਬੀ ગુજરાતી ଓଡ଼ିଆ සිංහල", ["ਪੰਜਾਬੀ", "ગુજરાતી", "ଓଡ\u0b3cିଆ", "සිංහල"]),
        ("བོད་ཡིག་གི།", ["བོད", "ཡིག", "གི"]),  # the sign between syllables separates
        ("አማርኛ፡ቋንቋ፡ነው።", ["አማርኛ", "ቋንቋ", "ነው"]),
        ("ქართული ენა", ["ქართული", "ენა"]),
        ("Ի՞նչ է սա։ Ո՛չ", ["ինչ", "է", "սա", "ոչ"]),
        ("שָׁלוֹם עולם־כולו", ["שלום", "עולם", "כולו"]),
        ("Tiếng Việt", ["tiếng", "việt"]),
        ("Съешь ещё этих", ["съешь", "ещё", "этих"]),
        ("Ο ΣΊΣΥΦΟΣ", ["ο", "σίσυφοσ"]),
        ("ދިވެހި ߒߞߏ ⵜⴰⵎⴰⵣⵉⵖⵜ ᠮᠣᠩᠭᠣᠯ", ["ދިވެހި", "ߒߞߏ", "ⵜⴰⵎⴰⵣⵉⵖⵜ", "ᠮᠣᠩᠭᠣᠯ"]),
        ("یہ کتابیں ہیں۔", ["يه", "كتابيں", "هيں"]),
        ("تاقىچە ئۇيغۇرچە", ["تاقيچه", "يۇيغۇرچه"]),
        ("나는 학생이다", ["나는", "학생이다"]),
        ("العربية中文English עברית", ["العربيه", "中文", "english", "עברית"]),
    ],
)
def test_words_of_many_scripts_with_their_marks(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("👍🏽 ok ❤️ 👨‍👩‍👧 1️⃣ 🇪🇬 ✓", ["ok", "1"]),
        ("foo.bar[0] a->b x==y", ["foo", "bar", "0", "a", "b", "x", "y"]),
        ("HTTPServer2 camelCase kebab-case", ["httpserver2", "camelcase", "kebab", "case"]),
        ("https://example.com/a?q=1&r=ar#top", ["https", "example", "com", "a", "q", "1", "r", "ar", "top"]),
        ("user@example.com", ["user", "example", "com"]),
        ("C:\\data\\file_1.txt /usr/bin", ["c", "data", "file_1", "txt", "usr", "bin"]),
        ("v1.2.3 3.11.7-rc1", ["v1.2.3", "3.11.7", "rc1"]),
        ("0x1F 1e5 6.02e23", ["0x1f", "1e5", "6.02e23"]),
        ("-5 −5 +5 3-5", ["5", "5", "5", "3", "5"]),
        ("5% ٥٪ $1,000.50 ٣٫٥ €", ["5", "5", "1000.50", "3.5"]),
        ("3,5 ٣,٥ 1.234,56", ["3", "5", "3", "5", "1.234", "56"]),
        ("2024-01-05 ٥/١/٢٠٢٤ 5.1.2024", ["2024", "01", "05", "5", "1", "2024", "5.1.2024"]),
        ("CO₂ H2O م² 10²", ["co2", "h2o", "م2", "10", "2"]),
        ("#وسم_عربي @اسم", ["وسم_عربي", "اسم"]),
        ("ＡＢＣ　１２３", ["abc", "123"]),
        ("المادة(٥)والمادة[٦]", ["الماده", "5", "والماده", "6"]),
    ],
)
def test_code_numbers_and_signs(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("ꆈꌠꁱꂷ", ["ꆈꌠ", "ꌠꁱ", "ꁱꂷ"]),
        ("ꦲꦏ꧀ꦱ", ["ꦲꦏ", "ꦏ꧀", "꧀ꦱ"]),
        ("ᬅᬓ᭄", ["ᬅᬓ", "ᬓ᭄"]),
        ("ภาษา ๑๒๓ บาท", ["ภา", "าษ", "ษา", "123", "บา", "าท"]),
        ("東京・大阪。コンピュータ", ["東京", "京大", "大阪", "阪コ", "コン", "ンピ", "ピュ", "ュー", "ータ"]),
    ],
)
def test_more_scripts_without_spaces(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


def test_tokens_by_another_profile() -> None:
    assert tokenize("آب ٣٫٥", normalizer_for("persian")) == ["آب", "3.5"]
    assert tokenize("كِتابٌ ٣٫٥ «نعم»", normalizer_for("none")) == ["كِتابٌ", "٣", "٥", "نعم"]


@given(odd_text)
@settings(max_examples=300)
def test_raw_and_normalised_text_have_the_same_tokens(text: str) -> None:
    assert tokenize(text) == tokenize(normalize_text(text))


@given(odd_text)
@settings(max_examples=200)
def test_every_token_says_something(text: str) -> None:
    for token in tokenize(text):
        assert token
        assert " " not in token
        assert not token.startswith(("_", "."))
        assert not token.endswith(("_", "."))


class _WithoutPage(Normalizer):
    def fold_bytes(self, text: str) -> bytes | None:
        return None


@given(st.text(st.sampled_from(codepage.PAGE.rstrip("\ufffe") + "0123.,.,_ "), max_size=60) | odd_text)
@settings(max_examples=300)
def test_the_code_page_gives_the_same_tokens(text: str) -> None:
    slow = _WithoutPage()
    assert split_runs(text) == split_runs(text, slow)


@given(st.lists(st.sampled_from(["كتاب", "word", "中国", "3.5", "1,000", "x_y"]), max_size=8))
def test_punctuation_between_words_does_not_count(words: list[str]) -> None:
    assert tokenize(" ".join(words)) == tokenize("، ".join(words)) == tokenize(" (-) ".join(words))
