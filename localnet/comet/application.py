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
from pathlib import Path
from threading import Thread

from abci_server.errors import ServerError
from abci_server.run import run
from ibc_core.errors import IbcError
from localnet.comet.app import CometApp
from localnet.comet.configtoml import SOCKET
from localnet.comet.grpc_server import grpc_serving
from localnet.comet.open_app import open_app
from localnet.comet.settings import AppSettings, read_app
from localnet.errors import LocalnetError
from localnet.home_lock import HomeLock
from localnet.logs import log_to_stderr
from localnet.startup import cannot_start

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
        app = open_app(home)
    except (IbcError, LocalnetError, OSError, ValueError) as error:
        return cannot_start(error)
    try:
        if len(arguments) == 2:
            Thread(target=_end_with_input, daemon=True).start()
        return serve(app, read_app(home))
    finally:
        app.close()
        owned.release()


def serve(app: CometApp, settings: AppSettings, address: str = SOCKET) -> int:
    """Serves an application, and gRPC if configured, until stopped; returns the exit code."""
    try:
        with grpc_serving(app.host, settings):
            code = run(app, address, listening=_say_listening)
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


def _end_with_input() -> None:
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
