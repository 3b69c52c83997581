"""What users send, over each kind of route."""

from random import Random

from conformance.simulation.nodes import USERS, Node
from conformance.simulation.routes import Route
from conformance.simulation.world import World
from ibc_core.any_message import AnyMessage
from ibc_core.height import ZERO_HEIGHT, Height
from ibc_core.packet_v2.types import NS_PER_S
from ibc_core.queue.packet import Registration
from ibc_core.queue.send import MsgQueueSend
from ibc_core.transfer.msg_transfer import MsgTransfer
from ibc_core.wire.message import pack_msg
from ibc_module.apps.queue_coins.app import denom_of
from ibc_module.apps.queue_coins.denom import Transfer, encode_transfer
from ibc_module.apps.queue_coins.plugin import COINS
from ibc_relayer.path import ClientPath, Side, other
from ibc_relayer.queue.path import QueuePath
from ibc_testing.clock import SECOND
from ibc_testing.transfers import hop

SOON_S = (3, 40)
"""A timeout that some packets reach, seconds."""
NEVER_S = 90 * 60


class Sending:
    """One user's coins, of any chain, to somebody over there; some to nobody, some for a short time."""

    def __init__(self, world: World, route: Route, side: Side, choice: Random) -> None:
        """From the route's end on `side`, whose node is up."""
        self._route = route
        self._side = side
        self._choice = choice
        self._near, self._far = (world.ends(route)[each] for each in (side, other(side)))
        self.user = choice.choice(USERS)

    @property
    def message(self) -> AnyMessage:
        """What the user signs."""
        choice, app = self._choice, self._near.chain.app
        ctx, wallet = app.query_context(), self._near.terms.wallet(self.user)
        denom, most = choice.choice(sorted(app.bank.balances(ctx, wallet.address.raw)))
        amount = choice.randint(1, max(1, most // 1000))
        receiver = choice.choice([self._wallet(self._far, choice)] * 7 + ["nobody"])
        path = self._route.path
        if isinstance(path, QueuePath):
            transfer = Transfer(denom_of(ctx, denom), amount, wallet.address.text, receiver)
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
        return node.terms.wallet(choice.choice(USERS)).address.text

    def _queued(self, ends: Registration, transfer: Transfer) -> AnyMessage:
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
