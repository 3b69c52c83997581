from ibc_module.json_message import json_message as json_message
from ibc_module.json_message import json_route as json_route
from pyibc.apps.callbacks.contract import ANY_ADDRESS as ANY_ADDRESS
from pyibc.apps.callbacks.contract import Contract as Contract
from pyibc.apps.callbacks.contract import DestinationReceived as DestinationReceived
from pyibc.apps.callbacks.contract import SourceAcknowledged as SourceAcknowledged
from pyibc.apps.callbacks.contract import SourceSent as SourceSent
from pyibc.apps.callbacks.contract import SourceTimedOut as SourceTimedOut
from pyibc.apps.callbacks.plugin import CallbacksPlugin as CallbacksPlugin
from pyibc.apps.gmp.messages import cosmos_tx as cosmos_tx
from pyibc.apps.gmp.packet_data import AccountIdentifier as AccountIdentifier
from pyibc.apps.gmp.plugin import GmpPlugin as GmpPlugin
from pyibc.apps.interchain_accounts.plugin import (
    InterchainAccountsPlugin as InterchainAccountsPlugin,
)
from pyibc.apps.packet_count import PacketCountPlugin as PacketCountPlugin
from pyibc.apps.packet_forward.plugin import PacketForwardPlugin as PacketForwardPlugin
from pyibc.apps.rate_limit.limit import HourEpoch as HourEpoch
from pyibc.apps.rate_limit.limit import RateLimit as RateLimit
from pyibc.apps.rate_limit.limit import WhitelistedAddressPair as WhitelistedAddressPair
from pyibc.apps.rate_limit.plugin import RateLimitPlugin as RateLimitPlugin
from pyibc.apps.transfer import packet_data as packet_data
from pyibc.core.application.classic import BoundApp as BoundApp
from pyibc.core.application.packet_data import PacketData as PacketData
from pyibc.core.application.packet_data import read_json as read_json
from pyibc.core.application.services import PortKey as PortKey
from pyibc.core.application.services import PortPrefix as PortPrefix
from pyibc.core.application.v2 import BoundAppV2 as BoundAppV2
from pyibc.core.packet import acknowledgement as acknowledgement
