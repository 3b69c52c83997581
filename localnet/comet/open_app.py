"""Opens a validator's application from its home: accounts, bank, IBC with ICS-20, and configured plugins."""

from collections.abc import Sequence
from pathlib import Path

from ibc_indexer.plugin import ExportPlugin
from ibc_module.plugin import Config
from localnet.comet.app import CometApp
from localnet.comet.genesis import ChainRules, read_rules
from localnet.comet.last_block_file import LastBlockFile
from localnet.comet.settings import AppSettings, read_app
from localnet.comet.snapshots import Snapshots
from localnet.comet.statesync import SnapshotTaker
from localnet.host.app import HostApp
from localnet.host.config import HostConfig
from localnet.plugin_loader import load_plugins
from localnet.protocol import protocol

STATE = "app"
"""Folder of the application state in a validator's home."""


def open_app(home: Path) -> CometApp:
    """The application of the validator at `home`.

    Raises:
        OSError: its settings or genesis cannot be read.
        BadSettings: the settings are malformed.
        ValueError: a plugin cannot be loaded.
        WrongGenesis: the genesis is malformed.
    """
    settings, rules = read_app(home), read_rules(home)
    folder = home / STATE
    folder.mkdir(exist_ok=True)
    exporting = (
        [ExportPlugin(folder / "export", first_height=rules.initial_height)] if settings.export else []
    )
    host = host_app(folder / "state", settings, rules, exporting)
    snapshots = Snapshots(folder / "snapshots", settings.snapshots_kept)
    taker = SnapshotTaker(host, snapshots, settings.snapshot_every, settings.snapshot_chunk_bytes)
    return CometApp(host, rules, LastBlockFile(folder / "last"), taker)


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
        [*ibc, *load_plugins(settings.plugins), *listening],
        path,
        keep_versions=settings.keep_versions,
        initial_height=rules.initial_height,
    )
