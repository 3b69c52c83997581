"""Actions of a transcript that are not transactions: the mock application's and governance's."""

from collections.abc import Callable

from conformance.transcripts.chain import ReplayChain
from conformance.transcripts.document import Action
from conformance.transcripts.fields import Fields
from conformance.transcripts.mock_app import CALLBACKS
from pyibc.apps.rate_limit.limit import HourEpoch, WhitelistedAddressPair
from pyibc.codec.strict import parse
from pyibc.core.errors import UnknownRequest
from pyibc.core.height import parse_height
from pyibc.core.host.overlay import BlockContext
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.types import AcknowledgementV2, PacketV2
from pyibc.core.wire.table import unpack
from pyibc.proto.ibc.applications.rate_limiting.v1 import rate_limiting_pb2
from pyibc.proto.ibc.core.channel.v1 import channel_pb2
from pyibc.proto.ibc.core.channel.v2 import packet_pb2 as packet_v2_pb2


def _send_packet(chain: ReplayChain, ctx: BlockContext, args: Fields) -> int:
    return chain.core.send_packet(
        ctx,
        args.text("port", ""),
        args.text("channel", ""),
        parse_height(args.text("timeout_height", "")),
        args.integer("timeout_timestamp", 0),
        args.data("data_b64"),
    )


def _write_acknowledgement(chain: ReplayChain, ctx: BlockContext, args: Fields) -> None:
    packet = unpack(Packet, parse(channel_pb2.Packet, args.data("packet_b64")))
    chain.core.write_acknowledgement(ctx, packet, args.data("ack_b64"))


def _write_acknowledgement_v2(chain: ReplayChain, ctx: BlockContext, args: Fields) -> None:
    chain.mock_v2.sender.write_acknowledgement(ctx, *_answer_v2(args))


def _answer_v2(args: Fields) -> tuple[str, int, AcknowledgementV2]:
    wire = parse(packet_v2_pb2.Acknowledgement, args.data("acknowledgement_b64"))
    return args.text("client", ""), args.integer("sequence", 0), tuple(wire.app_acknowledgements)


def _stack_write_acknowledgement(chain: ReplayChain, ctx: BlockContext, args: Fields) -> None:
    packet = unpack(Packet, parse(channel_pb2.Packet, args.data("packet_b64")))
    chain.host.sender(args.text("stack", "")).write_acknowledgement(ctx, packet, args.data("ack_b64"))


def _stack_write_acknowledgement_v2(chain: ReplayChain, ctx: BlockContext, args: Fields) -> None:
    sender = chain.host.sender_v2(args.text("stack", ""))
    sender.write_acknowledgement(ctx, *_answer_v2(args))


def _set_async_packet_v2(chain: ReplayChain, ctx: BlockContext, args: Fields) -> None:
    packet = unpack(PacketV2, parse(packet_v2_pb2.Packet, args.data("packet_b64")))
    packets = chain.ibc.keepers.v2.packets
    packets.set_receipt(ctx, packet)
    packets.set_async_packet(ctx, packet)


def _ratelimit_blacklist(chain: ReplayChain, ctx: BlockContext, args: Fields) -> None:
    limits, denom = chain.host.limits, args.text("denom", "")
    change = limits.blacklist_denom if args.flag("on") else limits.unblacklist_denom
    change(ctx, denom)


def _ratelimit_whitelist(chain: ReplayChain, ctx: BlockContext, args: Fields) -> None:
    limits, pair = (
        chain.host.limits,
        WhitelistedAddressPair(args.text("sender", ""), args.text("receiver", "")),
    )
    change = limits.whitelist_pair if args.flag("on") else limits.unwhitelist_pair
    change(ctx, pair)


def _ratelimit_set_epoch(chain: ReplayChain, ctx: BlockContext, args: Fields) -> None:
    epoch = unpack(HourEpoch, parse(rate_limiting_pb2.HourEpoch, args.data("epoch_b64")))
    chain.host.limits.set_hour_epoch(ctx, epoch)


def _chan_close_init(chain: ReplayChain, ctx: BlockContext, args: Fields) -> None:
    chain.core.close_channel(ctx, args.text("port", ""), args.text("channel", ""))


def _authority_msg(chain: ReplayChain, ctx: BlockContext, args: Fields) -> None:
    chain.run_authority(ctx, args.text("type_url", ""), args.data("value_b64"))


def _set_chain_id(chain: ReplayChain, _: BlockContext, args: Fields) -> None:
    chain.chain_id = args.text(
        "chain_id", ""
    )  # takes effect in the next block, since this block's context exists already


def _app_behaviour(chain: ReplayChain, _: BlockContext, args: Fields) -> None:
    callback, port = args.text("callback", ""), args.text("port", "mock")
    if port not in chain.mock.apps:
        raise UnknownRequest(f"application {port}")
    refusing = chain.mock.apps[port].refusing
    error = args.text("error") if args.has("error") else None
    if callback == "all" and error is None:
        refusing.clear()
    elif callback not in CALLBACKS:
        raise UnknownRequest(f"callback {callback}")
    elif error is None:
        refusing.pop(callback, None)
    else:
        refusing[callback] = error


ACTIONS: dict[str, Callable[[ReplayChain, BlockContext, Fields], int | None]] = {
    "send_packet": _send_packet,
    "write_acknowledgement": _write_acknowledgement,
    "write_acknowledgement_v2": _write_acknowledgement_v2,
    "stack_write_acknowledgement": _stack_write_acknowledgement,
    "stack_write_acknowledgement_v2": _stack_write_acknowledgement_v2,
    "set_async_packet_v2": _set_async_packet_v2,
    "ratelimit_blacklist": _ratelimit_blacklist,
    "ratelimit_whitelist": _ratelimit_whitelist,
    "ratelimit_set_epoch": _ratelimit_set_epoch,
    "chan_close_init": _chan_close_init,
    "authority_msg": _authority_msg,
    "set_chain_id": _set_chain_id,
    "app_behaviour": _app_behaviour,
}


def run(chain: ReplayChain, ctx: BlockContext, action: Action) -> int | None:
    """Perform a recorded action; return the sequence of the packet it sent, if any.

    Raises:
        IbcError: it failed, or the action is unknown.
        Malformed: an argument has the wrong type.
    """
    known = ACTIONS.get(action.name)
    if known is None:
        raise UnknownRequest(f"action {action.name}")
    return known(chain, ctx, action.args)
