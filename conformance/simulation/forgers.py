"""What somebody submits to get coins that are not his: packets nobody sent, answers nobody gave."""

from collections.abc import Callable
from random import Random

from conformance.simulation.lies import never_sent, richer
from conformance.simulation.nodes import USERS, Node
from conformance.simulation.routes import Route
from conformance.simulation.world import World
from iavl import IavlError
from ibc_core import paths
from ibc_core.any_message import AnyMessage
from ibc_core.packet.event_reader import SEND_PACKET
from ibc_core.packet_v2.states import encode_acknowledgement
from ibc_core.packet_v2.types import SENTINEL, PacketV2
from ibc_core.wire.anys import decode_any
from ibc_core.wire.message import Msg, pack_msg
from ibc_relayer import packet_messages
from ibc_relayer.endpoint import Proven
from ibc_relayer.packets import AnyPacket, commitment_key, name_on_a, read_event
from ibc_relayer.path import AnyPath, Side, other
from ibc_relayer.queue.path import QueuePath
from light_client.tendermint.state_codec import decode_client_state

REFUSED = b'{"error":"ABCI code: 1: error handling packet: see events for details"}'
"""An acknowledgement that gives the sender his coins back."""


class Forger:
    """A user with a route's packets, and with a true proof of something else."""

    def __init__(self, world: World, route: Route, side: Side, choice: Random) -> None:
        """On the chain of the route's end on `side`, whose node is up, as is the other."""
        self._near, self._far = (world.ends(route)[each] for each in (side, other(side)))
        self._path, self._side = route.path, side
        self._choice = choice
        self.user = choice.choice(USERS)

    @property
    def message(self) -> AnyMessage | None:
        """What the user signs; None: there is nothing to begin from."""
        if isinstance(self._path, QueuePath):
            return None
        proven = self._proven(self._path)
        if proven is None:
            return None
        kind = self._choice.choice([self._received, self._refused, self._timed_out])
        message = kind(proven, self._near.terms.wallet(self.user).address.text)
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
        """One of the last packets that were sent at an end, or of those of which it knows no answer."""
        sent = []
        for height in sorted(node.heard):
            for outcome in node.heard[height].block.txs:
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
        """Of the other chain's client, at the last height that the near one knows of it."""
        near = self._near.chain.get(paths.client_state_path(path.end(self._side).client_id))
        if near is None:
            return None
        height = decode_client_state(decode_any(near).value).latest_height.revision_height - 1
        try:
            key = paths.client_state_path(path.end(other(self._side)).client_id)
            return self._far.chain.prove(key, height)
        except IavlError:  # its node has not kept that state
            return None
