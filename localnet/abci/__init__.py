"""An ABCI 2.0 server: what CometBFT 0.38 talks to, for an application written in Python.

Write a `BaseApplication`, hand it to `run` (docs/abci.md). The package knows nothing of IBC.
"""

from localnet.abci.application import Application, BaseApplication
from localnet.abci.errors import AbciError
from localnet.abci.run import run
from localnet.abci.server import Limits, Server

__all__ = ["AbciError", "Application", "BaseApplication", "Limits", "Server", "run"]
