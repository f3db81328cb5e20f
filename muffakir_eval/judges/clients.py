"""One SDK client per event loop: a client cannot outlive the loop on which its connections were opened."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Generic, Protocol, TypeVar

__all__ = ["LoopClients"]


class _Client(Protocol):
    def close(self) -> Awaitable[None]: ...


ClientT = TypeVar("ClientT", bound=_Client)


class LoopClients(Generic[ClientT]):
    """Makes a client when a loop first asks for one.

    Args:
        make: Makes a client; called on the running loop.
    """

    def __init__(self, make: Callable[[], ClientT]) -> None:
        self._make = make
        self._clients: dict[asyncio.AbstractEventLoop, ClientT] = {}

    async def get(self) -> ClientT:
        """The client of the running loop."""
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            client = self._clients[loop] = self._make()
            await self._bury()
        return client

    async def aclose(self) -> None:
        """Close the client of the running loop; asking again makes a new one."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()
        await self._bury()

    async def _bury(self) -> None:
        """Let go of clients whose loop was closed without a word.

        Their connections died with the loop. Closed by hand, a client says so here, and not later, from its finalizer.
        """
        for loop in [loop for loop in self._clients if loop.is_closed()]:
            client = self._clients.pop(loop, None)
            if client is not None:
                with contextlib.suppress(RuntimeError):
                    await client.close()
