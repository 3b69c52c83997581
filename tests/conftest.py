"""What must stand before any test module is imported."""

import gc
import os
import signal
from collections.abc import Iterator
from zlib import crc32

import pytest
from hypothesis import settings

import localnet.grpc  # noqa: F401 - before grpcio: it settles how that behaves when a test starts a program
from localnet.process.lifecycle import FIRST_PORT
from pyibc.isolation.call_depth import raise_python_limit
from tests.sampling import EXHAUSTIVE, SEED

# Wiring a chain raises it: hypothesis warns if that happens in the middle of a test.
raise_python_limit()

# A port that is free when a chain is made must be free when it starts: workers look in ranges of their own.
_WORKER = os.environ.get("PYTEST_XDIST_WORKER")
if _WORKER is not None:
    os.environ[FIRST_PORT] = str(27657 + 1000 * int(_WORKER.removeprefix("gw")))

# Of hypothesis tests that do not say how many examples they try, a sample tries a quarter.
settings.register_profile("sample", max_examples=25)
if not EXHAUSTIVE:
    settings.load_profile("sample")

# A script's background job ignores SIGINT, and so would the programs that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Have hypothesis draw its examples with the seed of the samples, unless another is given."""
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(crc32(SEED.encode()))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Iterator[object]:
    """Exclude modules and collected tests from garbage collection: they live as long as the process.

    Every chain that a test makes sets off collections, and most of their work was to look at these objects.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()  # what is garbage already stays too: to find it costs more than it holds
        gc.enable()


def pytest_unconfigure() -> None:
    """Let go of what was excluded: libraries complain of objects that are left when the interpreter ends."""
    gc.unfreeze()


def pytest_report_header() -> str:
    """Say what the sweeps' samples are drawn with."""
    return "sweeps: all cases" if EXHAUSTIVE else f"sweeps: a sample, SEED={SEED}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int) -> None:
    """Say how to repeat a run whose samples failed."""
    if exitstatus == pytest.ExitCode.TESTS_FAILED and not EXHAUSTIVE:
        terminalreporter.write_line(f"samples were drawn with SEED={SEED}: give it to repeat them")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the Spark tests first, and give no limit of time to tests that take as long as somebody asks.

    Workers steal from the end of each other's lists: what stands first stays with one worker, which alone
    starts a JVM, and starts it at once.
    """
    items.sort(key=lambda item: item.get_closest_marker("spark") is None)
    for item in items:
        if any(item.get_closest_marker(name) for name in ("exhaustive", "interop")):
            item.add_marker(pytest.mark.timeout(0))
