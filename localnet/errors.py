"""Errors of running a chain. They never reach a chain's responses."""

from pyibc.chain.comet.settings import NodeError


class LocalnetError(NodeError):
    """Base class of the local network's errors; each subclass is a dataclass with its fields and `text`."""

    text = "local network error"


class NoSuchBlock(LocalnetError):
    """The block at this height does not exist yet."""

    height: int
    last: int
    text = (  # CometBFT's wording, which relayers parse.
        "height {height} must be less than or equal to the current blockchain height {last}"
    )


class BlockPruned(LocalnetError):
    """The block was pruned: only the newest are retained."""

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


class AwaitsUpgrade(ChainHalted):
    """The chain has stopped at a planned upgrade, and continues with other software."""

    reason: str
    text = "{chain_id} stopped at block {height}: {reason}"


class BrokenChain(LocalnetError):
    """State and blocks on disk are inconsistent."""

    chain_id: str
    reason: str
    text = "{chain_id} cannot be opened: {reason}"


class StateAhead(LocalnetError):
    """The state is of a later block than the last stored one: blocks were lost, or belong to another home.

    A power cut does not cause this: a block is on disk before the state changes.
    """

    chain_id: str
    state: int
    blocks: int
    text = (
        "{chain_id}: the state is at height {state}, but blocks end at {blocks}: restore the right block"
        " store, which was lost or replaced"
    )


class StateBehind(LocalnetError):
    """The blocks that would bring the state up to the last one were pruned."""

    chain_id: str
    state: int
    first: int
    text = "{chain_id}: the state is at height {state}, but blocks begin at {first}: restore the state"


class DoubleSign(LocalnetError):
    """The validators have signed another block at this height, or one at a later height."""

    height: int
    asked: bytes  # hash of the block
    signed_height: int
    signed: bytes  # hash of the block that was signed last
    text = "refused to sign block {height}: the validators signed another block {signed_height} already"


class SignedAhead(LocalnetError):
    """The validators signed a later block than the one after the last: blocks in between were lost."""

    chain_id: str
    signed: int
    blocks: int
    text = (
        "{chain_id}: the validators signed block {signed}, but blocks end at {blocks}: restore the right"
        " block store, which was lost or replaced"
    )


class UnreadableSignState(LocalnetError):
    """The record of the last signed block is damaged: nothing may be signed without it."""

    path: str
    text = "{path}: the record of the last signed block cannot be read"


class DamagedRecord(LocalnetError):
    """A record of the block store does not match its checksum."""

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
    text = "a node is already running at {home}"


class NodeFailed(LocalnetError):
    """A node's process exited or did not respond in time."""

    chain_id: str
    reason: str
    log: str  # last lines of its log
    text = "{chain_id}: {reason}\n{log}"


class BadSettings(LocalnetError):
    """A settings file is missing or malformed."""

    path: str
    reason: str
    text = "{path}: {reason}: correct it, or remove the network (`pyibc localnet reset`)"


class WrongPlan(BadSettings):
    """The file localnet.toml of a project is malformed."""

    text = "{path}: {reason}: correct it, or remove the file"


class LostValidators(LocalnetError):
    """Too many validators have lost their homes for the others to reach a quorum."""

    chain_id: str
    names: str
    text = (
        "{chain_id}: the homes of {names} are lost, and the other validators have no quorum:"
        " `pyibc localnet reset` removes the network, `up` creates it again"
    )


class NoSuchNetwork(LocalnetError):
    """No network has this name."""

    name: str
    root: str  # folder of all networks
    text = "no network is named {name!r} in {root}: `pyibc localnet list` shows names, `up --name` makes one"


class NetworkExists(LocalnetError):
    """A network with this name exists already."""

    name: str
    text = "network {name!r} exists: start it without settings, or reset it first"


class OtherSettings(LocalnetError):
    """A network with this name exists, and has other settings than those that are asked for."""

    name: str
    differs: str
    text = (
        "network {name!r} exists with other settings, {differs}: leave these options out to start it as it"
        " is, or remove it with its state (`pyibc localnet reset --name {name}`) and create it again"
    )


class LeftOver(LocalnetError):
    """A folder has chains of a network whose settings are missing: a new one would reuse their state."""

    folder: str
    name: str
    text = (
        "{folder} has chains without the network's settings: restore the settings, or remove the chains"
        " (`pyibc localnet reset --name {name}`)"
    )


# -- errors of CometBFT's processes


class NoCometBft(LocalnetError):
    """CometBFT is not installed, or not at the given path."""

    told: str = ""  # the value of COMETBFT

    def __str__(self) -> str:
        if self.told:
            return f"COMETBFT is {self.told!r}, not a program: set it to CometBFT's path, or unset it"
        return "there is no cometbft here: build it by `pyibc cometbft install`, or set COMETBFT to its path"


class WrongCometBft(LocalnetError):
    """The binary is not a supported CometBFT version."""

    path: str
    version: str  # as reported by the binary

    def __str__(self) -> str:
        said = repr(self.version) if self.version else "nothing"
        return (
            f"{self.path} is not CometBFT 0.38, it reports the version {said}:"
            " `pyibc cometbft install` builds one, or set COMETBFT to its path"
        )


class NoGo(LocalnetError):
    """CometBFT cannot be built: there is no Go, or one that is too old."""

    fact: str
    text = (
        "CometBFT is built by Go 1.22 or later, and {fact}: install Go (https://go.dev/dl), or set COMETBFT"
        " to the path of a CometBFT 0.38 that is built already"
    )


class WrongSource(LocalnetError):
    """The source of CometBFT has another checksum than the released one."""

    version: str
    found: str
    expected: str
    text = (
        "the source of CometBFT {version} has the checksum {found} instead of {expected}, and was not built:"
        " clear it with `go clean -modcache`, and check GOPROXY"
    )


class GoFailed(LocalnetError):
    """Go could not fetch or build CometBFT."""

    what: str  # fetch, build
    reason: str
    text = "Go could not {what} CometBFT: {reason}"


class GoTooSlow(LocalnetError):
    """Go did not finish within the limit."""

    what: str  # Go's command
    seconds: float
    text = (
        "go {what} did not finish within {seconds:.0f} seconds: run `pyibc cometbft install` again, which"
        " goes on with what is there, or raise --timeout"
    )


class ValidatorFailed(LocalnetError):
    """A validator's application did not start."""

    name: str
    code: int | None  # its exit code; negative: the signal that killed it
    log: str  # its last lines
    text = "{name}: the application exited with code {code}\n{log}"
