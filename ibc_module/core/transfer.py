"""ICS-20's message as a value."""

from ibc_module.core.height import Height
from ibc_module.core.value import value


@value
class MsgTransfer:
    """Sends coins over a channel (ics20-1)."""

    source_port: str
    source_channel: str
    denom: str
    amount: str  # decimal, as on the wire
    sender: str
    receiver: str
    timeout_height_on_b: Height
    timeout_ns_on_b: int
    memo: str
    encoding: str = ""
