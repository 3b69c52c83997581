"""Dispatch of requests: waits for the method's lock, calls the application, and handles its exceptions."""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from threading import Event, RLock
from typing import NoReturn

from abci_server.application import Application
from abci_server.errors import (
    AbciError,
    AnswerHeld,
    ApplicationFailed,
    PeerGone,
    ServerStopped,
    UnknownRequest,
)
from abci_server.methods import METHODS, Method, Refuse, Turn
from abci_server.rate_limited_log import RateLimitedLog
from pyibc.proto.tendermint.abci import types_pb2 as pb

INTERNAL = AbciError(1, "internal error; see the node's log", "abci")
"""Refusal that a client receives if the application raises an unexpected exception."""
_GLANCE_S = 1.0
"""Interval in seconds at which a held call checks that its peer is still connected."""


class _Both:
    """Two locks, acquired in this order."""

    def __init__(self, first: RLock, second: RLock) -> None:
        self._first, self._second = first, second

    def __enter__(self) -> None:
        self._first.acquire()
        try:
            self._second.acquire()
        except BaseException:
            self._first.release()
            raise

    def __exit__(self, *_error: object) -> None:
        self._second.release()
        self._first.release()


class Dispatcher:
    """Calls the application for the requests of all connections.

    Args:
        app: Application to call.
        errors: Logs bugs in queries and checks.
        serial: Make one call at a time, as Go's socket server does.
        over: Set when the server stops.
    """

    def __init__(self, app: Application, errors: RateLimitedLog, *, serial: bool, over: Event) -> None:
        self._app = app
        self._over = over
        self._errors = errors
        self._failed = False
        consensus = RLock()
        mempool = consensus if serial else RLock()
        locks: dict[Turn, AbstractContextManager[object]] = {
            Turn.CONSENSUS: consensus,
            Turn.COMMIT: _Both(consensus, mempool),
            Turn.MEMPOOL: mempool,
            Turn.NONE: consensus if serial else nullcontext(),
        }
        self._methods = {
            name: (method, locks[method.turn], method.turn in {Turn.CONSENSUS, Turn.COMMIT})
            for name, method in METHODS.items()
        }

    def answer(self, request: pb.Request, gone: Callable[[], bool]) -> pb.Response:
        """Return the response to one request.

        Args:
            request: Request to handle.
            gone: Returns whether its sender has disconnected.

        Raises:
            UnknownRequest: the type of request is unknown.
            PeerGone: the request would change state or ordering, and its sender has disconnected.
            ApplicationFailed: the application raised in a method that must not fail. It is not called again.
            ServerStopped: the application failed earlier, or the server is stopping.
        """
        name = request.WhichOneof("value")
        if name is None:
            raise UnknownRequest
        try:
            return self._answer_in_turn(name, request, gone)
        except AnswerHeld:
            self._hold(name, gone)

    def _hold(self, name: str, gone: Callable[[], bool]) -> NoReturn:
        """Hold a call without a response and without its lock, so that other calls are handled meanwhile."""
        while not self._over.wait(_GLANCE_S):
            # guard: h278-a-held-call-outlives-its-peer drop
            #   test_h278_a_held_call_of_a_peer_that_has_gone_is_dropped
            if gone():
                raise PeerGone(name)
        raise ServerStopped

    def _answer_in_turn(self, name: str, request: pb.Request, gone: Callable[[], bool]) -> pb.Response:
        method, turn, in_order = self._methods[name]
        with turn:
            if self._failed:
                raise ServerStopped
            # A killed CometBFT leaves its last request behind. The CometBFT started in its place sends Info
            # first: no request of the old one may be executed after that.
            if in_order and gone():
                raise PeerGone(name)
            return self._ask(name, method, getattr(request, name), pb.Response())

    def fail(self, name: str, error: Exception) -> NoReturn:
        """Refuse all further calls after a response that CometBFT cannot handle; raise ApplicationFailed."""
        self._failed = True
        raise ApplicationFailed(name) from error

    def _ask(self, name: str, method: Method, request: object, response: pb.Response) -> pb.Response:
        try:
            method.serve(self._app, request, response)
        except AnswerHeld:
            # guard: h278-an-answer-that-is-held-is-a-failure {=> raise ApplicationFailed(name)}
            #   test_h278_while_an_answer_is_held_all_others_are_given
            raise
        except Exception as error:
            if method.refuse is None:
                self._failed = True
                raise ApplicationFailed(name) from error
            self._refuse(name, method.refuse, error, response)
        except BaseException as error:  # e.g. SystemExit in the application's code
            self._failed = True
            raise ApplicationFailed(name) from error
        return response

    def _refuse(self, name: str, refuse: Refuse, error: Exception, response: pb.Response) -> None:
        """Fill `response` with the application's refusal, or with INTERNAL."""
        bug = error
        if isinstance(error, AbciError) and error.code != 0:  # 0 would mean success
            try:
                response.Clear()
                refuse(error, response)
            except (TypeError, ValueError, AttributeError) as unwritable:
                bug = unwritable
            else:
                return
        text = f"bug in the application: {name} raised an exception, and the client received an error"
        self._errors.report(f"{name} {type(bug).__name__}", text, level=logging.ERROR, error=bug)
        response.Clear()
        refuse(INTERNAL, response)
