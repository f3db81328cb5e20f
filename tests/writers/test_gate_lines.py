"""The outcome of a gate as text, Markdown and XML, whatever is in the data."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from muffakir_eval.writers.gate_lines import gate_markdown, gate_text, told_apart
from muffakir_eval.writers.junit import junit_xml

ANY_TEXT = st.text(st.characters(), max_size=20)


def result(*states: str, name: str = "mrr", message: str = "m", run_id: str = "r") -> dict[str, Any]:
    checks = [
        {
            "name": name,
            "condition": f"{name} >= 0.8",
            "state": state,
            "message": message,
            "value": 0.79999,
            "compared": 0.79999,
            "limit": 0.8,
            "interval": (0.7, 0.85),
            "n_scored": 9,
            "n_applicable": 10,
        }
        for state in states
    ]
    code = 1 if "failed" in states else 3 if "not_measured" in states else 0
    return {"run_id": run_id, "exit_code": code, "checks": checks}


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
@settings(max_examples=60)
def test_the_xml_is_valid_whatever_is_in_the_data(name: str, message: str, run_id: str) -> None:
    text = junit_xml(result("passed", "failed", "not_measured", name=name, message=message, run_id=run_id))
    root = ElementTree.fromstring(text.encode("utf-8"))  # as a strict parser reads it
    suite = root[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    assert [[child.tag for child in case] for case in suite] == [[], ["failure"], ["error"]]
    if all(char >= " " and not "\ud800" <= char <= "\udfff" and char not in "\ufffe\uffff" for char in message):
        assert suite[1][0].get("message") == message


def test_control_characters_and_markup_are_shown_and_do_nothing() -> None:
    text = junit_xml(result("failed", message='a\x00\x1b"<b>&\ud800\nc'))
    (message,) = [part.get("message") for part in ElementTree.fromstring(text.encode()).iter("failure")]
    assert message == 'a\ufffd\ufffd"<b>&\ufffd\nc'


def test_markdown_shows_the_text_as_it_stands() -> None:
    text = gate_markdown(result("passed", "failed", name="a|b", message="x | <img src=y> `z`\nnext"))
    lines = text.splitlines()
    assert lines[0] == "### Gate for run r: not passed"
    assert lines[4] == r"| ok | a\|b \>= 0.8 | 0.79999 | 0.7000 to 0.8500 | 9/10 |  |"
    assert lines[5].startswith(r"| **FAILED** | a\|b \>= 0.8 |")
    assert lines[5].endswith(r"| x \| \<img src=y\> \`z\` next |")


@given(ANY_TEXT)
@settings(max_examples=30)
def test_a_row_of_markdown_is_one_line_of_six_cells(message: str) -> None:
    lines = gate_markdown(result("failed", message=message)).split("\n")
    assert len(lines) == 6
    unescaped = lines[4].replace("\\\\", "").replace("\\|", "")
    assert unescaped.count("|") == 7


def test_the_text_says_why() -> None:
    text = gate_text(result("failed", "not_measured", message="zu wenig\x1b[31m"))
    assert text.splitlines()[-1] == "The gate is not passed."
    assert text.count(">= 0.8: zu wenig?[31m") == 2
    assert gate_text(result("not_measured")).endswith("too little was measured.")
    assert gate_text(result("passed")).endswith("The gate is passed.")


def test_as_many_digits_as_it_takes() -> None:
    assert [told_apart(value, 0.8) for value in (0.8, 0.80001, 0.7)] == ["0.8000", "0.80001", "0.7000"]
    assert told_apart(0.80001, None) == "0.8000"


def test_markdown_makes_no_entity_and_no_formula_of_the_data() -> None:
    line = gate_markdown(result("failed", message="a &lt; b, $x$, ![i](u)")).splitlines()[4]
    assert r"a \&lt; b, \$x\$, !\[i\](u)" in line
