"""Execution of a transaction: decode, ante handler, messages; either all messages take effect or none."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ibc_module.pipeline import Pipeline
from pyibc.chain.abci_responses import encode_tx_msg_data
from pyibc.chain.config import HostConfig
from pyibc.chain.events import header_of, message_events, with_legacy
from pyibc.chain.tx.ante import ExecMode, tx_size
from pyibc.chain.tx.decoded_tx import MOST_BYTES, DecodedTx, RoutedMessage, weight_of
from pyibc.chain.tx.steps import Ante
from pyibc.codec.anys import AnyMessage
from pyibc.codec.budget import Budget
from pyibc.core.address import Address, AddressCodec
from pyibc.core.errors import (
    IbcError,
    InvalidAddress,
    InvalidSdkAddress,
    NoSignatures,
    TooManySignatures,
    TxDecode,
)
from pyibc.core.host.block import Event, TxOutcome
from pyibc.core.host.context import CheckedMessage, MessageRoute
from pyibc.core.host.gas import UNLIMITED, GasMeter
from pyibc.core.host.overlay import BlockContext
from pyibc.core.memo import ByteBoundedCache
from pyibc.core.wire.tx import decode_tx
from pyibc.isolation import boundary
from pyibc.isolation.limits import MAX_RESPONSE, check_size, size_of_events

# -- outcomes of failed transactions: the only place where an error becomes an ABCI code


def failed_tx(
    raw: bytes, error: IbcError, gas_wanted: int, meter: GasMeter, events: tuple[Event, ...] = ()
) -> TxOutcome:
    """Return the outcome of a transaction that failed with `error`.

    `events` are the ante handler's, if it passed.
    """
    return TxOutcome(raw, error.code, error.codespace, events, gas_wanted, meter.reported, log=str(error))


# -- the runner


class ResponseLimits(NamedTuple):
    """Size limits of the responses and events of a transaction's messages, in bytes."""

    data: int  # of all responses
    events: int | None  # None: bounded by gas alone


_Execute = Callable[[BlockContext, DecodedTx, ResponseLimits], tuple[bytes, list[Event]]]
"""Function that executes a transaction's messages; it returns their responses and the reported events."""


