"""The same judge behind DeepEval and behind us: the same contextual precision and recall.

A script decides which node is useful and which node states which statement. DeepEval's judge and ours read it out of
their own prompts. Where the two differ on purpose, a test says so. Nothing is sent anywhere.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from muffakir_eval import LMBasedRetrievalEvaluator, RAGData, ScriptedModel
from muffakir_eval.judges.protocol import Prompt

CASES = 50


if importlib.util.find_spec("deepeval") is None:
    pytest.skip("DeepEval is not installed: the extra `deepeval`", allow_module_level=True)

# For the rest of the process: DeepEval looks again when it ends, and would send what it has gathered.
os.environ.update({"DEEPEVAL_TELEMETRY_OPT_OUT": "1", "DEEPEVAL_DISABLE_DOTENV": "1"})
os.environ.pop("DEEPEVAL_UPDATE_WARNING_OPT_IN", None)


@pytest.fixture(autouse=True)
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whatever DeepEval writes does not land in the checkout."""
    monkeypatch.chdir(tmp_path)


@dataclass(frozen=True)
class Scripted:
    """One question, and what the judge thinks.

    Attributes:
        query: The question.
        statements: Of the expected response, one sentence each.
        states: For each node, the numbers of the statements that it states.
    """

    query: str
    statements: tuple[str, ...]
    states: tuple[frozenset[int], ...]

    @property
    def data(self) -> RAGData:
        nodes = [f"Node {number} states {sorted(stated)}." for number, stated in enumerate(self.states, 1)]
        return RAGData(query=self.query, expected_response=" ".join(self.statements), retrieved_context=nodes)

    def useful(self) -> list[bool]:
        return [bool(stated) for stated in self.states]

    def supporting(self) -> list[int | None]:
        """For each statement the first node that states it."""
        return [
            next((node for node, stated in enumerate(self.states, 1) if number in stated), None)
            for number in range(1, len(self.statements) + 1)
        ]


def generated(count: int) -> list[Scripted]:
    """Questions in Arabic and English, with 1 to 8 nodes and 1 to 6 statements."""
    rng = random.Random(20)
    cases = []
    for number in range(count):
        arabic = number % 2 == 0
        word = "حقيقة" if arabic else "Fact"
        statements = tuple(f"{word} {number}-{each}." for each in range(1, rng.randint(1, 6) + 1))
        some = [
            frozenset(each for each in range(1, len(statements) + 1) if rng.random() < 0.3)
            for _ in range(rng.randint(1, 8))
        ]
        query = f"ما جواب السؤال رقم {number}؟" if arabic else f"What answers question {number}?"
        cases.append(Scripted(query=query, statements=statements, states=tuple(some)))
    return cases


def shown(text: str) -> list[frozenset[int]]:
    """What the nodes in a prompt state."""
    found = re.findall(r"Node \d+ states \[([\d, ]*)\]", text)
    return [frozenset(map(int, re.findall(r"\d+", numbers))) for numbers in found]


def our_judge() -> ScriptedModel:
    """Reads nodes and statements out of our prompts."""

    def reply(prompt: Prompt) -> dict[str, Any]:
        nodes = shown(prompt.user)
        if prompt.metric == "contextual_precision":
            verdicts: list[dict[str, Any]] = [{"verdict": "yes" if stated else "no"} for stated in nodes]
        else:
            numbers = [int(number) for number in re.findall(r"^(?:حقيقة|Fact) \d+-(\d+)\.$", prompt.user, re.MULTILINE)]
            found = [next((n for n, stated in enumerate(nodes, 1) if each in stated), None) for each in numbers]
            verdicts = [{"chunk": node, "verdict": "yes" if node else "no"} for node in found]
        return {"verdicts": [{"number": n, "reason": "", **verdict} for n, verdict in enumerate(verdicts, 1)]}

    return ScriptedModel(reply)


def their_verdicts(prompt: str) -> str:
    """The same judge's reply in DeepEval's form, read out of its prompts; its prose when it asks for a reason."""
    nodes = shown(prompt)
    if "expected output, and retrieval context, please generate a list" in prompt:
        verdicts = ["yes" if stated else "no" for stated in nodes]
    elif "For EACH" in prompt:
        expected = prompt.split("Expected Output:")[1].split("Retrieval Context:")[0]
        numbers = [int(number) for number in re.findall(r"(?:حقيقة|Fact) \d+-(\d+)\.", expected)]
        verdicts = ["yes" if any(number in stated for stated in nodes) else "no" for number in numbers]
    else:
        return json.dumps({"reason": "scripted"})
    return json.dumps({"verdicts": [{"verdict": verdict, "reason": "scripted"} for verdict in verdicts]})


def their_judge(reply: Callable[[str], str]) -> Any:
    from deepeval.models import DeepEvalBaseLLM

    class Judge(DeepEvalBaseLLM):  # type: ignore[misc,unused-ignore]
        def load_model(self, *args: Any, **kwargs: Any) -> Any:
            return self

        def generate(self, prompt: str, schema: Any = None, **kwargs: Any) -> Any:
            said = reply(prompt)
            return said if schema is None else schema.model_validate_json(said)

        async def a_generate(self, prompt: str, schema: Any = None, **kwargs: Any) -> Any:
            return self.generate(prompt, schema)

        def get_model_name(self, *args: Any, **kwargs: Any) -> str:
            return "scripted"

    return Judge()


