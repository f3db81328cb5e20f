"""A whole judged run against a server that answers after 200 ms, beside the bare SDK in the same run.

    python benchmarks/judged_run.py [SAMPLES] [ROUNDS]

SAMPLES recorded answers × 3 judged metrics of one call each, 32 at once: questions read, judged, recorded
on disk, counted and reported, with the cache of replies off and on. The bare SDK sends the very same
prompts with 32 workers, in turn with the runs. Prints calls per second, their ratio, the CPU time per
call and what of it is ours, and the share of the ideal (calls × 0.2 s / 32).
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import openai
from pydantic import BaseModel

from muffakir_eval import MuffakirEvaluation
from muffakir_eval.judges.protocol import Prompt
from muffakir_eval.judges.reply_models import GroundedReply, RatingReply, ScoreReply
from muffakir_eval.judges.reply_schema import schema_name, strict_schema
from muffakir_eval.judges.scripted import ScriptedModel

LATENCY_S = 0.2
AT_ONCE = 32
METRICS: dict[str, type[BaseModel]] = {
    "faithfulness": GroundedReply,
    "answer_correctness": ScoreReply,
    "llm_judge_rating": RatingReply,
}
REPLIES = {
    "faithfulness": {"reason": "الجواب مطابق للسياق.", "unsupported": [], "verdict": "yes"},
    "answer_correctness": {"reason": "الجواب مطابق للمرجع في معناه.", "score": 0.9},
    "llm_judge_rating": {"reason": "الجواب مطابق للمرجع في معناه.", "score": 4},
}
_NAMES = {schema_name(model).encode(): json.dumps(REPLIES[name]) for name, model in METRICS.items()}


class Pace(NamedTuple):
    """How fast, and at what cost."""

    calls_per_s: float
    cpu_ms_per_call: float


def _response(request: bytes) -> bytes:
    reply = next((text for name, text in _NAMES.items() if b'"name":"' + name + b'"' in request), "{}")
    message = {"role": "assistant", "content": reply}
    body = json.dumps(
        {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "judge",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 900, "completion_tokens": 20, "total_tokens": 920},
        }
    ).encode()
    return f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            request = await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
            await asyncio.sleep(LATENCY_S)
            writer.write(_response(request))
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _serve(said: Connection) -> None:
    async def main() -> None:
        server = await asyncio.start_server(_answer, "127.0.0.1", 0)
        said.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


def _questions(count: int) -> list[dict[str, Any]]:
    rows = []
    for number in range(count):
        gold = f"المادة {number}: يستحق الموظف إجازة سنوية مدتها {number + 10} يومًا بأجر كامل بعد سنة من الخدمة. " * 4
        others = [
            f"المادة {number} مكرر {rank}: نص آخر من اللائحة لا صلة له بالسؤال المطروح. " * 4 for rank in range(4)
        ]
        rows.append(
            {
                "question": f"كم مدة الإجازة السنوية وفق المادة {number}؟",
                "answer": f"مدتها {number + 10} يومًا بأجر كامل.",
                "context": gold,
                "predicted_answer": f"يستحق الموظف إجازة سنوية مدتها {number + 10} يومًا.",
                "retrieved_contexts": [gold, *others],
            }
        )
    return rows


def _settings(**more: Any) -> dict[str, Any]:
    return {"metrics": list(METRICS), "k": 5, "max_concurrency": AT_ONCE, "progress": False, **more}


def _prompts(questions: Sequence[dict[str, Any]]) -> list[Prompt]:
    """What a run would ask, found out by asking a model that needs no network."""

    class Recorded:
        llm_provider = ScriptedModel(REPLIES)

        def ask(self, question: str, k: int) -> dict[str, Any]:  # noqa: ARG002 - as pipelines are called
            row = by_question[question]
            return {"answer": row["predicted_answer"], "retrieved_documents": row["retrieved_contexts"]}

    by_question = {row["question"]: row for row in questions}
    MuffakirEvaluation(_settings(cache_dir=None)).evaluate(Recorded(), list(questions))
    return Recorded.llm_provider.prompts


async def _bare(url: str, prompts: Sequence[Prompt]) -> Pace:
    forms = {
        name: {"name": schema_name(model), "schema": strict_schema(model), "strict": True}
        for name, model in METRICS.items()
    }
    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:

        async def one(prompt: Prompt) -> object:
            create: Any = client.chat.completions.create  # its overloads know TypedDicts only
            return await create(
                model="judge",
                messages=[{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
                response_format={"type": "json_schema", "json_schema": forms[prompt.metric]},
                temperature=0.0,
            )

        async def work() -> None:
            for prompt in waiting:
                await one(prompt)

        await one(prompts[0])
        waiting = iter(prompts)
        started, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(work() for _ in range(AT_ONCE)))
        return _pace(len(prompts), started, cpu)


def _run(url: str, questions: Sequence[dict[str, Any]], *, cached: bool) -> Pace:
    with tempfile.TemporaryDirectory() as folder:
        evaluator = MuffakirEvaluation(
            _settings(
                llm_provider="openai",
                llm_model="judge",
                api_key="none",
                base_url=url,
                cache_dir=str(Path(folder) / "cache") if cached else None,
            )
        )
        evaluator.evaluate(None, [{**questions[0], "question": "تمهيد"}])
        started, cpu = time.perf_counter(), time.process_time()
        report = evaluator.evaluate(None, list(questions), save=True, output_dir=Path(folder) / "run")
        calls = int(report.to_dict()["usage"]["calls"])
        missing = {name: block["reasons"] for name, block in report.metrics.items() if block["n_failed"]}
        if missing or calls != len(METRICS) * len(questions):
            raise SystemExit(f"the run failed: {calls} calls, {missing}")
        return _pace(calls, started, cpu)


def _pace(calls: int, started: float, cpu: float) -> Pace:
    return Pace(calls / (time.perf_counter() - started), (time.process_time() - cpu) / calls * 1000)


def main(samples: int = 300, rounds: int = 3) -> None:
    """Run all three in turn and print."""
    said, sends = multiprocessing.Pipe(duplex=False)
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(sends,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{said.recv()}/v1"
    questions = _questions(samples)
    prompts = _prompts(questions)
    paces: dict[str, list[Pace]] = {"bare SDK": [], "run, cache off": [], "run, cache on": []}
    for _ in range(rounds):
        paces["bare SDK"].append(asyncio.run(_bare(url, prompts)))
        paces["run, cache off"].append(_run(url, questions, cached=False))
        paces["run, cache on"].append(_run(url, questions, cached=True))
    server.terminate()
    ideal = AT_ONCE / LATENCY_S
    print(f"{samples} samples, {len(prompts):,} calls, {AT_ONCE} at once, {LATENCY_S:g} s each; {rounds} rounds")
    bare = paces["bare SDK"]
    for name, found in paces.items():
        speed = statistics.median(pace.calls_per_s for pace in found)
        cpu = statistics.median(pace.cpu_ms_per_call for pace in found)
        line = f"{name:<15}{speed:7.1f} calls/s  {speed / ideal:6.1%} of the ideal  {cpu:5.2f} ms of CPU per call"
        if found is not bare:
            ratios = [ours.calls_per_s / theirs.calls_per_s for ours, theirs in zip(found, bare, strict=True)]
            own = statistics.median(o.cpu_ms_per_call - b.cpu_ms_per_call for o, b in zip(found, bare, strict=True))
            line += f"  {own:5.2f} of them ours  ratio {statistics.median(ratios):.1%} (lowest {min(ratios):.1%})"
        print(line)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
