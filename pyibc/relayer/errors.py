"""Errors of the relayer. A transaction that a chain refuses is a value (`TxOutcome`), not an error."""

from pyibc.core.errors import IbcError


class RelayerError(IbcError):
    """Base class of the relayer's errors."""

    codespace = "relayer"


class EndpointUnavailable(RelayerError, code=2):
    """A chain did not answer, or not in time; the same call may succeed later."""

    chain_id: str
    reason: str
    text = "{chain_id}: {reason}"


class EndpointRefused(RelayerError, code=3):
    """A chain cannot serve a query; the same call will fail again."""

    chain_id: str
    query: str
    reason: str
    text = "{chain_id}: {query}: {reason}"


class TransactionFailed(RelayerError, code=4):
    """A chain refused a transaction that the relayer needs."""

    chain_id: str
    what: str
    refusal: str  # codespace/code of the chain
    log: str
    text = "{chain_id} refused {what}: {refusal} {log}"


class WrongCounterparty(RelayerError, code=5):
    """A client, connection or channel does not lead to the expected chain (hermes#1038)."""

    chain_id: str
    name: str
    reason: str
    text = "{chain_id}: {name}: {reason}"


class ClientUnusable(RelayerError, code=6):
    """A client is frozen or expired: it accepts no updates."""

    chain_id: str
    client_id: str
    reason: str
    text = "{chain_id}: client {client_id} is {reason}"


class JournalMismatch(RelayerError, code=7):
    """The file of the journal is another kind of file."""

    journal: str
    reason: str
    text = "{journal}: {reason}"


class JournalUnavailable(RelayerError, code=30):
    """The journal cannot be used now, because of a full disk, a lock or permissions."""

    journal: str
    reason: str
    text = "{journal}: {reason}"


class HandshakeStuck(RelayerError, code=8):
    """Two ends have states from which the handshake cannot continue."""

    name: str
    state_on_a: str
    state_on_b: str
    text = "{name}: no step from {state_on_a} on a and {state_on_b} on b"


class MalformedAnswer(RelayerError, code=9):
    """A chain's answer cannot be decoded."""

    chain_id: str
    query: str
    reason: str
    text = "{chain_id}: {query}: malformed answer: {reason}"


class WrongConfiguration(RelayerError, code=10):
    """The file of the daemon's configuration is not valid; nothing is started or changed."""

    file: str
    reason: str
    text = "{file}: {reason}"


class DifferentTerms(RelayerError, code=20):
    """A client or path differs from the relayer's policy, and the user has not accepted the differences."""

    name: str
    differences: tuple[tuple[str, str, str, str], ...]  # `pyibc.relayer.clients.driver.Difference`
    text = "{name} has other terms than ours: {listed}"

    def __str__(self) -> str:
        listed = (f"{at} {term} {theirs} (ours {ours})" for term, ours, theirs, at in self.differences)
        return self.text.format(name=self.name, listed="; ".join(listed))


class NoPath(RelayerError, code=21):
    """No path is usable; none is created unless the user asks for it."""

    what: str  # kind of path searched for
    candidates: tuple[str, ...]  # some unusable paths that were found, with their findings
    more: int  # number of candidates that are not listed
    text = "no usable {what}{listed}"

    def __str__(self) -> str:
        more = [f"and {self.more} more"] if self.more else []
        listed = "".join(f"\n  {each}" for each in [*self.candidates, *more])
        return self.text.format(what=self.what, listed=listed)


class AmbiguousPath(RelayerError, code=22):
    """Several paths are usable; the user must name one."""

    what: str
    names: tuple[str, ...]
    text = "several usable {what}: {listed}"

    def __str__(self) -> str:
        return self.text.format(what=self.what, listed=", ".join(self.names))


class NodeBehind(EndpointUnavailable, code=23):
    """A node lacks a block that other nodes have reported: it lags, or the others lie."""


class LedgerUnavailable(EndpointUnavailable, code=31):
    """The ledger cannot be written now, for example because the disk is full; nothing is sent without it."""


class DaemonRunning(RelayerError, code=34):
    """Another daemon has the journal or the key; two of them would spend each other's sequences."""

    what: str  # the journal's file, or an address and its chain
    holder: str  # e.g. process 77
    text = "{what} is used by {holder}: stop that daemon, or use another one here"


class LedgerMismatch(RelayerError, code=32):
    """The file of the ledger is another kind of file, or of a later release."""

    ledger: str
    reason: str
    text = "{ledger}: {reason}"


class LedgerNotOpened(RelayerError, code=33):
    """The ledger cannot be opened or read now: full disk, a lock of another process, or it was closed."""

    ledger: str
    reason: str
    text = "{ledger}: {reason}"


class BlockMismatch(MalformedAnswer, code=24):
    """A block is of another chain or height than requested, or does not follow the previous block."""

    text = "{chain_id}: {query} does not belong to what was read before: {reason}"


# -- errors of keys, accounts and prices. They contain the source of a key, but nothing of the key


class KeyExposed(RelayerError, code=40):
    """A key file can be read or written by other users than its owner, so it is not read."""

    file: str
    mode: str  # octal
    text = "{file}: mode {mode} gives other users access to the key: chmod 600 '{file}'"


class KeyRefused(RelayerError, code=41):
    """A text that should be a key is not one."""

    where: str  # a file, env:NAME or command:WORDS
    reason: str
    text = "{where}: {reason}"


class AccountCannotSign(RelayerError, code=42):
    """The account on the chain has a type that no key signs for, or that is not supported."""

    chain_id: str
    address: str
    reason: str
    text = "{chain_id}: account {address}: {reason}"


class PriceRefused(RelayerError, code=43):
    """A gas price, or another number of the fee's configuration, is malformed."""

    given: str
    reason: str
    text = "{given}: {reason}"
