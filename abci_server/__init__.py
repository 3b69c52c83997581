"""An ABCI 2.0 server for any chain; knows nothing of IBC.

Write a `BaseApplication`, hand it to `run` (docs/abci.md).
"""

from abci_server.application import Application, BaseApplication
from abci_server.errors import AbciError
from abci_server.run import run
from abci_server.server import Limits, Server

__distribution__ = "pyibc"

__all__ = ["AbciError", "Application", "BaseApplication", "Limits", "Server", "run"]
