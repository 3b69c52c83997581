"""MsgAdvance: chain B deletes handled receipts and skips packets that A timed out [IBC-packets 3.2]."""

from typing import NamedTuple

from light_client.interface import ProofEffect
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.numbers import be8
from pyibc.queues import packet as queue_events
from pyibc.queues.errors import AdvanceBelowHead
from pyibc.queues.handlers.proof import proof_context, registered, verify
from pyibc.queues.keepers import QueueKeepers
from pyibc.queues.messages import MsgAdvance
from pyibc.queues.packet import Registration
from pyibc.queues.types import head_key


class VerifiedAdvance(NamedTuple):
    """Chain A's proven head, and the index that the message advances to."""

    registration: Registration
    before: int
    to: int
    effect: ProofEffect | None  # write that the proof requires


def validate(keepers: QueueKeepers, ctx: ReadContext, msg: MsgAdvance) -> VerifiedAdvance:
    """Check that A has removed its packets below `head`: each has a receipt of B, or expired unreceived.

    Raises:
        UnregisteredSender: the end is not registered.
        AdvanceBelowHead: the new head is not above the current one.
        ClientNotActive, MustSubmitHeader, InvalidQueueProof: the proof fails.
    """
    registration = registered(keepers, ctx, msg.source)
    before = keepers.queues.head(ctx, registration.incoming)
    if msg.to <= before:
        raise AdvanceBelowHead(before, msg.to)
    # PROOF
    proof_ctx = proof_context(keepers, ctx, registration, msg.proof_height)
    effect = verify(ctx, proof_ctx, head_key(registration.their_outgoing), be8(msg.head), msg.proof)
    return VerifiedAdvance(registration, before, msg.to, effect)


def execute(keepers: QueueKeepers, ctx: WriteContext, verified: VerifiedAdvance) -> None:
    """Advance the receipt queue, and its tail if that is lower: A's first packet is next then.

    Runs on: B. Proves: A's outgoing. Writes: deletes incoming; clients/{id}/ (by a single-use proof). Emits:
    queue_advance.
    """
    registration, before, to, effect = verified
    keepers.clients.apply_effect(ctx, effect)
    # STATE
    keepers.queues.advance(ctx, registration.incoming, to)
    # EVENTS
    ctx.emit(queue_events.advance(registration, before, to))