class TxRunner:
    """Executes transactions in a given block context."""

    def __init__(self, config: HostConfig, pipeline: Pipeline, ante: Ante, addresses: AddressCodec) -> None:
        self._config = config
        self._pipeline = pipeline
        self._routes: Mapping[str, MessageRoute] = pipeline.messages()
        self._ante = ante
        self._addresses = addresses
        self._cache: ByteBoundedCache[bytes, DecodedTx] = ByteBoundedCache(MOST_BYTES)
        # Like the SDK's runTx, the whole of a transaction runs behind the boundary: a fault in the host's own
        # code is handled like a plugin's.
        self._decoded = boundary.in_block("a transaction's decoding", self._decode)
        self._admit = boundary.in_block("the ante handler", ante.run)
        self._execute = boundary.in_block("a transaction's messages", self._messages)
        self._execute_without_events = boundary.in_block("a transaction's messages", self._without_events)
        self._checked = boundary.outside_blocks("CheckTx", self._check)
        self._simulated = boundary.outside_blocks("a simulation", self._run)

    def decode(self, raw: bytes) -> DecodedTx:
        """Decode a transaction and its messages.

        Raises:
            IbcError: TxTooLarge, TxDecode (also for an unknown message type), an error of the stateless ante
                checks, TooManySignatures if the messages have too many signers, InvalidSdkAddress for the fee
                payer, or an error of a message's decoder.
        """
        decoded: DecodedTx | None = self._cache.get(raw)
        if decoded is None:
            decoded = self._decoded(raw, ExecMode.DELIVER)
            self._keep(raw, decoded)
        return decoded

    def _keep(self, raw: bytes, decoded: DecodedTx) -> None:
        """Cache a decoded transaction, unless a plugin could modify one of its messages."""
        # guard: h84-a-message-that-can-change-is-kept always
        #   test_h84_a_message_that_is_used_up_is_whole_in_the_block
        if all(each.route.is_lasting for each in decoded.messages):
            # guard: h249-a-transaction-weighs-its-bytes {decoded.weight => len(raw)}
            #   test_h249_a_decoded_transaction_weighs_what_it_takes
            self._cache.add(raw, decoded, decoded.weight)

    def _decode(self, raw: bytes, mode: ExecMode) -> DecodedTx:
        tx_size(len(raw), self._config.limits)
        budget = Budget(len(raw))
        tx = decode_tx(raw, budget)
        self._ante.stateless(tx, simulated=mode is ExecMode.SIMULATE)
        known: dict[bytes, Address] = {}
        messages = []
        for each in tx.messages:
            messages.append(self._route(each.type_url, each.value, budget, known))
            # guard: h75-messages-of-any-number-of-signers drop
            #   test_h75_messages_of_too_many_signers_are_not_all_read
            if len(known) > self._config.limits.signatures:  # bech32 encoding is expensive
                raise TooManySignatures(len(known), self._config.limits.signatures)
        if tx.fee.payer:
            payer = self._payer(tx.fee.payer)
            # guard: h72-the-first-signer-pays {=> payer = next(iter({**known, payer.raw: payer}.values()))}
            #   test_h72_the_payer_pays_however_the_address_is_written
            known.setdefault(payer.raw, payer)
        else:
            payer = next(iter(known.values()))
        weight = weight_of(len(raw), budget)
        return DecodedTx(len(raw), tx, messages, list(known.values()), payer, weight)

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

    def deliver_all(self, ctx: BlockContext, txs: Sequence[bytes]) -> tuple[TxOutcome, ...]:
        """Execute the transactions of a block, in order.

        If a message fails, the transaction's fee, its sequence and the `tx` events remain. A transaction
        fails if its responses exceed the bytes left for the responses of the block.

        Raises:
            BaseException: a fault of the machine rather than of the transaction; the node has to stop.
        """
        outcomes, left = [], self._config.block_data_bytes
        for raw in txs:
            # guard: h246-data-of-a-block {min(left, MAX_RESPONSE) => MAX_RESPONSE}
            #   test_h246_the_responses_of_a_block_are_bounded
            limits = ResponseLimits(min(left, MAX_RESPONSE), None)
            outcome = self._run(ctx, raw, ExecMode.DELIVER, self._execute, limits)
            left -= len(outcome.data)
            outcomes.append(outcome)
        return tuple(outcomes)

    def simulate(self, ctx: BlockContext, raw: bytes, *, with_events: bool = True) -> TxOutcome:
        """Execute a transaction without verifying signatures; the caller discards the context.

        Its gas limit is `HostConfig.gas_of_simulation`; the declared one is a guess, and no fee is paid.
        Without `with_events` the messages' events are omitted; otherwise `HostConfig.simulation_bytes`
        limits their size.
        """
        execute = self._execute if with_events else self._execute_without_events
        limits = ResponseLimits(MAX_RESPONSE, self._config.simulation_bytes)
        try:
            outcome: TxOutcome = self._simulated(ctx, raw, ExecMode.SIMULATE, execute, limits)
        except IbcError as error:
            return failed_tx(raw, error, 0, ctx.gas)
        return outcome

    def _run(
        self, ctx: BlockContext, raw: bytes, mode: ExecMode, execute: _Execute, limits: ResponseLimits
    ) -> TxOutcome:
        ctx.gas.reset(UNLIMITED)
        try:
            simulated = mode is ExecMode.SIMULATE
            decoded = self._decoded(raw, mode) if simulated else self.decode(raw)
        except IbcError as error:
            return failed_tx(raw, error, 0, ctx.gas)
        wanted = decoded.tx.fee.gas_limit
        ctx.gas.reset(wanted if mode is ExecMode.DELIVER else self._config.gas_of_simulation)
        try:
            with ctx.branch():
                self._admit(ctx, decoded, mode)
        except IbcError as error:
            return failed_tx(raw, error, wanted, ctx.gas, ctx.take_events())
        before = ctx.take_events()
        try:
            with ctx.branch():
                data, events = execute(ctx, decoded, limits)
        except IbcError as error:
            ctx.take_events()
            return failed_tx(raw, error, wanted, ctx.gas, before)
        ctx.take_events()
        return TxOutcome(raw, 0, "", before + tuple(events), wanted, ctx.gas.reported, data)

    def _messages(
        self, ctx: BlockContext, decoded: DecodedTx, limits: ResponseLimits
    ) -> tuple[bytes, list[Event]]:
        events: list[Event] = []
        responses, told = _Responses(limits.data), 0
        for index, message in enumerate(decoded.messages):
            start = len(ctx.events)
            responses.add(ctx, message)
            own = tuple(ctx.events[start:])
            if limits.events is not None:
                told += size_of_events(own)
                # guard: h246-simulated-events drop test_h246_a_simulation_answers_so_much_and_no_more
                check_size("events", told, limits.events)
            if self._config.legacy_events:
                own = with_legacy(own, header_of(message.type_url, decoded.tx.messages[index].value))
            shown = index if self._config.msg_index else None
            events += message_events(message.type_url, message.sender, own, shown)
        return responses.encoded(), events

    def _without_events(
        self, ctx: BlockContext, decoded: DecodedTx, limits: ResponseLimits
    ) -> tuple[bytes, list[Event]]:
        responses = _Responses(limits.data)
        for message in decoded.messages:
            responses.add(ctx, message)
            ctx.events.clear()
        return responses.encoded(), []

    def check(self, ctx: BlockContext, raw: bytes, recheck: bool) -> TxOutcome:
        """Run the ante handler and the plugins' CheckTx hooks on the check state.

        Writes of an accepted transaction remain until the next commit, so that the signer's next transaction
        sees the new sequence. A rejected one leaves no writes and is not cached: decoded, it takes ten times
        its size in memory, and no fee was paid. Messages are not executed.
        """
        try:
            outcome: TxOutcome = self._checked(ctx, raw, recheck)
        except IbcError as error:
            ctx.take_events()
            return failed_tx(raw, error, 0 if ctx.gas.limit == UNLIMITED else ctx.gas.limit, ctx.gas)
        return outcome

    def _check(self, ctx: BlockContext, raw: bytes, recheck: bool) -> TxOutcome:
        ctx.gas.reset(UNLIMITED)
        # guard: h75-what-is-refused-is-remembered
        #   {self._cache.get(raw) or self._decoded(raw, ExecMode.CHECK) => self.decode(raw)}
        #   test_h75_what_the_mempool_refuses_is_not_remembered
        decoded: DecodedTx = self._cache.get(raw) or self._decoded(raw, ExecMode.CHECK)
        wanted = decoded.tx.fee.gas_limit
        ctx.gas.reset(wanted)
        checked = [CheckedMessage(each.type_url, each.message) for each in decoded.messages]
        with ctx.branch():
            self._ante.run(ctx, decoded, ExecMode.RECHECK if recheck else ExecMode.CHECK)
            self._pipeline.check_tx(ctx, checked, recheck)
        self._keep(raw, decoded)
        return TxOutcome(raw, 0, "", ctx.take_events(), wanted, ctx.gas.reported)


class _Responses:
    """Responses to a transaction's messages, of at most `limit` bytes together."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._responses: list[AnyMessage] = []

    def add(self, ctx: BlockContext, of: RoutedMessage) -> None:
        """Execute a message and store its response.

        Raises:
            TooLarge: the response does not fit; no message after it is executed.
        """
        response = AnyMessage(of.route.response_type_url, of.route.deliver(ctx, of.message))
        self._size += len(response.type_url) + len(response.value)
        # guard: h246-data-of-a-transaction drop test_h246_the_responses_of_a_transaction_are_bounded
        check_size("responses", self._size, self._limit)
        self._responses.append(response)

    def encoded(self) -> bytes:
        """Return the responses as TxMsgData.

        Raises:
            TooLarge: the encoding exceeds the limit.
        """
        data = encode_tx_msg_data(self._responses)
        check_size("responses", len(data), self._limit)
        return data
