"""The keeper of IBC v2's packets: what a client without packets is told."""

import pytest

from ibc_core.errors import SequenceSendNotFoundV2
from keepers.packet_v2.keeper import PacketKeeperV2


def test_sequences(ctx, written):
    packets = PacketKeeperV2()
    with pytest.raises(SequenceSendNotFoundV2) as error:
        packets.next_send(ctx, "07-tendermint-0")
    assert "07-tendermint-0" in str(error.value)
    assert written(lambda: packets.set_next_send(ctx, "07-tendermint-0", 8)) == [
        "nextSequenceSend/07-tendermint-0"
    ]
    assert packets.next_send(ctx, "07-tendermint-0") == 8
