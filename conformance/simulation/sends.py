"""Packets that users send, over each kind of route."""

from random import Random

from conformance.simulation.nodes import USERS, Node
from conformance.simulation.routes import Route
from conformance.simulation.world import World
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.codec.anys import AnyMessage
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.packet_v2.types import NS_PER_S
from pyibc.core.wire.message import pack_msg
from pyibc.queues.coins import COINS, CoinTransfer, denom_of, encode_transfer
from pyibc.queues.messages import MsgQueueSend
from pyibc.queues.packet import Registration
from pyibc.relayer.paths.path import ClientPath, Side, other
from pyibc.relayer.queue.path import QueuePath
from pyibc.testing.pair import SECOND
from pyibc.testing.transfers import hop

SOON_S = (3, 40)
"""A timeout that some packets reach, seconds."""
NEVER_S = 90 * 60


class Sending:
    """A user's transfer of any coins to the other chain.

    Sometimes the receiver does not exist, or the timeout is short.
    """

    def __init__(self, world: World, route: Route, side: Side, choice: Random) -> None:
        """Create it for the route's end on `side`, whose node is up."""
        self._route = route
        self._side = side
        self._choice = choice
        self._near, self._far = (world.ends(route)[each] for each in (side, other(side)))
        self.user = choice.choice(USERS)

    @property
    def message(self) -> AnyMessage:
        """The message to sign."""
        choice, app = self._choice, self._near.chain.app
        ctx, wallet = app.query_context(), self._near.identity.wallet(self.user)
        denom, most = choice.choice(sorted(app.bank.balances(ctx, wallet.address.raw)))
        amount = choice.randint(1, max(1, most // 1000))
        receiver = choice.choice([self._wallet(self._far, choice)] * 7 + ["nobody"])
        path = self._route.path
        if isinstance(path, QueuePath):
            transfer = CoinTransfer(denom_of(ctx, denom), amount, wallet.address.text, receiver)
            return self._queued(path[self._side], transfer)
        return pack_msg(
            MsgTransfer(
                *hop(path.end(self._side)),
                denom,
                str(amount),
                wallet.address.text,
                receiver,
                *self._until(),
                choice.choice(["", "a memo"]),
            )
        )

    def _wallet(self, node: Node, choice: Random) -> str:
        return node.identity.wallet(choice.choice(USERS)).address.text

    def _queued(self, ends: Registration, transfer: CoinTransfer) -> AnyMessage:
        height, time_ns = self._until()
        packet = (ends.local, ends.remote, None, COINS, encode_transfer(transfer))
        return pack_msg(MsgQueueSend(*packet, height, time_ns, transfer.sender))

    def _until(self) -> tuple[Height, int]:
        seconds = self._choice.randint(*SOON_S) if self._choice.random() < 0.3 else NEVER_S
        when = self._near.chain.tip().time_ns + seconds * SECOND
        if isinstance(self._route.path, ClientPath):
            return ZERO_HEIGHT, when // NS_PER_S
        if self._far.is_up and self._choice.random() < 0.2:
            revision, height = self._far.chain.revision, self._far.chain.height
            return Height(revision, height + self._choice.randint(2, 12)), 0
        return ZERO_HEIGHT, when
