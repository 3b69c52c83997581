"""An ABCI 2.0 server for any chain, independent of IBC.

Implement `BaseApplication` and pass it to `run` (docs/embedding.md).
"""

from abci_server.application import Application, BaseApplication
from abci_server.errors import AbciError, AnswerHeld
from abci_server.server import Limits, Server, run

__distribution__ = "pyibc"

__all__ = ["AbciError", "AnswerHeld", "Application", "BaseApplication", "Limits", "Server", "run"]
