"""One validator's application process: `python -m localnet.comet.application HOME [--until-eof]`.

Serves HOME/app.sock and prints "listening" on standard output once CometBFT can connect. With `--until-eof`
it exits when its standard input closes, so that it does not outlive a killed supervisor, and terminates its
CometBFT, which over gRPC would wait for another application and lock the databases that its successor needs.
Exit codes: 0 stopped by a signal, 2 could not start, 70 a bug in the application.
"""

import logging
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from threading import Thread

from abci_server.errors import ServerError
from abci_server.messages import encode
from abci_server.server import run
from iavl import IavlError
from localnet.comet.homes import SOCKET
from localnet.errors import LocalnetError
from localnet.process.startup import HomeLock, cannot_start, log_to_stderr
from pyibc.chain.app import HostApp
from pyibc.chain.comet.app import CometApp, open_app
from pyibc.chain.comet.settings import APP_STATE, AppSettings, NodeError, read_app, read_rules
from pyibc.core import native
from pyibc.core.comet import read_block
from pyibc.core.errors import IbcError
from pyibc.core.garbage_collection import tuned_gc
from pyibc.core.host.block import CommittedBlock
from pyibc.indexer.blocks.plugin import ExportPlugin
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable
from pyibc.relayer.rpc.calls import Rpc
from pyibc.relayer.rpc.client import HttpRpc, RpcConfig
from pyibc.relayer.rpc.reading import read_answer

PID_FILE = "comet.pid"
_PATIENCE_S = 5.0
_GLANCE_S = 0.05


def end_orphan(home: Path, patience_s: float = _PATIENCE_S) -> None:
    """End the CometBFT of a validator's home, if it runs; call this while its application still responds.

    Args:
        home: Home of the validator, with the pid file that its supervisor wrote.
        patience_s: Seconds to wait before SIGKILL.
    """
    try:
        pid = int((home / PID_FILE).read_text(encoding="ascii"))
        if not _is_at(pid, home):
            return
        os.kill(pid, signal.SIGTERM)
        end = time.monotonic() + patience_s
        while time.monotonic() < end:
            time.sleep(_GLANCE_S)
            os.kill(pid, 0)
        os.kill(pid, signal.SIGKILL)
    except (OSError, ValueError):
        return  # it does not run, or has exited


def _is_at(pid: int, home: Path) -> bool:
    """Return whether the process runs in `home`, since pids are reused; True on systems without /proc."""
    place = Path(f"/proc/{pid}/cwd")
    return not Path("/proc/self").exists() or place.resolve() == home.resolve()


# -- the gRPC server of a validator, in its application's process

log = logging.getLogger("localnet")


@contextmanager
def grpc_serving(host: HostApp, settings: AppSettings) -> Iterator[None]:
    """Serve gRPC at the configured port inside the `with` block; without grpcio only log a warning.

    Raises:
        OSError: the server cannot listen on the port.
    """
    if not settings.grpc_port:
        yield
        return
    try:
        from localnet.grpc.comet_view import CometView  # noqa: PLC0415 - grpcio is an extra
        from localnet.grpc.server import serve_grpc  # noqa: PLC0415
    except ImportError as error:
        log.warning("no gRPC server: %s; pip install 'pyibc[node]'", error)
        yield
        return
    with closing(CometView(f"tcp://127.0.0.1:{settings.rpc_port}")) as view:
        server = serve_grpc(view, host, settings.grpc_port)
        try:
            yield
        finally:
            server.stop()


# -- blocks of a validator's own CometBFT, for an exporter that lacks some of them

QUICK = RpcConfig(timeout_s=2.0, attempts=1)
"""RPC configuration with a short timeout, because commits wait for the calls."""


