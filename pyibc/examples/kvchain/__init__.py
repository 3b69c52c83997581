"""Key-value chain under CometBFT, on `abci_server`; see docs/embedding.md. `app` first, then `snapshots`."""

from pyibc.examples.kvchain.app import KvApp
from pyibc.examples.kvchain.snapshots import SnapshottingKvApp

__all__ = ["KvApp", "SnapshottingKvApp"]
