"""Applications and middleware that come with pyibc, and what one's own are made of besides their bases."""

from ibc_core.application.classic import BoundApp as BoundApp
from ibc_core.application.packet_data import PacketData as PacketData
from ibc_core.application.packet_json import read_json as read_json
from ibc_core.application.ports import PortKey as PortKey
from ibc_core.application.ports import PortPrefix as PortPrefix
from ibc_core.application.v2 import BoundAppV2 as BoundAppV2
from ibc_core.callbacks.contract import Contract as Contract
from ibc_core.callbacks.contract import DestinationReceived as DestinationReceived
from ibc_core.callbacks.contract import SourceAcknowledged as SourceAcknowledged
from ibc_core.callbacks.contract import SourceSent as SourceSent
from ibc_core.callbacks.contract import SourceTimedOut as SourceTimedOut
from ibc_core.gmp.account import AccountIdentifier as AccountIdentifier
from ibc_core.gmp.cosmos_tx import cosmos_tx as cosmos_tx
from ibc_core.packet import acknowledgement as acknowledgement
from ibc_core.rate_limit.epoch import HourEpoch as HourEpoch
from ibc_core.rate_limit.limit import RateLimit as RateLimit
from ibc_core.rate_limit.whitelist import WhitelistedAddressPair as WhitelistedAddressPair
from ibc_module.apps.callbacks.contracts import ANY_ADDRESS as ANY_ADDRESS
from ibc_module.apps.callbacks.plugin import CallbacksPlugin as CallbacksPlugin
from ibc_module.apps.gmp.plugin import GmpPlugin as GmpPlugin
from ibc_module.apps.packet_count import PacketCountPlugin as PacketCountPlugin
from ibc_module.apps.packet_forward.plugin import PacketForwardPlugin as PacketForwardPlugin
from ibc_module.apps.rate_limit.plugin import RateLimitPlugin as RateLimitPlugin
from ibc_module.apps.transfer import packet_data as packet_data
from ibc_module.json_message import json_message as json_message
from ibc_module.json_message import json_route as json_route
