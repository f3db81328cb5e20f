"""A judge on the loopback interface that speaks chat completions and messages over HTTP/1.1 with keep-alive.

It drives the real SDKs, which take it for OpenAI, Azure, Anthropic or any compatible server::

    with JudgeServer({"score": 4}, latency_s=0.2, rules=[knows_no_schemas]) as server:
        client = AsyncOpenAI(base_url=server.openai_url, api_key="any")
        ...
    assert server.count == 3 and server.most_at_once == 2

What it answers is a reply (text, mapping, :class:`Says`), an :class:`Answer` (see :mod:`tests.judges.answers`:
``fails(429, retry_after=300)``, ``drops("half_body")``, ``hangs()``, …), or a function of the request that
gives one of them. ``server.script(…)`` puts answers before it that are each given once. Rules are asked first:
they say what the server does not know.
"""

from __future__ import annotations

import asyncio
import contextlib
import http
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, Self

from tests.judges.answers import Answer, Behaviour, Rule, Says, Seen, fails, render

__all__ = ["JudgeServer"]

_BACKLOG = 4_096
_ENDPOINTS = ("/chat/completions", "/messages")


class JudgeServer:
    """A server in a thread of its own; a context manager that starts and stops it.

    Args:
        answer: The answer to whatever the script leaves over.
        latency_s: Waited before each answer.
        rules: Asked in turn before script and answer; the first that answers decides.

    Attributes:
        requests: Everything that arrived, in order.
        most_at_once: The highest number of requests that waited for their answer at one moment.
        connections: TCP connections accepted.
    """

    def __init__(
        self,
        answer: Behaviour | Answer | Says | str | Mapping[str, Any] = "{}",
        *,
        latency_s: float = 0.0,
        rules: Iterable[Rule] = (),
    ) -> None:
        self.answer = answer
        self.latency_s = latency_s
        self.rules = list(rules)
        self.requests: list[Seen] = []
        self.most_at_once = 0
        self.connections = 0
        self._now = 0
        self._script: deque[Behaviour | Answer | Says | str | Mapping[str, Any]] = deque()
        self._port = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()
        self._thread: threading.Thread | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def script(self, *answers: Behaviour | Answer | Says | str | Mapping[str, Any]) -> None:
        """Give these answers, one to each coming request, before going back to ``answer``."""
        self._script.extend(answers)

    @property
    def count(self) -> int:
        """Requests that arrived."""
        return len(self.requests)

    @property
    def url(self) -> str:
        """The root, without a slash: base URL of Anthropic's SDK and endpoint of Azure's."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def openai_url(self) -> str:
        """Base URL for OpenAI's SDK."""
        return f"{self.url}/v1"

    @property
    def still_open(self) -> int:
        """Connections that are open, once those that are being closed have had the time for it."""
        give_up = time.monotonic() + 2.0
        while self._tasks and time.monotonic() < give_up:
            time.sleep(0.01)
        return len(self._tasks)

    def forget(self) -> None:
        """Set requests and high-water mark back."""
        self.requests.clear()
        self.most_at_once = 0

    def __enter__(self) -> Self:
        started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(started)), daemon=True)
        self._thread.start()
        if not started.wait(10):
            raise RuntimeError("the server did not start")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(10)

    async def _serve(self, started: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, backlog=_BACKLOG)
        self._port = server.sockets[0].getsockname()[1]
        started.set()
        await self._stop.wait()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client went away, or the server stops
        finally:
            writer.transport.abort() if writer.transport.is_closing() else writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()
            self._tasks.discard(task)

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its answer; whether the connection stays open."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {
            name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)
        }
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        method, path, _ = head[0].split(" ")
        seen = Seen(number=len(self.requests), path=path, headers=headers, raw=raw, method=method)
        self.requests.append(seen)
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            answer = self._decide(seen)
            if wait := self.latency_s + answer.delay_s:
                await asyncio.sleep(wait)
        finally:
            self._now -= 1
        return await _send(answer, writer)

    def _decide(self, seen: Seen) -> Answer:
        if not seen.path.split("?")[0].endswith(_ENDPOINTS):
            return fails(404, f"there is nothing at {seen.path}")
        for rule in self.rules:
            if (verdict := rule(seen)) is not None:
                return verdict
        answer = self._script.popleft() if self._script else self.answer
        return render(answer(seen) if callable(answer) else answer, seen)


async def _send(answer: Answer, writer: asyncio.StreamWriter) -> bool:
    if answer.drop == "before_headers":
        return False
    headers = {
        "content-type": answer.content_type,
        "content-length": str(len(answer.body)),
        "connection": "keep-alive",
        **answer.headers,
    }
    phrase = http.HTTPStatus(answer.status).phrase if answer.status in set(http.HTTPStatus) else "Overloaded"
    lines = [f"HTTP/1.1 {answer.status} {phrase}", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    sent = "\r\n".join(lines).encode("latin-1")
    if answer.drip_s:
        writer.write(sent)
        for byte in answer.body:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(answer.drip_s)
        return True
    body = {None: answer.body, "after_headers": b""}.get(answer.drop, answer.body[: len(answer.body) // 2])
    writer.write(sent + body)
    await writer.drain()
    return answer.drop is None
