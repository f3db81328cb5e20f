"""Judged metrics against a server that answers after 200 ms, beside the bare SDK in the same run.

    python benchmarks/judge_throughput.py [SAMPLES] [ROUNDS]

Sends the same requests, 32 at once: SAMPLES × 3 judged metrics of one call each. Prints calls per
second of both, their ratio, the client's CPU time per call, and the share of the ideal
(calls × 0.2 s / 32). The judge runs with its reply cache on, in a new folder.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import openai
from pydantic import SecretStr

from muffakir_eval.judges.cache import ReplyCache
from muffakir_eval.judges.endpoint import Endpoint
from muffakir_eval.judges.judge import ModelJudge
from muffakir_eval.judges.limits import Limiter
from muffakir_eval.judges.openai_model import OpenAIModel
from muffakir_eval.judges.protocol import Prompt
from muffakir_eval.judges.replies import parse_reply
from muffakir_eval.judges.reply_models import RatingReply
from muffakir_eval.judges.reply_schema import schema_name, strict_schema

LATENCY_S = 0.2
AT_ONCE = 32
METRICS = ("faithfulness", "answer_correctness", "llm_judge_rating")
REPLY = json.dumps({"reason": "الجواب مطابق للسياق في معناه.", "score": 4}, ensure_ascii=False)


class Pace(NamedTuple):
    """How fast, and at what cost."""

    calls_per_s: float
    cpu_ms_per_call: float


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    body = json.dumps(
        {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "judge",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": REPLY}}],
            "usage": {"prompt_tokens": 900, "completion_tokens": 20, "total_tokens": 920},
        }
    ).encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    try:
        while True:
            request = (await reader.readuntil(b"\r\n\r\n")).lower()
            await reader.readexactly(int(request.split(b"content-length:")[1].split(b"\r\n")[0]))
            await asyncio.sleep(LATENCY_S)
            writer.write(head + body)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _serve(said: Connection) -> None:
    async def main() -> None:
        server = await asyncio.start_server(_answer, "127.0.0.1", 0)
        said.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


async def _pace(prompts: Sequence[Prompt], one: Callable[[Prompt], Awaitable[object]]) -> Pace:
    await one(Prompt(system="", user="warm-up", metric="warm-up"))
    waiting = iter(prompts)

    async def work() -> None:
        for prompt in waiting:
            await one(prompt)

    started, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    wall, cpu = time.perf_counter() - started, time.process_time() - cpu
    return Pace(len(prompts) / wall, cpu / len(prompts) * 1000)


async def _bare(url: str, prompts: Sequence[Prompt]) -> Pace:
    described = {"name": schema_name(RatingReply), "schema": strict_schema(RatingReply), "strict": True}
    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:

        async def one(prompt: Prompt) -> object:
            create: Any = client.chat.completions.create  # its overloads know TypedDicts only
            return await create(
                model="judge",
                messages=[{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
                response_format={"type": "json_schema", "json_schema": described},
                temperature=0.0,
            )

        return await _pace(prompts, one)


async def _judged(url: str, prompts: Sequence[Prompt]) -> Pace:
    endpoint = Endpoint(provider="openai", model="judge", base_url=url, key=SecretStr("none"), temperature=0.0)
    with tempfile.TemporaryDirectory() as folder:
        judge = ModelJudge(
            OpenAIModel(endpoint),
            parse=parse_reply,
            cache=ReplyCache(folder),
            limiter=Limiter(max_concurrency=AT_ONCE, requests_per_minute=1e6, tokens_per_minute=1e9),
        )

        async def one(prompt: Prompt) -> object:
            verdict = await judge.ask(prompt, RatingReply)
            if verdict.reply is None:
                raise SystemExit(f"the judge failed: {verdict.reason} {verdict.message}")
            return verdict

        pace = await _pace(prompts, one)
        await judge.aclose()
    return pace


def main(samples: int = 300, rounds: int = 3) -> None:
    """Run both in turn and print."""
    said, sends = multiprocessing.Pipe(duplex=False)
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(sends,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{said.recv()}/v1"
    prompts = [
        Prompt(
            system="قيّم الإجابة وفق السياق. " * 40, user=f"السؤال رقم {number}: " + "نص من السياق " * 100, metric=metric
        )
        for number in range(samples)
        for metric in METRICS
    ]
    bare: list[Pace] = []
    judged: list[Pace] = []
    for _ in range(rounds):
        bare.append(asyncio.run(_bare(url, prompts)))
        judged.append(asyncio.run(_judged(url, prompts)))
    server.terminate()
    ideal = AT_ONCE / LATENCY_S
    print(f"{len(prompts):,} calls, {AT_ONCE} at once, {LATENCY_S:g} s each; median of {rounds} rounds")
    for name, paces in (("bare SDK", bare), ("judge", judged)):
        speed = statistics.median(pace.calls_per_s for pace in paces)
        cpu = statistics.median(pace.cpu_ms_per_call for pace in paces)
        print(f"{name:<10}{speed:7.1f} calls/s  {speed / ideal:6.1%} of the ideal  {cpu:5.2f} ms of CPU per call")
    ratios = [ours.calls_per_s / theirs.calls_per_s for ours, theirs in zip(judged, bare, strict=True)]
    own = statistics.median(o.cpu_ms_per_call - b.cpu_ms_per_call for o, b in zip(judged, bare, strict=True))
    print(f"ratio {statistics.median(ratios):.1%} (lowest {min(ratios):.1%}); our own CPU time {own:.2f} ms per call")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
