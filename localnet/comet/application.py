"""One validator's application process: `python -m localnet.comet.application HOME [--until-eof]`.

Serves HOME/app.sock and prints "listening" on standard output once CometBFT can connect. With `--until-eof`
it exits when its standard input closes, so that it does not outlive a killed supervisor. Exit codes: 0
stopped by a signal, 2 could not start, 70 a bug in the application.
"""

import logging
import os
import resource
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from threading import Thread

from abci_server import encode
from abci_server.errors import ServerError
from abci_server.run import run
from iavl import IavlError
from ibc_core import native
from ibc_core.collector import settled_collector
from ibc_core.errors import IbcError
from ibc_indexer.plugin import ExportPlugin
from ibc_module.plugin import Config
from ibc_module.plugin_loader import load_plugins
from ibc_relayer.rpc_client import HttpRpc
from localnet.comet.app import CometApp
from localnet.comet.block_results import BlockResults
from localnet.comet.configtoml import SOCKET
from localnet.comet.genesis import ChainRules, read_rules
from localnet.comet.grpc_server import grpc_serving
from localnet.comet.homes import APP_STATE
from localnet.comet.last_block_file import LastBlockFile
from localnet.comet.node_blocks import QUICK, NodeBlocks
from localnet.comet.orphan import end_orphan
from localnet.comet.settings import AppSettings, read_app
from localnet.comet.snapshots import Snapshots
from localnet.comet.statesync import SnapshotTaker
from localnet.errors import LocalnetError
from localnet.home_lock import HomeLock
from localnet.host.app import HostApp
from localnet.host.config import HostConfig
from localnet.logs import log_to_stderr
from localnet.protocol import protocol
from localnet.startup import cannot_start


def open_app(home: Path) -> CometApp:
    """The application of the validator at `home`.

    Raises:
        OSError: its settings or genesis cannot be read.
        BadSettings: the settings are malformed.
        ValueError: a plugin cannot be loaded.
        WrongGenesis: the genesis is malformed.
    """
    settings, rules = read_app(home), read_rules(home)
    settings.retention.check()
    folder = home / APP_STATE
    folder.mkdir(exist_ok=True)
    exporting = [_exporter(folder / "export", settings, rules)] if settings.export else []
    host = host_app(folder / "state", settings, rules, exporting)
    snapshots = Snapshots(folder / "snapshots", settings.snapshots_kept)
    taker = SnapshotTaker(
        host, snapshots, settings.snapshot_every, settings.snapshot_chunk_bytes, settings.snapshot_percent
    )
    return CometApp(host, rules, LastBlockFile(folder / "last"), taker, settings.retention)


def _exporter(folder: Path, settings: AppSettings, rules: ChainRules) -> ExportPlugin:
    """Each line is on the disk before CometBFT hears of the commit; what lacks is asked of CometBFT's RPC."""
    blocks = None
    if settings.rpc_port:
        blocks = NodeBlocks(rules.chain_id, HttpRpc(f"http://127.0.0.1:{settings.rpc_port}", QUICK))
    return ExportPlugin(folder, blocks, first_height=rules.initial_height, sync=True)


def host_app(
    path: Path | None, settings: AppSettings, rules: ChainRules, listening: Sequence[object] = ()
) -> HostApp:
    """The host application with its state at `path` (None: in memory); raises ValueError."""
    config = Config(account_prefix=settings.prefix)
    ibc = protocol(config, queues=settings.queues)
    host = HostConfig(
        rules.chain_id,
        settings.prefix,
        block_bytes=rules.block_bytes,
        block_gas=rules.block_gas,
        legacy_events=settings.legacy_events,
    )
    return HostApp(
        host,
        [*ibc, *load_plugins(settings.plugins), BlockResults(), *listening],
        path,
        keep_versions=settings.keep_versions,
        initial_height=rules.initial_height,
        map_bytes=settings.map_bytes,
    )


log = logging.getLogger("localnet")

LISTENING = "listening"
_DESCRIPTORS = 65_536


def main(arguments: Sequence[str]) -> int:
    """Runs the application; returns the exit code."""
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
            app, settings = open_app(home), read_app(home)
        except (IavlError, IbcError, LocalnetError, OSError, ValueError) as error:
            return cannot_start(error)
        left.callback(app.close)
        if len(arguments) == 2:
            Thread(target=_end_with_input, args=(settings,), daemon=True).start()
        return serve(app, settings)


def serve(app: CometApp, settings: AppSettings, address: str = SOCKET) -> int:
    """Serves an application, and gRPC if configured, until stopped; returns the exit code."""
    encode.faster_events = native.encode_events
    try:
        with grpc_serving(app.host, settings), settled_collector():
            code = run(app, address, listening=_say_listening, transport=settings.abci)
    except (ServerError, OSError) as error:
        return cannot_start(error)
    log.info("stopped at height %d", app.host.info().height)
    return code


def _take_descriptors() -> None:
    """Raises the limit on open files: the usual 1,024 are too few for many connections."""
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
        end_orphan(Path())  # it would wait for an application for ever
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
