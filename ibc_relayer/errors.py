"""The relayer's own errors. A transaction that a chain refuses is a value (`TxOutcome`), not an error."""

from ibc_core.errors import IbcError


class RelayerError(IbcError):
    """Base of the relayer's errors."""

    codespace = "relayer"


class EndpointUnavailable(RelayerError, code=2):
    """A chain did not answer, or not in time: the same call may succeed later."""

    chain_id: str
    reason: str
    text = "{chain_id}: {reason}"


class EndpointRefused(RelayerError, code=3):
    """A chain answered that it cannot serve a query: the same call will fail again."""

    chain_id: str
    query: str
    reason: str
    text = "{chain_id}: {query}: {reason}"


class TransactionFailed(RelayerError, code=4):
    """A chain refused a transaction that the relayer cannot do without."""

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
    """The file that was named as the journal is something else."""

    journal: str
    reason: str
    text = "{journal}: {reason}"


class JournalUnavailable(RelayerError, code=30):
    """The journal cannot be used now: a full disk, a lock, permissions. It may be a good one."""

    journal: str
    reason: str
    text = "{journal}: {reason}"


class HandshakeStuck(RelayerError, code=8):
    """Two ends are in states from which the handshake cannot continue."""

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
    """A daemon's file is not a configuration; nothing is started, or nothing is changed."""

    file: str
    reason: str
    text = "{file}: {reason}"


class DifferentTerms(RelayerError, code=20):
    """A client or path has other terms than we would have made, and nobody has accepted them."""

    name: str
    differences: tuple[tuple[str, str, str, str], ...]  # `ibc_relayer.driver.Difference`
    text = "{name} has other terms than ours: {listed}"

    def __str__(self) -> str:
        listed = (f"{at} {term} {theirs} (ours {ours})" for term, ours, theirs, at in self.differences)
        return self.text.format(name=self.name, listed="; ".join(listed))


class NoPath(RelayerError, code=21):
    """There is nothing to relay over; nothing is created unasked."""

    what: str  # that was looked for
    candidates: tuple[str, ...]  # some that were found, and why they will not do
    more: int  # that are not listed
    text = "no usable {what}{listed}"

    def __str__(self) -> str:
        more = [f"and {self.more} more"] if self.more else []
        listed = "".join(f"\n  {each}" for each in [*self.candidates, *more])
        return self.text.format(what=self.what, listed=listed)


class AmbiguousPath(RelayerError, code=22):
    """Several will do: the user says which, not whoever made the newest."""

    what: str
    names: tuple[str, ...]
    text = "several usable {what}: {listed}"

    def __str__(self) -> str:
        return self.text.format(what=self.what, listed=", ".join(self.names))


class NodeBehind(EndpointUnavailable, code=23):
    """A node has not got a block yet that others have told of: it lags, or what they told is a lie."""


class LedgerUnavailable(EndpointUnavailable, code=31):
    """The ledger cannot be written now, as on a full disk: nothing is sent that is not in it."""


class LedgerMismatch(RelayerError, code=32):
    """The file that was named as the ledger is something else, or of a later release."""

    ledger: str
    reason: str
    text = "{ledger}: {reason}"


class LedgerNotOpened(RelayerError, code=33):
    """The ledger cannot be opened or read just now: its disk is full, others have it, or it was closed."""

    ledger: str
    reason: str
    text = "{ledger}: {reason}"


class BlockMismatch(MalformedAnswer, code=24):
    """A block is of another chain or height than was asked for, or does not follow the one read before it."""

    text = "{chain_id}: {query} does not belong to what was read before: {reason}"
