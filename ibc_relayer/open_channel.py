"""Opening a channel (ICS-4), or finding the one that is there."""

from typing import NamedTuple

from ibc_core import paths as keys
from ibc_core.channel.open_ack import MsgChannelOpenAck
from ibc_core.channel.open_confirm import MsgChannelOpenConfirm
from ibc_core.channel.open_init import MsgChannelOpenInit
from ibc_core.channel.open_try import MsgChannelOpenTry
from ibc_core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from ibc_core.host.block import TxOutcome
from ibc_core.wire.message import Msg
from ibc_relayer.endpoint import Proven
from ibc_relayer.ends import Found, channel_end, channels_of, pair
from ibc_relayer.errors import WrongCounterparty
from ibc_relayer.handshake import Clients, Move, Step, complete, named
from ibc_relayer.path import Side, other


class ChannelTerms(NamedTuple):
    """What kind of channel."""

    ports: tuple[str, str]  # on a and b
    connections: tuple[str, str]
    order: Order
    version: str  # as a proposes it; the applications may settle on another


def open_channel(clients: Clients, terms: ChannelTerms, *, new: bool) -> tuple[str, str]:
    """The channel ids on a and b of an open channel; opens one where none is open, or where `new`.

    Raises:
        HandshakeStuck: no message leads on.
        TransactionFailed: a chain refuses a step.
    """
    ids = ("", "") if new else pair(_found(clients, terms, 0), _found(clients, terms, 1))
    return finish_channel(clients, terms, ids)


def finish_channel(clients: Clients, terms: ChannelTerms, ids: tuple[str, str]) -> tuple[str, str]:
    """Takes the handshake of a channel to its end; `ids` on a and b, "" for an end to make."""
    opening = ChannelOpening(clients, terms, ids)
    complete("channel", opening, clients)
    return opening.ids[0], opening.ids[1]


class ChannelOpening:
    """The two ends of a channel."""

    def __init__(self, clients: Clients, terms: ChannelTerms, ids: tuple[str, str]) -> None:
        """Takes up the channel with these ids on a and b, "" for an end that is not there yet."""
        self._clients = clients
        self._terms = terms
        self.ids = list(ids)

    def states(self) -> tuple[str, str]:
        """States of the channel ends."""
        return self._state(0), self._state(1)

    def proof_key(self, prover: Side) -> bytes:
        """The channel end's path (ICS-24)."""
        return keys.channel_path(self._terms.ports[prover], self.ids[prover])

    def init(self, signer: str) -> Msg:
        """ChanOpenInit for a."""
        end = self._new_end(0, ChannelState.INIT, self._terms.version)
        return MsgChannelOpenInit(self._terms.ports[0], end, signer)

    def message(self, move: Move, proven: Proven, signer: str) -> Msg:
        """ChanOpenTry, -Ack or -Confirm."""
        port, near = self._terms.ports[move.target], self.ids[move.target]
        if move.step == Step.CONFIRM:
            return MsgChannelOpenConfirm(port, near, proven.proof, proven.height, signer)
        far_id, far = self.ids[other(move.target)], self._end(other(move.target))
        if move.step == Step.TRY:
            end = self._new_end(move.target, ChannelState.TRYOPEN, far.version)
            return MsgChannelOpenTry(port, "", end, far.version, proven.proof, proven.height, signer)
        return MsgChannelOpenAck(port, near, far_id, far.version, proven.proof, proven.height, signer)

    def note(self, move: Move, outcome: TxOutcome) -> None:
        """Reads the new identifier in the event."""
        if move.step in {Step.INIT, Step.TRY}:
            self.ids[move.target] = named(outcome, f"channel_open_{move.step.value}", "channel_id")

    def _new_end(self, side: Side, state: ChannelState, version: str) -> ChannelEnd:
        far = ChannelCounterparty(self._terms.ports[other(side)], self.ids[other(side)])
        return ChannelEnd(state, self._terms.order, far, (self._terms.connections[side],), version)

    def _state(self, side: Side) -> str:
        end = self._look(side)
        return end.state.name if end is not None else "UNINITIALIZED"

    def _end(self, side: Side) -> ChannelEnd:
        end = self._look(side)
        if end is None:
            raise WrongCounterparty(self._clients[side].host.chain_id, self.ids[side], "no such channel")
        return end

    def _look(self, side: Side) -> ChannelEnd | None:
        return channel_end(self._clients[side].host, self._terms.ports[side], self.ids[side])


def _found(clients: Clients, terms: ChannelTerms, side: Side) -> list[Found]:
    """Channels of these terms on one side that are not closed."""
    return [
        Found(name, end.counterparty.channel_id, end.state == ChannelState.OPEN)
        for name, end in channels_of(clients[side].host, terms.ports[side])
        if _fits(terms, side, end)
    ]


def _fits(terms: ChannelTerms, side: Side, end: ChannelEnd) -> bool:
    return (
        end.state != ChannelState.CLOSED
        and end.connection_hops == (terms.connections[side],)
        and (end.ordering, end.version) == (terms.order, terms.version)
        and end.counterparty.port_id == terms.ports[other(side)]
    )
