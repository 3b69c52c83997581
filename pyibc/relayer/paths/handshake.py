"""Connection and channel handshakes, continued from any state of the two ends (ICS-3, ICS-4).

Connections and channels have the same states, so they share the table `NEXT_STEPS`.
"""

from abc import ABC, abstractmethod
from dataclasses import fields
from enum import Enum
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from pyibc.core.channel.types import ChannelEnd
from pyibc.core.connection.types import ConnectionEnd
from pyibc.core.host.block import TxOutcome
from pyibc.core.identifiers import is_channel_id, is_connection_id
from pyibc.core.wire.message import Msg, pack_msg
from pyibc.direct import messages as direct
from pyibc.relayer.chain.values import Proven
from pyibc.relayer.clients.clock_guard import refused_as_future
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.errors import HandshakeStuck, TransactionFailed, WrongCounterparty
from pyibc.relayer.links.outcomes import refusal, send
from pyibc.relayer.paths.path import Side, other

_End = TypeVar("_End", bound=ConnectionEnd | ChannelEnd)

Clients = tuple[ForeignClient, ForeignClient]
"""Clients of a path: the one on a that tracks b, and the one on b that tracks a."""


class Step(Enum):
    """Handshake message."""

    INIT = "init"
    TRY = "try"
    ACK = "ack"
    CONFIRM = "confirm"


class NextStep(NamedTuple):
    """Next message, and the chain that it is submitted to."""

    kind: Step
    target: Side


_NONE, _INIT, _TRYOPEN, _OPEN = "UNINITIALIZED", "INIT", "TRYOPEN", "OPEN"

Steps = dict[tuple[str, str], NextStep | None]

NEXT_STEPS: Steps = {
    (_NONE, _NONE): NextStep(Step.INIT, 0),
    (_INIT, _NONE): NextStep(Step.TRY, 1),
    (_NONE, _INIT): NextStep(Step.TRY, 0),
    (_INIT, _TRYOPEN): NextStep(Step.ACK, 0),
    (_TRYOPEN, _INIT): NextStep(Step.ACK, 1),
    (_OPEN, _TRYOPEN): NextStep(Step.CONFIRM, 1),
    (_TRYOPEN, _OPEN): NextStep(Step.CONFIRM, 0),
    (_OPEN, _OPEN): None,
}
"""Next step by (state on a, state on b); None: both ends are open. Any other pair of states is stuck."""

BOTH_STARTED: Steps = {
    **NEXT_STEPS,
    (_INIT, _INIT): NextStep(Step.TRY, 1),
    (_TRYOPEN, _TRYOPEN): NextStep(Step.ACK, 0),
}
"""Next step for channels with chosen names: both chains may have started the handshake (ADR 0013)."""


def next_step(name: str, state_on_a: str, state_on_b: str, steps: Steps = NEXT_STEPS) -> NextStep | None:
    """Return the next step of a handshake; None when both ends are open.

    Raises:
        HandshakeStuck: the handshake cannot continue from these states.
    """
    try:
        return steps[(state_on_a, state_on_b)]
    except KeyError:
        raise HandshakeStuck(name, state_on_a, state_on_b) from None


class Handshake(ABC, Generic[_End]):
    """Handshake of a connection or channel; every step reads the state of both chains again."""

    noun: ClassVar[str]
    """Name in events and errors: `connection` or `channel`."""

    def __init__(self, clients: Clients, ids: tuple[str, str]) -> None:
        """Set the `ids` of the ends on a and b: "" for an end without an identifier yet."""
        self.clients = clients
        self.ids = list(ids)

    @property
    def steps(self) -> Steps:
        """Next step for each pair of states."""
        return NEXT_STEPS

    @abstractmethod
    def find(self, side: Side) -> _End | None:
        """Return the end on one side; None if it does not exist."""

    @abstractmethod
    def proof_key(self, prover: Side) -> bytes:
        """Return the path of the end on `prover` (ICS-24)."""

    @abstractmethod
    def init(self, signer: str) -> Msg:
        """Return the Init message, for a."""

    @abstractmethod
    def message(self, step: NextStep, proven: Proven, signer: str) -> Msg:
        """Return the Try, Ack or Confirm message, with the proof of the other end."""

    def end(self, side: Side) -> _End:
        """Return the end on one side.

        Raises:
            WrongCounterparty: the end does not exist.
        """
        end = self.find(side)
        if end is None:
            raise WrongCounterparty(self.clients[side].host.chain_id, self.ids[side], f"no such {self.noun}")
        return end

    def states(self) -> tuple[str, str]:
        """Return the state names of the ends on a and b."""
        a, b = self.find(0), self.find(1)
        return a.state.name if a else _NONE, b.state.name if b else _NONE

    def record_id(self, step: NextStep, outcome: TxOutcome) -> None:
        """Read the identifier of a new end from the transaction's events."""
        if step.kind in {Step.INIT, Step.TRY}:
            event = f"{self.noun}_open_{step.kind.value}"
            self.ids[step.target] = event_attribute(outcome, event, f"{self.noun}_id")


def run_handshake(handshake: Handshake[_End]) -> tuple[str, str]:
    """Complete a handshake, from any state; return the identifiers on a and b.

    Raises:
        HandshakeStuck: the handshake cannot continue.
        TransactionFailed: a chain refuses a step, and no other relayer has done the step.
    """
    states = handshake.states()
    while (step := next_step(handshake.noun, *states, handshake.steps)) is not None:
        client = handshake.clients[step.target]
        outcome = _send_step(step, handshake, client)
        if outcome.code == 0:
            handshake.record_id(step, outcome)
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
    return send(client.host, messages) if refused_as_future(client, outcome, height) else outcome


def event_attribute(outcome: TxOutcome, event_type: str, key: str) -> str:
    """Return an attribute of a transaction's first event of that type; "" if there is none."""
    for kind, attributes in outcome.events:
        if kind == event_type:
            return dict(attributes).get(key, "")
    return ""


# -- handshake and closing messages for ends with chosen names (`pyibc.channel.v1`, `pyibc.connection.v1`)
#
# ibc-go's messages accept only `channel-N` and `connection-N` as own ends. Chains with the direct plugin
# have the same messages for ends of any name. They are sent only for such names, so a chain without the
# plugin never gets one.


def for_channel(message: Msg, own_id: str, *, is_named: bool = False) -> Msg:
    """Return a message about the channel end `own_id` in the form that its chain accepts.

    `own_id` is "" for an id that will be generated. `is_named`: an end names the other before it exists.
    """
    return _named(message) if is_named or (own_id and not is_channel_id(own_id)) else message


def for_connection(message: Msg, own_id: str, *, is_named: bool = False) -> Msg:
    """Return a message about a connection end, as `for_channel` does for a channel end."""
    return _named(message) if is_named or (own_id and not is_connection_id(own_id)) else message


def _named(message: Msg) -> Msg:
    """Return the message of the same name and fields that accepts any name."""
    values: dict[str, Any] = {each.name: getattr(message, each.name) for each in fields(message)}  # type: ignore[arg-type]
    kind: type[Msg] = getattr(direct, type(message).__name__.replace("Msg", "MsgNamed", 1))
    return kind(**values)
