"""Execution of messages inside messages: by interchain accounts, by GMP, by a chain's governance."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

from google.protobuf.message import Message

from pyibc.codec.anys import AnyMessage
from pyibc.codec.budget import ELEMENTS_OF_AN_ANY, Budget
from pyibc.codec.gogoproto import without_unknown
from pyibc.codec.strict import MAX_SIZE
from pyibc.core.application.services import DecodedMessage
from pyibc.core.errors import (
    IbcError,
    InvalidCallbackAnswer,
    InvalidRequest,
    LogicFault,
    TxDecode,
    UnknownMessage,
    UnknownRequest,
)
from pyibc.core.host.context import MessageRoute, QueryRoute, ReadContext, WriteContext
from pyibc.core.host.gas import AnswerPrices
from pyibc.isolation.call_state import THREAD
from pyibc.isolation.limits import MAX_RESPONSE, check_size

# guard: h162-a-callback-executes-anything {=> from pyibc.isolation.scoped_context import for_route, opened}
from pyibc.isolation.scoped_context import for_route
from pyibc.proto.pool import message_class

_T = TypeVar("_T")

MAX_EXECUTING = 32
"""Maximal nesting of messages executed inside each other.

Each is in a packet of the message around it and takes some 40 of the 5,000 nested calls that Python may make.
"""


class Executor:
    """The chain's messages and queries for applications (`pyibc.core.application.services.Messages`).

    Callers are inside the error boundary already, which handles all exceptions. Routes are bound after
    applications got this object, once all plugins are known.
    """

    def __init__(self, prices: AnswerPrices) -> None:
        self._prices = prices
        self._routes: Mapping[str, MessageRoute] | None = None
        self._queries: Mapping[str, QueryRoute] | None = None

    def bind_messages(self, routes: Mapping[str, MessageRoute]) -> None:
        """Set the routes of messages, in the form for calls from inside the boundary."""
        self._routes = routes

    def bind_queries(self, routes: Mapping[str, QueryRoute]) -> None:
        """Set the routes of queries, in the same form."""
        self._queries = routes

    def decode(self, packed: AnyMessage, budget: Budget) -> DecodedMessage:
        """Decode a message: see `Messages.decode`."""
        route = self._route(packed.type_url)
        raw = _without_unknown(packed, _wire_of(route, packed.type_url), budget)
        read = route.decode_within if route.read is None else route.read
        # guard: h162-many-small-messages test_h162_many_small_messages_are_counted
        budget.visit(ELEMENTS_OF_AN_ANY)
        budget.is_executed = True
        with _panics():
            return DecodedMessage(packed.type_url, read(raw, budget))

    def wire(self, type_url: str) -> type[Message]:
        """Return the message's protobuf class: see `Messages.wire`."""
        cls = _wire_of(self._route(type_url), type_url)
        if cls is None:
            raise UnknownMessage(type_url[:128])
        return cls

    def signers(self, message: DecodedMessage) -> tuple[bytes, ...]:
        """Return the addresses that must have signed the message."""
        return self._route(message.type_url).signers(message.content)

    def deliver(self, ctx: WriteContext, message: DecodedMessage) -> AnyMessage:
        """Check and execute a message: see `Messages.deliver`."""
        route = self._route(message.type_url)
        if route.read is not None:
            with _panics():
                # guard: h162-nothing-is-checked drop:check
                #   test_h162_signers_come_before_the_checks_which_come_before_the_execution
                message = message._replace(content=route.check(message.content))
        return self.execute(ctx, message)

    def execute(self, ctx: WriteContext, message: DecodedMessage) -> AnyMessage:
        """Execute a message without checking it: see `Messages.execute`."""
        route, state = self._route(message.type_url), THREAD.call
        # guard: h162-recursion-goes-on test_h162_recursion_ends
        if state.executing >= MAX_EXECUTING:
            raise InvalidRequest(f"messages execute messages deeper than {MAX_EXECUTING}")
        state.executing += 1
        try:
            with _panics():
                # guard: h162-a-callback-executes-anything {for_route => opened}
                #   test_h162_a_stranger_s_callback_executes_nothing_that_writes_elsewhere
                answer: object = route.deliver(for_route(ctx), message.content)
        finally:
            # guard: h162-a-failed-message-counts-for-ever test_h162_recursion_ends
            state.executing -= 1
        where = message.type_url
        return AnyMessage(route.response_type_url, self._paid(ctx, answer, f"response to {where}", where))

    def query(self, ctx: ReadContext, path: str, request: bytes) -> bytes:
        """Execute a query in the current block: see `Messages.query`."""
        routes = _bound(self._queries)
        if path not in routes:
            raise UnknownRequest(path[:128])
        return self._paid(ctx, routes[path](ctx, request), f"response to {path}", path)

    def _paid(self, ctx: ReadContext, answer: object, what: str, where: str) -> bytes:
        """Check a response and charge gas for it: callers may collect many in one response of their own."""
        if type(answer) is not bytes:
            raise InvalidCallbackAnswer(where, "the route", "bytes", type(answer).__name__)
        check_size(what, len(answer), MAX_RESPONSE)
        # guard: h246-answers-inside-are-free drop test_h246_what_a_message_asks_and_executes_is_paid_for
        ctx.gas.consume(self._prices.event_byte * len(answer))
        return answer

    def _route(self, type_url: str) -> MessageRoute:
        route = _bound(self._routes).get(type_url)
        if route is None:
            raise UnknownMessage(type_url[:128])
        return route


@contextmanager
def _panics() -> Iterator[None]:
    """Convert errors at which ibc-go panics to faults, which fail the transaction.

    Raises:
        LogicFault: there was such an error.
    """
    try:
        yield
    except IbcError as error:
        # guard: panics-of-executed-messages-are-answered {error.is_panic => False}
        #   test_where_ibc_go_panics_an_executed_message_is_a_fault
        if error.is_panic:
            raise LogicFault(f"ibc-go panics: {error}") from error
        raise


def _bound(routes: Mapping[str, _T] | None) -> Mapping[str, _T]:
    if routes is None:
        raise LogicFault("an application used the chain's messages before the host called Pipeline.messages")
    return routes


def _wire_of(route: MessageRoute, type_url: str) -> type[Message] | None:
    """Return the protobuf class of a message; None if it is not protobuf and only its route decodes it."""
    if route.wire is not None:
        return route.wire
    try:
        return message_class(type_url[1:])
    except KeyError:
        return None


def _without_unknown(packed: AnyMessage, cls: type[Message] | None, budget: Budget) -> bytes:
    """Return the message's bytes without unknown fields, which Go's decoder drops."""
    if cls is None:
        return packed.value
    if len(packed.value) > MAX_SIZE:
        raise TxDecode(f"{len(packed.value)} bytes exceed {MAX_SIZE}")
    return without_unknown(cls, packed.value, budget)
