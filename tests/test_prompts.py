from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muffakir_eval.errors import ConfigError
from muffakir_eval.prompts import PROMPTS, PromptTemplate, frame, load_prompts, make_marker

LANGUAGES: tuple[Literal["ar", "en"], ...] = ("ar", "en")
KEYS = re.compile(r'"([a-z]+)":')


def slots(text: str) -> set[str]:
    return set(re.findall(r"\{([a-z_]+)\}", text))


@pytest.mark.parametrize("name", PROMPTS)
def test_both_languages_ask_for_the_same(name: str) -> None:
    arabic, english = (load_prompts(language)[name] for language in LANGUAGES)
    for part in ("system", "user"):
        assert slots(getattr(arabic, part)) == slots(getattr(english, part))
    assert KEYS.findall(arabic.system) == KEYS.findall(english.system)
    assert len(re.findall(r"^\d\. ", arabic.system, re.M)) == len(re.findall(r"^\d\. ", english.system, re.M))
    for code in ('"yes"', '"no"', '"none"', "null"):
        assert (code in arabic.system) == (code in english.system)
    letters = re.sub(r"[^\u0621-\u064aA-Za-z]", "", arabic.system)
    assert len(re.findall("[\u0621-\u064a]", letters)) > 0.75 * len(letters)
    assert not re.search("[\u0621-\u064a]", english.system + english.user)
    assert 0.5 < len(arabic.system) / len(english.system) < 1.5


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rubric_has_five_tiers(language: Literal["ar", "en"]) -> None:
    system = load_prompts(language)["llm_judge_rating"].system
    assert re.findall(r"^(\d) = ", system, re.M) == ["1", "2", "3", "4", "5"]


def test_the_hash_is_that_of_the_text() -> None:
    prompts = load_prompts("ar")
    template = prompts["faithfulness"]
    assert prompts.hashes["faithfulness"] == template.hash
    assert template.hash == hashlib.sha256(f"{template.system}\n\0\n{template.user}".encode()).hexdigest()
    assert len(set(prompts.hashes.values()) | set(load_prompts("en").hashes.values())) == 2 * len(PROMPTS)
    changed = load_prompts("ar", {"faithfulness": template.user + " "})
    assert changed.hashes == prompts.hashes  # white space at the end is nothing
    changed = load_prompts("ar", {"faithfulness": template.user + "!"})
    assert {name for name in PROMPTS if changed.hashes[name] != prompts.hashes[name]} == {"faithfulness"}


def test_filling_frames_every_text() -> None:
    filled = load_prompts("en")["faithfulness"].fill(
        {"question": "Who?", "answer": "{question} {chunks}", "chunks": {1: "one", 2: "two"}}
    )
    match = re.search(r"<<<question ([0-9a-f]{12})>>>\nWho\?\n<<<end question \1>>>", filled.user)
    assert match is not None
    assert f"<<<chunk 2 {match[1]}>>>\ntwo\n<<<end chunk 2 {match[1]}>>>" in filled.user
    assert "{question} {chunks}" in filled.user  # what a text says is never filled
    assert filled.system == load_prompts("en")["faithfulness"].system


def test_criteria_stand_in_the_instructions_and_all_material_in_the_case() -> None:
    filled = load_prompts("en")["criteria"].fill(
        {"answer": "A", "question": "Q"}, {"criteria": "Is it kind?", "scale": "1 to 5", "rubric": ""}
    )
    assert "Is it kind?" in filled.system
    assert filled.user.index("<<<answer") < filled.user.index("<<<question")


def test_an_override_of_both_parts() -> None:
    text = "# system\nBe strict.\n\n# user\n{answer}\r\n{context} {marker}\n"
    template = load_prompts("ar", {"faithfulness": text})["faithfulness"]
    assert template.overridden
    assert template.system.startswith("Be strict.\n\n")
    assert "<<<name code>>>" in template.system  # the frames are explained all the same
    filled = template.fill({"answer": "A", "chunks": {1: "one"}})
    assert re.fullmatch(r"(?s)<<<answer (\w+)>>>.*<<<chunk 1 \1>>>\none\n<<<end chunk 1 \1>>> \1", filled.user)


def test_an_override_of_the_case_keeps_the_instructions() -> None:
    own = load_prompts("en", {"refusal": "{answer}"})["refusal"]
    assert own.system == load_prompts("en")["refusal"].system
    assert own.user == "{answer}"


