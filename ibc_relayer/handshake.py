"""Opening connections and channels, step by step, from whatever state the two ends are in (ICS-3, ICS-4).

`next_step` is the whole of it, as a table: connections and channels share it, because their states do.
"""

from enum import Enum
from typing import NamedTuple, Protocol

from ibc_core.host.block import TxOutcome
from ibc_core.wire.message import Msg, pack_msg
from ibc_relayer.client import TendedClient
from ibc_relayer.endpoint import Proven
from ibc_relayer.errors import HandshakeStuck, TransactionFailed
from ibc_relayer.path import Side, other
from ibc_relayer.submission import refusal, send

Clients = tuple[TendedClient, TendedClient]
"""On a of b, and on b of a."""


class Step(Enum):
    """A handshake message."""

    INIT = "init"
    TRY = "try"
    ACK = "ack"
    CONFIRM = "confirm"


class Move(NamedTuple):
    """Which message goes to which chain next."""

    step: Step
    target: Side


_NONE, _INIT, _TRYOPEN, _OPEN = "UNINITIALIZED", "INIT", "TRYOPEN", "OPEN"

MOVES: dict[tuple[str, str], Move | None] = {
    (_NONE, _NONE): Move(Step.INIT, 0),
    (_INIT, _NONE): Move(Step.TRY, 1),
    (_NONE, _INIT): Move(Step.TRY, 0),
    (_INIT, _TRYOPEN): Move(Step.ACK, 0),
    (_TRYOPEN, _INIT): Move(Step.ACK, 1),
    (_OPEN, _TRYOPEN): Move(Step.CONFIRM, 1),
    (_TRYOPEN, _OPEN): Move(Step.CONFIRM, 0),
    (_OPEN, _OPEN): None,
}
"""(state on a, state on b) -> what comes next; None: open. Any other pair is stuck."""


def next_step(name: str, state_on_a: str, state_on_b: str) -> Move | None:
    """The next message of a handshake, None when both ends are open.

    Raises:
        HandshakeStuck: no message leads on from these states.
    """
    try:
        return MOVES[(state_on_a, state_on_b)]
    except KeyError:
        raise HandshakeStuck(name, state_on_a, state_on_b) from None


class Opening(Protocol):
    """A connection or channel on its way to being open; reads both chains anew for every answer."""

    def states(self) -> tuple[str, str]:
        """State names of the ends on a and b."""

    def proof_key(self, prover: Side) -> bytes:
        """Where the end on `prover` stands in its store."""

    def init(self, signer: str) -> Msg:
        """The first message, for a."""

    def message(self, move: Move, proven: Proven, signer: str) -> Msg:
        """Any later message, with the proof of the other end."""

    def note(self, move: Move, outcome: TxOutcome) -> None:
        """Learns the name that a new end was given."""


def complete(name: str, opening: Opening, clients: Clients) -> None:
    """Takes a handshake to its end, from wherever it stands.

    Args:
        name: what is opened, for errors.
        opening: the two ends.
        clients: on a of b, and on b of a.

    Raises:
        HandshakeStuck: no message leads on.
        TransactionFailed: a chain refuses a step, and nobody else has taken it.
    """
    states = opening.states()
    while (move := next_step(name, *states)) is not None:
        outcome = _take(move, opening, clients)
        if outcome.code == 0:
            opening.note(move, outcome)
        elif opening.states() == states:
            target = clients[move.target].host.chain_id
            raise TransactionFailed(target, f"{name} {move.step.value}", refusal(outcome), outcome.log)
        states = opening.states()


def _take(move: Move, opening: Opening, clients: Clients) -> TxOutcome:
    client = clients[move.target]
    if move.step == Step.INIT:
        return send(client.host, [pack_msg(opening.init(client.host.signer))])
    tip = client.target.tip().height + 1  # the end was read after the last block: the next header proves it
    client.target.wait(tip)
    height, updates = client.headers_to(tip)
    if len(updates) > 1:
        client.bring_to(height)
        updates = []
    client.target.wait(height)
    proven = client.target.prove(opening.proof_key(other(move.target)), height - 1)
    message = opening.message(move, proven, client.host.signer)
    return send(client.host, [*updates, pack_msg(message)])


def named(outcome: TxOutcome, event_type: str, key: str) -> str:
    """An attribute of the first event of that type in a transaction, "" where there is none."""
    for kind, attributes in outcome.events:
        if kind == event_type:
            return dict(attributes).get(key, "")
    return ""
