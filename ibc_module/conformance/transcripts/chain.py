"""One chain of ours, started from a transcript's recorded state."""

from base64 import b64decode
from collections.abc import Mapping
from typing import Any, NamedTuple

from iavl.multistore import MultiStore
from ibc_module.conformance.transcripts.mock_app import MockPlugin
from ibc_module.conformance.transcripts.mock_app_v2 import MockPluginV2
from ibc_module.core.address import Address, AddressCodec
from ibc_module.core.coin import coin
from ibc_module.core.events import Event
from ibc_module.core.height import Height
from ibc_module.core.overlay import BlockContext
from ibc_module.errors import IbcError, TxDecode
from ibc_module.hookspecs import CheckedMessage
from ibc_module.pipeline import Pipeline
from ibc_module.plugin import Config, IbcPlugin, plugins
from ibc_module.wire.strict import NOT_UTF8
from localnet.host.accounts import Accounts
from localnet.host.accounts_plugin import AccountsPlugin
from localnet.host.bank import BankKeeper
from localnet.host.bank_plugin import BankPlugin
from localnet.host.events import message_events

PREFIX = "cosmos"
BLOCKED = (
    "fee_collector", "distribution", "mint", "bonded_tokens_pool", "not_bonded_tokens_pool",
    "transfer", "interchainaccounts", "ratelimit",
)  # fmt: skip
"""Module accounts of ibc-go's testing application that may not receive coins (gov and mock may)."""


CANCEL_UPGRADE = "/cosmos.upgrade.v1beta1.MsgCancelUpgrade"
"""A message of the host's own that touches what IBC planned."""


class Result(NamedTuple):
    """What a transaction came to."""

    error: IbcError | None
    responses: tuple[tuple[str, bytes], ...]
    events: tuple[Event, ...]


