"""A channel's whole life over connection-localhost, step by step, with possible faults at each step."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from conformance.kit.application_faults import FAULTS
from conformance.kit.encode import to_any
from conformance.kit.tampering_apps import PORT, SEND, VERSION, Send, arm
from ibc_module.json_message import json_message
from light_client.registry import SENTINEL_PROOF
from pyibc.codec.anys import AnyMessage
from pyibc.core.channel.messages import (
    MsgChannelCloseConfirm,
    MsgChannelCloseInit,
    MsgChannelOpenAck,
    MsgChannelOpenConfirm,
    MsgChannelOpenInit,
    MsgChannelOpenTry,
)
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.errors import ApplicationFault, IbcError
from pyibc.core.height import Height
from pyibc.core.packet.messages import MsgAcknowledgement, MsgRecvPacket, MsgTimeout
from pyibc.core.packet.types import Packet

ONE, OTHER = "channel-0", "channel-1"
_NO_CONTEXT = tuple(name for name, broken in FAULTS.items() if broken.errors == (ApplicationFault,))


class Attempt(NamedTuple):
    """A transaction that must fail."""

    name: str
    messages: tuple[AnyMessage, ...]
    errors: tuple[type[IbcError], ...]  # one of these


class Step(NamedTuple):
    """A message that must succeed, after the attempts."""

    attempts: tuple[Attempt, ...]
    message: AnyMessage
    not_before: int  # earliest block height of the message and its attempts


def lifecycle(signer: str, height: int, revision: int, blocks_a_step: int) -> Iterator[Step]:
    """Return the life of the first channel of a chain.

    Args:
        signer: Signer of all transactions.
        height: Height of the chain's last block.
        revision: Revision number of the chain id.
        blocks_a_step: Maximum number of blocks per step.
    """
    far = height + 1_000_000
    soon = height + 12 * blocks_a_step
    first, second = (
        Packet(number, PORT, ONE, PORT, OTHER, b"x", Height(revision, until), 0)
        for number, until in ((1, far), (2, soon))
    )
    proven = (SENTINEL_PROOF, Height(0, 1), signer)
    yield _step(signer, ("deliver", "on_chan_open_init"), _open_init(signer))
    yield _step(signer, ("on_chan_open_try",), _open_try(signer))
    yield _step(signer, ("on_chan_open_ack",), MsgChannelOpenAck(PORT, ONE, OTHER, VERSION, *proven))
    yield _step(signer, ("on_chan_open_confirm",), MsgChannelOpenConfirm(PORT, OTHER, *proven))
    yield Step((), json_message(SEND, Send(signer, ONE, far, "x")), 0)
    yield _step(signer, ("on_recv_packet", "layer", "decoder"), MsgRecvPacket(first, *proven))
    message = MsgAcknowledgement(first, first.data, *proven)
    yield _step(signer, ("on_acknowledgement_packet",), message)
    yield Step((), json_message(SEND, Send(signer, ONE, soon, "x")), 0)
    timeout = MsgTimeout(second, SENTINEL_PROOF, Height(revision, soon), 2, signer)
    yield _step(signer, ("on_timeout_packet",), timeout, soon + 1)
    yield _step(signer, ("on_chan_close_init",), MsgChannelCloseInit(PORT, OTHER, signer))
    yield _step(signer, ("on_chan_close_confirm",), MsgChannelCloseConfirm(PORT, ONE, *proven))


def _step(signer: str, callbacks: tuple[str, ...], message: Any, not_before: int = 0) -> Step:
    packed = to_any(message)
    attempts = tuple(
        Attempt(f"{callback}: {kind}", (arm(signer, callback, kind), packed), FAULTS[kind].errors)
        for callback in callbacks
        for kind in (_NO_CONTEXT if callback in {"decoder", "layer"} else FAULTS)
    )
    return Step(attempts, packed, not_before)


def _end(state: ChannelState, far: str) -> ChannelEnd:
    return ChannelEnd(
        state, Order.UNORDERED, ChannelCounterparty(PORT, far), ("connection-localhost",), VERSION
    )


def _open_init(signer: str) -> MsgChannelOpenInit:
    return MsgChannelOpenInit(PORT, _end(ChannelState.INIT, ""), signer)


def _open_try(signer: str) -> MsgChannelOpenTry:
    end = _end(ChannelState.TRYOPEN, ONE)
    return MsgChannelOpenTry(PORT, "", end, VERSION, SENTINEL_PROOF, Height(0, 1), signer)
