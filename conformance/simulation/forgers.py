"""Forged packet messages of a user who wants coins: packets never sent, acknowledgements never written."""

from collections.abc import Callable
from random import Random

from conformance.simulation.false_answers import never_sent, richer
from conformance.simulation.nodes import USERS, Node
from conformance.simulation.routes import Route
from conformance.simulation.world import World
from iavl import IavlError
from light_client.tendermint.states import decode_client_state
from pyibc.codec.anys import AnyMessage, decode_any
from pyibc.core import paths
from pyibc.core.packet.events import SEND_PACKET
from pyibc.core.packet_v2.types import SENTINEL, PacketV2, encode_acknowledgement
from pyibc.core.wire.message import Msg, pack_msg
from pyibc.relayer.chain.values import Proven
from pyibc.relayer.packets import datagram as packet_messages
from pyibc.relayer.packets.packets import AnyPacket, commitment_key, name_on_a, read_event
from pyibc.relayer.paths.path import AnyPath, Side, other
from pyibc.relayer.queue.path import QueuePath

REFUSED = b'{"error":"ABCI code: 1: error handling packet: see events for details"}'
"""An acknowledgement that refunds the sender."""


class Forger:
    """A user with the packets of a route and a valid proof of something else."""

    def __init__(self, world: World, route: Route, side: Side, choice: Random) -> None:
        """Create it for the chain of the route's end on `side`; both nodes are up."""
        self._near, self._far = (world.ends(route)[each] for each in (side, other(side)))
        self._path, self._side = route.path, side
        self._choice = choice
        self.user = choice.choice(USERS)

    @property
    def message(self) -> AnyMessage | None:
        """The message to sign, or None if there is nothing to forge."""
        if isinstance(self._path, QueuePath):
            return None
        proven = self._proven(self._path)
        if proven is None:
            return None
        kind = self._choice.choice([self._received, self._refused, self._timed_out])
        message = kind(proven, self._near.identity.wallet(self.user).address.text)
        return None if message is None else pack_msg(message)

    def _received(self, proven: Proven, signer: str) -> Msg | None:
        packet = self._sent(self._far, other(self._side))
        change: Callable[[AnyPacket], AnyPacket] = self._choice.choice([never_sent, richer])
        return None if packet is None else packet_messages.recv(change(packet), proven, signer)

    def _refused(self, proven: Proven, signer: str) -> Msg | None:
        packet = self._sent(self._near, self._side, pending=True)
        if packet is None:
            return None
        answer = encode_acknowledgement((SENTINEL,)) if isinstance(packet, PacketV2) else REFUSED
        return packet_messages.acknowledge(packet, answer, proven, signer)

    def _timed_out(self, proven: Proven, signer: str) -> Msg | None:
        packet = self._sent(self._near, self._side, pending=True)
        return None if packet is None else packet_messages.timeout(packet, proven, 1, signer)

    def _sent(self, node: Node, side: Side, *, pending: bool = False) -> AnyPacket | None:
        """Return one of the last packets sent from an end, optionally only those still pending."""
        sent = []
        for height in sorted(node.observed):
            for outcome in node.observed[height].block.txs:
                for event in outcome.events:
                    seen = read_event(event) if event[0] == SEND_PACKET else None
                    if seen is not None and self._is_from(side, seen.packet):
                        sent.append(seen.packet)
        if pending:
            sent = [each for each in sent if node.chain.get(commitment_key(each)) is not None]
        return self._choice.choice(sent[-4:]) if sent else None

    def _is_from(self, side: Side, packet: AnyPacket) -> bool:
        return not isinstance(self._path, QueuePath) and name_on_a(packet) == self._path.end(side).name

    def _proven(self, path: AnyPath) -> Proven | None:
        """Return a proof of the other chain's client state, at the near client's latest height."""
        near = self._near.chain.get(paths.client_state_path(path.end(self._side).client_id))
        if near is None:
            return None
        height = decode_client_state(decode_any(near).value).latest_height.revision_height - 1
        try:
            key = paths.client_state_path(path.end(other(self._side)).client_id)
            return self._far.chain.prove(key, height)
        except IavlError:  # the node does not retain that version
            return None
