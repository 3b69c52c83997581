"""Connection and channel handshakes, continued from whatever state the two ends are in (ICS-3, ICS-4).

Connections and channels have the same states, so they share the table `NEXT_STEPS`.
"""

from abc import ABC, abstractmethod
from enum import Enum
from typing import ClassVar, Generic, NamedTuple, TypeVar

from ibc_core.channel.types import ChannelEnd
from ibc_core.connection.types import ConnectionEnd
from ibc_core.host.block import TxOutcome
from ibc_core.wire.message import Msg, pack_msg
from ibc_relayer.clock_guard import came_too_early
from ibc_relayer.endpoint import Proven
from ibc_relayer.errors import HandshakeStuck, TransactionFailed, WrongCounterparty
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.path import Side, other
from ibc_relayer.submission import refusal, send

_End = TypeVar("_End", bound=ConnectionEnd | ChannelEnd)

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


class Handshake(ABC, Generic[_End]):
    """The handshake of a connection or channel; every step reads the state of the chains anew."""

    noun: ClassVar[str]
    """`connection` or `channel`: as events and errors name it."""

    def __init__(self, clients: Clients, ids: tuple[str, str]) -> None:
        """`ids` of the ends on a and b, "" for an end that does not exist yet."""
        self.clients = clients
        self.ids = list(ids)

    @abstractmethod
    def find(self, side: Side) -> _End | None:
        """The end on one side, None if it does not exist."""

    @abstractmethod
    def proof_key(self, prover: Side) -> bytes:
        """The path of the end on `prover` (ICS-24)."""

    @abstractmethod
    def init(self, signer: str) -> Msg:
        """The Init message, for a."""

    @abstractmethod
    def message(self, step: NextStep, proven: Proven, signer: str) -> Msg:
        """The Try, Ack or Confirm message, with the proof of the other end."""

    def end(self, side: Side) -> _End:
        """The end on one side.

        Raises:
            WrongCounterparty: it does not exist.
        """
        end = self.find(side)
        if end is None:
            raise WrongCounterparty(self.clients[side].host.chain_id, self.ids[side], f"no such {self.noun}")
        return end

    def states(self) -> tuple[str, str]:
        """State names of the ends on a and b."""
        a, b = self.find(0), self.find(1)
        return a.state.name if a else _NONE, b.state.name if b else _NONE

    def note(self, step: NextStep, outcome: TxOutcome) -> None:
        """Reads the identifier of a new end from the transaction's events."""
        if step.kind in {Step.INIT, Step.TRY}:
            event = f"{self.noun}_open_{step.kind.value}"
            self.ids[step.target] = event_attribute(outcome, event, f"{self.noun}_id")


def run_handshake(handshake: Handshake[_End]) -> tuple[str, str]:
    """Completes a handshake, from whatever state it is in; returns the identifiers on a and b.

    Raises:
        HandshakeStuck: the handshake cannot continue.
        TransactionFailed: a chain refuses a step, and no other relayer has done it.
    """
    states = handshake.states()
    while (step := next_step(handshake.noun, *states)) is not None:
        client = handshake.clients[step.target]
        outcome = _send_step(step, handshake, client)
        if outcome.code == 0:
            handshake.note(step, outcome)
        elif handshake.states() == states:
            what = f"{handshake.noun} {step.kind.value}"
            raise TransactionFailed(client.host.chain_id, what, refusal(outcome), outcome.log)
        states = handshake.states()
    return handshake.ids[0], handshake.ids[1]


def _send_step(step: NextStep, handshake: Handshake[_End], client: ForeignClient) -> TxOutcome:
    if step.kind == Step.INIT:
        return send(client.host, [pack_msg(handshake.init(client.host.signer))])
    tip = client.reference.tip().height + 1  # the next header proves the state in which the end was read
    client.reference.wait(tip)
    height, updates = client.build_updates(tip)
    if len(updates) > 1:
        client.update_to(height)
        updates = []
    client.reference.wait(height)
    proven = client.reference.prove(handshake.proof_key(other(step.target)), height - 1)
    messages = [*updates, pack_msg(handshake.message(step, proven, client.host.signer))]
    outcome = send(client.host, messages)
    return send(client.host, messages) if came_too_early(client, outcome, height) else outcome


def event_attribute(outcome: TxOutcome, event_type: str, key: str) -> str:
    """An attribute of a transaction's first event of that type, "" if there is none."""
    for kind, attributes in outcome.events:
        if kind == event_type:
            return dict(attributes).get(key, "")
    return ""
