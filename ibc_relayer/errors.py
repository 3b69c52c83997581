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
    """The file that was named as the journal is none."""

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


class BlockMismatch(MalformedAnswer, code=40):
    """A block is of another chain or height than was asked for, or does not follow the one read before it."""

    text = "{chain_id}: {query} does not belong to what was read before: {reason}"
