"""Settings of one validator's application, a JSON file in its home."""

from pathlib import Path
from typing import Annotated

import msgspec

from localnet.retention import Retention
from localnet.settings import Abci, read

APP_FILE = "app.json"
_Percent = Annotated[int, msgspec.Meta(ge=0, le=100)]


class AppSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of one application process."""

    prefix: str  # of addresses
    plugins: tuple[str, ...] = ()  # `module:callable`, each returning a list of plugins
    queues: bool = False  # enable the queue protocol
    export: bool = False  # export every block to `app/export`, for `pyibc index`
    grpc_port: int = 0  # of the gRPC server on the loopback interface; 0: no server
    rpc_port: int = 0  # of this validator's CometBFT
    legacy_events: bool = False  # as in `NodeSettings`
    keep_versions: int | None = 1000  # heights whose state can be queried and proved; None: all
    snapshot_every: int = 100  # blocks between two snapshots for state sync; 0: none
    snapshot_percent: _Percent = 5  # of the time, for snapshots: above it fewer are taken; 0: no limit
    snapshots_kept: int = 2
    snapshot_chunk_bytes: int = 4_000_000  # must be equal on all validators; gRPC carries less than 4 MiB
    keep_blocks: int | None = None  # blocks that CometBFT keeps; None: all
    map_bytes: int = 1 << 38  # greatest size of the state's database
    abci: Abci = "socket"  # what CometBFT's config.toml says too

    @property
    def retention(self) -> Retention:
        """How much of its past the node keeps."""
        return Retention(self.keep_blocks, self.keep_versions, self.map_bytes)


def read_app(home: Path) -> AppSettings:
    """The settings of the application at `home`; raises OSError, BadSettings."""
    return read(home / APP_FILE, AppSettings)
