"""Applications and middleware that come with pyibc, and what one's own are made of besides their bases."""

from ibc_core.application.ports import PortKey, PortPrefix
from ibc_core.packet import acknowledgement
from ibc_module.apps.packet_count import PacketCountPlugin
from ibc_module.apps.rate_limit.limit import RateLimit
from ibc_module.apps.rate_limit.plugin import RateLimitPlugin
from ibc_module.apps.transfer import packet_data

__all__ = [
    "PacketCountPlugin",
    "PortKey",
    "PortPrefix",
    "RateLimit",
    "RateLimitPlugin",
    "acknowledgement",
    "packet_data",
]
