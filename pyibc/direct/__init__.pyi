from pyibc.direct.calls import DirectOpening as DirectOpening
from pyibc.direct.calls import OpenedChannel as OpenedChannel
from pyibc.direct.calls import ProvenChannel as ProvenChannel
from pyibc.direct.calls import ProvenEntry as ProvenEntry
from pyibc.direct.capability import Capability as Capability
from pyibc.direct.capability import OpaquePacket as OpaquePacket
from pyibc.direct.handlers.handler import DirectHandler as DirectHandler
from pyibc.direct.handlers.handler import prove_channel as prove_channel
from pyibc.direct.handlers.handler import query_channel as query_channel
from pyibc.direct.messages import MsgNamedChannelCloseConfirm as MsgNamedChannelCloseConfirm
from pyibc.direct.messages import MsgNamedChannelCloseInit as MsgNamedChannelCloseInit
from pyibc.direct.messages import MsgNamedChannelOpenAck as MsgNamedChannelOpenAck
from pyibc.direct.messages import MsgNamedChannelOpenConfirm as MsgNamedChannelOpenConfirm
from pyibc.direct.messages import MsgNamedChannelOpenInit as MsgNamedChannelOpenInit
from pyibc.direct.messages import MsgNamedChannelOpenTry as MsgNamedChannelOpenTry
from pyibc.direct.messages import MsgNamedConnectionOpenAck as MsgNamedConnectionOpenAck
from pyibc.direct.messages import (
    MsgNamedConnectionOpenConfirm as MsgNamedConnectionOpenConfirm,
)
from pyibc.direct.messages import MsgNamedConnectionOpenInit as MsgNamedConnectionOpenInit
from pyibc.direct.messages import MsgNamedConnectionOpenTry as MsgNamedConnectionOpenTry
from pyibc.direct.messages import MsgNamedTimeout as MsgNamedTimeout
from pyibc.direct.plugin import DirectPlugin as DirectPlugin
