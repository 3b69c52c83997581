"""Errors of running a chain. They never reach a chain's responses."""

from dataclasses import dataclass, fields
from typing import ClassVar, dataclass_transform


@dataclass_transform(eq_default=False)
@dataclass(eq=False)
class LocalnetError(Exception):
    """Base class of the local network's errors; a subclass is a dataclass: it lists its fields and `text`."""

    text: ClassVar[str] = "local network error"

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(eq=False)(cls)

    def __str__(self) -> str:
        return self.text.format(**{f.name: getattr(self, f.name) for f in fields(self)}).rstrip()


class NoSuchBlock(LocalnetError):
    """There is no block at this height yet."""

    height: int
    last: int
    text = (  # CometBFT's wording, which relayers parse.
        "height {height} must be less than or equal to the current blockchain height {last}"
    )


class BlockPruned(LocalnetError):
    """The block was deleted: only the newest are kept."""

    height: int
    first: int
    text = (  # CometBFT's wording, which relayers parse.
        "height {height} is not available, lowest height is {first}"
    )


class ChainHalted(LocalnetError):
    """A block failed with an unexpected exception; the chain must be reopened."""

    chain_id: str
    height: int
    text = "{chain_id} halted at block {height}"


class BrokenChain(LocalnetError):
    """State and blocks on disk are inconsistent."""

    chain_id: str
    reason: str
    text = "{chain_id} cannot be opened: {reason}"


class StateAhead(LocalnetError):
    """The state is of a later block than the last stored one: blocks were lost, or are another home's.

    No power cut leaves that: a block is on the disk before the state knows it.
    """

    chain_id: str
    state: int
    blocks: int
    text = (
        "{chain_id}: state of height {state}, blocks up to {blocks}: the block store was lost or is another"
        " home's: put the right one back"
    )


class StateBehind(LocalnetError):
    """The blocks that would bring the state up to the last one were pruned."""

    chain_id: str
    state: int
    first: int
    text = "{chain_id}: state of height {state}, the block store begins at {first}: the state was lost"


class DoubleSign(LocalnetError):
    """The validators are asked to sign another block than they signed at this height, or a later one."""

    height: int
    asked: bytes  # hash of the block
    signed_height: int
    signed: bytes  # hash of the block that was signed last
    text = "block {height} is not signed: the validators signed block {signed_height} already, another one"


class SignedAhead(LocalnetError):
    """The validators signed a later block than the one after the last: blocks in between were lost."""

    chain_id: str
    signed: int
    blocks: int
    text = (
        "{chain_id}: the validators signed block {signed}, blocks up to {blocks}: the block store was lost or"
        " is another home's: put the right one back"
    )


class UnreadableSignState(LocalnetError):
    """The record of what was signed last is damaged: nothing may be signed without it."""

    path: str
    text = "{path}: what the validators signed last cannot be read"


class DamagedRecord(LocalnetError):
    """A record of the block store differs from what was written."""

    path: str
    key: bytes
    text = "{path}: the record {key!r} is damaged"


class UnknownSigner(LocalnetError):
    """The wallet has no account on the chain."""

    chain_id: str
    address: str
    text = "{address} has no account on {chain_id}"


class TxNotIncluded(LocalnetError):
    """A transaction was not included in a block."""

    chain_id: str
    what: str
    seconds: float
    text = "{chain_id}: {what} not committed within {seconds:g} s"


class AlreadyRunning(LocalnetError):
    """Another process holds the lock of a node's home."""

    home: str
    text = "a node runs at {home} already"


class NodeFailed(LocalnetError):
    """A node's process exited or did not respond in time."""

    chain_id: str
    reason: str
    log: str  # its last lines
    text = "{chain_id}: {reason}\n{log}"


class BadSettings(LocalnetError):
    """A settings file is missing or malformed."""

    path: str
    reason: str
    text = "{path}: {reason}: put it right, or remove the network (`pyibc localnet reset`)"


class LostValidators(LocalnetError):
    """Too many validators have lost their homes for the others to reach a quorum."""

    chain_id: str
    names: str
    text = (
        "{chain_id}: the homes of {names} are lost, the other validators are too few to go on:"
        " `pyibc localnet reset` removes the network, `up` makes it anew"
    )


class NoSuchNetwork(LocalnetError):
    """There is no network with this name."""

    name: str
    text = "no network is called {name!r}: `pyibc localnet list` tells names, `up --name` makes one"


class NetworkExists(LocalnetError):
    """A network with this name exists already."""

    name: str
    text = "network {name!r} exists: start it without settings, or reset it first"


class LeftOver(LocalnetError):
    """A folder has chains of a network whose settings are gone: a new one would go on from their state."""

    folder: str
    name: str
    text = (
        "{folder} has chains without the network's settings: put them back, or remove them"
        " (`pyibc localnet reset --name {name}`)"
    )
