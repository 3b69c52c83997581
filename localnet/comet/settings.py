"""What one validator's application is told, as JSON in its home."""

from pathlib import Path

import msgspec

from localnet.settings import read

APP_FILE = "app.json"


class AppSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One application process."""

    prefix: str  # of addresses
    plugins: tuple[str, ...] = ()  # `module:callable`, each returning a list of plugins
    queues: bool = False  # with the queue protocol
    export: bool = False  # every block into `app/export`, for `pyibc index`
    grpc_port: int = 0  # of the gRPC server on the loopback interface; 0: none
    rpc_port: int = 0  # of the CometBFT beside it
    legacy_events: bool = False  # as `NodeSettings`
    keep_versions: int | None = 1000  # states that can be read and proved; None: all
    snapshot_every: int = 100  # blocks between two snapshots for state sync; 0: none
    snapshots_kept: int = 2
    snapshot_chunk_bytes: int = 4_194_304  # the same on all validators, so that their snapshots are one


def read_app(home: Path) -> AppSettings:
    """The settings of the application at `home`; raises OSError, BadSettings."""
    return read(home / APP_FILE, AppSettings)
