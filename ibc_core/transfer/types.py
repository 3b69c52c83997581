"""ICS-20's message as a value."""

from ibc_core.height import Height
from ibc_core.value import value


@value
class MsgTransfer:
    """Sends coins (ics20-1): over a channel, or over a client of IBC v2 where no channel has the name."""

    source_port: str
    source_channel: str
    denom: str
    amount: str  # decimal, as on the wire
    sender: str
    receiver: str
    timeout_height_on_b: Height
    timeout_ns_on_b: int  # unix nanoseconds; over a client: seconds
    memo: str
    encoding: str = ""  # of the payload, over a client; "": JSON