def test_an_override_of_the_instructions_keeps_the_case() -> None:
    own = load_prompts("en", {"refusal": "# System\nBe brief."})["refusal"]
    assert own.system.startswith("Be brief.")
    assert own.user == load_prompts("en")["refusal"].user


@pytest.mark.parametrize("text", ["", " \n", "# system\n\n# user\n", "Lost words\n# user\n{answer}"])
def test_an_override_with_nothing_in_it_or_before_its_parts(text: str) -> None:
    with pytest.raises(ConfigError, match=r"is empty|starts with 'Lost words'"):
        load_prompts("en", {"refusal": text})


def test_an_override_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    path.write_text("\ufeffهل تمتنع؟ {answer}", encoding="utf-8")
    assert load_prompts("ar", {"refusal": str(path)})["refusal"].user == "هل تمتنع؟ {answer}"
    with pytest.raises(ConfigError, match=r"missing\.md"):
        load_prompts("ar", {"refusal": str(tmp_path / "missing.md")})


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("faithfulness", "{answer}", "lacks the placeholder {chunks}"),
        ("faithfulness", "nothing", "lacks the placeholder {answer}, {chunks}"),
        ("faithfulness", "{answer} {chunks} {Question}", "unknown placeholder {Question}"),
        ("faithfulness", "{answer} {chunks} {السؤال}", "unknown placeholder {السؤال}"),
        ("faithfulness", "# system\n{answer}\n# user\n{chunks}", "the system part has the placeholder {answer}"),
        ("contextual_recall", "{statements} {chunks}", "lacks the placeholder {numbers}"),
    ],
)
def test_a_wrong_override_is_explained(name: str, text: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_prompts("en", {name: text})
    assert words in str(caught.value)
    assert f"prompt_overrides.{name}" in str(caught.value)


def test_braces_of_json_are_text() -> None:
    text = '{answer} {chunks} {"score": 1} {} { answer } {1} {a b}'
    filled = load_prompts("en", {"faithfulness": text})["faithfulness"].fill({"answer": "A"})
    assert filled.user.endswith('{"score": 1} {} { answer } {1} {a b}')


def test_an_unknown_prompt() -> None:
    with pytest.raises(ConfigError, match="did you mean 'faithfulness'"):
        load_prompts("en", {"Faithfullness": "x"})
    with pytest.raises(ConfigError, match="there is no prompt 'zzz'"):
        load_prompts("en", {"zzz": "x"})


def test_a_text_that_knows_its_marker_gets_another() -> None:
    class Knowing(str):
        """Contains whatever is looked for the first time: stands for a text that holds its own hash."""

        __slots__ = ("asked",)

        def lower(self) -> Knowing:
            return self

        def __contains__(self, marker: object) -> bool:
            if hasattr(self, "asked"):
                return False
            self.asked = True
            return True

    assert make_marker([Knowing("نص")]) != make_marker(["نص"])


_TEXT = st.text(max_size=60)


@given(st.lists(_TEXT, min_size=1, max_size=4))
def test_no_text_can_close_its_frame(texts: list[str]) -> None:
    marker = make_marker(texts)
    assert marker == make_marker(texts)
    assert all(marker not in text for text in texts)
    framed = frame("chunk", dict(enumerate(texts, 1)), marker)
    assert framed.count(marker) == 2 * len(texts)


@given(_TEXT, _TEXT)
def test_texts_come_through_unchanged(question: str, answer: str) -> None:
    template = PromptTemplate("refusal", "s", "{question}\n{answer}")
    user = template.fill({"question": question, "answer": answer}).user
    for text in (question, answer):
        assert text.replace("<|", "< |") in user


def test_half_characters_are_shown_as_such_and_can_be_sent() -> None:
    framed = frame("answer", "قبل\ud83d بعد 😀", "3f9a")
    assert "قبل\ufffd بعد 😀" in framed
    assert framed.encode("utf-8")


def test_control_tokens_of_local_models_are_broken() -> None:
    assert frame("answer", "a<|im_end|>b", "m") == "<<<answer m>>>\na< |im_end|>b\n<<<end answer m>>>"
    assert frame("answer", "\ud83d", make_marker(["\ud83d"]))
