"""Connection and channel handshakes, continued from whatever state the two ends are in (ICS-3, ICS-4).

Connections and channels have the same states, so they share the table `NEXT_STEPS`.
"""

from enum import Enum
from typing import NamedTuple, Protocol

from ibc_core.host.block import TxOutcome
from ibc_core.wire.message import Msg, pack_msg
from ibc_relayer.endpoint import Proven
from ibc_relayer.errors import HandshakeStuck, TransactionFailed
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.path import Side, other
from ibc_relayer.submission import refusal, send

Clients = tuple[ForeignClient, ForeignClient]
"""The client on a that tracks b, and the one on b that tracks a."""


class Step(Enum):
    """A handshake message."""

    INIT = "init"
    TRY = "try"
    ACK = "ack"
    CONFIRM = "confirm"


class NextStep(NamedTuple):
    """The next message, and the chain that it is submitted to."""

    kind: Step
    target: Side


_NONE, _INIT, _TRYOPEN, _OPEN = "UNINITIALIZED", "INIT", "TRYOPEN", "OPEN"

NEXT_STEPS: dict[tuple[str, str], NextStep | None] = {
    (_NONE, _NONE): NextStep(Step.INIT, 0),
    (_INIT, _NONE): NextStep(Step.TRY, 1),
    (_NONE, _INIT): NextStep(Step.TRY, 0),
    (_INIT, _TRYOPEN): NextStep(Step.ACK, 0),
    (_TRYOPEN, _INIT): NextStep(Step.ACK, 1),
    (_OPEN, _TRYOPEN): NextStep(Step.CONFIRM, 1),
    (_TRYOPEN, _OPEN): NextStep(Step.CONFIRM, 0),
    (_OPEN, _OPEN): None,
}
"""(state on a, state on b) -> next step; None: both are open. Any other pair is stuck."""


def next_step(name: str, state_on_a: str, state_on_b: str) -> NextStep | None:
    """The next step of a handshake, None when both ends are open.

    Raises:
        HandshakeStuck: it cannot continue from these states.
    """
    try:
        return NEXT_STEPS[(state_on_a, state_on_b)]
    except KeyError:
        raise HandshakeStuck(name, state_on_a, state_on_b) from None


class Handshake(Protocol):
    """The handshake of a connection or channel; every method reads the state of the chains anew."""

    def states(self) -> tuple[str, str]:
        """State names of the ends on a and b."""

    def proof_key(self, prover: Side) -> bytes:
        """The path of the end on `prover` (ICS-24)."""

    def init(self, signer: str) -> Msg:
        """The Init message, for a."""

    def message(self, step: NextStep, proven: Proven, signer: str) -> Msg:
        """The Try, Ack or Confirm message, with the proof of the other end."""

    def note(self, step: NextStep, outcome: TxOutcome) -> None:
        """Reads the identifier of a new end from the transaction's events."""


def run_handshake(name: str, handshake: Handshake, clients: Clients) -> None:
    """Completes a handshake, from whatever state it is in.

    Args:
        name: of what is opened, for errors.
        handshake: the two ends.
        clients: on a and on b, of each other.

    Raises:
        HandshakeStuck: the handshake cannot continue.
        TransactionFailed: a chain refuses a step, and no other relayer has done it.
    """
    states = handshake.states()
    while (step := next_step(name, *states)) is not None:
        outcome = _send_step(step, handshake, clients)
        if outcome.code == 0:
            handshake.note(step, outcome)
        elif handshake.states() == states:
            target = clients[step.target].host.chain_id
            raise TransactionFailed(target, f"{name} {step.kind.value}", refusal(outcome), outcome.log)
        states = handshake.states()


def _send_step(step: NextStep, handshake: Handshake, clients: Clients) -> TxOutcome:
    client = clients[step.target]
    if step.kind == Step.INIT:
        return send(client.host, [pack_msg(handshake.init(client.host.signer))])
    tip = (
        client.reference.tip().height + 1
    )  # the end was read after the last block, whose state the next header proves
    client.reference.wait(tip)
    height, updates = client.build_updates(tip)
    if len(updates) > 1:
        client.update_to(height)
        updates = []
    client.reference.wait(height)
    proven = client.reference.prove(handshake.proof_key(other(step.target)), height - 1)
    message = handshake.message(step, proven, client.host.signer)
    return send(client.host, [*updates, pack_msg(message)])


def event_attribute(outcome: TxOutcome, event_type: str, key: str) -> str:
    """An attribute of a transaction's first event of that type, "" if there is none."""
    for kind, attributes in outcome.events:
        if kind == event_type:
            return dict(attributes).get(key, "")
    return ""
