"""The event loop shared by all gRPC servers of a process: grpcio's polling is slow with several loops."""

import asyncio
from collections.abc import Coroutine
from functools import lru_cache
from threading import Thread
from typing import Any, TypeVar

_T = TypeVar("_T")


@lru_cache(1)
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="grpc loop", daemon=True).start()
    return loop


def run(work: Coroutine[Any, Any, _T]) -> _T:
    """Runs a coroutine in the loop's thread and waits for it; must not be called from that thread."""
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()
