"""Messages that messages execute: those of interchain accounts, of GMP, of a chain's own governance."""

from collections.abc import Mapping
from typing import TypeVar

from google.protobuf.message import Message

from ibc_core.any_message import AnyMessage
from ibc_core.application.answers import MAX_RESPONSE, check_size
from ibc_core.application.services import DecodedMessage
from ibc_core.errors import (
    InvalidCallbackAnswer,
    InvalidRequest,
    LogicFault,
    TxDecode,
    UnknownMessage,
    UnknownRequest,
)

# guard: h162-a-callback-executes-anything {=> from ibc_core.host.confined import for_route, opened}
from ibc_core.host.confined import for_route
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.machine import THREAD
from ibc_core.host.routes import MessageRoute, QueryRoute
from ibc_core.wire.budget import ELEMENTS_OF_AN_ANY, Budget
from ibc_core.wire.gogo import without_unknown
from ibc_core.wire.strict import MAX_SIZE
from ibc_proto.pool import message_class

_T = TypeVar("_T")

MAX_EXECUTING = 32
"""Messages that are executed inside each other.

Each stands in a packet of the one around it, and takes some 40 of the 5,000 calls that Python may be deep.
"""


class Executor:
    """The chain's messages and queries for its applications (`ibc_core.application.services.Messages`).

    Whoever calls it is behind the border already: what goes wrong is settled where that is left. Routes are
    known when all plugins are, which is after applications were given this.
    """

    def __init__(self) -> None:
        self._routes: Mapping[str, MessageRoute] | None = None
        self._queries: Mapping[str, QueryRoute] | None = None

    def bind_messages(self, routes: Mapping[str, MessageRoute]) -> None:
        """Sets the messages: their routes as from inside of the border."""
        self._routes = routes

    def bind_queries(self, routes: Mapping[str, QueryRoute]) -> None:
        """Sets the queries, in the same way."""
        self._queries = routes

    def decode(self, packed: AnyMessage, budget: Budget) -> DecodedMessage:
        """Reads a message: see `Messages.decode`."""
        route = self._route(packed.type_url)
        raw = _without_unknown(packed, _wire_of(route, packed.type_url), budget)
        read = route.decode_within if route.read is None else route.read
        # guard: h162-many-small-messages test_h162_many_small_messages_are_counted
        budget.visit(ELEMENTS_OF_AN_ANY)
        return DecodedMessage(packed.type_url, read(raw, budget))

    def wire(self, type_url: str) -> type[Message]:
        """The message's protobuf class: see `Messages.wire`."""
        cls = _wire_of(self._route(type_url), type_url)
        if cls is None:
            raise UnknownMessage(type_url[:128])
        return cls

    def signers(self, message: DecodedMessage) -> tuple[bytes, ...]:
        """Who must have signed it."""
        return self._route(message.type_url).signers(message.content)

    def deliver(self, ctx: WriteContext, message: DecodedMessage) -> AnyMessage:
        """Checks and executes a message: see `Messages.deliver`."""
        route = self._route(message.type_url)
        if route.read is not None:
            # guard: h162-nothing-is-checked drop:check
            #   test_h162_signers_come_before_the_checks_which_come_before_the_execution
            message = message._replace(content=route.check(message.content))
        return self.execute(ctx, message)

    def execute(self, ctx: WriteContext, message: DecodedMessage) -> AnyMessage:
        """Executes a message that nobody checks: see `Messages.execute`."""
        route, crossing = self._route(message.type_url), THREAD.crossing
        # guard: h162-recursion-goes-on test_h162_recursion_ends
        if crossing.executing >= MAX_EXECUTING:
            raise InvalidRequest(f"messages execute messages deeper than {MAX_EXECUTING}")
        crossing.executing += 1
        try:
            # guard: h162-a-callback-executes-anything {for_route => opened}
            #   test_h162_a_stranger_s_callback_executes_nothing_that_writes_elsewhere
            answer: object = route.deliver(for_route(ctx), message.content)
        finally:
            # guard: h162-a-failed-message-counts-for-ever test_h162_recursion_ends
            crossing.executing -= 1
        where = message.type_url
        return AnyMessage(route.response_type_url, _checked(answer, f"response to {where}", where))

    def query(self, ctx: ReadContext, path: str, request: bytes) -> bytes:
        """Asks a query in the block under way: see `Messages.query`."""
        routes = _bound(self._queries)
        if path not in routes:
            raise UnknownRequest(path[:128])
        return _checked(routes[path](ctx, request), f"response to {path}", path)

    def _route(self, type_url: str) -> MessageRoute:
        route = _bound(self._routes).get(type_url)
        if route is None:
            raise UnknownMessage(type_url[:128])
        return route


def _bound(routes: Mapping[str, _T] | None) -> Mapping[str, _T]:
    if routes is None:
        raise LogicFault("an application used the chain's messages before the host had asked for them")
    return routes


def _checked(answer: object, what: str, where: str) -> bytes:
    if type(answer) is not bytes:
        raise InvalidCallbackAnswer(where, "the route", "bytes", type(answer).__name__)
    check_size(what, len(answer), MAX_RESPONSE)
    return answer


def _wire_of(route: MessageRoute, type_url: str) -> type[Message] | None:
    """None: it is no protobuf, and its route alone reads it."""
    if route.wire is not None:
        return route.wire
    try:
        return message_class(type_url[1:])
    except KeyError:
        return None


def _without_unknown(packed: AnyMessage, cls: type[Message] | None, budget: Budget) -> bytes:
    """The message's bytes without fields that it does not have, as Go's decoder drops them."""
    if cls is None:
        return packed.value
    # guard: h162-reading-costs-nothing test_h162_the_budget_counts_what_is_read
    budget.read(len(packed.value))
    if len(packed.value) > MAX_SIZE:
        raise TxDecode(f"{len(packed.value)} bytes exceed {MAX_SIZE}")
    return without_unknown(cls, packed.value)