class NodeBlocks:
    """Blocks with their results by height (`pyibc.indexer.blocks.plugin.Blocks`).

    Usable during Commit: `block` and `block_results` read CometBFT's stores, and wait neither for consensus
    nor for the application. `status` would wait for the commit.

    Args:
        chain_id: Id of the chain.
        rpc: RPC client of the CometBFT.
    """

    def __init__(self, chain_id: str, rpc: Rpc) -> None:
        self._chain_id = chain_id
        self._rpc = rpc

    def __call__(self, height: int) -> CommittedBlock | None:
        """Return a block; None if the node has pruned it.

        Raises:
            ConnectionError: the node does not respond: it is starting, or replays blocks before it listens.
            MalformedAnswer: the response is of another chain or height, or cannot be decoded.
        """
        try:
            raw, results = (self._rpc.call(each, height=str(height)) for each in ("block", "block_results"))
        except EndpointRefused:
            return None
        except EndpointUnavailable as error:
            raise ConnectionError(str(error)) from error

        def read() -> CommittedBlock:
            block = read_block(raw, results)
            # guard: h196-a-block-of-any-chain-will-do test_h196_a_block_of_another_chain_is_not_exported
            if (block.chain_id, block.height) != (self._chain_id, height):
                raise ValueError(f"it is block {block.height} of {block.chain_id!a:.64}")
            return block

        return read_answer(self._chain_id, f"block {height}", read)


# -- the process


def exporters(home: Path, settings: AppSettings) -> list[object]:
    """Return the exporter of the application at `home`, if its settings ask for one.

    Its lines are on disk before Commit returns; it gets missing blocks by RPC.

    Raises:
        OSError: the genesis cannot be read.
        WrongGenesis: the genesis is malformed.
    """
    if not settings.export:
        return []
    rules, folder, blocks = read_rules(home), home / APP_STATE / "export", None
    if settings.rpc_port:
        blocks = NodeBlocks(rules.chain_id, HttpRpc(f"http://127.0.0.1:{settings.rpc_port}", QUICK))
    return [ExportPlugin(folder, blocks, first_height=rules.initial_height, sync=True)]


LISTENING = "listening"
_DESCRIPTORS = 65_536


def main(arguments: Sequence[str]) -> int:
    """Run the application; return the exit code."""
    log_to_stderr()
    if not 1 <= len(arguments) <= 2 or (len(arguments) == 2 and arguments[1] != "--until-eof"):
        return cannot_start("usage: python -m localnet.comet.application HOME [--until-eof]")
    _take_descriptors()
    try:
        home = Path(arguments[0]).resolve(strict=True)
        os.chdir(home)  # the socket path is relative to it
        owned = HomeLock(home)
    except (LocalnetError, OSError) as error:
        return cannot_start(error)
    with ExitStack() as left:
        left.callback(owned.release)
        try:
            settings = read_app(home)
            app = open_app(home, exporters(home, settings))
        except (IavlError, IbcError, NodeError, OSError, ValueError) as error:
            return cannot_start(error)
        left.callback(app.close)
        if len(arguments) == 2:
            Thread(target=_end_with_input, args=(settings,), daemon=True).start()
        return serve(app, settings)


def serve(app: CometApp, settings: AppSettings, address: str = SOCKET) -> int:
    """Serve an application, and gRPC if configured, until stopped; return the exit code."""
    encode.faster_events = native.encode_events
    try:
        with grpc_serving(app.host, settings), tuned_gc():
            code = run(app, address, listening=_say_listening, transport=settings.abci)
    except (ServerError, OSError) as error:
        return cannot_start(error)
    log.info("stopped at height %d", app.host.info().height)
    return code


def _take_descriptors() -> None:
    """Raise the limit on open files: the usual 1,024 are too few for many connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if hard == resource.RLIM_INFINITY else min(_DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _say_listening() -> None:
    sys.stdout.write(LISTENING + "\n")
    sys.stdout.flush()


def _end_with_input(settings: AppSettings) -> None:
    while os.read(0, 4096):
        pass
    if settings.abci == "grpc":
        end_orphan(Path())  # otherwise CometBFT would wait for an application forever
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
