"""A chain that starts from a transcript's recorded state."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from conformance.transcripts.document import GAS_LIMIT, Balance, ChainStart, Message, Supply
from conformance.transcripts.host_messages import BankParamsPlugin
from conformance.transcripts.reader import STORES
from conformance.transcripts.recorded_accounts import NO_TX, RecordedAccounts, RecordedBank
from conformance.transcripts.recorded_staking import MsgDelegate, StakingPlugin
from conformance.transcripts.roots import Roots
from conformance.transcripts.simapp import PREFIX, SIMAPP, RecordedHost
from conformance.transcripts.stores import MakeStores, NoStore, Trees
from handlers.keepers_ref import KeepersRef
from handlers.packet.sender import CoreSender
from ibc_module.pipeline import Pipeline
from keepers.keepers import Keepers
from pyibc.chain.accounts.keeper import STORE as ACCOUNTS_STORE
from pyibc.chain.accounts.plugin import AccountsPlugin
from pyibc.chain.bank.plugin import BankPlugin
from pyibc.chain.config import module_address
from pyibc.chain.events import message_events
from pyibc.codec.budget import Budget
from pyibc.codec.strict import NOT_UTF8
from pyibc.core.address import Address, AddressCodec
from pyibc.core.coin import coin
from pyibc.core.errors import IbcError, InvalidSdkRequest, TxDecode
from pyibc.core.height import Height
from pyibc.core.host.block import Event
from pyibc.core.host.context import CheckedMessage
from pyibc.core.host.gas import UNLIMITED
from pyibc.core.host.overlay import BlockContext

CANCEL_UPGRADE = "/cosmos.upgrade.v1beta1.MsgCancelUpgrade"
"""A message of the host that affects an upgrade planned by IBC."""


class Result(NamedTuple):
    """The result of a transaction."""

    error: IbcError | None
    responses: tuple[Message, ...]
    events: tuple[Event, ...]


class ReplayChain:
    """A chain without consensus: heights and times come from the transcript."""

    def __init__(
        self, start: ChainStart, authority: str, stores: MakeStores = Trees, app: str = SIMAPP
    ) -> None:
        """Write the recorded initial state; `app`: which of ibc-go's applications it is.

        Raises:
            IbcError: an address or amount of the transcript is invalid.
        """
        self.chain_id = start.chain_id
        self._addresses = AddressCodec(PREFIX)
        self.accounts = RecordedAccounts()
        self.bank = RecordedBank(self.accounts)
        host = RecordedHost(app, authority)
        self.host, self.ibc, self.mock, self.mock_v2 = host, host.ibc, host.mock, host.mock_v2
        base = [AccountsPlugin(self.accounts, self._addresses), BankPlugin(self.bank, self._addresses)]
        base.append(StakingPlugin(self.bank, self._addresses, start.validators))
        base.append(BankParamsPlugin(self._addresses, authority))
        self.pipeline = Pipeline([*base, *host.plugins])
        ref: KeepersRef[Keepers] = KeepersRef()
        ref.bind(self.ibc.keepers)
        self.core = CoreSender(ref)
        """Services that send packets on any port, as ibc-go's tests do through the keeper."""
        self.routes = self.pipeline.messages()
        """Message routes by type URL, resolved once, as every host does."""
        self.store = stores(self.pipeline.stores())
        self._height, self._time_ns = start.height, start.time_ns
        self._mempool: BlockContext | None = None
        self.balances_known = True
        """False once unrecorded transfers of the host's own messages make our balances differ."""
        self._load(start)
        self.roots = Roots(self.store, frozenset(start.stores) & frozenset(self.store.names()))

    def _load(self, start: ChainStart) -> None:
        """Write recorded stores and balances; other stores start as in a new chain."""
        empty = {name: NoStore() for name in self.store.names()}
        ctx = BlockContext(self.chain_id, start.height, start.time_ns, empty)
        self.pipeline.init_genesis(ctx, {})
        for account in start.accounts:
            self.accounts.adopt(ctx, self._address(account.address), account.packed)
        for each in start.balances:
            self.bank.endow(ctx, self._address(each.address), coin(each.denom, each.amount))
        self.adopt_supply(ctx, start.supply)
        for name in self.store.names():
            recorded = start.stores.get(name)
            if recorded is None:
                self.store.save(name, ctx.writes(name), start.height)
            else:
                self.store.save(name, recorded.entries, recorded.version or start.height)

    def _address(self, text: str) -> Address:
        return self._addresses.decode(text, "address")

    def context(
        self, height: int, time_ns: int, next_validators_hash: bytes = b"", app_hash: bytes = b""
    ) -> BlockContext:
        """Return the context of a block.

        `app_hash` is b"" if unknown, since transcripts do not contain it.
        """
        return BlockContext(
            self.chain_id, height, time_ns, self.store.views(), next_validators_hash, app_hash
        )

    def balance(self, ctx: BlockContext, address: str, denom: str) -> int:
        """Return an account's balance.

        Raises:
            IbcError: `address` is invalid.
        """
        return self.bank.balance(ctx, self._address(address).raw, denom)

    def adopt_balance(self, ctx: BlockContext, recorded: Balance) -> None:
        """Set a balance that a message of the host (such as staking) has changed."""
        more = recorded.amount - self.balance(ctx, recorded.address, recorded.denom)
        if more > 0:
            self.bank.endow(ctx, self._address(recorded.address), coin(recorded.denom, more))
        elif more < 0:
            self.bank.burn(ctx, self._address(recorded.address), coin(recorded.denom, -more))
        ctx.take_events()

    def adopt_supply(self, ctx: BlockContext, recorded: Sequence[Supply]) -> None:
        """Set supplies to those of the recorded host, which also minted coins for accounts not recorded."""
        rest = self._addresses.encode(module_address("distribution"))
        for each in recorded:
            self.bank.set_supply(ctx, rest, each.denom, each.amount)
        ctx.take_events()

    def new_accounts(self, ctx: BlockContext) -> Iterator[tuple[str, int, Message]]:
        """Return the accounts created in the current block: address, number, Any."""
        return self.accounts.made(ctx, self.store.views()[ACCOUNTS_STORE].get)

    def knows(self, type_url: str) -> bool:
        """Return whether we execute messages of this type; others belong to the recorded host.

        Staking is executed only for accounts of other chains: a validator's own delegation changes its power.
        """
        return type_url.startswith("/ibc.") or (type_url in self.routes and type_url != MsgDelegate.TYPE_URL)

    def deliver(
        self,
        ctx: BlockContext,
        messages: list[tuple[str, bytes]],
        index: int = 0,
        gas_limit: int = GAS_LIMIT,
    ) -> Result:
        """Run a transaction's messages atomically; transcripts contain no signatures or fees.

        `index` is the transaction's index in its block.
        """
        responses: list[Message] = []
        events: list[Event] = []
        self.accounts.tx_index = index
        ctx.gas.reset(gas_limit)
        try:
            decoded = self._decoded(messages)
            senders = [self._sender(type_url, message) for type_url, message in decoded]
            with ctx.branch():
                for number, (type_url, message) in enumerate(decoded):
                    route, start = self._route(type_url), len(ctx.events)
                    responses.append(Message(route.response_type_url, route.deliver(ctx, message)))
                    events += message_events(type_url, senders[number], tuple(ctx.events[start:]), number)
        except IbcError as error:
            return Result(error, (), ())
        finally:
            ctx.take_events()
            ctx.gas.reset(UNLIMITED)
            self.accounts.tx_index = NO_TX
        return Result(None, tuple(responses), tuple(events))

    def check(self, messages: list[tuple[str, bytes]], recheck: bool) -> IbcError | None:
        """Run CheckTx on the check state, which accumulates until the next block."""
        if self._mempool is None:
            self._mempool = self.context(self._height, self._time_ns)
        ctx = self._mempool
        try:
            checked = [CheckedMessage(*each) for each in self._decoded(messages)]
            with ctx.branch():
                self.pipeline.check_tx(ctx, checked, recheck)
        except IbcError as error:
            return error
        finally:
            ctx.take_events()
        return None

    def _decoded(self, messages: list[tuple[str, bytes]]) -> list[tuple[str, Any]]:
        """Decode all messages; an undecodable message takes precedence over an invalid one."""
        if not messages:
            raise InvalidSdkRequest("must contain at least one message")
        budget = Budget(sum(len(raw) for _, raw in messages))
        decoded, errors = [], []
        for type_url, raw in messages:
            try:
                decoded.append((type_url, self._route(type_url).decode_within(raw, budget)))
            except IbcError as error:
                errors.append(error)
        if errors:
            raise next(filter(_is_undecodable, errors), errors[0])
        return decoded

    def _sender(self, type_url: str, message: Any) -> str:
        return self._addresses.encode(self._route(type_url).signers(message)[0]).text

    def _route(self, type_url: str) -> Any:
        if type_url not in self.routes:
            raise TxDecode(
                f"no message {type_url!r}"
            )  # as in ibc-go, whose registry contains only handled types
        return self.routes[type_url]

    def run_authority(self, ctx: BlockContext, type_url: str, raw: bytes) -> None:
        """Run a message as governance, in the context ibc-go's testing chain uses.

        That context has no height for x/upgrade, so that plans in the past are accepted.

        Raises:
            IbcError: it failed.
        """
        if type_url == CANCEL_UPGRADE:
            self.ibc.keepers.upgrades.cancel(ctx)
            return
        route, height = self._route(type_url), ctx.height
        ctx.height = Height(height.revision_number, 0)
        try:
            route.deliver(ctx, route.decode(raw))
        finally:
            ctx.height = height

    def commit(self, ctx: BlockContext, version: int) -> None:
        """Commit the block; `version` is that of the ibc store."""
        height = ctx.height.revision_height
        for name in self.store.names():
            self.store.save(name, ctx.writes(name), version if name == STORES[0] else height)
        self._height, self._time_ns, self._mempool = height, ctx.time_ns, None


def _is_undecodable(error: IbcError) -> bool:
    """Return whether Go's decoder rejects such a message; it does not validate UTF-8."""
    return isinstance(error, TxDecode) and NOT_UTF8 not in error.reason
