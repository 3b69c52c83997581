"""Chain B deletes receipts that A handled and skips packets that A timed out [IBC-packets 3.2]."""

from typing import NamedTuple

from handlers.queue.keys import registered
from handlers.queue.proof import verify, witness
from ibc_core.errors.queue import AdvanceBelowHead
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.numbers import be8
from ibc_core.queue import events as queue_events
from ibc_core.queue.advance import MsgAdvance
from ibc_core.queue.packet import Registration
from ibc_core.queue.types import head_key
from keepers.queue.keepers import QueueKeepers
from light_client.interface import ProofEffect


class VerifiedAdvance(NamedTuple):
    """Chain A's proven head, and the index that the message advances to."""

    registration: Registration
    before: int
    to: int
    effect: ProofEffect | None  # what the proof leaves to write


def validate(keepers: QueueKeepers, ctx: ReadContext, msg: MsgAdvance) -> VerifiedAdvance:
    """Checks that A popped its packets below `head`: each has our receipt, or expired unreceived.

    Raises:
        UnregisteredSender: the end is not registered.
        AdvanceBelowHead: it is not above our head.
        ClientNotActive, MustSubmitHeader, InvalidQueueProof: not proven.
    """
    registration = registered(keepers, ctx, msg.source)
    before = keepers.queues.head(ctx, registration.incoming)
    if msg.to <= before:
        raise AdvanceBelowHead(before, msg.to)
    # PROOF
    seen = witness(keepers, ctx, registration, msg.proof_height)
    effect = verify(ctx, seen, head_key(registration.their_outgoing), be8(msg.head), msg.proof)
    return VerifiedAdvance(registration, before, msg.to, effect)


def execute(keepers: QueueKeepers, ctx: WriteContext, verified: VerifiedAdvance) -> None:
    """Advances the queue of receipts, and its tail if that is below: the next packet is then A's first.

    Runs on: B.
    Proves: A's outgoing.
    Writes: deletes incoming; clients/{id}/ (where a proof is used up).
    Emits: queue_advance.
    """
    registration, before, to, effect = verified
    keepers.clients.settle(ctx, effect)
    # STATE
    keepers.queues.advance(ctx, registration.incoming, to)
    # EVENTS
    ctx.emit(queue_events.advance(registration, before, to))
