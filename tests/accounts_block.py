"""A chain with interchain accounts, in one block, with connections and channels as a test wants them."""

from ibc_module.pipeline import Pipeline
from ibc_module.plugin import Config
from pyibc.apps.interchain_accounts.packet_data import default_metadata, encode_metadata
from pyibc.apps.interchain_accounts.plugin import InterchainAccountsPlugin
from pyibc.chain.accounts.keeper import Accounts
from pyibc.chain.accounts.plugin import AccountsPlugin
from pyibc.chain.bank.keeper import BankKeeper
from pyibc.chain.bank.plugin import BankPlugin
from pyibc.core import paths
from pyibc.core.address import AddressCodec
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.connection.types import (
    COMPATIBLE_VERSIONS,
    ConnectionCounterparty,
    ConnectionEnd,
    ConnectionState,
)
from pyibc.core.host.overlay import BlockContext
from pyibc.core.wire import states
from pyibc.default_plugins import plugins

ADDRESSES = AddressCodec("ica")
OWNER = ADDRESSES.encode(b"o" * 20).text
AUTHORITY = ADDRESSES.encode(b"a" * 20).text
HERE, THERE = "connection-3", "connection-71"
PORT = f"icacontroller-{OWNER}"
APP_HASH = b"\x07" * 32


class Empty:
    """A store without entries."""

    def get(self, _key):
        return None

    def iterate(self, _start, _end):
        return iter(())


class AccountsBlock:
    """The host side's and the controller side's stores of one chain, and a block over them."""

    def __init__(self, **options):
        self.accounts = Accounts()
        self.bank = BankKeeper(self.accounts, ())
        self.plugin = InterchainAccountsPlugin(**options)
        base = [AccountsPlugin(self.accounts, ADDRESSES), BankPlugin(self.bank, ADDRESSES)]
        config = Config(account_prefix="ica", authority=AUTHORITY)
        self.pipeline = Pipeline([*base, self.plugin, *plugins(config, transfer=False)])
        self.routes = self.pipeline.messages()
        self.queries = self.pipeline.queries()
        self.ctx = self.block()
        self.pipeline.init_genesis(self.ctx, {})
        far = ConnectionCounterparty("07-tendermint-4", THERE, b"ibc")
        end = ConnectionEnd("07-tendermint-9", COMPATIBLE_VERSIONS, ConnectionState.OPEN, far, 0)
        self.ctx.ibc.set(paths.connection_path(HERE), states.encode_connection_end(end))

    def block(self):
        stores = {name: Empty() for name in self.pipeline.stores()}
        return BlockContext("ica-1", 8, 10**18, stores, app_hash=APP_HASH)

    def app(self, port_id):
        """The application of a port, as the handlers call it."""
        found = self.pipeline._manager.get_plugins()
        keepers = next(each.keepers for each in found if hasattr(each, "keepers"))
        return keepers.ports.route(port_id)

    def channel(self, port_id, channel_id, state, *, far="icahost", order=Order.UNORDERED, version=""):
        """Writes an end of a channel over the connection."""
        end = ChannelEnd(state, order, ChannelCounterparty(far, "channel-77"), (HERE,), version)
        self.ctx.ibc.set(paths.channel_path(port_id, channel_id), states.encode_channel_end(end))

    def entries(self, store):
        return {key: value for key, value in self.ctx.writes(store) if value is not None}


def metadata(address="", **changed):
    """A version of this chain as controller."""
    return encode_metadata(default_metadata(HERE, THERE)._replace(address=address, **changed))


def proposed(**changed):
    """A version that another chain proposes to this one as host."""
    return encode_metadata(default_metadata(THERE, HERE)._replace(**changed))


CLOSED, OPEN = ChannelState.CLOSED, ChannelState.OPEN
