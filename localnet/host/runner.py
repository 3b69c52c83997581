"""Execution of a transaction: decode, ante handler, messages; all messages take effect or none."""

from collections.abc import Callable, Mapping

from ibc_core.address import Address, AddressCodec
from ibc_core.any_message import AnyMessage
from ibc_core.errors import (
    IbcError,
    InvalidAddress,
    InvalidSdkAddress,
    NoSignatures,
    TooManySignatures,
    TxDecode,
)
from ibc_core.host.block import TxOutcome
from ibc_core.host.events import Event
from ibc_core.host.gas import UNLIMITED
from ibc_core.host.overlay import BlockContext
from ibc_core.host.routes import CheckedMessage, MessageRoute
from ibc_core.wire.abci import encode_tx_msg_data
from ibc_core.wire.budget import Budget
from ibc_core.wire.tx import decode_tx
from ibc_module import border
from ibc_module.pipeline import Pipeline
from localnet.host.ante import Ante, Mode, tx_size
from localnet.host.config import HostConfig
from localnet.host.decoded_tx import DecodedTx, DecodedTxCache, RoutedMessage
from localnet.host.events import message_events
from localnet.host.failed_tx import failed_tx
from localnet.host.legacy_events import header_of, with_legacy

_Execute = Callable[[BlockContext, DecodedTx], tuple[bytes, list[Event]]]
"""Executes a transaction's messages; returns their responses, and the events that are told."""


