"""Memos that request forwarding of a transfer by the receiving chain, valid and invalid."""

import json
from typing import Any

from conformance.walks import view
from conformance.walks.chain import WalkChain
from conformance.walks.world import World
from pyibc.apps.transfer import packet_data
from pyibc.core.channel.types import ChannelState

_TIMEOUTS: tuple[Any, ...] = ("10m", "1h0.5s", 600_000_000_000, 0, "0s", "30s", "", "1", -5, None, "10x", 1.5)
_RETRIES: tuple[Any, ...] = (0, 1, 2, 255, 1.9, 256, -1, None, "1")
_DEPTH = 3
_ODD = (
    '{"forward":{}}',
    '{"forward":{"receiver":"x","port":"transfer","channel":"channel-0","next":"{"}}',
    '{"forward":null}',
    '{"forward":[]}',
    '{"Forward":{"receiver":"x","port":"transfer","channel":"channel-0"}}',
    '{"forward":{"receiver":"x","port":"transfer","channel":"channel-99","retries":"1"}}',
    '{"forward":{"receiver":"x","port":"t","channel":"channel-0"}}',
    '{"forward":{"receiver":"x","port":"transfer","channel":"c"},"forward":{}}',
)


def memo(world: World, chain: WalkChain) -> str:
    """Return a memo of a transfer that `chain` receives."""
    if world.choices.chance(15):
        return world.choices.pick(_ODD)
    return json.dumps({"forward": _hop(world, chain, _DEPTH)}, separators=(",", ":"))


def _hop(world: World, chain: WalkChain, depth: int) -> dict[str, Any]:
    choices = world.choices
    ends = [each for each in view.channels(chain) if each.port_id == packet_data.PORT_ID]
    opened = [each for each in ends if each.end.state is ChannelState.OPEN] or ends
    channel = choices.pick(opened).channel_id if opened and choices.chance(92) else "channel-77"
    receiver = "" if choices.chance(3) else world.someone()
    hop: dict[str, Any] = {"receiver": receiver, "port": packet_data.PORT_ID, "channel": channel}
    if choices.chance(50):
        hop["timeout"] = choices.pick(_TIMEOUTS)
    if choices.chance(40):
        hop["retries"] = choices.pick(_RETRIES)
    if depth and choices.chance(35):
        further = {"forward": _hop(world, world.other(chain), depth - 1)}
        hop["next"] = json.dumps(further) if choices.chance(50) else further
    return hop