class ReplayChain:
    """Blocks without consensus: the transcript gives height and time, the host runs the messages."""

    def __init__(self, recorded: Mapping[str, Any], authority: str) -> None:
        self.chain_id: str = recorded["chain_id"]
        addresses = AddressCodec(PREFIX)
        self._addresses = addresses
        accounts = Accounts()
        self.bank = BankKeeper(accounts, BLOCKED)
        self.mock, self.mock_v2 = MockPlugin(), MockPluginV2()
        parts = plugins(Config(account_prefix=PREFIX, authority=authority))
        self.ibc = next(part for part in parts if isinstance(part, IbcPlugin))
        host = [AccountsPlugin(accounts, addresses), BankPlugin(self.bank, addresses)]
        self.pipeline = Pipeline([*host, *parts, self.mock, self.mock_v2])
        self._routes = self.pipeline.messages()
        self.store = MultiStore(
            None,
            self.pipeline.stores(),
            initial_version=recorded["height"],
            keep_versions=None,
        )
        self._height: int = recorded["height"]
        self._time_ns: int = recorded["time_ns"]
        self._mempool: BlockContext | None = None
        self._load(recorded)

    def _load(self, recorded: Mapping[str, Any]) -> None:
        changes: dict[str, list[tuple[bytes, bytes | None]]] = {}
        for name in ("ibc", "transfer", "upgrade"):
            entries = recorded["stores"][name]["entries"]
            changes[name] = [(b64decode(e["key_b64"]), b64decode(e["value_b64"])) for e in entries]
        ctx = self.context(recorded["height"], recorded["time_ns"])
        for entry in recorded["balances"]:
            self.bank.endow(ctx, self._address(entry["address"]), coin(entry["denom"], int(entry["amount"])))
        for name in self.store.names():
            if name not in changes:
                changes[name] = ctx.writes(name)
        self.store.apply(changes)
        self.store.commit()

    def _address(self, text: str) -> Address:
        return self._addresses.decode(text, "address")

    def context(self, height: int, time_ns: int, next_validators_hash: bytes = b"") -> BlockContext:
        """A block under way."""
        committed = {name: self.store.store(name) for name in self.store.names()}
        return BlockContext(self.chain_id, height, time_ns, committed, next_validators_hash)

    def balance(self, ctx: BlockContext, address: str, denom: str) -> int:
        """What an account holds."""
        return self.bank.balance(ctx, self._address(address).raw, denom)

    def adopt_balance(self, ctx: BlockContext, address: str, denom: str, amount: int) -> None:
        """Sets what an account holds, after a message of the host's own (staking) moved its coins."""
        more = amount - self.balance(ctx, address, denom)
        if more > 0:
            self.bank.endow(ctx, self._address(address), coin(denom, more))
        elif more < 0:
            self.bank.burn(ctx, self._address(address), coin(denom, -more))
        ctx.take_events()

    def deliver(self, ctx: BlockContext, messages: list[tuple[str, bytes]]) -> Result:
        """Runs a transaction's messages, all or none; signatures and fees are not in a transcript."""
        try:
            decoded = self._decode(messages)
            senders = [self._sender(type_url, message) for type_url, message in decoded]
        except IbcError as error:
            return Result(error, (), ())
        responses, events = [], []
        try:
            with ctx.branch():
                for index, (type_url, message) in enumerate(decoded):
                    route, start = self._route(type_url), len(ctx.events)
                    responses.append((route.response_type_url, route.deliver(ctx, message)))
                    events += message_events(type_url, senders[index], tuple(ctx.events[start:]), index)
        except IbcError as error:
            ctx.take_events()
            return Result(error, (), ())
        ctx.take_events()
        return Result(None, tuple(responses), tuple(events))

    def check(self, messages: list[tuple[str, bytes]], recheck: bool) -> Result:
        """Asks the mempool, whose state the transactions share that it took since the last block."""
        if self._mempool is None:
            self._mempool = self.context(self._height, self._time_ns)
        ctx = self._mempool
        try:
            checked = [
                CheckedMessage(type_url, self._route(type_url).decode(raw)) for type_url, raw in messages
            ]
            with ctx.branch():
                self.pipeline.check_tx(ctx, checked, recheck)
        except IbcError as error:
            ctx.take_events()
            return Result(error, (), ())
        ctx.take_events()
        return Result(None, (), ())

    def _decode(self, messages: list[tuple[str, bytes]]) -> list[tuple[str, Any]]:
        """All messages; one that cannot be decoded counts before one that says something impossible."""
        decoded, errors = [], []
        for type_url, raw in messages:
            try:
                decoded.append((type_url, self._route(type_url).decode(raw)))
            except IbcError as error:
                errors.append(error)
        if errors:
            raise next(filter(_is_undecodable, errors), errors[0])
        return decoded

    def _sender(self, type_url: str, message: Any) -> str:
        return self._addresses.encode(self._route(type_url).signers(message)[0]).text

    def _route(self, type_url: str) -> Any:
        if type_url not in self._routes:
            raise TxDecode(f"no message {type_url!r}")  # as ibc-go, whose registry has handled types only
        return self._routes[type_url]

    def run_authority(self, ctx: BlockContext, type_url: str, raw: bytes) -> None:
        """Runs a message as governance does, in the context that ibc-go's testing chain gave it.

        There x/upgrade finds no height, so that a plan in the past passes; and no event leaves.

        Raises:
            IbcError: it was refused.
        """
        if type_url == CANCEL_UPGRADE:
            self.ibc.keepers.upgrades.cancel(ctx)
            return
        route, start, height = self._route(type_url), len(ctx.events), ctx.height
        ctx.height = Height(height.revision_number, 0)
        try:
            route.deliver(ctx, route.decode(raw))
        finally:
            ctx.height = height
        del ctx.events[start:]

    def commit(self, ctx: BlockContext) -> None:
        """Ends the block."""
        self.store.apply({name: ctx.writes(name) for name in self.store.names()})
        self.store.commit()
        self._height, self._time_ns, self._mempool = ctx.height.revision_height, ctx.time_ns, None


def _is_undecodable(error: IbcError) -> bool:
    """Whether Go's decoder refuses such a message, which looks at text later."""
    return isinstance(error, TxDecode) and NOT_UTF8 not in error.reason
