"""What a user imports (the public names) and runs (the command line, doctor).

    from pyibc import Config, IbcError, Pipeline, plugins

What most programs need is here, what one concern needs in a module of `MODULES`: `pyibc.apps`,
`pyibc.errors` and so on. docs/api.md lists every public name. The other packages are internals, and may
change at any release. Imports are lazy: what another distribution of ours has (`pyibc[relayer]`, ...) is
looked for when it is used.
"""

from importlib import import_module
from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING

_installation = run_path(str(Path(__file__).parents[1] / "ibc_core" / "installation.py"))  # without sys.path
_installation["check"]()

if TYPE_CHECKING:
    from iavl import MultiStore as MultiStore
    from ibc_core.address import Address as Address
    from ibc_core.address import AddressCodec as AddressCodec
    from ibc_core.any_message import AnyMessage as AnyMessage
    from ibc_core.application.classic import Acknowledged as Acknowledged
    from ibc_core.application.classic import AppAcknowledgement as AppAcknowledgement
    from ibc_core.application.classic import CleanedUp as CleanedUp
    from ibc_core.application.classic import Closing as Closing
    from ibc_core.application.classic import IbcApp as IbcApp
    from ibc_core.application.classic import Opened as Opened
    from ibc_core.application.classic import Opening as Opening
    from ibc_core.application.classic import Received as Received
    from ibc_core.application.classic import TimedOut as TimedOut
    from ibc_core.application.middleware import PassThroughApp as PassThroughApp
    from ibc_core.application.middleware import PassThroughSender as PassThroughSender
    from ibc_core.application.middleware_v2 import PassThroughAppV2 as PassThroughAppV2
    from ibc_core.application.middleware_v2 import PassThroughSenderV2 as PassThroughSenderV2
    from ibc_core.application.services import Bank as Bank
    from ibc_core.application.services import PacketSender as PacketSender
    from ibc_core.application.services import Services as Services
    from ibc_core.application.v2 import AcknowledgedV2 as AcknowledgedV2
    from ibc_core.application.v2 import IbcAppV2 as IbcAppV2
    from ibc_core.application.v2 import PacketSenderV2 as PacketSenderV2
    from ibc_core.application.v2 import PayloadAnswer as PayloadAnswer
    from ibc_core.application.v2 import ReceivedV2 as ReceivedV2
    from ibc_core.application.v2 import SendingV2 as SendingV2
    from ibc_core.application.v2 import TimedOutV2 as TimedOutV2
    from ibc_core.channel.types import ChannelCounterparty as ChannelCounterparty
    from ibc_core.channel.types import Order as Order
    from ibc_core.coin import Coin as Coin
    from ibc_core.coin import coin as coin
    from ibc_core.config import Config as Config
    from ibc_core.errors import IbcError as IbcError
    from ibc_core.height import ZERO_HEIGHT as ZERO_HEIGHT
    from ibc_core.height import Height as Height
    from ibc_core.host.block import CommittedBlock as CommittedBlock
    from ibc_core.host.block import TxOutcome as TxOutcome
    from ibc_core.host.context import ReadContext as ReadContext
    from ibc_core.host.context import WriteContext as WriteContext
    from ibc_core.host.events import Event as Event
    from ibc_core.host.overlay import BlockContext as BlockContext
    from ibc_core.host.routes import CheckedMessage as CheckedMessage
    from ibc_core.host.routes import MessageRoute as MessageRoute
    from ibc_core.host.routes import QueryRoute as QueryRoute
    from ibc_core.packet.types import Packet as Packet
    from ibc_core.packet_v2.types import Payload as Payload
    from ibc_indexer.typed import index as index
    from ibc_module import __version__ as __version__
    from ibc_module import hookimpl as hookimpl
    from ibc_module.at_wiring import AtWiring as AtWiring
    from ibc_module.hookspecs import Middleware as Middleware
    from ibc_module.hookspecs import MiddlewareV2 as MiddlewareV2
    from ibc_module.pipeline import Pipeline as Pipeline
    from ibc_module.plugin import plugins as plugins
    from ibc_relayer.link import relay as relay
    from light_client.interface import Claim as Claim
    from light_client.interface import ClientTypes as ClientTypes
    from light_client.interface import LightClient as LightClient
    from light_client.interface import ProofEffect as ProofEffect
    from light_client.interface import UpgradedStates as UpgradedStates
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
    from pyibc import queue_relayer as queue_relayer
    from pyibc import queues as queues
    from pyibc import relayer as relayer
    from pyibc import store as store
    from pyibc import testing as testing
    from pyibc import wire as wire

__distribution__ = "pyibc"

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
    "queue_relayer",
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
    "ibc_indexer.typed": "index",
    "ibc_module": "__version__ hookimpl",
    "ibc_module.at_wiring": "AtWiring",
    "ibc_module.hookspecs": "Middleware MiddlewareV2",
    "ibc_module.pipeline": "Pipeline",
    "ibc_module.plugin": "plugins",
    "ibc_relayer.link": "relay",
    "light_client.interface": "Claim ClientTypes LightClient ProofEffect UpgradedStates",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}
_NEEDS = {"index": "ibc_indexer", "relay": "ibc_relayer"}
"""Public name -> the package, of a distribution of its own, that has it."""
__all__ = [name for name in _HOMES if name not in _NEEDS or _installation["has"](_NEEDS[name])]


def _find(name: str) -> object:
    """A public name or module, imported where it is defined.

    Raises:
        AttributeError: there is none.
        NotInstalled: it is of a distribution that is not there.
    """
    if name in _NEEDS:
        import_module("ibc_core.installation").need(_NEEDS[name])
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
