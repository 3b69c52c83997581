"""Schedules of sends, relaying and failures between two chains, run until no packet is in flight."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Protocol

from localnet.chain import LocalChain
from pyibc.codec.anys import AnyMessage
from pyibc.core.packet.events import SEND_PACKET
from pyibc.core.wire.tx import decode_tx
from pyibc.relayer.links.link import Link
from pyibc.relayer.packets.packets import AnyPacket, commitment_key, read_event


class World(Protocol):
    """Two chains and relayers between them; the steps of a schedule are names of its methods."""

    @property
    def chains(self) -> Sequence[LocalChain]:
        """Both chains, in their current state."""

    @property
    def relayers(self) -> Sequence[Link]:
        """The relayers between them, at least one."""

    def laws(self) -> list[str]:
        """Return violated invariants of the coins, normally none."""

    def wait(self, seconds: int) -> None:
        """Advance the time of both chains."""


def play(world: World, steps: Sequence[tuple[Any, ...]], longest_s: int) -> None:
    """Run a schedule, then relay until no packet is in flight.

    Args:
        world: The chains and relayers.
        steps: Method names of the world, each with its arguments.
        longest_s: Seconds after which every packet has timed out.

    Raises:
        AssertionError: coins were lost or created, or a packet is still in flight.
    """
    for name, *arguments in steps:
        getattr(world, name)(*arguments)
    _require_nothing(world.laws())
    for relayer in world.relayers:
        relayer.until_idle()
    # Packets may have timed out on a chain that has not made a block since: time those out now.
    world.wait(longest_s)
    for chain in world.chains:
        chain.make_block([])
    world.relayers[0].until_idle()
    _require_nothing(world.laws())
    _require_nothing([packet for chain in world.chains for packet in outstanding(chain)])


def _require_nothing(found: Sequence[object]) -> None:
    if found:
        raise AssertionError(found)


def outstanding(chain: LocalChain) -> Iterator[AnyPacket]:
    """Return the packets the chain sent whose commitments remain, of both protocol versions."""
    for height in range(1, chain.height + 1):
        for outcome in chain.block(height).txs:
            for event in outcome.events:
                seen = read_event(event)
                sent = seen.packet if seen is not None and seen.kind == SEND_PACKET else None
                if sent is not None and chain.get(commitment_key(sent)) is not None:
                    yield sent


def earlier_messages(chain: LocalChain, type_urls: Collection[str]) -> list[AnyMessage]:
    """Return messages of these types in all blocks of the chain, in order, including failed ones."""
    return [
        message
        for height in range(1, chain.height + 1)
        for outcome in chain.block(height).txs
        for message in decode_tx(outcome.tx).messages
        if message.type_url in type_urls
    ]
