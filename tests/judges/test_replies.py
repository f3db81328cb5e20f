from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from muffakir_eval.judges.replies import ReplyError, parse_reply
from muffakir_eval.judges.reply_models import (
    AttributionReply,
    ClaimsReply,
    GroundedReply,
    ItemsReply,
    RatingReply,
    ScoreReply,
    amount_reply,
    rating_reply,
)


def rating(text: str) -> int:
    return parse_reply(text, RatingReply).score


def reason(text: str, model: type[BaseModel] = RatingReply) -> str:
    with pytest.raises(ReplyError) as caught:
        parse_reply(text, model)
    assert str(caught.value)
    return caught.value.reason


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 4}',
        '```json\n{"reason": "", "score": 4}\n```',
        'Sure! {"score": 4} Hope that helps (really).',
        '<think>maybe {"score":1}</think>{"score":4}',
        '<THINK>\nmaybe {"score":1}\n</THINK >\n\n```\n{"score":4}\n```',
        '<thinking budget="low">{"score":1}</thinking>{"score":4}',
        'I would say {"score":1} or so</think>{"score":4}',
        '<think>a<think>b {"score":2}</think>c {"score":1}</think>{"score":4}',
        '<think>he wrote {"reason": "</think>", "score": 1}</think>{"score":4}',
        '<think>he wrote {"reason": "<think>"} </think>{"score":4}',
        '<think>a brace { and {"broken": </think>{"score":4}',
        'thinking { of {"broken": 1 and {"more": </think>{"score":4}',
        '{"score":4}<think>or {"score":1}?</think>',
        '{"score":4}<think>a<think>b</think>{"score":1}</think>',
        '{"score":4}<think>or {"score":1}?',
        '[THINK]{"score":1}[/THINK]{"score":4}',
        '◁think▷{"score":1}◁/think▷{"score":4}',
        '<think/>{"score":4}',
        '{"reason": "a raw\nnewline and a\ttab", "score": 4}',
        '{"reason": "the answer says <think> and </think> {\\"score\\": 1}", "score": 4}',
        '{"score": 1} No, wait. {"score": 4}',
        '{"score": 1, "score": 2} Oops: {"score": 4}',
        '{"score": NaN} Oops: {"score": 4}',
        '{"score": "4"}',
        '{"score": "٤"}',
        '{"score": "۴"}',
        '{"score": "४"}',
        '{"score": "٤/٥"}',
        '{"score": " \u200f4\u200e "}',
        '{"score": "4 / 5"}',
        '{"score": 4.0}',
        '{"score": 4, "confidence": 0.9, "further": {"a": [1]}}',
        'The set {1, 2} is {not} JSON: {"score": 4}',
        '\ufeff{ \n "score" : 4 }',
    ],
)
def test_the_verdict_is_found(text: str) -> None:
    assert rating(text) == 4


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Score: 1/5", 1),
        ("التقييم: ٤/٥", 4),
        ("التقييم: ٤", 4),
        ("التقييم النهائي : ٤ / ٥.", 4),
        ("**Rating:** 4", 4),
        ("# Final score = 4", 4),
        ("4", 4),
        ("\u200f٤\u200e", 4),
        ('"4"', 4),
        ("4.", 4),
        ("```\n4\n```", 4),
        ("Rating: [[5]]", 5),
        ("<think>1? 2?</think>Score: 3", 3),
        ("Score:\n3\n", 3),
    ],
)
def test_a_label_and_a_value(text: str, value: int) -> None:
    assert rating(text) == value


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 4.5}',
        '{"score": 85}',
        '{"score": 0}',
        '{"score": -4}',
        '{"score": true}',
        '{"score": null}',
        '{"score": "true"}',
        '{"score": [4]}',
        '{"score": NaN}',
        '{"score": Infinity}',
        '{"score": "NaN"}',
        '{"score": 1e999}',
        '{"score": "4%"}',
        '{"score": "0,8"}',
        '{"score": "4 of 5"}',
        '{"score": "4/10"}',
        '{"score": "about 4"}',
        '{"score": ""}',
        '{"score": "' + "4" * 500 + '"}',
        '{"score": ' + "9" * 5000 + "}",
        '{"score": 1, "score": 5}',
        '{"score": 4, "more": {"a": 1, "a": 2}}',
        '{"score": 4, "more": NaN}',
        '{"score": 4, "reason": 7}',
        '{"score": 4, "reason": null}',
        '{"score": 1} No, wait. {"score": 9}',
        '{"score": 4} {}',
        '[{"score": 4}]',
        '[{"score": 1}, {"score": 4}]',
        '{"الدرجة": 4}',
        "{}",
        "8 out of 10",
        "0.9 out of 1",
        "Score: 8/10",
        "التقييم: ٨ من ١٠",
        "Score: 4.5",
        "85",
        "85%",
        "true",
        "NaN",
        "Score: nan",
        "-4",
        "yes",
    ],
)
def test_what_is_not_on_the_scale_is_invalid(text: str) -> None:
    assert reason(text) == "judge_invalid"


