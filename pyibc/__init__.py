"""What a user imports (the public names) and runs (the command line, doctor).

    from pyibc import Config, IbcError, Pipeline, plugins

What most programs need is here, what one concern needs in a module of `MODULES`: `pyibc.apps`,
`pyibc.errors` and so on. docs/api.md lists every public name. The other packages of this distribution are its
internals, and may change at any release. Imports are lazy.
"""

from importlib import import_module
from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING

run_path(str(Path(__file__).parents[1] / "ibc_core" / "installation.py"))["check"]()  # found without sys.path

if TYPE_CHECKING:
    from iavl import MultiStore
    from ibc_core.address import Address, AddressCodec
    from ibc_core.any_message import AnyMessage
    from ibc_core.application.classic import (
        Acknowledged,
        AppAcknowledgement,
        CleanedUp,
        Closing,
        IbcApp,
        Opened,
        Opening,
        Received,
        TimedOut,
    )
    from ibc_core.application.middleware import PassThroughApp, PassThroughSender
    from ibc_core.application.middleware_v2 import PassThroughAppV2, PassThroughSenderV2
    from ibc_core.application.services import Bank, PacketSender, Services
    from ibc_core.application.v2 import (
        AcknowledgedV2,
        IbcAppV2,
        PacketSenderV2,
        PayloadAnswer,
        ReceivedV2,
        SendingV2,
        TimedOutV2,
    )
    from ibc_core.channel.types import ChannelCounterparty, Order
    from ibc_core.coin import Coin, coin
    from ibc_core.config import Config
    from ibc_core.errors import IbcError
    from ibc_core.height import ZERO_HEIGHT, Height
    from ibc_core.host.block import CommittedBlock, TxOutcome
    from ibc_core.host.context import ReadContext, WriteContext
    from ibc_core.host.events import Event
    from ibc_core.host.overlay import BlockContext
    from ibc_core.host.routes import CheckedMessage, MessageRoute, QueryRoute
    from ibc_core.packet.types import Packet
    from ibc_core.packet_v2.types import Payload
    from ibc_indexer.frames import index
    from ibc_module import __version__, hookimpl
    from ibc_module.at_wiring import AtWiring
    from ibc_module.hookspecs import Middleware, MiddlewareV2
    from ibc_module.pipeline import Pipeline
    from ibc_module.plugin import plugins
    from ibc_relayer.link import relay
    from light_client.interface import Claim, ClientTypes, LightClient, ProofEffect, UpgradedStates
    from pyibc import abci as abci
    from pyibc import apps as apps
    from pyibc import direct as direct
    from pyibc import errors as errors
    from pyibc import exporter as exporter
    from pyibc import host as host
    from pyibc import indexer as indexer
    from pyibc import light_clients as light_clients
    from pyibc import localnet as localnet
    from pyibc import messages as messages
    from pyibc import node as node
    from pyibc import queues as queues
    from pyibc import relayer as relayer
    from pyibc import store as store
    from pyibc import testing as testing
    from pyibc import wire as wire

__distribution__ = "pyibc"

__all__ = [
    "ZERO_HEIGHT",
    "Acknowledged",
    "AcknowledgedV2",
    "Address",
    "AddressCodec",
    "AnyMessage",
    "AppAcknowledgement",
    "AtWiring",
    "Bank",
    "BlockContext",
    "ChannelCounterparty",
    "CheckedMessage",
    "Claim",
    "CleanedUp",
    "ClientTypes",
    "Closing",
    "Coin",
    "CommittedBlock",
    "Config",
    "Event",
    "Height",
    "IbcApp",
    "IbcAppV2",
    "IbcError",
    "LightClient",
    "MessageRoute",
    "Middleware",
    "MiddlewareV2",
    "MultiStore",
    "Opened",
    "Opening",
    "Order",
    "Packet",
    "PacketSender",
    "PacketSenderV2",
    "PassThroughApp",
    "PassThroughAppV2",
    "PassThroughSender",
    "PassThroughSenderV2",
    "Payload",
    "PayloadAnswer",
    "Pipeline",
    "ProofEffect",
    "QueryRoute",
    "ReadContext",
    "Received",
    "ReceivedV2",
    "SendingV2",
    "Services",
    "TimedOut",
    "TimedOutV2",
    "TxOutcome",
    "UpgradedStates",
    "WriteContext",
    "__version__",
    "coin",
    "hookimpl",
    "index",
    "plugins",
    "relay",
]

MODULES = (
    "abci",
    "apps",
    "direct",
    "errors",
    "exporter",
    "host",
    "indexer",
    "light_clients",
    "localnet",
    "messages",
    "node",
    "queues",
    "relayer",
    "store",
    "testing",
    "wire",
)
"""The public modules below this one."""

_NAMES = {
    "iavl": "MultiStore",
    "ibc_core.address": "Address AddressCodec",
    "ibc_core.any_message": "AnyMessage",
    "ibc_core.application.classic": (
        "Acknowledged AppAcknowledgement CleanedUp Closing IbcApp Opened Opening Received TimedOut"
    ),
    "ibc_core.application.middleware": "PassThroughApp PassThroughSender",
    "ibc_core.application.middleware_v2": "PassThroughAppV2 PassThroughSenderV2",
    "ibc_core.application.services": "Bank PacketSender Services",
    "ibc_core.application.v2": (
        "AcknowledgedV2 IbcAppV2 PacketSenderV2 PayloadAnswer ReceivedV2 SendingV2 TimedOutV2"
    ),
    "ibc_core.channel.types": "ChannelCounterparty Order",
    "ibc_core.coin": "Coin coin",
    "ibc_core.config": "Config",
    "ibc_core.errors": "IbcError",
    "ibc_core.height": "ZERO_HEIGHT Height",
    "ibc_core.host.block": "CommittedBlock TxOutcome",
    "ibc_core.host.context": "ReadContext WriteContext",
    "ibc_core.host.events": "Event",
    "ibc_core.host.overlay": "BlockContext",
    "ibc_core.host.routes": "CheckedMessage MessageRoute QueryRoute",
    "ibc_core.packet.types": "Packet",
    "ibc_core.packet_v2.types": "Payload",
    "ibc_indexer.frames": "index",
    "ibc_module": "__version__ hookimpl",
    "ibc_module.at_wiring": "AtWiring",
    "ibc_module.hookspecs": "Middleware MiddlewareV2",
    "ibc_module.pipeline": "Pipeline",
    "ibc_module.plugin": "plugins",
    "ibc_relayer.link": "relay",
    "light_client.interface": "Claim ClientTypes LightClient ProofEffect UpgradedStates",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}


def _find(name: str) -> object:
    """A public name or module, imported where it is defined.

    Raises:
        AttributeError: there is none.
    """
    if name in MODULES:
        return import_module(f"pyibc.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'pyibc' has no attribute {name!r}", name=name)
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


if not TYPE_CHECKING:  # mypy would accept misspelt names
    __getattr__ = _find


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *MODULES})
