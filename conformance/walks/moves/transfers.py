"""Moves of ICS-20 transfers over channels and clients."""

from conformance.walks import genesis
from conformance.walks.chain import WalkChain
from conformance.walks.moves import Move, forwarding
from conformance.walks.moves.channels import lines
from conformance.walks.moves.packets import timeouts
from conformance.walks.moves.packets_v2 import pairs
from conformance.walks.world import World
from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.chain.config import module_address
from pyibc.core.channel.types import ChannelState
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.packet_v2.types import ABI, JSON, PROTOBUF
from pyibc.testing.pair import SECOND

MEMOS = ("", "", "hello", '{"note":{}}', "<&>\u2028é")


def holdings(chain: WalkChain, address: str) -> list[tuple[str, int]]:
    """Return an account's balances."""
    ctx = chain.host.context(chain.height.revision_height + 1, chain.time_ns)
    return list(chain.host.bank.balances(ctx, genesis.ADDRESSES.decode(address, "address").raw))


def _coin(world: World, chain: WalkChain, sender: str) -> tuple[str, str]:
    """Return a denomination the sender holds, preferably a voucher, and an amount."""
    choices = world.choices
    held = holdings(chain, sender) or [("stake", 1)]
    vouchers = [each for each in held if each[0].startswith("ibc/")]
    denom, amount = choices.pick(vouchers if vouchers and choices.chance(60) else held)
    most = (1 << 256) - 1
    return denom, str(choices.weighted(((8, choices.between(1, min(amount, 10**9))), (2, amount), (1, most))))


def _receiver(world: World) -> str:
    blocked = genesis.ADDRESSES.encode(module_address("distribution")).text
    longest = genesis.ADDRESSES.encode(bytes(range(255))).text
    return world.choices.weighted(
        ((10, world.someone()), (1, blocked), (1, longest), (1, longest + "q"), (1, "not an address"))
    )


def _memo(world: World, far: WalkChain) -> str:
    return forwarding.memo(world, far) if world.choices.chance(40) else world.choices.pick(MEMOS)


def transfer(world: World, chain: WalkChain) -> list[object] | None:
    """Send a transfer over a channel."""
    usable = [
        line
        for line in lines(world, chain)
        if line.near.port_id == packet_data.PORT_ID and line.near.end.state is ChannelState.OPEN
    ]
    if not usable:
        return None
    line, sender = world.choices.pick(usable), world.someone()
    denom, amount = _coin(world, chain, sender)
    height, when = timeouts(world, line.far_chain)
    memo, receiver = _memo(world, line.far_chain), _receiver(world)
    channel = line.near.channel_id
    return [MsgTransfer(packet_data.PORT_ID, channel, denom, amount, sender, receiver, height, when, memo)]


def transfer_v2(world: World, chain: WalkChain) -> list[object] | None:
    """Send a transfer over a client, with a timeout in seconds and a chosen encoding."""
    found = pairs(world, chain)
    if not found:
        return None
    client_id, sender = world.choices.pick(found)[0], world.someone()
    denom, amount = _coin(world, chain, sender)
    until = world.now_ns // SECOND + world.choices.pick((15, 3600, 80_000))
    encoding, memo = world.choices.pick(("", JSON, PROTOBUF, ABI)), world.choices.pick(MEMOS)
    receiver, port = _receiver(world), packet_data.PORT_ID
    message = MsgTransfer(
        port, client_id, denom, amount, sender, receiver, ZERO_HEIGHT, until, memo, encoding
    )
    return [message]


MOVES: tuple[tuple[int, Move], ...] = ((10, transfer), (6, transfer_v2))
"""Weights and moves."""
