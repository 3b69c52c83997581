"""Moves of rate limits: the authority adds, changes and removes them, and sets their exceptions."""

from conformance.walks import genesis, view
from conformance.walks.chain import Action, WalkChain
from conformance.walks.moves import Move
from conformance.walks.moves.authority import governance
from conformance.walks.moves.packets_v2 import pairs
from conformance.walks.moves.transfers import holdings
from conformance.walks.record import text_of
from conformance.walks.world import World
from pyibc.apps.rate_limit import state
from pyibc.apps.rate_limit.limit import HOUR_NS, HourEpoch
from pyibc.apps.rate_limit.messages import (
    MsgAddRateLimit,
    MsgRemoveRateLimit,
    MsgResetRateLimit,
    MsgUpdateRateLimit,
)
from pyibc.apps.transfer import packet_data
from pyibc.codec.encoding import encode
from pyibc.core.wire.message import Msg
from pyibc.core.wire.table import pack

PERCENTS, HOURS = (1, 1, 5, 50, 100, 100), (1, 1, 2, 24)
ODD_PERCENTS, ODD_HOURS = (0, 101, -1), (0, 1)
ODD_ENDS = ("channel-99", "c", "", "09-localhost")
_ADDS = 4


def _place(world: World, chain: WalkChain) -> tuple[str, str]:
    """Return a denomination, and a channel or client to send it over."""
    choices = world.choices
    ends = [each.channel_id for each in view.channels(chain) if each.port_id == packet_data.PORT_ID]
    ends += [near for near, _ in pairs(world, chain)]
    over = choices.pick(ends) if ends and choices.chance(93) else choices.pick(ODD_ENDS)
    held = [denom for denom, _ in holdings(chain, world.relayer)][:2]
    return (choices.pick(held) if held and choices.chance(95) else choices.pick(("", "nothing"))), over


def _by_authority(world: World, message: Msg) -> list[object]:
    return governance(message) if world.choices.chance(60) else [message]


def limit(world: World, chain: WalkChain) -> list[object] | None:
    """Add, change, reset or remove a limit."""
    choices = world.choices
    denom, over = _place(world, chain)
    limits = list(state.limits(chain.host.context(chain.height.revision_height + 1, chain.time_ns)))
    kind = choices.below(10 if limits or choices.chance(20) else _ADDS)
    if limits and kind >= _ADDS and choices.chance(85):
        known = choices.pick(limits)
        denom, over = known.denom, known.channel_or_client_id
    signer = genesis.AUTHORITY if choices.chance(88) else choices.pick((world.someone(), "nobody"))
    percents, hours = (PERCENTS, HOURS) if choices.chance(85) else (ODD_PERCENTS, ODD_HOURS)
    quota = choices.pick(percents), choices.pick(percents), choices.pick(hours)
    if kind < _ADDS:
        return _by_authority(world, MsgAddRateLimit(signer, denom, over, *quota))
    if kind < 6:
        return _by_authority(world, MsgUpdateRateLimit(signer, denom, over, *quota))
    other = MsgResetRateLimit if kind < 8 else MsgRemoveRateLimit
    return _by_authority(world, other(signer, denom, over))


def exceptions(world: World, chain: WalkChain) -> list[object] | None:
    """Blacklist a denomination, or whitelist a pair of addresses; or revert that."""
    choices = world.choices
    if choices.chance(50):
        denom, _ = _place(world, chain)
        args = {"denom": denom or "stake", "on": choices.chance(30)}
        return [Action("ratelimit_blacklist", args)]
    pair = {"sender": world.someone(), "receiver": world.someone(), "on": choices.chance(60)}
    return [Action("ratelimit_whitelist", pair)]


def epoch(world: World, _: WalkChain) -> list[object] | None:
    """Set the start of the hourly epochs, sometimes in the past, so that each block begins an hour."""
    start = world.now_ns - world.choices.pick((0, HOUR_NS // 2, 3 * HOUR_NS))
    told = HourEpoch(world.choices.below(30), HOUR_NS, start, 1)
    return [Action("ratelimit_set_epoch", {"epoch_b64": text_of(encode(pack(told)))})]


MOVES: tuple[tuple[int, Move], ...] = ((14, limit), (2, exceptions), (1, epoch))
"""Weights and moves."""
