"""An ABCI 2.0 server: what CometBFT 0.38 talks to, for an application written in Python.

Write a `BaseApplication`, hand it to `run` (docs/abci.md). The package knows nothing of IBC.
"""

from abci_server.application import Application, BaseApplication
from abci_server.errors import AbciError
from abci_server.run import run
from abci_server.server import Limits, Server

__all__ = ["AbciError", "Application", "BaseApplication", "Limits", "Server", "run"]
