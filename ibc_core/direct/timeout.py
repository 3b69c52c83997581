"""MsgTimeout of a packet whose channel the other chain may not have (`pyibc.channel.v1`)."""

from dataclasses import replace

from ibc_core.checking import HasAddresses
from ibc_core.packet.outcome import OUTCOME
from ibc_core.packet.timeout import MsgTimeout
from ibc_core.value import value
from ibc_core.wire.message import message
from ibc_proto.pyibc.channel.v1 import tx_pb2


@message(tx_pb2.MsgTimeout, OUTCOME)
@value
class MsgNamedTimeout(MsgTimeout):
    """Chain A takes a packet back; next sequence 0 says that B has no such channel."""

    def check(self, chain: HasAddresses) -> None:
        """Today's stateless checks, with any next sequence; raises as `MsgTimeout.check`."""
        MsgTimeout.check(replace(self, next_sequence_recv_on_b=self.next_sequence_recv_on_b or 1), chain)
