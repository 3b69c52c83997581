"""A TCP proxy that delays client data, by 40 ms per call, to simulate network latency.

    python -m benchmarks.delay_proxy SECONDS [FROM_PORT:TO_PORT ...]

Server data passes without delay. Prints a line when it listens; SIGTERM ends it.
"""

import asyncio
import sys
from contextlib import suppress

_PIECE = 1 << 18
_HOST = "127.0.0.1"


async def serve(delay_s: float, ports: list[tuple[int, int]]) -> None:
    """Serve until it is cancelled."""
    for listen, to in ports:
        await asyncio.start_server(_Forwarding(delay_s, to).connected, _HOST, listen)
    print("listening", flush=True)
    await asyncio.Event().wait()


class _Forwarding:
    """A forwarding from one port to another."""

    def __init__(self, delay_s: float, port: int) -> None:
        self._delay_s = delay_s
        self._port = port

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on both directions until either ends."""
        there, to = await asyncio.open_connection(_HOST, self._port)
        late = asyncio.Queue[tuple[float, bytes]]()
        parts = [self._take(reader, late), self._give(late, to), _copy(there, writer)]
        tasks = [asyncio.ensure_future(each) for each in parts]
        await asyncio.wait(tasks[1:], return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        for each in (to, writer):
            with suppress(OSError):
                each.close()

    async def _take(self, reader: asyncio.StreamReader, late: asyncio.Queue[tuple[float, bytes]]) -> None:
        clock = asyncio.get_running_loop().time
        data = b"-"
        while data:
            try:
                data = await reader.read(_PIECE)
            except ConnectionError:
                data = b""
            late.put_nowait((clock() + self._delay_s, data))

    async def _give(self, late: asyncio.Queue[tuple[float, bytes]], to: asyncio.StreamWriter) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            due, data = await late.get()
            await asyncio.sleep(max(0.0, due - clock()))
            if not data:
                return
            to.write(data)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(_PIECE):
            writer.write(data)
            await writer.drain()


if __name__ == "__main__":
    pairs = [tuple(map(int, each.split(":"))) for each in sys.argv[2:]]
    asyncio.run(serve(float(sys.argv[1]), [(first, second) for first, second in pairs]))
