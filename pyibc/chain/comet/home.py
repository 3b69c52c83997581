"""The application of a validator, opened from its home."""

from collections.abc import Sequence
from pathlib import Path

from ibc_module.plugin import Config
from ibc_module.registration import load_plugins
from pyibc.chain.app import HostApp
from pyibc.chain.comet.app import CometApp, LastBlockFile
from pyibc.chain.comet.block_results import BlockResults
from pyibc.chain.comet.settings import APP_STATE, AppSettings, ChainRules, read_app, read_rules
from pyibc.chain.comet.snapshots import Snapshots
from pyibc.chain.comet.state_sync import SnapshotTaker
from pyibc.chain.config import HostConfig
from pyibc.chain.protocol import protocol


def open_app(home: Path, plugins: Sequence[object] = ()) -> CometApp:
    """Return the application of the validator at `home`.

    The gRPC server and the export that its settings ask for belong to the process, not to the application.

    Args:
        home: Home of the validator, with its settings and its genesis.
        plugins: Plugins besides those of its settings.

    Raises:
        OSError: the settings or the genesis cannot be read.
        WrongSettings: the settings are malformed.
        ValueError: a plugin cannot be loaded.
        WrongGenesis: the genesis is malformed.
    """
    settings, rules = read_app(home), read_rules(home)
    settings.retention.check()
    folder = home / APP_STATE
    folder.mkdir(exist_ok=True)
    host = host_app(folder / "state", settings, rules, plugins)
    snapshots = Snapshots(folder / "snapshots", settings.snapshots_kept)
    taker = SnapshotTaker(
        host, snapshots, settings.snapshot_every, settings.snapshot_chunk_bytes, settings.snapshot_percent
    )
    return CometApp(host, rules, LastBlockFile(folder / "last"), taker, settings.retention)


def host_app(
    path: Path | None, settings: AppSettings, rules: ChainRules, listening: Sequence[object] = ()
) -> HostApp:
    """Return the host application with its state at `path` (None: in memory); raise ValueError."""
    config = Config(account_prefix=settings.prefix)
    ibc = protocol(config, queues=settings.queues)
    host = HostConfig(
        rules.chain_id,
        settings.prefix,
        block_bytes=rules.block_bytes,
        block_gas=rules.block_gas,
        legacy_events=settings.legacy_events,
        upgrade=settings.upgrade.planned() if settings.upgrade else None,
    )
    return HostApp(
        host,
        [*ibc, *load_plugins(settings.plugins), BlockResults(), *listening],
        path,
        keep_versions=settings.keep_versions,
        initial_height=rules.initial_height,
        map_bytes=settings.map_bytes,
    )