@pytest.mark.parametrize(
    "text",
    [
        "I cannot evaluate this",
        "I would give it a 4.",
        "On a scale of 1 to 5, the answer deserves 4",
        "Score: 4\nbecause it is right",
        "Number of errors: 4",
        "Score: four",
        "4 5",
        "Score: 4 " + " " * 300 + "x",
        "x" * 300,
        '{"score": ',
        '{"reason": "x", "score": 4',
        '{"result": {"score": 4}',
        '{"result": {"score": 4} oops}',
        '{"score": 1} or rather {"score": 4, "reason": "it is',
        '{"score": 4, "reason": "he said "{"score":1}" there"}',
        "{'reason': '{\"score\": 5}', 'score': 1}",
        '{{"score": 4}}',
        "{'score': 4}",
        "{\"score\": 1} No, wait. {'score': 4}",
        '{"score": 1} No, wait. {',
        '{"score": 1} with \\frac{1}{2}',
        "{score: 4}",
        '{"score": 4,}',
        '{"score": True}',
        '[{"score": 4}',
        '{"score": 4}<think>{"score": 3}</think>{"score": ',
        '{"a":' * 100_000,
    ],
)
def test_what_is_no_whole_json_object_is_unparseable(text: str) -> None:
    assert reason(text) == "judge_unparseable"


@pytest.mark.parametrize(
    "text", ["", " \n", "\u200f\ufeff", '<think>hm {"score": 4}', "<think>4</think>", "4</think>", "[THINK]4"]
)
def test_nothing_but_thinking_is_empty(text: str) -> None:
    assert reason(text) == "judge_empty"


def test_a_localised_key_is_named() -> None:
    with pytest.raises(ReplyError, match=r"'score' is missing; its keys are \['الدرجة'\]"):
        rating('{"الدرجة": 4}')


def test_the_schema_is_strict() -> None:
    """Every key required, none besides, no defaults: what both providers ask for."""
    schema = GroundedReply.model_json_schema()
    assert schema["required"] == ["reason", "unsupported", "verdict"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["verdict"] == {"type": "string", "enum": ["yes", "no"]}
    assert "default" not in json.dumps(AttributionReply.model_json_schema())
    assert RatingReply.model_json_schema()["properties"]["score"]["enum"] == [1, 2, 3, 4, 5]
    assert rating_reply(1, 5) is RatingReply


def test_a_scale_of_ones_own() -> None:
    assert parse_reply("٧٫٥/١٠", amount_reply(0, 10)).score == 7.5
    assert reason('{"score": 10.5}', amount_reply(0, 10)) == "judge_invalid"
    assert parse_reply("-2", rating_reply(-2, 2)).score == -2


def test_many_problems_are_counted() -> None:
    text = json.dumps({"verdicts": [{"number": "x"}] * 4})
    with pytest.raises(ReplyError, match="8 problems in all"):
        parse_reply(text, ItemsReply)


def test_a_number_before_the_list_of_verdicts_is_no_value() -> None:
    assert reason("yes", ItemsReply) == "judge_unparseable"
    assert reason("", ItemsReply) == "judge_empty"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ('{"verdict": "yes"}', "yes"),
        ('{"verdict": "No."}', "no"),
        ('{"verdict": "**نعم**،"}', "yes"),
        ('{"verdict": "\u200fلا\u200e"}', "no"),
        ('{"verdict": "نَعَم"}', "yes"),
        ('{"verdict": "صحيح"}', "yes"),
        ('{"verdict": "غير صحيح"}', "no"),
        ('{"verdict": "not supported"}', "no"),
        ('{"verdict": true}', "yes"),
        ('{"verdict": false}', "no"),
        ("Verdict: yes", "yes"),
        ("الحكم: لا", "no"),
        ("نعم.", "yes"),
        ("«لا»", "no"),
    ],
)
def test_verdict_words(text: str, verdict: str) -> None:
    assert parse_reply(text, GroundedReply).verdict == verdict


