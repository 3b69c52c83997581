"""Applications and middleware that come with pyibc, and what one's own are made of besides their bases."""

from ibc_core.application.classic import BoundApp
from ibc_core.application.packet_data import PacketData
from ibc_core.application.packet_json import read_json
from ibc_core.application.ports import PortKey, PortPrefix
from ibc_core.application.v2 import BoundAppV2
from ibc_core.packet import acknowledgement
from ibc_module.apps.packet_count import PacketCountPlugin
from ibc_module.apps.rate_limit.limit import RateLimit
from ibc_module.apps.rate_limit.plugin import RateLimitPlugin
from ibc_module.apps.transfer import packet_data
from ibc_module.json_message import json_message, json_route

__all__ = [
    "BoundApp",
    "BoundAppV2",
    "PacketCountPlugin",
    "PacketData",
    "PortKey",
    "PortPrefix",
    "RateLimit",
    "RateLimitPlugin",
    "acknowledgement",
    "json_message",
    "json_route",
    "packet_data",
    "read_json",
]
