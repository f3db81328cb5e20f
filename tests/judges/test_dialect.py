"""What a server accepts, learnt from its refusals."""

from __future__ import annotations

import pytest

from muffakir_eval.judges.dialect import NO_TEMPERATURE, Dialect, Form
from muffakir_eval.judges.failures import Failure


def dialect() -> Dialect:
    return Dialect(forms=tuple(Form), temperature=True, limits=("max_completion_tokens", "max_tokens"))


def refusal(said: str, status: int = 400) -> Failure:
    return Failure(fault="bad_request", message=said, status=status, said=said)


def test_ten_refusals_that_arrive_together_are_one_step() -> None:
    learning = dialect()
    sent = learning.shape
    assert all(learning.learn(sent, refusal("json_schema is unsupported")) for _ in range(10))
    assert learning.shape.form is Form.JSON


def test_googles_words_for_a_schema_that_it_does_not_take() -> None:
    learning = dialect()
    said = "invalid json payload received. unknown name \"additionalproperties\" at 'generation_config.response_schema'"
    assert learning.learn(learning.shape, refusal(said))
    assert learning.shape.form is Form.JSON


def test_a_late_refusal_does_not_take_back_what_was_learnt() -> None:
    learning = dialect()
    first = learning.shape
    learning.learn(first, refusal("json_schema is unsupported"))
    learning.learn(learning.shape, refusal("json_object is unsupported"))
    assert learning.learn(first, refusal("json_schema is unsupported"))
    assert learning.shape.form is Form.TEXT
    assert not learning.learn(learning.shape, refusal("response_format is unsupported"))


def test_what_one_call_learnt_is_no_reason_for_another_to_ask_again() -> None:
    learning = dialect()
    sent = learning.shape
    learning.learn(sent, refusal("temperature is unsupported"))
    assert not learning.learn(sent, refusal("no such model", status=404))
    assert not learning.learn(sent, refusal("json_schema is unsupported", status=500))


def test_notes_are_about_the_request_that_was_sent() -> None:
    learning = dialect()
    sent = learning.shape
    learning.learn(sent, refusal("temperature is unsupported"))
    assert learning.notes(sent) == ()
    assert learning.notes(learning.shape) == (NO_TEMPERATURE,)
    assert Dialect(forms=(Form.TEXT,), temperature=False, limits=("max_tokens",)).notes(sent) == ()


@pytest.mark.parametrize(
    "said", ["System role not supported", "System message is not supported", "system prompt unsupported"]
)
def test_no_system_role(said: str) -> None:
    learning = dialect()
    assert learning.learn(learning.shape, refusal(said.lower()))
    assert not learning.shape.system
    assert not learning.learn(learning.shape, refusal(said.lower()))


def test_the_name_of_the_limit_is_changed_once() -> None:
    learning = dialect()
    assert learning.learn(learning.shape, refusal("unsupported parameter: max_completion_tokens"))
    assert learning.shape.limit == "max_tokens"
    assert not learning.learn(learning.shape, refusal("unsupported parameter: max_tokens"))