class TxRunner:
    """Executes transactions in a given block context."""

    def __init__(self, config: HostConfig, pipeline: Pipeline, ante: Ante, addresses: AddressCodec) -> None:
        self._config = config
        self._pipeline = pipeline
        self._routes: Mapping[str, MessageRoute] = pipeline.messages()
        self._ante = ante
        self._addresses = addresses
        self._cache = DecodedTxCache()
        # As in the SDK's runTx a transaction runs behind the border as a whole: an error of this host's own
        # is answered like a plugin's.
        self._decoded = border.in_block("a transaction's decoding", self._decode)
        self._admit = border.in_block("the ante handler", ante.run)
        self._execute = border.in_block("a transaction's messages", self._messages)
        self._execute_untold = border.in_block("a transaction's messages", self._without_events)
        self._checked = border.outside_blocks("CheckTx", self._check)
        self._simulated = border.outside_blocks("a simulation", self._run)

    def decode(self, raw: bytes) -> DecodedTx:
        """Decodes a transaction and its messages.

        Raises:
            IbcError: TxTooLarge, TxDecode (also for an unknown message type), an error of the stateless ante
                checks, TooManySignatures where messages have too many signers, InvalidSdkAddress for the fee
                payer, or an error of a message's decoder.
        """
        decoded: DecodedTx | None = self._cache.get(raw)
        if decoded is None:
            decoded = self._decoded(raw, Mode.DELIVER)
            self._keep(raw, decoded)
        return decoded

    def _keep(self, raw: bytes, decoded: DecodedTx) -> None:
        """For the next who decodes the same bytes; not what a plugin could change until then."""
        # guard: h84-a-message-that-can-change-is-kept always
        #   test_h84_a_message_that_is_used_up_is_whole_in_the_block
        if all(each.route.is_lasting for each in decoded.messages):
            self._cache.put(raw, decoded)

    def _decode(self, raw: bytes, mode: Mode) -> DecodedTx:
        tx_size(len(raw), self._config.limits)
        budget = Budget(len(raw))
        tx = decode_tx(raw, budget)
        self._ante.stateless(tx, simulated=mode is Mode.SIMULATE)
        known: dict[bytes, Address] = {}
        messages = []
        for each in tx.messages:
            messages.append(self._route(each.type_url, each.value, budget, known))
            # guard: h75-messages-of-any-number-of-signers drop
            #   test_h75_messages_of_too_many_signers_are_not_all_read
            if len(known) > self._config.limits.signatures:  # whose addresses cost more than their bytes
                raise TooManySignatures(len(known), self._config.limits.signatures)
        if tx.fee.payer:
            payer = self._payer(tx.fee.payer)
            # guard: h72-the-first-signer-pays {=> payer = next(iter({**known, payer.raw: payer}.values()))}
            #   test_h72_the_payer_pays_however_the_address_is_written
            known.setdefault(payer.raw, payer)
        else:
            payer = next(iter(known.values()))
        return DecodedTx(len(raw), tx, messages, list(known.values()), payer)

    def _payer(self, text: str) -> Address:
        try:
            return self._addresses.decode(text, "fee payer")
        except InvalidAddress as error:
            raise InvalidSdkAddress(text[:128], "fee payer") from error

    def _route(
        self, type_url: str, value: bytes, budget: Budget, known: dict[bytes, Address]
    ) -> RoutedMessage:
        route = self._routes.get(type_url)
        if route is None:
            raise TxDecode(f"unable to resolve type URL {type_url[:128]!a}")
        # guard: h60-each-message-has-a-budget-of-its-own {route.decode_within(value, budget) =>
        #   route.decode(value)} test_h60_a_transaction_has_one_budget_for_all_of_its_messages
        message = route.decode_within(value, budget)
        signers = route.signers(message)
        if not signers:
            raise NoSignatures
        for raw in signers:
            if raw not in known:
                known[raw] = self._addresses.encode(raw)
        return RoutedMessage(type_url, route, message, known[signers[0]].text)

    def deliver(self, ctx: BlockContext, raw: bytes) -> TxOutcome:
        """Executes a transaction in a block. If a message fails, fee, sequence and `tx` events remain.

        Raises:
            BaseException: an error of the machine, none of the transaction's: the node has to stop.
        """
        return self._run(ctx, raw, Mode.DELIVER, self._execute)

    def simulate(self, ctx: BlockContext, raw: bytes, *, tells_events: bool = True) -> TxOutcome:
        """Executes a transaction without verifying signatures; the caller discards the context.

        The gas limit that it declares is a guess. Nobody pays: it may use `HostConfig.gas_of_simulation`.
        Not `tells_events`: its messages' events are left out, which cost no gas.
        """
        execute = self._execute if tells_events else self._execute_untold
        try:
            outcome: TxOutcome = self._simulated(ctx, raw, Mode.SIMULATE, execute)
        except IbcError as error:
            return failed_tx(raw, error, 0, ctx.gas)
        return outcome

    def _run(self, ctx: BlockContext, raw: bytes, mode: Mode, execute: _Execute) -> TxOutcome:
        ctx.gas.reset(UNLIMITED)
        try:
            simulated = mode is Mode.SIMULATE
            decoded = self._decoded(raw, mode) if simulated else self.decode(raw)
        except IbcError as error:
            return failed_tx(raw, error, 0, ctx.gas)
        wanted = decoded.tx.fee.gas_limit
        ctx.gas.reset(wanted if mode is Mode.DELIVER else self._config.gas_of_simulation)
        try:
            with ctx.branch():
                self._admit(ctx, decoded, mode)
        except IbcError as error:
            return failed_tx(raw, error, wanted, ctx.gas, ctx.take_events())
        before = ctx.take_events()
        try:
            with ctx.branch():
                data, events = execute(ctx, decoded)
        except IbcError as error:
            ctx.take_events()
            return failed_tx(raw, error, wanted, ctx.gas, before)
        ctx.take_events()
        return TxOutcome(raw, 0, "", before + tuple(events), wanted, ctx.gas.reported, data)

    def _messages(self, ctx: BlockContext, decoded: DecodedTx) -> tuple[bytes, list[Event]]:
        events: list[Event] = []
        responses = []
        for index, message in enumerate(decoded.messages):
            start = len(ctx.events)
            responses.append(_response(ctx, message))
            own = tuple(ctx.events[start:])
            if self._config.legacy_events:
                own = with_legacy(own, header_of(message.type_url, decoded.tx.messages[index].value))
            shown = index if self._config.msg_index else None
            events += message_events(message.type_url, message.sender, own, shown)
        return encode_tx_msg_data(responses), events

    def _without_events(self, ctx: BlockContext, decoded: DecodedTx) -> tuple[bytes, list[Event]]:
        return encode_tx_msg_data([_response(ctx, message) for message in decoded.messages]), []

    def check(self, ctx: BlockContext, raw: bytes, recheck: bool) -> TxOutcome:
        """Runs the ante handler and the plugins' CheckTx hooks on the check state.

        Writes of an accepted transaction remain until the next commit, so that the signer's next transaction
        sees the new sequence; a rejected one leaves no writes, and is not remembered: it takes ten times its
        bytes in memory, which nobody paid for. Messages are not executed.
        """
        try:
            outcome: TxOutcome = self._checked(ctx, raw, recheck)
        except IbcError as error:
            ctx.take_events()
            return failed_tx(raw, error, 0 if ctx.gas.limit == UNLIMITED else ctx.gas.limit, ctx.gas)
        return outcome

    def _check(self, ctx: BlockContext, raw: bytes, recheck: bool) -> TxOutcome:
        ctx.gas.reset(UNLIMITED)
        # guard: h75-what-is-refused-is-remembered {self._cache.get(raw) or self._decoded(raw, Mode.CHECK) =>
        #   self.decode(raw)} test_h75_what_the_mempool_refuses_is_not_remembered
        decoded: DecodedTx = self._cache.get(raw) or self._decoded(raw, Mode.CHECK)
        wanted = decoded.tx.fee.gas_limit
        ctx.gas.reset(wanted)
        checked = [CheckedMessage(each.type_url, each.message) for each in decoded.messages]
        with ctx.branch():
            self._ante.run(ctx, decoded, Mode.RECHECK if recheck else Mode.CHECK)
            self._pipeline.check_tx(ctx, checked, recheck)
        self._keep(raw, decoded)
        return TxOutcome(raw, 0, "", ctx.take_events(), wanted, ctx.gas.reported)


def _response(ctx: BlockContext, of: RoutedMessage) -> AnyMessage:
    return AnyMessage(of.route.response_type_url, of.route.deliver(ctx, of.message))
