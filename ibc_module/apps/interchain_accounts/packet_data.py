"""What middleware is told of interchain accounts' packets."""

from ibc_core.application.packet_data import PacketData
from ibc_core.interchain_accounts.names import CONTROLLER_PREFIX
from ibc_core.interchain_accounts.packet_data import decode_packet_data


def told(data: bytes) -> PacketData:
    """Memo and transaction; the sender is whom the controller's port names.

    Raises:
        InvalidType: it is no JSON of packet data.
    """
    found = decode_packet_data(data)
    return PacketData(sender="", receiver="", memo=found.memo, value=found, sender_prefix=CONTROLLER_PREFIX)
