"""Settings of one validator's application, a JSON file in its home."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from ibc_module.upgrades import PlannedUpgrade
from pyibc.chain.comet.errors import WrongGenesis, WrongSettings
from pyibc.chain.comet.retention import Retention
from pyibc.core.numbers import MAX_I64

S = TypeVar("S", bound=msgspec.Struct)

APP_FILE = "app.json"
APP_STATE = "app"
"""Folder of the application's state in a validator's home."""

Abci = Literal["socket", "grpc"]
"""Protocol between CometBFT and its application: CometBFT's setting `abci`."""

_Percent = Annotated[int, Meta(ge=0, le=100)]


class UpgradeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An upgrade that the operators of a chain agreed upon."""

    name: Annotated[str, Meta(min_length=1)]
    height: Annotated[int, Meta(ge=1, le=MAX_I64)]  # of the first block that the new software executes

    def planned(self) -> PlannedUpgrade:
        """Convert the settings to `HostConfig.upgrade`."""
        return PlannedUpgrade(self.name, self.height)


class AppSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of one application process."""

    prefix: str  # of addresses
    plugins: tuple[str, ...] = ()  # `module:callable`, each returning a list of plugins
    queues: bool = False  # enable the queue protocol
    export: bool = False  # export every block to `app/export`, for `pyibc index`
    grpc_port: int = 0  # of the gRPC server on the loopback interface; 0 for no server
    rpc_port: int = 0  # of this validator's CometBFT
    legacy_events: bool = False  # as in `NodeSettings`
    keep_versions: int | None = 1000  # heights whose state can be queried and proved; None for all
    snapshot_every: int = 100  # blocks between two snapshots for state sync; 0 for none
    snapshot_percent: _Percent = 5  # maximum share of time spent on snapshots; 0 for no limit
    snapshots_kept: int = 2
    snapshot_chunk_bytes: int = 4_000_000  # must be equal on all validators; gRPC carries less than 4 MiB
    keep_blocks: int | None = None  # blocks that CometBFT retains; None for all
    map_bytes: int = 1 << 38  # maximum size of the state's database
    abci: Abci = "socket"  # same as in CometBFT's config.toml
    upgrade: UpgradeSettings | None = None  # as in `NodeSettings`

    @property
    def retention(self) -> Retention:
        """Limits on the history that the node stores."""
        return Retention(self.keep_blocks, self.keep_versions, self.map_bytes)


def read_app(home: Path) -> AppSettings:
    """Return the settings of the application at `home`; raise OSError, WrongSettings."""
    return read_settings(home / APP_FILE, AppSettings)


def read_settings(path: Path, kind: type[S]) -> S:
    """Read a settings file; raise OSError, WrongSettings."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError as error:
        raise WrongSettings(str(path), "the file does not exist") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise WrongSettings(str(path), str(error)) from error


# -- the part of CometBFT's genesis.json that the application reads before CometBFT connects
#
# Block limits and the initial height are fixed for the life of the chain, since no message changes them.
# The file stays valid after a restart, and after state sync, where InitChain is not called.

GENESIS_FILE = Path("config") / "genesis.json"


class ChainRules(NamedTuple):
    """Parameters fixed by the genesis."""

    chain_id: str
    initial_height: int
    block_bytes: int  # -1: CometBFT's own limit
    block_gas: int  # -1: no limit


def read_rules(home: Path) -> ChainRules:
    """Read the parameters from a home's genesis.json.

    Raises:
        OSError: genesis.json cannot be read.
        WrongGenesis: there is no genesis, or it is malformed.
    """
    try:
        raw = (home / GENESIS_FILE).read_bytes()
    except FileNotFoundError as error:
        advice = f"copy the network's file there, or make one by `cometbft init --home {home}`"
        raise WrongGenesis(str(home / GENESIS_FILE), f"does not exist: {advice}") from error
    try:
        document = json.loads(raw)
        block = document.get("consensus_params", {}).get("block", {})
        rules = ChainRules(
            str(document["chain_id"]),
            int(document.get("initial_height") or 1),
            int(block.get("max_bytes", 4_194_304)),
            int(block.get("max_gas", 10_000_000)),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise WrongGenesis(str(GENESIS_FILE), f"cannot be read: {error!r}") from error
    if rules.initial_height < 1:
        raise WrongGenesis("initial_height", f"is {rules.initial_height}")
    return rules


def app_state(raw: bytes) -> Mapping[str, Any]:
    """Return the application state in InitChain; empty if absent.

    Raises:
        WrongGenesis: the state is not a JSON object.
    """
    try:
        found = json.loads(raw or b"{}")
    except (ValueError, RecursionError) as error:
        raise WrongGenesis("app_state", f"is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise WrongGenesis("app_state", "is not a JSON object")
    return found