@pytest.mark.parametrize("word", ["know", "nothing", "yesterday", "لأن", "yes and no", "لا أدري", "", "1", "none", "?"])
def test_other_words_are_no_verdict(word: str) -> None:
    assert reason(json.dumps({"verdict": word}), GroundedReply) == "judge_invalid"


def test_a_number_is_no_verdict() -> None:
    assert reason('{"verdict": 1}', GroundedReply) == "judge_invalid"


def test_a_verdict_that_contradicts_itself() -> None:
    assert reason('{"verdict": "yes", "unsupported": ["the year"]}', GroundedReply) == "judge_invalid"
    assert parse_reply('{"verdict": "yes", "unsupported": ["None.", "لا يوجد"]}', GroundedReply).unsupported == ()
    assert parse_reply('{"verdict": "no", "unsupported": ["the year"]}', GroundedReply).unsupported == ("the year",)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"score": 0.8}', 0.8),
        ('{"score": "0.8"}', 0.8),
        ('{"score": "٠٫٨"}', 0.8),
        ('{"score": 1}', 1.0),
        ("0.5/1", 0.5),
    ],
)
def test_a_score_from_0_to_1(text: str, value: float) -> None:
    found = parse_reply(text, ScoreReply).score
    assert (found, type(found)) == (value, float)


@pytest.mark.parametrize("text", ['{"score": 1.01}', '{"score": 80}', '{"score": "80%"}', '{"score": true}', "4/5"])
def test_no_score_from_0_to_1(text: str) -> None:
    assert reason(text, ScoreReply) == "judge_invalid"


def test_a_half_surrogate_is_replaced() -> None:
    reply = parse_reply('{"score": 4, "reason": "\\ud83d!"}', RatingReply)
    assert reply.reason == "\ufffd\ufffd\ufffd!"
    assert parse_reply('{"score": 4, "reason": "\ud83d"}', RatingReply).reason.encode()


def test_a_number_per_verdict_once() -> None:
    verdict = {"number": 1, "reason": "", "verdict": "yes"}
    assert reason(json.dumps({"verdicts": [verdict, verdict]}), ItemsReply) == "judge_invalid"
    for number in (0, -1, 1.5, True, None, "1/2", "x"):
        assert reason(json.dumps({"verdicts": [{**verdict, "number": number}]}), ItemsReply) == "judge_invalid"
    found = parse_reply(json.dumps({"verdicts": [{**verdict, "number": "٢"}, verdict]}), ItemsReply)
    assert [item.number for item in found.verdicts] == [2, 1]
    del verdict["number"]
    assert reason(json.dumps({"verdicts": [verdict]}), ItemsReply) == "judge_invalid"


def test_an_attributable_statement_names_its_chunk() -> None:
    def reply(verdict: str, chunk: Any) -> str:
        return json.dumps({"verdicts": [{"number": 1, "reason": "", "verdict": verdict, "chunk": chunk}]})

    assert parse_reply(reply("yes", 2), AttributionReply).verdicts[0].chunk == 2
    for none in (None, 0, "", " "):
        assert parse_reply(reply("no", none), AttributionReply).verdicts[0].chunk is None
        assert reason(reply("yes", none), AttributionReply) == "judge_invalid"
    for wrong in (False, -1, "first", 1.5):
        assert reason(reply("no", wrong), AttributionReply) == "judge_invalid"


def test_claims_may_claim_nothing() -> None:
    text = '{"verdicts": [{"number": 1, "reason": "تحية", "chunks": [], "verdict": "none"}]}'
    assert parse_reply(text, ClaimsReply).verdicts[0].verdict == "none"


def test_a_supported_claim_names_its_evidence() -> None:
    text = '{"verdicts": [{"number": 1, "reason": "", "chunks": [], "verdict": "yes"}]}'
    assert reason(text, ClaimsReply) == "judge_invalid"
    assert parse_reply(text.replace("[]", "[2, 1]"), ClaimsReply).verdicts[0].chunks == (2, 1)


