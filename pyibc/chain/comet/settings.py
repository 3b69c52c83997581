"""One validator's files: settings in JSON, limits on history, and records that survive a power cut intact.

`TwoSlots` is a small record that is replaced often, in two files written alternately. Each file has the
SHA-256 of the rest, the length of the record (8 bytes) and the record. The files stay open and are never
truncated: a write needs neither a file descriptor nor, in general, disk space.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, BinaryIO, ClassVar, Literal, NamedTuple, TypeVar, dataclass_transform

import msgspec
from msgspec import Meta

from iavl.disk.database.data_file import sync_folder
from ibc_module.upgrades import PlannedUpgrade
from pyibc.core.numbers import MAX_I64


@dataclass_transform(eq_default=False)
@dataclass(eq=False)
class NodeError(Exception):
    """Base class of the errors of a node; each subclass is a dataclass with its fields and `text`."""

    text: ClassVar[str] = "node error"

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(eq=False)(cls)

    def __str__(self) -> str:
        return self.text.format(**{f.name: getattr(self, f.name) for f in fields(self)}).rstrip()


class WrongSettings(NodeError):
    """The settings file of an application is missing or malformed."""

    path: str
    reason: str
    text = "{path}: {reason}: write the file as docs/node.md says"


class WrongGenesis(NodeError):
    """The genesis is invalid, or not the one the application was started with."""

    key: str
    reason: str
    text = "genesis: {key} {reason}"


class OutOfStep(NodeError):
    """CometBFT requests a block that is not the next one: its blocks and the state do not match."""

    asked: int
    following: int
    text = "CometBFT requests block {asked}, but the state needs block {following}"


_HASH, _LENGTH = 32, 8


class TwoSlots:
    """Two files, `path`.0 and `path`.1; the parity of the record's number chooses one.

    Args:
        path: Common prefix of both names.
        durable: Sync each write to disk. If False, a power cut may lose the record.

    Raises:
        OSError: the files cannot be opened.
    """

    def __init__(self, path: Path, *, durable: bool) -> None:
        self._durable = durable
        names = [path.with_name(f"{path.name}.{turn}") for turn in range(2)]
        self._files = [os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644) for name in names]
        if durable:
            sync_folder(path.parent)

    def write(self, number: int, record: bytes) -> None:
        """Overwrite the record before the last one, by the parity of `number`; raise OSError."""
        file, body = self._files[number % 2], len(record).to_bytes(_LENGTH, "big") + record
        left, at = memoryview(sha256(body).digest() + body), 0
        while at < len(left):
            at += os.pwrite(file, left[at:], at)
        if self._durable:
            # guard: h104-a-signature-is-not-flushed drop
            #   test_h104_every_state_after_a_power_cut_opens_and_unmakes_nothing
            os.fdatasync(file)

    def read(self) -> list[bytes]:
        """Return the intact records: none to two, in no order."""
        found = [_record(os.pread(file, os.fstat(file).st_size, 0)) for file in self._files]
        return [record for record in found if record is not None]

    def is_damaged(self) -> bool:
        """Return whether both files have content and neither is intact, which no interrupted write causes."""
        return not self.read() and all(os.fstat(file).st_size for file in self._files)

    def close(self) -> None:
        """Close the files, if they are open."""
        while self._files:
            os.close(self._files.pop())


def _record(raw: bytes) -> bytes | None:
    end = _HASH + _LENGTH + int.from_bytes(raw[_HASH : _HASH + _LENGTH], "big")
    body = raw[_HASH:end]
    return body[_LENGTH:] if sha256(body).digest() == raw[:_HASH] else None


def write_synced(path: Path, content: bytes) -> None:
    """Write a new file and sync it to disk; raise OSError."""
    with path.open("xb") as file:
        _sync(file, content)


def replace_synced(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Replace a file atomically and sync it to disk; raise OSError."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    fresh.touch(mode=mode)
    with fresh.open("r+b") as file:
        _sync(file, content)
    fresh.replace(path)
    sync_folder(path.parent)


def _sync(file: BinaryIO, content: bytes) -> None:
    file.write(content)
    file.flush()
    os.fsync(file.fileno())


EVIDENCE_BLOCKS = 100_000
"""CometBFT's default `evidence.max_age_num_blocks`."""

FEWEST_BLOCKS = 10
"""Minimum number of blocks: a power cut loses the state of at most two, which are executed again."""


class Retention(NamedTuple):
    """Settings of a chain's storage."""

    keep_blocks: int | None = None  # blocks that are retained, including the last one; None for all
    keep_versions: int | None = 1000  # heights whose state can be queried and proved; None for all
    map_bytes: int = 1 << 38  # maximum size of each database; grows as needed, costs address space only
    cache_nodes: int = 500_000  # of the state's trees that stay in memory between blocks, 330 bytes each

    @property
    def evidence_blocks(self) -> int:
        """Maximum age of evidence in blocks: at most the number of stored blocks."""
        return min(EVIDENCE_BLOCKS, self.keep_blocks or EVIDENCE_BLOCKS)

    def check(self) -> None:
        """Raise ValueError if a setting is out of range."""
        if self.keep_blocks is not None and self.keep_blocks < FEWEST_BLOCKS:
            raise ValueError(f"keep_blocks is {self.keep_blocks}; it must be at least {FEWEST_BLOCKS}")
        if self.keep_versions is not None and self.keep_versions < 1:
            raise ValueError(f"keep_versions is {self.keep_versions}; it must be at least 1")
        if self.cache_nodes < 0:
            raise ValueError(f"cache_nodes is {self.cache_nodes}; it must be at least 0")
        if self.map_bytes < 1 << 20:
            raise ValueError(f"map_bytes is {self.map_bytes}; it must be at least 1 MiB")


def keep_from(height: int, retention: Retention, needed: int) -> int:
    """Return the oldest block to retain after block `height`.

    Args:
        height: Height of the last block.
        retention: Settings of the chain.
        needed: Oldest block that is needed for the state or a snapshot.

    Returns:
        Height of the block; 0 for all blocks.
    """
    if retention.keep_blocks is None:
        return 0
    # guard: h107-what-others-need-is-pruned drop:min test_h107_nothing_that_is_needed_is_pruned
    return max(0, min(height - retention.keep_blocks + 1, needed))


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