def theirs(data: RAGData, reply: Callable[[str], str] = their_verdicts) -> dict[str, float]:
    """DeepEval's values."""
    from deepeval.metrics import ContextualPrecisionMetric, ContextualRecallMetric
    from deepeval.test_case import LLMTestCase

    case = LLMTestCase(
        input=data.query,
        actual_output="",
        expected_output=data.expected_response,
        retrieval_context=list(data.retrieved_context),
    )
    values = {}
    for name, kind in (("precision", ContextualPrecisionMetric), ("recall", ContextualRecallMetric)):
        metric = kind(model=their_judge(reply), async_mode=False, include_reason=False)
        values[name] = float(metric.measure(case, _show_indicator=False))
    return values


def ours(items: list[RAGData], model: ScriptedModel | None = None) -> list[dict[str, Any]]:
    evaluator = LMBasedRetrievalEvaluator(model=model or our_judge(), cache_dir=None)
    return [result["lm_based_retrieval"] for result in evaluator.evaluate_batch_sync(items)]


def test_the_values_are_equal_on_generated_cases() -> None:
    cases = generated(CASES)
    seen = set()
    for case, found in zip(cases, ours([case.data for case in cases]), strict=True):
        expected = theirs(case.data)
        for name in ("precision", "recall"):
            assert found[f"deepeval_contextual_{name}"]["score"] == pytest.approx(expected[name], abs=1e-9), case
            seen.add((name, expected[name]))
    assert len(seen) > 25  # many different values, 0 and 1 among them
    assert {("precision", 0.0), ("precision", 1.0), ("recall", 0.0), ("recall", 1.0)} <= seen


def test_the_cases_are_judged_as_the_script_says() -> None:
    for case, found in zip(generated(CASES), ours([case.data for case in generated(CASES)]), strict=True):
        wanted = [node for node in case.supporting() if node is not None]
        recall = found["deepeval_contextual_recall"]
        assert recall["score"] == pytest.approx(len(wanted) / len(case.statements))
        named = re.findall(r"(?:supported by node|يسندها المقطع) (\d+)", recall["explanation"])
        assert [int(node) for node in named] == wanted


# ------------------------------------------------------------------------------- different on purpose

ONE = Scripted(query="What answers it?", statements=("Fact 1-1.",), states=(frozenset({1}), frozenset()))


def test_nothing_retrieved_is_no_zero_here() -> None:
    """DeepEval asks its judge about no node at all and gives 0; here nobody is asked, and there is no value."""
    data = RAGData(query="What answers it?", expected_response="Fact 1-1.", retrieved_context=[])
    assert theirs(data) == {"precision": 0.0, "recall": 0.0}
    (found,) = ours([data])
    for name in ("precision", "recall"):
        assert found[f"deepeval_contextual_{name}"]["score"] is None
    assert found["relevancy_rating"] == "incomplete"


def test_verdicts_that_are_missing_are_not_made_up_for_here() -> None:
    """DeepEval computes with however many verdicts came; here they are asked for again, and then the metric fails."""
    one_of_two = json.dumps({"verdicts": [{"verdict": "no", "reason": ""}]})
    assert theirs(ONE.data, lambda prompt: one_of_two)["precision"] == 0.0
    short = {"verdicts": [{"number": 1, "reason": "", "chunk": None, "verdict": "no"}]}
    (found,) = ours([ONE.data], ScriptedModel({"*": short}))
    assert found["deepeval_contextual_precision"]["score"] is None
    assert found["deepeval_contextual_recall"]["score"] == 0.0


def test_no_verdict_at_all_is_no_zero_here() -> None:
    nothing = json.dumps({"verdicts": []})
    assert theirs(ONE.data, lambda prompt: nothing) == {"precision": 0.0, "recall": 0.0}
    (found,) = ours([ONE.data], ScriptedModel({"*": {"verdicts": []}}))
    for name in ("precision", "recall"):
        assert found[f"deepeval_contextual_{name}"]["score"] is None
    assert (found["relevancy_rating"], found["score"]) == (None, None)


def test_a_reply_that_cannot_be_read_ends_nothing_here() -> None:
    """DeepEval raises; here that metric of that question has failed, and the others have their values."""
    with pytest.raises(Exception, match=r"(?i)json"):
        theirs(ONE.data, lambda prompt: "I cannot judge this.")
    judge = our_judge()

    def sometimes(prompt: Prompt) -> Any:
        return "I cannot judge this." if "unreadable" in prompt.user else judge._scripts["*"].next(prompt)

    broken = RAGData(**{**vars(ONE.data), "query": "Is this unreadable?"})
    first, second = ours([broken, ONE.data], ScriptedModel(sometimes))
    assert first["relevancy_rating"] is None
    assert second["relevancy_rating"] == "good"
