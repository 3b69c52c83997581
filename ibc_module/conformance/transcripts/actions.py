"""What a transcript's chains did outside transactions: the mock application's doings, and governance's."""

from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any

from ibc_module.conformance.transcripts.chain import ReplayChain
from ibc_module.core.height import parse_height
from ibc_module.core.overlay import BlockContext
from ibc_module.errors import UnknownRequest
from ibc_module.wire._generated.ibc.core.channel.v1 import channel_pb2
from ibc_module.wire._generated.ibc.core.channel.v2 import packet_pb2 as packet_v2_pb2
from ibc_module.wire.messages.packet import unpack_packet

Args = Mapping[str, Any]


def _send_packet(chain: ReplayChain, ctx: BlockContext, args: Args) -> dict[str, Any]:
    sequence = chain.core.send_packet(
        ctx,
        args["port"],
        args["channel"],
        parse_height(args["timeout_height"]),
        args["timeout_timestamp"],
        b64decode(args["data_b64"] or ""),
    )
    return {"sequence": sequence}


def _write_acknowledgement(chain: ReplayChain, ctx: BlockContext, args: Args) -> dict[str, Any]:
    packet = unpack_packet(channel_pb2.Packet.FromString(b64decode(args["packet_b64"] or "")))
    chain.core.write_acknowledgement(ctx, packet, b64decode(args["ack_b64"] or ""))
    return {}


def _write_acknowledgement_v2(chain: ReplayChain, ctx: BlockContext, args: Args) -> dict[str, Any]:
    wire = packet_v2_pb2.Acknowledgement.FromString(b64decode(args["acknowledgement_b64"] or ""))
    answer = tuple(wire.app_acknowledgements)
    chain.mock_v2.sender.write_acknowledgement(ctx, args["client"], args["sequence"], answer)
    return {}


def _chan_close_init(chain: ReplayChain, ctx: BlockContext, args: Args) -> dict[str, Any]:
    chain.core.close_channel(ctx, args["port"], args["channel"])
    return {}


def _authority_msg(chain: ReplayChain, ctx: BlockContext, args: Args) -> dict[str, Any]:
    chain.run_authority(ctx, args["type_url"], b64decode(args["value_b64"] or ""))
    return {}


def _set_chain_id(chain: ReplayChain, ctx: BlockContext, args: Args) -> dict[str, Any]:  # noqa: ARG001
    chain.chain_id = args["chain_id"]  # the block under way has its context, with the old one, already
    return {}


def _app_behaviour(chain: ReplayChain, ctx: BlockContext, args: Args) -> dict[str, Any]:  # noqa: ARG001
    callback, error = args["callback"], args.get("error")
    if callback == "all" or error is None:
        doomed = list(chain.mock.app.refusing) if callback == "all" else [callback]
        for name in doomed:
            chain.mock.app.refusing.pop(name, None)
    else:
        chain.mock.app.refusing[callback] = error
    return {}


ACTIONS: dict[str, Callable[[ReplayChain, BlockContext, Args], dict[str, Any]]] = {
    "send_packet": _send_packet,
    "write_acknowledgement": _write_acknowledgement,
    "write_acknowledgement_v2": _write_acknowledgement_v2,
    "chan_close_init": _chan_close_init,
    "authority_msg": _authority_msg,
    "set_chain_id": _set_chain_id,
    "app_behaviour": _app_behaviour,
}


def run(chain: ReplayChain, ctx: BlockContext, action: str, args: Args) -> dict[str, Any]:
    """Does what the transcript's chain did; returns its result.

    Raises:
        IbcError: it was refused, or nobody here knows such an action.
    """
    known = ACTIONS.get(action)
    if known is None:
        raise UnknownRequest(f"action {action}")
    return known(chain, ctx, args)