_LINE = st.text(alphabet=st.characters(codec="utf-8"), max_size=40)
_OBJECTS = st.one_of(
    st.builds(lambda words, score: (RatingReply, {"reason": words, "score": score}), _LINE, st.integers(1, 5)),
    st.builds(
        lambda words, verdict: (GroundedReply, {"reason": words, "unsupported": [], "verdict": verdict}),
        _LINE,
        st.sampled_from(["yes", "no"]),
    ),
    st.builds(
        lambda items: (
            ClaimsReply,
            {
                "verdicts": [
                    {"number": number, "reason": words, "chunks": chunks, "verdict": verdict}
                    for number, (words, chunks, verdict) in enumerate(items, 1)
                ]
            },
        ),
        st.lists(
            st.tuples(
                _LINE, st.lists(st.integers(1, 9), min_size=1, max_size=3), st.sampled_from(["yes", "no", "none"])
            )
        ),
    ),
)
_PROSE = st.sampled_from(["", "Sure!", "بالتأكيد، هذا حكمي:", "\n\n", "The set {1, 2} [3] says", "\u200f"])
_AFTER = st.sampled_from(["", " Hope that helps!", "\n\n", "انتهى [1].", "\u200f"])
_WRAP = st.sampled_from(["{0}", "```json\n{0}\n```", "``` {0} ```", "> {0}"])
_THOUGHT = st.sampled_from(
    ["", '<think>{"score": 1}</think>', "<think>a<think>b</think>c</think>", 'hm {"verdict": "no"} { </think>']
)


@settings(max_examples=150, deadline=None)
@given(_OBJECTS, _THOUGHT, _PROSE, _WRAP, _AFTER, st.booleans())
def test_a_wrapped_verdict_parses_to_itself(
    made: tuple[type[BaseModel], dict[str, Any]], thought: str, before: str, wrap: str, after: str, escape: bool
) -> None:
    model, value = made
    text = thought + before + wrap.format(json.dumps(value, ensure_ascii=escape, indent=1)) + after
    assert parse_reply(text, model) == model.model_validate(value)


@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 100), st.sampled_from(["", "\n", " No, wait: "]))
def test_an_earlier_verdict_never_stands_in_for_one_that_is_cut_off(
    first: int, second: int, length: int, between: str
) -> None:
    last = json.dumps({"reason": "عبارة {بين} «قوسين»", "score": second})
    text = json.dumps({"reason": "", "score": first}) + between + last[:length]
    if length >= len(last):
        assert rating(text) == second
    else:
        assert reason(text) == "judge_unparseable"


_HOSTILE = st.lists(
    st.one_of(
        st.sampled_from(
            [
                '{"',
                "{",
                "}",
                "[",
                "]",
                '"',
                ":",
                ",",
                "\\",
                "<think>",
                "</think>",
                '{"score":',
                "1",
                "NaN",
                "\n",
                "yes",
                "/",
            ]
        ),
        st.text(max_size=3),
    ),
    max_size=40,
).map("".join)


@settings(max_examples=300, deadline=None)
@given(_HOSTILE, st.sampled_from([RatingReply, ScoreReply, GroundedReply, ItemsReply, AttributionReply]))
def test_whatever_is_said_is_a_verdict_or_a_reason(text: str, model: type[BaseModel]) -> None:
    try:
        found = parse_reply(text, model)
    except ReplyError as error:
        assert error.reason in {"judge_empty", "judge_invalid", "judge_unparseable"}
    else:
        assert isinstance(found, model)


class _Steps:
    """Counts the lines of Python that a call runs: a measure of work without a clock."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, frame: Any, event: str, argument: Any) -> _Steps:
        self.count += 1
        return self


@pytest.mark.parametrize(
    "unit",
    [
        '{"a":',
        '{"',
        "{",
        "[{",
        "<think>",
        "</think>",
        "<think ",
        '{"a":[1,</think>',
        '{"a":"</think>{',
        "{" + " " * 50,
        "4",
        "\u200f",
        '{"a":[1,2,"</think>"],',
    ],
)
def test_a_hostile_megabyte_is_read_in_bounded_work(unit: str) -> None:
    """The whole megabyte is a failure; twice the text is at most about twice the work."""

    def steps(size: int) -> int:
        text = unit * (size // len(unit))
        counter, before = _Steps(), sys.gettrace()
        sys.settrace(counter)
        try:
            with pytest.raises(ReplyError):
                parse_reply(text, RatingReply)
        finally:
            sys.settrace(before)
        return counter.count

    assert steps(40_000) <= 2.2 * steps(20_000) + 200
    with pytest.raises(ReplyError):
        parse_reply(unit * (1_000_000 // len(unit)), RatingReply)
