"""Applications and middleware that come with pyibc, and what one's own are made of besides their bases."""

from ibc_core.packet.acknowledgement import Acknowledgement, failure, parse, success
from ibc_module.apps.packet_count.plugin import PacketCountPlugin
from ibc_module.apps.rate_limit.limit import RateLimit
from ibc_module.apps.rate_limit.plugin import RateLimitPlugin

__all__ = [
    "Acknowledgement",
    "PacketCountPlugin",
    "RateLimit",
    "RateLimitPlugin",
    "failure",
    "parse",
    "success",
]
